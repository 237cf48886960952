"""specviz lab luck, specviz lab sweep, specviz lab load: the Lab's experiments in a shell."""

from dataclasses import asdict, replace
from typing import Annotated

import typer

from ..config import SETTINGS, ConfigError, DecodeConfig
from .decision import CONTEXT, DRAFT, TARGET, CardDraft, CardTarget
from .options import DRAFTER_HELP, Prompt, option
from .terminal import BUSY, loading_status, print_json, progress_bars, show, table

lab = typer.Typer(help="Run the Lab's experiments: the same numbers as on the page, and JSON at the end.", no_args_is_help=True)
TWICE_HELP = "Twice for two settings."
FAMILY = "fable"  # which --drafter names, also where the assistant was fetched and comes first


@lab.command("luck")
def luck(
    prompt: Prompt = "Once upon a time",
    seeds: Annotated[int, typer.Option(help="How many seeds, from --seed on. The first seed is repeated as often.")] = 30,
    drafter: Annotated[list[str] | None, typer.Option(help=DRAFTER_HELP + " Give it twice to compare two drafters.")] = None,
    k: option("K", TWICE_HELP, several=True) = None,
    temperature: option("temperature", TWICE_HELP, several=True) = None,
    verifier: option("verifier", TWICE_HELP, several=True) = None,
    drafting: option("drafting", TWICE_HELP, several=True) = None,
    tree: option("tree", TWICE_HELP, several=True) = None,
    children: option("children", TWICE_HELP, several=True) = None,
    nodes: option("nodes", TWICE_HELP, several=True) = None,
    tokens: Annotated[int, typer.Option("--tokens", "--max-new-tokens", help="Tokens in each run.")] = 64,
    seed: option("seed") = 0,
):
    """Measure how much of a speedup is luck: the same prompt under many seeds, and the same seed again and again."""
    values_of = {
        "K": k or [4],
        "temperature": temperature or [0.8],
        "verifier": verifier or ["rejection"],
        "drafting": drafting or ["sample"],
        "tree": tree or ["off"],
        "children": children or [SETTINGS["children"].default],
        "nodes": nodes or [SETTINGS["nodes"].default],
    }
    drafters = drafter or ["small"]
    lengths = {len(drafters), *map(len, values_of.values())}
    if (count := max(lengths)) > 2 or not lengths <= {1, count}:
        raise ConfigError("settings", count, "1, or 2 to compare: give an option once for both, or twice")
    same = DecodeConfig(max_new_tokens=tokens, seed=seed, ignore_eos=True)
    settings = [
        (drafters[i % len(drafters)], replace(same, **{name: values[i % len(values)] for name, values in values_of.items()}))
        for i in range(count)
    ]
    result = _experiment(_engine().luck(prompt, settings, seeds, models=FAMILY))
    heads = ("setting", "α", "tokens per round", "speedup", "95 % interval of the median", "quartiles")
    rows = table(*heads, left=("setting",), caption=result["sentence"])
    for setting, spreads in zip(result["settings"], result["spreads"], strict=True):
        speedup = spreads["speedup"]
        alpha, tokens_a_round = (
            f"{spread['median']:.2f}" if (spread := spreads[name]) else "–" for name in ("alpha", "tokens_a_round")
        )
        label = (
            f"{setting['drafter']}, K {setting['K']}, T {setting['temperature']:g}, {setting['verifier']}, {setting['drafting']}"
        )
        ends = (("low", "high"), ("first", "third"))
        times = (
            [f"{speedup['median']:.2f}", *(f"{speedup[low]:.2f}–{speedup[high]:.2f}" for low, high in ends)]
            if speedup
            else ["–"] * 3
        )
        rows.add_row(label, alpha, tokens_a_round, *times)
    show(rows)
    print_json(result)


