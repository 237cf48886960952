"""What was asked of all sections, what fits on this card and into the time, and the file in which they keep what they measured."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import torch

from specviz.engine import machine

from ..costs import slug
from ..result import print_figures
from . import shapes
from .figures import figures

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs/benchmarks"
CONTEXT = 1024  # the figures are of the first target that fits, after so many tokens
ROOM = 1.5  # GB beside weights: caches, what products work in, the context of CUDA


@dataclass
class Bench:
    """What was asked of all sections; `tiny`: to show that they run, at shapes that say nothing of a device."""

    tiny: bool
    out: Path
    dtype: torch.dtype
    seconds: float | None = None  # for all of it; None is as long as it takes
    clock: Callable[[], float] = time.monotonic
    memory: float | None = None  # GB of the card; None asks it
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.device, self.about = machine.device(), machine.describe_machine()
        self.began, self.until, self.took = self.clock(), self.seconds, {}
        if self.memory is None and self.device.type == "cuda":
            self.memory = torch.cuda.mem_get_info(self.device)[1] / 1e9
        self.shapes = shapes.TINY if self.tiny else self._fitting()
        self.main = next(iter(self.shapes), "")
        self.context = 48 if self.tiny else CONTEXT
        self.name = f"{'tiny' if self.tiny else slug(self.about.device)}-{date.today().isoformat()}"
        self.out.mkdir(parents=True, exist_ok=True)
        self.path = self.out / f"{self.name}.json"

    def _fitting(self) -> dict[str, shapes.ModelShape]:
        """Public shapes whose target fits with the smallest of its drafts; a smaller one where none does."""
        for known in (shapes.PUBLIC, shapes.SMALLER):
            if fitting := {name: one for name, one in known.items() if self.holds(one.target)}:
                return fitting
        return {}

    def holds(self, *configs) -> bool:
        """Whether models of these configs fit on this card together (shapes.gigabytes)."""
        return self.memory is None or shapes.gigabytes(self.dtype, *configs) + ROOM <= self.memory

    def share(self, part: float) -> None:
        """The section that begins has to end when this part of all the time is over."""
        self.until = None if self.seconds is None else part * self.seconds

    @contextmanager
    def step(self, what: str, kind: str, seconds: float = 30.0) -> Iterator[bool]:
        """Whether there is time for another step of a `kind` of steps; it takes `seconds`, or as long as the last of them took. What there
        is no time or no memory for is skipped, and told at the end."""
        began = self.clock()
        if self.until is not None and began - self.began + self.took.get(kind, seconds) > self.until:
            self.skipped.append(f"{what}: no time")
            yield False
            return
        try:
            yield True
            self.took[kind] = self.clock() - began
        except torch.OutOfMemoryError:
            self.skipped.append(f"{what}: no memory")
        if self.skipped and self.skipped[-1] == f"{what}: no memory":  # here nothing holds on to what did not fit
            shapes.peer.cache_clear()
            machine.release_memory()

    @property
    def gpu(self) -> str | None:
        return self.about.device if self.device.type == "cuda" else None

    def place(self, kind: str) -> Path:
        """Where assets go: their folder, or with everything else where `--out` says."""
        return ROOT / "assets" / kind if self.out == RESULTS else self.out

    def keep(self, section: str, key: str, rows) -> None:
        """Add to what was measured on this machine today, here or in the folder of kept results."""
        earlier = next((p for p in (self.path, RESULTS / self.path.name) if p.is_file()), None)
        results = json.loads(earlier.read_text()) if earlier else {}
        sections = results.get("sections", {})
        sections.setdefault(section, {})[key] = rows
        results = {
            **figures(sections, self.main, self.context),
            "target": self.main,
            "skipped": self.skipped,
            "gpu": self.gpu,
            "tiny": self.tiny,
            "dtype": str(self.dtype).removeprefix("torch."),
            "date": date.today().isoformat(),
            "torch": self.about.torch,
            "transformers": self.about.transformers,
            "sections": sections,
        }
        self.path.write_text(json.dumps(results) + "\n")

    def last_line(self) -> None:
        results = json.loads(self.path.read_text()) if self.path.is_file() else {}
        results |= {"skipped": self.skipped, "seconds": round(self.clock() - self.began)}
        print_figures({key: value for key, value in results.items() if key != "sections"})
