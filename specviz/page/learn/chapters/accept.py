"""A coin decides each drafted token."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Run, Runs, keeps_then_rejects, scene


def excerpt(runs: Runs) -> dict | None:
    """A round that a coin decides, and β at every position that was tested in its run: their mean is its α."""
    shown = scene(runs, _coin_decides, "creative")
    if shown is None:
        return None
    rounds = runs[shown["run"]]["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    return {**shown, "betas": [round(at["beta"], 3) for at in tested if at and at["beta"] is not None]}


def _coin_decides(run: Run, round_: dict) -> bool:
    """A rejection after a token that was kept, both in sight, where p/q left the coin something to decide."""
    if not keeps_then_rejects(run, round_):
        return False
    tested = [d for d in round_["drafted"] if d["verdict"] != "unexamined"]
    return all(d["position"] and d["u"] is not None for d in tested) and tested[-1]["ratio"] > 0.02


CHAPTER = Chapter(
    key="accept",
    place=50,
    short="Accept",
    title="Accept or reject",
    text=(
        "Each draft x is tested with a coin: draw u between 0 and 1, keep x if u < p(x)/q(x). Where the target gives x no "
        "less than the draft did, x always stays. The first rejection ends the block.",
        "Before x is drawn, its chance to stay is the overlap β = Σ min(p, q). β is of one position; its mean over positions is α, "
        "the acceptance rate.",
    ),
    question=Question(
        "p(x) = 0.3 and q(x) = 0.6. How often is a drafted x kept?",
        ("Never", "3 times in 10", "Half of the time", "Always"),
        2,
        "p/q = 0.5, and u falls below 0.5 half of the time. The draft says x twice as often as it should, so half of them stay.",
    ),
    go="Watch at temperature 1 and click tokens: p, q, the overlap and u of each.",
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96"},
    notes=(
        "Move u yourself: the verdict changes exactly at p/q.",
        "Two chances, two questions: β before x is drawn, min(1, p/q) once x is known.",
        "Below, not at: with u ≤ p/q a token with p(x) = 0 would pass when u is exactly 0.",
        "At temperature 0 there is no coin: x stays if it is the target's own pick.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "q(x) = .5. Give the chance that a drafted x stays for p(x) = .5, .25 and 0.",
            "Three positions have β = 1, .5 and .6. What is α?",
        ),
        (
            "1, .5 and 0: min(1, p/q).",
            "Their mean, .7.",
        ),
        ("decide a drafted token from p, q and u", "tell β, a position's overlap, from α, its mean"),
    ),
    plan=(10, "Move u by hand; then draw 200 by both rules, until the wrong one is seen."),
    excerpt=excerpt,
    words={
        "coin": "the coin u",
        "coin_keep": "keep",
        "coin_reject": "reject",
        "coin_any": "p/q = {ratio}: any u keeps it",
        "coin_limit": "p/q = {ratio}",
        "coin_own": "Your own u",
        "coin_back": "Back to the recorded u",
        "accept_bars": "Is {x} kept? p(x) = {p}, q(x) = {q}. The overlap here is β = {beta}.",
        "accept_coin": "The coin falls: u = {u}. The threshold is p/q = {ratio}.",
        "accept_kept": "u is below it: {x} stays.",
        "accept_sure": "p is no less than q: {x} stays, whatever u is.",
        "accept_gone": "u is not below it: {x} goes, and what was drafted after it is never examined.",
        "accept_alpha": "Each position has its β. The mean over the {n} that this run tested is α = {alpha}, its acceptance rate.",
        "overlaps": "β at each tested position of this run, in order",
        "overlaps_label": "β at {n} positions, their mean α = {alpha}",
        "accept_own_kept": "With u = {u}, {x} would stay.",
        "accept_own_gone": "With u = {u}, {x} would go.",
    },
)
