"""The site on a plain server of files, and a visitor's tab that stays open: nothing may leave the site, no script may fail."""

import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from specviz.site.build import build


class Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass


@contextmanager
def files_of(directory):
    """The address of a plain server of these files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=directory)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "site"
    build(out)
    return out


@pytest.fixture(scope="session")
def site(folder):
    """The address of the site."""
    with files_of(folder) as address:
        yield address


@pytest.fixture
def visit(watched, site):
    """Opens an address of the site."""
    watched.emulate_media(reduced_motion="reduce")

    def go(query: str = ""):
        watched.goto(site + query)
        return watched

    return go
