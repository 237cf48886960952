"""What was asked of all sections, and the file in which they keep what they measured."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import torch

from specviz.engine import machine
from specviz.lab import shapes

from ..costs import slug
from ..result import json_line
from .figures import figures

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs/benchmarks"
CONTEXT = 1024  # the figures are of the first target of all shapes, after so many tokens


@dataclass
class Bench:
    """What was asked of all sections; `tiny`: to show that they run, at shapes that say nothing of a device."""

    tiny: bool
    out: Path
    dtype: torch.dtype

    def __post_init__(self):
        self.device, self.about = machine.device(), machine.describe()
        self.shapes = shapes.TINY if self.tiny else shapes.PUBLIC
        self.main = next(iter(self.shapes))
        self.context = 48 if self.tiny else CONTEXT
        self.name = f"{'tiny' if self.tiny else slug(self.about.device)}-{date.today().isoformat()}"
        self.out.mkdir(parents=True, exist_ok=True)
        self.path = self.out / f"{self.name}.json"

    @property
    def gpu(self) -> str | None:
        return self.about.device if self.device.type == "cuda" else None

    def place(self, kind: str) -> Path:
        """Where assets go: their folder, or with everything else where `--out` says."""
        return ROOT / "assets" / kind if self.out == KEPT else self.out

    def keep(self, section: str, key: str, rows) -> None:
        """Add to what was measured on this machine today, here or in the folder of kept results."""
        found = next((p for p in (self.path, KEPT / self.path.name) if p.is_file()), None)
        said = json.loads(found.read_text()) if found else {}
        sections = said.get("sections", {})
        sections.setdefault(section, {})[key] = rows
        said = {
            **figures(sections, self.main, self.context),
            "gpu": self.gpu,
            "tiny": self.tiny,
            "dtype": str(self.dtype).removeprefix("torch."),
            "date": date.today().isoformat(),
            "torch": self.about.torch,
            "transformers": self.about.transformers,
            "sections": sections,
        }
        self.path.write_text(json.dumps(said) + "\n")

    def last_line(self) -> None:
        said = json.loads(self.path.read_text()) if self.path.is_file() else {}
        print(json_line({key: value for key, value in said.items() if key != "sections"}))
