"""The bundled family on this device: every drafter by K, beside transformers plain and assisted."""

from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab.measure import measure
from specviz.local import DRAFTERS, TARGET

from ..peer import Peer
from ..prompts import OPENINGS
from .bench import Bench
from .figures import beside, compared, observing
from .tables import cells, console, table_of

KS = (4, 2, 8, 1, 6, 3, 5, 7)  # in this order, so that where time runs out every drafter has been timed with some
BESIDE = (4, 8)  # with transformers too, which takes ten times as long

COLUMNS = "K speedup tokens_a_round accepted c v predicted measured_vs_predicted vs_generate vs_assisted observing"


def bundled(
    ctx: typer.Context,
    drafter: Annotated[list[str] | None, typer.Option(help="May be given again; all if not given.")] = None,
    largest_k: Annotated[int, typer.Option("--largest-k")] = 8,
    prompts: Annotated[int, typer.Option(help="How many of the eight.")] = 4,
    tokens: int = 96,
):
    """Every drafter of the family by K, greedy; medians of pairs that ran one right after the other."""
    bench: Bench = ctx.obj
    if bench.tiny:
        largest_k, prompts, tokens, drafter = 2, 1, 10, drafter or ["small", "eagle", "lookup"]
    pair = load_pair(TARGET, None, bench.device)
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    texts = [pair.text.encode(p) for p in OPENINGS[:prompts]]
    table = table_of(f"{TARGET} on {bench.about.device}", ["drafter", "K", "speedup", "tokens/round", "accepted", "c", "v", "predicted", "measured÷it", "÷generate()", "÷assisted", "observing"])  # fmt: skip
    keys, rows = drafter or list(DRAFTERS), {}
    ours = {key: drafter_for(pair, DRAFTERS[key], bench.device) for key in keys}
    for K, key in product([K for K in KS if largest_k >= K], keys):
        peer = _peer(DRAFTERS[key]) if K in BESIDE or bench.tiny else None
        with bench.step(f"bundled, {key}, K = {K}", f"bundled {bool(peer)}", 10 if peer else 5) as there_is_time:
            if there_is_time:
                row = _row(bench, pair, key, ours[key], peer, K, texts, config)
                rows[key] = sorted([*rows.get(key, []), row], key=lambda row: row["K"])
                bench.keep("bundled", key, rows[key])
    for row in (row for key in keys for row in rows.get(key, [])):
        table.add_row(row["drafter"], *cells(row, COLUMNS))
    console.print(table)


def _row(bench: Bench, pair, key: str, ours, peer: "Peer | None", K: int, texts: list, config: DecodeConfig) -> dict:
    how = replace(config, K=K)
    run = partial(measure, pair.target, ours, text=pair.text)
    for warm in (config, how):  # records graphs; first calls choose kernels
        run(texts[0], config=warm)
        if peer:
            peer(texts[0], replace(warm, max_new_tokens=8))
    alone, mine = ([run(ids, config=c) for ids in texts] for c in (config, how))
    generate, assisted = ([peer(ids, c) for ids in texts] if peer else [] for c in (config, how))
    seen = observing(partial(run, config=replace(how, temperature=1.0)), texts)
    return {"drafter": key, "K": K, **compared(alone, mine), **beside(alone, mine, generate, assisted), "observing": seen}


@cache
def _peer(draft: str) -> Peer | None:
    """transformers on the same pair, where the draft is a model."""
    return Peer(TARGET, draft) if draft.startswith(TARGET) else None
