"""Every setting has one default and one bound, and says so when it is broken; a grammar reads what a regular expression matches."""

import math
import random
import re
from dataclasses import FrozenInstanceError, asdict, fields
from itertools import combinations, product
from typing import get_args

import pytest
import regex

from specviz.automaton import MAX_STATES, Automaton, ExpressionError, GrammarError
from specviz.config import CONFLICTING, EXACT, SETTINGS, ConfigError, DecodeConfig, Drafting, options_beside
from specviz.rules import RULES, SAVED

WHOLE = [name for name, setting in SETTINGS.items() if setting.kind is int]
NUMBERS = [name for name, setting in SETTINGS.items() if setting.kind in (int, float)]
NOT_NUMBERS = [True, False, None, "4", "", b"4", [4], (4,), {}, 4j, math.nan, math.inf, -math.inf]


def refused(**setting) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        DecodeConfig(**setting)
    str(caught.value).encode()  # without half a character
    return caught.value


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_from_bound_to_bound_is_taken_and_whatever_else_is_refused_by_its_name(name):
    low, high, whole = SETTINGS[name].low, SETTINGS[name].high, name in WHOLE
    step = 1 if whole else 1e-6
    assert low <= getattr(DecodeConfig(), name) <= high
    assert [getattr(DecodeConfig(**{name: value}), name) for value in (low, high)] == [low, high]
    for value in (low - step, high + step, *NOT_NUMBERS, 10**400, -(10**400), *([float(high)] if whole else [])):
        assert refused(**{name: value}).field == name
    assert whole or isinstance(getattr(DecodeConfig(**{name: 1}), name), float)


def test_temperature_is_zero_or_at_least_its_bound():
    assert DecodeConfig(temperature=0).greedy
    assert not DecodeConfig(temperature=SETTINGS["temperature"].low).greedy


NEVER = {
    "ignore_eos": [0, 1, "true", None, "", []],
    "verifier": ["", "Rejection", "hope", None, 1, ["match"]],
    "drafting": ["hope"],
    "stop": ["abc", None, {"a"}, [""], ["a", 1], ["b" * 201], ["x"] * 9, 5, ("a\ud800",)],
}


@pytest.mark.parametrize("name", NEVER)
def test_what_is_no_value_of_a_setting_is_refused_by_its_name_with_the_choices_that_there_are(name):
    for value in NEVER[name]:
        error = refused(**{name: value})
        assert error.field == name and all(repr(each) in error.bound for each in SETTINGS[name].choices), value


@pytest.mark.parametrize("value", [("a",), ["a", "b" * 200], ["x"] * 8, ()], ids=len)
def test_stop_strings_become_a_tuple(value):
    assert DecodeConfig(stop=value).stop == tuple(value)


def test_the_error_names_field_value_and_bound_and_shows_a_long_value_in_part():
    error = refused(K=99)
    assert (error.field, error.value, error.bound) == ("K", 99, "a whole number from 0 to 32")
    assert str(error) == "K is 99; it must be a whole number from 0 to 32"
    assert "0 for greedy" in str(refused(temperature=9)) and len(str(refused(stop="x" * 100_000))) < 200


def test_a_setting_cannot_be_changed_or_invented_and_survives_being_taken_apart():
    with pytest.raises(FrozenInstanceError):
        DecodeConfig().K = 3
    with pytest.raises(TypeError):
        DecodeConfig(k=3)
    config = DecodeConfig(K=2, temperature=0.7, stop=["\n"], seed=2**32 - 1)
    assert DecodeConfig(**asdict(config)) == config


@pytest.mark.parametrize(
    ("settings", "exact"),
    [
        ({}, True),
        ({"verifier": "match"}, True),
        ({"verifier": "block", "drafting": "argmax"}, True),
        ({"verifier": "typical"}, False),
        ({"verifier": "threshold"}, False),
        ({"verifier": "threshold", "theta": 1}, True),
        ({"verifier": "typical", "temperature": 0}, True),
        ({"verifier": "typical", "K": 0}, True),
    ],
    ids=str,
)
def test_a_run_knows_whether_its_rule_is_exact(settings, exact):
    assert DecodeConfig(**settings).exact is exact


def test_a_setting_has_an_entry_for_each_field_with_words_for_people():
    assert list(SETTINGS) == [f.name for f in fields(DecodeConfig) if f.name != "adaptive"]  # of saved runs alone
    for name, setting in SETTINGS.items():
        assert setting.default == getattr(DecodeConfig(), name) and setting.label
        assert setting.help
    for words in ("label", "key", "option"):
        assert len({getattr(setting, words) for setting in SETTINGS.values()}) == len(SETTINGS), words


