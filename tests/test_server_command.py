"""`specviz server`: looks at a page again and again, draws, saves; with a clock and a page of our own, and once over HTTP."""

import io
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from specviz.__main__ import main
from specviz.commands import server as command
from specviz.commands.server import MAX_FAILURES, LiveServer, fetch, page_of, screen_of, watch
from specviz.config import ConfigError
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import RecordError
from tests.trace.records.test_formats import later
from tests.trace.records.test_read import EXAMPLES, METRICS


class Time:
    """A clock that goes on while somebody waits."""

    def __init__(self):
        self.now = 100.0

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def watched(*pages: str | Exception, seconds: float | None = None):
    """What is read and saved of these pages, one a look."""
    time, file, state, screens = Time(), io.StringIO(), LiveServer(""), []
    left = list(pages)

    def look() -> bytes:
        page = left.pop(0)
        if isinstance(page, Exception):
            raise page
        return page.encode()

    def draw() -> None:
        console = Console(width=80, file=io.StringIO())
        console.print(screen_of(state))
        screens.append(console.file.getvalue())

    watch(look, time.clock, time.wait, state, file.write, 3.0, 3.0 * (len(pages) - 1) if seconds is None else seconds, draw)
    return state, file.getvalue(), screens


def test_each_look_is_saved_and_the_last_interval_stands_beside_all_since_the_first():
    state, saved, screens = watched(METRICS, later(2), later(5))
    assert (state.readings, state.last.num_spec_steps, state.total.num_spec_steps, state.seconds) == (3, 72, 96, 6.0)
    lines = [json.loads(line) for line in saved.splitlines()]
    assert [line["seconds"] for line in lines] == [0.0, 3.0, 6.0] and lines[0]["engine"] == "vLLM"
    assert loads(saved.encode()).parts == (state.total,)
    assert all(part in screens[-1] for part in ("2.75", "96.0", "0.667", "█" * 20))  # 288 drafted in 3 s


def test_a_server_that_counted_nothing_yet_is_watched_from_its_first_draft():
    state, saved, _ = watched(later(0), METRICS)
    assert state.total == loads(METRICS.encode()).parts[0]
    assert loads(saved.encode()).parts == (state.total,)


def test_a_server_of_gauges_is_watched_too_and_one_that_rests_is_said_to():
    gauges = (EXAMPLES / "sglang_0.5_metrics.txt").read_text("utf-8")
    state, saved, screens = watched(gauges, gauges.replace(" 2.8\n", " 0.0\n"), gauges)
    assert state.lengths == [2.8, 2.8] and "No request is decoding" in screens[1]
    assert loads(saved.encode()).of == "gauges"


def test_a_look_that_fails_is_left_out_and_many_in_a_row_end_it_with_what_was_saved():
    lost = ConfigError("url", "x", "reached")
    state, saved, screens = watched(METRICS, lost, later())
    assert state.readings == 2 and "The last reading failed" in screens[1] and len(saved.splitlines()) == 2
    with pytest.raises(RecordError, match="the server was lost"):
        watched(METRICS, *[lost] * MAX_FAILURES, seconds=60)


def test_a_server_that_rests_was_reached_so_failures_on_both_sides_are_not_in_a_row():
    idle = (EXAMPLES / "sglang_0.5_metrics.txt").read_text("utf-8").replace(" 2.8\n", " 0.0\n")
    lost = ConfigError("url", "x", "reached")
    state, _, screens = watched(*[lost] * (MAX_FAILURES - 1), idle, *[lost] * (MAX_FAILURES - 1))
    assert state.lost == MAX_FAILURES - 1
    assert "No request is decoding" in screens[MAX_FAILURES - 1] and "The last reading failed" in screens[-1]


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("http://localhost:8000", "http://localhost:8000/metrics"),
        ("localhost:8000/", "http://localhost:8000/metrics"),
        ("https://x/v1", "https://x/metrics"),
        ("http://x/prometheus/metrics?a=1", "http://x/prometheus/metrics?a=1"),
    ],
)
def test_an_address_without_a_page_means_its_metrics(address, page):
    assert page_of(address) == page


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://x/metrics", "http://", "http://[::1"])
def test_an_address_of_something_else_is_refused(address):
    with pytest.raises(ConfigError, match=r"url is .*; it must be an address such as"):
        page_of(address)


@contextmanager
def guarded(*answers: tuple[int, bytes, dict]):
    """A server that keeps what it was asked, and answers in turn."""
    log, left = [], list(answers)

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            log.append(dict(self.headers))
            code, body, headers = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}", log
    server.shutdown()
    thread.join()
    server.server_close()


