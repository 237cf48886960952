"""From the law of a token to the law of the text."""

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs


def excerpt(runs: Runs) -> dict:
    return {"K": 2, "length": 3}  # of a language that the page makes up


CHAPTER = Chapter(
    key="whole",
    place=80,
    short="Text",
    title="From a token to the text",
    text=(
        "Whatever the text so far, the next token comes out by p: tested ones by chapter 6, the bonus since it is drawn from p. So "
        "chances multiply as they do when the target writes alone, wherever rounds begin and end.",
        "Here every text of three tokens is worked out: nothing is drawn, no luck.",
    ),
    question=Question(
        "Temperature 1, the same seed in both lanes. Do they write the same text?",
        ("Yes: decoding is lossless", "No: two samples of one law", "Only if every draft stays"),
        1,
        "Each text is as likely as from the target alone. But the lanes spend their random numbers on different things (a draft, a "
        "coin, a replacement), so one seed gives two samples.",
    ),
    go="Watch both lanes at temperature 1 with one seed: two texts of one law.",
    settings={"prompt": STORY, "drafter": "small", "K": "2", "temperature": "1", "length": "48"},
    notes=(
        "“Lossless, yet the text differs” is the question most often asked: the same distribution is not the same sample.",
        "Let the class work out one way by hand: two drafts kept and a bonus is min(p, q)·min(p, q)·p, each given what stands before.",
        "At temperature 0 the law is one text, so there both lanes write it; in half precision near-ties may still flip.",
    ),
    sources=("leviathan", "chen", "toy"),
    exercise=Exercise(
        (
            "K = 1. In how many ways can rounds write a text of two tokens? Name each by how its tokens came.",
            "Add up their chances for one text xy.",
        ),
        (
            "Three: kept and bonus; corrected, then kept; corrected, then corrected.",
            "With m = min(p, q) and r = max(p − q, 0): m(x)·p(y) + r(x)·m(y) + r(x)·r(y) = m(x)·p(y) + r(x)·p(y) = p(x)·p(y), each "
            "of y given x.",
        ),
        ("say why the law of one token makes the law of the text", "say why one seed does not make two equal texts"),
    ),
    excerpt=excerpt,
    words={
        "whole_1": "The target alone, a made-up language of three tokens: {n} texts, each as likely as the product of its three p.",
        "whole_2": "Rounds of K = {K}. Some texts come in one round: two drafts kept, then the bonus.",
        "whole_3": "Others take two: a correction ends the first, and the second goes on from there.",
        "whole_4": "Or three. All ways together end at the line, for every text: the law of the whole is the target's.",
        "whole_wrong": "With replacements from p, no text is safe: {off} would come out with {instead}, not {law}.",
        "whole_ways": "With the residual again: {text} can be written in {ways} ways, and they add up to {p}.",
        "whole_one": "in one round",
        "whole_two": "in two",
        "whole_three": "in three",
        "whole_line": "the target alone",
        "whole_laws": "p and q depend on the last token; the draft knows the language badly.",
    },
)
