"""What every answer tells the browser, who may ask, and how much a request may bring.

The page may stand in somebody's frame, as in a Space or a course: no header forbids that. What it can do there is bounded: it reaches
no address but its own, and nothing that it hands out as a file can run.

Of gradio's routes those are answered that the page, its phones and programs use: what a later gradio brings is refused until it stands
here. A body is not too long, not too slow, and names no file by an address: this server would fetch it, for anybody.
"""

import asyncio
import errno
import json
import logging
import re
import shutil
import tempfile
import traceback
from collections.abc import Callable, Container, Sequence
from itertools import islice
from time import monotonic
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import BaseRoute, Match, get_route_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...trace.file import FILE_LIMIT
from ...words import page as words
from ..queue import HERE, Presence, free_place
from .shares import Quota, WorkQueue, client_address, place_of

# Routes ----------------------------------------------------------------------------------------------------------------

API = "/gradio_api"
ADDRESS = r"[a-zA-Z][\w+.-]+:|//"  # how an address begins; C: is a disk of Windows
READ_PATHS = (
    *("/", "/config", "/theme.css", "/favicon.ico", "/robots.txt", "/manifest.json", "/assets/.+", "/static/.+"),
    *(f"{API}/{path}" for path in ("info", "app_id", "startup-events", "theme.css", rf"file=(?!{ADDRESS}).+")),
)
STREAM_PATHS = tuple(f"{API}/{path}" for path in ("queue/data", "heartbeat/[^/]+", "call/(v2/)?[^/]+/[^/]+"))
WRITE_PATHS = tuple(
    f"{API}/{path}" for path in ("upload", "queue/join", "run/[^/]+", "call/(v2/)?[^/]+", "component_server", "cancel", "reset")
)
NAME_CHARACTERS = 64  # characters of the name of a session or an event: gradio's own have 11 to 36
COMPUTED_PATHS = ("/", "/config", f"{API}/info", *WRITE_PATHS[1:])
MCP = f"{API}/mcp(/.*)?"


def _any(*paths: str) -> re.Pattern:
    return re.compile(f"(?:{'|'.join(paths)})/?", re.DOTALL)  # gradio's script asks with a slash at the end now and then


STREAM = _any(*STREAM_PATHS)


def _path(scope: Scope) -> str:
    """Without the stroke at its end: gradio has most routes with one, too."""
    return get_route_path(scope).rstrip("/") or "/"


def names_are_short(scope: Scope) -> bool:
    """What gradio keeps something by: the session or the event that somebody listens for."""
    path, query = _path(scope), parse_qs(scope.get("query_string", b"").decode("latin-1"))
    names = [*query.get("session_hash", ()), *([path.rpartition("/")[2]] if STREAM.fullmatch(path) else ())]
    return all(len(name) <= NAME_CHARACTERS for name in names)


def own_query(scope: Scope) -> bytes:
    """What follows the ? for gradio. It keeps a count for each upload that is named, for ever, which no page here asks for; and its answer
    to `info`, which says where the server is, it would keep for all as the first who asked named that, but not of a page by its name."""
    path = _path(scope)
    return b"" if path == f"{API}/upload" else b"page=" if path == f"{API}/info" else scope.get("query_string", b"")


class AllowedRoutes:
    """`beside`: routes that are not gradio's; `mcp`: the endpoint is a tool for models, too."""

    def __init__(self, beside: Sequence[BaseRoute] = (), mcp: bool = False):
        self.beside = tuple(beside)
        more = (MCP,) if mcp else ()
        read = _any(*READ_PATHS, *STREAM_PATHS, *more)
        self._computed_paths = _any(*COMPUTED_PATHS)
        self._paths = {"GET": read, "HEAD": read, "POST": _any(*WRITE_PATHS, *more), **({"DELETE": _any(MCP)} if mcp else {})}

    def allows(self, scope: Scope) -> bool:
        paths = self._paths.get(scope["method"])
        if paths and paths.fullmatch(_path(scope)):
            return True
        return any(route.matches(scope)[0] is Match.FULL for route in self.beside)

    def streams(self, scope: Scope) -> bool:
        """Whether an answer stays open until somebody goes."""
        return scope["method"] == "GET" and bool(STREAM.fullmatch(_path(scope)))

    def computes(self, scope: Scope) -> bool:
        """Whether an answer takes more work than to read a file."""
        return scope["method"] == "POST" or bool(self._computed_paths.fullmatch(_path(scope)))


# Bodies ----------------------------------------------------------------------------------------------------------------

