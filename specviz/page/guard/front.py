"""What every answer tells the browser, who may ask, and how much a request may bring.

The page may stand in somebody's frame, as in a Space or a course: no header forbids that. What it can do there is bounded: it reaches
no address but its own, and nothing that it hands out as a file can run.
"""

import errno
import logging
import shutil
import tempfile
from collections.abc import Container, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...trace.file import FILE_LIMIT
from .. import words
from ..log_stream import error_line
from .address import client_address, free_place, place_of
from .body import MOST_VALUES, SMALL_BODY, Body, BodyQuota, count_values, replayed_body
from .payload import refusal
from .presence import HERE, Presence
from .quota import Quota, WorkQueue
from .routes import NAME_CHARACTERS, AllowedRoutes, names_are_short, own_query

log = logging.getLogger("specviz")

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
# gradio's own files, each under a name that changes with what is in it: a browser need not ask for one again
BUILT_FILES = "/assets/"
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
UPLOAD_SLACK = 2**16  # bytes around a file in an upload
BODY_BYTES = 16 * 2**20  # bytes of anything else: a browser hands back a run
UPLOAD_BYTES, UPLOAD_BYTES_EACH = (
    8 * FILE_LIMIT,
    4 * FILE_LIMIT,
)  # bytes of files at once, and of one address: a class sends small ones
MEMORY_BYTES, MEMORY_EACH = 2**29, 2**27  # bytes of other bodies, which are read before they are answered
STREAMS, STREAMS_EACH = 2048, 192  # answers that stay open: a class behind one address has four for each of its forty browsers
CALLS = ("/queue/join", "/run/predict")  # of the page's own functions
FREE_BYTES = 64 * 2**20  # bytes of the disk that uploads leave
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")  # as what a server is asked to listen at


