"""What the panel and the phones of a classroom send and are told.

What comes from a browser may be anything, so each value is read as strictly as a link; what is refused is said in one line. Ids of a
text travel back and forth, since a text that is cut anew may be cut otherwise.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction

from ...acceptance import accepts
from ...config import DecodeConfig
from ...picture.replay import json_text
from ...trace.events import Drafted, Emitted, Round, Token
from .. import words as page_words
from ..engine import ClassroomRound, Engine
from ..watch.run import error_message
from . import words
from .rooms import RoomError

PROMPT_CHARACTERS, GUESS_CHARACTERS = 2000, 80  # characters
GUESS_TOKENS = 16  # tokens of a guess: below the bound of K
BOUNDS = {"most": GUESS_TOKENS, "prompt_most": PROMPT_CHARACTERS, "words_most": GUESS_CHARACTERS}  # as the panel names them
LISTED_TOKENS = 6  # entries of p and q that are shown at a place


def json_answer(act: Callable) -> Callable:
    """What a script asks for by the name of `act`, a function or a coroutine that gets what it sent and gives a dict or None: the answer as
    JSON, `{"error": …}` where it is refused."""

    @wraps(act)
    def answer(message: object) -> str:
        with error_answers() as reply:
            reply.update(act(message) or {})
        return json_text(json_value(reply))

    @wraps(act)
    async def answer_later(message: object) -> str:
        with error_answers() as reply:
            reply.update(await act(message) or {})
        return json_text(json_value(reply))

    return answer_later if iscoroutinefunction(act) else answer


@contextmanager
def error_answers() -> Iterator[dict]:
    """An answer to fill; what is refused meanwhile stands in it."""
    reply: dict = {}
    try:
        yield reply
    except RoomError as error:
        reply.update(error=str(error), gone=error.is_over)
    except ValueError as error:  # of the engine, or of what was sent: one line for the visitor
        reply.update(error=error_message(error))


def scorer(engine: Engine):
    if not hasattr(engine, "score"):
        raise ValueError(words.NO_PEOPLE)
    return engine


# What a browser sent ------------------------------------------------------------------------------------------------


def field_of(message: object, name: str) -> object:
    return message.get(name) if isinstance(message, dict) else None


def text_of(message: object, name: str, most: int) -> str:
    text = field_of(message, name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(words.EMPTY[name])
    if len(text) > most:
        raise ValueError(words.TOO_LONG[name].format(characters=len(text), most=most))
    return text


def prompt_of(message: object, engine: Engine) -> tuple[str, list[Token]]:
    """The beginning of a text, and its tokens."""
    prompt = text_of(message, "prompt", PROMPT_CHARACTERS)
    return prompt, scorer(engine).cut(prompt)


def words_of(message: object, engine: Engine) -> list[Token]:
    """The tokens of words that go further after a text."""
    return scorer(engine).cut(text_of(message, "words", GUESS_CHARACTERS), True)


def guess_of(message: object, engine: Engine) -> list[Token]:
    """The tokens of a guess. Raises ValueError for one that is no block."""
    guess = words_of(message, engine)
    if not guess:
        raise ValueError(words.NOTHING_GUESSED)
    if len(guess) > GUESS_TOKENS:
        raise ValueError(words.TOO_MANY_TOKENS.format(tokens=len(guess), most=GUESS_TOKENS))
    return guess


def ids_of(message: object) -> list[int]:
    """The text so far. An id that no model has is refused by it; a text that is too long too."""
    ids = field_of(message, "text")
    if not isinstance(ids, list) or not ids or len(ids) > 100_000 or not all(type(id) is int and 0 <= id < 2**31 for id in ids):
        raise ValueError(words.NO_TEXT)
    return ids


def others_of(message: object) -> list[str] | None:
    """The drafters that are to draft beside people, by their keys; None: all of them."""
    keys = field_of(message, "others")
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else None


def config_of(message: object) -> DecodeConfig:
    temperature, seed = (field_of(message, name) for name in ("temperature", "seed"))
    return DecodeConfig(temperature=temperature, seed=seed)


def known_rounds(message: object) -> int:
    """How many rounds of its room a page shows already; none where it does not say so."""
    count = field_of(message, "shown")
    return count if type(count) is int and count > 0 else 0


# What it is told ----------------------------------------------------------------------------------------------------


def round_json(result: ClassroomRound, config: DecodeConfig) -> dict:
    """A round as the panel and phones draw it."""
    others = [
        {"key": key, "name": page_words.DRAFTERS.get(key, (key, ""))[0], **counts_json(counts)}
        for key, counts in result.others.items()
    ]
    drafted = [_drafted_json(each) for each in result.round.drafted]
    emitted = [_emitted_json(each, result.round) for each in result.round.emitted]
    same = {"others": others, "ended": result.ended, "greedy": config.temperature == 0}
    return {"drafted": drafted, "emitted": emitted, "people": counts_json(result.people), **same}


def guess_json(guess: Sequence[Token], round: Round) -> list[dict]:
    """What became of one guess of a room, token by token as far as the target scored what stands before: up to the first that was not drafted
    or is not accepted. `passes`: whether it is accepted, by the u of its place; None where its p is too small to be kept."""
    tokens: list[dict] = []
    for token, drafted in zip(guess, round.drafted, strict=False):
        if drafted.position is None or drafted.verdict == "unexamined":
            break
        is_drafted, u = token.id == drafted.token.id, drafted.u
        p, q = next(((one.p, one.q or 0.0) for one in drafted.position.entries if one.token.id == token.id), (None, None))
        if is_drafted:
            passes = drafted.verdict == "accepted"
        elif p is None:
            passes = None
        else:
            passes = p > 0.5 if u is None else accepts(u, p, q)
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