STALL_SECONDS = 10.0  # seconds without a byte after which a body has ended
LEAST_BYTES_PER_SECOND = 8 * 2**10  # bytes a second on average, after the first STALL_SECONDS
MOST_VALUES = 250_000  # brackets and commas of a body of JSON: a text of 100,000 tokens has so many, and they are read in 50 ms
SMALL_BODY = 2**16  # bytes that cannot hold enough of them to matter
LONG_SECONDS = 20.0  # seconds after which a body that is still on its way makes room for one that comes
DISCONNECT: Message = {"type": "http.disconnect"}


class Body:
    """`receive` in the place of the server's. What is wrong with the body is in `fault`: `long`, `stalled`, `slow` for one that
    gave way; to the app its sender has gone."""

    def __init__(self, receive: Receive, most: int, clock: Callable[[], float] = monotonic):
        self._receive, self.most, self._clock = receive, most, clock
        self._received, self._start, self.whole = 0, clock(), False
        self._timeout: asyncio.Timeout | None = None
        self.fault = ""

    @property
    def seconds(self) -> float:
        return self._clock() - self._start

    def give_way(self) -> None:
        self.fault = "slow"
        if self._timeout and not self._timeout.expired():
            self._timeout.reschedule(0)

    async def receive(self) -> Message:
        if self.fault:
            return DISCONNECT
        if self.whole:
            return await self._receive()  # whether the sender is still there
        patience = min(STALL_SECONDS, STALL_SECONDS + self._received / LEAST_BYTES_PER_SECOND - self.seconds)
        try:
            async with asyncio.timeout(max(0.0, patience)) as self._timeout:
                message = await self._receive() if patience > 0 else DISCONNECT
        except TimeoutError:
            message = DISCONNECT
        self._timeout = None
        if message is DISCONNECT:
            self.fault = self.fault or "stalled"
            return DISCONNECT
        self._received += len(message.get("body", b""))
        if self._received > self.most:
            self.fault = "long"
            return DISCONNECT
        self.whole = not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """The rest comes and is let go: a browser reads an answer only after it has sent all."""
        while not self.whole and (await self.receive())["type"] == "http.request":
            pass

    async def read_all(self) -> bytes | None:
        """The whole body, or None where it did not come."""
        parts = []
        while not self.whole:
            message = await self.receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
        return b"".join(parts)


class BodyQuota:
    """So much of what bodies need in all, and so much for one address. Where all is taken, the body that has been on its way
    longest ends, if that is long: whoever sends slowly keeps nobody out."""

    def __init__(self, of: int, each: int):
        self.of, self.each = of, each
        self._active: dict[Body, tuple[str, int]] = {}  # the oldest first

    def begin(self, body: Body, who: str, size: int = 1) -> bool:
        """Whether there was room for `size` more from `who`; it is theirs until the end."""
        if size + sum(count for place, count in self._active.values() if place == who) > self.each:
            return False
        while size + sum(count for _, count in self._active.values()) > self.of:
            slow = next((one for one in self._active if not one.whole and one.seconds > LONG_SECONDS), None)
            if slow is None:
                return False
            slow.give_way()
            self.end(slow)
        self._active[body] = who, size
        return True

    def end(self, body: Body) -> None:
        self._active.pop(body, None)


def replayed_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives a body that was read already, and then what comes after it."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return left.pop() if left else await receive()

    return receive_again


# What a body of JSON may hold ------------------------------------------------------------------------------------------

SUSPECT = re.compile(rb'"(path|url)"|\\u(00|[dD])')  # a key may be written by escapes; half a character only by them
MOST_SUSPECTS = 1000  # more than a page sends
ADDRESSES = re.compile(ADDRESS)
DIGITS, MOST_DIGITS = re.compile(rb"[0-9]{200}"), 64  # of a number that takes a parser long, and how many of them are taken
LARGE_BODY = 2**18  # bytes
NAMES = ("session_hash", "event_id", "fn_name")
NAMED = re.compile(rf'"({"|".join(NAMES)})"'.encode())


async def refusal(body: bytes, large: Container[int] = ()) -> str:
    """Why nobody may be handed this body, or nothing. A large one is read beside the loop that answers everybody."""
    return body_refusal(body, large) if len(body) <= SMALL_BODY else await run_in_threadpool(body_refusal, body, large)


