"""Every drafter of the bundled family on prompts of every register: `make bench-drafters`, the table of the model card.

α at temperature 0 is accepted ÷ tested, at temperature 1 the mean of Σ min(p, q). Speedups: stories, greedy, medians of
vanilla ÷ speculative with both of a pair run one after the other, K from 1 to 8, with and without confidence stopping. Rules: tokens a
round of the same prompts and seeds; what the positions of half of the runs promise is held against the other half. Trees: bench_trees.py, blocks in one
pass: bench_blocks.py. Ends in one line of JSON.
"""

import statistics as st
from dataclasses import replace
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from specviz.acceptance import expected_tokens_by_position
from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab.measure import Run, measure, tokens_a_round
from specviz.local import DRAFTERS, TARGET

from .bench_blocks import all_positions, blocks
from .bench_trees import trees
from .prompts import REGISTERS
from .result import Out, print_figures

RULES = {  # name: how a token is drafted, how it is verified
    "sample + rejection": {},
    "sample + match": {"verifier": "match"},
    "argmax": {"drafting": "argmax"},
    "sample + block": {"verifier": "block"},
}
# drafters, temperatures and seeds that rules are compared with
RULED, HEATS, SEEDS = ("small", "eagle", "mtp"), (0.0, 0.7, 1.0), 4
BLOCKED = ("block", "eagle", "mtp", "small")  # drafters whose blocks of eight are held against one another
HALVED = 32  # seeds of runs of which one half is held against the other: with 4, halves differ by some 4 % by chance alone
KS = (1, 2, 3, 4, 5, 6, 8)
CONFIDENT, UNSURE = 0.4, ("lookup", "random", "oracle")  # drafters that have no confidence worth stopping by
console = Console(highlight=False, width=120)


