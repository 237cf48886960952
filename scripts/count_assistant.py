"""How many tokens a pass gives with the assistant, by drafter and kind of question: counts, so a busy machine changes nothing.

python -m scripts.count_assistant --out docs/benchmarks/DATE-smollm2-counts.json
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.choose import Setup
from specviz.engine.models import assistant
from specviz.local import drafts_for, set_up
from specviz.trace.events import Round

from .prompts import ASSISTANT
from .result import json_line

BASE = DecodeConfig(K=4, temperature=0.0)
SETTINGS = {  # drafter, and how it is run
    "eagle, K 2": ("eagle", replace(BASE, K=2)),
    "eagle, K 4": ("eagle", BASE),
    "eagle, tree of 16": ("eagle", replace(BASE, tree="dynamic")),
    "eagle, K 4, temperature 0.8": ("eagle", replace(BASE, temperature=0.8, seed=1)),
    "lookup, K 4": ("lookup", BASE),
}


def main(
    tokens: Annotated[int, typer.Option(help="Length of every answer at most.")] = 64,
    each: Annotated[int, typer.Option(help="Questions of each kind.")] = 15,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON to this file.")] = None,
):
    console, figures = Console(highlight=False), {}
    for name, (drafter, config) in SETTINGS.items():
        if drafter not in drafts_for(assistant.KEY):
            continue
        setup = set_up(assistant.KEY, drafts_for(assistant.KEY)[drafter])
        kinds = {
            kind: counts(setup, questions[:each], replace(config, max_new_tokens=tokens)) for kind, questions in ASSISTANT.items()
        }
        every = [sum(column) for column in zip(*kinds.values(), strict=True)]
        figures[name] = {kind: shares(*numbers) for kind, numbers in (*kinds.items(), ("all", every))}
        console.print(f"{name}: {figures[name]}")
    line = json_line({"target": assistant.NAME, "tokens": tokens, "questions": 4 * each, **figures})
    if out:
        out.write_text(line + "\n", "utf-8")
    print(line)


def counts(setup: Setup, questions, config: DecodeConfig) -> tuple[int, int, int, int]:
    """Tokens, passes, rounds that drafted, and those whose first drafted token (of a tree: one of the first) was accepted."""
    tokens = passes = drafted = first = 0
    for question in track(questions, transient=True):
        for event in decode(setup.target, setup.drafter, setup.text.encode(question), config, setup.text, observe=False):
            if isinstance(event, Round):
                tokens, passes = tokens + len(event.emitted), passes + 1
                drafted, first = drafted + bool(event.drafted), first + (len(event.emitted) > 1)
    return tokens, passes, drafted, first


def shares(tokens: int, passes: int, drafted: int, first: int) -> dict[str, float]:
    return {"tokens_per_pass": tokens / passes, "alpha_first": first / max(1, drafted), "passes": passes}


if __name__ == "__main__":
    typer.run(main)
