"""A coin decides each drafted token."""

from ..chapter import STORY, Chapter, Exercise, Question, Run, Runs, accepts_then_rejects, scene


def excerpt(runs: Runs) -> dict | None:
    """A round that a coin decides, and β at every position that was tested in its run: their mean is its α."""
    view = scene(runs, _coin_decides, "creative")
    if view is None:
        return None
    rounds = runs[view["run"]]["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    return {**view, "betas": [round(at["beta"], 3) for at in tested if at and at["beta"] is not None]}


def _coin_decides(run: Run, round_: dict) -> bool:
    """A rejection after a token that was kept, both in sight, where p/q left the coin something to decide."""
    if not accepts_then_rejects(run, round_):
        return False
    tested = [d for d in round_["drafted"] if d["verdict"] != "unexamined"]
    return all(d["position"] and d["u"] is not None for d in tested) and tested[-1]["ratio"] > 0.02


CHAPTER = Chapter(
    key="accept",
    short="Accept",
    title="Accept or reject",
    text=(
        "A random number u decides about each drafted token x. Accept if u < p(x)/q(x): always if p(x) ≥ q(x). "
        "The first rejection ends the block.",
        "Before x is drawn, its chance of acceptance is the overlap β = Σ min(p, q). "
        "Its average is α, the acceptance rate. Temperature often lowers it (T5-XXL: 0.75 to 0.62). At 0 only the favourites must agree. At 1 all chances must.",
    ),
    question=Question(
        "p(x) = 0.3 and q(x) = 0.6. How often is a drafted x accepted?",
        ("Never", "3 times in 10", "Half of the time", "Always"),
        2,
        "p/q = 0.5, and u is below 0.5 half of the time. The draft writes x twice as often as it should, so half of them are accepted.",
    ),
    go="Watch at temperature 1 and click tokens: see p, q, the overlap and u of each.",
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96"},
    notes=(
        "Move u yourself: the verdict changes exactly at p/q.",
        "There are two chances. Before x is drawn the chance is β. Once x is known the chance is p(x)/q(x), at most 1.",
        "u is at least 0 and below 1, so u < r has probability r exactly. With ≤ a token with p(x) = 0 would pass when u is 0.",
        "At temperature 0 no u is drawn: x is accepted if it is the target's most probable token.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "q(x) = 0.5. Give the chance that a drafted x is accepted for p(x) = 0.5, 0.25 and 0.",
            "Three positions have β = 1, 0.5 and 0.6. What is α?",
        ),
        ("1, 0.5 and 0: p/q, at most 1.", "Their average, 0.7."),
        ("decide about a drafted token from p, q and u", "tell β, the overlap at a position, from α, its average"),
    ),
    plan=(8, "Move u by hand until the verdict changes. Ask the question. Then show α as the average of β."),
    excerpt=excerpt,
    words={
        "coin": "the random number u",
        "coin_keep": "accept",
        "coin_reject": "reject",
        "coin_any": "p/q = {ratio}: any u accepts it",
        "coin_limit": "p/q = {ratio}",
        "coin_own": "Your own u",
        "coin_back": "Back to the recorded u",
        "accept_bars": "Is {x} accepted? p(x) = {p}, q(x) = {q}. Add up the smaller of p and q over all tokens: the overlap β = {beta}.",
        "accept_coin": "u is drawn: u = {u}. The limit is p/q = {ratio}. Why < and not ≤? u can be 0, and a token with p = 0 must never pass.",
        "accept_kept": "u is below p/q: {x} is accepted.",
        "accept_sure": "p(x) is at least q(x): {x} is accepted for every u.",
        "accept_gone": "u is not below p/q: {x} is rejected. The tokens drafted after {x} are never examined.",
        "accept_alpha": "Each position has its own β. This run tested {n} positions. Their average is α = {alpha}, the acceptance rate.",
        "overlaps": "β at each tested position of this run, in order",
        "overlaps_label": "β at {n} positions, their average α = {alpha}",
        "accept_own_kept": "With u = {u}, {x} would be accepted.",
        "accept_own_gone": "With u = {u}, {x} would be rejected.",
    },
)
