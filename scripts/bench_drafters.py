"""Every drafter of a target on texts of every kind: `make bench-drafters`, the tables of the model card and of docs/rules.md.

    python -m scripts.bench_drafters --target smollm2        # another target than the bundled one; an assistant is asked questions
    python -m scripts.bench_drafters --only blocks           # one of acceptance, rules, trees, blocks

acceptance   α at temperature 0 is accepted ÷ tested, at temperature 1 the mean of Σ min(p, q). Speedups: the first kind of text, greedy,
             medians of vanilla ÷ speculative of pairs run one after the other, K from 1 to 8, with and without confidence stopping
rules        tokens a round of the same prompts and seeds; what the positions of half of the runs promise is held against the other half
trees        a chain of K = 4 against trees of at most 16 tokens: tokens a round, and speedups of pairs as above
blocks       of eight, greedy: how long one takes to draft, in target passes over one token, and how often each place is accepted
             once the one before it was. Medians over the rounds that drafted eight, then over prompts, alternately

Ends in one line of JSON.
"""

import math
import statistics as st
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from specviz.acceptance import expected_tokens_by_position
from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab.measure import Run, measure, tokens_a_round
from specviz.local import TARGET, drafts_for

from .prompts import ASSISTANT, REGISTERS
from .result import Out, print_figures

RULES = {  # name: how a token is drafted, how it is verified
    "sample + rejection": {},
    "sample + match": {"verifier": "match"},
    "argmax": {"drafting": "argmax"},
    "sample + block": {"verifier": "block"},
}
# drafters, temperatures and seeds that rules are compared with
RULED, HEATS, SEEDS = ("small", "eagle", "mtp"), (0.0, 0.7, 1.0), 4
BLOCKED, BLOCK, TURNS = (
    ("block", "eagle", "mtp", "small"),
    8,
    3,
)  # drafters of blocks, tokens of one, and how often each prompt is decoded
HALVED = 32  # seeds of runs of which one half is held against the other: with 4, halves differ by some 4 % by chance alone
KS = (1, 2, 3, 4, 5, 6, 8)
CONFIDENT, UNSURE = 0.4, ("lookup", "random", "oracle")  # drafters that have no confidence worth stopping by
TREES = {  # by temperature: a chain, and trees of at most 16 tokens
    0.0: ({}, {"tree": "dynamic"}, {"tree": "dynamic", "K": 6}, {"tree": "static", "children": "2-2-1-1"}, {"tree": "dynamic", "nodes": 6}),
    1.0: ({}, {"tree": "static", "children": "2-2-1-1"}, {"tree": "static", "children": "2-1", "K": 8},
          {"tree": "static", "children": "3-1", "K": 5}),
}  # fmt: skip


class Bench:
    """A target, its drafters by key, prompts by kind, and how runs are made of them."""

    def __init__(self, target: str, K: int, tokens: int, prompts: int):
        pair = load_pair(target, None, machine.device())
        self.target, self.text = pair.target, pair.text
        self.drafters = {key: drafter_for(pair, name, machine.device()) for key, name in drafts_for(target).items()}
        kinds = ASSISTANT if pair.text.chat else REGISTERS
        self.texts = {kind: [pair.text.encode(p) for p in some[:prompts]] for kind, some in kinds.items()}
        self.kind, self.ids = next(iter(self.texts.items()))
        self.config = DecodeConfig(K=K, temperature=0, max_new_tokens=tokens, ignore_eos=True)
        for key in self.drafters:  # warm-up
            self.run(key, self.ids[0], replace(self.config, max_new_tokens=16))

    def run(self, key: str, ids: list[int], config: DecodeConfig, observe: bool = False) -> Run:
        return measure(self.target, self.drafters[key], ids, config, self.text, observe)

    def seeded(self, key: str, config: DecodeConfig, seeds: int = SEEDS) -> list[Run]:
        """Each prompt of the first kind with every seed; greedy, with one."""
        return [self.run(key, ids, replace(config, seed=s)) for ids in self.ids for s in range(1 if config.greedy else seeds)]

    def speedups(self, key: str, config: DecodeConfig) -> list[float]:
        vanilla = replace(config, K=0, tree="off")
        pairs = ((self.run(key, ids, vanilla), self.run(key, ids, config)) for ids in self.ids)
        return [alone.ms_a_token / mine.ms_a_token for alone, mine in pairs]

    def known(self, keys: Iterable[str]) -> list[str]:
        return [key for key in keys if key in self.drafters]


