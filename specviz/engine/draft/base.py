"""What the engine asks of a way to draft: propose a block with its distributions, observe the outcome, say what it cost.

A `Drafter` is shared between runs; what it begins belongs to one run.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeGuard, cast

import torch

from ...trace.events import Fewer
from ...trace.header import ModelInfo
from ..models.base import Sequence
from ..models.llama import LlamaSequence
from ..models.static import StaticStack
from ..sampling import PLAIN, Distribution, Law, draw, filtered

CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class Block:
    """Drafted ids and q [k, V]: row i is the distribution that id i was really drawn from, V the target's vocabulary. Of argmax
    drafting, where what it was drawn from is one-hot, row i is the softmax that it is the largest of.

    When greedy, id i has all of q and `q` is None. `ids` is a tensor [k] where they have not left the device. `fewer`: why they are
    not as many as were asked for."""

    ids: list[int] | torch.Tensor
    q: torch.Tensor | None
    fewer: Fewer | None = None


NOTHING = Block([], None, "start")  # what heads say to a text of one token: there is no feature yet


@dataclass(frozen=True, slots=True)
class Start:
    """What a run gives its drafter: logits become q by `distribution`, q spans the target's `vocabulary`, the text stays
    below `capacity` positions. `target` is the run's sequence, for whoever drafts from the target's own features; `most` is the
    longest block that will be asked for.

    `confidence`: end a block after a token that its drafter gave less than this, before filters; 0 is never.
    `survival`: or once what it gave all of them, multiplied, is less than this. `argmax`: take the largest logit and draw nothing.
    `device`: the target's."""

    distribution: Distribution
    vocabulary: int
    capacity: int
    target: Sequence | None = None
    confidence: float = 0.0
    most: int = 32  # the bound of K
    argmax: bool = False
    survival: float = 0.0
    device: torch.device = CPU

    def picks(self) -> tuple[Callable, Hashable]:
        """How an id [1] and its q [1, V] come of logits [1, V], u [1] and the temperature [1], without which they are the largest and
        None; and what else of the run that depends on. It holds nothing of it: what is recorded outlives runs."""
        vocabulary, argmax, filters = self.vocabulary, self.argmax, getattr(self.distribution, "filters", ())

        def pick(logits, u, degrees):
            logits = fit(logits, vocabulary)
            if u is None:
                return logits.argmax(-1), None
            q = filtered(logits.float() / degrees, *filters)
            return (logits.argmax(-1) if argmax else draw(q, u)), q

        return pick, (vocabulary, argmax, filters)

    def chance(self, u: torch.Tensor | None) -> tuple[torch.Tensor, ...]:
        """What goes into a recording that draws: u [k] and the temperature [1]; nothing where nothing is drawn."""
        return () if u is None else (u, cast(Law, self.distribution).degrees(u.device))

    @property
    def waits(self) -> str:
        """Why drafting token by token is slow on this device: there each is waited for. Empty on a host, where that costs nothing."""
        if self.device.type == "cpu":
            return ""
        ends = "since a block may end early, " if self.confidence or self.survival else ""
        return f"{ends}every drafted token is waited for"

    def at_once(self, sequence: object, feed: list[int], k: int, u: torch.Tensor | None, until: int | None = None):
        """k tokens after `feed` by passes of `sequence` that nothing comes between: ids and q, as of a Block. None where each token has
        to be drawn by itself: where a block may end early, or passes are neither replayed nor compiled. `until`: as of
        LlamaSequence.append."""
        if not isinstance(sequence, LlamaSequence):
            return None
        if self.stays(sequence.stack):
            return sequence.chain(feed, k, *self.picks(), self.chance(u), until)
        return sequence.draft(feed, k, *self.plainly, u, until) if self.plainly else None

    @property
    def plainly(self) -> tuple[int, bool, float] | None:
        """What a block that is drafted in one compiled call asks of the run: vocabulary, argmax, temperature. None where it may end early, or where
        something is filtered."""
        if self.confidence or self.survival or getattr(self.distribution, "filters", PLAIN) != PLAIN:
            return None
        return self.vocabulary, self.argmax, getattr(self.distribution, "temperature", 1.0)

    def stays(self, stack: object) -> TypeGuard[StaticStack]:
        """Whether a block drafted over `stack` need not leave the device: passes are replayed from graphs there, and nothing on the
        host depends on what was drawn, as where a block may end early."""
        return not (self.confidence or self.survival) and isinstance(stack, StaticStack)


