"""Trees of the bundled family on this device, by their number of tokens: c, v and tokens a round, beside a chain of the same depth."""

from dataclasses import replace
from itertools import product
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab.measure import measure
from specviz.local import DRAFTERS, TARGET

from ..bench_trees import called
from ..prompts import OPENINGS
from .bench import Bench
from .figures import compared
from .tables import cells, console, table_of

DEPTH, NODES = 4, (8, 16, 32, 64)
COLUMNS = "block speedup tokens_a_round c v predicted measured_vs_predicted"


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
    table = table_of(f"trees of {TARGET} on {bench.about.device}", ["drafter", "block", "speedup", "tokens/round", "c", "v", "predicted", "measured÷it"])  # fmt: skip
    keys, rows = drafter or ["small", "eagle"], {}
    ours = {key: drafter_for(pair, DRAFTERS[key], bench.device) for key in keys}
    for how, key in product(blocks, keys):
        with bench.step(f"trees, {key}, {called(how)}", "trees", 5) as there_is_time:
            if there_is_time:
                row = {"block": called(how), "nodes": how.most, **_row(pair, ours[key], texts, how)}
                rows.setdefault(key, []).append(row)
                bench.keep("trees", key, rows[key])
                table.add_row(key, *cells(row, COLUMNS))
    console.print(table)


def _row(pair, drafter, texts: list, how: DecodeConfig) -> dict:
    both = replace(how, K=0, tree="off"), how
    for config in both:
        measure(pair.target, drafter, texts[0], config, pair.text)  # records graphs; first calls choose kernels
    return compared(*([measure(pair.target, drafter, ids, config, pair.text) for ids in texts] for config in both))
