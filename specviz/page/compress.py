"""The page's HTML on its way: gradio compresses what has a file's ending, and the page, the largest of all, has none."""

import asyncio
from collections.abc import Callable
from time import monotonic

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .notice import Notice

FRESH, KEPT = 5.0, 32  # seconds for which an answer is given again, and how many are: a class opens the page in one moment
TELLING = (b"host", b"x-forwarded-host", b"x-forwarded-proto")  # by which gradio says where it is


class CompressedPage:
    """Sends the page itself by gzip to whoever takes that, and the same to who asks for it a moment later: it costs the server more than
    anything else that opening it asks for. What follows the ? is for the browser, and no part of it. All else is left to gradio: what
    streams must not wait to be packed."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = monotonic):
        self.plain, self.compressed, self.clock = app, GZipMiddleware(Notice(app), compresslevel=6), clock
        self.answers: dict[tuple, tuple[float, list[Message]]] = {}
        self.making = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            return await self.plain(scope, receive, send)
        for message in await self._answer({**scope, "query_string": b""}, receive):
            await send({**message, "headers": [*message["headers"]]} if "headers" in message else message)

    async def _answer(self, scope: Scope, receive: Receive) -> list[Message]:
        asked = _asked(scope)
        async with self.making:  # who asks for the same meanwhile waits for it
            now = self.clock()
            when, answer = self.answers.get(asked, (now - FRESH, []))
            if now - when < FRESH:
                return answer
            answer = []

            async def keep(message: Message) -> None:
                answer.append(message)

            await self.compressed(scope, receive, keep)
            if answer and answer[0].get("status") == 200:
                if len(self.answers) >= KEPT:
                    self.answers.clear()
                self.answers[asked] = now, answer
            return answer


def _asked(scope: Scope) -> tuple:
    """All that an answer may depend on: where the page is asked for, as the browser and a proxy say it, and whether it may be packed."""
    told = [(name, value) for name, value in scope["headers"] if name in TELLING]
    packed = any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])
    return scope.get("scheme", ""), scope.get("root_path", ""), packed, tuple(sorted(told))
