"""Sentences are chosen by what a trace says, so each value that it can say has one."""

from typing import get_args

from specviz.picture.words import BROWSER
from specviz.trace.events import ShortBlockReason


def test_each_reason_to_draft_fewer_has_its_words():
    assert {key for key in BROWSER if key.startswith("fewer_")} == {f"fewer_{why}" for why in get_args(ShortBlockReason)}
