"""One pass gives p after every drafted token."""

from ..chapter import STORY, Chapter, Exercise, Question, Runs, is_accepted_whole, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, is_accepted_whole, "creative", best=lambda round_: len(round_["drafted"]))


CHAPTER = Chapter(
    key="verify",
    short="Verify",
    title="One pass verifies all",
    text=(
        "The draft has guessed K tokens: the block. The target reads the last token of the text and the whole block in one "
        "pass. After each token it gives p, its own distribution for the next one: K + 1 in all.",
        "Each p is valid only if all drafted tokens before it are accepted. What stands after a rejected token is thrown away.",
    ),
    question=Question(
        "K = 4, and the second drafted token is rejected. Which of the five p are used?",
        ("All five", "The first two", "None: the pass runs again"),
        1,
        "The first p tested token 1. The second tested token 2 and gives its replacement. The other three stand after a token that is gone.",
    ),
    go="Watch K = 4. Compare the lengths of the passes on the timeline.",
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "0.8", "length": "96"},
    notes=(
        "A prompt is read in the same way: all positions in one pass. Each position sees only what stands before it.",
        "v is the time of this pass in passes over one token. The papers take v = 1. Here it is measured.",
        "A round is drafting and this pass. Together they must be shorter than the passes that they replace.",
    ),
    sources=("leviathan", "chen", "here"),
    exercise=Exercise(
        (
            "K = 3. What goes into the pass, and how many p come out?",
            "The first drafted token is rejected. Which p were used, and for what?",
        ),
        (
            "The last token of the text and three drafted tokens: four positions, four p.",
            "Only the first. It tested token 1 and gives its replacement. The other three belong to a text that does not exist.",
        ),
        ("say when a p at a later position is valid", "count the positions of a pass"),
    ),
    plan=(8, "Let the class guess four words: they are the draft, you are the target. Ask which p are used after a rejection."),
    excerpt=excerpt,
    words={
        "p_after": "p after",
        "verify_feed": "The block goes in: the last token of the text and {K} drafted tokens.",
        "verify_pass": "One pass over all {n} positions at once.",
        "verify_out": "{n} distributions come out together, one after each position.",
        "verify_if": "Each p is valid if the drafted tokens before it are accepted. If {x} were rejected, the first {used} would be used. The other {lost} "
        "would be thrown away.",
        "verify_times": "Drafting took {draft} ms and this pass {block} ms: {whole} ms together. {n} passes over one token take {singles} ms, at {one} "
        "ms each in the lane without a draft.",
        "track_one": "{K} draft steps, one pass",
        "track_many": "{n} single passes",
    },
)
