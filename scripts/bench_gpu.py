"""How close the engine is to the memory limit of a GPU: `make bench-gpu`, all of it; a section alone, with its own options:

python -m scripts.bench_gpu --out DIR synthetic --target Llama-3-8B --draft Llama-3.2-1B
python -m scripts.bench_gpu --tiny --out DIR          # the same on a CPU with tiny shapes: shows that it runs, measures nothing

identity    greedy speculative against greedy vanilla in fp32, bf16 and fp16: where they part, and by how little
bundled     every drafter of the family, K by K, beside transformers plain and assisted
synthetic   public shapes with random weights, α by script (scripts/gpu/scripted.py), beside transformers, and the memory floor
costs       t(B, n) → assets/costs/{gpu}.json

Each stands in scripts/gpu/, prints a table, adds what it measured to {gpu}-{date}.json as soon as it is known and ends in one line of
JSON: the figures of all sections so far, and what was skipped since it does not fit on the card or into the ten minutes.
"""

import sys
from pathlib import Path
from typing import Annotated

import torch
import typer

from specviz.engine import machine

from .gpu.bench import RESULTS, Bench
from .gpu.bundled import bundled, identity
from .gpu.costs import costs
from .gpu.synthetic import synthetic

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__, rich_markup_mode=None)
# in this order, each until that part of the time
SECTIONS = {synthetic: 0.55, bundled: 0.8, identity: 0.9, costs: 1.0}
for section in SECTIONS:
    app.command()(section)


@app.callback(invoke_without_command=True)
def gpu_bench(
    ctx: typer.Context,
    tiny: Annotated[bool, typer.Option("--tiny", help="Tiny shapes, few runs: on a CPU, to see that it runs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for what is measured; docs/benchmarks if not given.")] = None,
    dtype: Annotated[str, typer.Option(help="bfloat16, float16 or float32.")] = "",
    minutes: Annotated[float, typer.Option(help="For all of it; 0 is as long as it takes.")] = 9.5,
):
    """All sections one after the other, or the one that is named."""
    if not tiny and machine.device().type != "cuda":
        print(
            "There is no CUDA device here, so nothing was measured: run this on a machine with one, or with --tiny to see that it runs.",
            file=sys.stderr,
        )
        raise typer.Exit(2)
    if tiny and out is None:
        print("--tiny measures nothing worth keeping: give a folder of its own with --out.", file=sys.stderr)
        raise typer.Exit(2)
    machine.set_threads(alone=not tiny)
    where = machine.device()
    kind = (
        getattr(torch, dtype)
        if dtype
        else torch.float32
        if where.type == "cpu"
        else getattr(torch, machine.half_precision("bfloat16", where))
    )
    ctx.obj = Bench(tiny, out or RESULTS, kind, 60 * minutes or None)
    ctx.call_on_close(ctx.obj.last_line)
    if ctx.invoked_subcommand is None:
        for section, part in SECTIONS.items():
            ctx.obj.share(part)
            ctx.invoke(section, ctx)


if __name__ == "__main__":
    app()
