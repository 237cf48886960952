"""The panel in which a class is the draft: at one keyboard, two by turns, or a room of phones (specviz/page/classroom/)."""

from collections.abc import Callable

from ... import words as page_words
from ...classroom import teacher, words
from ...classroom.asked import MOST, PROMPT, WORDS, config_of, json_answer, round_json, scorer
from ...classroom.play import drafting
from ...classroom.rooms import OPEN, Rooms
from ...engine import Engine
from ...exercise import Exercise
from ..panel import Panel, PanelContext


def serves(place: PanelContext) -> list[Callable]:
    return served(place.engine, OPEN)


def served(engine: Engine, rooms: Rooms) -> list[Callable]:
    """What the panel's script asks."""

    @json_answer
    def room_play(sent):
        def play(text, guesses):
            config = config_of(sent)
            played = scorer(engine).score([t.id for t in text], [[t.id for t in guess] for guess in guesses], config)
            return round_json(played, config), [each.token for each in played.round.emitted], played.ended

        return teacher.own(rooms, sent).play(play)

    return [*drafting(engine), room_play, *teacher.served(engine, rooms)]


PANEL = Panel(
    key="classroom",
    place=60,
    formerly="people",
    short=words.SHORT,
    title=words.TITLE,
    answers=words.ANSWERS,
    exercise=Exercise(words.TASK, words.KEY),
    words={**words.PANEL, "first": page_words.EXAMPLES[0], "most": MOST, "prompt_most": PROMPT, "words_most": WORDS},
    serves=serves,
)
