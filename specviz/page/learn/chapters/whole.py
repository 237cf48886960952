"""From the distribution of a token to that of the text."""

from ..chapter import STORY, Chapter, Exercise, Question


def tables() -> dict:
    return {"K": 2, "length": 3}  # of a language that the page makes up


CHAPTER = Chapter(
    key="whole",
    short="Text",
    title="From a token to the text",
    text=(
        "Every new token follows p. Chapter 6 showed this for tested tokens. The bonus token is drawn from p. So each text is as likely as "
        "without a draft, wherever rounds begin and end.",
        "Here every text of three tokens is calculated. Nothing is drawn, so no luck is involved.",
    ),
    question=Question(
        "Temperature 1, the same seed in both lanes. Do they write the same text?",
        ("Yes: decoding is lossless", "No: two samples of one distribution", "Only if every drafted token is accepted"),
        1,
        "Each text is as likely as without a draft. But the lanes use their random numbers for different things: a draft, a test, a "
        "replacement. So one seed gives two samples. At temperature 0 both lanes write the same text.",
    ),
    go="Watch both lanes at temperature 1 with one seed: two texts, one distribution.",
    settings={"prompt": STORY, "drafter": "small", "K": "2", "temperature": "1", "length": "48"},
    notes=(
        "“Lossless, yet the text differs” is the question that people ask most. The same distribution is not the same sample.",
        "Let the class calculate one way by hand. Two accepted tokens and a bonus have the chance min(p, q)·min(p, q)·p, each after the "
        "tokens before it.",
        "At temperature 0 only one text is possible, so both lanes write it. In half precision two logits that are almost equal may still change places.",
    ),
    sources=("leviathan", "chen", "toy"),
    exercise=Exercise(
        (
            "K = 1. In how many ways can rounds write a text of two tokens? Say for each token how it came.",
            "Add up their chances for one text xy.",
        ),
        (
            "Three: accepted, then bonus; corrected, then accepted; corrected, then corrected.",
            "With m = min(p, q) and r = max(p − q, 0): m(x)·p(y) + r(x)·m(y) + r(x)·r(y) = m(x)·p(y) + r(x)·p(y) = p(x)·p(y). Here p(y) is "
            "the probability of y after x.",
        ),
        ("say why an exact rule for one token gives an exact text", "say why one seed does not make two equal texts"),
    ),
    tables=tables,
    words={
        "whole_1": "Without a draft, in a made-up language of three tokens: {n} texts. Each text is as likely as the product of its three p.",
        "whole_2": "Rounds of K = {K}. Some texts come in one round: two accepted tokens, then the bonus.",
        "whole_3": "Others take two rounds. A correction ends the first round, and the second goes on from there.",
        "whole_4": "Others take three rounds. For every text all ways together end at the line. So the distribution is the target's.",
        "whole_wrong": "With replacements from p, every text is affected. {off} would come out with probability {instead} instead of {right}.",
        "whole_ways": "With the residual again: {text} can be written in {ways} ways. They add up to {p}.",
        "whole_signs": "✓ accepted, ↻ corrected, + bonus:",
        "whole_one": "in one round",
        "whole_two": "in two",
        "whole_three": "in three",
        "whole_line": "without a draft",
        "whole_models": "p and q depend on the last token. The draft knows the language badly.",
    },
)
