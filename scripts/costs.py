"""Times passes of the bundled pair over blocks of many texts at once, for chapter 11 of Learn: `make costs`, on a quiet machine.

python -m scripts.costs --out DIR        # DIR/{device}.json; assets/costs if not given
"""

import re
from pathlib import Path
from typing import Annotated

import typer

from specviz.engine import machine
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab import costs
from specviz.local import DRAFTERS, TARGET

CURVES = Path(__file__).parent.parent / "assets/costs"


def main(
    out: Annotated[Path, typer.Option(help="Folder of the file.")] = CURVES,
    context: Annotated[int, typer.Option(help="Positions that every text holds.")] = costs.CONTEXT,
    repeats: int = 9,
    most: Annotated[int, typer.Option(help="Texts at once, at most.")] = costs.BATCHES[-1],
):
    """t(B, n) of the bundled target and of the small model that drafts for it."""
    machine.set_threads()  # as the app has them
    pair = load_pair(TARGET, None, machine.device())
    draft = drafter_for(pair, DRAFTERS["small"], machine.device()).model
    batches, curves = [size for size in costs.BATCHES if size <= most], []
    for model in pair.target, draft:
        curves.append(curve := costs.cost_curve(model, context, batches, repeats=repeats))
        print(f"{curve['model']}, {context} positions: ms by texts (down) and tokens each (across)")
        print(f"{'':>4}" + "".join(f"{n:>8}" for n in curve["blocks"]))
        for size, row in zip(batches, curve["ms"], strict=True):
            print(f"{size:>4}" + "".join(f"{ms:>8.2f}" for ms in row), flush=True)
    print(f"saved {costs.save_curves(curves, out, slug(machine.describe_machine().device))}")


def slug(device: str) -> str:
    return re.sub(r"\W+", "-", device).strip("-").lower()


if __name__ == "__main__":
    typer.run(main)
