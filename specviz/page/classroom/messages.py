"""What browsers ask where people draft, and what they are told: one who types, a teacher whose key opens a room, the phones that join it.

What they send may be anything, so each value is read as strictly as a link; what is refused is said in one line. Ids of a text travel back
and forth, since a text that is cut anew may be cut otherwise. Phones never load gradio's page: theirs is light, and puts five questions.
Its link carries the room's code and nothing else; a seat's key stays in the phone's tab. No address, no cookie, nothing on a disk.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from ...acceptance import accepts
from ...config import DecodeConfig
from ...drafters import DRAFTERS
from ...picture import palette
from ...picture.replay import ICON, document, json_text
from ...picture.sheets import JOIN, PLAY, as_global, bundle, csp_hash, sheets, style, without_unused
from ...trace.events import Drafted, Emitted, Round, Token
from ...words import classroom as words
from ..component import answer
from ..engine import ClassroomRound, Engine
from ..guard.shares import once
from ..queue import RunQueue
from ..watch.run import error_message
from .rooms import OPEN, Poll, Question, Room, RoomError, Rooms

PROMPT_CHARACTERS, GUESS_CHARACTERS = 2000, 80  # characters
GUESS_TOKENS = 16  # tokens of a guess: below the bound of K
BOUNDS = {"most": GUESS_TOKENS, "prompt_most": PROMPT_CHARACTERS, "words_most": GUESS_CHARACTERS}  # as the panel names them
LISTED_TOKENS = 6  # entries of p and q that are shown at a place


def json_answer(act: Callable) -> Callable:
    """What a script asks for by the name of `act`, a function or a coroutine that gets what it sent (nothing of what is no dict)
    and gives a dict or None: the answer as JSON, `{"error": …}` where it is refused."""

    @wraps(act)
    def answer(message: object) -> str:
        with error_answers() as reply:
            reply.update(act(fields_of(message)) or {})
        return json_text(json_value(reply))

    @wraps(act)
    async def answer_later(message: object) -> str:
        with error_answers() as reply:
            reply.update(await act(fields_of(message)) or {})
        return json_text(json_value(reply))

    return answer_later if iscoroutinefunction(act) else answer


@contextmanager
def error_answers() -> Iterator[dict]:
    """An answer to fill; what is refused meanwhile stands in it."""
    reply: dict = {}
    try:
        yield reply
    except RoomError as error:
        reply.update(error=str(error), gone=error.is_over, seat=error.seat)
    except ValueError as error:  # of the engine, or of what was sent: one line for the visitor
        reply.update(error=error_message(error))


def scorer(engine: Engine):
    if not hasattr(engine, "score"):
        raise ValueError(words.NO_PEOPLE)
    return engine


# What a browser sent ------------------------------------------------------------------------------------------------


def fields_of(message: object) -> dict:
    return message if isinstance(message, dict) else {}


def text_of(message: dict, name: str, most: int) -> str:
    text = message.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(words.EMPTY[name])
    if (characters := len(text.removeprefix(" "))) > most:  # a phone's field puts a space before what is typed
        raise ValueError(words.TOO_LONG[name].format(characters=characters, most=most))
    return text


def prompt_of(message: dict, engine: Engine) -> tuple[str, list[Token]]:
    """The beginning of a text, and its tokens."""
    prompt = text_of(message, "prompt", PROMPT_CHARACTERS)
    return prompt, scorer(engine).cut(prompt)


def words_of(message: dict, engine: Engine) -> list[Token]:
    """The tokens of words that go further after a text."""
    return scorer(engine).cut(text_of(message, "words", GUESS_CHARACTERS), True)


def guess_of(message: dict, engine: Engine) -> list[Token]:
    """The tokens of a guess. Raises ValueError for one that is no block."""
    guess = words_of(message, engine)
    if not guess:
        raise ValueError(words.EMPTY["words"])
    if len(guess) > GUESS_TOKENS:
        raise ValueError(words.TOO_MANY_TOKENS.format(tokens=len(guess), most=GUESS_TOKENS))
    return guess


def ids_of(message: dict) -> list[int]:
    """The text so far. An id that no model has is refused by it; a text that is too long too."""
    ids = message.get("text")
    if not isinstance(ids, list) or not ids or len(ids) > 100_000 or not all(type(id) is int and 0 <= id < 2**31 for id in ids):
        raise ValueError(words.NO_TEXT)
    return ids


def config_of(message: dict) -> DecodeConfig:
    temperature, seed = (message.get(name) for name in ("temperature", "seed"))
    return DecodeConfig(temperature=temperature, seed=seed)


# What it is told ----------------------------------------------------------------------------------------------------


def round_json(result: ClassroomRound, config: DecodeConfig) -> dict:
    """A round as the panel and phones draw it."""
    others = [
        {"key": key, "name": DRAFTERS[key].label if key in DRAFTERS else key, **counts_json(counts)}
        for key, counts in result.others.items()
    ]
    drafted = [_drafted_json(each) for each in result.round.drafted]
    emitted = [_emitted_json(each, result.round) for each in result.round.emitted]
    same = {"others": others, "ended": result.ended, "greedy": config.temperature == 0}
    return {"drafted": drafted, "emitted": emitted, "people": counts_json(result.people), **same}


def guess_json(guess: Sequence[Token], round: Round) -> list[dict]:
    """What became of one guess of a room, token by token as far as the target scored what stands before: up to the first that was not
    drafted or is not accepted. `passes`: whether it is accepted, by the u of its place; None where its p is too small to be kept."""
    tokens: list[dict] = []
    for token, drafted in zip(guess, round.drafted, strict=False):
        if drafted.position is None or drafted.verdict == "unexamined":
            break
        is_drafted, u = token.id == drafted.token.id, drafted.u
        p, q = next(((one.p, one.q or 0.0) for one in drafted.position.entries if one.token.id == token.id), (None, None))
        passes = None if p is None else p > 0.5 if u is None else accepts(u, p, q)
        if is_drafted:
            passes = drafted.verdict == "accepted"
        tokens.append({"token": token, "p": p, "q": q, "u": u, "passes": passes, "drafted": is_drafted})
        if not (is_drafted and passes):
            break
    return tokens


def counts_json(counts) -> dict:
    return {name: getattr(counts, name) for name in ("drafted", "tested", "accepted", "beta")}


def _drafted_json(drafted: Drafted) -> dict:
    position, chances = drafted.position, None
    if position is not None:
        ranked = sorted(position.entries, key=lambda entry: (entry.token.id != drafted.token.id, -max(entry.p, entry.q or 0.0)))
        largest = sorted(ranked[:LISTED_TOKENS], key=lambda entry: (-(entry.q or 0.0), -entry.p))
        entries = [{"token": entry.token, "p": entry.p, "q": entry.q or 0.0} for entry in largest]
        rest = {name: max(0.0, 1.0 - sum(entry[name] for entry in entries)) for name in ("p", "q")}
        chances = {"entries": entries, "rest": rest, "beta": position.beta}
    same = {name: getattr(drafted, name) for name in ("token", "q", "p", "u", "verdict")}
    return {**same, "place": chances}


def _emitted_json(emitted: Emitted, round: Round) -> dict:
    """With the chance that the token had where it was drawn: of a correction by what is left of p, of a bonus by p."""
    chance = None
    if emitted.role == "corrected" and round.residual:
        chance = next((entry.probability for entry in round.residual.entries if entry.token.id == emitted.token.id), None)
    elif emitted.position:
        chance = next((entry.p for entry in emitted.position.entries if entry.token.id == emitted.token.id), None)
    return {"token": emitted.token, "role": emitted.role, "chance": chance}


def json_value(value):
    """Tokens as JSON has them."""
    if isinstance(value, Token):
        return {"id": value.id, "text": value.text, "partial": value.partial}
    if isinstance(value, dict):
        return {key: json_value(each) for key, each in value.items()}
    return [json_value(each) for each in value] if isinstance(value, list | tuple) else value


# One person drafts: the panel of the Lab, and the game of the story and of the chapter Guess (assets/play/) ------------


def drafting_functions(engine: Engine, queue: RunQueue) -> list[Callable]:
    """What a browser asks while one person drafts."""

    @json_answer
    def begin(message):
        return {"tokens": prompt_of(message, engine)[1]}

    @json_answer
    def pieces(message):
        return {"tokens": words_of(message, engine)}

    @json_answer
    async def score(message):
        guess, text = [token.id for token in guess_of(message, engine)], ids_of(message)
        config, keys = config_of(message), message.get("others")  # of the drafters that draft beside people; else all of them
        others = [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else None
        return round_json(await queue.at_once(lambda: scorer(engine).score(text, [guess], config, others)), config)

    return [begin, pieces, score]


def game_functions(engine: Engine, queue: RunQueue) -> list[Callable]:
    """The same and the game itself; nothing where the engine cannot score what people say."""
    return [answer("game", script), *drafting_functions(engine, queue)] if hasattr(engine, "score") else []


@once
def script() -> str:
    code = as_global("specvizPlay", "play/game.js", after=("page.js",))
    return json_text({"script": code, "style": sheets(*PLAY), "words": words.GAME})


# A teacher's room ------------------------------------------------------------------------------------------------------


def room_functions(engine: Engine, rooms: Rooms) -> list[Callable]:
    """What the panel of the Lab and the tab Learn both ask."""

    @json_answer
    def room_open(message):
        prompt, tokens = prompt_of(message, engine)
        if isinstance(message.get("code"), str):  # one room for the whole lesson: those who are in stay
            room = own_room(rooms, message)
            room.begin(prompt, tokens)
        else:
            room = rooms.begin(prompt, tokens)
        return {"code": room.code, "key": room.key, "tokens": tokens, "left": room.seconds_left, "lan": rooms.lan()}

    @json_answer
    def room_look(message):
        shown = message.get("shown")  # rounds that the page shows already
        return own_room(rooms, message).teacher_view(shown if type(shown) is int and shown > 0 else 0)

    @json_answer
    def room_answers(message):
        return {"rows": own_room(rooms, message).answers()}

    @json_answer
    def room_close(message):
        rooms.close(own_room(rooms, message))

    @json_answer
    def room_remove(message):
        own_room(rooms, message).remove(message.get("id"))

    @json_answer
    def room_picture(message):
        return {"picture": qr_picture(text_of(message, "link", 200))}

    return [room_open, room_look, room_answers, room_close, room_remove, room_picture]


def poll_functions(rooms: Rooms, question_about: Callable[[str], Question | None]) -> list[Callable]:
    """A question goes to the phones, then its answer. `question_about`: the question about what the page names, a chapter or a rule."""

    @json_answer
    def room_ask(message):
        about = message.get("about")
        question = question_about(about) if isinstance(about, str) else None
        own_room(rooms, message).ask(Poll(about, question.ask, question.choices) if question else None)

    @json_answer
    def room_reveal(message):
        room, question = own_room(rooms, message), question_about(str(message.get("about")))
        measured_choice = message.get("right")
        right = question.right if question and question.right is not None else measured_choice
        if question and type(right) is int:
            times = message.get("times")  # where the page measured it, or shows what was recorded
            is_ratio = isinstance(times, int | float) and 0 < times < 1000
            words_of_it = words.MEASURED["recorded" if message.get("recorded") else "here"]
            room.reveal(right, f"{words_of_it.format(times=f'{times:.2f}')} {question.why}" if is_ratio else question.why)

    return [room_ask, room_reveal]


def panel_functions(engine: Engine, queue: RunQueue, rooms: Rooms) -> list[Callable]:
    """What the panel of the Lab asks: one person drafts, or a room, whose guesses are verified."""

    @json_answer
    async def room_play(message):
        async def play(text, guesses):
            config, guessed = config_of(message), [[t.id for t in guess] for guess in guesses]
            result = await queue.at_once(lambda: scorer(engine).score([t.id for t in text], guessed, config))
            emitted = [each.token for each in result.round.emitted]
            return round_json(result, config), emitted, result.ended, lambda guess: guess_json(guess, result.round)

        return await own_room(rooms, message).play(play)

    return [*drafting_functions(engine, queue), room_play, *room_functions(engine, rooms), *poll_functions(rooms, {}.get)]


def own_room(rooms: Rooms, message: dict) -> Room:
    return rooms.for_teacher(message.get("code"), message.get("key"))


def qr_picture(link: str) -> str | None:
    """A QR code of a room's link as the address of a picture, or None where what draws it is not installed."""
    if not link.startswith(("http://", "https://")):
        raise ValueError(words.NO_LINK)
    try:
        import segno
    except ImportError:
        return None
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=8, border=3, dark="#000", light="#fff")


