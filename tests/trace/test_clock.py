"""Reading ends where nobody wants the rest: soon, whatever is read."""

import json

import pytest

from specviz.trace.clock import Stopped, stop_when, until_stopped
from specviz.trace.file import dumps, loads
from specviz.trace.records.read import loads as read_record

from ..fake_trace import fake_trace

REQUEST = json.dumps({"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3})
COUNTER = 'vllm:spec_decode_num_drafts_total{model_name="x"} 5.0'


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (loads, dumps(fake_trace("Once"))),
        (read_record, "\n".join([REQUEST] * 50).encode()),
        (read_record, "\n".join([COUNTER] * 50).encode()),
        (read_record, "\n".join([f"data: {REQUEST}"] * 50).encode()),
        (read_record, b"INFO 11-22 10:00:00 a line of a log\n" * 50),
    ],
    ids=["trace", "requests", "counters", "stream", "log"],
)
def test_reading_is_stopped_between_lines(read, data):
    calls = []

    def stop():
        calls.append(None)
        return len(calls) > 5

    with pytest.raises(Stopped), stop_when(stop):
        read(data)
    assert len(calls) == 6


def test_outside_nobody_is_asked_and_inside_the_last_one_is():
    assert list(until_stopped("abc")) == ["a", "b", "c"]
    with stop_when(lambda: False), pytest.raises(Stopped), stop_when(lambda: True):
        list(until_stopped("abc"))
    assert list(until_stopped("abc")) == ["a", "b", "c"]
