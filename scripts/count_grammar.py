"""What a grammar does to drafts: the assistant answers one question with the shape of the recorded run, and without. Counts, so a busy machine
changes nothing.

python -m scripts.count_grammar          # writes assets/shapes/grammar.json, for chapter 12 of Learn
"""

from dataclasses import replace
from typing import Annotated

import typer
from rich.progress import track

from specviz.config import ASSETS, DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.choose import Setup
from specviz.trace.events import Finished, Round

from .result import json_line
from .traces import ANSWERS, setup

FILE = ASSETS / "shapes/grammar.json"


def main(seeds: Annotated[int, typer.Option(help="Runs with the grammar, and as many without.")] = 20):
    recording = ANSWERS["answer-json"]
    pair, config = setup(recording.target, recording.drafters[0]), recording.config
    figures = {
        "target": pair.target.info.name,
        "draft": pair.drafter.info.name,
        "prompt": recording.prompts[0],
        "K": config.K,
        "temperature": config.temperature,
        "seeds": seeds,
        "with": counts(pair, recording.prompts[0], config, seeds),
        "without": counts(pair, recording.prompts[0], replace(config, grammar=""), seeds),
    }
    FILE.write_text(json_line(figures) + "\n", "utf-8")
    print(json_line(figures))


def counts(pair: Setup, prompt: str, config: DecodeConfig, seeds: int) -> dict[str, int]:
    """Sums over the runs of all seeds."""
    total = dict.fromkeys(("rounds", "tokens", "drafted", "tested", "accepted", "void", "forced"), 0)
    for seed in track(range(seeds), transient=True):
        for event in decode(
            pair.target, pair.drafter, pair.text.encode(prompt), replace(config, seed=seed), pair.text, observe=False
        ):
            if isinstance(event, Round):
                total["void"] += sum(d.void for d in event.drafted)
                total["forced"] += sum(e.forced for e in event.emitted)
            if isinstance(event, Finished):
                for name in ("rounds", "tokens", "drafted", "tested", "accepted"):
                    total[name] += getattr(event, name)
    return total


if __name__ == "__main__":
    typer.run(main)
