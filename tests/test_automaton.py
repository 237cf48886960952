"""An automaton reads what a regular expression matches, in whole and in part: as Python's re and the package regex do."""

import random
import re
from itertools import product

import pytest
import regex

from specviz.automaton import MAX_STATES, Automaton, ExpressionError, GrammarError

EXPRESSIONS = (
    "[0-9]+",
    r'\{"a": [1-9]\d?\}',
    "a{2,4}",
    "(ab|a)*b?",
    "a{2,}",
    "a{3}",
    "(a|b)*a(a|b){3}",
    "[^ab]c",
    ".a",
    r"\w\s\d?",
    "(a?){3}b",
    "((a|b1){0,2}1){1,2}",
    "a*",
    "(?:a|b)+1",
    r"[\w-]+",
    r"[a\]]b",
    r"[^\s1]{1,3}",
    r"\S\D\W",
)
LETTERS = 'ab 1{}":é\n]-'


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_reads_what_the_expression_matches_in_whole_and_in_part(expression):
    automaton, chance = Automaton(expression), random.Random(1)
    texts = ["".join(letters) for n in range(4) for letters in product("ab1", repeat=n)]
    texts += ["".join(chance.choices(LETTERS, k=chance.randint(0, 7))) for _ in range(400)]
    for text in texts:
        state = automaton.read(automaton.start, text)
        assert automaton.accepts(state) == (re.fullmatch(expression, text, re.ASCII) is not None), text
        partial = regex.fullmatch(expression, text, regex.ASCII, partial=True)
        assert (state != 0) == (partial is not None), text


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("a|", 3), ("(a", 1), (")", 1), ("a**", 3), ("*", 1), ("[", 1), ("[]", 1), ("[^]", 1), (r"[^\s\S]", 1), ("a{", 2), ("a{3,1}", 2),
        ("a{,2}", 2), ("a{0}", 2), ("a{201}", 2), (r"\b", 1), (r"a\1", 2), ("^a", 1), ("a$", 2), ("[z-a]", 2), ("[[a]", 2), ("(?=a)", 2),
        ("(a|)", 4), ("a\ud800", 2), ("\\", 1), (r"[a-\d]", 2), ("]", 1), ("a{2}{3}", 5), ("(" * 21 + "a" + ")" * 21, 21),
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_with_the_place(expression, place):
    with pytest.raises(ExpressionError, match=f"^a regular expression: at character {place}, "):
        Automaton(expression)


def test_an_expression_is_bounded_and_so_are_its_states():
    for large in ("a" * 401, "(a{200}){4}", "((a{20}){20}){20}"):
        with pytest.raises(ExpressionError, match="at most"):
            Automaton(large)
    automaton, chance = Automaton("(a|b)*a(a|b){100}"), random.Random(0)
    with pytest.raises(GrammarError, match=f"{MAX_STATES:,} states"):
        for _ in range(MAX_STATES):
            automaton.read(automaton.start, "".join(chance.choices("ab", k=40)))
