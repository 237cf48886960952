"""Visitors at once, on the page with an engine that answers at once: nobody fails, nobody sees another's run."""

import asyncio
import secrets
import socket
import struct
from contextlib import suppress

import httpx
import pytest

from scripts.load import API, App, Tally, Visitor, crowd
from scripts.server import check_port
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


HALVES = (
    f"POST {API}/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n",
    f'POST {API}/queue/join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{{"data": [',
    f"GET {API}/queue/data?session_hash={{session}} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


async def reset_connections(port: int, counts: list[str]) -> None:
    """Half of a request, or one whose answer nobody reads, then a reset: again and again."""
    while True:
        for half in HALVES:
            with suppress(OSError):
                _, out = await asyncio.open_connection("127.0.0.1", port)
                out.write(half.replace("{session}", secrets.token_hex(6)).encode())
                await out.drain()
                await asyncio.sleep(0.02)
                out.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                out.transport.abort()
                counts.append(half)


def test_nobody_notices_that_others_are_cut_off_in_the_middle_of_a_request(url):
    tally, counts = Tally(), []

    async def act(http, app):
        resetting = asyncio.create_task(reset_connections(http.base_url.port, counts))
        await crowd(http, app, tally, visitors=2, seconds=1, file=dumps(fake_trace()), names=list(names())[:1])
        resetting.cancel()

    play(url, act)
    assert (tally.failed, tally.leaks) == (0, 0), tally.wrong
    assert len(counts) > len(HALVES)


def test_no_other_server_is_played_with(url):
    with pytest.raises(SystemExit, match="is in use"):
        check_port(httpx.URL(url).port)


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
