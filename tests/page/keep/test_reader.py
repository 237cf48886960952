"""Files from anybody are read in a process of their own, which is bounded, and says of each one thing."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Event, Thread

import pytest

from specviz.page import words
from specviz.page.keep import contents
from specviz.page.keep import reader as module
from specviz.page.keep.contents import FileContents, file_contents, kept_contents, run_contents
from specviz.page.keep.files import open_file
from specviz.page.keep.history import as_line
from specviz.page.keep.reader import READS, READS_EACH, SMALL_FILE, FileError, FileReader
from specviz.trace.clock import stop_when
from specviz.trace.file import dumps

from ...fake_trace import fake_trace

RUN = fake_trace("Once", max_new_tokens=12)
DATA = dumps(RUN)
COUNTER = b'vllm:spec_decode_num_drafts_total{engine="0",model_name="x"} 5.0\n'


@pytest.fixture(scope="module")
def reader():
    reader = FileReader()
    yield reader
    reader.close()


def pid(reader, large=False):
    process = (reader._large if large else reader._small)._process
    return process.pid if process and process.poll() is None else None


def test_what_crosses_is_what_would_be_read_here(reader):
    assert reader.ask("file", DATA) == file_contents(DATA) == run_contents(RUN, "file")
    sent = as_line(run_contents(RUN, "file").run).encode()
    assert reader.ask("kept", sent) == kept_contents(sent)


def test_the_process_needs_neither_gradio_nor_torch_and_is_no_one_of_ours(reader):
    code = "import specviz.page.keep.child, sys; print({'gradio', 'torch', 'numpy', 'pandas'} & set(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "set()\n"
    reader.ask("file", DATA)
    assert pid(reader) not in (None, os.getpid())


def test_it_is_started_once_for_small_files_and_for_each_large_one(reader):
    reader.ask("file", DATA)
    first = pid(reader)
    with pytest.raises(FileError, match="Of other engines"):
        reader.ask("file", b"x" * (SMALL_FILE + 1))
    reader.ask("file", DATA)
    assert pid(reader) == first and pid(reader, large=True) is None


def test_it_comes_after_whoever_decodes_or_answers(reader):
    reader.ask("file", DATA)
    if hasattr(os, "getpriority"):
        assert os.getpriority(os.PRIO_PROCESS, pid(reader)) > os.getpriority(os.PRIO_PROCESS, 0)


def test_a_process_that_was_killed_is_one_sentence_and_the_next_file_is_read(reader):
    reader.ask("file", DATA)
    reader._small._process.kill()
    reader._small._process.wait()
    assert reader.ask("file", DATA).about["kind"] == "run"


def test_a_file_that_takes_too_long_is_ended_by_the_clock(monkeypatch):
    monkeypatch.setattr(module, "CLOCK_FACTOR", 0.0)
    slow = FileReader()
    with pytest.raises(FileError) as refused:
        slow.ask("file", DATA)
    assert str(refused.value) == words.FILE_STOPPED and pid(slow) is None


def test_a_file_that_takes_too_much_of_a_processor_is_ended_between_two_lines():
    with stop_when(lambda: True):
        assert file_contents(DATA).about == {"kind": "refused", "message": words.FILE_STOPPED}


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS holds on Linux")
def test_a_file_that_takes_too_much_memory_is_refused_in_a_sentence():
    small = FileReader(memory=160 * 2**20)
    with pytest.raises(FileError) as refused:
        small.ask("file", COUNTER * 500_000)
    small.close()
    assert str(refused.value) == words.FILE_STOPPED


def test_who_stops_or_leaves_ends_the_process(reader):
    reader.ask("file", DATA)
    with pytest.raises(FileError):
        reader.ask("file", DATA, lambda: True)
    assert pid(reader) is None


def test_a_file_that_nobody_waits_for_is_refused_in_a_sentence(reader):
    (reading, _), (line, contents) = open_file(reader, DATA, lambda: True)
    assert json.loads(reading)["state"] == "opening"
    assert json.loads(line) == {"state": "refused", "message": words.FILE_STOPPED} and contents is None


def test_few_wait_and_of_one_address_fewer(monkeypatch):
    reader, reads, go = FileReader(), Event(), Event()

    def check(*_):
        reads.set()
        go.wait()
        return FileContents({"kind": "run"})

    monkeypatch.setattr(reader._small, "_request", check)
    waiting = [Thread(target=reader.ask, args=("file", bytes([n]), lambda: False, who)) for n, who in enumerate("aabbcc"[:READS])]
    for one in waiting:
        one.start()
    reads.wait()
    while sum(reader._in_use.values()) < READS:
        pass
    with pytest.raises(FileError) as refused:
        reader.ask("file", b"", who="d")
    assert str(refused.value) == words.FILES_WAIT
    go.set()
    for one in waiting:
        one.join()
    assert not reader._in_use
    reader._in_use.update({"a": READS_EACH})
    with pytest.raises(FileError):
        reader.ask("file", b"", who="a")
    assert reader.ask("file", b"", who="b").about == {"kind": "run"}


def test_twenty_of_one_address_who_open_the_same_file_in_one_moment_are_all_served_and_it_is_read_once(monkeypatch):
    reader, reads, go, read = FileReader(), Event(), Event(), []

    def check(request, data, stop):
        read.append(data)
        reads.set()
        while not go.wait(0.01):
            if stop():
                raise FileError(words.FILE_STOPPED)
        return FileContents({"kind": "run"})

    monkeypatch.setattr(reader._small, "_request", check)
    gone = Event()
    with ThreadPoolExecutor(30) as pool:
        first = pool.submit(reader.ask, "file", DATA, gone.is_set, "school")
        reads.wait()
        others = [pool.submit(reader.ask, "file", DATA, lambda: False, "school") for _ in range(19)]
        leaves = pool.submit(reader.ask, "file", DATA, lambda: True, "school")
        with pytest.raises(FileError):  # it is still read for the others
            leaves.result(20)
        while len(reader._readings[("file", sha256(DATA).digest())].stops) < 21:
            pass
        gone.set()  # so is it where the first one leaves
        go.set()
        assert {one.result(20).about["kind"] for one in (first, *others)} == {"run"} and read == [DATA]
    assert not reader._readings and not reader._in_use


def test_a_file_that_is_no_run_is_refused_to_all_who_opened_it(reader):
    with ThreadPoolExecutor(20) as pool:
        refused = [pool.submit(reader.ask, "file", b"no run", lambda: False, "school") for _ in range(20)]
        assert {type(one.exception(20)) for one in refused} == {FileError}
        assert len({str(one.exception()) for one in refused}) == 1


def test_an_answer_that_is_larger_than_a_screen_is_given_is_refused(monkeypatch):
    race = run_contents(RUN, "file").parts[0]
    monkeypatch.setattr(contents, "SCREEN_BYTES", len(race) - 1)
    assert file_contents(DATA).about["message"].startswith("The file was not opened: a browser would get")
    monkeypatch.setattr(contents, "SCREEN_BYTES", len(race))
    assert file_contents(DATA).about["kind"] == "run"
