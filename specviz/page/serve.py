"""Builds the page and serves it.

serve(LocalEngine, "127.0.0.1", 7860)        # until it is stopped; `specviz app` and app.py
"""

import ctypes
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from threading import Event, current_thread, main_thread

from . import words
from .engine import Engine
from .log_stream import LossyStream
from .queue import RunQueue
from .scratch import Scratch

SWEEP_SECONDS = 10.0  # seconds between two looks at the files
SWITCH_SECONDS = 0.0005  # seconds: after a pass, which runs without Python's lock, a decoding thread waits so long for it while visitors are served
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
    from .classroom.teacher import own_address
    from .guard.connections import bound_connections
    from .guard.front import EVERYWHERE, LOOPBACK, hosts_of
    from .keep.recorded import load, opening

    OPEN.reachable = host not in LOOPBACK
    queue, (address, beside) = RunQueue(longest=longest), site()
    page = build(decoding, load(opening(decoding.models()[0])), queue=queue, site_address=address)
    # what was made by now stays: a search for garbage need not look at it again
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
    if current_thread() is main_thread():
        own = os.getpid()  # a worker that is forked has this handler, too, and is to end at once
        signal.signal(signal.SIGTERM, lambda *_: stop.set() if os.getpid() == own else os._exit(143))
    lan = own_address() if host in EVERYWHERE and "SPACE_ID" not in os.environ else None  # a Space's is its own network's
    settings = launch_settings(page, decoding, queue, hosts_of(host, names), version, beside, mcp, lan)
    _, address, _ = page.launch(
        server_name=host, server_port=port, prevent_thread_lock=True, mcp_server=mcp, quiet=True, **settings
    )
    print(words.RUNNING.format(address=address.rstrip("/")), flush=True)
    if lan:
        print(words.RUNNING_LAN.format(address=f"http://{lan}:{port}"), flush=True)
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


def share_heaps() -> None:
    """Before the first thread. Each run decodes in the thread that is free, and glibc gives up to eight threads a core a heap of their own, in
    which it keeps what was freed: the server grew with each new thread by what a run takes at most."""
    with suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
