"""Visitors at once, on the page with an engine that answers at once: nobody fails, nobody sees another's run."""

import asyncio
import os
from collections import Counter
from pathlib import Path

import httpx
import pytest

from scripts import faults
from scripts.load import crowd, resources
from scripts.server import check_port
from scripts.visitors import App, Tally, Visitor
from specviz.page.keep.recorded import load, names
from specviz.trace.file import dumps
from tests.fake_trace import fake_trace
from tests.loop import run
from tests.page.live import served


@pytest.fixture(scope="module")
def url():
    with served(run=load("opening")) as live:
        yield live.url


def play(url, act):
    async def visit():
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            return await act(http, App((await http.get("/")).text))

    return run(visit())


@pytest.mark.slow
def test_eight_visitors_come_and_go_without_an_error_and_none_sees_anothers_run(url):
    tally = Tally()

    async def act(http, app):
        await crowd(http, app, tally, visitors=8, seconds=2, file=dumps(fake_trace()), names=list(names())[:2])

    play(url, act)
    assert (tally.failed, tally.leaks) == (0, 0), tally.wrong
    assert len(tally.seconds["wait"]) >= 6 and len(tally.seconds["first_motion"]) >= 8


def test_nobody_notices_that_others_are_cut_off_in_the_middle_of_a_request(url, monkeypatch):
    tally, counts = Tally(), Counter()
    monkeypatch.setattr(faults, "PAUSE", 0.02)

    async def act(http, app):
        dropping = asyncio.create_task(faults.drop_requests(http.base_url.port, counts))
        await crowd(http, app, tally, visitors=2, seconds=1, file=dumps(fake_trace()), names=list(names())[:1])
        dropping.cancel()

    play(url, act)
    assert (tally.failed, tally.leaks) == (0, 0), tally.wrong
    assert counts["dropped"] > len(faults.HALVES)


def test_no_other_server_is_played_with(url):
    with pytest.raises(SystemExit, match="is in use"):
        check_port(httpx.URL(url).port)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not say what a process holds")
def test_what_a_server_holds_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.load.gettempdir", lambda: str(tmp_path))
    (tmp_path / "specviz-7000-x" / "sent").mkdir(parents=True)
    before = resources(os.getpid(), 7000)
    with (tmp_path / "specviz-7000-x" / "sent" / "run").open("wb") as file:
        file.write(bytes(3_000_000))
        file.flush()
        after = resources(os.getpid(), 7000)
    assert after["files"] == before["files"] + 1 and after["temporary_mb"] == 3 and after["threads"] >= 1
    assert resources(2**30) == {}


def test_a_visitor_has_in_the_controls_what_a_recorded_run_set_there(url):
    async def act(http, app):
        visitor = Visitor(http, app, Tally())
        before = dict(visitor.values)
        await visitor.recorded("lookup")
        return {name: (before[id], visitor.values[id]) for name, id in app.ids.items() if name in ("drafter", "prompt")}

    figures = play(url, act)
    assert figures["drafter"][1] == "lookup" != figures["drafter"][0] and figures["prompt"][1] == load("lookup").header.prompt


def test_who_listens_for_a_session_that_is_not_there_is_told_and_the_log_says_nothing(url, caplog):
    async def act(http, app):
        return (await http.get("/gradio_api/queue/data", params={"session_hash": "nobody"})).text

    assert '"session_not_found":true' in play(url, act)
    assert not caplog.records
