"""How many tokens a round gives, and what caches hold after it."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, light, models, token_before, whole_rounds


def excerpt(runs: Runs) -> dict:
    """Every whole round of a run: its picture, the token before it, its roles in reading order, and what each cache holds of them after it."""
    run = runs["creative"]
    found = whole_rounds(run)
    whole = [[_cached(r, s) for s in r["shown"]] for r in found]
    return {
        **models(run),
        "K": run["header"]["config"]["K"],
        "rounds": whole,
        "drawn": [light(r) for r in found],
        "before": [token_before(run, r) for r in found],
    }


def _cached(round_: dict, span: dict) -> dict:
    """A span, and by cache whether the round left it there: `held`, rolled `back`, or `none` if it was not fed in this round."""
    fed = round_["target_cache"]["before"] + 1  # the last token of the text goes first

    def state(cache: dict | None) -> str:
        if cache is None or span["drafted"] is None or fed + span["drafted"] >= cache["peak"]:
            return "none"
        return "held" if fed + span["drafted"] < cache["after"] else "back"

    shown = {"text": span["text"], "role": span["role"]}
    return {**shown, "target": state(round_["target_cache"]), "draft": state(round_["draft_cache"])}


CHAPTER = Chapter(
    key="rounds",
    place=70,
    short="Bonus",
    title="All accepted: the bonus",
    text=(
        "If all K tokens are accepted, the pass holds one more p. A bonus token is drawn from it. If the first is rejected, the round gives "
        "one token: the correction. Such a round is slower than no draft: it took K·c + v for one token, and more arithmetic.",
        "After a rejection both caches drop the rejected tokens. The correction is in neither cache. The next round reads it.",
    ),
    question=Question(
        "K = 1, and drafting costs almost nothing. Can drafting help?",
        ("No: one guess, one pass", "Yes: up to two tokens per pass", "Only at temperature 0"),
        1,
        "If the one guess is accepted, the same pass gives a bonus token too: two tokens for one pass.",
    ),
    go="Watch K = 1 and look for +.",
    settings={"prompt": STORY, "drafter": "small", "K": "1", "temperature": "0.8", "length": "96"},
    notes=(
        "Every square is a round of one recorded run. Ask where the average will be before the last round falls.",
        "If all are accepted, the draft's cache lacks its own last token: the draft drew it and never read it. The next round reads it first.",
        "In an attention cache rolling back is cheap: only its length changes. A recurrent or hybrid target must save its state before "
        "the pass, or compute it again.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "K = 4 and the third drafted token is rejected. How many tokens does the round give? Which drafted tokens does the target's "
            "cache keep?",
            "All four are accepted. What does each model read first in the next round?",
        ),
        (
            "Three: two drafted tokens and the correction. The cache keeps the first two. The next round reads the correction.",
            "The target reads the bonus. The draft reads its own fourth token, which it never read before, and the bonus.",
        ),
        ("say how many tokens one round can give", "say what each cache holds after a rejection and after full acceptance"),
    ),
    excerpt=excerpt,
    words={
        "rounds_axis": "tokens per round",
        "rounds_worst": "worst case",
        "rounds_best": "best: all, + bonus",
        "rounds_mean": "average {mean}",
        "rounds_now": "Round {i}: {n} tokens from one target pass. The target's cache keeps drafted tokens: {held}. It drops: {back}.",
        "rounds_one": "Round {i}: one token, the correction. The target's cache drops all drafted tokens: {back}.",
        "rounds_whole": "Round {i}: {n} tokens, all drafted ones and the bonus. Nothing is rolled back. The draft wrote its last token, but did not read it.",
        "rounds_end": "{rounds} rounds, {tokens} tokens: {mean} tokens per target pass. The target alone gives 1.",
    },
)