def test_the_choices_are_the_rules_and_the_ways_to_take_a_token_and_no_value_of_saved_runs_alone():
    assert list(SETTINGS["verifier"].choices) == list(RULES)
    assert tuple(SETTINGS["drafting"].choices) == get_args(Drafting)
    setting = SETTINGS["verifier"]
    assert setting.saved == tuple(SAVED) and not SAVED.keys() & setting.choices.keys()
    for name in SAVED:
        assert DecodeConfig(verifier=name).verifier == name and not DecodeConfig(verifier=name).exact
        with pytest.raises(ConfigError):
            setting.validate(name)


def test_what_belongs_to_a_rule_or_a_flag_is_a_setting():
    of_rules = {name: rule for rule, one in RULES.items() for name in one.settings}
    assert {name: setting.rule for name, setting in SETTINGS.items() if setting.rule} == of_rules
    assert {setting.beside for setting in SETTINGS.values() if setting.beside} == {"confidence", "tree"}


def test_a_rule_that_is_not_exact_says_so_where_it_is_picked():
    marked = {name for name, label in SETTINGS["verifier"].choices.items() if "not exact" in label}
    assert marked == set(RULES) - set(EXACT) == {name for name in RULES if not DecodeConfig(verifier=name).exact}
    help_parts = SETTINGS["verifier"].help.partition("; not exact: ")
    assert all(name in help_parts[0] for name in EXACT) and all(name in help_parts[2] for name in marked)


VALUES = {name: setting.samples for name, setting in SETTINGS.items() if name not in ("stop", "grammar")}
VALUES |= {"K": (0, 3, 12, 32), "confidence": (0, 0.2), "survival": (0, 0.2), "temperature": (0, 1.0), "grammar": ("", "a")}
PAIRS = [
    {"temperature": 0, "tree": tree, "grammar": grammar, one: first, other: second}
    for tree, grammar in (("off", ""), ("static", "a"))
    for one, other in combinations(VALUES, 2)
    for first, second in product(VALUES[one], VALUES[other])
]


def test_of_any_two_settings_a_run_refuses_what_their_controls_say_cannot_be_and_nothing_else():
    for config in PAIRS:
        beside = {name: SETTINGS[name].default for name in CONFLICTING} | config
        options = {name: options_beside(name, beside) for name in CONFLICTING}
        told = {name: bound for name, (values, bound) in options.items() if beside[name] not in values}
        try:
            DecodeConfig(**config)
        except ConfigError as error:
            assert told[error.field] == error.bound, config
        else:
            assert not told, config
        for name, (values, bound) in options.items():
            if not told and bound:  # one more setting that cannot be: the run would say so of it or of the other one
                value = next(value for value in SETTINGS[name].samples if value not in values)
                with pytest.raises(ConfigError):
                    DecodeConfig(**config | {name: value})


def test_beside_a_value_that_is_none_every_setting_keeps_its_options():
    for name, value in product(CONFLICTING, [None, "", "1-", [4], {}, 10**400, math.nan]):
        assert options_beside(name, dict.fromkeys(CONFLICTING, value))[0], (name, value)


@pytest.mark.parametrize(
    ("grammar", "reason"),
    [
        ("a{2}|[b-d]+", None),
        ("a**", "at character 3, a repeat follows a repeat"),
        ("(ab", "at character 1, this group is not closed"),
        ("a" * 401, "at most 400 characters"),
        ("(a{200}){200}", "at most 600 places"),
        (5, "at most 400 characters"),
    ],
)
def test_a_grammar_is_read_when_it_is_set_and_what_is_wrong_has_a_place(grammar, reason):
    if reason is None:
        assert DecodeConfig(grammar=grammar).grammar == grammar
    else:
        assert refused(grammar=grammar).field == "grammar" and reason in refused(grammar=grammar).bound


EXPRESSIONS = [
    r'\{"a": [1-9]\d?\}',
    *r"""
    [0-9]+ a{2,4} (ab|a)*b? a{2,} a{3} (a|b)*a(a|b){3} [^ab]c .a \w\s\d? (a?){3}b ((a|b1){0,2}1){1,2} a* (?:a|b)+1
    [\w-]+ [a\]]b [^\s1]{1,3} \S\D\W
""".split(),
]
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
