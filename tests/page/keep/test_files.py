"""A file that a visitor opens is read for as long as somebody waits for it."""

import json

from specviz.page import words
from specviz.page.keep.files import opened
from specviz.trace.file import dumps

from ...fake_trace import fake_trace


def test_a_file_that_takes_too_long_or_is_stopped_is_refused_in_a_sentence():
    (reading, _), (line, found) = opened(dumps(fake_trace("Once")), lambda: True)
    assert json.loads(reading)["state"] == "opening"
    assert json.loads(line) == {"state": "refused", "message": words.FILE_STOPPED} and found is None


def test_a_file_that_is_waited_for_is_read():
    *_, (line, found) = opened(dumps(fake_trace("Once")), lambda: False)
    assert json.loads(line)["message"] == words.FILE_OPENED and found == fake_trace("Once")
