"""A run as plain values: its `Header`, and of each lane one `Prefill`, then `Round`s, then one `Finished`. Standard library only.

Rules
- A round holds what an observer needs to redo its decision by hand: every drafted token with q(x), p(x) and the
  uniform u; the distributions at each examined position; the residual on a rejection; what was emitted and why.
- p (target) and q (draft) are the distributions that tokens are really drawn from: after temperature, top-k, top-p.
- Vanilla decoding says the same with nothing drafted: one round, one `plain` token.
- Ids never come without their text. Times are milliseconds, entropies are nats, lengths are positions (tokens).
- `None` means: does not exist here (no q under the bonus token, no u when greedy), was not observed, or is nothing that the engine
  tells. Ours leaves nothing out; what another may is listed in specviz/trace/grammar.py.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, dataclass_transform, get_args

from ..config import SETTINGS, DecodeConfig
from ..drafters import KINDS

Verdict = Literal["accepted", "rejected", "unexamined"]
Role = Literal["accepted", "corrected", "bonus", "plain"]
ShortBlockReason = Literal["length", "adaptive", "confidence", "survival", "context", "lookup", "start", "prefill", "filter"]
Why = Literal["trial", "most", "none", "probe"]
REASONS = ("eos", "context", "cancelled", "error", *(one.key for one in SETTINGS.values() if one.ends))
if TYPE_CHECKING:
    Reason = str
else:
    Reason = Literal[REASONS]  # the reader of files refuses any other
OMIT = {"omit": True}  # a line leaves the field out at its default
T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(kind: type[T]) -> type[T]:
    """A dataclass that is frozen for the type checker, not while it runs: to make one then takes half the time, and an observed round makes
    a hundred."""
    return dataclass(slots=True, unsafe_hash=True)(kind)


class Lazy:
    """A value that is worked out when somebody first asks for one of its fields: of a run that nobody looks at nothing is."""

    __slots__ = ("_source",)
    _source: tuple[Callable[[], list], list, int] | None

    @classmethod
    def later(cls, read: Callable[[], list], values: list, place: int):
        """read()[place], whose fields this one will have. `values`: of all that are read together, empty until one of them is."""
        self = cls.__new__(cls)
        self._source = read, values, place
        return self

    def __getattr__(self, name: str):
        fields: tuple[str, ...] = self.__match_args__
        if name not in fields:
            raise AttributeError(name)
        if source := self._source:  # else another thread was faster
            read, values, place = source
            if not values:
                values[:] = read()
            value = values[place]
            for field in fields:
                setattr(self, field, getattr(value, field))
            self._source = None
        return object.__getattribute__(self, name)


@value
class Token:
    """A token id and how to show it alone. `partial`: its bytes are not whole characters; `text` then names the bytes, as ⟨E2 80⟩."""

    id: int
    text: str
    partial: bool = False


SOFTMAX_TOP = 5  # entries of p and of q that a position keeps before temperature
TOP = 8  # entries of p and of q that a position keeps, beside the token in question; their union has up to twice as many


@value
class Entry:
    """One token of the vocabulary under p and q at one position. `q` is None where nothing was drafted."""

    token: Token
    p: float
    q: float | None


@value
class Own:
    """The draft's own softmax s at a position where its argmax was drafted, so that q is one-hot: s of each of the position's
    entries in their order, the mass left out, Σ min(p, s), and its entropy."""

    entries: tuple[float, ...]
    rest: float
    beta: float
    entropy: float


@value
class Softmax:
    """Of target and draft at one position the softmax of the logits, before temperature and filters: the largest entries of both, the
    token in question, and the mass left out. Every q is None where nothing was drafted, or lookup copied it."""

    entries: tuple[Entry, ...]
    p_rest: float
    q_rest: float | None


@value
class Position(Lazy):
    """p and q at one position: the union of their largest entries, the mass left out, and what sums them up.

    `beta` = Σ min(p, q) over the whole vocabulary, the chance that a token drawn from q is accepted here by rejection.
    What other rules would have given, s being the draft's own softmax (q, or where its argmax was drafted what `own` sums up):
    `product` = Σ p·s of drawing and matching, `best` = p(argmax s) of drafting by argmax; and of drawing and rejecting `own.beta`
    where there is an `own`, else `beta`. None in a trace that was written before these were.

    `logits_entropy`: of the softmax of the target's logits, before temperature and filters. At temperature 0, where p is one-hot,
    it says how sure the target was; None above that, and where logits lie on a device. `softmax`: what p and q were before temperature 0
    made them one-hot; None above that, and where the passes were not made again (engine/race.py).
    """

    entries: tuple[Entry, ...]
    p_rest: float
    q_rest: float | None
    beta: float | None
    p_entropy: float
    q_entropy: float | None
    product: float | None = None
    best: float | None = None
    own: Own | None = None
    logits_entropy: float | None = field(default=None, metadata=OMIT)
    softmax: Softmax | None = field(default=None, metadata=OMIT)


@value
class Drafted:
    """One token of the draft block. The block is examined from left to right up to the first rejection;
    p(x) exists for all of it, since one pass verifies the whole block. `u` is None when greedy, under a rule that
    draws none for a drafted token, or unexamined.

    Block verification examines all of a block and keeps the longest beginning that some u < `chance` allows. Its verdicts say what
    became of that: rejected is the first token not kept. Every token has its u there, its `joint` ratio
    min(1, p_1(x)/q_1(x) · …) and the `chance` to keep the block up to it where no more is kept. None under any other rule.

    Of a tree, and left out of a chain: `parent`, the drafted token of the round that it follows, −1 for the text; `depth`, how far it
    reaches past the text, from 1; `rank`, its place among its siblings, from 0, in the order in which they are tested. There p and q of a
    tested token are those of its test: what the siblings before it left of p, and q without them. Of an unexamined token p is the
    target's own.

    `void`: the run's grammar forbids it after the tokens before it, so p is 0 and no u keeps it. After a void token there is no
    mask: p is the target's own."""

    token: Token
    q: float | None
    p: float | None
    ratio: float | None
    u: float | None
    verdict: Verdict
    position: Position | None = None
    joint: float | None = None
    chance: float | None = None
    parent: int | None = field(default=None, metadata=OMIT)
    depth: int | None = field(default=None, metadata=OMIT)
    rank: int | None = field(default=None, metadata=OMIT)
    void: bool = field(default=False, metadata=OMIT)


