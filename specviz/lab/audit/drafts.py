"""How each drafter works, worked out a second time: its logits, what its cache holds, what it costs, what limits a block.

Rules (docs/trace.md), n being the length of the text before a round, k what was drafted, m the length after. Of all at once k in the cache
is what was asked for, since a block ends after its pass:

    drafter         cache: prefill   at its fullest          after              passes
    model, oracle   n − 1            n + k − 1               min(peak, m − 1)   k
    features, fused n − 2            n + k − 2               min(peak, n − 1)   k, or 1 of all at once
    features, mtp   n − 2            n − 1 (its first lane)  min(peak, n − 1)   k
    early-exit      none of its own                                             k
    lookup, bigram, random           none                                       0
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch

from ...drafters import AT_ONCE, DRAFTERS
from ...trace.header import Header, Kind
from .cases import Case
from .checkpoint import AuditError, Checkpoint, checkpoint, config_of, folder_of, one_line, place_of, readable, tensors
from .heads import fused, mtp

TIE = 1e-6  # by which the token that a random drafter picked is the largest of equals
UNSEEN = 1e-4  # what a follower counts that the bigram table lacks
LONGEST = 4  # tokens that a lookup compares
FAMILIES: dict[str, Kind] = {one.family: cast(Kind, one.kind) for one in DRAFTERS.values() if one.family and one.kind}


@dataclass(frozen=True, slots=True)
class Draft:
    """`logits`: of cases the rows [k, V] that their blocks were drawn by; None for what is certain of itself. `room`: positions that
    its cache can hold, None where the target's is the limit. `features`: it reads those of the target."""

    kind: Kind
    logits: Callable[[list[Case]], list[torch.Tensor]] | None
    room: int | None = None
    folder: Path | None = None
    features: bool = False
    model: Checkpoint | None = None  # where that is one of its own

    @property
    def at_once(self) -> bool:
        return self.kind in AT_ONCE

    def passes(self, k: int) -> int:
        """For a block of k tokens, or a tree of k levels."""
        return 0 if self.kind in ("lookup", "bigram", "random") else min(k, 1) if self.at_once else k

    def prefill(self, n: int) -> int | None:
        """Positions in its cache once a prompt of n tokens was taken in, all but its last token."""
        if self.kind in ("model", "oracle"):
            return n - 1 if self.room is None or n - 1 <= self.room else 0
        return max(0, n - 2) if self.features else None

    def cache(self, before: int, n: int, k: int, m: int, asked: int | None) -> tuple[int, int]:
        """At its fullest in a round, and after it."""
        model = self.kind in ("model", "oracle")
        k = asked if k and asked and self.at_once else k
        peak = n - 1 + (0 if self.kind == "mtp" else k if model else k - 1) if k else before
        return peak, min(peak, (m if model else n) - 1)


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


def draft_of(header: Header, named: str | None, target: Checkpoint) -> Draft:
    """`named`: where its weights are, a name, folder or hub id, also behind a colon; as the trace calls it if None."""
    kind, said = kind_of(header), header.draft
    assert said
    V = target.vocabulary

    def place() -> str:
        return place_of(named and named.removeprefix(f"{kind}:"), said.name)

    match kind:
        case "oracle":
            return Draft(kind, rows_of(target, V))
        case "model":
            model = checkpoint(place())
            limit = said.context or getattr(model.config, "max_position_embeddings", None)
            return Draft(kind, rows_of(model, V), limit, model.folder, model=model)
        case "early-exit":
            return Draft(kind, rows_of(target, V, said.layers))
        case "lookup":
            return Draft(kind, None)
        case "random":
            return Draft(
                kind, lambda some: [_any(case, V, header.config.greedy or header.config.drafting == "argmax") for case in some]
            )
        case "bigram":
            table = tensors(folder := folder_of(place()))
            if not {"next", "count"} <= table.keys():
                raise AuditError(f"{folder.name} has no bigram table: it must have `next` and `count`")
            return Draft(kind, lambda some: [_followers(case, table, V) for case in some], folder=folder)
    folder = folder_of(place())
    if kind == "mtp":
        rows = mtp(target, tensors(folder))
    else:
        with readable(file := folder / "config.json"):
            own = config_of(folder) if file.is_file() else None
        rows = fused(target, tensors(folder), own)
    return Draft(kind, lambda some: _from_features(some, target, rows), folder=folder, features=True)


def rows_of(model: Checkpoint, V: int, layers: int | None = None):
    """A model after the text and each drafted token but the last. Over its own vocabulary cut or padded to the target's; an id that
    it lacks is fed to it as 0."""

    def logits(some: list[Case]) -> list[torch.Tensor]:
        texts = [[id if id < model.vocabulary else 0 for id in [*case.text, *case.block[:-1]]] for case in some]
        found = model.after(texts, [len(case.block) for case in some], layers)
        return [torch.nn.functional.pad(rows, (0, V - rows.shape[-1]), value=float("-inf")) for rows in found]

    return logits


@torch.inference_mode()
def _from_features(some: list[Case], target: Checkpoint, rows) -> list[torch.Tensor]:
    """Features of a text are those of every text that it begins: one pass over the longest gives all."""
    longest = max((case.text for case in some), key=len, default=[])
    states = target.states(longest) if longest else []
    try:
        return [torch.stack(rows(states, case.text, case.block)) for case in some]
    except (RuntimeError, LookupError, TypeError, AttributeError) as error:  # of other shapes, or by what a config lacks
        raise AuditError(f"these weights and their config do not fit the target ({one_line(error)})") from None


def _followers(case: Case, table: dict[str, torch.Tensor], V: int) -> torch.Tensor:
    """Logarithms of how often each token followed."""
    found = torch.full((len(case.block), V), UNSEEN)
    for row, last in zip(found, [case.text[-1], *case.block], strict=False):
        row.scatter_add_(0, table["next"][last].long(), table["count"][last])
    return found.log()


def _any(case: Case, V: int, picks: bool) -> torch.Tensor:
    """All alike; where the largest is drafted, the tokens that a generator picks that is seeded with the text's length."""
    rows = torch.zeros(len(case.block), V)
    if picks:
        asked = len(case.block) if case.round.asked is None else case.round.asked
        picked = torch.randint(V, (asked, 1), generator=torch.Generator().manual_seed(len(case.text)))
        rows.scatter_(1, picked[: len(rows)], TIE)
    return rows


def copied(text: list[int], k: int) -> list[int]:
    """What followed the last tokens where they stood before: of the longest match the latest, going on where the text ends."""
    for n in range(min(LONGEST, len(text)), 0, -1):
        for end in range(len(text) - 1, n - 1, -1):
            if text[end - n : end] == text[-n:]:
                found = list(text)
                for i in range(end, end + k):
                    found.append(found[i])
                return found[len(text) :]
    return []
