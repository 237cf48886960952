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
from ..trace.records.watched import line
from .deciding import Why, check_why, show_causes
from .recorded import ROW, figure, over_time
from .saving import check_writable
from .terminal import plural, say, table

PAGE_LIMIT, PATIENCE, LOST = 8 * 2**20, 10, 5  # bytes of a page, seconds that it may take, how many in a row may fail
UNREAD = {BadStatusLine: "the answer is not HTTP", IncompleteRead: "the page was cut short"}  # http.client has no words
HEADER = "SPECVIZ_SERVER_HEADER"
SAID = 200  # characters of an error's body that are shown
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
    page, sent = page_of(url), headers_of(url, header or [os.environ[HEADER]] if header or HEADER in os.environ else [])
    check_writable(out)
    check_why(why)
    more = {"headers": sent} if sent else {}
    with suppress(Idle):
        loads(fetch(page, **more))  # a page that says nothing of drafts is refused before a file is made
    seen = LiveServer()

    def save(text: str) -> None:
        # what stands in `out` stays until there is a first line, and whoever ends this loses none
        with out.open("a" if seen.looks else "w", encoding="utf-8") as file:
            file.write(text)

    lost, ends = None, time.monotonic() + (seconds or inf)
    with Live(console=say, transient=True, auto_refresh=False) as live, suppress(KeyboardInterrupt):
        try:
            watch(
                lambda: fetch(page, left=ends - time.monotonic(), **more),
                time.monotonic,
                time.sleep,
                seen,
                save,
                every,
                seconds,
                lambda: live.update(screen_of(seen), refresh=True),
            )
        except RecordError as error:
            lost = error
    say.print(screen_of(seen))
    if seen.looks:
        say.print(f"saved {out}: {plural(seen.looks, 'reading')}")
    if why and seen.total:
        drafted, steps = seen.total.num_draft_tokens, seen.total.num_spec_steps
        show_causes(seen.total.accepted_of_drafted, steps and round(drafted / steps), seen.load, why)
    if lost:
        raise lost
    if not seen.looks:
        raise RecordError("nothing was drafted while this was watched: no file was written")


