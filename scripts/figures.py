"""Tables of figures for README.md and docs/, made of the benchmark files: no figure is typed. scripts/made_docs.py writes them.

A ratio is rounded down, a share to the nearest percent.
"""

import json
from math import floor
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"


class Machine(NamedTuple):
    """A benchmark file: of which machine, on how many threads, and of how many of the eight prompts (scripts/prompts.py)."""

    file: str
    name: str
    threads: int
    prompts: int


MACHINES = (
    Machine("2026-11-26-xeon-cpu.json", "Intel Xeon, AMX", 1, 3),
    Machine("2026-11-26-xeon-cpu-2-threads.json", "Intel Xeon, AMX", 2, 3),
    Machine("2026-11-24-zen4-cpu.json", "AMD EPYC, Zen 4", 1, 8),
    Machine("2026-11-24-zen4-cpu-2-threads.json", "AMD EPYC, Zen 4", 2, 8),
)
GPU = "nvidia-h100-80gb-hbm3-2026-11-22.json"
ROWS = (
    ("vanilla_vs_generate", "our vanilla decoding ÷ transformers' `generate()`"),
    ("vanilla_vs_llamacpp", "our vanilla decoding ÷ llama.cpp's, weights in float16"),
    ("speculative_vs_vanilla", "our speculative decoding ÷ our vanilla decoding, temperature 0, best K"),
    ("speculative_vs_vanilla_sampled", "the same at temperature 1"),
    ("speculative_vs_assisted", "our speculative decoding ÷ assisted generation in transformers, the lowest for K = 1 to 8"),
    ("speculative_vs_llamacpp_speculative", "our speculative decoding ÷ llama.cpp's own, same draft"),
    ("measured_vs_predicted_alone", "measured speedup ÷ what tokens per round, c and v of parts timed alone predict, the lowest"),
)


def read(file: str) -> dict:
    return json.loads((FOLDER / file).read_text("utf-8"))


def down(value: float | None, digits: int = 1) -> str:
    """A ratio, never above its measured value."""
    return "–" if value is None else f"{floor(value * 10**digits) / 10**digits:.{digits}f}"


def cpu_table() -> str:
    """Of docs/measure.md: a row for each ratio, a column for each file."""
    files = [read(machine.file) for machine in MACHINES]
    heads = (
        f"[{one.name}](benchmarks/{one.file}), {one.threads} {'thread' if one.threads == 1 else 'threads'}" for one in MACHINES
    )
    lines = [f"| how many times as fast | {' | '.join(heads)} |", "|---|" + "---|" * len(files)]
    lines.append("| prompts | " + " | ".join(str(one.prompts) for one in MACHINES) + " |")
    lines += [f"| {says} | {' | '.join(down(one.get(key), 2) for one in files)} |" for key, says in ROWS]
    walls = (f"{round(100 * one['observing_slowdown_wall'])} %" for one in files)
    return "\n".join([*lines, f"| time that recording the distributions adds to the wall clock | {' | '.join(walls)} |"])


def readme_table() -> str:
    """Of README.md: what a visitor reads first, each row of one run."""
    files = ((machine, read(machine.file)) for machine in MACHINES if machine.threads == 1)
    rows = [
        f"| speculative decoding against the same engine without a draft | {down(one['speculative_vs_vanilla'])} times as fast at "
        f"temperature 0, {down(one['speculative_vs_vanilla_sampled'])} times at temperature 1 | {machine.name}, one thread, bundled models, "
        f"{machine.prompts} prompts ([file](docs/benchmarks/{machine.file})) |"
        for machine, one in files
    ]
    machine, gpu = MACHINES[0], read(GPU)
    rows.append(
        f"| the same, against assisted generation in transformers | at least {down(read(machine.file)['speculative_vs_assisted'])} times as "
        f"fast, for K = 1 to 8 | {machine.name}, one thread; our weights are bfloat16, those of transformers float32 |"
    )
    rows.append(
        f"| a model with 8 billion parameters, without a draft | {floor(100 * gpu['vanilla_vs_floor'])} % of the speed that the memory allows, "
        f"{down(gpu['vanilla_vs_generate'])} times as fast as `generate()` in transformers | one H100, bfloat16, random weights "
        f"([file](docs/benchmarks/{GPU})) |"
    )
    return "\n".join(["| | measured | on |", "|---|---|---|", *rows])
