"""A file that a visitor opens is read for as long as somebody waits for it."""

import json

import pytest

from specviz.page import words
from specviz.page.keep.files import open_file
from specviz.page.keep.reader import FileReader
from specviz.trace.file import dumps

from ...fake_trace import fake_trace


@pytest.fixture(scope="module")
def reader():
    reader = FileReader()
    yield reader
    reader.close()


def test_a_file_that_nobody_waits_for_is_refused_in_a_sentence(reader):
    (reading, _), (line, found) = open_file(reader, dumps(fake_trace("Once")), lambda: True)
    assert json.loads(reading)["state"] == "opening"
    assert json.loads(line) == {"state": "refused", "message": words.FILE_STOPPED} and found is None


def test_a_file_that_is_waited_for_is_read(reader):
    *_, (line, found) = open_file(reader, dumps(fake_trace("Once")))
    assert json.loads(line)["message"] == words.FILE_OPENED
    assert found.parts[2] == dumps(fake_trace("Once"))


def test_what_another_engine_recorded_is_named(reader):
    request = {"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3}
    *_, (line, found) = open_file(reader, json.dumps(request).encode())
    assert json.loads(line)["message"] == words.RECORD_OPENED.format(engine="vLLM")
    assert json.loads(found.parts[0])["engine"] == "vLLM"
