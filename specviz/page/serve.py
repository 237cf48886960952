"""Builds the page and serves it: its files, its log and its sockets, each with bounds.

serve(LocalEngine, "127.0.0.1", 7860)        # until it is stopped; `specviz app` and app.py

"""

import ctypes
import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from asyncio import TimerHandle
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from math import inf
from pathlib import Path
from threading import Event, current_thread, main_thread
from time import monotonic
from typing import TextIO

from uvicorn import Server
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..words import page as words
from .engine import Engine
from .guard.front import ERROR_CHARACTERS
from .guard.shares import Quota, place_of
from .queue import RunQueue

SWEEP_SECONDS = 10.0  # seconds between two looks at the files
SWITCH_SECONDS = 0.0005  # seconds: after a pass a decoding thread waits so long for Python's lock while visitors are served
CLOSE_SECONDS = 10.0  # seconds for runs under way to end with what they have
M_ARENA_MAX, ARENAS = -8, 2  # glibc's option, and how many heaps all threads share


def serve(
    engine: Callable[[], Engine],
    host: str,
    port: int,
    longest: float | None = None,
    mcp: bool = False,
    names: Sequence[str] = (),
    version: str = "",
    site: Callable[[], tuple[str, Sequence]] = lambda: ("", ()),
) -> int:
    """Make the engine and serve the page with it until it is stopped: by a key, or by SIGTERM, when runs end with what they have.
    `longest`: seconds that a run may decode; `mcp`: the endpoint is a tool for models, too; `names`: by which others reach it, beside
    `host`; `site` gives the address and the routes of the site, on which browsers decode. Returns an exit code: 1 if it cannot be."""
    if in_use(host, port):  # asked first: models and gradio take seconds to load
        print(words.PORT_IN_USE.format(port=port, other=port + 1), file=sys.stderr)
        return 1
    if mcp and not find_spec("mcp"):
        print(words.NO_MCP, file=sys.stderr)
        return 1
    share_heaps()
    sys.stdout, sys.stderr = LossyStream(sys.stdout), LossyStream(sys.stderr)
    scratch, stop = Scratch(port), Event()
    # for a page that is off, it counts all events after each
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
    decoding = engine()  # before gradio: what is wrong with it is said sooner
    from .build import build, launch_settings
    from .classroom.rooms import OPEN
    from .guard.front import EVERYWHERE, hosts_of
    from .keep.recorded import load, opening

    queue, (address, beside) = RunQueue(longest=longest), site()
    page = build(decoding, load(opening(decoding.models()[0])), queue=queue, site_address=address)
    # what was made by now stays: a search for garbage need not look at it again
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
    if current_thread() is main_thread():
        own = os.getpid()  # a worker that is forked has this handler, too, and is to end at once
        signal.signal(signal.SIGTERM, lambda *_: stop.set() if os.getpid() == own else os._exit(143))
    # a Space's address is its own network's
    OPEN.lan = lan = own_address if host in EVERYWHERE and "SPACE_ID" not in os.environ else lambda: None
    settings = launch_settings(page, decoding, queue, hosts_of(host, names), version, beside, mcp, lan)
    _, address, _ = page.launch(
        server_name=host, server_port=port, prevent_thread_lock=True, mcp_server=mcp, quiet=True, **settings
    )
    print(words.RUNNING.format(address=address.rstrip("/")), flush=True)
    if in_network := lan():
        print(words.RUNNING_LAN.format(address=f"http://{in_network}:{port}"), flush=True)
    bound_connections(page.server)
    try:
        while not stop.wait(SWEEP_SECONDS):
            scratch.sweep()
    except KeyboardInterrupt:
        pass
    queue.close(CLOSE_SECONDS)
    stop.clear()
    stop.wait(1.0)  # for what was told last to reach whoever asked
    page.close(verbose=False)
    scratch.remove()
    return 0


def in_use(host: str, port: int) -> bool:
    try:
        # it reuses an address only where that does not mean to share it: on Windows two servers could have one port
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError:
        return True
    return False


