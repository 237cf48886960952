"""What a finished run is, as values: what was asked for, by which models and where it ran, and the events of both lanes.

How it is written to a file: specviz/trace/file.py. Standard library only.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from ..config import DecodeConfig
from .events import Divergence, Event

Lane = Literal["vanilla", "speculative"]
LANES: tuple[Lane, ...] = get_args(Lane)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a screen says of a model. `forward`: which forward pass ran it, our `own`, `transformers`' or `none`, as in a table.

    `why`: where that is transformers', why it is not our own. A drafter that borrows the target's weights has no `parameters` of
    its own. A model from a folder is called what the folder is called; where that lies is in no trace."""

    name: str
    family: str
    layers: int
    width: int
    vocabulary: int
    parameters: int
    dtype: str
    forward: Literal["own", "transformers", "none"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the run was measured."""

    device: str
    threads: int
    python: str
    torch: str
    transformers: str


@dataclass(frozen=True, slots=True)
class Header:
    """What was asked for and where it ran. `created`: ISO 8601 date and time in UTC; `draft`: None if nothing drafted;
    `divergence`: only of greedy lanes that part."""

    prompt: str
    config: DecodeConfig
    target: ModelInfo
    draft: ModelInfo | None
    machine: Machine
    created: str
    divergence: Divergence | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """Both lanes of one prompt: each one `Prefill`, `Round`s, one `Finished`, or empty if it was stopped before it began."""

    header: Header
    vanilla: tuple[Event, ...]
    speculative: tuple[Event, ...]
