"""The runs of a visit: the browser is sent each, and what it sends back is read as strictly as a file from anybody."""

import json
import zlib
from base64 import b64encode

import pytest

from specviz.page import words
from specviz.page.keep import history
from specviz.page.keep.contents import kept_contents, run_contents
from specviz.page.keep.history import as_line, packed_run
from specviz.trace.clock import stop_when
from specviz.trace.file import dumps
from tests.fake_trace import fake_trace
from tests.view import call, view

RUN = fake_trace("Kept")
PACKED = packed_run(dumps(RUN), "file")
SENT = json.loads(as_line(PACKED))  # as a browser keeps it


def kept(entry) -> dict:
    return kept_contents(json.dumps(entry).encode()).about


def test_a_run_comes_back_whole():
    assert kept_contents(json.dumps(SENT).encode()) == run_contents(RUN, "file")


def test_the_same_run_is_told_anew_each_time():
    once, again = (json.loads(as_line(PACKED)) for _ in range(2))
    assert once["id"] == again["id"] and once["at"] != again["at"]


def test_a_run_that_is_too_long_to_keep_has_no_line(monkeypatch):
    monkeypatch.setattr(history, "BYTES", len(PACKED.data) - 1)
    assert as_line(PACKED) == ""


def test_a_line_says_the_numbers_that_the_screen_says():
    run_view = view(fake_trace("Once upon a time", K=4, temperature=0.5))
    line = call("keep/line.js", "lineOf", run_view, "7", "run")
    values = line["values"]
    assert values["speedup"] == run_view["comparison"]["speedup"]
    assert values["alpha"] == run_view["lanes"]["speculative"]["numbers"]["alpha"]
    assert (values["K"], values["temperature"], values["draft"]) == (4, 0.5, "story-draft")


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "text",
        [7, None, {}],
        {"data": "?", "source": "run"},
        {"data": b64encode(b"not packed").decode(), "source": "run"},
        {"data": b64encode(zlib.compress(b"not a trace")).decode(), "source": "run"},
        {"data": b64encode(zlib.compress(bytes(2**26))).decode(), "source": "run"},  # 64 MB of zeros in 64 kB
        {**SENT, "source": "<script>"},
        {**SENT, "data": 7},
    ],
    ids=lambda entry: str(entry)[:24],
)
def test_what_is_no_run_is_one_sentence(entry):
    assert kept(entry) == {"kind": "refused", "message": words.RUN_UNREADABLE}


def test_when_there_is_no_more_time_it_is_said():
    with stop_when(lambda: True):
        assert kept(SENT)["message"] == words.FILE_STOPPED