def own_address() -> str | None:
    """This machine's own address in its network; None without one. Nothing is sent to ask it."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # of TEST-NET-1: nobody's
            return probe.getsockname()[0]
    except OSError:
        return None


def share_heaps() -> None:
    """Before the first thread. Each run decodes in the thread that is free, and glibc gives up to eight threads a core a heap of
    their own, in which it keeps what was freed: the server grew with each new thread by what a run takes at most."""
    with suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


# The files of a server while it runs -----------------------------------------------------------------------------------

SCRATCH_BYTES = 512 * 2**20  # bytes of uploads, which are read at once
SCRATCH_FILES = 2000  # however small: each is a folder of its own
UPLOAD_SECONDS = 60.0  # seconds without a byte after which an upload has ended: whole ones are moved to folders of their own
OWN_FOLDER = "kept"


class Scratch:
    """Uploads: a folder, bounded, that begins with the port, which one server has at a time: what a killed one left is removed when it
    starts again. How it ends nobody can know before, so that nobody else can make it."""

    def __init__(self, port: int, most: int = SCRATCH_BYTES):
        base = os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir()
        Path(base).mkdir(parents=True, exist_ok=True)
        for left in Path(base).glob(f"specviz-{port}-*"):
            if _own(left):
                shutil.rmtree(left, ignore_errors=True)
        self.folder, self.most = Path(tempfile.mkdtemp(prefix=f"specviz-{port}-", dir=base)), most
        (self.folder / OWN_FOLDER).mkdir(mode=0o700)
        os.environ["GRADIO_TEMP_DIR"] = str(self.folder / "sent")
        tempfile.tempdir = str(self.folder / OWN_FOLDER)  # what this process makes for itself, and removes itself

    def sweep(self) -> None:
        """Remove the oldest uploads until the rest is within the bound. And what is left of those that never ended."""
        for when, _, path in _files(self.folder / "sent"):
            if path.parent == self.folder / "sent" and time.time() - when > UPLOAD_SECONDS:
                path.unlink(missing_ok=True)
        files = sorted(_files(self.folder / "sent"), key=lambda file: file[0])
        left = sum(size for _, size, _ in files)
        for n, (_, size, path) in enumerate(files):
            if left <= self.most and len(files) - n <= SCRATCH_FILES:
                return
            path.unlink(missing_ok=True)
            with suppress(OSError):  # another file is in it
                path.parent.rmdir()
            left -= size

    def remove(self) -> None:
        tempfile.tempdir = None
        shutil.rmtree(self.folder, ignore_errors=True)


def _own(folder: Path) -> bool:
    """Whether it is a folder of this user, and no link to one."""
    return not folder.is_symlink() and folder.is_dir() and (os.name == "nt" or folder.stat().st_uid == os.getuid())


def _files(folder: Path) -> list[tuple[float, int, Path]]:
    """(when it changed, bytes, path) of each file; one that goes meanwhile is left out."""
    files = []
    for place, _, names in os.walk(folder):  # a folder that goes meanwhile is no error to it
        for path in (Path(place, name) for name in names):
            with suppress(OSError):
                stat = path.stat()
                files.append((stat.st_mtime, stat.st_size, path))
    return files


# The log ---------------------------------------------------------------------------------------------------------------

LOG_CHARACTERS, WINDOW_SECONDS = 2**16, 60.0  # characters in so many seconds: 94 MB a day at most
TRACEBACK = ("Traceback (most recent call last)", "\nDuring handling of the above", "\nThe above exception was the direct cause")


class LossyStream:
    """As the stream that it writes to; what finds no room is lost, and so is what comes too fast, and all of a traceback but what it is of:
    gradio prints one before it tells a visitor, who would wait for ever if that raised, and one for each bad request."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = monotonic):
        self._stream, self._clock = stream, clock
        self._window_start, self._count, self._lost_count = clock(), 0, 0
        self._in_traceback = False

    def write(self, text: str) -> int:
        if text and (self._in_traceback or text.startswith(TRACEBACK)):  # `traceback` writes what it prints piece by piece
            self._in_traceback = text.startswith((" ", *TRACEBACK))
            return len(text) if self._in_traceback else self._write(f"an event failed: {text.strip()[:ERROR_CHARACTERS]!a}\n")
        return self._write(text)

    def _write(self, text: str) -> int:
        if self._clock() - self._window_start > WINDOW_SECONDS:
            lost_count, self._window_start, self._count, self._lost_count = self._lost_count, self._clock(), 0, 0
            if lost_count:
                self._forward(f"\n({lost_count:,} characters of the log were left out)\n")
        if self._count + len(text) > LOG_CHARACTERS:
            self._lost_count += len(text)
        else:
            self._count += len(text)
            self._forward(text)
        return len(text)

    def _forward(self, text: str) -> None:
        with suppress(OSError, UnicodeError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


# The sockets -----------------------------------------------------------------------------------------------------------

HEAD_SECONDS = 10.0  # seconds from a connection, or from an answer, until the whole head of a request is there
READ_SECONDS = 60.0  # seconds until what was sent is read, or some of it
CONNECTIONS = 4096  # of all; past them a request is answered 503
OPEN_CONNECTIONS = Quota(inf, 256)  # of one address: a class behind one has six for each of its forty browsers


class Connection(H11Protocol):
    """uvicorn's own, which by itself waits for a first request for ever, and for who reads no answer. A proxy that says for whom
    it asks is not counted as one address."""

    counted_address: str | None = None

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        self.timers: dict[str, TimerHandle] = {}
        self._abort_after("head", HEAD_SECONDS)
        if (self.client[0] if self.client else None) in _TrustedHosts(self.config.forwarded_allow_ips or ""):
            return
        who = place_of({"client": self.client})
        if OPEN_CONNECTIONS.begin(who):
            self.counted_address = who
        else:
            transport.abort()

    def connection_lost(self, exc) -> None:
        self._stop("head")
        self._stop("unread")
        if self.counted_address is not None:
            OPEN_CONNECTIONS.end(self.counted_address)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop("head")

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self._abort_after("head", HEAD_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._abort_after("unread", READ_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop("unread")

    def _abort_after(self, what: str, seconds: float) -> None:
        self._stop(what)
        self.timers[what] = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self, what: str) -> None:
        if timer := self.timers.pop(what, None):
            timer.cancel()


def bound_connections(server: Server) -> None:
    """From now on its connections are of this kind: gradio, which starts it, takes no options for it."""
    server.config.http_protocol_class, server.config.ws_protocol_class = Connection, None
    server.config.limit_concurrency = CONNECTIONS
    with suppress(ImportError, OSError, ValueError):  # Windows has no such bound
        import resource

        least, most = 2 * CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (least if most == resource.RLIM_INFINITY else min(least, most), most))
