"""The bundled family on this device: every drafter by K, beside transformers plain and assisted; trees by their number of tokens, c, v and tokens a
round, beside a chain of the same depth."""

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

from ..bench_trees import tree_name
from ..peer import Peer
from ..prompts import OPENINGS
from .bench import Bench
from .figures import observing, peer_ratios, run_figures
from .tables import show

KS = (4, 2, 8, 1, 6, 3, 5, 7)  # in this order, so that where time runs out every drafter has been timed with some
BESIDE = (4, 8)  # with transformers too, which takes ten times as long
COLUMNS = "drafter K speedup tokens_a_round accepted c v predicted measured_vs_predicted vs_generate vs_assisted observing"
DEPTH, NODES = 4, (8, 16, 32, 64)
TREE_COLUMNS = "drafter block speedup tokens_a_round c v predicted measured_vs_predicted"


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
    keys, rows = drafter or list(DRAFTERS), {}
    ours = {key: drafter_for(pair, DRAFTERS[key], bench.device) for key in keys}
    for K, key in product([K for K in KS if largest_k >= K], keys):
        peer = _peer(DRAFTERS[key]) if K in BESIDE or bench.tiny else None
        with bench.step(f"bundled, {key}, K = {K}", f"bundled {bool(peer)}", 10 if peer else 5) as there_is_time:
            if there_is_time:
                row = _row(bench, pair, key, ours[key], peer, K, texts, config)
                rows[key] = sorted([*rows.get(key, []), row], key=lambda row: row["K"])
                bench.keep("bundled", key, rows[key])
    show(f"{TARGET} on {bench.about.device}", COLUMNS, (row for key in keys for row in rows.get(key, [])))


def _row(bench: Bench, pair, key: str, ours, peer: "Peer | None", K: int, texts: list, config: DecodeConfig) -> dict:
    how = replace(config, K=K)
    run = partial(measure, pair.target, ours, text=pair.text)
    for warm in (config, how):  # records graphs; first calls choose kernels
        run(texts[0], config=warm)
        if peer:
            peer(texts[0], replace(warm, max_new_tokens=8))
    alone, mine = ([run(ids, config=c) for ids in texts] for c in (config, how))
    generate, assisted = ([peer(ids, c) for ids in texts] if peer else [] for c in (config, how))
    slowdown = observing(partial(run, config=replace(how, temperature=1.0)), texts)
    return {
        "drafter": key,
        "K": K,
        **run_figures(alone, mine),
        **peer_ratios(alone, mine, generate, assisted),
        "observing": slowdown,
    }


@cache
def _peer(draft: str) -> Peer | None:
    """transformers on the same pair, where the draft is a model."""
    return Peer(TARGET, draft) if draft.startswith(TARGET) else None


def trees(
    ctx: typer.Context,
    drafter: Annotated[list[str] | None, typer.Option(help="May be given again; small and eagle if not given.")] = None,
    prompts: Annotated[int, typer.Option(help="How many of the eight.")] = 4,
    tokens: int = 96,
):
    """A chain of 4 and dynamic trees of 8 to 64 tokens, greedy; medians of pairs that ran one right after the other."""
    bench: Bench = ctx.obj
    if bench.tiny:
        prompts, tokens = 1, 10
    pair = load_pair(TARGET, None, bench.device)
    chain = DecodeConfig(K=DEPTH, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    blocks = [chain, *(replace(chain, tree="dynamic", nodes=nodes) for nodes in (NODES[:1] if bench.tiny else NODES))]
    texts = [pair.text.encode(p) for p in OPENINGS[:prompts]]
    keys, rows = drafter or ["small", "eagle"], {}
    ours = {key: drafter_for(pair, DRAFTERS[key], bench.device) for key in keys}
    for how, key in product(blocks, keys):
        with bench.step(f"trees, {key}, {tree_name(how)}", "trees", 5) as there_is_time:
            if there_is_time:
                row = {"block": tree_name(how), "nodes": how.max_drafted, **_tree_row(pair, ours[key], texts, how)}
                rows.setdefault(key, []).append(row)
                bench.keep("trees", key, rows[key])
    by_drafter = ({"drafter": key, **row} for key, some in rows.items() for row in some)
    show(f"trees of {TARGET} on {bench.about.device}", TREE_COLUMNS, by_drafter)


def _tree_row(pair, drafter, texts: list, how: DecodeConfig) -> dict:
    both = replace(how, K=0, tree="off"), how
    for config in both:
        measure(pair.target, drafter, texts[0], config, pair.text)  # records graphs; first calls choose kernels
    return run_figures(*([measure(pair.target, drafter, ids, config, pair.text) for ids in texts] for config in both))