@dataclass
class LiveServer:
    """What was seen so far: the sums since the first look, the last interval, and mean tokens over time."""

    engine: str = ""
    looks: int = 0
    lost: int = 0
    idle: bool = False
    before: Acceptance | None = None
    total: Acceptance | None = None
    last: Acceptance | None = None
    between: float = 0.0
    at: float = 0.0
    load: float | None = None
    lengths: list[float | None] = field(default_factory=list)

    def add(self, seconds: float, record: ServerRecord) -> None:
        self.engine, self.load, self.lost, self.idle = record.engine, record.at_once, 0, False
        self.between, self.at = seconds - self.at, seconds
        self.looks += 1
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
    seen: LiveServer,
    save: Callable[[str], object],
    every: float,
    seconds: float | None,
    draw: Callable[[], None],
) -> None:
    """Look every so many seconds, save each look as a line, draw. Ends after `seconds`. A look that fails is left out; RecordError after
    LOST of them in a row: a server that rests was reached."""
    began = clock()
    while True:
        now = clock() - began
        try:
            record = loads(look(), fresh=True)
            save(json.dumps(line(now, record)) + "\n")
            seen.add(now, record)
        except Idle:
            seen.idle, seen.lost = True, 0
        except (RecordError, ConfigError) as error:
            seen.idle, seen.lost = False, seen.lost + 1
            if seen.lost == LOST:
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
    sent = {}
    user = urlsplit(url if "://" in url else f"http://{url}").netloc.rpartition("@")[0]
    if user:
        sent["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
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
        sent[name] = value.strip()
    return sent


class _SameHost(HTTPRedirectHandler):
    """A redirect to another host gets no key."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        there = super().redirect_request(req, fp, code, msg, headers, newurl)
        if there is not None and (there.type, there.host) != (req.type, req.host):
            there.headers = {"Accept": "text/plain"}
        return there


def fetch(page: str, headers: dict[str, str] | None = None, left: float = PATIENCE) -> bytes:
    """ConfigError unless all of the page can be had in PATIENCE seconds and in those that are `left`: a timeout of a socket bounds one read
    only, and a head may drip. What the server says of an error is shown too, headers are not."""
    patience = min(PATIENCE, max(1.0, left))
    came: Queue[bytes | Exception] = Queue()
    Thread(target=lambda: came.put(_fetch_or_error(page, headers or {})), daemon=True).start()
    try:
        answer = came.get(timeout=patience)
    except Empty:
        answer = TimeoutError(f"it took longer than {patience:g} seconds")
    if isinstance(answer, bytes):
        return answer
    reason = UNREAD.get(type(answer)) or getattr(answer, "reason", None) or answer
    raise ConfigError("url", page, f"a page that can be fetched ({reason})")


def _fetch_or_error(page: str, headers: dict[str, str]) -> bytes | Exception:
    ends = time.monotonic() + PATIENCE
    request = Request(page, headers={"Accept": "text/plain", **headers})
    opener = build_opener(_SameHost)
    try:
        with opener.open(request, timeout=PATIENCE) as answer:  # http or https: page_of
            return _whole(answer, ends)
    except HTTPError as error:
        return ValueError(f"{error.code}{_body(error, headers)}")
    except (OSError, ValueError, HTTPException) as error:
        return error


def _body(error: HTTPError, headers: dict[str, str]) -> str:
    """What the server says of its error, in one line; of what was sent nothing."""
    with error, suppress(OSError, ValueError, HTTPException):
        body = error.read1(4 * SAID).decode("utf-8", "replace")
        for secret in (part for value in headers.values() for part in value.split() if len(part) > 5):
            body = body.replace(secret, "…")
        message = " ".join("".join(c if c.isprintable() else " " for c in body).split())[:SAID]
        return f": {message}" if message else ""
    return ""


def _whole(answer: HTTPResponse, ends: float) -> bytes:
    """All of a page. IncompleteRead if it was cut short, TimeoutError if the clock is past `ends`: a timeout bounds one read only."""
    page = bytearray()
    while part := answer.read1(PAGE_LIMIT + 1 - len(page)):
        page += part
        if len(page) > PAGE_LIMIT:
            raise ValueError(f"it has more than {PAGE_LIMIT // 2**20} MiB")
        if time.monotonic() > ends:
            raise TimeoutError(f"it took longer than {PATIENCE} seconds")
    if answer.length:  # of Content-Length, what did not come
        raise IncompleteRead(bytes(page), answer.length)
    return bytes(page)


def screen_of(seen: LiveServer) -> Group:
    """One screen: the numbers, mean tokens over time, acceptance by position in the last interval and since the first look."""
    total, last = seen.total, seen.last
    numbers = table("", WATCHED["last"], WATCHED["all"], left=("",), title=WATCHED["title"].format(engine=seen.engine or "…"))
    for key, name, digits in NUMBERS:
        numbers.add_row(RECORD[key], *(figure(part and getattr(part, name), digits) for part in (last, total)))
    pace = last.num_draft_tokens / seen.between if last and seen.between > 0 else None
    numbers.add_row(WATCHED["drafts"], figure(pace, 1), "")
    numbers.add_row(RECORD["at_once"], figure(seen.load, 0), "")
    state = WATCHED["idle"] if seen.idle else WATCHED["lost"] if seen.lost else WATCHED["watching"]
    parts = [numbers, Text(over_time(seen.lengths[-ROW:])), Text(state.format(seconds=f"{seen.at:.0f}", looks=seen.looks))]
    if total and total.accepted_per_position and total.num_spec_steps:
        parts.insert(1, _positions(last, total))
    return Group(*parts)


def _positions(last: Acceptance | None, total: Acceptance) -> Table:
    shown = table(BY_POSITION["position"], WATCHED["last"], WATCHED["all"], "", left=("",))
    for i, kept in enumerate(total.accepted_per_position or ()):
        share = kept / (total.num_spec_steps or 1)
        steps = last.num_spec_steps if last and last.accepted_per_position else None
        now = last.accepted_per_position[i] / steps if last and last.accepted_per_position and steps else None
        shown.add_row(str(i + 1), figure(now, 3), figure(share, 3), "█" * round(30 * share))
    return shown
