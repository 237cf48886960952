"""A draft writes K tokens and keeps their q."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, all_kept, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, all_kept, "opening", best=_spread)


def _spread(round_: dict) -> float:
    """How much a draft had to choose from: the entropy of its most certain position."""
    return min(d["position"]["q_entropy"] for d in round_["drafted"])


CHAPTER = Chapter(
    key="draft",
    place=30,
    short="Draft",
    title="Drafting",
    text=(
        "The draft model writes K tokens, one small pass each. Every token is drawn from the draft's own distribution q, and q is "
        "kept: the check will need it.",
        "In this run one draft step costs c = {c} of a target pass. The tokens are guesses; nothing is decided yet.",
    ),
    question=Question(
        "The tokens arrive, but q is lost on the way. What does the check lose?",
        ("Nothing: p decides alone", "The exact law: no rule can save it", "Drafts: fewer of them stay"),
        2,
        "Without q the target can still draw y from p and keep x where y = x. That is exact, but it keeps Σ p·q of the drafts, not "
        "Σ min(p, q): .35 instead of .70 with p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05).",
    ),
    go="Watch long blocks: K = 8. Look at how many drafts are thrown away.",
    settings={"prompt": STORY, "drafter": "small", "K": "8", "temperature": "0.8", "length": "96"},
    notes=(
        "p and q are meant after temperature, top-k and top-p. At temperature 0 both are one-hot.",
        "Why one tokenizer: the check divides p(x) by q(x) for the same token x. Vocabularies may differ in size: Qwen has 151,936 "
        "and 152,064 ids with one tokenizer. With two tokenizers another check is needed, which goes by way of the text.",
        "Let the class guess the next word before each step: they are a draft model too.",
    ),
    sources=("leviathan", "here"),
    exercise=Exercise(
        (
            "p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05). Which share of the drafts stays with q known, by Σ min(p, q)? Which "
            "without it, by Σ p·q?",
            "At which temperature is q not needed?",
        ),
        (
            ".4 + .15 + .1 + .05 = .70 with q; .28 + .045 + .02 + .005 = .35 without it.",
            "At 0: q is 1 for the token that was drafted, so to know the token is to know q.",
        ),
        ("say what q is and why it travels with the tokens", "say why draft and target need one tokenizer"),
    ),
    plan=(8, "The class drafts: it says the next words, you are the target. Ask which p are used after a rejection."),
    excerpt=excerpt,
    words={
        "q_here": "q, the draft's distribution for the next token",
        "drawn": "drawn",
        "draft_look": "Draft step {i} of {K}: the draft gives q for the next token.",
        "draft_draw": "{x} is drawn from q, with q(x) = {q}, and joins the block as a guess.",
        "draft_done": "The block is full: {K} guesses. Drafting took {ms} ms, the target's next pass will take {verify} ms.",
    },
)
