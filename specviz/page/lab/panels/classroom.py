"""The panel in which a class is the draft: at one keyboard, two by turns, or a room of phones (specviz/page/classroom/)."""

from ....words import classroom as words
from ....words import page as page_words
from ...classroom.messages import BOUNDS, panel_functions
from ...classroom.rooms import OPEN
from ...learn.chapter import Exercise
from ..panel import Panel

PANEL = Panel(
    key="classroom",
    formerly="people",
    short=words.SHORT,
    title=words.TITLE,
    answers=words.ANSWERS,
    exercise=Exercise(words.TASK, words.KEY),
    words={**words.ROOM, **words.PANEL, "first": page_words.EXAMPLES[0], **BOUNDS},
    serves=lambda context: panel_functions(context.engine, context.queue, OPEN),
)
