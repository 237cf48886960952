"""The speedup by α, K, c and v, and what the formula takes for granted."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, costs, models, verdicts, whole_rounds


def excerpt(runs: Runs) -> dict:
    """The point on the map; `stayed`: of the whole rounds, the share in which the first i drafts stayed, for i from 1 to K."""
    run = runs["creative"]
    whole = whole_rounds(run)
    kept = [verdicts(r).count("accepted") for r in whole]
    stayed = [sum(n >= i for n in kept) / len(kept) for i in range(1, run["header"]["config"]["K"] + 1)] if kept else []
    return {**models(run), **costs(run), "stayed": stayed, "whole": len(whole)}


CHAPTER = Chapter(
    key="speed",
    place=90,
    short="How fast",
    title="How fast?",
    text=(
        "A round costs K draft steps and one checking pass: K·c + v, counted in one-token passes. It gives "
        "(1 − αᴷ⁺¹) / (1 − α) tokens on average, if each draft stays with chance α.",
        "That takes drafts as independent. They are not: easy and hard places come in a row. With the tokens a round that a run "
        "really gave, what is left is overhead.",
    ),
    question=Question(
        "T5-XXL (11B) translates at temperature 0. Which draft is fastest?",
        ("77M, α = .75", "250M, α = .80", "800M, α = .82"),
        0,
        "3.4×, 2.8× and 1.7×: the best draft is the least accurate of the three, since it is by far the cheapest (Leviathan 2022).",
    ),
    go="Watch the large draft: a better α at a higher c.",
    settings={"prompt": STORY, "drafter": "large", "K": "3", "temperature": "0.8", "length": "96"},
    notes=(
        "Some K helps only if α > c (with v = 1). “K = 3 or 4” is a special case: at c = .02 and α = .8 the best K is 11.",
        "The same draft gave Vicuna-7B 1.79× on an RTX 3090 and 1.52× on an A100, with the same 2.28 tokens a target pass: "
        "the hardware decides (Spec-Bench).",
    ),
    sources=("leviathan", "specbench", "here"),
    exercise=Exercise(
        (
            "α = .8, K = 4, c = .1, v = 1. How many tokens does a round give by the formula, and what is the speedup?",
            "The run gave 3 tokens a round and was 2 times as fast. What became of the rest?",
        ),
        (
            "(1 − .8⁵) / .2 = 3.36 tokens; 3.36 / 1.4 = 2.40×.",
            "With its own tokens 3 / 1.4 = 2.14×: from 2.40 to 2.14 is dependence and luck, from there to 2.00 overhead.",
        ),
        ("work out a speedup from α, K, c and v", "say what the formula takes for granted"),
    ),
    plan=(7, "One run in Watch, each table with another K. Then the map, then what the formula takes for granted."),
    excerpt=excerpt,
    words={
        "map_alpha": "α, chance that a draft stays →",
        "map_best": "outlined: best K for this α",
        "view_map": "By the formula",
        "view_run": "In a run",
        "map_here": "◇ this pair, T = {T}: α {alpha}, K {K}, c {c}, v {v}",
        "map_c": "c, a draft step",
        "map_v": "v, the check (K = {K})",
        "map_reset": "This pair",
        "map_formula": "speedup = tokens a round ÷ its cost = (1 − αᴷ⁺¹) / (1 − α) ÷ (K·c + v)",
        "map_v_note": "v taken as linear in K, 1 at K = 0",
        "speed_step": "c = {c}: at α = {alpha} the best K is {K}, {speedup}× as fast.",
        "speed_none": "c = {c}: at α = {alpha} drafting does not pay.",
        "speed_here": "This pair: c = {c}, v = {v}.",
        "run_places": "How often the first drafts of a block stayed, {whole} whole rounds at K = {K}",
        "run_place": "first {n}",
        "run_place_value": "formula {formula} · {own}",
        "run_independent": "if independent: αⁱ",
        "run_stayed": "in this run",
        "run_speeds": "The speedup",
        "run_formula": "by the formula",
        "run_given": "by its tokens",
        "run_measured": "measured",
        "run_value": "{speedup} · {tokens} tokens a round",
        "run_note": "same α, c and v in the first two; the last is the clock's",
        "run_1": "If each draft stayed with α = {alpha}, whatever became of the one before, a round would give {expected} tokens: {formula}.",
        "run_2": "In this run the first drafts stayed as often as the full bars say: {given} tokens a round. Dependence and luck make the difference.",
        "run_3": "With those tokens, and the same c and v, the speedup is {predicted}.",
        "run_as_promised": "Measured: {speedup}, what its own tokens promise. So what the formula lacked was not overhead.",
        "run_4": "Measured: {speedup}. What is between {predicted} and {speedup} is overhead and the noise of a clock.",
    },
)