def main(
    out: Out = None,
    tokens: int = 96,
    k: Annotated[int, typer.Option("--k", "-k", help="K that acceptance is measured with.")] = 4,
    prompts: Annotated[int, typer.Option(help="Of each register.")] = 8,
):
    threads = machine.set_threads(alone=True)
    base = load_pair(TARGET, None, machine.device())
    drafters = {key: drafter_for(base, name, machine.device()) for key, name in DRAFTERS.items()}
    texts = {name: [base.text.encode(p) for p in texts_of[:prompts]] for name, texts_of in REGISTERS.items()}
    config = DecodeConfig(K=k, temperature=0, max_new_tokens=tokens, ignore_eos=True)

    def runs(key, ids, config, **how) -> Run:
        return measure(base.target, drafters[key], ids, config, base.text, **how)

    for key in drafters:  # warm-up
        runs(key, texts["stories"][0], replace(config, max_new_tokens=16))
    acceptance = {}
    cells = [(key, register, T) for key in drafters for register in texts for T in (0, 1)]
    for key, register, T in track(cells, "acceptance", console=Console(stderr=True), transient=True):
        how = replace(config, temperature=float(T))
        acceptance[key, register, T] = [runs(key, ids, how, observe=T == 1) for ids in texts[register]]
    speed = {}
    for key in track(drafters, "speed", console=Console(stderr=True), transient=True):
        for K in KS:
            for confidence in (0.0, CONFIDENT) if key not in UNSURE else (0.0,):
                how = replace(config, K=K, confidence=confidence)
                pairs = [(runs(key, ids, replace(config, K=0)), runs(key, ids, how)) for ids in texts["stories"]]
                speed[key, K, confidence] = [alone.ms_a_token / mine.ms_a_token for alone, mine in pairs]
    best = {key: max((how for how in speed if how[0] == key), key=lambda how: st.median(speed[how])) for key in drafters}
    ruled = {}
    cells = [(key, rule, T) for key in RULED if key in drafters for rule in RULES for T in HEATS]
    for key, rule, T in track(cells, "rules", console=Console(stderr=True), transient=True):
        how = replace(config, temperature=T, **RULES[rule])
        seeds = range(SEEDS if T else 1)
        ruled[key, rule, T] = [runs(key, ids, replace(how, seed=seed)) for ids in texts["stories"] for seed in seeds]
    halved = {}
    for key in track([key for key in RULED if key in drafters], "positions", console=Console(stderr=True), transient=True):
        how = replace(config, temperature=1.0)
        halved[key] = [runs(key, ids, replace(how, seed=seed)) for ids in texts["stories"] for seed in range(HALVED)]
    copying = {K: [runs("lookup", ids, replace(config, K=K)) for ids in texts["copying"]] for K in (4, 8, 12)}

    lines = [f"α by register, T = 0 / T = 1, K = {k}; best K and speedup over vanilla on stories, greedy (quartiles); "
             f"{base.target.info.name} on {machine.describe_machine().device}, {threads} threads, {tokens} tokens", "",
             "| drafter | " + " | ".join(texts) + " | K* | speedup |", "|---|" + "---|" * (len(texts) + 2)]  # fmt: skip
    for key in drafters:
        cells = [f"{alpha(acceptance[key, r, 0]):.2f} / {mean_beta(acceptance[key, r, 1]):.2f}" for r in texts]
        low, median, high = st.quantiles(speed[best[key]], n=4)
        _, K, confidence = best[key]
        lines.append(
            f"| {key} | "
            + " | ".join(cells)
            + f" | {K}{f', stops below {confidence}' if confidence else ''} | {median:.2f} ({low:.2f}–{high:.2f}) |"
        )
    show(lines)
    table = [f"tokens a round by rule, stories, K = {k}, {SEEDS} seeds each", "",
             "| drafter | rule | " + " | ".join(f"T = {T:g}" for T in HEATS) + " |", "|---|---|" + "---|" * len(HEATS)]  # fmt: skip
    for key, rule in dict.fromkeys((key, rule) for key, rule, _ in ruled):
        table.append(f"| {key} | {rule} | " + " | ".join(f"{tokens_a_round(ruled[key, rule, T]):.2f}" for T in HEATS) + " |")
    show(table)
    lines += ["", *table]
    branching, of_trees = trees(
        base, {key: drafters[key] for key in ("small", "eagle") if key in drafters}, texts["stories"], tokens, SEEDS
    )
    show(branching[: branching.index("", 3)])
    lines += ["", *branching]
    one_pass, of_blocks = blocks(runs, [key for key in BLOCKED if key in drafters], texts["stories"], tokens)
    show(one_pass)
    lines += ["", *one_pass]
    winner = max(drafters, key=lambda key: st.median(speed[best[key]]))
    figures = {
        "alpha_small_t0": alpha(acceptance["small", "stories", 0]),
        "alpha_small_t1": mean_beta(acceptance["small", "stories", 1]),
        "alpha_mtp1_t0": first(acceptance["mtp", "stories", 0]) if "mtp" in drafters else None,
        "alpha_eagle1_t0": first(acceptance["eagle", "stories", 0]) if "eagle" in drafters else None,
        "block_over_rejection": over(ruled, "sample + block", "sample + rejection"),
        "argmax_over_sample_t1": over(ruled, "argmax", "sample + rejection"),
        "tokens_by_position_error": max(map(position_error, halved.values())),
        "ngram_tokens_per_forward": max(tokens_a_round(copied) for copied in copying.values()),
        **of_trees,
        **of_blocks,
        "block_speedup_best": st.median(speed[best["block"]]),
        "best_speedup": st.median(speed[best[winner]]),
        "best_drafter": winner,
        "best_K": best[winner][1],
        "best_confidence": best[winner][2],
        "device": machine.describe_machine().device,
        "threads": threads,
    }
    print_figures(figures, out, [*lines, ""])


def alpha(runs: list[Run]) -> float:
    """Accepted ÷ tested; 0 where nothing was drafted."""
    return sum(r.accepted for r in runs) / max(1, sum(r.tested for r in runs))


def mean_beta(runs: list[Run]) -> float:
    betas = [beta for r in runs for beta in r.betas]
    return st.mean(betas) if betas else 0.0


def first(runs: list[Run]) -> float:
    """How often the first token of a block was accepted."""
    return sum(r.first_accepted for r in runs) / max(1, sum(r.blocks for r in runs))


def over(ruled: dict, rule: str, base: str) -> float:
    """Mean over stories, and over drafters, of tokens a round by `rule` ÷ by `base`, at T = 1."""
    ratios = []
    for key in dict.fromkeys(key for key, _, _ in ruled):
        mine, its = (ruled[key, name, 1.0] for name in (rule, base))
        ratios += [tokens_a_round(mine[i : i + SEEDS]) / tokens_a_round(its[i : i + SEEDS]) for i in range(0, len(mine), SEEDS)]
    return st.mean(ratios)


def position_error(runs: list[Run]) -> float:
    """How far tokens a round that the positions of one half of the runs promise are from those measured in the other, in parts."""
    mine, its = runs[::2], runs[1::2]
    counts = all_positions(mine)
    expected = expected_tokens_by_position([accepted / reached if reached else 0.0 for reached, accepted in counts], len(counts))
    return abs(expected / tokens_a_round(its) - 1)


def show(lines: list[str]) -> None:
    """The Markdown table, as one for the eye."""
    console.print(lines[0])
    heads, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:] if not line.startswith("|--"))
    table = Table(*heads, box=SIMPLE)
    for row in rows:
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
