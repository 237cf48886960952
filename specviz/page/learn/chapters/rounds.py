"""How many tokens a round gives, and what caches hold after it."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, models, whole_rounds


def excerpt(runs: Runs) -> dict:
    """Every whole round of a run by what it gave: its roles in reading order, and what each cache holds of them after it."""
    run = runs["creative"]
    whole = [[_cached(r, s) for s in r["shown"]] for r in whole_rounds(run)]
    return {**models(run), "K": run["header"]["config"]["K"], "rounds": whole}


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
        "If all K drafts stay, the pass holds one p more, and a bonus token is drawn from it: K + 1 tokens from one "
        "pass. At worst the first draft is rejected, and the correction is still a token.",
        "After a rejection both caches give back what did not stay and end with the last draft that did. The correction is in "
        "neither: the next round feeds it.",
    ),
    question=Question(
        "K = 1, and drafting costs next to nothing. Can it help?",
        ("No: one guess, one pass", "Yes: up to two tokens a pass", "Only at temperature 0"),
        1,
        "If the one guess stays, the same pass gives a bonus token too: two tokens for one pass.",
    ),
    go="Watch K = 1 and look for +.",
    settings={"prompt": STORY, "drafter": "small", "K": "1", "temperature": "0.8", "length": "96"},
    notes=(
        "Every square is a round of one recorded run. Ask where the mean will be before the last round falls.",
        "After full acceptance the draft's cache lacks its own last token too: it was drawn and never fed. The next round feeds both.",
        "Rolling back is cheap: the cache is told a smaller length, nothing is computed again.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "K = 4 and the third draft is rejected. How many tokens does the round give? Which drafts does the target's cache keep?",
            "All four stay. What does the next round feed to each cache?",
        ),
        (
            "Three: two drafts and the correction. It keeps the first two; the correction is fed by the next round.",
            "The target's: the bonus. The draft's: its own fourth token, which was never fed to it, and the bonus.",
        ),
        ("say how many tokens a round can give", "say what each cache holds after a rejection and after full acceptance"),
    ),
    plan=(6, "What the caches hold; one way of one text by hand, then all of them."),
    excerpt=excerpt,
    words={
        "rounds_axis": "tokens a round",
        "rounds_worst": "worst case",
        "rounds_best": "best: all, + bonus",
        "rounds_mean": "mean {mean}",
        "rounds_now": "Round {i}: {n} tokens from one target pass. The target's cache keeps {held} drafts and gives back {back}.",
        "rounds_one": "Round {i}: one token, the correction. The target's cache gives back all {back} drafts.",
        "rounds_whole": "Round {i}: {n} tokens, all drafts and the bonus. Nothing is rolled back; the draft's last token was never fed to it.",
        "rounds_end": "{rounds} rounds, {tokens} tokens: {mean} tokens a pass of the target; decoding alone gives 1.",
        "cache_block": "the block",
        "cache_target": "target's cache",
        "cache_draft": "draft's cache",
        "cache_held": "held",
        "cache_back": "rolled back",
        "cache_none": "not fed yet",
        "cache_key": "■ held, ✗ rolled back, ○ not fed yet",
    },
)
