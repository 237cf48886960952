"""The page on which phones join a room, and what they ask: one light page, and six small questions that it puts. Plain routes beside gradio's, which phones never load.

routes(served_engine, rooms)      # for the app; every answer is JSON, `{"error": …}` where something is refused

A link carries the room's code and nothing else; a seat's key stays in the phone's tab. No address, no cookie, nothing on a disk.
"""

import json
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from ...picture import palette
from ...picture.bundle import bundle
from ...picture.document import ICON, document
from ...picture.plain import json_text
from ...picture.sheets import JOIN, allowed, lean, style
from ..engine import Engine
from ..once import once
from . import words
from .asked import WORDS, ClassroomError, check_guess, cut, plain, sent_in, text_of
from .rooms import OPEN, Room, RoomError, Rooms

MOST = 2048  # bytes of a question

POLICY = "default-src 'none'; style-src '{style}'; script-src '{script}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
PAGE = """<body>
<main id="room"></main>
<script>{script}</script>
</body>
</html>
"""


@once
def page() -> str:
    """The same for every room: which one it is stands in its address."""
    given = json_text({"words": words.PHONE, "most": WORDS, "roles": palette.for_browser()})
    script = f"\n{bundle('join/join.js', alone=True)}.join({given});\n"
    rules = lean(style(*JOIN), script)
    policy = POLICY.format(style=allowed(rules), script=allowed(script))
    return document(words.PHONE["title"], policy, rules, ICON) + PAGE.format(script=script)


def routes(engine: Engine, rooms: Rooms = OPEN) -> list[Route]:
    async def door(request: Request):
        return HTMLResponse(page(), headers={"Cache-Control": "no-cache"})

    def asked(act: Callable[[Room, str, object], dict | None]):
        """`act` is given the room, the seat and what was sent; where it tells nothing of its own, the phone is told what it shows."""

        async def answer(request: Request):
            try:
                sent = await read_body(request)
                seat = sent_in(sent, "seat")
                seat = seat if isinstance(seat, str) else ""
                room = rooms.find(request.path_params["code"], seat)
                told = act(room, seat, sent)
                return JSONResponse(plain(room.look(seat) if told is None else told))
            except RoomError as error:
                return JSONResponse({"error": str(error), "gone": error.gone, "seat": error.seat})
            except ValueError as error:
                return JSONResponse({"error": str(error)})

        return answer

    def join(room, seat, sent):
        seat = room.join(sent_in(sent, "name"), seat)
        return {"seat": seat, **room.look(seat)}

    def guess(room, seat, sent):
        room.guess(seat, sent_in(sent, "round"), check_guess(cut(engine, text_of(sent, "words", WORDS), further=True)))

    def vote(room, seat, sent):
        room.vote(seat, sent_in(sent, "about"), sent_in(sent, "choice"))

    def answer(room, seat, sent):
        room.answer(seat, sent_in(sent, "now"), sent_in(sent, "question"), sent_in(sent, "choice"))

    def leave(room, seat, sent):
        room.leave(seat)
        return {}

    put = {"join": join, "look": lambda *_: None, "guess": guess, "vote": vote, "answer": answer, "leave": leave}
    return [
        Route("/room/{code}", door),
        *(Route(f"/room/{{code}}/{name}", asked(act), methods=["POST"]) for name, act in put.items()),
    ]


async def read_body(request: Request) -> object:
    """The question, which is small."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST:
            raise ClassroomError(words.TOO_BIG)
    try:
        return json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise ClassroomError(words.NOT_READ) from None
