"""specviz server http://localhost:8000 --out server.jsonl"""

import json
import os
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead
from math import inf
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Annotated
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ..config import ConfigError
from ..picture.words import BY_POSITION, RECORD, WATCHED
from ..trace.records.difference import subtract
from ..trace.records.read import loads
from ..trace.records.record import Acceptance, Idle, RecordError, ServerRecord, total
from ..trace.records.watched import saved_line
from .decision import Why, check_why, show_causes
from .saving import check_writable
from .server_record import ROW, number_text, sparkline
from .terminal import console, plural, table

PAGE_LIMIT, TIMEOUT, MAX_FAILURES = 8 * 2**20, 10, 5  # bytes of a page, seconds that it may take, how many in a row may fail
ERROR_TEXTS = {BadStatusLine: "the answer is not HTTP", IncompleteRead: "the page was cut short"}  # http.client has no words
HEADER = "SPECVIZ_SERVER_HEADER"
BODY_CHARACTERS = 200  # characters of an error's body that are shown
NUMBERS = (  # a row's word, the count of it, its digits
    ("steps", "num_spec_steps", 0),
    ("drafted", "num_draft_tokens", 0),
    ("accepted_of_drafted", "accepted_of_drafted", 3),
    ("tokens_per_step", "tokens_per_step", 2),
)


def server(
    url: Annotated[
        str, typer.Argument(help="Address of the server, such as http://localhost:8000. /metrics is added if it names no page.")
    ],
    out: Annotated[Path, typer.Option(help="File to write, one line per reading. specviz import and the page open it.")],
    every: Annotated[float, typer.Option(min=0.5, max=3600, help="Seconds from one reading to the next.")] = 3.0,
    seconds: Annotated[
        float | None, typer.Option("--for", min=1, help="Stop after so many seconds. By default at Ctrl-C.")
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            help=f'A header for the server, such as "Authorization: Bearer KEY"; @FILE reads it from a file, and without it the environment '
            f"variable {HEADER} is read. It is never printed. May be given again."
        ),
    ] = None,
    why: Why = None,
):
    """Watch a server's metrics page live: acceptance by position, mean tokens, drafts and load. Save what was seen as a record."""
    page, headers = page_of(url), headers_of(url, header or [os.environ[HEADER]] if header or HEADER in os.environ else [])
    check_writable(out)
    check_why(why)
    more = {"headers": headers} if headers else {}
    with suppress(Idle):
        loads(fetch(page, **more))  # a page that says nothing of drafts is refused before a file is made
    state = LiveServer()

    def save(text: str) -> None:
        # what stands in `out` stays until there is a first line, and whoever ends this loses none
        with out.open("a" if state.readings else "w", encoding="utf-8") as file:
            file.write(text)

    lost, ends = None, time.monotonic() + (seconds or inf)
    with Live(console=console, transient=True, auto_refresh=False) as live, suppress(KeyboardInterrupt):
        try:
            watch(
                lambda: fetch(page, left=ends - time.monotonic(), **more),
                time.monotonic,
                time.sleep,
                state,
                save,
                every,
                seconds,
                lambda: live.update(screen_of(state), refresh=True),
            )
        except RecordError as error:
            lost = error
    console.print(screen_of(state, "watched"))
    if state.readings:
        console.print(f"saved {out}: {plural(state.readings, 'reading')}")
    if why and state.total:
        drafted, steps = state.total.num_draft_tokens, state.total.num_spec_steps
        show_causes(state.total.accepted_of_drafted, steps and round(drafted / steps), state.load, why)
    if lost:
        raise lost
    if not state.readings:
        raise RecordError("nothing was drafted while this was watched: no file was written")


