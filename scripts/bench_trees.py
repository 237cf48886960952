"""Chain or tree, with the same drafter, prompts and seeds: `python -m scripts.bench_trees`, a part of `make bench-drafters`.

A chain of K = 4 against trees of at most 16 tokens, on stories. Tokens a round are counts; speedups are medians of vanilla ÷ speculative of
pairs that ran one after the other, greedy. Then acceptance by depth and rank, and what tree within the budget it promises most for. Ends
in one line of JSON.
"""

import json
import statistics as st
from dataclasses import replace
from itertools import zip_longest

import typer

from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import Pair, load_pair
from specviz.lab.measure import measure
from specviz.local import DRAFTERS, TARGET
from specviz.trace.events import Round

from .prompts import REGISTERS
from .result import json_line
from .tree_shapes import best, by_rank, firsts

N, K = 16, 4
SHAPES = ASSETS / "shapes"
TREES = {  # by temperature: trees of at most N tokens
    0.0: (
        {"tree": "dynamic", "K": 4},
        {"tree": "dynamic", "K": 6},
        {"tree": "static", "children": "2-2-1-1"},
        {"tree": "dynamic", "K": 4, "nodes": 6},  # what a CPU can pay for
    ),
    1.0: (
        {"tree": "static", "children": "2-2-1-1"},
        {"tree": "static", "children": "2-1", "K": 8},
        {"tree": "static", "children": "3-1", "K": 5},
    ),
}


