"""Files over HTTP, as a browser sends them: what is shown, what is refused, and what the server keeps of what nobody collects."""

import json
from dataclasses import replace

import httpx
import pytest

from scripts.visitors import App, Tally, Visitor
from specviz.page import words
from specviz.page.guard.presence import HERE
from specviz.trace.file import dumps

from .. import loop
from ..fake_trace import fake_trace
from .live import served

RUN = fake_trace("Once", max_new_tokens=12)
REQUEST = {"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3}


@pytest.fixture(scope="module")
def page():
    with served() as live:
        yield live.page, live.url


def opened(url: str, *files: bytes, collects: bool = True) -> str:
    """What one visitor is sent who opens them one after the other."""

    async def open_all() -> str:
        async with httpx.AsyncClient(base_url=url, timeout=100) as http:
            came: list[str] = []
            for data in files:
                visitor = Visitor(http, App((await http.get("/")).text), Tally())
                visitor._see = came.append
                if not collects:
                    visitor._stream = nothing
                await visitor.upload(data)
            return "".join(came)

    async def nothing(leaves: bool) -> str:
        return ""

    return loop.run(open_all())


def test_a_run_a_record_and_anything_else_are_answered_over_http(page):
    _, url = page
    run, record, other = dumps(RUN), json.dumps(REQUEST).encode(), b"x" * 2_000_000
    assert words.FILE_OPENED in opened(url, run)
    assert words.RECORD_OPENED.format(engine="vLLM") in opened(url, record)
    assert "The file was not opened" in opened(url, other)


def test_of_runs_that_nobody_collects_nothing_is_kept(page):
    blocks, url = page
    brackets = dumps(replace(RUN, header=replace(RUN.header, prompt="<" * 390_000)))
    opened(url, *[brackets] * 3, collects=False)
    HERE._seen.clear()  # nobody has come to listen, for long
    assert words.FILE_OPENED in opened(url, dumps(RUN))
    waiting = [m for messages in blocks._queue.pending_messages_per_session.values() for m in messages._queue]
    assert not [message for message in waiting if getattr(message, "output", None)]
