"""A block in one pass or token by token: `python -m scripts.bench_blocks`, a part of `make bench-drafters`.

Blocks of eight tokens on stories, greedy, same prompts: how long drafting one takes, in target passes over one token, and how often each
place is accepted once the one before it was. Medians over the rounds that drafted eight, then over prompts, by turns. Ends in one line of
JSON.
"""

import statistics as st
from collections.abc import Callable
from dataclasses import replace

import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.lab.measure import Run, measure, tokens_a_round
from specviz.local import DRAFTERS, TARGET

from .prompts import REGISTERS
from .result import print_figures

K, TURNS = 8, 3
BLOCK, CHAIN = "block", "eagle"  # one head in one pass, one of the same size that makes a pass for each token


def blocks(
    runs: Callable[[str, list[int], DecodeConfig], Run], keys: list[str], texts: list[list[int]], tokens: int
) -> tuple[list[str], dict]:
    """A table as Markdown, and the numbers of the summary. `runs(key, ids, config)` decodes once."""
    config = DecodeConfig(K=K, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    steps: dict[str, list[float]] = {key: [] for key in keys}
    runs_of: dict[str, list[Run]] = {key: [] for key in keys}
    for _ in range(TURNS):
        for ids in texts:
            alone = runs(keys[0], ids, replace(config, K=0))
            for key in keys:
                run = runs(key, ids, config)
                runs_of[key].append(run)
                whole = [ms for ms, drafted in zip(run.drafts, run.lengths, strict=True) if drafted == K]
                steps[key].append(st.median(whole) / (alone.verify / alone.rounds))
    lines = [f"blocks of {K} on stories, greedy: draft time of {K} tokens in target passes, and acceptance by position, given reached", "",
             "| drafter | draft time | tokens a round | " + " | ".join(map(str, range(1, K + 1))) + " |", "|---|---|---|" + "---|" * K]  # fmt: skip
    for key in keys:
        shares = " | ".join(f"{accepted / reached:.2f}" if reached else "–" for reached, accepted in all_positions(runs_of[key]))
        a_round = tokens_a_round(runs_of[key])
        lines.append(f"| {key} | {st.median(steps[key]):.2f} | {a_round:.2f} | {shares} |")
    return lines, {
        "block_draft_c_at_8": st.median(steps[BLOCK]),
        "chain_draft_c_at_8": st.median(steps[CHAIN]),
        "block_over_chain_draft_time": st.median(b / c for b, c in zip(steps[BLOCK], steps[CHAIN], strict=True)),
    }


def all_positions(runs: list[Run]) -> list[list[int]]:
    """Of each position of a block that all runs have how often it was tested, and accepted."""
    return [[sum(column) for column in zip(*same, strict=True)] for same in zip(*(run.positions for run in runs), strict=False)]


def main(tokens: int = 96, prompts: int = 8):
    machine.set_threads(alone=True)
    pair = load_pair(TARGET, None, machine.device())
    keys = [BLOCK, CHAIN, "mtp", "small"]
    drafters = {key: drafter_for(pair, DRAFTERS[key], machine.device()) for key in keys}
    texts = [pair.text.encode(p) for p in REGISTERS["stories"][:prompts]]

    def runs(key: str, ids: list[int], config: DecodeConfig) -> Run:
        return measure(pair.target, drafters[key], ids, config, pair.text)

    for key in keys:
        runs(key, texts[0], DecodeConfig(K=K, max_new_tokens=16, temperature=0))
    lines, summary = blocks(runs, keys, texts, tokens)
    print("\n".join(lines))
    print_figures(summary | {"device": machine.describe_machine().device})


if __name__ == "__main__":
    typer.run(main)
