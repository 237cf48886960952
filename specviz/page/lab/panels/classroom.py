"""The panel in which a class is the draft: at one keyboard, two by turns, or a room of phones (specviz/page/classroom/)."""

from collections.abc import Callable

from ... import words as page_words
from ...classroom import teacher, words
from ...classroom.messages import BOUNDS, config_of, guess_json, json_answer, round_json, scorer
from ...classroom.play import drafting_functions
from ...classroom.rooms import OPEN, Rooms
from ...engine import Engine
from ...exercise import Exercise
from ...queue import RunQueue
from ..panel import Panel, PanelContext


def serves(context: PanelContext) -> list[Callable]:
    return panel_functions(context.engine, context.queue, OPEN)


def panel_functions(engine: Engine, queue: RunQueue, rooms: Rooms) -> list[Callable]:

    @json_answer
    async def room_play(message):
        async def play(text, guesses):
            config, guessed = config_of(message), [[t.id for t in guess] for guess in guesses]
            result = await queue.at_once(lambda: scorer(engine).score([t.id for t in text], guessed, config))
            emitted = [each.token for each in result.round.emitted]
            return round_json(result, config), emitted, result.ended, lambda guess: guess_json(guess, result.round)

        return await teacher.own_room(rooms, message).play(play)

    return [
        *drafting_functions(engine, queue),
        room_play,
        *teacher.room_functions(engine, rooms),
        *teacher.poll_functions(rooms, {}.get),
    ]


PANEL = Panel(
    key="classroom",
    place=60,
    formerly="people",
    short=words.SHORT,
    title=words.TITLE,
    answers=words.ANSWERS,
    exercise=Exercise(words.TASK, words.KEY),
    words={**words.PANEL, "first": page_words.EXAMPLES[0], **BOUNDS},
    serves=serves,
)
