"""Files from anybody, and the runs of a visit: read in a process of their own, which is bounded, each a run, a record or one sentence."""

import json
import os
import subprocess
import sys
import zlib
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.page.keep import reader as module
from specviz.page.keep.files import open_file
from specviz.page.keep.reader import FileError, FileReader, as_line, file_contents, kept_contents
from specviz.picture.replay import FileContents, packed_run, run_contents
from specviz.trace.file import dumps, stop_when
from specviz.words import page as words

from ..fake_trace import fake_trace
from ..view import call, view

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


def test_the_process_needs_neither_gradio_nor_torch_is_no_one_of_ours_and_comes_after_whoever_decodes(reader):
    code = "import specviz.page.keep.reader, sys; print({'gradio', 'torch', 'numpy', 'pandas'} & set(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "set()\n"
    reader.ask("file", DATA)
    assert pid(reader) not in (None, os.getpid())
    if hasattr(os, "getpriority"):
        assert os.getpriority(os.PRIO_PROCESS, pid(reader)) > os.getpriority(os.PRIO_PROCESS, 0)


def test_it_is_started_once_for_small_files_and_for_each_large_one(reader):
    reader.ask("file", DATA)
    first = pid(reader)
    with pytest.raises(FileError, match="Of other engines"):
        reader.ask("file", b"x" * (module.SMALL_FILE + 1))
    reader.ask("file", DATA)
    assert pid(reader) == first and pid(reader, large=True) is None


def test_a_file_that_takes_too_long_is_ended_by_the_clock(monkeypatch):
    monkeypatch.setattr(module, "CLOCK_FACTOR", 0.0)
    slow = FileReader()
    with pytest.raises(FileError) as refused:
        slow.ask("file", DATA)
    assert str(refused.value) == words.FILE_STOPPED and pid(slow) is None


def test_a_file_that_takes_too_much_of_a_processor_is_ended_between_two_lines_and_so_is_a_run_of_the_visit():
    with stop_when(lambda: True):
        assert file_contents(DATA).about == {"kind": "refused", "message": words.FILE_STOPPED}
    with stop_when(lambda: True):
        assert kept(SENT)["message"] == words.FILE_STOPPED


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS holds on Linux")
def test_a_file_that_takes_too_much_memory_is_refused_in_a_sentence():
    small = FileReader(memory=160 * 2**20)
    with pytest.raises(FileError) as refused:
        small.ask("file", COUNTER * 500_000)
    small.close()
    assert str(refused.value) == words.FILE_STOPPED


def test_who_stops_or_leaves_ends_the_process_and_after_one_that_was_killed_the_next_file_is_read(reader):
    reader.ask("file", DATA)
    with pytest.raises(FileError):
        reader.ask("file", DATA, lambda: True)
    assert pid(reader) is None
    reader.ask("file", DATA)
    reader._small._process.kill()
    reader._small._process.wait()
    assert reader.ask("file", DATA).about["kind"] == "run"


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
    waiting = [
        Thread(target=reader.ask, args=("file", bytes([n]), lambda: False, who)) for n, who in enumerate("aabbcc"[: module.READS])
    ]
    for one in waiting:
        one.start()
    reads.wait()
    while reader._reads.taken() < module.READS:
        pass
    with pytest.raises(FileError) as refused:
        reader.ask("file", b"", who="d")
    assert str(refused.value) == words.FILES_WAIT
    go.set()
    for one in waiting:
        one.join()
    assert not reader._reads.taken()
    reader._reads.begin("a", module.READS_EACH)
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
    assert not reader._readings and not reader._reads.taken()


def test_a_file_that_is_no_run_is_refused_to_all_who_opened_it(reader):
    with ThreadPoolExecutor(20) as pool:
        refused = [pool.submit(reader.ask, "file", b"no run", lambda: False, "school") for _ in range(20)]
        assert {type(one.exception(20)) for one in refused} == {FileError}
        assert len({str(one.exception()) for one in refused}) == 1


def test_an_answer_that_is_larger_than_a_screen_is_given_is_refused(monkeypatch):
    race = run_contents(RUN, "file").parts[0]
    monkeypatch.setattr(module, "SCREEN_BYTES", len(race) - 1)
    assert file_contents(DATA).about["message"].startswith("The file was not opened: a browser would get")
    monkeypatch.setattr(module, "SCREEN_BYTES", len(race))
    assert file_contents(DATA).about["kind"] == "run"


EXAMPLES = {
    path.name: path.read_bytes()
    for path in sorted((Path(__file__).parents[1] / "trace" / "records" / "examples").iterdir())
    if path.suffix != ".md"
}
METHODS = {}, {"K": 0}, {"verifier": "match"}, {"verifier": "block"}, {"temperature": 0.0}, {"cancelled": 1}, {"hostile": True}
TRACES = {str(method): dumps(fake_trace("Once", seed=3, max_new_tokens=6, **method)) for method in METHODS}
LONG = b" " * 25_000  # more than a reader looks at in one line
PIECES = b'0 -1 1e400 NaN null true " \\ \\ud800 \xff \x1b[31m \0 < { . , 12345678901234567890'.split()
PIECES += [b"\n", b"\r", b": ", b"[" * 2000, b"9" * 5000, LONG, "\u2028é\U0001f642".encode()]
KINDS = ["cut", "insert", "put", "double", "swap"]
STEPS = st.tuples(st.sampled_from(KINDS), st.floats(0, 1, exclude_max=True), st.integers(1, 40), st.sampled_from(PIECES))
DAMAGE = st.lists(STEPS, min_size=1, max_size=4)


