"""/healthz: whether the page is ready, which version it is, and how many runs wait: for what watches over a server.

health(turns, "0.2.0")      # a route: {"ready": true, "version": "0.2.0", "waiting": 3, "running": 1}
"""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from .turns import Turns


def health(turns: Turns, version: str) -> Route:
    """Ready from the first answer until it closes down, when whoever sends visitors here is to send them elsewhere (503)."""

    async def answer(_: Request) -> JSONResponse:
        waiting, running = turns.counts()
        ready = not turns.closed
        told = {"ready": ready, "version": version, "waiting": waiting, "running": running}
        return JSONResponse(told, 200 if ready else 503, {"Cache-Control": "no-store"})

    return Route("/healthz", answer)