def body_refusal(body: bytes, large: Container[int]) -> str:
    try:
        body.decode()
        if b"\0" in body:  # as in UTF-16, which a parser would take too
            return words.BODY_TEXT
        if _more_than(DIGITS, body, MOST_DIGITS):
            return words.NUMBERS_LIMIT
        if _more_than(SUSPECT, body, MOST_SUSPECTS):
            return words.FILES_LIMIT.format(most=f"{MOST_SUSPECTS:,}")
        if len(body) > LARGE_BODY or SUSPECT.search(body) or NAMED.search(body):
            return _parsed_refusal(body, large)
        return ""
    except UnicodeError:
        return words.BODY_TEXT


def _more_than(what: re.Pattern, body: bytes, most: int) -> bool:
    return next(islice(what.finditer(body), most, None), None) is not None


def _parsed_refusal(body: bytes, large: Container[int]) -> str:
    addresses = False

    def check_pairs(pairs: list) -> dict:
        nonlocal addresses
        addresses = addresses or any(_is_address(*pair) for pair in pairs)  # a name that is there twice, too
        return dict(pairs)

    try:
        value = json.loads(body, object_pairs_hook=check_pairs)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return words.BODY_TEXT
    if addresses:
        return words.FILE_ADDRESS
    if len(body) > LARGE_BODY and not (isinstance(value, dict) and value.get("fn_index") in large):
        return words.BODY_KIB_LIMIT.format(most=LARGE_BODY // 2**10)
    names = [value[name] for name in NAMES if value.get(name) is not None] if isinstance(value, dict) else []
    short = all(isinstance(name, str) and len(name) <= NAME_CHARACTERS for name in names)
    return "" if short else words.NAME_LIMIT.format(most=NAME_CHARACTERS)


def _is_address(name: str, value: object) -> bool:
    """`url` says where a browser finds a file of this server; nothing here reads it."""
    if name not in ("path", "url") or not isinstance(value, str) or not ADDRESSES.match(value.strip()):
        return False
    return name == "path" or f"{API}/file=" not in value


# The guard -------------------------------------------------------------------------------------------------------------

log = logging.getLogger("specviz")

# Gradio makes its components' functions from text and its styles in place, so both must be allowed; what they may fetch is bounded
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; media-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'none'"
)
FILE = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
# gradio's own files, each under a name that changes with what is in it: a browser need not ask for one again
BUILT_FILES = "/assets/"
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
UPLOAD_SLACK = 2**16  # bytes around a file in an upload
BODY_BYTES = 16 * 2**20  # bytes of anything else: a browser hands back a run
# bytes of files at once, and of one address: a class sends small ones
UPLOAD_BYTES, UPLOAD_BYTES_EACH = 8 * FILE_LIMIT, 4 * FILE_LIMIT
MEMORY_BYTES, MEMORY_EACH = 2**29, 2**27  # bytes of other bodies, which are read before they are answered
STREAMS, STREAMS_EACH = 2048, 192  # answers that stay open: a class behind one address has four for each of its forty browsers
CALLS = ("/queue/join", "/run/predict")  # of the page's own functions
ERROR_CHARACTERS = 300  # characters that are quoted of what went wrong
FREE_BYTES = 64 * 2**20  # bytes of the disk that uploads leave
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")  # as what a server is asked to listen at


def hosts_of(host: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """By which names a page is asked for that listens at `host` and is known as `names`; none where anybody may say what it is called."""
    return () if host in EVERYWHERE and not names else tuple({host.strip("[]").lower(), *(n.lower() for n in names), *LOOPBACK})


class Guard:
    """Around the whole app. `hosts`: by which names it is served, none for any; whoever says another one, or asks from a page of another
    one, is refused. So is what `routes` does not list. `large`: the numbers of the functions that take long bodies."""

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
                return await _refuse(*_fault(body), scope, receive, send)
            if sum(map(whole.count, b"[{,")) > MOST_VALUES:
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
            with self.here.listens(scope, who):
                await self.app(scope, receive, send)
        except (RuntimeError, KeyError) as error:
            # who listens for a session that is not there is told so in the stream, and the second stream of one that hangs up lets it go
            # once more: then gradio raises
            if not isinstance(error.__cause__, HTTPException | asyncio.CancelledError):
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
            await _refuse(*_fault(body), scope, receive, send)

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


def _fault(body: Body) -> tuple[int, str]:
    long = 413, words.BODY_LIMIT.format(most=body.most // 2**20)
    return {"slow": (503, words.GAVE_WAY), "stalled": (408, words.STALLED)}.get(body.fault, long)


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


def error_line(error: BaseException) -> str:
    """What went wrong and where, in one line whatever it quotes: nobody writes a second one into a log."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({where[0].filename.rpartition('/')[2]}:{where[0].lineno})" if where else ""
    return f"{type(error).__name__}: {str(error)[:ERROR_CHARACTERS]!a}{place}"
