"""Tables of figures for docs/, made of the benchmark files. scripts/made_docs.py writes them.

A ratio is rounded down, a share to the nearest percent.
"""

import json
import tomllib
from math import ceil, floor
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


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
    shares = (f"{round(100 * read(one['file'])['observing_slowdown_wall'])} %" for one in TABLES["cpu"]["machines"])
    return f"{_ratios(**TABLES['cpu'])}\n| time that recording the distributions adds to the wall clock | {' | '.join(shares)} |"


def assistant_cpu_table() -> str:
    """Of docs/measure.md: the same of the assistant with its EAGLE head."""
    return _ratios(**TABLES["assistant_cpu"])


def assistant_in_blocks_table() -> str:
    """Of docs/measure.md: the same, its weights as the file has them."""
    return _ratios(**TABLES["assistant_in_blocks"])


def _ratios(machines: list[dict], rows: dict[str, str]) -> str:
    """`machines`: a benchmark file of each, and of how many of the eight prompts (prompts.toml)."""
    files = [read(one["file"]) for one in machines]
    heads = (f"[{m['name']}](benchmarks/{m['file']}), {m['threads']} thread{'s' * (m['threads'] > 1)}" for m in machines)
    lines = [f"| how many times as fast | {' | '.join(heads)} |", "|---|" + "---|" * len(files)]
    lines.append("| prompts | " + " | ".join(str(one["prompts"]) for one in machines) + " |")
    lines += (f"| {says} | {' | '.join(down(one.get(key), 2) for one in files)} |" for key, says in rows.items())
    return "\n".join(lines)


def gpu_table() -> str:
    """Of docs/benchmarks/README.md: a row for each figure that has a goal."""
    figures = read(TABLES["gpu"])
    rows = [f"| figure | what it is | goal | [H100]({TABLES['gpu']}) |", "|---|---|---|---|"]
    for key, row in TABLES["gpu_rows"].items():
        sign, bound = row["goal"].split()
        number = (up if sign == "≤" else down)(figures[key], row["digits"])
        met = figures[key] <= float(bound) if sign == "≤" else figures[key] >= float(bound)
        rows.append(f"| `{key}` | {row['what']} | {row['goal']} | {number if met else f'**{number}**'} |")
    return "\n".join(rows)


def rounds_table() -> str:
    """Of docs/rules.md: tokens per round by rule."""
    return "\n".join(section(TABLES["drafters"]["zen4"], "tokens a round by rule"))


def trees_table() -> str:
    """Of docs/rules.md: trees beside a chain."""
    return "\n".join(section(TABLES["drafters"]["zen4"], "tokens a round on stories")).replace(
        "tokens a round", "tokens per round"
    )


def drafters_table() -> str:
    """Of the model card: every drafter on every kind of text."""
    return "\n".join(section(TABLES["drafters"]["xeon"], "α by register"))


def blocks_table() -> str:
    """Of the model card: blocks of eight tokens, on one thread and on two."""
    single, two = (section(TABLES["blocks"], "blocks of 8", after) for after in ("# One thread", "# Two threads"))
    heads = "| drafter | one thread | two | tokens per round | " + " | ".join(map(str, range(1, 9))) + " |"
    rows = [cells.split(" | ") for cells in single[2:]]
    seconds = [cells.split(" | ")[1] for cells in two[2:]]
    joined = (" | ".join([*cells[:2], second, *cells[2:]]) for cells, second in zip(rows, seconds, strict=True))
    return "\n".join([heads, "|---|" + "---|" * 11, *joined])


def assistant_table() -> str:
    """Of the model card: tokens per pass of the assistant, by drafter and kind of question."""
    drafters = {name: figures for name, figures in read(TABLES["assistant"]).items() if isinstance(figures, dict)}
    kinds = list(next(iter(drafters.values())))
    rows = []
    for name, figures in drafters.items():
        cells = (f"{figures[kind]['tokens_per_pass']:.2f}" for kind in kinds)
        rows.append(f"| {name.replace(' K ', ' K = ')} | {' | '.join(cells)} |")
    return "\n".join([f"| tokens per pass | {' | '.join(kinds)} |", "|---|" + "---|" * len(kinds), *rows])
