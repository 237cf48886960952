"""Documents and the page are written in plain sentences, as far as a program can see: short ones, in words that the field or the
glossary knows.

Not looked at: code, tables, quotations and addresses.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

import specviz
from specviz.__main__ import app
from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapters import CHAPTERS
from specviz.picture.glossary import TERMS
from specviz.rules import RULES

from .test_repository import DOCUMENTS, prose

PROSE = [path for path in DOCUMENTS if not path.name.endswith("-drafters-cpu.md")]  # those are printed by a script
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


# ---- the page, the pack, the hand-out ----

MODULES = [
    "page.words",
    "page.learn.words",
    "page.learn.study",
    "page.lab.words",
    "page.classroom.words",
    "picture.words",
    "picture.glossary",
    "picture.claims",
    "drafters",
    "config",
]
PROMPTS = ("EXAMPLES", "QUESTIONS")  # what a model goes on from, which is code at times
INSTEAD_ON_THE_PAGE = INSTEAD | {
    "tokens a (?:round|second|step|pass|target|request)": "tokens per …",
    "the mean of": "the average of",
    "worked out": "calculated",
    "work out": "calculate",
    "stays? if": "is accepted if",
    "draft token stays": "drafted token is accepted",
    "keep x": "accept x",
    "not to be trusted": "not shown",
    "whatever the": "for every",
    "as one,": "at once,",
}


def strings(value: object) -> Iterator[str]:
    """All texts in it, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from strings(each)
    elif is_dataclass(value):
        for field in fields(value):
            yield from strings(getattr(value, field.name))


def said_on_the_page() -> dict[str, str]:
    """Sentences by what says them, with a word in each place that a run fills in."""
    homes = {
        name: [v for k, v in vars(import_module(f"specviz.{name}")).items() if k.isupper() and k not in PROMPTS]
        for name in MODULES
    }
    homes |= {f"chapter {chapter.key}": [replace(chapter, settings={})] for chapter in CHAPTERS}
    homes |= {f"panel {panel.key}": [panel] for panel in PANELS}
    homes |= {f"rule {name}": [rule.sentence, dict(rule.words)] for name, rule in RULES.items()}
    by_sentence = {}
    for home, values in homes.items():
        for text in strings(values):
            text = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
            by_sentence |= {sentence: home for sentence in sentences(re.sub(r"\{\w+\}", "X", text)) if "|" not in sentence}
    return by_sentence


SENTENCES = said_on_the_page()


def test_every_symbol_that_a_sentence_uses_is_in_the_glossary():
    known = {term.name for term in TERMS.values()}
    used = set(re.findall(r"[α-ωχ]", " ".join(SENTENCES))) - {"µ"}  # a millionth
    letters = ("p", "q", "u", "K", "c", "v")
    used |= {word for word in letters if any(re.search(rf"(?<![\w-]){word}(?![\w-])", each) for each in SENTENCES)}
    assert used - {"χ"} <= known and "χ²" in known
    for word in ("residual", "bonus", "pass", "round", "temperature", "nats", "prefill", "one-hot", "argmax"):
        assert word in known, word


def test_ways_to_draft_that_papers_name_are_terms_with_their_papers():
    says = {form: term.says for term in TERMS.values() for form in term.forms or (term.name,)}
    for name in ("EAGLE", "Medusa", "MTP", "multi-token prediction", "LayerSkip", "self-speculation"):
        assert re.search(r"20\d\d|report", says[name]), name


def test_a_term_is_explained_in_sentences_with_terms_that_are_explained_too():
    for term in TERMS.values():
        assert term.says.endswith(".") and term.name not in ("", None)
        assert all(form and form == form.strip() for form in term.forms)
    forms = [form for term in TERMS.values() for form in term.forms or (term.name,)]
    assert len(forms) == len(set(forms))


# ---- the command line, and what is refused ----


def helps(command) -> Iterator[str]:
    """What --help says of a command, of its options and of its own commands."""
    yield command.help or ""
    yield from (getattr(each, "help", None) or "" for each in command.params)
    for each in getattr(command, "commands", {}).values():
        yield from helps(each)


def refusals() -> Iterator[str]:
    """The sentences of errors, with a word in each place that a value fills in."""
    for path in sorted(Path(specviz.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                yield from (text for each in node.exc.args if (text := literal(each)))


def literal(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


SHELL = [("the command line", sentence) for text in (*helps(get_command(app)), *refusals()) for sentence in sentences(text)]
INSTEAD_IN_SHELL = {
    phrase: to for phrase, to in INSTEAD_ON_THE_PAGE.items() if phrase not in ("told", "tells")
}  # names of values
WHERE = {  # sentences by what says them, at least how many, and what to write instead
    "documents": ([(path.name, each) for path in PROSE for each in sentences(prose(path))], 1000, INSTEAD),
    "page": ([(home, sentence) for sentence, home in SENTENCES.items()], 1200, INSTEAD_ON_THE_PAGE),
    "command line and errors": (SHELL, 300, INSTEAD_IN_SHELL),
}


@pytest.mark.parametrize("where", WHERE)
def test_no_sentence_is_longer_than_one_hears_at_once(where):
    rows, least, _ = WHERE[where]
    assert len(rows) > least
    assert [f"{home}: {len(words(each))}: {each}" for home, each in rows if len(words(each)) > MOST] == []


@pytest.mark.parametrize("where", WHERE)
def test_no_phrase_is_one_that_readers_stumbled_over(where):
    rows, _, phrases = WHERE[where]
    hits = [
        f"{home}: {phrase!r} ({instead}): {each}"
        for phrase, instead in phrases.items()
        for home, each in rows
        if re.search(rf"\b{phrase}s?\b", each, re.IGNORECASE)
    ]
    assert hits == []
