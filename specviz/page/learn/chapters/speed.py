"""The speedup by α, K, c and v, and what the formula takes for granted."""

import json
from collections.abc import Iterable

from ....acceptance import expected_speedup
from ....config import ASSETS
from ..chapter import STORY, Chapter, Exercise, Question, Runs, costs, models, verdicts, whole_rounds

BY_K = ASSETS / "learn" / "by_k.json"  # recorded by scripts/picture_data.py


def excerpt(runs: Runs) -> dict:
    """The point on the map; `stayed`: of the whole rounds, the share in which the first i drafts stayed, for i from 1 to K. The tokens a round
    and the speedup that they predict are of the same whole rounds; `given`: tokens a round of all rounds, as the measured speedup is."""
    run = runs["creative"]
    whole = whole_rounds(run)
    accepted = [verdicts(r).count("accepted") for r in whole]
    run_costs = costs(run)
    K, c, v = run_costs["K"], run_costs["c"], run_costs["v"]
    survival = [sum(n >= i for n in accepted) / len(accepted) for i in range(1, K + 1)] if accepted else []
    tokens = 1 + sum(survival)
    own = {"tokens_per_round": tokens, "predicted": expected_speedup(tokens, K, c, v)} if survival and c is not None and v else {}
    return {**models(run), **run_costs, **own, "stayed": survival, "whole": len(whole), "given": run_costs["tokens_per_round"]}


def tables() -> dict:
    """`by_k`: by K, over all recorded seeds: `rounds`; `accepted`: of the tokens tested at each position, the share that was accepted;
    `after`: the share of rounds that start after a rejection; `rejected`, `whole`: how many first tokens are accepted there, and after a
    whole block."""
    record = json.loads(BY_K.read_text("utf-8"))
    rows = [_row([seed[i] for seed in record["seeds"]]) for i in range(len(record["seeds"][0]))]
    runs = {name: record[name] for name in ("target", "draft", "temperature", "prompts")}
    return {"by_k": {**runs, "seeds": len(record["seeds"]), "rows": rows}}


def _row(seeds: list[dict]) -> dict:
    def add(rows: Iterable[list[int]]) -> list[int]:
        return [sum(counts) for counts in zip(*rows, strict=True)]

    positions = [add(same) for same in zip(*(one["positions"] for one in seeds), strict=True)]
    (rejected, first), (whole, other) = (add(one[key] for one in seeds) for key in ("rejected", "whole"))
    return {
        "K": len(positions),
        "rounds": positions[0][0],
        "accepted": [accepted / tested for tested, accepted in positions],
        "after": rejected / (rejected + whole),
        "rejected": first / rejected,
        "whole": other / whole,
    }


