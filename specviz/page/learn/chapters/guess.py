"""Speculation, as a processor does it."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, keeps_then_rejects, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, keeps_then_rejects, "opening")


CHAPTER = Chapter(
    key="guess",
    place=20,
    short="Guess",
    title="Guess, then check",
    text=(
        "A processor that waited at every branch would stand idle. So it guesses the way, runs ahead, and keeps the work if the "
        "guess was right. If not, it throws that work away: time lost, nothing wrong.",
        "Speculative decoding does this with text. A quick draft guesses the next tokens, the target checks them, and what fails "
        "is thrown away.",
    ),
    question=Question(
        "The draft guesses badly all the time. What suffers?",
        ("The text", "The speed", "Both"),
        1,
        "No token stays unless the target's check lets it. Bad guesses cost time, arithmetic and energy; the text they cannot touch.",
    ),
    go="Watch random tokens as a draft: slow, and the text is the target's all the same.",
    settings={"prompt": STORY, "drafter": "random", "K": "4", "temperature": "0", "length": "48"},
    notes=(
        "The paper names speculative execution in processors as its model (section 1).",
        "The likeness ends in one place: a branch is right or wrong, while a draft token may be kept by chance. Chapter 5 says how.",
    ),
    sources=("leviathan", "here"),
    exercise=Exercise(
        (
            "Name what corresponds: branch, prediction, flush.",
            "A processor's wrong guess costs time. What else does a wrong draft cost?",
        ),
        (
            "The next token; the draft; throwing away what stands behind the rejected token.",
            "Arithmetic and energy, and in a full server the time of others. Never the text.",
        ),
        ("say why a bad draft cannot spoil the text",),
    ),
    excerpt=excerpt,
    words={
        "processor": "a processor",
        "decoding": "decoding",
        "stage_guess": "guess",
        "stage_check": "check",
        "stage_end": "keep or undo",
        "branch": "branch {n}",
        "branch_known": "the conditions are known",
        "branch_other": "the other way",
        "pass_runs": "one target pass",
        "guess_1": "Guess ahead instead of waiting: {n} steps, none of them sure.",
        "guess_2": "Check: what was guessed is compared with what is so.",
        "guess_3": "Keep what was right. The first wrong guess goes, and all that was built on it.",
        "guess_4": "Go on from there, the right way. Nothing wrong has stayed.",
    },
)
