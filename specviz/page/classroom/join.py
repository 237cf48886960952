"""The page on which phones join a room, and what they ask: one light page, and five small questions that it puts. Plain routes beside gradio's, which phones never load.

routes(served_engine, rooms)      # for the app; every answer is JSON, `{"error": …}` where something is refused

A link carries the room's code and nothing else; a seat's key stays in the phone's tab. No address, no cookie, nothing on a disk.
"""

import json
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from ...picture import palette
from ...picture.frame import ICON, document
from ...picture.replay import json_text
from ...picture.sheets import JOIN, bundle, csp_hash, style, without_unused
from ..engine import Engine
from ..once import once
from . import words
from .messages import GUESS_CHARACTERS, field_of, guess_of, json_value
from .rooms import OPEN, Room, RoomError, Rooms

BODY_BYTES = 2048  # bytes of a question

POLICY = "default-src 'none'; style-src '{style}'; script-src '{script}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"


@once
def page() -> str:
    """The same for every room: which one it is stands in its address."""
    options = json_text({"words": words.PHONE, "most": GUESS_CHARACTERS, "roles": palette.for_browser()})
    script = f"\n{bundle('join/join.js', alone=True)}.join({options});\n"
    rules = without_unused(style(*JOIN), script)
    policy = POLICY.format(style=csp_hash(rules), script=csp_hash(script))
    return document(words.PHONE["title"], policy, f'<main id="room"></main>\n<script>{script}</script>', rules, ICON)


def routes(engine: Engine, rooms: Rooms = OPEN) -> list[Route]:
    async def join_page(request: Request):
        return HTMLResponse(page(), headers={"Cache-Control": "no-cache"})

    def endpoint(act: Callable[[Room, str, object], dict | None]):
        """`act` is given the room, the seat and what was sent; where it tells nothing of its own, the phone is told what it shows."""

        async def answer(request: Request):
            try:
                message = await read_body(request)
                seat = field_of(message, "seat")
                seat = seat if isinstance(seat, str) else ""
                room = rooms.find(request.path_params["code"], seat)
                reply = act(room, seat, message)
                return JSONResponse(json_value(room.phone_view(seat) if reply is None else reply))
            except RoomError as error:
                return JSONResponse({"error": str(error), "gone": error.is_over, "seat": error.seat})
            except ValueError as error:
                return JSONResponse({"error": str(error)})

        return answer

    def join(room, seat, message):
        seat = room.join(field_of(message, "name"), seat)
        return {"seat": seat, **room.phone_view(seat)}

    def guess(room, seat, message):
        room.guess(seat, field_of(message, "round"), guess_of(message, engine))

    def vote(room, seat, message):
        room.vote(seat, field_of(message, "about"), field_of(message, "choice"))

    def leave(room, seat, message):
        room.leave(seat)
        return {}

    endpoints = {"join": join, "look": lambda *_: None, "guess": guess, "vote": vote, "leave": leave}
    return [
        Route("/room/{code}", join_page),
        *(Route(f"/room/{{code}}/{name}", endpoint(act), methods=["POST"]) for name, act in endpoints.items()),
    ]


async def read_body(request: Request) -> object:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES:
            raise ValueError(words.TOO_BIG)
    try:
        return json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise ValueError(words.NOT_READ) from None
