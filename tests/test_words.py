"""The documents are written in plain sentences, as far as a program can see: short ones, without words that only this project knew.

Not looked at: code, tables, quotations and addresses.
"""

import re

from .test_repository import DOCUMENTS, prose

WRITTEN = [path for path in DOCUMENTS if not path.name.endswith("-drafters-cpu.md")]  # those are printed by a script
MOST = 25  # words in a sentence
INSTEAD = {  # a phrase that readers stumbled over: what to write
    "in the mean": "on average",
    "by turns": "alternately",
    "at the least": "at least; the lowest",
    "law": "distribution; rule",
    "told": "reported; shown",
    "tells": "reports; shows",
    "whoever": "people who; if you",
    "who was drafted": "which tokens were drafted",
    "to be had": "available",
    "without a word": "without a subcommand; silently",
    "to either side": "above and below",
    "for want of": "because there is no",
}


def sentences(text: str) -> list[str]:
    """Of Markdown without fenced code, one string each. Inline code counts as a word, a link as its text."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)  # front matter
    text = re.sub(r"^ *(\||>|#).*$", "\n", text, flags=re.MULTILINE)  # tables, quotations, headings
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n", text, flags=re.MULTILINE)  # items of a list
    paragraphs = (" ".join(part.replace("**", "").split()) for part in re.split(r"\n\s*\n", text))
    return [sentence for part in paragraphs for sentence in re.split(r"(?<=[.!?])\s+", part) if sentence]


def words(sentence: str) -> list[str]:
    return [word for word in sentence.split() if re.search(r"\w", word)]


def test_a_sentence_ends_where_its_reader_hears_it_end():
    text = "---\ntitle: x\n---\n# Head\n\nOne **two**\nthree. [Four](a.md) `x = 1`?\n\n| a | b |\n- Five.\n- Six\n\nLast."
    assert sentences(text) == ["One two three.", "Four code?", "Five.", "Six", "Last."]
    assert words("p/q = .5 – or – 2 × q") == ["p/q", ".5", "or", "2", "q"]


WRITTEN_SENTENCES = [(path.name, sentence) for path in WRITTEN for sentence in sentences(prose(path))]


def test_no_sentence_is_longer_than_one_hears_at_once():
    long = [f"{file}: {len(words(each))}: {each}" for file, each in WRITTEN_SENTENCES if len(words(each)) > MOST]
    assert long == []


def test_no_phrase_is_one_that_readers_stumbled_over():
    found = [
        f"{file}: {phrase!r} ({instead}): {each}"
        for phrase, instead in INSTEAD.items()
        for file, each in WRITTEN_SENTENCES
        if re.search(rf"\b{phrase}s?\b", each, re.IGNORECASE)
    ]
    assert found == []
