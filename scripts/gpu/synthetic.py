"""Public shapes with random weights: target × draft × α × K × context, acceptance by script."""

import itertools
from typing import Annotated

import typer

from specviz.engine import machine
from specviz.engine.backends.pytorch.fused import not_fused_reason

from . import shapes
from .bench import CONTEXT, Bench
from .floor import copy_bandwidth
from .place import Place
from .scripted import FAMILY
from .tables import console, show


def synthetic(
    ctx: typer.Context,
    target: Annotated[list[str] | None, typer.Option(help="May be given again; all if not given.")] = None,
    draft: Annotated[list[str] | None, typer.Option(help="Likewise.")] = None,
    alpha: Annotated[list[float] | None, typer.Option()] = None,
    largest_k: Annotated[int, typer.Option("--largest-k")] = 8,
    context: Annotated[list[int] | None, typer.Option()] = None,
    tokens: Annotated[int, typer.Option(help="Of every run.")] = 160,
    peers: Annotated[bool, typer.Option(help="Run transformers too, at context 1024 and K = 2, 4, 8.")] = True,
):
    """Target × draft × α × K × context, one short greedy run each after one that records graphs."""
    bench: Bench = ctx.obj
    alphas, contexts, Ks = alpha or [0.7, 0.9], context or [CONTEXT, 128, 4096], range(1, largest_k + 1)
    peer_Ks = (4, 8)
    if bench.tiny:
        alphas, contexts, Ks, tokens, peer_Ks = alpha or [0.5, 0.9], [bench.context, 16], (1, 2), 24, (2,)
    bandwidth = copy_bandwidth(bench.device, 2**20 if bench.tiny else 2**31)
    console.print(f"copy within the device: {bandwidth / 1e12:.3f} TB/s, read and written")
    for name in target or bench.shapes:
        shape = bench.shapes[name]
        with bench.step(f"synthetic, {name}", "synthetic model", 15) as there_is_time:
            if there_is_time:
                model = shapes.build(name, shape.target, bench.device, bench.dtype)
                why = not_fused_reason(model.shape, model.device, model.dtype)
                console.print(
                    f"{name}: between the products of a layer {f'PyTorch, since {why}' if why else 'kernels of our own'}"
                )
                wanted = [one for one in draft or shape.drafts if one in shape.drafts]
                for size, each in itertools.product(contexts, wanted):
                    what = f"synthetic, {name}, {each}, {size}"
                    if not bench.holds(shape.target, shape.drafts[each]):
                        bench.skipped.append(f"{what}: does not fit")
                        continue
                    beside = peers and size == bench.context
                    draft_configs = () if shape.drafts[each] is None else (shape.drafts[each],)  # transformers has no EAGLE heads
                    theirs = beside and bench.holds(shape.target, shape.drafts[each], shape.target, *draft_configs)
                    if beside and not theirs:
                        bench.skipped.append(f"{what}, transformers beside it: does not fit")
                    with bench.step(what, f"synthetic {theirs}", 90 if theirs else 45) as time_for_it:
                        if time_for_it:
                            real = shapes.drafter(each, shape.drafts[each], model, shape.target)
                            at = Place(bench, name, each, model, real, size, tokens)
                            alone = at.vanilla(bandwidth, shape.target, theirs and each == wanted[0])
                            grid = itertools.product(alphas, Ks)
                            rows = [at.speculative(a, K, theirs and K in peer_Ks) for a, K in grid]
                            results = {"bandwidth": bandwidth, "own_kernels": not why, "vanilla": [alone], "rows": rows}
                            _show(bench, name, each, results)
                            key = f"{name}, {each}, {size}" + (f", α {alpha}" if alpha else "")
                            bench.keep("synthetic", key, results)  # at once: the next one may outlast its time
                            del at, real
                del model
        shapes.peer.cache_clear()
        machine.release_memory()


def _show(bench: Bench, target: str, draft: str, results: dict) -> None:
    title = f"{target}, {draft}: {FAMILY}; {bench.about.device}, {bench.dtype}"
    columns = "context alpha K speedup tokens_a_round c v predicted measured_vs_predicted ms_a_token vs_assisted host_gap"
    show(title, columns, results["rows"])
    if why := next((row["eager"] for row in results["rows"] if row["eager"]), ""):
        console.print(f"not at the speed of this device: {why}")
    show(f"{target} alone", "context ms_a_token floor_ms floor_of_measured vs_generate", results["vanilla"])
