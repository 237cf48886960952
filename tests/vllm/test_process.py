"""vLLM's process, played by one that needs no vLLM: started once, told of in one line where it ends, and nothing is left of it."""

import os
import signal
import sys
from pathlib import Path

import pytest

from specviz.vllm import process
from specviz.vllm.process import Server, ServerError

HERE = Path(__file__).parent
REQUEST = {"drafts": True, "temperature": 0}


@pytest.fixture
def server(monkeypatch):
    """A server that behaves as it is told; ended after the test."""
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    servers = []

    def make(behave=""):
        servers.append(Server(sys.executable, {"options": {"behave": behave, "lines": str(HERE / "steps.jsonl")}}))
        return servers[-1]

    yield make
    for each in servers:
        each.close()


def test_it_starts_when_asked_and_is_kept(server):
    one = server()
    assert not one.alive
    one.start()
    assert one.about["version"] == "0.32.0"
    first = one.pid
    messages = list(one.run(REQUEST))
    one.start()
    assert one.pid == first and next(one.run(REQUEST))["out"] == messages[0]["out"]
    assert "over" in messages[-1] and all("step" in each for each in messages[:-1])
    one.close()
    assert not one.alive and one.pid is None


def test_what_it_refuses_is_said_as_it_says_it(server):
    with pytest.raises(ServerError, match=r"^vLLM 0\.99 was not tried$"):
        server("refuse").start()


def test_an_environment_that_is_not_there_is_named():
    with pytest.raises(ServerError, match="there is no file /nowhere/python: --vllm-python must be the python"):
        Server("/nowhere/python", {}).start()


def test_a_process_that_fails_in_mid_run_is_told_with_its_last_words_and_starts_again(server):
    one = server("die")
    one.start()
    with pytest.raises(ServerError, match=r"vLLM's process ended with code 3: RuntimeError: out of memory"):
        list(one.run(REQUEST))
    assert not one.alive
    one.start()
    assert one.alive


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="groups of processes are of POSIX; vLLM does not run elsewhere")
def test_killed_in_mid_run_it_is_said_and_what_it_had_started_goes_too(server):
    one = server("hang")
    one.start()
    steps = one.run(REQUEST)
    next(steps)
    lines = one._stdout_lines
    os.kill(one.pid, signal.SIGKILL)
    with pytest.raises(ServerError, match=r"vLLM's process was ended \(SIGKILL\)\. Run the command again"):
        list(steps)
    assert lines.get(timeout=10) is None  # the stream ends where nobody holds it: what had been started does


def test_a_run_that_is_given_up_leaves_nothing_behind(server):
    one = server("hang")
    one.start()
    steps = one.run(REQUEST, stop=lambda: True)
    next(steps)
    steps.close()
    one.close()
    assert not one.alive
