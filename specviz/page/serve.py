"""Builds the page and serves it.

serve(LocalEngine, "127.0.0.1", 7860)        # until it is stopped; `specviz app` and app.py
"""

import socket
import sys
from collections.abc import Callable

from . import words
from .engine import Engine


def serve(engine: Callable[[], Engine], host: str, port: int) -> int:
    """Make the engine and serve the page with it until it is stopped. Returns an exit code: 1 if the port is taken."""
    if in_use(host, port):  # asked first: models and gradio take seconds to load
        print(words.PORT_IN_USE.format(port=port, other=port + 1), file=sys.stderr)
        return 1
    decoding = engine()  # before gradio: what is wrong with it is said sooner
    from .build import build, launch_settings
    from .keep.recorded import load

    build(decoding, load("opening")).launch(server_name=host, server_port=port, **launch_settings())
    return 0


def in_use(host: str, port: int) -> bool:
    try:
        # it reuses an address only where that does not mean to share it: on Windows two servers could have one port
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError:
        return True
    return False
