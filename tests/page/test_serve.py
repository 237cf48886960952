"""A server: whether its port can be had, asked before anything is loaded, and what is left of one that is killed or stopped in mid-run."""

import os
import platform
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from scripts.load import App, Tally, Visitor, up
from specviz.page.serve import in_use, serve

from ..loop import run


def test_a_port_is_in_use_for_as_long_as_somebody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert in_use("127.0.0.1", port)
    assert not in_use("127.0.0.1", port)


def test_where_an_address_can_be_shared_it_is_not_asked_for(monkeypatch):
    """Windows lets two servers have one port if they ask to reuse it: the second would start and never be reached."""
    options = []
    monkeypatch.setattr("os.name", "nt")
    monkeypatch.setattr(socket.socket, "setsockopt", lambda _, level, option, value: options.append(option))
    in_use("127.0.0.1", 0)
    assert socket.SO_REUSEADDR not in options


def test_nothing_is_loaded_for_a_port_that_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert serve(lambda: pytest.fail("loaded the models first"), *server.getsockname()) == 1
    assert "is in use" in capsys.readouterr().err


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
            await visitor.recorded("opening")  # copies of its files are made
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
        assert first.wait(20) == -signal.SIGKILL and list((folders()[0] / "sent").rglob("*.jsonl"))
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
