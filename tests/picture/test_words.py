"""Scripts cannot run model text, and each value that a trace can say has its words, all of which are shown."""

import re
from typing import get_args, get_type_hints

import pytest

from specviz.config import ASSETS
from specviz.drafters import DRAFTERS
from specviz.picture.replay import BROWSER, ENGINES, TERMS
from specviz.rules import RULES, SAVED
from specviz.trace.disturbed import Sign
from specviz.trace.events import LANES, REASONS, ShortBlockReason

SCRIPTS = {
    path.relative_to(ASSETS).as_posix(): path.read_text("utf-8")
    for path in sorted(ASSETS.rglob("*.js"))
    if path.parent.name != "vendor"
}
KEYS = {
    "reason to stop": {f"ended_{reason}" for reason in REASONS},
    "way to verify": {f"{role}{rule}" for role in ("rejected", "corrected", "bonus") for rule in ("", "_greedy", "_match")},
    "speedup": {f"kind_{kind}" for kind in ("faster", "slower", "level", "alike", "disturbed")},
    "sign that a machine was busy": {f"sign_{kind}" for kind in get_args(get_type_hints(Sign)["kind"])},
    "rule": {f"rule_{name}" for name in RULES | SAVED},
    "way to draft": {f"{of}_{one.picture_name}" for of in ("note", "models") for one in DRAFTERS.values()},
    "lane": {f"lane_{lane}" for lane in LANES},
}


def test_no_script_can_turn_text_into_markup_or_code():
    makes = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|srcdoc")
    assert SCRIPTS and not {name: forms for name, text in SCRIPTS.items() if (forms := makes.findall(text))}


@pytest.mark.parametrize("what", KEYS)
def test_every_value_of_this_kind_has_its_words(what):
    assert KEYS[what] and KEYS[what] <= set(BROWSER)


def test_each_reason_to_draft_fewer_has_its_words_and_no_other_does():
    assert {key for key in BROWSER if key.startswith("fewer_")} == {f"fewer_{why}" for why in get_args(ShortBlockReason)}


def test_no_two_terms_of_the_glossary_have_one_form():
    forms = [form for term in TERMS.values() for form in term.forms or (term.name,)]
    assert len(forms) == len(set(forms)) and all(form and form == form.strip() for form in forms)


def test_each_claim_about_an_engine_names_its_version_and_the_month_in_which_it_was_read():
    months = "Jan|Feb|Mar|Apr|May|June|July|Aug|Sept|Oct|Nov|Dec"
    known = re.compile(rf".*\d.*, ({months}) 20\d\d")
    papers, *engines = ENGINES
    assert papers.name == "The papers" and [one.name for one in engines if not known.fullmatch(one.known)] == []


@pytest.mark.parametrize("name", sorted({*RULES} - {"rejection"}))  # whose sentences are those without a name
def test_what_a_rule_decided_has_its_words(name):
    assert {"kept", "rejected", "set"} <= set(RULES[name].words)
