"""Cost curves of this device: ms of a pass by texts at once and tokens of each, for chapter 11 of Learn."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from specviz.lab import costs as curves

from . import shapes
from .bench import CONTEXT, Bench
from .figures import console, show


def costs(
    ctx: typer.Context,
    model: Annotated[list[str] | None, typer.Option(help="Targets and drafts; Llama-3-8B and its 1B if not given.")] = None,
    context: int = CONTEXT,
    folder: Annotated[Path | None, typer.Option(help="assets/costs if not given, or --out.")] = None,
):
    """t(B, n) for batches of 1 to 64 and blocks of 1 to 16."""
    bench: Bench = ctx.obj
    configs = {name: s.target for name, s in bench.shapes.items()} | {n: c for s in bench.shapes.values() for n, c in s.drafts.items() if c}  # fmt: skip
    wanted = model or [bench.main, next(iter(bench.shapes[bench.main].drafts))]
    how = {"context": 24, "batches": (1, 2, 4), "blocks": (1, 2, 3, 4, 5), "repeats": 2} if bench.tiny else {"context": context}
    measured = []
    for name in wanted:
        with bench.step(f"costs of {name}", "costs", 20) as there_is_time:
            if there_is_time:
                one = shapes.build(name, configs[name], bench.device, bench.dtype)
                measured.append(curve := curves.cost_curve(one, **how))
                title = f"{curve['model']}: ms by batch (down) and block (across), {curve['context']} positions"
                rows = (
                    {"B": size, **dict(zip(map(str, curve["blocks"]), row, strict=True))}
                    for size, row in zip(curve["batches"], curve["ms"], strict=True)
                )
                show(title, " ".join(["B", *map(str, curve["blocks"])]), rows)
                del one
    if len(measured) < len(wanted):  # a target without its draft is no comparison
        return
    place = folder or bench.place("costs")
    console.print(f"saved {curves.save_curves(measured, place, bench.name.removesuffix(date.today().isoformat()).strip('-'))}")
    bench.keep("costs", ", ".join(wanted), [curve["ms"] for curve in measured])