def progress(cells, what: str):
    return track(list(cells), what, console=Console(stderr=True), transient=True)


def table(title: str, heads: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """In Markdown, under its title."""
    heads = list(heads)
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return [title, "", f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *lines, ""]


def acceptance(bench: Bench) -> tuple[list[str], dict]:
    runs = {}
    for key, kind, T in progress(((k, n, T) for k in bench.drafters for n in bench.texts for T in (0, 1)), "acceptance"):
        config = replace(bench.config, temperature=float(T))
        runs[key, kind, T] = [bench.run(key, ids, config, observe=T == 1) for ids in bench.texts[kind]]
    speed = {}
    for key in progress(bench.drafters, "speed"):
        for K in KS:
            for confidence in (0.0,) if key in UNSURE else (0.0, CONFIDENT):
                speed[key, K, confidence] = bench.speedups(key, replace(bench.config, K=K, confidence=confidence))
    best = {key: max((how for how in speed if how[0] == key), key=lambda how: st.median(speed[how])) for key in bench.drafters}
    rows = []
    for key, (_, K, confidence) in best.items():
        low, median, high = st.quantiles(speed[best[key]], n=4)
        cells = [f"{alpha(runs[key, kind, 0]):.2f} / {mean_beta(runs[key, kind, 1]):.2f}" for kind in bench.texts]
        stops = f", stops below {confidence}" if confidence else ""
        rows.append([key, *cells, f"{K}{stops}", f"{median:.2f} ({low:.2f}–{high:.2f})"])
    about, K = machine.describe_machine(), bench.config.K
    title = f"α by register, T = 0 / T = 1, K = {K}; best K and speedup over vanilla on {bench.kind}, greedy (quartiles); "
    title += f"{bench.target.info.name} on {about.device}, {about.threads} threads, {bench.config.max_new_tokens} tokens"
    lines = table(title, ["drafter", *bench.texts, "K*", "speedup"], rows)
    paces = {key: [[f"{tokens_a_round(runs[key, n, T]):.2f}" for T in (0, 1)] for n in bench.texts] for key in bench.drafters}
    cells = ([key, *map(" / ".join, each)] for key, each in paces.items())
    lines += table(f"tokens a round by register, T = 0 / T = 1, K = {K}", ["drafter", *bench.texts], cells)
    firsts = {f"alpha_{key}1_t0": first(runs[key, bench.kind, 0]) for key in bench.known(("mtp", "eagle"))}
    if "copying" in bench.texts:
        copied = [[bench.run("lookup", ids, replace(bench.config, K=K)) for ids in bench.texts["copying"]] for K in (4, 8, 12)]
        firsts["ngram_tokens_per_forward"] = max(map(tokens_a_round, copied))
    winner = max(best.values(), key=lambda how: st.median(speed[how]))
    return lines, {**firsts, "best_speedup": st.median(speed[winner]), "best_drafter": winner[0], "best_K": winner[1]}


def rules(bench: Bench) -> tuple[list[str], dict]:
    keys, runs = bench.known(RULED), {}
    for key, rule, T in progress(((k, rule, T) for k in keys for rule in RULES for T in HEATS), "rules"):
        runs[key, rule, T] = bench.seeded(key, replace(bench.config, temperature=T, **RULES[rule]))
    rows = ([key, rule, *(f"{tokens_a_round(runs[key, rule, T]):.2f}" for T in HEATS)] for key in keys for rule in RULES)
    title = f"tokens a round by rule, {bench.kind}, K = {bench.config.K}, {SEEDS} seeds each"

    def over(rule: str, base: str = "sample + rejection") -> float:
        """Mean over prompts, and over drafters, of tokens a round by `rule` ÷ by `base`, at T = 1."""
        both = [(runs[key, rule, 1.0], runs[key, base, 1.0]) for key in keys]
        return st.mean(
            tokens_a_round(mine[i : i + SEEDS]) / tokens_a_round(its[i : i + SEEDS])
            for mine, its in both
            for i in range(0, len(mine), SEEDS)
        )

    errors = [
        position_error(bench.seeded(key, replace(bench.config, temperature=1.0), HALVED)) for key in progress(keys, "halves")
    ]
    figures = {"block_over_rejection": over("sample + block"), "argmax_over_sample_t1": over("argmax")}
    return table(title, ["drafter", "rule", *(f"T = {T:g}" for T in HEATS)], rows), {
        **figures,
        "tokens_by_position_error": max(errors),
    }


def trees(bench: Bench) -> tuple[list[str], dict]:
    rows = []
    for key, T in progress(((key, T) for key in bench.known(("small", "eagle")) for T in TREES), "trees"):
        chain = None
        for shape in TREES[T]:
            config = replace(bench.config, **{"K": 4, "temperature": T, **shape})
            a_round = tokens_a_round(bench.seeded(key, config))
            chain = chain or a_round
            speed = "" if T else f"{st.median(bench.speedups(key, config)):.2f}"
            rows.append([key, f"{T:g}", tree_name(config), config.max_drafted, f"{a_round:.2f}", f"{a_round / chain:.2f}", speed])
    title = f"tokens a round on {bench.kind}: a chain of K = 4, and trees of at most 16 tokens; {len(bench.ids)} prompts"
    return table(title, ["drafter", "T", "block", "tokens drafted", "tokens a round", "over the chain", "speedup"], rows), {}


def tree_name(config: DecodeConfig) -> str:
    if not config.branches:
        return f"chain, K = {config.K}"
    return f"{config.tree} {config.children if config.tree == 'static' else config.nodes}, K = {config.K}"


def blocks(bench: Bench) -> tuple[list[str], dict]:
    keys, config = bench.known(BLOCKED), replace(bench.config, K=BLOCK)
    steps: dict[str, list[float]] = {key: [] for key in keys}
    runs: dict[str, list[Run]] = {key: [] for key in keys}
    for ids in progress(bench.ids * TURNS, "blocks"):
        alone = bench.run(keys[0], ids, replace(config, K=0))
        for key in keys:
            run = bench.run(key, ids, config)
            runs[key].append(run)
            if whole := [ms for ms, drafted in zip(run.drafts, run.lengths, strict=True) if drafted == BLOCK]:
                steps[key].append(st.median(whole) / (alone.verify / alone.rounds))
    title = (
        f"blocks of {BLOCK} on {bench.kind}, greedy: draft time of {BLOCK} tokens in target passes, "
        f"and acceptance by position, given reached"
    )
    rows = []
    for key in keys:
        shares = (f"{accepted / reached:.2f}" if reached else "–" for reached, accepted in all_positions(runs[key]))
        rows.append([key, f"{st.median(steps[key] or [math.nan]):.2f}", f"{tokens_a_round(runs[key]):.2f}", *shares])
    return table(title, ["drafter", "draft time", "tokens a round", *map(str, range(1, BLOCK + 1))], rows), {}


def all_positions(runs: list[Run]) -> list[list[int]]:
    """Of each position of a block that all runs have how often it was tested, and accepted."""
    return [[sum(column) for column in zip(*same, strict=True)] for same in zip(*(run.positions for run in runs), strict=False)]


def alpha(runs: list[Run]) -> float:
    """Accepted ÷ tested; 0 where nothing was drafted."""
    return sum(r.accepted for r in runs) / max(1, sum(r.tested for r in runs))


def mean_beta(runs: list[Run]) -> float:
    betas = [beta for r in runs for beta in r.betas]
    return st.mean(betas) if betas else 0.0


def first(runs: list[Run]) -> float:
    """How often the first token of a block was accepted."""
    return sum(r.first_accepted for r in runs) / max(1, sum(r.blocks for r in runs))


def position_error(runs: list[Run]) -> float:
    """How far tokens a round that the positions of one half of the runs promise are from those measured in the other, in parts."""
    counts = all_positions(runs[::2])
    expected = expected_tokens_by_position([accepted / reached if reached else 0.0 for reached, accepted in counts], len(counts))
    return abs(expected / tokens_a_round(runs[1::2]) - 1)


PARTS = {"acceptance": acceptance, "rules": rules, "trees": trees, "blocks": blocks}


def main(
    out: Out = None,
    target: str = TARGET,
    only: Annotated[str, typer.Option(help=f"One of {', '.join(PARTS)}.")] = "",
    tokens: int = 96,
    k: Annotated[int, typer.Option("--k", "-k", help="K that acceptance is measured with.")] = 4,
    prompts: Annotated[int, typer.Option(help="Of each kind.", min=2)] = 8,
):
    """Measure and print; the last line is JSON."""
    threads = machine.set_threads(alone=True)
    bench, lines, figures = Bench(target, k, tokens, prompts), [], {}
    for part in [only] if only else PARTS:
        more, of_part = PARTS[part](bench)
        print("\n".join(more), flush=True)
        lines += more
        figures |= of_part
    print_figures({**figures, "target": target, "device": machine.describe_machine().device, "threads": threads}, out, lines)


if __name__ == "__main__":
    typer.run(main)
