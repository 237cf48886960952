"""What may be asked of the server: of gradio's routes those that the page, its phones and programs use. All else is refused, so a route that
a later gradio brings is refused until it stands here.

AllowedRoutes(beside=[Route("/healthz", …)]).allows(scope)
"""

import re
from collections.abc import Sequence
from urllib.parse import parse_qs

from starlette.routing import BaseRoute, Match, get_route_path
from starlette.types import Scope

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


STREAMS = _any(*STREAM_PATHS)


def _path(scope: Scope) -> str:
    """Without the stroke at its end: gradio has most routes with one, too."""
    return get_route_path(scope).rstrip("/") or "/"


def names_are_short(scope: Scope) -> bool:
    """What gradio keeps something by: the session or the event that somebody listens for."""
    path, query = _path(scope), parse_qs(scope.get("query_string", b"").decode("latin-1"))
    names = [*query.get("session_hash", ()), *([path.rpartition("/")[2]] if STREAMS.fullmatch(path) else ())]
    return all(len(name) <= NAME_CHARACTERS for name in names)


def own_query(scope: Scope) -> bytes:
    """What follows the ? for gradio. It keeps a count for each upload that is named, for ever, which no page here asks for; and its answer to
    `info`, which says where the server is, it would keep for all as the first who asked named that, but not of a page by its name."""
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
        return scope["method"] == "GET" and bool(STREAMS.fullmatch(_path(scope)))

    def computes(self, scope: Scope) -> bool:
        """Whether an answer takes more work than to read a file."""
        return scope["method"] == "POST" or bool(self._computed_paths.fullmatch(_path(scope)))
