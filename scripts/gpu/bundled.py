"""The bundled family on this device: every drafter by K, beside transformers plain and assisted; and where greedy speculative and greedy vanilla
part in fp32, bf16 and fp16, and by how little."""

from dataclasses import asdict, replace
from functools import cache, partial
from itertools import product
from typing import Annotated

import torch
import typer

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.divergence import divergence
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab.measure import measure
from specviz.local import DRAFTERS, TARGET

from ..peer import Peer
from ..prompts import HARD_TO_ENCODE, OPENINGS
from .bench import Bench
from .figures import console, observing, peer_ratios, run_figures, show

KS = (4, 2, 8, 1, 6, 3, 5, 7)  # in this order, so that where time runs out every drafter has been timed with some
LENGTHS = (3, 6, 10)  # ids of a prompt where lanes are compared
DRAFT = "fable-small"
BESIDE = (4, 8)  # with transformers too, which takes ten times as long
COLUMNS = "drafter K speedup tokens_a_round accepted c v predicted measured_vs_predicted vs_generate vs_assisted observing"


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


def identity(
    ctx: typer.Context,
    prompts: Annotated[int, typer.Option(help="How many of HARD_TO_ENCODE.")] = len(HARD_TO_ENCODE),
    tokens: int = 40,
):
    """Greedy speculative beside greedy vanilla on the bundled pair, by precision."""
    bench: Bench = ctx.obj
    if bench.tiny:
        prompts, tokens = 2, 8
    results, parted = {}, []
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        with bench.step(f"identity in {name}", "identity", 20) as there_is_time:
            if not there_is_time:
                continue
            pair = load_pair(TARGET, DRAFT, bench.device, dtype)
            drafter, some = drafter_for(pair, DRAFT, bench.device, dtype), []
            for i, text in enumerate(HARD_TO_ENCODE[:prompts]):
                ids = pair.text.encode(text)[: LENGTHS[i % 3]]
                config = DecodeConfig(K=1 + i % 6, temperature=0, max_new_tokens=tokens)
                alone, ours = (
                    list(decode(pair.target, drafter, ids, c, pair.text, observe=False)) for c in (replace(config, K=0), config)
                )
                if here := divergence(pair.target, ids, alone, ours):
                    some.append({"prompt": text, "K": config.K, **asdict(here)})
                    a, b = here.alone, here.block
                    gaps = {"gap_alone": a.vanilla - a.speculative, "gap_block": b.vanilla - b.speculative}
                    words = {"vanilla": here.vanilla.text, "speculative": here.speculative.text}
                    parted.append({"dtype": name, "prompt": text[:30], "at": here.at, **words, **gaps})
            results[name] = {"prompts": prompts, "same": prompts - len(some), "parted": some}
            bench.keep("identity", f"{TARGET}, {DRAFT}", results)
    show("Where greedy lanes part", "dtype prompt at vanilla speculative gap_alone gap_block", parted)
    console.print(", ".join(f"{name}: {f['same']} of {f['prompts']} the same" for name, f in results.items()))
