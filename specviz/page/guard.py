"""What every answer tells the browser, and how much a request may bring: headers, and bounds on bodies and uploads.

The page may stand in somebody's frame, as in a Space or a course: no header forbids that. What it can do there is bounded: it reaches
no address but its own, and nothing that it hands out as a file can run.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..trace.file import FILE_LIMIT
from . import words

# Gradio makes its components' functions from text and its styles in place, so both must be allowed; what they may fetch is bounded
PAGE = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'none'",
}
POLICY = "; ".join(f"{what} {where}" for what, where in PAGE.items())
FILE = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
SLACK = 2**16  # bytes around a file in an upload
BODY = 16 * 2**20  # bytes of anything else: a browser hands back the runs of its last visit
UPLOADS = 8  # at once


class Guard:
    """Around the whole app."""

    def __init__(self, app: ASGIApp):
        self.app, self.uploading = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        path, send = scope["path"], _with_headers(scope["path"], send)
        if scope["method"] != "POST":
            return await self.app(scope, receive, send)
        uploads = path.rstrip("/").endswith("/upload")
        most = FILE_LIMIT + SLACK if uploads else BODY
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length) > most:
            return await _refuse(413, words.BODY_LIMIT.format(most=most // 2**20), scope, receive, send)
        if uploads and self.uploading >= UPLOADS:
            return await _refuse(503, words.UPLOADS_LIMIT.format(most=UPLOADS), scope, receive, send)
        self.uploading += uploads
        try:
            await self.app(scope, receive if length.isdecimal() else _bounded(receive, most), send)
        finally:
            self.uploading -= uploads


async def _refuse(status: int, sentence: str, scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(sentence, status, {"Connection": "close"})(scope, receive, send)


def _bounded(receive: Receive, most: int) -> Receive:
    """What came without a length is taken up to the bound; past it the sender has gone."""
    came = 0

    async def bounded() -> Message:
        nonlocal came
        message = await receive()
        came += len(message.get("body", b""))
        return message if came <= most else {"type": "http.disconnect"}

    return bounded


def _with_headers(path: str, send: Send) -> Send:
    """A file that somebody saved or sent is shut in, whatever it is; everything else may do what the page does."""
    policy = FILE if "/file=" in path or "/file/" in path else POLICY

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**HEADERS, "Content-Security-Policy": policy}.items():
                headers[name] = value
        await send(message)

    return told
