"""Chain or tree, with the same drafter, prompts and seeds: `python -m scripts.bench_trees`, a part of `make bench-drafters`.

A chain of K = 4 against trees of at most 16 tokens, on stories. Tokens a round are counts; speedups are medians of vanilla ÷ speculative of
pairs that ran one after the other, greedy. Then acceptance by depth and rank, and what tree within the budget it promises most for; what
a page makes of that: assets/picture/shapes.js. Ends in one line of JSON.
"""

import json
import statistics as st
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import typer

from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import Pair, load_pair
from specviz.lab.measure import measure, tokens_a_round
from specviz.local import DRAFTERS, TARGET
from specviz.trace.events import Round, rounds_of
from specviz.trace.tree import children

from .prompts import REGISTERS
from .result import print_figures

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
Share = list[list[float]]
"""share[d][r]: the chance that the child of rank r, from 0, at depth d + 1 is kept where its parent is. Of siblings one is kept, or none."""


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
                name = tree_name(config)
                many = (replace(config, seed=seed) for seed in range(seeds if T else 1))
                by[name] = tokens_a_round([measure(pair.target, drafter, ids, one, pair.text) for one in many for ids in texts])
                cell = ""
                if timed and not T:
                    ratios = []
                    for ids in texts:
                        alone, mine = (
                            measure(pair.target, drafter, ids, settings, pair.text) for settings in (replace(config, K=0), config)
                        )
                        ratios.append(alone.ms_a_token / mine.ms_a_token)
                    speedups[key, name] = st.median(ratios)
                    cell = f"{st.median(ratios):.2f}"
                gain = by[name] / next(iter(by.values()))
                lines.append(f"| {key} | {T:g} | {name} | {config.max_drafted} | {by[name]:.2f} | {gain:.2f} | {cell} |")
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


def tree_name(config: DecodeConfig) -> str:
    if not config.branches:
        return f"chain, K = {config.K}"
    return f"{config.tree} {config.children if config.tree == 'static' else config.nodes}, K = {config.K}"


def shares(
    pair: Pair, drafter, texts: list[list[int]], config: DecodeConfig, seeds: int
) -> tuple[list[list[float]], list[list[int]]]:
    """By depth and rank, how often a guess is kept where its siblings are tested; and how often that was."""
    rounds = list[Round]()
    for ids in texts:
        for seed in range(seeds):
            events = decode(pair.target, drafter, ids, replace(config, seed=seed), pair.text, observe=False)
            rounds += rounds_of(events)
    return by_rank(rounds)


def ranked(pair: Pair, drafter, texts: list[list[int]], config: DecodeConfig, seeds: int, key: str) -> list[str]:
    """Acceptance by depth and rank, and the best tree that it promises, beside the best chain."""
    share, _ = shares(pair, drafter, texts, config, seeds)
    tree, chain = best(share, N), best(first_choices(share), N)
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


class TreeShape(NamedTuple):
    """A tree: `tokens` of a round on average, with the last one; `nodes` at each depth, from 1."""

    tokens: float
    nodes: tuple[int, ...]


def by_rank(rounds: Sequence[Round]) -> tuple[Share, list[list[int]]]:
    """The chances that these rounds showed, and how often each place was open: its parent was kept, and its siblings were tested."""
    tested, accepted = list[list[int]](), list[list[int]]()
    for r in rounds:
        below, at, depth = children(r.drafted), -1, 0
        while here := below[at + 1]:
            verdicts = [r.drafted[i].verdict for i in here]
            if set(verdicts) == {"unexamined"}:
                break
            for counts in (tested, accepted):
                counts += [[]] * (depth + 1 - len(counts))
                counts[depth] = counts[depth] + [0] * (len(here) - len(counts[depth]))
            for rank in range(len(here)):
                tested[depth][rank] += 1
            if "accepted" not in verdicts:
                break
            rank = verdicts.index("accepted")
            accepted[depth][rank] += 1
            at, depth = here[rank], depth + 1
    return [[k / n for k, n in zip(kept_at, all_, strict=True)] for kept_at, all_ in zip(accepted, tested, strict=True)], tested


def best(share: Share, n: int) -> TreeShape:
    """Of all trees of at most n tokens the one with the most tokens a round: a place is never likelier than the one before it, so the
    likeliest are taken, of equals the earlier. Of siblings an earlier one is taken to be the likelier. Deeper than was measured nothing is promised."""
    open_, tokens, nodes = [(1.0, 0)], 0.0, [0] * (len(share) + 1)
    for _ in range(n + 1):  # the text itself is the first place: it stands for the last token of a round, which is sure
        if not open_:
            break
        at = max(range(len(open_)), key=lambda i: open_[i][0])
        chance, depth = open_.pop(at)
        tokens += chance
        nodes[depth] += 1
        if depth < len(share):
            open_ += [(chance * part, depth + 1) for part in share[depth]]
    return TreeShape(tokens, tuple(count for count in nodes[1:] if count))


def first_choices(share: Share) -> Share:
    """The first choices alone: the best tree of these is a chain."""
    return [ranks[:1] for ranks in share]


def main(
    tokens: int = 96, prompts: int = 8, seeds: int = 4, drafters: str = "small,eagle", timed: bool = True, shapes: bool = False
) -> None:
    """`shapes`: only write what Learn needs, assets/shapes/fable-small.json."""
    machine.set_threads(alone=True)
    pair = load_pair(TARGET, None, machine.device())
    if shapes:
        return write_shares(pair, [pair.text.encode(prompt) for prompt in REGISTERS["stories"][:prompts]], tokens, seeds)
    drafters_by_key = {key: drafter_for(pair, DRAFTERS[key], machine.device()) for key in drafters.split(",")}
    texts = [pair.text.encode(prompt) for prompt in REGISTERS["stories"][:prompts]]
    lines, summary = trees(pair, drafters_by_key, texts, tokens, seeds, timed)
    print("\n".join(lines))
    print_figures(summary | {"device": machine.describe_machine().device})


if __name__ == "__main__":
    typer.run(main)
