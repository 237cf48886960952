"""One pass gives p after every drafted token."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, all_kept, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, all_kept, "creative", best=_length)


def _length(round_: dict) -> int:
    return len(round_["drafted"])


CHAPTER = Chapter(
    key="verify",
    place=40,
    short="Verify",
    title="One pass verifies all",
    text=(
        "The target reads the block at once: the last token of the text and all K drafts, in one pass. After each it gives p for "
        "the next token: K + 1 distributions together.",
        "Each p holds if the drafts before it stay. That need not be known yet: a position sees only what stands before it, and "
        "whatever comes after a rejected draft is thrown away unread.",
    ),
    question=Question(
        "K = 4, and the second draft is rejected. Which of the five p are used?",
        ("All five", "The first two", "None: the pass is run again"),
        1,
        "The first tested draft 1, the second tested draft 2 and gives what replaces it. The other three were computed after a "
        "token that is gone.",
    ),
    go="Watch K = 4, and the lengths of the passes on the timeline.",
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "0.8", "length": "96"},
    notes=(
        "This is how a prompt is read too: all positions in one pass, each seeing only what stands before it.",
        "v is the length of this pass over a one-token pass. The papers take v = 1; here it is measured.",
        "The whole round is drafting and this pass: that is what must be shorter than the passes it replaces, token for token.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "K = 3. What goes into the pass, and how many p come out?",
            "Draft 1 is rejected. Which p were used, and for what?",
        ),
        (
            "The last token of the text and three drafts: four positions, four p.",
            "Only the first: it tested draft 1 and gives its replacement. The other three hold for a text that does not exist.",
        ),
        ("say why p at a later place is valid before the earlier drafts are accepted", "count the positions of a pass"),
    ),
    excerpt=excerpt,
    words={
        "pass": "one pass of {target}",
        "p_after": "p after",
        "verify_feed": "The block goes in: the last token of the text and {K} drafts.",
        "verify_pass": "One pass over all {n} positions at once.",
        "verify_out": "{n} distributions come out together, one after each position.",
        "verify_if": "Each p holds if the drafts before it stay. Were {x} rejected, the first {used} would be used, and the other {lost} thrown away unread.",
        "verify_times": "Drafting took {draft} ms and this pass {block}: {whole} ms. {n} passes over one token take {singles} ms, at {one} ms each in the vanilla lane.",
        "track_one": "{K} drafts, one pass",
        "track_many": "{n} passes over one",
    },
)