@value
class ResidualEntry:
    token: Token
    probability: float


@value
class Residual(Lazy):
    """norm(max(p − q, 0)) at the rejected position: its largest entries, the mass left out,
    and `mass` = Σ max(p − q, 0) = 1 − β before normalising. Under block verification p is scaled by the joint ratio before."""

    entries: tuple[ResidualEntry, ...]
    rest: float
    mass: float


@value
class Emitted:
    """One token added to the text. `piece` is what it adds to the lane's text ('' while a character is incomplete).

    `u` is the uniform that drew it by inverse transform; None when greedy, and for an accepted token but under `match`, where the
    target drew that too. `position` is what a `bonus` or `plain` token was drawn from. `forced`: it is the only token that the run's
    grammar allows there.
    """

    token: Token
    role: Role
    piece: str
    u: float | None = None
    position: Position | None = None
    forced: bool = field(default=False, metadata=OMIT)


@value
class Cache:
    """Positions held by one cache: before the round, at its fullest, and after what was not accepted was rolled back.

    `replayed`: of those, how many were fed again because a state cannot be cut. `window`: of those after the round, how many a layer with a
    window still looks at; None where every layer looks at all of them."""

    before: int
    peak: int
    after: int
    replayed: int = field(default=0, metadata=OMIT)
    window: int | None = field(default=None, metadata=OMIT)


@value
class Times:
    """Milliseconds of one round, the device synchronised at each mark. `observe` is outside the timed part. What another engine does
    not tell apart is None, and in `rest`. `replay`: of the timed part, what it took to copy states that cannot be cut, and to feed tokens
    again after them."""

    draft: float | None
    verify: float | None
    decide: float | None
    rest: float
    observe: float
    replay: float = field(default=0.0, metadata=OMIT)

    @property
    def timed(self) -> float:
        return (self.draft or 0.0) + (self.verify or 0.0) + (self.decide or 0.0) + self.rest


@value
class Prefill:
    """The prompt is in the caches, all but its last token, which the first round feeds."""

    prompt: tuple[Token, ...]
    target_positions: int | None
    draft_positions: int | None
    target_ms: float | None
    draft_ms: float | None


