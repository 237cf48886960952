"""What is sent of a trace is smaller than its file, without markup, and says all that a screen shows of it."""

import json

import pytest

from specviz.page.keep import recorded
from specviz.picture.plain import MARKUP, json_text
from specviz.picture.replay import replay_data
from specviz.trace.file import dumps

from ..fake_trace import fake_trace

KINDS = [
    {"K": 4},
    {"temperature": 0.0},
    {"verifier": "match"},
    {"observed": False},
    {"hostile": True},
    {"cancelled": 0},
    {"K": 0},
]


@pytest.mark.parametrize("name", ["opening", "question", "tree"])
def test_a_run_is_sent_in_less_than_half_of_its_file(name):
    trace = recorded.load(name)
    assert 2 * len(json_text(replay_data(trace)).encode()) < len(dumps(trace))


def test_every_token_is_sent_once():
    tokens = replay_data(fake_trace(seed=7))["tokens"]
    assert len(tokens) == len(set(tokens))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_sent_is_json_without_markup_and_reads_back_the_same(kind):
    sent = replay_data(fake_trace(**kind))
    text = json_text(sent)
    assert not MARKUP.search(text)
    assert json.loads(text) == json.loads(json.dumps(sent))


def test_a_text_of_angle_brackets_grows_by_nothing_and_no_tag_comment_or_end_of_a_script_is_left_in_it():
    assert len(json_text("<" * 1000)) == 1002
    assert "<" not in json_text("<b></b><!-- <?x ?> <SCRIPT>")
