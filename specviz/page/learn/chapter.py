"""What a chapter of Learn is made of, and the sources and prompts that chapters name. The chapters themselves: chapters/."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..exercise import Exercise, Question
from ..words import EXAMPLE_NAMES, EXAMPLES
from .excerpts import Runs

STORY = EXAMPLES[0]
COPY = EXAMPLES[EXAMPLE_NAMES.index("Repetition")]  # the prompt of the recorded run “lookup”


@dataclass(frozen=True, slots=True)
class Estimate:
    """Say a number, then measure it: the cost of a pass over `tokens` in passes over one. `why`: what is said beside both numbers."""

    ask: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One idea, one screen. Its picture is assets/learn/KEY/picture.js.

    `place`: chapters stand in the order of these, so 25 lies between 20 and 30. `settings`: what "Try it in Watch" sets there, by the names of
    specviz/page/keep/links.py. `more`: formulas, for who asks for more. `plan`: minutes, and what is done in them with it and the chapters after it that have none. `excerpt`: what the
    picture shows of runs, in JSON's own types; None where no run shows it. `tables`: what it is drawn from beside that. `runs`: recorded runs
    of another pair that it needs too. `words`: what the picture writes."""

    key: str
    place: int
    short: str
    title: str
    text: tuple[str, ...]
    question: Question | Estimate
    go: str
    settings: dict[str, str]
    notes: tuple[str, ...]
    sources: tuple[str, ...]
    exercise: Exercise
    more: tuple[str, ...] = ()
    excerpt: Callable[[Runs], dict | list | None] = lambda _: {}
    tables: Callable[[], dict] | None = None
    plan: tuple[int, str] | None = None
    runs: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)


SOURCES = {
    "leviathan": "Leviathan, Kalman, Matias 2022, arXiv 2211.17192",
    "chen": "Chen et al. 2023, arXiv 2302.01318",
    "medusa": "Medusa, Cai et al. 2024",
    "li": "Li et al. 2024–2025, arXiv 2401.15077, 2406.16858, 2503.01840",
    "layerskip": "LayerSkip 2024",
    "deepseek": "DeepSeek-V3 report, 2024",
    "lookup": "Prompt lookup, Saxena 2023",
    "peagle": "P-EAGLE, arXiv 2602.01469",
    "specbench": "Spec-Bench, Xia et al. 2024",
    "heads_by_k": "vLLM, pull request 48892, comment of 2026-08-03",
    "vllm": "vLLM project, 2024",
    "omlx": "oMLX issue 2077 and pull request 2113, July 2026: GLM-5.2 on an M3 Ultra",
    "mlx": "mlx-lm issue 1132, April 2026: Qwen3.5-397B-A17B on an M4 Ultra",
    "llama": "Llama 3.1 configurations, Meta 2024",
    "h100": "NVIDIA H100 SXM data sheet",
    "sun": "Block verification, Sun et al. 2024, arXiv 2403.10444",
    "willard": "Willard, Louf 2023, arXiv 2307.09702 (grammars)",
    "engines": "each engine's own source and documentation",
    "hybrid": "mlx-lm, pull request 1109; llama.cpp, pull request 28120 (2026)",
    "toy": "a made-up language, calculated in this page",
    "here": "recorded with {target} and {draft} on {device}",
    "alone": "recorded with {target} on {device}",
}
