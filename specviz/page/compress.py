"""Answers on their way: packed, which gradio does with what has a file's ending alone, and neither the page nor what a tab brings has one.
And the page with a notice for a browser that refuses its own scripts, where else nothing would stand.
"""

import asyncio
from collections.abc import Callable
from time import monotonic

from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..picture.replay import json_text
from ..words import page as words

# seconds for which an answer is given again, and how many are: a class opens the page in one moment
FRESH_SECONDS, CACHED_PAGES = 5.0, 32
ORIGIN_HEADERS = (b"host", b"x-forwarded-host", b"x-forwarded-proto")  # by which gradio says where it is
# the page has a name that the server does not know, as by a port that is forwarded, or a frame makes it a page of nobody
NOTICE = """<script>addEventListener("error", ({ target }) => {
  if (target.type !== "module" || document.getElementById("sv-notice")) return;
  const said = { hidden: %s, foreign: %s }, p = document.createElement("p");
  p.id = "sv-notice"; p.style = "max-width: 40em; margin: 2em auto; font: 1.1em/1.5 system-ui, sans-serif";
  const { hostname, origin } = location;
  p.textContent = (self.origin === "null" ? said.hidden : said.foreign).replaceAll("{host}", hostname).replaceAll("{origin}", origin);
  const put = () => document.body.prepend(p);
  document.body ? put() : addEventListener("DOMContentLoaded", put);
}, true);</script>"""


class CompressedPage:
    """Sends the page the same to who asks for it a moment later: it costs the server more than anything else that opening it asks for.
    What follows the ? is for the browser. Starlette packs it and all else but streams, which must not wait."""

    def __init__(self, app: ASGIApp, lan: Callable[[], str | None] = lambda: None, clock: Callable[[], float] = monotonic):
        self.plain, self.compressed, self.clock = app, GZipMiddleware(Notice(app, lan), compresslevel=6), clock
        self.answers: dict[tuple, tuple[float, list[Message]]] = {}
        self.lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "." in scope["path"]:
            return await self.plain(scope, receive, send)
        if scope["path"] != "/" or scope["method"] != "GET":
            return await self.compressed(scope, receive, send)
        for message in await self._answer({**scope, "query_string": b""}, receive):
            await send({**message, "headers": [*message["headers"]]} if "headers" in message else message)

    async def _answer(self, scope: Scope, receive: Receive) -> list[Message]:
        key = _cache_key(scope)
        async with self.lock:  # who asks for the same meanwhile waits for it
            now = self.clock()
            when, answer = self.answers.get(key, (now - FRESH_SECONDS, []))
            if now - when < FRESH_SECONDS:
                return answer
            answer = []

            async def collect(message: Message) -> None:
                answer.append(message)

            await self.compressed(scope, receive, collect)
            if answer and answer[0].get("status") == 200:
                if len(self.answers) >= CACHED_PAGES:
                    self.answers.clear()
                self.answers[key] = now, answer
            return answer


def _cache_key(scope: Scope) -> tuple:
    """All that an answer may depend on: where the page is asked for, as the browser and a proxy say it, and whether it may be packed."""
    origin = [(name, value) for name, value in scope["headers"] if name in ORIGIN_HEADERS]
    compressed = any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])
    return scope.get("scheme", ""), scope.get("root_path", ""), compressed, tuple(sorted(origin))


class Notice:
    """Puts it before all that the page loads: what is in gradio's own head comes by those scripts. And `lan`, this machine's address in its
    network, for links that are copied and the phones of a room."""

    def __init__(self, app: ASGIApp, lan: Callable[[], str | None]):
        self.app, self.lan = app, lan
        self.script = (NOTICE % (json_text(words.PAGE_HIDDEN), json_text(words.PAGE_FOREIGN))).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != "/":
            return await self.app(scope, receive, send)
        lan = self.lan()
        head = self.script + (f'<meta name="specviz-lan" content="{lan}">'.encode() if lan else b"")

        async def send_with_notice(message: Message) -> None:
            if message["type"] == "http.response.body":
                message["body"] = message.get("body", b"").replace(b"<head>", b"<head>" + head, 1)
            else:
                del MutableHeaders(scope=message)["content-length"]
            await send(message)

        await self.app(scope, receive, send_with_notice)