@value
class Choice:
    """What adaptive K chose, and by what: α, c and v(K) of the run so far and the `speedup` that they promise, all None in a `trial`.

    `why`: a `trial` of both ends; the K that promises `most`; `none` where no K promises more than not to draft; a `probe` of one
    token after some rounds of that, since what is not drafted teaches nothing."""

    K: int
    why: Why
    alpha: float | None = None
    c: float | None = None
    v: float | None = None
    speedup: float | None = None


@value
class Round:
    """Draft, verify, decide, emit. `draft_cache` is None where the drafter keeps none; forwards count from the first round.

    `asked`: how many tokens the drafter was asked for, 0 to K, or to the most that the run's tree holds; unless greedy, 2·asked + 1
    uniforms were drawn for the round: `asked` to draft with, and of the rest the last len(drafted) + 1 to decide with. None in
    older traces.
    `fewer`: why fewer were drafted than K, or than the tree holds. The run's `length` or the target's context leaves no room for
    more; `adaptive` K asked for less; the draft's `confidence` ended the block, or the chance that all of it would be kept
    (`survival`), or its own `context` is full; `lookup` found nothing to copy, or fewer continuations than the tree has room for;
    a `filter` left fewer tokens than a tree has children; at the `start` of a text heads have no feature to draft from; the
    `prefill` of another engine wrote the first token, in a pass that belongs to the prompt.
    `choice`: what adaptive K chose before the round, None where K is fixed."""

    index: int
    drafted: tuple[Drafted, ...]
    emitted: tuple[Emitted, ...]
    residual: Residual | None
    target_cache: Cache | None
    draft_cache: Cache | None
    target_forwards: int
    draft_forwards: int | None
    times: Times
    asked: int | None = None
    fewer: ShortBlockReason | None = None
    choice: Choice | None = None


@value
class Finished:
    """Why the run stopped, and its totals. `detail` names the stop string, the limit or the error.

    `tested` counts draft tokens up to and including a round's first rejection; `decode_ms` is the timed part of
    all rounds, prefill and observation apart. On a GPU passes are replayed from CUDA graphs: `capture_ms` went into recording
    them, apart from all other times, and `eager` says why one could not be recorded, or why the kernels for this device could
    not be used, so that passes ran slower. Of `decode_ms` the thread that decodes had a processor for `processor_ms`, and a GPU
    was at the run for `device_ms`; None: not recorded, or no GPU.
    """

    reason: Reason
    detail: str
    text: str
    tokens: int
    rounds: int
    drafted: int
    tested: int
    accepted: int
    target_forwards: int
    draft_forwards: int | None
    prefill_ms: float | None
    decode_ms: float
    observe_ms: float
    capture_ms: float = 0.0
    eager: str = ""
    processor_ms: float | None = None
    device_ms: float | None = None


@value
class Logits:
    """Of the vanilla lane's token and of the speculative lane's, in one row of one pass."""

    vanilla: float
    speculative: float


@value
class Divergence:
    """The first token, `at` of those written, in which two greedy lanes differ, and the logits of both by a pass over one
    token and by a pass over the round's block."""

    at: int
    vanilla: Token
    speculative: Token
    alone: Logits
    block: Logits


Event = Prefill | Round | Finished


def rounds_of(events: Iterable[Event]) -> list[Round]:
    return [event for event in events if isinstance(event, Round)]


def written_ids(events: Iterable[Event]) -> list[int]:
    """Ids of the tokens that a lane wrote."""
    return [e.token.id for r in rounds_of(events) for e in r.emitted]


def decoding(events: Iterable[Event]) -> list[Round]:
    """The rounds that were decoded, each by a pass of its own: all, but for one that another engine's prefill wrote."""
    return [r for r in rounds_of(events) if r.fewer != "prefill"]


def totals(rounds: Sequence[Round]) -> dict[str, Any]:
    """What a `Finished` sums up over the rounds of its lane, by its fields."""
    verdicts = [d.verdict for r in rounds for d in r.drafted]
    return {
        "text": "".join(e.piece for r in rounds for e in r.emitted),
        "tokens": sum(len(r.emitted) for r in rounds),
        "rounds": len(rounds),
        "drafted": len(verdicts),
        "tested": len(verdicts) - verdicts.count("unexamined"),
        "accepted": verdicts.count("accepted"),
        "decode_ms": sum(r.times.timed for r in rounds),
        "observe_ms": sum(r.times.observe for r in rounds),
    }


Lane = Literal["vanilla", "speculative"]
LANES: tuple[Lane, ...] = get_args(Lane)
OURS = "specviz"  # the engine of a trace that names none
if TYPE_CHECKING:
    Kind = str
