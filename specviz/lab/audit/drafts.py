"""How each drafter works, a second time: its logits, its passes, what limits a block, and what a lookup copies (docs/trace.md, What drafts)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch

from ...config import DecodeConfig
from ...drafters import DRAFTERS, NO_PASS, ONE_PASS
from ...trace.header import Header, Kind
from .cases import Path as Ids
from .cases import widths
from .checkpoint import AuditError, Checkpoint, audit_errors, checkpoint, error_line, folder_of, head_config, tensors
from .heads import eagle3, mtp

PICK_LOGIT = 1e-6  # by which the token that a random drafter picked is the largest of equals
UNSEEN_COUNT = 1e-4  # what a follower counts that the bigram table lacks
LONGEST_MATCH = 4  # tokens that a lookup compares
MATCH_LIMIT = 1000  # earlier places whose continuations it joins in a tree
FAMILIES: dict[str, Kind] = {one.family: cast(Kind, one.kind) for one in DRAFTERS.values() if one.family}

Blocks = list[tuple[list[int], list[int]]]  # texts, and what was drafted after each
Rows = Callable[[Blocks], list[torch.Tensor]]


@dataclass(frozen=True, slots=True)
class Draft:
    """`logits`: of blocks the rows [k, V] that they were drawn by; None for what is certain of itself. `room`: positions that its cache
    can hold, None where the target's is the limit. `features`: it reads those of the target."""

    kind: Kind
    logits: Rows | None
    room: int | None = None
    folder: Path | None = None
    features: bool = False
    model: Checkpoint | None = None  # where that is one of its own

    @property
    def one_pass(self) -> bool:
        return self.kind in ONE_PASS

    def passes(self, levels: int) -> int:
        """For a block in which so many tokens follow each other."""
        return 0 if self.kind in NO_PASS else min(levels, 1) if self.one_pass else levels

    def prefill(self, n: int) -> int | None:
        """Positions in its cache once a prompt of n tokens was taken in, all but its last token."""
        if self.kind in ("model", "oracle"):
            return n - 1 if self.room is None or n - 1 <= self.room else 0
        return max(0, n - 2) if self.features else None


def kind_of(header: Header) -> Kind:
    """As the trace says; of an older trace as its drafter's description tells."""
    assert header.draft
    if header.drafter:
        return header.drafter
    if header.draft.family in FAMILIES:
        return FAMILIES[header.draft.family]
    if header.draft == header.target:
        return "oracle"
    return "model" if header.draft.parameters else "early-exit"


def draft_of(header: Header, place: str | None, target: Checkpoint) -> Draft:
    """`place`: where a user says that its weights are, a name, folder or hub id, also behind a colon."""
    kind, stated = kind_of(header), header.draft
    assert stated
    V, largest = target.vocabulary, header.config.greedy or header.config.drafting == "argmax"
    match kind:
        case "oracle":
            return Draft(kind, rows_of(target, V))
        case "early-exit":
            return Draft(kind, rows_of(target, V, stated.layers))
        case "lookup":
            return Draft(kind, None)
        case "random":
            return Draft(kind, lambda blocks: [_random_rows(text, block, V, largest) for text, block in blocks])
    place = place and place.removeprefix(f"{kind}:")
    if kind == "model":
        model = checkpoint(stated.name, place)
        limit = stated.context or getattr(model.config, "max_position_embeddings", None)
        return Draft(kind, rows_of(model, V), limit, model.folder, model=model)
    if kind not in ("bigram", "mtp", "eagle", "block"):
        raise AuditError(f"specviz audit cannot redo the drafter {kind}")
    folder = folder_of(stated.name, place)
    if kind == "bigram":
        table = tensors(folder)
        if not {"next", "count"} <= table.keys():
            raise AuditError(f"{place or stated.name} has no bigram table: it must have `next` and `count`")
        return Draft(kind, lambda blocks: [_bigram_rows(text, block, table, V) for text, block in blocks], folder=folder)
    if kind == "mtp":
        rows = mtp(target, tensors(folder))
    else:
        with audit_errors(file := folder / "config.json"):
            own = head_config(folder) if file.is_file() else None
        rows = eagle3(target, tensors(folder), own)
    return Draft(kind, lambda blocks: _feature_rows(blocks, target, rows), folder=folder, features=True)


def rows_of(model: Checkpoint, V: int, layers: int | None = None) -> Rows:
    """A model after the text and each drafted token but the last. Over its own vocabulary cut or padded to the target's; an id that
    it lacks is fed to it as 0."""

    def logits(blocks: Blocks) -> list[torch.Tensor]:
        texts = [[id if id < model.vocabulary else 0 for id in [*text, *block[:-1]]] for text, block in blocks]
        logits = model.logits_after(texts, [len(block) for _, block in blocks], layers)
        return [torch.nn.functional.pad(rows, (0, V - rows.shape[-1]), value=float("-inf")) for rows in logits]

    return logits


@torch.inference_mode()
def _feature_rows(blocks: Blocks, target: Checkpoint, rows) -> list[torch.Tensor]:
    """Features of a text are those of every text that it begins: one pass over the longest gives all."""
    longest = max((text for text, _ in blocks), key=len, default=[])
    states = target.states(longest) if longest else []
    try:
        return [torch.stack(rows(states, text, block)) for text, block in blocks]
    except (RuntimeError, LookupError, TypeError, AttributeError) as error:  # of other shapes, or by what a config lacks
        raise AuditError(f"these weights and their config do not fit the target ({error_line(error)})") from None


def _bigram_rows(text: list[int], block: list[int], table: dict[str, torch.Tensor], V: int) -> torch.Tensor:
    """Logarithms of how often each token followed."""
    counts = torch.full((len(block), V), UNSEEN_COUNT)
    for row, last in zip(counts, [text[-1], *block], strict=False):
        row.scatter_add_(0, table["next"][last].long(), table["count"][last])
    return counts.log()


def _random_rows(text: list[int], block: list[int], V: int, largest: bool) -> torch.Tensor:
    """All alike; where the largest is drafted, the tokens that a generator picks that is seeded with the text's length."""
    rows = torch.zeros(len(block), V)
    if largest:
        picked = torch.randint(V, (len(block), 1), generator=torch.Generator().manual_seed(len(text)))
        rows.scatter_(1, picked, PICK_LOGIT)
    return rows


def lookup_paths(text: list[int], config: DecodeConfig, depth: int) -> list[Ids]:
    """What followed the last tokens where they stood before, as far as `depth`, going on where the text ends. In a chain: after the longest
    match, of equals the latest. In a tree: after each, until a node has as many children as it may have, or until a dynamic tree is full."""
    children: dict[Ids, int] = {(): 0}  # how many children each node has
    for at in _match_ends(text):
        continuation, path = list(text), ()
        for i in range(depth):
            continuation.append(continuation[at + i])
            path, parent = (*path, continuation[-1]), path
            if path in children:
                continue
            full = (
                len(children) > config.nodes
                if config.tree == "dynamic"
                else config.branches and children[parent] >= widths(config)[i]
            )
            if full:
                break
            children[parent] += 1
            children[path] = 0
        if not config.branches:
            break
    return [path for path in children if path]


def _match_ends(text: list[int]) -> Iterator[int]:
    """Where the last tokens stood before, the longest match first, of equals the latest."""
    matches = 0
    for n in range(min(LONGEST_MATCH, len(text)), 0, -1):
        for end in range(len(text) - 1, n - 1, -1):
            if text[end - n : end] == text[-n:]:
                matches += 1
                if matches > MATCH_LIMIT:
                    return
                yield end
