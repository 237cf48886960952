"""What a finished run is, as values: what was asked for, by which models and where it ran, and the events of both lanes.

How it is written to a file: specviz/trace/file.py. Standard library only.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from ..config import DecodeConfig
from ..drafters import KINDS
from .events import OMIT, Divergence, Event

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

    `size`: bytes of the weights, where types of a few bits share scales; 0 where `parameters` and `dtype` say it."""

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
    (`Finished`, specviz/trace/events.py)."""

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
