"""Runs recorded on this device, for the page to show: the bundled pair, and the largest synthetic one."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.pair import load_pair
from specviz.engine.race import race
from specviz.local import DRAFTERS, TARGET
from specviz.trace.header import Trace

from ..prompts import OPENINGS
from ..result import archive
from . import shapes
from .bench import Bench
from .scripted import NumberText, Script, Scripted
from .tables import console


def traces(
    ctx: typer.Context,
    alpha: float = 0.8,
    k: Annotated[int, typer.Option("--k", "-k")] = 4,
    tokens: int = 64,
    folder: Annotated[Path | None, typer.Option(help="assets/traces if not given, or --out.")] = None,
):
    """The bundled pair greedy and at temperature 1, and the largest synthetic pair, with the hardware in the header."""
    bench: Bench = ctx.obj
    place = folder or bench.place("traces")
    pair = load_pair(TARGET, None, bench.device)
    family = Setup(pair.target, drafter_for(pair, DRAFTERS["small"], bench.device), pair.text)
    names: list[str] = []
    config = DecodeConfig(K=k, max_new_tokens=16 if bench.tiny else tokens)
    for name, T in (("gpu-predictable", 0.0), ("gpu-creative", 1.0)):
        with bench.step(f"the trace {name}", "trace", 10) as there_is_time:
            if there_is_time:
                _save(place, name, list(race(family, OPENINGS[0], replace(config, temperature=T)))[-1])
                names.append(name)
    both = {name: shape for name, shape in bench.shapes.items() if bench.holds(shape.target, next(iter(shape.drafts.values())))}
    largest = max(both, key=lambda name: shapes.parameters(both[name].target), default=None)
    with bench.step("the trace gpu-synthetic", "synthetic trace", 25) as there_is_time:
        if there_is_time and largest:
            shape = both[largest]
            model = shapes.build(largest, shape.target, bench.device, bench.dtype)
            draft = next(iter(shape.drafts))
            prompt = list(range(100, 116))
            scripted = Scripted(shapes.drafter(draft, shape.drafts[draft], model, shape.target), Script.of(model, prompt, config.max_new_tokens), alpha)  # fmt: skip
            greedy = replace(config, temperature=0.0, ignore_eos=True)
            _save(
                place, "gpu-synthetic", list(race(Setup(model, scripted, NumberText()), " ".join(map(str, prompt)), greedy))[-1]
            )
            names.append("gpu-synthetic")
    bench.keep("traces", "files", names)


def _save(folder: Path, name: str, trace: Trace) -> None:
    path = archive(folder, name, trace)
    vanilla, ours = trace.vanilla[-1], trace.speculative[-1]
    speedup = (vanilla.decode_ms / vanilla.tokens) / (ours.decode_ms / ours.tokens)
    why = f"; not from graphs: {ours.eager}" if ours.eager else ""
    console.print(
        f"saved {path}: {trace.header.machine.device}, {ours.tokens} tokens, {ours.rounds} rounds, {speedup:.2f} ×{why}"
    )
