"""Tables of figures for docs/, made of the benchmark files. scripts/made_docs.py writes them.

A ratio is rounded down, a share to the nearest percent.
"""

import json
from math import ceil, floor
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
ASSISTANT_MACHINES = (
    Machine("2026-11-27-zen5-smollm2-1-thread.json", "AMD EPYC, Zen 5", 1, 4),
    Machine("2026-11-27-zen5-smollm2.json", "AMD EPYC, Zen 5", 2, 4),
    Machine("2026-11-27-zen5-smollm2-avx2-1-thread.json", "the same, compiled for AVX2", 1, 4),
    Machine("2026-11-27-zen5-smollm2-avx2.json", "the same, compiled for AVX2", 2, 4),
)
GPU = "nvidia-h100-80gb-hbm3-2026-11-22.json"
DRAFTERS = {"xeon": "2026-11-25-xeon-drafters-cpu.md", "zen4": "2026-11-25-zen4-drafters-cpu.md"}
BLOCKS = "2026-11-26-xeon-blocks-cpu.md"
ASSISTANT = "2026-11-27-smollm2-counts.json"
GPU_ROWS = (  # key, what it is, its goal, digits; where `up` a bound is a ceiling
    ("vanilla_vs_floor", "the time to read all weights and the cache at the copy bandwidth of the same run ÷ measured time per token",
     "≥ 0.80", 3, False),
    ("measured_vs_predicted_min",
     "measured speedup ÷ (tokens per round ÷ (K·c + v)), with c and v from the runs; the lowest over α and K ≤ 8", "≥ 0.93", 2, False),
    ("vanilla_vs_generate", "time of transformers' `generate()` ÷ ours, whole calls", "≥ 2.0", 1, False),
    ("speculative_vs_assisted", "time of its assisted generation ÷ ours, with the same draft, K and script; the lowest", "≥ 2.5", 1, False),
    ("host_gap", "1 − the device's busy time ÷ the rounds' wall time; the largest", "≤ 0.03", 3, True),
    ("observing_slowdown", "wall time at temperature 1 with distributions recorded ÷ without, alternating; the median", "≤ 1.03", 2, True),
)  # fmt: skip
ROWS = (
    ("vanilla_vs_generate", "our vanilla decoding ÷ transformers' `generate()`"),
    ("vanilla_vs_llamacpp", "our vanilla decoding ÷ llama.cpp's, weights in float16"),
    ("speculative_vs_vanilla", "our speculative decoding ÷ our vanilla decoding, temperature 0, best K"),
    ("speculative_vs_vanilla_sampled", "the same at temperature 1"),
    ("speculative_vs_assisted", "our speculative decoding ÷ assisted generation in transformers, the lowest for K = 1 to 8"),
    ("speculative_vs_llamacpp_speculative", "our speculative decoding ÷ llama.cpp's own, same draft"),
    ("measured_vs_predicted_alone", "measured speedup ÷ what tokens per round, c and v of parts timed alone predict, the lowest"),
)
ASSISTANT_ROWS = (
    *ROWS[2:4],
    ("speculative_vs_assisted", "our speculative decoding ÷ assisted generation in transformers, the lowest of all K"),
    ROWS[0],
    ("vanilla_vs_generate_bfloat16", "the same, transformers in bfloat16"),
    ROWS[1],
    ("vanilla_vs_llamacpp_file", "our vanilla decoding ÷ llama.cpp's on the file as it is, 4 bits a weight"),
    ("vanilla_vs_memory", "our vanilla decoding ÷ what the memory's speed allows"),
    ("prefill_vs_torch", "our prefill ÷ PyTorch's, in float32"),
    ("prefill_vs_torch_bfloat16", "the same, PyTorch in bfloat16, which rounds more"),
)


def read(file: str) -> dict:
    return json.loads((FOLDER / file).read_text("utf-8"))


def down(value: float | None, digits: int = 1) -> str:
    """A ratio, never above its measured value."""
    return "–" if value is None else f"{floor(value * 10**digits) / 10**digits:.{digits}f}"


def up(value: float, digits: int) -> str:
    """A cost, never below its measured value."""
    return f"{ceil(value * 10**digits) / 10**digits:.{digits}f}"


