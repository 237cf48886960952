"""The page is made once for all who ask for the same in one moment."""

import asyncio

from specviz.page.compress import CACHED_PAGES, FRESH_SECONDS, CompressedPage
from specviz.page.once import once

from .. import loop
from ..fakes import Clock


class Page:
    """Counts how often it is made; its answers differ by that number. `status` is what it says."""

    calls, status = 0, 200

    async def __call__(self, scope, receive, send):
        self.calls += 1
        await send({"type": "http.response.start", "status": self.status, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"page %d" % self.calls})


def ask(app, query=b"", path="/", headers=()):
    messages = []

    async def send(message):
        messages.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": list(headers)}
    loop.run(app(scope, None, send))
    return b"".join(message.get("body", b"") for message in messages)


def test_who_asks_the_same_a_moment_later_gets_the_same_page():
    page, clock = Page(), Clock()
    app = CompressedPage(page, clock)
    assert ask(app) == ask(app) == b"page 1"
    clock.now += FRESH_SECONDS
    assert ask(app) == b"page 2"


def test_who_asks_under_another_name_gets_a_page_of_its_own():
    page = Page()
    app = CompressedPage(page, Clock())
    requests = [{}, *({"headers": [(name, b"a")]} for name in (b"host", b"x-forwarded-host", b"x-forwarded-proto"))]
    assert len({ask(app, **how) for how in requests}) == len(requests)
    assert ask(app, headers=[(b"accept-encoding", b"gzip, br")]) == f"page {len(requests) + 1}".encode()


def test_nobody_has_it_made_anew_by_another_way_to_ask():
    app = CompressedPage(Page(), Clock())
    requests = [{"query": b"seed=%d" % n} for n in range(40)]
    requests += [
        {"headers": [(name, b"a")]} for name in (b"cookie", b"x-any", b"user-agent", b"authorization", b"accept-encoding")
    ]
    assert {ask(app, **how) for how in requests} == {b"page 1"}


def test_who_asks_while_it_is_made_waits_for_it():
    class Slow(Page):
        async def __call__(self, *requests):
            await asyncio.sleep(0)
            await super().__call__(*requests)

    page = Slow()
    app = CompressedPage(page, Clock())

    async def many():
        messages = []

        async def send(message):
            messages.append(message.get("body", b""))

        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
        await asyncio.gather(*(app(scope, None, send) for _ in range(40)))
        return {*messages} - {b""}

    assert loop.run(many()) == {b"page 1"} and page.calls == 1


def test_what_failed_is_not_kept_and_what_streams_is_left_alone():
    page = Page()
    app = CompressedPage(page, Clock())
    page.status = 500
    assert (ask(app), ask(app)) == (b"page 1", b"page 2")
    page.status = 200
    assert (ask(app, path="/gradio_api/x"), ask(app, path="/gradio_api/x")) == (b"page 3", b"page 4")


def test_no_more_than_a_few_pages_are_kept():
    app = CompressedPage(Page(), Clock())
    for n in range(3 * CACHED_PAGES):
        ask(app, headers=[(b"host", b"%d" % n)])
    assert len(app.answers) <= CACHED_PAGES


# ---- what else is made once ----


def test_what_failed_is_tried_again():
    tries = []

    @once
    def fails():
        tries.append(1)
        if len(tries) == 1:
            raise OSError
        return "done"

    try:
        fails()
    except OSError:
        assert fails() == fails() == "done"