def trees(
    pair: Pair, drafters: dict, texts: list[list[int]], tokens: int, seeds: int, timed: bool = True
) -> tuple[list[str], dict]:
    """A table as Markdown, and the numbers of the summary. `drafters` by name."""
    chain = DecodeConfig(K=K, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    lines = [f"tokens a round on stories: a chain of K = {K}, and trees of at most {N} tokens; {len(texts)} prompts", "",
             "| drafter | T | block | tokens drafted | tokens a round | over the chain | speedup |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    gains: dict[str, list[float]] = {}
    speedups: dict[tuple[str, str], float] = {}
    places: list[str] = []
    for key, drafter in drafters.items():
        for T, shapes in TREES.items():
            by: dict[str, float] = {}
            for shape in ({}, *shapes):
                config = replace(chain, temperature=T, **shape)
                name = called(config)
                by[name] = a_round(pair, drafter, texts, config, seeds if T else 1)
                cell = ""
                if timed and not T:
                    ratios = []
                    for ids in texts:
                        alone, mine = (
                            measure(pair.target, drafter, ids, settings, pair.text) for settings in (replace(config, K=0), config)
                        )
                        ratios.append(alone.pace / mine.pace)
                    speedups[key, name] = st.median(ratios)
                    cell = f"{st.median(ratios):.2f}"
                gain = by[name] / next(iter(by.values()))
                lines.append(f"| {key} | {T:g} | {name} | {config.most} | {by[name]:.2f} | {gain:.2f} | {cell} |")
            gains[f"{key} T={T:g}"] = [
                tokens / by[f"chain, K = {K}"] for name, tokens in by.items() if not name.startswith("chain")
            ]
        places += [
            "",
            *ranked(pair, drafter, texts, replace(chain, temperature=1.0, K=8, tree="static", children="3-2-1"), seeds, key),
        ]
    branching = {how: speed for how, speed in speedups.items() if not how[1].startswith("chain")}
    fast = max(branching, key=branching.__getitem__, default=None)
    return lines + places, {
        "tree_tokens_over_chain": min(map(max, gains.values())),
        "tree_tokens_over_chain_by": {name: max(over_chain) for name, over_chain in gains.items()},
        "tree_speedup_best": branching[fast] if fast else None,
        "tree_speedup_best_how": ", ".join(fast) if fast else None,
    }


def called(config: DecodeConfig) -> str:
    if not config.branches:
        return f"chain, K = {config.K}"
    return f"{config.tree} {config.children if config.tree == 'static' else config.nodes}, K = {config.K}"


def a_round(pair: Pair, drafter, texts: list[list[int]], config: DecodeConfig, seeds: int) -> float:
    """Tokens a round, over all prompts and seeds."""
    runs = [measure(pair.target, drafter, ids, replace(config, seed=seed), pair.text) for ids in texts for seed in range(seeds)]
    return sum(run.tokens for run in runs) / sum(run.rounds for run in runs)


def shares(
    pair: Pair, drafter, texts: list[list[int]], config: DecodeConfig, seeds: int
) -> tuple[list[list[float]], list[list[int]]]:
    """By depth and rank, how often a guess is kept where its siblings are tested; and how often that was."""
    rounds = list[Round]()
    for ids in texts:
        for seed in range(seeds):
            events = decode(pair.target, drafter, ids, replace(config, seed=seed), pair.text, observe=False)
            rounds += [event for event in events if isinstance(event, Round)]
    return by_rank(rounds)


def ranked(pair: Pair, drafter, texts: list[list[int]], config: DecodeConfig, seeds: int, key: str) -> list[str]:
    """Acceptance by depth and rank, and the best tree that it promises, beside the best chain."""
    share, _ = shares(pair, drafter, texts, config, seeds)
    tree, chain = best(share, N), best(firsts(share), N)
    ranks = range(max(map(len, share)))
    rows = [f"{key}, T = 1: share of places where the child of this rank is kept, and the best tree of {N} tokens by it", "",
            "| depth | " + " | ".join(f"rank {rank + 1}" for rank in ranks) + " | nodes in the best tree |", "|---|" + "---|" * (len(ranks) + 1)]  # fmt: skip
    for depth, (row, nodes) in enumerate(zip_longest(share, tree.nodes, fillvalue=0), 1):
        cells = [f"{row[rank]:.3f}" if rank < len(row) else "" for rank in ranks]
        rows.append(f"| {depth} | {' | '.join(cells)} | {nodes} |")
    return [
        *rows,
        "",
        f"It promises {tree.tokens:.2f} tokens a round, and a chain of {sum(chain.nodes)} promises {chain.tokens:.2f}.",
    ]


def write_shares(pair: Pair, texts: list[list[int]], tokens: int, seeds: int) -> None:
    """assets/shapes/: what Learn compares a chain and a tree by. Counts alone, which no other program disturbs."""
    config = DecodeConfig(K=8, temperature=1.0, tree="static", children="3-2-1", max_new_tokens=tokens, ignore_eos=True)
    share, counts_of = shares(pair, drafter_for(pair, DRAFTERS["small"], machine.device()), texts, config, seeds)
    file = {
        "target": TARGET.rpartition("/")[2],
        "draft": DRAFTERS["small"].rpartition("/")[2],
        "temperature": config.temperature,
        "runs": len(texts) * seeds,
        "share": [[round(part, 4) for part in ranks] for ranks in share],
        "tested": [counts[0] for counts in counts_of],
    }
    SHAPES.mkdir(exist_ok=True)
    (SHAPES / "fable-small.json").write_text(json.dumps(file) + "\n", "utf-8")


def main(
    tokens: int = 96, prompts: int = 8, seeds: int = 4, drafters: str = "small,eagle", timed: bool = True, shapes: bool = False
) -> None:
    """`shapes`: only write what Learn needs, assets/shapes/fable-small.json."""
    machine.set_threads(alone=True)
    pair = load_pair(TARGET, None, machine.device())
    if shapes:
        return write_shares(pair, [pair.text.encode(prompt) for prompt in REGISTERS["stories"][:prompts]], tokens, seeds)
    chosen = {key: drafter_for(pair, DRAFTERS[key], machine.device()) for key in drafters.split(",")}
    texts = [pair.text.encode(prompt) for prompt in REGISTERS["stories"][:prompts]]
    lines, summary = trees(pair, chosen, texts, tokens, seeds, timed)
    print("\n".join(lines))
    print(json_line(summary | {"device": machine.describe().device}))


if __name__ == "__main__":
    typer.run(main)