CHAPTER = Chapter(
    key="speed",
    short="How fast",
    title="How fast?",
    text=(
        "A round costs K·c + v passes over one token: K draft steps and one verifying pass. The tokens that it gives, divided by this cost, are "
        "the speedup.",
        "The formula for these tokens assumes independent acceptances. But easy places come in groups: a late position is reached only in easy text, and may be accepted more often. "
        "So use the run's real tokens per round.",
    ),
    question=Question(
        "T5-XXL translates at temperature 0. It has 11 billion weights. Which draft is fastest?",
        ("77 million weights, α = 0.75", "250 million, α = 0.80", "800 million, α = 0.82"),
        0,
        "The speedups are 3.4×, 2.8× and 1.7×. The best draft is the least accurate of the three, since it costs least (Leviathan 2022). By the formula 3× needs, for "
        "example, α = 0.8, c = 0.04, v = 1 and K = 5. With c = 0.2 it is 1.8×.",
    ),
    go="Watch the large draft: a better α, but a higher c.",
    settings={"prompt": STORY, "drafter": "large", "K": "3", "temperature": "0.8", "length": "96"},
    notes=(
        "With one draft step per token, some K helps only if the first guess is accepted more often than c (for v = 1). “K = 3 or 4” is a special case: at c = 0.02 and α = 0.8 "
        "the best K is 11.",
        "The hardware decides (Spec-Bench). The same draft gave Vicuna-7B 1.79× on an RTX 3090 and 1.52× on an A100, with the same 2.28 "
        "tokens per target pass.",
        "“By K”: vLLM's developers saw the same with a multi-token head on GSM8K at temperature 0. The first token was accepted in 83.4 % of the "
        "rounds at K = 1, and in 76.2 % at K = 8.",
    ),
    more=(
        "Tokens per round, if each token is accepted with chance α: (1 − αᴷ⁺¹) / (1 − α).",
        "Speedup = tokens per round ÷ cost of a round = (1 − αᴷ⁺¹) / (1 − α) ÷ (K·c + v).",
    ),
    sources=("leviathan", "specbench", "heads_by_k", "here"),
    exercise=Exercise(
        (
            "α = 0.8, K = 4, c = 0.1, v = 1. How many tokens does a round give by the formula, and what is the speedup?",
            "A run with these values gave 3 tokens per round and was 2 times as fast. Why was it slower than the formula?",
            "Choose “By K”. The first token is accepted less often at K = 8 than at K = 1. Is the draft worse there? Which number says so?",
        ),
        (
            "(1 − 0.8⁵) / 0.2 = 3.36 tokens; 3.36 / 1.4 = 2.40×.",
            "With its own tokens: 3 / 1.4 = 2.14×. From 2.40 to 2.14, dependence and luck make the difference. From 2.14 to 2.00, overhead does.",
            "No. After a rejection the first token is accepted about equally often at every K. But at K = 8, 92 of 100 rounds start there, and at K = 1 only 30. "
            "Long blocks take the easy places in one go.",
        ),
        ("calculate a speedup from α, K, c and v", "say what the formula assumes", "say why acceptance by position depends on K"),
    ),
    plan=(6, "Each group runs Watch once, with another K. Show the map. Then say what the formula assumes."),
    excerpt=excerpt,
    tables=tables,
    words={
        "map_alpha": "α, chance that a token is accepted →",
        "map_best": "outlined: best K for this α",
        "view_map": "By the formula",
        "view_run": "In a run",
        "map_here": "measured in a recorded run of this pair, T = {T}: α {alpha}, K {K}, c {c}, v {v}",
        "map_c": "c, a draft step",
        "map_v": "v, verifying (K = {K})",
        "map_reset": "This run",
        "map_v_note": "calculated; v grows linearly with K, from 1 at K = 0",
        "speed_step": "c = {c}: at α = {alpha} the best K is {K}, {speedup}× as fast.",
        "speed_none": "c = {c}: at α = {alpha} drafting does not pay.",
        "speed_here": "This run: c = {c}, v = {v}. “K = 3 or 4” is a rule of thumb. A cheaper draft or a higher α allows a longer block, a busy server a shorter one.",
        "run_places": "How often the first tokens of a block were accepted, in {whole} whole rounds at K = {K}",
        "run_place": "the first {n}",
        "run_place_one": "the first",
        "run_place_value": "formula {formula} · run {own}",
        "run_independent": "if independent: αⁱ",
        "run_stayed": "in this run",
        "run_speeds": "The speedup",
        "run_formula": "calculated, by the formula",
        "run_given": "calculated, by the run's tokens",
        "run_measured": "measured",
        "run_value": "{speedup} · {tokens} tokens per round",
        "run_note": "Calculated: the first two bars, with the same c and v, for the {whole} whole rounds. Measured: the third, over all rounds. "
        "The last one was cut short by the length limit. Another seed may move the speedup of so short a run by a tenth or more.",
        "run_1": "If each token were accepted with α = {alpha}, independently, a round would give {expected} tokens. The speedup would be {formula}.",
        "run_2": "The full bars show how often the first tokens were accepted in this run. This gives {tokens} tokens per round. Dependence and luck "
        "make the difference.",
        "run_3": "With these tokens, and the same c and v, the speedup is {predicted}.",
        "run_as_promised": "Measured: {speedup}, as calculated from the run's own tokens. So the formula's error was not overhead.",
        "run_4": "Measured: {speedup}. The difference to {predicted} is overhead and noise of the clock.",
        "view_k": "By K",
        "k_title": "The same draft at every K: how many of the tokens tested at each position are accepted?",
        "k_plane": "K = {K}",
        "k_after": "{after} after a rejection",
        "k_value": "position {position}: {share}",
        "k_line": "Dashed: position 1 at K = 1. Over a plot: how many of its rounds start after a rejection.",
        "k_where": "Recorded: {target} with {draft} at temperature {temperature}, {prompts} prompts, {seeds} seeds each. K = 1: {most} rounds. K = {last}: {least} rounds.",
        "k_1": "Is the first token accepted more often with K = 1 or with K = {last}? Decide before you go on.",
        "k_2": "With K = 1 the first token is accepted in {one} of the rounds, with K = {last} in {long}. Is the draft worse in a long block?",
        "k_3": "No: its later tokens are accepted more often, if they are reached: {late} at position {last}. In another text, or with another draft, it can be the reverse.",
        "k_4": "Hard places come in groups. After a rejection the first token is accepted in {low} to {high} of the rounds, at every K. After a whole "
        "block it is {easy} or more.",
        "k_5": "A long block takes the easy places in one go. Of the rounds with K = 1, {few} start after a rejection. Of those with K = {last}, "
        "{many} do. So position 1 falls: its starts are harder.",
        "run_faster": "Measured: {speedup}, faster than {predicted}. Without a draft there is overhead too, once per token. c and v leave that out.",
    },
)