def hosts_of(host: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """By which names a page is asked for that listens at `host` and is known as `names`; none where anybody may say what it is called."""
    return () if host in EVERYWHERE and not names else tuple({host.strip("[]").lower(), *(n.lower() for n in names), *LOOPBACK})


class Guard:
    """Around the whole app. `hosts`: by which names it is served, none for any; whoever says another one, or asks from a page of another
    one, is refused. So is what `routes` does not list. `large`: the numbers of the functions that take long bodies (payload.py)."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Sequence[str] = (),
        here: Presence = HERE,
        routes: AllowedRoutes | None = None,
        large: Container[int] = (),
    ):
        self.app, self.hosts, self.here, self.routes, self.large = app, hosts, here, routes or AllowedRoutes(), large
        self.work, self.streams = WorkQueue(), Quota(STREAMS, STREAMS_EACH)
        self.uploads, self.memory = BodyQuota(UPLOAD_BYTES, UPLOAD_BYTES_EACH), BodyQuota(MEMORY_BYTES, MEMORY_EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        send, headers = _with_headers(scope["path"], send), Headers(scope=scope)
        client_address.set(place_of(scope))
        length = int(digits) if (digits := headers.get("content-length", "")).isdecimal() else None
        if reason := self._foreign(headers):
            if length and length <= SMALL_BODY:  # who still sends when the connection is closed reads no answer
                await Body(receive, SMALL_BODY).drain()
            return await _refuse(403, reason, scope, receive, send)
        if not self.routes.allows(scope):
            return await _refuse(404, words.NO_ROUTE, scope, receive, send)
        if not names_are_short(scope):
            return await _refuse(400, words.NAME_LIMIT.format(most=NAME_CHARACTERS), scope, receive, send)
        scope = {**scope, "query_string": own_query(scope)}
        if scope["method"] != "POST":
            return await self._read(scope, receive, send)
        uploads = scope["path"].rstrip("/").endswith("/upload")
        most = FILE_LIMIT + UPLOAD_SLACK if uploads else BODY_BYTES
        if (length or 0) > most:
            return await _refuse(413, words.BODY_LIMIT.format(most=most // 2**20), scope, receive, send)
        body = Body(receive, most)
        if uploads:
            return await self._upload(length or most, body, scope, send)
        if headers.get("content-type", "").startswith("multipart/"):  # a component's function would take files
            return await _refuse(415, words.BODY_TEXT, scope, receive, send)
        if (length is None or length > SMALL_BODY) and not self.memory.begin(body, client_address.get(), length or most):
            return await _refuse(503, words.MEMORY_LIMIT, scope, receive, send)
        try:
            whole = await body.read_all()
            if whole is None:
                return await _refuse(*_fault(body, most), scope, receive, send)
            if count_values(whole) > MOST_VALUES:
                return await _refuse(413, words.MARKS_LIMIT.format(most=f"{MOST_VALUES:,}"), scope, receive, send)
            if sentence := await refusal(whole, self.large):
                return await _refuse(400, sentence, scope, receive, send)
            await self._answer(replayed_body(whole, body.receive), body, scope, send)
        finally:
            self.memory.end(body)

    async def _read(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What brings no body: a stream, which stays open, or an answer."""
        if not self.routes.streams(scope):
            try:
                return await self._compute(scope, receive, send)
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise
                return await _refuse(404, words.NO_ROUTE, scope, receive, send)
        who = client_address.get()
        if not self.streams.begin(who):
            return await _refuse(503, words.STREAMS_LIMIT, scope, receive, send)
        try:
            with self.here.listens(scope):
                await self.app(scope, receive, send)
        except RuntimeError as error:  # who listens for a session that is not there is told so in the stream; then gradio raises
            if not isinstance(error.__cause__, HTTPException):
                raise
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.streams.end(who)

    async def _compute(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The app's answer, after others of the same address; the next one begins with its first byte, however slowly it is read."""
        if not self.routes.computes(scope):
            return await self.app(scope, receive, send)
        place = await self.work.begin(client_address.get())
        if place is None:
            return await _refuse(503, words.WORK_LIMIT, scope, receive, send)
        free_place.set(place.free)

        async def send_when_begun(message: Message) -> None:
            place.leave()
            await send(message)

        try:
            await self.app(scope, receive, send_when_begun)
        finally:
            place.leave()

    async def _upload(self, length: int, body: Body, scope: Scope, send: Send) -> None:
        if not self.uploads.begin(body, client_address.get(), max(SMALL_BODY, min(length, FILE_LIMIT))):
            return await _refuse(503, words.MEMORY_LIMIT, scope, body.receive, send)
        try:
            if shutil.disk_usage(tempfile.gettempdir()).free < length + FREE_BYTES:
                await body.drain()
                return await _refuse(507, words.DISK_FULL, scope, body.receive, send)
            await self._answer(body.receive, body, scope, send)
        finally:
            self.uploads.end(body)

    async def _answer(self, receive: Receive, body: Body, scope: Scope, send: Send) -> None:
        """The app's answer; a sentence where the body did not come, or there was no room for it."""
        has_started = False

        async def send_unless_gone(message: Message) -> None:
            nonlocal has_started
            if body.fault and not has_started:  # the app thinks that its visitor has gone: what it says of that is no help
                return
            has_started = True
            await send(message)

        try:
            await (self.app if body.most > BODY_BYTES else self._compute)(scope, receive, send_unless_gone)
        except ClientDisconnect:
            pass
        except OSError as error:
            if has_started or error.errno not in DISK_FULL:
                raise
            log.warning("an upload was refused: %s", error.strerror)
            await body.drain()
            return await _refuse(507, words.DISK_FULL, scope, receive, send)
        except Exception as error:  # what a body holds that no browser sends; gradio says so of a call that names no function
            if has_started:
                raise
            log.warning("refused: %s", error_line(error))
            return await _refuse(400, words.CALL_WRONG, scope, receive, send)
        if body.fault and not has_started:
            await _refuse(*_fault(body, body.most), scope, receive, send)

    def _foreign(self, headers: Headers) -> str:
        """Why it is none of this server's pages that asks, or nothing."""
        if not self.hosts:
            return ""
        if (host := _name(f"//{headers.get('host', '')}")) not in self.hosts:
            return words.FOREIGN_HOST.format(host=host) if host else words.HOST_MISSING
        origin = headers.get("origin")
        own = not origin or _name(origin) in self.hosts
        if origin and _name(origin) in LOOPBACK:  # another port of this machine is another program
            own = _port(origin) == _port(f"//{headers['host']}")
        return "" if own else words.FOREIGN_ORIGIN.format(origin=str(origin)[:60])


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "")[:60]
    except ValueError:
        return ""


def _port(address: str) -> int | None:
    try:
        return urlsplit(address).port
    except ValueError:
        return -1


def _fault(body: Body, most: int) -> tuple[int, str]:
    if body.fault == "slow":
        return 503, words.GAVE_WAY
    return (408, words.STALLED) if body.fault == "stalled" else (413, words.BODY_LIMIT.format(most=most // 2**20))


async def _refuse(status: int, sentence: str, scope: Scope, receive: Receive, send: Send) -> None:
    """In words; to whoever calls a function as gradio's page does, as JSON, which is all that it shows."""
    calls = scope["path"].endswith(CALLS)
    answer = JSONResponse({"detail": sentence}, status) if calls else PlainTextResponse(sentence, status)
    answer.headers["Connection"] = "close"
    await answer(scope, receive, send)


def _with_headers(path: str, send: Send) -> Send:
    """A file that somebody saved or sent is shut in, whatever it is; everything else may do what the page does."""
    policy = FILE if "/file=" in path or "/file/" in path else POLICY

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**HEADERS, "Content-Security-Policy": policy}.items():
                headers[name] = value
            if path.startswith(BUILT_FILES) and message["status"] in (200, 304):
                headers["Cache-Control"] = "public, max-age=31536000, immutable"
        await send(message)

    return send_with_headers