else:
    Kind = Literal[KINDS]  # what drafted; the reader of files refuses any other


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One of the files that weights were read from, as `sha256sum` gives it; None where it is too large to be read only for that."""

    name: str
    sha256: str | None


Q8_ACTIVATIONS = "q8 activations"
Q8_UNFUSED = f"{Q8_ACTIVATIONS}, unfused"  # attention rounds a product before it joins a sum


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a screen says of a model. `forward`: which forward pass ran it, our `own`, `transformers`', another engine's (`other`) or
    `none`, as in a table.

    `dtype`: of the weights as they are read, which is what a pass costs; a CPU sums in float32 whatever it is.

    `why`: where that is transformers', why it is not our own; of our own on a CPU, why it is not compiled. A drafter that borrows the
    target's weights has no `parameters` of its own. A model from a folder is called what the folder is called; where that lies is in no
    trace.

    `context`: positions that it can hold, None where nothing limits it or an older trace does not say; `weights`: the files that it was
    read from, which are the target's for a drafter that borrows those, and none for a rule.

    `note`: what else is to be known of it, beside the other model.

    `window`: positions that an attention layer of it looks back to at most, the smallest such number; None where all look at the whole
    text. `state_layers`: layers that keep a state in place of positions (recurrent, convolutional): it cannot be cut, so what is kept of a
    block is fed again.

    `size`: bytes of the weights, where types of a few bits share scales; 0 where `parameters` and `dtype` say it.

    `arithmetic`: of products with its weights, where that is not float32: Q8_ACTIVATIONS, every 32 numbers that meet weights in blocks
    become whole numbers from −127 to 127 with a scale first (engine/compiled/blocks.py), or Q8_UNFUSED."""

    name: str
    family: str
    layers: int
    width: int
    vocabulary: int
    parameters: int
    dtype: str
    forward: Literal["own", "transformers", "none", "other"]
    why: str = ""
    context: int | None = None
    weights: tuple[WeightFile, ...] = ()
    note: str = field(default="", metadata=OMIT)
    window: int | None = field(default=None, metadata=OMIT)
    state_layers: int = field(default=0, metadata=OMIT)
    size: int = field(default=0, metadata=OMIT)
    arithmetic: str = field(default="", metadata=OMIT)


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the run was measured. `note`: what is to be known of that device, such as why a GPU was not used; older traces say nothing."""

    device: str
    threads: int
    python: str
    torch: str
    transformers: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class LaneTime:
    """What decoding took in one lane of a repeated run, and for how much of it the thread that decodes had a processor
    (`Finished`)."""

    decode_ms: float
    processor_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """Both lanes, one after the other, timed once."""

    vanilla: LaneTime
    speculative: LaneTime


@dataclass(frozen=True, slots=True)
class Header:
    """What was asked for and where it ran. `created`: ISO 8601 date and time in UTC; `draft`: None if nothing drafted;
    `divergence`: only of greedy lanes that part. `drafter`: how it drafts; `eos`: every id that ends a text; `chat`: whether the prompt
    went through the target's chat template. Older traces say none of the three. `repeats`: where both lanes ran several times with the
    same uniforms, and so the same tokens, all of these in their order, the one whose events the trace holds among them: that of the
    middle speedup. `engine`: who decoded, and its `engine_version` where that is not specviz; what another engine left out is None
    (specviz/trace/grammar.py). `exact`: whether the text is distributed as the target alone writes it; False where K is above 0 and the
    rule is not exact. None in a trace that was written before this field. `departures`: what another engine did that the settings do not
    say, each in a few words: what else p was drawn from, and why `exact` is False under an exact rule. A file names it only where there
    are some."""

    prompt: str
    config: DecodeConfig
    target: ModelInfo
    draft: ModelInfo | None
    machine: Machine
    created: str
    divergence: Divergence | None = None
    drafter: Kind | None = None
    eos: tuple[int, ...] | None = None
    chat: bool | None = None
    repeats: tuple[Repeat, ...] = ()
    engine: str = OURS
    engine_version: str = ""
    exact: bool | None = None
    departures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """Both lanes of one prompt: each one `Prefill`, `Round`s, one `Finished`, or empty if it was stopped before it began."""

    header: Header
    vanilla: tuple[Event, ...]
    speculative: tuple[Event, ...]
