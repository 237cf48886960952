"""Guess, then check: the visitor is the draft, then a processor is."""

from ..chapter import STORY, Chapter, Exercise, Question, Runs, accepts_then_rejects, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, accepts_then_rejects, "opening")


CHAPTER = Chapter(
    key="guess",
    short="Guess",
    title="Guess, then check",
    text=(
        "The draft (small model) guesses the next tokens. The target (large model) checks all of them in one pass. A right guess is kept. A "
        "wrong one is thrown away: time is lost, but the text is not worse.",
        "A processor does the same: it does not wait at a branch, but guesses the way and runs ahead. One difference: a branch is right or wrong. "
        "Above temperature 0 chance decides about a token.",
    ),
    question=Question(
        "The draft always guesses badly. What gets worse?",
        ("The text", "The speed", "Both"),
        1,
        "A token is accepted only if it passes the target's check. All drafting costs more arithmetic: draft passes, and checks of tokens that are thrown away. "
        "Bad guesses cost time and energy, too. They do not make the text worse.",
    ),
    go="Watch random tokens as drafts: slow, but the text is still the target's.",
    settings={"prompt": STORY, "drafter": "random", "K": "4", "temperature": "0", "length": "48"},
    notes=(
        "The paper names speculative execution in processors as its model (section 1).",
        "Chapter 5 shows how chance decides about a token. For a processor a wrong branch is always thrown away.",
    ),
    sources=("leviathan", "here"),
    exercise=Exercise(
        (
            "What in decoding corresponds to the branch, the guess and the undo?",
            "A processor's wrong guess costs time. What else does a wrong draft cost?",
        ),
        (
            "The next token; the draft; throwing away everything after the rejected token.",
            "Arithmetic and energy. On a full server it also costs other users' time. It never makes the text worse.",
        ),
        ("say why a bad draft cannot spoil the text",),
    ),
    excerpt=excerpt,
    words={
        "game_says": "Be the draft: type the next word. The target keeps it, or strikes it and writes its own.",
        "processor_view": "A processor does it too",
        "processor": "a processor",
        "decoding": "decoding",
        "stage_guess": "guess",
        "stage_check": "check",
        "stage_end": "keep or undo",
        "branch": "branch {n}",
        "branch_known": "the conditions are known",
        "branch_other": "the other way",
        "pass_runs": "one target pass",
        "guess_1": "Do not wait, guess: {n} steps ahead, and none of them is sure.",
        "guess_2": "Check: compare each guess with the truth.",
        "guess_3": "Keep what was right. Remove the first wrong guess and everything after it.",
        "guess_4": "Go on from there on the right way. No wrong guess is left.",
    },
)