@dataclass
class LiveServer:
    """What was seen so far: the sums since the first reading, the last interval, and mean tokens over time."""

    engine: str = ""
    readings: int = 0
    lost: int = 0
    idle: bool = False
    before: Acceptance | None = None
    total: Acceptance | None = None
    last: Acceptance | None = None
    interval: float = 0.0
    seconds: float = 0.0
    load: float | None = None
    lengths: list[float | None] = field(default_factory=list)

    def add(self, seconds: float, record: ServerRecord) -> None:
        self.engine, self.load, self.lost, self.idle = record.engine, record.at_once, 0, False
        self.interval, self.seconds = seconds - self.seconds, seconds
        self.readings += 1
        part = record.parts[0] if record.parts else None
        self.last = (subtract(part, self.before) or part) if part and self.before else None
        if self.last:
            self.total = total((self.total, self.last)) if self.total else self.last
        self.lengths.append(record.moments[-1].tokens_per_step if record.moments else self.last and self.last.tokens_per_step)
        self.before = part


def watch(
    look: Callable[[], bytes],
    clock: Callable[[], float],
    wait: Callable[[float], None],
    state: LiveServer,
    save: Callable[[str], object],
    every: float,
    seconds: float | None,
    draw: Callable[[], None],
) -> None:
    """Look every so many seconds, save each look as a line, draw. Ends after `seconds`. A look that fails is left out; RecordError after
    MAX_FAILURES of them in a row: a server that rests was reached."""
    began = clock()
    while True:
        now = clock() - began
        try:
            record = loads(look(), fresh=True)
            save(json.dumps(saved_line(now, record)) + "\n")
            state.add(now, record)
        except Idle:
            state.idle, state.lost = True, 0
        except (RecordError, ConfigError) as error:
            state.idle, state.lost = False, state.lost + 1
            if state.lost == MAX_FAILURES:
                raise RecordError(f"the server was lost: {error}") from None
        draw()
        ahead = began + every * (int((clock() - began) / every) + 1) - clock()
        if seconds is not None and clock() - began + ahead > seconds + every / 2:
            return
        wait(max(0.0, ahead))


def page_of(url: str) -> str:
    """The address of the metrics page, without a name and a key before the host. ConfigError unless it is one of http or https."""
    with suppress(ValueError):  # urlsplit's, of half an address of IPv6
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme in ("http", "https") and parts.hostname:
            parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
            path = parts.path if parts.path.strip("/") else "/metrics"
            end = "/metrics" if path.rstrip("/").endswith("/v1") else ""
            return parts._replace(path=path.removesuffix("/v1") + end).geturl()
    raise ConfigError("url", url.rpartition("@")[2], "an address such as http://localhost:8000")


def headers_of(url: str, lines: list[str]) -> dict[str, str]:
    """What is sent with each request: the headers that were given, each `Name: value` or @FILE with such a line, and a name and a key that
    stand before the host. ConfigError, which names no value, where one is none."""
    headers = {}
    user = urlsplit(url if "://" in url else f"http://{url}").netloc.rpartition("@")[0]
    if user:
        headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
    for text in lines:
        if text.startswith("@"):
            try:
                text = Path(text[1:]).read_text("utf-8").strip()
            except (OSError, ValueError):
                raise ConfigError("header", text, "a file that can be read, after the @") from None
        name, colon, value = text.partition(":")
        if not (colon and name.replace("-", "").isalnum() and name.isascii() and value.isascii() and value.strip().isprintable()):
            raise ConfigError(
                "header", "not shown", 'a name and a value, such as "Authorization: Bearer KEY", in one line of ASCII'
            )
        headers[name] = value.strip()
    return headers