def damaged(data: bytes, kind: str, share: float, long: int, piece: bytes) -> bytes:
    at = int(share * len(data))
    head, part, tail = data[:at], data[at : at + long], data[at + long :]
    joined = head + tail, head + piece + part + tail, head + piece + tail, head + part + part + tail, tail + part + head
    return dict(zip(KINDS, joined, strict=True))[kind]


def sealed(data: bytes) -> bytes:
    """As somebody who edits a trace could seal it."""
    body = data.rpartition(b'{"event":"end"')[0]
    lines = body.count(b"\n")
    return body + b'{"event":"end","lines":%d,"sha256":"%s"}\n' % (lines, sha256(body).hexdigest().encode())


def one_answer(data: bytes) -> None:
    contents = file_contents(data)
    assert contents.about["kind"] in ("run", "record", "refused")
    if contents.about["kind"] == "refused":
        message = contents.about["message"]
        assert message.startswith("The file was not opened") and len(message) < 900 and "\n" not in message


@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=25)
@given(DAMAGE)
def test_a_damaged_record_is_an_answer_or_one_sentence(name, steps):
    data = EXAMPLES[name]
    for step in steps:
        data = damaged(data, *step)
    one_answer(data)


@pytest.mark.parametrize("name", TRACES)
@settings(max_examples=25)
@given(DAMAGE)
def test_a_damaged_trace_that_was_sealed_again_is_an_answer_or_one_sentence(name, steps):
    data = TRACES[name]
    for step in steps:
        data = damaged(data, *step)
    one_answer(sealed(data))


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_that_another_program_wrote_again_is_refused_as_a_trace_alone(name):
    lines = [json.dumps(json.loads(line)).encode() for line in TRACES[name].splitlines()]
    message = file_contents(b"\n".join(lines)).about["message"]
    assert "the file was changed" in message or "the last line" in message
    assert "another engine" not in message


def test_a_file_of_another_engine_is_led_to_the_form_and_five_numbers_that_cannot_be_to_their_bound():
    message = file_contents(b"Accept length: 4.21\n").about["message"]
    assert "read off five numbers: steps, drafted, accepted, K, accepted by position" in message
    assert message.endswith("Five numbers of a server.")
    counts = b'{"steps": 4, "drafted": 12, "accepted": %d, "K": 3, "accepted_by_position": null}'
    refused = file_contents(counts % 13).about
    assert refused == {
        "kind": "refused",
        "message": "The five numbers were not taken: accepted must be a whole number from 0 to 12 (drafted), found 13.",
    }
    assert file_contents(counts % 7).about == {"kind": "record", "engine": "another engine"}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_long_line_before_any_word_of_a_record_is_an_answer_or_one_sentence(name):
    starts = [0, *(i + 1 for i, byte in enumerate(EXAMPLES[name]) if byte in b" \n")]
    for at in starts[:: 1 + len(starts) // 60]:
        one_answer(EXAMPLES[name][:at] + LONG + EXAMPLES[name][at:])


@pytest.mark.parametrize("where", ["spec_decode_other", "id", "model"])
def test_half_a_character_in_a_record_is_shown_as_one_that_is_lost(where):
    request = {"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3}
    one_answer(json.dumps({**request, where: "a \ud800 b"}).encode())
    one_answer(json.dumps({**request, f"{where} \ud800": 7}).encode())


KEPT = fake_trace("Kept")
PACKED = packed_run(dumps(KEPT), "file")
SENT = json.loads(as_line(PACKED))  # as a browser keeps it


def kept(entry) -> dict:
    return kept_contents(json.dumps(entry).encode()).about


def test_a_run_comes_back_whole_is_told_anew_each_time_and_has_no_line_where_it_is_too_long_to_keep(monkeypatch):
    assert kept_contents(json.dumps(SENT).encode()) == run_contents(KEPT, "file")
    once, again = (json.loads(as_line(PACKED)) for _ in range(2))
    assert once["id"] == again["id"] and once["at"] != again["at"]
    monkeypatch.setattr(module, "PACKED_BYTES", len(PACKED.data) - 1)
    assert as_line(PACKED) == ""


def test_a_line_says_the_numbers_that_the_screen_says():
    run_view = view(fake_trace("Once upon a time", K=4, temperature=0.5))
    line = call("keep/visit.js", "lineOf", run_view, "7", "run")
    values = line["values"]
    assert line["timed"] == run_view["comparison"]["clock"] == "wall"
    run_view["comparison"]["clock"] = None  # of a disturbed run
    assert call("keep/visit.js", "lineOf", run_view, "7", "run")["timed"] is None
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
