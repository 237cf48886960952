"""A block that branches: which row follows which, and what a row sees (SpecInfer, Miao et al. 2023, §4.2; Medusa, Cai et al. 2024, §2.1.2).

tree.add([-1, 0, 0, 1])     after the text a token, after that two, after the first of these one more
tree.path(3)                [0, 1, 3]: row 3 sees the text and these rows
"""

from collections.abc import Sequence

from .base import check_rollback

MAX_ROWS = 128  # rows of a tree, the last token of the text among them


class Tree:
    """The rows of a KV cache after its settled text: row i follows row `parents[i]`, −1 the last position of the text. Its position is
    the text's length and `depths[i]`. Without rows the cache holds a chain."""

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.depths: list[int] = []

    def __len__(self) -> int:
        return len(self.parents)

    def check(self, n: int, parents: Sequence[int] | None) -> None:
        """Refuse n rows that cannot follow those that are here. Raises ValueError."""
        if parents is None:
            if self.parents:
                raise ValueError(
                    "the cache holds a block that branches: keep a path of it, or roll it back, before a chain follows"
                )
            return
        if len(parents) != n:
            raise ValueError(f"{n} ids have {len(parents)} parents")
        if len(self) + n > MAX_ROWS:
            raise ValueError(f"a block that branches has at most {MAX_ROWS} rows, not {len(self) + n}")
        for row, parent in enumerate(parents, len(self)):
            if not -1 <= parent < row:
                raise ValueError(f"row {row} follows row {parent}: a parent is an earlier row, or -1 for the text")

    def add(self, parents: Sequence[int]) -> None:
        """Rows that were checked."""
        for parent in parents:
            self.parents.append(parent)
            self.depths.append(0 if parent < 0 else self.depths[parent] + 1)

    def truncate(self, rows: int) -> None:
        """Keep the first `rows`."""
        del self.parents[rows:], self.depths[rows:]

    def path(self, row: int) -> list[int]:
        """What a row sees after the text: its ancestors and itself, from the text on."""
        rows = []
        while row >= 0:
            rows.append(row)
            row = self.parents[row]
        return rows[::-1]

    def check_path(self, path: Sequence[int]) -> None:
        """Refuse rows that do not follow each other, from the text on. Raises ValueError."""
        for parent, row in zip([-1, *path], path, strict=False):
            if not 0 <= row < len(self) or self.parents[row] != parent:
                raise ValueError(f"row {row} does not follow row {parent} of a block of {len(self)}")


class TreeCache:
    """A KV cache whose last rows may branch: how many positions it holds, and what becomes of them. `append_start`: where the latest append did."""

    def __init__(self) -> None:
        self.length, self.append_start, self.tree = 0, 0, Tree()

    @property
    def text_length(self) -> int:
        """Positions of the text before all that branches."""
        return self.length - len(self.tree)

    def grow(self, n: int) -> None:
        """n rows have joined."""
        self.append_start, self.length = self.length, self.length + n

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.tree.truncate(max(0, length - self.text_length))
        self._crop(length)
        self.length = length

    def keep(self, path: Sequence[int]) -> None:
        if not self.tree:
            if list(path) != list(range(len(path))):
                raise ValueError("a path of a chain keeps the first rows")
            return self.rollback(self.append_start + len(path))
        self.tree.check_path(path)
        text_length = self.text_length
        if list(path) != list(range(len(path))):
            self._gather(text_length, path)
        self.rollback(text_length + len(path))
        self.tree.truncate(0)

    def _gather(self, text_length: int, path: Sequence[int]) -> None:
        """Move the rows of an ascending path, which count from position `text_length`, together there."""
        raise NotImplementedError

    def _crop(self, length: int) -> None:
        """Where positions that are forgotten must be let go of."""
