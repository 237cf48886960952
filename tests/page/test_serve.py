"""A server: its port, its own files, its log, and what is left of one that is killed or stopped in mid-run."""

import errno
import io
import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import httpx
import pytest

from scripts.load import App, Tally, Visitor, up
from specviz.page.guard.front import error_line
from specviz.page.serve import LOG_CHARACTERS, WINDOW_SECONDS, LossyStream, Scratch, _files, in_use, serve

from ..loop import run


def test_a_port_is_in_use_for_as_long_as_somebody_listens_and_is_never_shared(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert in_use("127.0.0.1", port)
    assert not in_use("127.0.0.1", port)
    # Windows lets two servers have one port if they ask to reuse it: the second would start and never be reached.
    options = []
    monkeypatch.setattr("os.name", "nt")
    monkeypatch.setattr(socket.socket, "setsockopt", lambda _, level, option, value: options.append(option))
    in_use("127.0.0.1", 0)
    assert socket.SO_REUSEADDR not in options


def test_nothing_is_loaded_for_a_port_that_is_taken_and_one_line_says_the_way_out(capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert serve(lambda: pytest.fail("loaded the models first"), *server.getsockname()) == 1
    way_out = f'--port {port + 1} (make run ARGS="--port {port + 1}"), or set GRADIO_SERVER_PORT.'
    assert capsys.readouterr().err.strip() == f"Port {port} is in use. Choose another: {way_out}"


ROOT = Path(__file__).parent.parent.parent
SERVER = """
from specviz.page.serve import serve
from tests.browser.fake_engine import FakeEngine
serve(FakeEngine, "127.0.0.1", {port})
"""


@pytest.mark.slow  # two servers start
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL and no SIGTERM that a process can hear")
def test_killed_in_mid_run_and_started_again_everything_works_and_sigterm_ends_a_run_with_what_it_has(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def start():
        environment = {**os.environ, "GRADIO_TEMP_DIR": str(tmp_path), "GRADIO_ANALYTICS_ENABLED": "False"}
        return subprocess.Popen([sys.executable, "-c", SERVER.format(port=port)], cwd=ROOT, env=environment)

    async def in_mid_run(server, number):
        """What a visitor is sent whose run is under way when the server gets the signal."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            visitor = Visitor(http, App(await up(http)), Tally())
            visitor.values[visitor.app.ids["prompt"]] = f"slow {visitor.canary}"
            begin = visitor.app.on("run", "click")[0]
            visitor.tally.on_event = lambda: server.send_signal(number)
            return await visitor.call(begin)

    def folders():
        return list(tmp_path.glob(f"specviz-{port}-*"))

    servers = []
    try:
        servers.append(first := start())
        run(in_mid_run(first, signal.SIGKILL))
        assert first.wait(20) == -signal.SIGKILL and len(folders()) == 1
        (folders()[0] / "sent").mkdir(exist_ok=True)
        (folders()[0] / "sent" / "half").write_bytes(b"half")
        servers.append(second := start())
        came = run(in_mid_run(second, signal.SIGTERM))
        assert "closing" in came and "canary" in came
        assert second.wait(20) == 0 and not folders()
    finally:
        for server in servers:
            server.kill()


HEAPS = """
import ctypes, threading
from specviz.page.serve import share_heaps
share_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
all_hold = threading.Barrier(12)
def hold():
    libc.malloc(60_000)
    all_hold.wait()
threads = [threading.Thread(target=hold) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
stdout = ctypes.c_void_p.in_dll(libc, "stdout")
libc.malloc_info(0, stdout)
libc.fflush(stdout)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_threads_that_decode_by_turns_share_what_was_freed():
    answer = subprocess.run([sys.executable, "-c", HEAPS], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert 1 <= answer.count("<heap nr=") <= 2


@pytest.fixture(autouse=True)
def put_back(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def fill(scratch, *names, size=100):
    for age, name in enumerate(reversed(names)):
        path = scratch.folder / "sent" / name / "specviz-run.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(size))
        os.utime(path, (1000 - age, 1000 - age))


def left(scratch):
    return sorted(path.parent.name for path in (scratch.folder / "sent").rglob("*.jsonl"))


def test_what_a_killed_server_left_is_gone_when_it_starts_again(tmp_path, monkeypatch):
    first = Scratch(7860)
    fill(first, "half")
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    other = Scratch(7861)
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    assert left(Scratch(7860)) == [] and other.folder.is_dir()  # another port is another server


def test_gradio_and_python_keep_their_files_there():
    scratch = Scratch(7860)
    assert os.environ["GRADIO_TEMP_DIR"].startswith(str(scratch.folder))
    assert tempfile.mkdtemp().startswith(str(scratch.folder))


def test_the_oldest_copies_go_until_the_rest_is_within_the_bound_and_a_server_that_ends_leaves_nothing():
    scratch = Scratch(7860, most=250)
    fill(scratch, "oldest", "older", "newer", "newest")
    folder = tempfile.mkdtemp()
    scratch.sweep()
    assert left(scratch) == ["newer", "newest"] and os.path.isdir(folder)
    scratch.remove()
    assert not scratch.folder.exists()


def test_of_tiny_files_no_more_stay_than_the_bound(monkeypatch):
    monkeypatch.setattr("specviz.page.serve.SCRATCH_FILES", 3)
    scratch = Scratch(7860)
    fill(scratch, *(f"tiny{n}" for n in range(10)), size=1)
    scratch.sweep()
    assert left(scratch) == ["tiny7", "tiny8", "tiny9"]
    assert sorted(path.name for path in (scratch.folder / "sent").iterdir()) == left(scratch)  # nor an empty folder


def test_what_an_upload_left_that_never_ended_goes(tmp_path):
    scratch = Scratch(7860)
    fill(scratch, "whole")
    old, new = (scratch.folder / "sent" / name for name in ("tmpold", "tmpnew"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    scratch.sweep()
    assert not old.exists() and new.exists() and left(scratch) == ["whole"]


def test_nobody_can_make_it_before_and_what_is_somebody_elses_stays(tmp_path):
    theirs, elsewhere = tmp_path / "specviz-7860", tmp_path / "elsewhere"
    theirs.mkdir()
    elsewhere.mkdir()
    (tmp_path / "specviz-7860-link").symlink_to(elsewhere)
    first, second = Scratch(7860), Scratch(7861)
    assert first.folder.parent == tmp_path and first.folder.name != second.folder.name.replace("7861", "7860")
    assert first.folder.stat().st_mode & 0o777 == 0o700 and theirs.is_dir() and elsewhere.is_dir()


def test_a_folder_that_goes_while_files_are_listed_is_no_error(vanishing):
    assert [(size, path.name) for _, size, path in _files(vanishing)] == [(5, "stays")]


class Full(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self):
        self.write("")


def test_where_there_is_room_it_is_the_stream_that_it_stands_for_and_what_finds_none_is_lost(monkeypatch):
    stream = io.StringIO()
    print("said", file=LossyStream(stream), flush=True)
    assert stream.getvalue() == "said\n" and not LossyStream(stream).isatty() and LossyStream(stream).readable()
    monkeypatch.setattr(sys, "stderr", LossyStream(Full()))
    try:
        raise ValueError("told")
    except ValueError:
        traceback.print_exc()
    print("said", file=sys.stderr, flush=True)


def test_a_stranger_fills_no_disk_by_what_goes_wrong_and_the_log_says_what_is_left_out():
    stream, now = io.StringIO(), [0.0]
    log = LossyStream(stream, lambda: now[0])
    for _ in range(10_000):
        print("Traceback, and all of it", file=log)
    assert len(stream.getvalue()) <= LOG_CHARACTERS
    now[0] = WINDOW_SECONDS + 1
    print("later", file=log)
    assert stream.getvalue().endswith("characters of the log were left out)\nlater\n")


def test_of_a_traceback_the_log_has_one_line_whatever_it_quotes():
    stream = io.StringIO()
    log = LossyStream(stream)
    try:
        try:
            raise ValueError("quoted\nINFO: forged \x1b[2J \ud800" + "x" * 10_000)
        except ValueError as error:
            line = error_line(error)
            raise TypeError("another\nforged") from error
    except TypeError:
        traceback.print_exc(file=log)
    print("later", file=log)
    of_value, of_type, later = stream.getvalue().splitlines()
    assert of_value.startswith("an event failed: 'ValueError: quoted\\nINFO")
    for one in (of_value, line):  # as for an error that is written by itself, which has its place too
        assert len(one) < 500 and one.isprintable() and one.isascii()
    assert "test_serve.py" in line
    assert of_type.startswith("an event failed: 'TypeError: another\\nforged") and later == "later"