def section(file: str, beginning: str, after: str = "") -> list[str]:
    """The rows of the table under the first line of a benchmark's Markdown that begins so, past the line `after`."""
    lines = (FOLDER / file).read_text("utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(beginning) and i >= (lines.index(after) if after else 0))
    rows = lines[at + 2 :]
    return rows[: next((i for i, row in enumerate(rows) if not row.startswith("|")), len(rows))]


def cpu_table() -> str:
    """Of docs/measure.md: a row for each ratio, a column for each file."""
    walls = (f"{round(100 * read(one.file)['observing_slowdown_wall'])} %" for one in MACHINES)
    return f"{_ratios(MACHINES, ROWS)}\n| time that recording the distributions adds to the wall clock | {' | '.join(walls)} |"


def assistant_cpu_table() -> str:
    """Of docs/measure.md: the same of the assistant with its EAGLE head."""
    return _ratios(ASSISTANT_MACHINES, ASSISTANT_ROWS)


def _ratios(machines: tuple[Machine, ...], rows: tuple[tuple[str, str], ...]) -> str:
    files = [read(machine.file) for machine in machines]
    heads = (
        f"[{one.name}](benchmarks/{one.file}), {one.threads} {'thread' if one.threads == 1 else 'threads'}" for one in machines
    )
    lines = [f"| how many times as fast | {' | '.join(heads)} |", "|---|" + "---|" * len(files)]
    lines.append("| prompts | " + " | ".join(str(one.prompts) for one in machines) + " |")
    return "\n".join([*lines, *(f"| {says} | {' | '.join(down(one.get(key), 2) for one in files)} |" for key, says in rows)])


def gpu_table() -> str:
    """Of docs/benchmarks/README.md: a row for each figure that has a goal."""
    figures, rows = read(GPU), [f"| figure | what it is | goal | [H100]({GPU}) |", "|---|---|---|---|"]
    for key, what, goal, digits, ceiling in GPU_ROWS:
        number, bound = (up if ceiling else down)(figures[key], digits), float(goal.split()[1])
        met = figures[key] <= bound if ceiling else figures[key] >= bound
        rows.append(f"| `{key}` | {what} | {goal} | {number if met else f'**{number}**'} |")
    return "\n".join(rows)


def rounds_table() -> str:
    """Of docs/rules.md: tokens per round by rule."""
    return "\n".join(section(DRAFTERS["zen4"], "tokens a round by rule"))


def trees_table() -> str:
    """Of docs/rules.md: trees beside a chain."""
    return "\n".join(section(DRAFTERS["zen4"], "tokens a round on stories")).replace("tokens a round", "tokens per round")


def drafters_table() -> str:
    """Of the model card: every drafter on every kind of text."""
    return "\n".join(section(DRAFTERS["xeon"], "α by register"))


def blocks_table() -> str:
    """Of the model card: blocks of eight tokens, on one thread and on two."""
    single, two = (section(BLOCKS, "blocks of 8", after) for after in ("# One thread", "# Two threads"))
    heads = "| drafter | one thread | two | tokens per round | " + " | ".join(map(str, range(1, 9))) + " |"
    rows = [cells.split(" | ") for cells in single[2:]]
    seconds = [cells.split(" | ")[1] for cells in two[2:]]
    joined = (" | ".join([*cells[:2], second, *cells[2:]]) for cells, second in zip(rows, seconds, strict=True))
    return "\n".join([heads, "|---|" + "---|" * 11, *joined])


def assistant_table() -> str:
    """Of the model card: tokens per pass of the assistant, by drafter and kind of question."""
    drafters = {name: figures for name, figures in read(ASSISTANT).items() if isinstance(figures, dict)}
    kinds = list(next(iter(drafters.values())))
    rows = []
    for name, figures in drafters.items():
        cells = (f"{figures[kind]['tokens_per_pass']:.2f}" for kind in kinds)
        rows.append(f"| {name.replace(' K ', ' K = ')} | {' | '.join(cells)} |")
    return "\n".join([f"| tokens per pass | {' | '.join(kinds)} |", "|---|" + "---|" * len(kinds), *rows])