# Phones ----------------------------------------------------------------------------------------------------------------

BODY_BYTES = 2048  # bytes of a question

POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


@once
def phone_page() -> str:
    """The same for every room: which one it is stands in its address."""
    options = json_text({"words": words.PHONE, "most": GUESS_CHARACTERS, "roles": palette.for_browser()})
    script = f"\n{bundle('join/join.js', alone=True)}.join({options});\n"
    rules = without_unused(style(*JOIN), script)
    policy = POLICY.format(style=csp_hash(rules), script=csp_hash(script))
    return document(words.PHONE["door"], policy, f'<main id="room"></main>\n<script>{script}</script>', rules, ICON)


def routes(engine: Engine, rooms: Rooms = OPEN) -> list[Route]:
    """For the app; every answer is JSON, `{"error": …}` where something is refused."""

    async def join_page(request: Request):
        return HTMLResponse(phone_page(), headers={"Cache-Control": "no-cache"})

    def endpoint(act: Callable[[Room, str, dict], dict | None]):
        """`act` is given the room, the seat and what was sent; where it tells nothing of its own, the phone is told what it shows."""

        async def answer(request: Request):
            with error_answers() as reply:
                message = fields_of(await read_body(request))
                seat = key if isinstance(key := message.get("seat"), str) else ""
                room = rooms.find(request.path_params["code"], seat)
                own = act(room, seat, message)
                reply.update(room.phone_view(seat) if own is None else own)
            return JSONResponse(json_value(reply))

        return answer

    def join(room, seat, message):
        seat = room.join(message.get("name"), seat)
        return {"seat": seat, **room.phone_view(seat)}

    def guess(room, seat, message):
        room.guess(seat, message.get("round"), guess_of(message, engine))

    def vote(room, seat, message):
        room.vote(seat, message.get("about"), message.get("choice"))

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
