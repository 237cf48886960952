"""What the page is sent: scripts that cannot run model text, and words that are all there. No browser needed."""

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from specviz.picture.words import BROWSER, BROWSER_RECORD
from specviz.trace.disturbed import Sign
from specviz.trace.events import REASONS
from specviz.trace.header import LANES

SCRIPTS = sorted((Path(__file__).resolve().parents[2] / "assets").rglob("*.js"))
TEXT = "\n".join(path.read_text("utf-8") for path in SCRIPTS)


def test_no_script_can_turn_text_into_markup_or_code():
    makes = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|srcdoc")
    found = {path.name: makes.findall(path.read_text("utf-8")) for path in SCRIPTS}
    assert found and not {name: forms for name, forms in found.items() if forms}


def test_every_sentence_is_shown_somewhere():
    built = set(re.findall(r"`([a-z]+_[a-z_]*)\$\{", TEXT))  # completed by a phase, a reason, a kind of drafter
    judged = ["checked", "kept", "rejected", "replaced", "corrected", "bonus", "plain", "at_kept", "at_rejected"]
    built |= {f"{role}_" for role in judged}  # completed by a rule
    written = set(re.findall(r"\w+", TEXT))
    unused = [key for key in BROWSER | BROWSER_RECORD if not key.startswith(tuple(built)) and key not in written]
    assert unused == []


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_to_stop_has_its_words(reason):
    assert f"ended_{reason}" in BROWSER


@pytest.mark.parametrize("verifier", ["", "_greedy", "_match"])
def test_every_way_to_verify_has_its_sentences(verifier):
    assert {f"{role}{verifier}" for role in ("rejected", "corrected", "bonus")} <= set(BROWSER)


def test_every_speedup_has_its_words():
    assert {f"kind_{kind}" for kind in ("faster", "slower", "level", "alike", "disturbed")} <= set(BROWSER)


def test_every_sign_that_a_machine_was_busy_has_its_sentence():
    kinds = get_args(get_type_hints(Sign)["kind"])
    assert kinds and {f"sign_{kind}" for kind in kinds} <= set(BROWSER) and {f"lane_{lane}" for lane in LANES} <= set(BROWSER)
