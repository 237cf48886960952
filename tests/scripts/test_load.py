"""Visitors at once, on the page with an engine that answers at once: nobody fails, nobody sees another's run."""

import asyncio
import re
import subprocess
import sys
from collections import Counter

import httpx
import pytest

from scripts import faults
from scripts.load import crowd
from scripts.visitors import App, Tally, Visitor
from specviz.page.build import build, launch_settings
from specviz.page.keep.recorded import load, names
from specviz.page.turns import Turns
from specviz.trace.file import dumps
from tests.browser.fake_engine import FakeEngine
from tests.fake_trace import fake_trace
from tests.loop import run

TURNS = Turns()


@pytest.fixture(scope="module")
def url():
    page = build(FakeEngine(), load("opening"), turns=TURNS)
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings())
    yield url
    page.close(verbose=False)


def play(url, act):
    async def visit():
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            return await act(http, App((await http.get("/")).text))

    return run(visit())


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
        dropping = asyncio.create_task(faults.drop(http.base_url.port, counts))
        await crowd(http, app, tally, visitors=2, seconds=1, file=dumps(fake_trace()), names=list(names())[:1])
        dropping.cancel()

    play(url, act)
    assert (tally.failed, tally.leaks) == (0, 0), tally.wrong
    assert counts["dropped"] > len(faults.HALVES)


def test_what_fails_while_the_disk_is_full_is_refused_and_all_else_is_lost():
    tally = Tally()
    early, late = (Visitor(None, type("Page", (), {"values": {}}), tally) for _ in range(2))
    tally.refusing = True
    early.fail("507")
    tally.refusing = False
    early.fail("nothing came of that")
    late.fail("500")
    assert (tally.refused, tally.failed, tally.wrong) == (2, 1, {"500": 1})


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the files of another process")
def test_a_disk_that_was_full_has_room_again_even_if_the_load_ends_meanwhile(monkeypatch):
    import resource

    monkeypatch.setattr(faults, "FULL_EVERY", 0)
    tally, counts = Tally(), Counter()

    async def act(process):
        filling = asyncio.create_task(faults.fill(process, tally, counts))
        while not tally.refusing:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        full = resource.prlimit(process, resource.RLIMIT_FSIZE)[0]
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)
        return full

    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        before = resource.prlimit(other.pid, resource.RLIMIT_FSIZE)
        assert run(act(other.pid)) == faults.SMALL
        assert resource.prlimit(other.pid, resource.RLIMIT_FSIZE) == before
        other.communicate(b"\n")


def test_a_run_of_somebody_else_is_noticed():
    tally = Tally()
    visitor = Visitor(None, type("Page", (), {"values": {}}), tally)
    visitor._see(f"{visitor.canary} and no other")
    assert tally.leaks == 0
    visitor._see(f"canary{Visitor.count + 1}x")
    assert tally.leaks == 1


def test_who_listens_for_a_session_that_is_not_there_is_told_and_the_log_says_nothing(url, caplog):
    async def act(http, app):
        return (await http.get("/gradio_api/queue/data", params={"session_hash": "nobody"})).text

    assert '"session_not_found":true' in play(url, act)
    assert not caplog.records


def test_whoever_presses_twice_has_one_place(url):
    async def act(http, app):
        visitor = Visitor(http, app, Tally())
        return [await visitor.call(app.on("run", "click")[0]) for _ in range(2)]

    first, second = (re.search(r"ticket\D+(\d+)", said)[1] for said in play(url, act))
    assert first == second
    TURNS.leave(int(first))


def test_whoever_there_is_no_room_for_is_told_and_nothing_runs(url):
    tickets = [TURNS.join(4090) for _ in range(8)]

    async def act(http, app):
        visitor = Visitor(http, app, Tally())
        begin = app.on("run", "click")[0]
        return await visitor.call(begin), [await visitor.call(event) for event in app.after(begin)]

    try:
        said, ran = play(url, act)
    finally:
        for ticket in tickets:
            TURNS.leave(ticket)
    assert "while 8 others wait" in said and not any("running" in line or "shapes" in line for line in ran)
