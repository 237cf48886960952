"""The page's HTML on its way: gradio compresses what has a file's ending, and the page, the largest of all, has none."""

from collections.abc import Callable
from time import monotonic

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FRESH, KEPT = 5.0, 32  # seconds for which an answer is given again, and how many are: a class opens the page in one moment
TELLING = (b"host", b"cookie", b"authorization", b"accept-encoding")


class CompressedPage:
    """Sends the page itself by gzip to whoever takes that, and the same to who asks the same a moment later: it costs the server more than
    anything else that opening it asks for. All else is left to gradio: what streams must not wait to be packed."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = monotonic):
        self.plain, self.compressed, self.clock = app, GZipMiddleware(app, compresslevel=6), clock
        self.answers: dict[tuple, tuple[float, list[Message]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            return await self.plain(scope, receive, send)
        asked, now = _asked(scope), self.clock()
        when, answer = self.answers.get(asked, (now - FRESH, []))
        if now - when >= FRESH:
            answer = []

            async def keep(message: Message) -> None:
                answer.append(message)

            await self.compressed(scope, receive, keep)
            if answer and answer[0].get("status") == 200:
                if len(self.answers) >= KEPT:
                    self.answers.clear()
                self.answers[asked] = now, answer
        for message in answer:
            await send({**message, "headers": [*message["headers"]]} if "headers" in message else message)


def _asked(scope: Scope) -> tuple:
    """All that an answer may depend on: the address as it was written, who asks, what a proxy says."""
    told = [(name, value) for name, value in scope["headers"] if name in TELLING or name.startswith(b"x-")]
    return scope["query_string"], scope.get("root_path", ""), tuple(sorted(told))