class Drafting(Protocol):
    """One run of a drafter."""

    @property
    def length(self) -> int | None:
        """Positions held by its cache; None if it keeps none of its own."""
        ...

    @property
    def forwards(self) -> int:
        """Forward passes since the prefill: its cost in passes. Tables and lookups make none."""
        ...

    @property
    def eager(self) -> str:
        """Why its own passes are slower than they should be on this device (models/static.py); empty if they are not."""
        ...

    def prefill(self, tokens: list[int]) -> None:
        """Take in the prompt without its last token; the target has done so just before."""
        ...

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        """Draft up to k tokens to follow `tokens` (all of the text so far), token i drawn with uniform u[i]; u is None when greedy.
        Argmax drafting leaves u unused, so that the same seed decides the same way about either way to draft."""
        ...

    def observe(self, tokens: list[int]) -> None:
        """The round is over and the text is now `tokens`: forget what was not kept."""
        ...


class Drafter(Protocol):
    info: ModelInfo

    def begin(self, start: Start) -> Drafting:
        """Start a run."""
        ...


class Growing:
    """A block while it is drafted one token at a time, up to k.

    Stopping, by confidence or by survival, is decided by tokens that are already in the block, the improbable one too: it stays. To
    drop it would be to draw from another q than the one that is tested, and bias the output."""

    def __init__(self, start: Start, k: int, u: torch.Tensor | None):
        self.start, self.k, self.u = start, k, u
        self.ids: list[int] = []
        self.rows: list[torch.Tensor] = []
        self.survives = 1.0  # the chance that all of it is kept, as the drafter sees it
        self.ended: Fewer | None = None

    @property
    def open(self) -> bool:
        return len(self.ids) < self.k and not self.ended

    def draw(self, logits: torch.Tensor) -> int:
        """Add a token by logits [1, V]; return its id."""
        i = len(self.ids)
        logits = fit(logits, self.start.vocabulary)
        if self.u is None:
            drawn = logits.argmax(-1)
        else:
            self.rows.append(q := self.start.distribution(logits))
            drawn = logits.argmax(-1) if self.start.argmax else draw(q, self.u[i : i + 1])
        id = int(drawn)
        self.ids.append(id)
        if self.start.confidence or self.start.survival:
            chance = float(logits[0].float().softmax(-1)[id])
            self.survives *= chance
            if chance < self.start.confidence:
                self.ended = "confidence"
            elif self.survives < self.start.survival:
                self.ended = "survival"
        return id

    def block(self) -> Block:
        return Block(self.ids, torch.cat(self.rows) if self.rows else None, self.ended if len(self.ids) < self.k else None)


def fit(logits: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """Cut or pad [n, V] to the target's vocabulary: ids past either end are padding that no tokenizer writes.

    It happens before q is formed, so q is still what tokens are drawn from."""
    missing = vocabulary - logits.shape[-1]
    if missing == 0:
        return logits
    if missing > 0:
        return torch.nn.functional.pad(logits, (0, missing), value=float("-inf"))
    return logits[:, :vocabulary]


class Stateless:
    """What a drafting without a cache or passes of its own has in common."""

    length = None
    forwards = 0
    eager = ""  # for whoever copies; where each token is drawn, `start.waits`

    def __init__(self, start: Start):
        self.start = start

    def prefill(self, tokens: list[int]) -> None:
        pass

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        return NOTHING

    def observe(self, tokens: list[int]) -> None:
        pass


def table(name: str, family: str, vocabulary: int, parameters: int = 0) -> ModelInfo:
    """What a screen says of a drafter that is no neural model."""
    return ModelInfo(name, family, 0, 0, vocabulary, parameters, "none", "none")