@lab.command("sweep")
def sweep(
    prompt: Prompt = "Once upon a time",
    drafter: Annotated[list[str] | None, typer.Option(help=DRAFTER_HELP + " May be given again.")] = None,
    k: option("K", "May be given again.", several=True) = None,
    temperature: option("temperature", "May be given again.", several=True) = None,
    drafting: option("drafting") = "sample",
    tree: option("tree") = "off",
    children: option("children") = SETTINGS["children"].default,
    nodes: option("nodes") = SETTINGS["nodes"].default,
    turns: Annotated[int, typer.Option(help="Runs of each cell, each with another seed.")] = 3,
    tokens: Annotated[int, typer.Option("--tokens", "--max-new-tokens", help="Tokens in each run.")] = 48,
    seed: option("seed") = 0,
):
    """Run every drafter at every K on one prompt: the speedup, and what the formula predicts."""
    from ..lab.sweep import DRAFTERS, KS

    sizes, temperatures = k or KS, temperature or [0.8]
    shape = {"drafting": drafting, "tree": tree, "children": children, "nodes": nodes}
    config = DecodeConfig(K=min(sizes), temperature=min(temperatures), max_new_tokens=tokens, seed=seed, ignore_eos=True, **shape)
    result = _experiment(_engine().sweep(prompt, drafter or list(DRAFTERS), sizes, config, temperatures, turns, models=FAMILY))
    heads = ("drafter", "K", "T", "speedup", "quartiles", "tokens per round", "α", "c", "v", "predicted")
    rows = table(*heads, left=("drafter",), caption="speedup: median and quartiles; predicted: by this cell's α, c and v")
    by_speedup = sorted(result["cells"], key=lambda cell: -cell["speedup"]["median"] if cell["speedup"] else 0)
    for cell in by_speedup:
        where, speedup = cell["where"], cell["speedup"]
        numbers = [f"{cell[name]:.2f}" if cell[name] is not None else "–" for name in ("alpha", "c", "v", "predicted")]
        times = (f"{speedup['median']:.2f}", f"{speedup['first']:.2f}–{speedup['third']:.2f}") if speedup else ("busy", "–")
        place = where["drafter"], str(where["K"]), f"{where['temperature']:g}"
        rows.add_row(*place, *times, f"{cell['tokens_a_round']:.2f}", *numbers)
    show(rows)
    if any(cell["disturbed"] for cell in by_speedup):
        show(BUSY, style="red")
    print_json(result)


@lab.command("load")
def load_(
    texts: Annotated[list[int] | None, typer.Option(help="Texts decoded at the same time. May be given again.")] = None,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="The chance that a drafted token is accepted.")] = 0.7,
    card: Annotated[
        str | None, typer.Option(help="A GPU whose published figures are used, such as h100. By default measured passes.")
    ] = None,
    devices: Annotated[int | None, typer.Option(min=1, max=1024, help="With --card: how many of it. By default 1.")] = None,
    target: CardTarget = None,
    draft: CardDraft = None,
    context: Annotated[
        int | None, typer.Option(min=0, max=10**7, help="With --card: tokens of context in each text. By default 2048.")
    ] = None,
):
    """Show what many texts at once do to drafting: best K, latency of a text, tokens per second of the server, arithmetic thrown away."""
    import json

    from ..config import ASSETS
    from ..lab import load

    of_card = {"devices": devices, "target": target, "draft": draft, "context": context}
    for name, value in of_card.items():
        if value is not None and not card:
            raise ConfigError(name, value, "given together with --card")
    if card:
        hardware, context = load.Hardware(), CONTEXT if context is None else context
        models = hardware.model(target or TARGET), hardware.model(draft or DRAFT)
        where = load.Devices(hardware.card(card), devices or 1)
        sizes = texts or [1, 4, 16, 64, 256]
        passes_of = {n: load.by_formula(*models, where, n, context) for n in sizes}
        source = f"{models[0].name} + {models[1].name}, {where.devices} × {where.card.name}, {context} positions: a formula, no measurement"
    else:
        file = json.loads(next(iter(sorted((ASSETS / "costs").glob("*.json")))).read_text("utf-8"))
        passes_of = {n: load.measured_passes(file, n) for n in texts or file["curves"][0]["batches"]}
        source = f"{file['curves'][0]['model']} + {file['curves'][1]['model']}, measured on {file['device']}"
    if not all(n > 0 for n in passes_of):
        raise ConfigError("texts", min(passes_of), "at least 1")
    heads = ("texts", "best K", "speedup", "ms per token", "without", "tokens /s of all", "thrown away", "v at K = 4")
    results = table(*heads, caption=f"{source}; α = {alpha:g}; K = 0 where drafting does not pay")
    rows = []
    for n, passes in passes_of.items():
        best, alone = load.fastest(passes, alpha, n), load.throughput(passes, alpha, 0, n)
        v = passes.target[4] / passes.target[0]
        rows.append({"texts": n, "v": v, "best": asdict(best), "alone": asdict(alone)})
        results.add_row(str(n), str(best.K), f"{best.speedup:.2f}", f"{best.latency:.2f}", f"{alone.latency:.2f}", f"{best.pace:,.0f}",
                      f"{best.thrown:.0%}", f"{v:.2f}")  # fmt: skip
    show(results)
    print_json({"source": source, "alpha": alpha, "loads": rows})


def _engine():
    from ..local import LocalEngine

    with loading_status():
        return LocalEngine()


def _experiment(steps) -> dict:
    """What an experiment found, with its progress on stderr; interrupted, what it had found until then."""
    last = None
    with progress_bars() as progress:
        task = progress.add_task("measuring", total=None)
        try:
            for last in steps:
                progress.update(task, completed=last.done, total=last.of)
        except KeyboardInterrupt:
            if last is None:
                raise
    return last.as_json()