def test_over_http_a_record_is_saved_that_import_opens(tmp_path: Path, capsys):
    out = tmp_path / "server.jsonl"
    pages = [(200, later(n).encode(), {}) for n in (2, 3, 4, 5)]
    with guarded(*pages) as (host, _), pytest.raises(SystemExit) as done:
        main("server", f"http://{host}", "--out", str(out), "--every", "0.5", "--for", "1", "--why", "dense")
    output = capsys.readouterr()
    assert (
        done.value.code == 0
        and "saved" in output.err
        and "Ctrl-C ends" not in output.err
        and "Why is my server slow?" in output.out
    )
    assert read(out).of == "difference" and len(out.read_text().splitlines()) == 3


def test_a_page_without_drafts_or_no_page_is_one_line_and_no_file(tmp_path: Path, capsys):
    out = tmp_path / "server.jsonl"
    for port, says in ((None, "no counter of speculative decoding"), (9, "can be fetched")):
        with guarded((200, b"python_info 1\n", {})) as (host, _), pytest.raises(SystemExit) as done:
            main("server", f"http://{host}" if port is None else f"http://127.0.0.1:{port}", "--out", str(out))
        assert done.value.code == 2 and says in " ".join(capsys.readouterr().err.split())
        assert not out.exists()


def test_a_server_that_is_lost_before_a_line_was_read_leaves_the_file_as_it_was(tmp_path: Path, capsys, monkeypatch):
    out = tmp_path / "server.jsonl"
    pages = iter([METRICS.encode()])  # the first look, which decides whether it is watched at all
    monkeypatch.setattr(command, "fetch", lambda page, left=0: next(pages, None) or fetch("http://127.0.0.1:9"))
    monkeypatch.setattr(command, "MAX_FAILURES", 1)
    out.write_text("kept")
    with pytest.raises(SystemExit) as done:
        main("server", "http://127.0.0.1:9", "--out", str(out))
    assert done.value.code == 2 and "the server was lost" in capsys.readouterr().err
    assert out.read_text() == "kept" and [path.name for path in tmp_path.iterdir()] == [out.name]
    pages = iter([METRICS.encode()] * 2)
    with pytest.raises(SystemExit):
        main("server", "http://127.0.0.1:9", "--out", str(out), "--every", "0.5")
    assert len(out.read_text().splitlines()) == 1 and "kept" not in out.read_text()
    printed = " ".join(capsys.readouterr().err.split())
    assert 0 < printed.find("saved") < printed.find("1 reading") < printed.find("the server was lost")


