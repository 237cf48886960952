"""What a chapter of Learn is made of, and the sources that chapters name. The chapters themselves: lessons.py."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """Predict, then reveal. `right` counts from 0."""

    ask: str
    choices: tuple[str, ...]
    right: int
    why: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """Say a number, then measure it: the cost of a pass over `tokens` in passes over one. `why`: what is said beside both numbers."""

    ask: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One idea, one screen. `settings`: what "Try it in Watch" sets there, by the names of specviz/page/keep/links.py.
    What a class does with it stands in exercises.py."""

    key: str  # of its picture, in excerpts.py and assets/learn
    short: str
    title: str
    text: tuple[str, ...]
    question: Question | Estimate
    go: str
    settings: dict[str, str]
    notes: tuple[str, ...]
    sources: tuple[str, ...]


SOURCES = {
    "leviathan": "Leviathan, Kalman, Matias 2022, arXiv 2211.17192",
    "chen": "Chen et al. 2023, arXiv 2302.01318",
    "medusa": "Medusa, Cai et al. 2024",
    "eagle": "EAGLE, EAGLE-2, EAGLE-3, Li et al. 2024–2025",
    "layerskip": "LayerSkip, Elhoushi et al. 2024",
    "deepseek": "DeepSeek-V3 report, 2024",
    "lookup": "Prompt lookup decoding, Saxena 2023",
    "specbench": "Spec-Bench, Xia et al. 2024",
    "vllm": "vLLM project, 2024",
    "llama": "Llama 3.1 configurations, Meta 2024",
    "h100": "NVIDIA H100 SXM data sheet",
    "sun": "Block verification, Sun et al. 2024, arXiv 2403.10444",
    "engines": "vLLM 0.32.0 as run on 2026-11-21, other engines as read in November 2026",
    "toy": "a made-up language, worked out in this page",
    "here": "recorded with {target} and {draft} on {device}",
    "alone": "recorded with {target} on {device}",
}