class _SameHost(HTTPRedirectHandler):
    """A redirect to another host gets no key."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        there = super().redirect_request(req, fp, code, msg, headers, newurl)
        if there is not None and (there.type, there.host) != (req.type, req.host):
            there.headers = {"Accept": "text/plain"}
        return there


def fetch(page: str, headers: dict[str, str] | None = None, left: float = TIMEOUT) -> bytes:
    """ConfigError unless all of the page can be had in TIMEOUT seconds and in those that are `left`: a timeout of a socket bounds one read
    only, and a head may drip. What the server says of an error is shown too, headers are not."""
    limit = min(TIMEOUT, max(1.0, left))
    answers: Queue[bytes | Exception] = Queue()
    Thread(target=lambda: answers.put(_fetch_or_error(page, headers or {})), daemon=True).start()
    try:
        answer = answers.get(timeout=limit)
    except Empty:
        answer = TimeoutError(f"it took longer than {limit:g} seconds")
    if isinstance(answer, bytes):
        return answer
    reason = ERROR_TEXTS.get(type(answer)) or getattr(answer, "reason", None) or answer
    raise ConfigError("url", page, f"a page that can be fetched ({reason})")


def _fetch_or_error(page: str, headers: dict[str, str]) -> bytes | Exception:
    request = Request(page, headers={"Accept": "text/plain", **headers})
    opener = build_opener(_SameHost)
    try:
        with opener.open(request, timeout=TIMEOUT) as answer:  # http or https: page_of
            return _read_page(answer)
    except HTTPError as error:
        return ValueError(f"{error.code}{_error_body(error, headers)}")
    except (OSError, ValueError, HTTPException) as error:
        return error


def _error_body(error: HTTPError, headers: dict[str, str]) -> str:
    """What the server says of its error, in one line; of what was sent nothing."""
    with error, suppress(OSError, ValueError, HTTPException):
        body = error.read1(4 * BODY_CHARACTERS).decode("utf-8", "replace")
        for secret in (part for value in headers.values() for part in value.split() if len(part) > 5):
            body = body.replace(secret, "…")
        message = " ".join("".join(c if c.isprintable() else " " for c in body).split())[:BODY_CHARACTERS]
        return f": {message}" if message else ""
    return ""


def _read_page(answer: HTTPResponse) -> bytes:
    """All of a page. IncompleteRead if it was cut short; TimeoutError if it drips on when nobody waits for it any more."""
    page, ends = bytearray(), time.monotonic() + TIMEOUT
    while part := answer.read1(PAGE_LIMIT + 1 - len(page)):
        page += part
        if len(page) > PAGE_LIMIT:
            raise ValueError(f"it has more than {PAGE_LIMIT // 2**20} MiB")
        if time.monotonic() > ends:
            raise TimeoutError(f"it took longer than {TIMEOUT} seconds")
    if answer.length:  # of Content-Length, what did not come
        raise IncompleteRead(bytes(page), answer.length)
    return bytes(page)


def screen_of(state: LiveServer, usual: str = "watching") -> Group:
    """One screen: the numbers, mean tokens over time, acceptance by position in the last interval and since the first reading. `usual`:
    the key of what is said under them unless nothing was decoding or read."""
    total, last = state.total, state.last
    numbers = table("", WATCHED["last"], WATCHED["all"], left=("",), title=WATCHED["title"].format(engine=state.engine or "…"))
    for key, name, digits in NUMBERS:
        numbers.add_row(RECORD[key], *(number_text(part and getattr(part, name), digits) for part in (last, total)))
    pace = last.num_draft_tokens / state.interval if last and state.interval > 0 else None
    numbers.add_row(WATCHED["drafts"], number_text(pace, 1), "")
    numbers.add_row(RECORD["at_once"], number_text(state.load, 0), "")
    status = WATCHED["idle"] if state.idle else WATCHED["lost"] if state.lost else WATCHED[usual]
    status = status.format(seconds=f"{state.seconds:.0f}", looks=state.readings)
    parts = [numbers, Text(sparkline(state.lengths[-ROW:])), Text(status)]
    if total and total.accepted_per_position and total.num_spec_steps:
        parts.insert(1, _positions(last, total))
    return Group(*parts)


def _positions(last: Acceptance | None, total: Acceptance) -> Table:
    rows = table(BY_POSITION["position"], WATCHED["last"], WATCHED["all"], "", left=("",))
    for i, accepted in enumerate(total.accepted_per_position or ()):
        share = accepted / (total.num_spec_steps or 1)
        steps = last.num_spec_steps if last and last.accepted_per_position else None
        now = last.accepted_per_position[i] / steps if last and last.accepted_per_position and steps else None
        rows.add_row(str(i + 1), number_text(now, 3), number_text(share, 3), "█" * round(30 * share))
    return rows