@contextmanager
def answered(*parts: bytes, pause: float = 0.0):
    """The address of a server that sends these parts, whatever is asked, with a pause after each."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            peer, _ = listener.accept()
            with peer, suppress(OSError):  # the reader may have left
                peer.recv(4096)
                for part in parts:
                    peer.sendall(part)
                    time.sleep(pause)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/metrics"
        thread.join()


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKS = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", "the answer is not HTTP"),
        (CHUNKS + b"5\r\nvl", "the page was cut short"),
        (CHUNKS + b"no length\r\n", "the page was cut short"),
        (OK + b"Content-Length: 100\r\n\r\nvllm:", "the page was cut short"),
        (b"", "closed connection"),
    ],
)
def test_an_answer_that_is_no_whole_page_is_one_sentence(answer, says):
    with answered(answer) as url, pytest.raises(ConfigError, match=f"a page that can be fetched .*{says}"):
        fetch(url)


def test_chunks_and_a_page_without_a_length_are_read_to_their_end():
    for answer in (CHUNKS + b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", OK + b"\r\nabc", OK + b"Content-Length: 3\r\n\r\nabc"):
        with answered(answer) as url:
            assert fetch(url) == b"abc"


def test_a_page_that_drips_is_left_after_the_patience_for_a_whole_page(monkeypatch):
    monkeypatch.setattr(command, "TIMEOUT", 0.3)
    with answered(OK + b"\r\n", *[b"x"] * 30, pause=0.1) as url, pytest.raises(ConfigError, match="longer than"):
        fetch(url)
    monkeypatch.setattr(command, "TIMEOUT", 0)
    monkeypatch.setattr(command, "PAGE_LIMIT", 10_000)
    with pytest.raises(TimeoutError):  # so the thread that reads it ends too
        command._read_page(SimpleNamespace(read1=lambda _: b"x"))


def test_a_head_that_drips_is_left_after_the_same_patience_and_at_the_end_of_what_was_asked_for(monkeypatch):
    budgets = []
    monkeypatch.setattr(command, "fetch", lambda page, left=None: budgets.append(left) or METRICS.encode())
    monkeypatch.setattr(command, "watch", lambda look, *rest: look())
    with pytest.raises(RecordError):
        command.server("http://127.0.0.1:9", Path("never.jsonl"), 3.0, 2.0)
    assert budgets[0] is None and 0 < budgets[1] <= 2
    monkeypatch.setattr(command, "TIMEOUT", 0.3)
    with answered(OK, *[b"X-A: b\r\n"] * 30, pause=0.1) as url, pytest.raises(ConfigError, match=r"longer than 0\.3 seconds"):
        fetch(url)


@pytest.mark.parametrize("words", ["\x1b[31mred\x1b]0;title\x07", "\x9b31m", "a\rb", "\u202egnp"])
def test_what_a_server_says_is_shown_by_a_terminal_and_not_obeyed(words, tmp_path: Path, capsys):
    with answered(b"HTTP/1.1 404 " + words.encode("latin-1", "ignore") + b"\r\n\r\n") as url, pytest.raises(SystemExit):
        main("server", url, "--out", str(tmp_path / "out.jsonl"))
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1 and all(c.isprintable() for c in printed.rstrip("\n"))


def test_a_page_that_is_too_large_is_refused_and_not_cut(monkeypatch):
    monkeypatch.setattr(command, "PAGE_LIMIT", 2**20)
    for size, refused in ((2**20, False), (2**20 + 1, True)):
        with answered(OK + b"\r\n" + b"x" * size) as url:
            if refused:
                with pytest.raises(ConfigError, match="more than 1 MiB"):
                    fetch(url)
            else:
                assert len(fetch(url)) == size


KEY = "sk-never-shown"


@pytest.mark.parametrize("way", ["option", "file", "environment", "address"])
def test_a_key_is_sent_and_never_printed(way, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr(command, "MAX_FAILURES", 1)
    (tmp_path / "key").write_text(f"Authorization: Bearer {KEY}\n")
    if way == "environment":
        monkeypatch.setenv(command.HEADER, f"Authorization: Bearer {KEY}")
    words = {"option": ("--header", f"Authorization: Bearer {KEY}"), "file": ("--header", f"@{tmp_path / 'key'}")}.get(way, ())
    expected = "Basic bWU6c2stbmV2ZXItc2hvd24=" if way == "address" else f"Bearer {KEY}"
    with guarded((200, METRICS.encode(), {}), (403, f"no {expected}".encode(), {})) as (host, log), pytest.raises(SystemExit):
        url = f"http://me:{KEY}@{host}" if way == "address" else f"http://{host}"
        main("server", url, "--out", str(tmp_path / "out"), "--every", "0.5", "--for", "3", *words)
    assert {each.get("Authorization") for each in log} == {expected}
    printed = capsys.readouterr()
    assert KEY not in printed.out + printed.err and expected.split()[1] not in printed.err and "403" in printed.err


def test_a_header_that_is_none_is_refused_without_its_value(tmp_path: Path, capsys):
    for text in (KEY, f"Authorization: {KEY}\r\nX: y", f"{KEY} x: y", f"@{tmp_path / 'missing'}"):
        with pytest.raises(SystemExit) as done:
            main("server", "http://localhost:1", "--out", str(tmp_path / "out"), "--header", text)
        printed = capsys.readouterr()
        assert done.value.code == 2 and KEY not in printed.out + printed.err and "header" in printed.err


def test_an_address_that_cannot_be_names_no_key():
    with pytest.raises(ConfigError) as caught:
        page_of(f"ftp://me:{KEY}@host/x")
    assert KEY not in str(caught.value)


def test_a_redirect_to_another_host_gets_no_key_and_one_to_the_same_does():
    with guarded((200, METRICS.encode(), {})) as (other, other_log):
        with guarded((307, b"", {"Location": "/metrics/"}), (307, b"", {"Location": f"http://{other}/metrics"})) as (host, log):
            fetch(f"http://{host}/metrics", {"Authorization": f"Bearer {KEY}"})
        assert [each.get("Authorization") for each in log] == [f"Bearer {KEY}"] * 2
        assert other_log and "Authorization" not in other_log[0]


def test_what_a_server_says_of_an_error_is_shown_without_its_control_characters():
    body = b'{"error": {"code": 501, "message": "This server does not support metrics.\x1b[31m Start it with `--metrics`"}}'
    with guarded((501, body, {})) as (host, _), pytest.raises(ConfigError, match=r"501: .*Start it with `--metrics`") as caught:
        fetch(f"http://{host}/metrics")
    assert "\x1b" not in str(caught.value)
