"""The tab Learn: chapters, each one idea, drawn in the page from recorded runs.

The page asks for the runs' excerpts when the tab is first opened (Gradio mounts it then). What comes back from the page is a
chapter's number, nothing else: what a chapter sets in Watch is looked up here, and read as strictly as a link.
"""

import logging
from time import monotonic

import gradio as gr

from ...picture.bundle import as_global
from ...picture.plain import json_text
from ...picture.sheets import LEARN, sheets
from .. import words
from ..classroom import teacher
from ..classroom.play import drafting
from ..classroom.rooms import OPEN
from ..component import QUICK, answer, component, tab_of_address
from ..engine import Engine
from ..keep.links import Link, read_link
from ..once import once
from ..settings import first, lesson_models
from ..status import status_text
from ..turns import QueueFull, Turns
from ..visits import Visits
from ..watch.controls import Controls, updates
from ..watch.run import SLOW, told_crowded
from . import words as learn_words
from .chapter import Chapter, Question
from .chapters import CHAPTERS
from .excerpts import weigh
from .lesson import excerpts, for_browser
from .pack import pack
from .sheet import sheet
from .study import QUESTIONS, UNSURE
from .study_sheets import study_sheets

log = logging.getLogger("specviz")
MOUNT = """specviz.learn({
  element, props, server, watch, measure: () => trigger("measure", {}), tryIt: (chapter) => trigger("try_it", { chapter }),
})"""


def learn(
    page: gr.Blocks,
    engine: Engine,
    tabs: gr.Tabs,
    turns: Turns,
    controls: Controls,
    status: gr.HTML,
) -> None:
    """`status` is told what a chapter has set."""
    found, visits = once(lambda: excerpts()), Visits(turns)
    texts = {
        "everything": sent,
        "recorded_rounds": lambda: json_text(found()),
        "teachers_pack": lambda: pack(found()),
        "students_sheet": lambda: sheet(found()),
        "sheets_of_the_study": study_sheets,
    }

    def begin(request: gr.Request):
        """Passes are timed in a turn, as runs are."""
        try:
            visits.join(request.session_hash)
        except QueueFull as crowded:
            return _failure(told_crowded(crowded))
        return gr.skip()

    def measure(request: gr.Request):
        with visits.turn(request.session_hash) as event:
            return _measure_json(engine) if event else gr.skip()

    def not_taken(request: gr.Request):
        """The guard refused what `begin` gave a place."""
        leave(request)
        return _failure(words.RUN_NOT_TAKEN)

    def leave(request: gr.Request):
        visits.leave(request.session_hash)

    def try_it(event: gr.EventData):
        chapter = _chapter(event._data)
        if chapter is None:
            return [gr.skip()] * (2 + len(controls.inputs))
        n = CHAPTERS.index(chapter) + 1
        told = status_text("decode", message=words.CHAPTER_READ.format(n=n), learn=words.BACK_TO_CHAPTER.format(n=n))
        return [gr.Tabs(selected="watch"), told, *updates(settings(chapter, engine).settings, controls)]

    box = component(
        "learn",
        MOUNT,
        '<section class="lrn"></section>',
        asks=[
            *(answer(name, once(text)) for name, text in texts.items()),
            *(drafting(engine) if hasattr(engine, "score") else ()),
            *teacher.served(engine, OPEN),
            *teacher.polls(OPEN, poll_questions().get),
            *teacher.study(OPEN, study_questions()),
        ],
        opening=learn_words.PAGE["loading"],
        lost=learn_words.PAGE["lost"],
        measures=hasattr(engine, "block_times"),
    )
    with gr.Accordion(learn_words.SERVER_TITLE, open=False, elem_id="server", elem_classes="sv-more"):
        gr.Markdown(learn_words.SERVER)
    if hasattr(engine, "block_times"):
        ran = box.measure(begin, None, box, **QUICK).then(measure, None, box, **SLOW)
        ran.failure(not_taken, None, box, **QUICK)
        page.unload(leave)
    box.try_it(try_it, None, [tabs, status, *controls.inputs], **QUICK)
    numbers = {str(n) for n, _ in enumerate(CHAPTERS, 1)}
    page.load(tab_of_address("learn", "chapter", numbers), None, tabs, **QUICK)


def poll_questions() -> dict[str, teacher.PollQuestion]:
    """The chapters' questions as phones are asked them. Of a number that is measured the choices are powers of two."""
    asked = {}
    for chapter in CHAPTERS:
        question = chapter.question
        if isinstance(question, Question):
            asked[chapter.key] = teacher.PollQuestion(question.ask, question.choices, question.right, question.why)
        else:
            powers = tuple(f"{2**n} ×" for n in range(question.tokens.bit_length()))
            asked[chapter.key] = teacher.PollQuestion(question.ask, powers, None, question.why)
    return asked


def study_questions() -> list[teacher.PollQuestion]:
    """The questions of the study, each with the answer of who does not know."""
    return [teacher.PollQuestion(one.ask, (*one.choices, UNSURE), one.right, one.why) for one in QUESTIONS]


@once
def sent() -> str:
    """What the tab needs in the browser, when it is first opened: one script, one stylesheet, the lesson."""
    script = as_global("specvizLearn", "learn/tab.js", after=("page.js",))
    return json_text({"script": script, "style": sheets(*LEARN), "lesson": for_browser()})


def _chapter(data: object) -> Chapter | None:
    """The chapter whose number the page sent; None for anything else."""
    number = data.get("chapter") if isinstance(data, dict) else None
    if type(number) is not int or not 1 <= number <= len(CHAPTERS):
        return None
    return CHAPTERS[number - 1]


def settings(chapter: Chapter, engine: Engine) -> Link:
    """What `Try it in Watch` sets: what the chapter asks for, and for all else the page's defaults."""
    return read_link({**first(engine, lesson_models(engine)), **chapter.settings}, engine)


def _measure_json(engine: Engine) -> str:
    """What passes over blocks take on this machine, as the page reads it, or what went wrong."""
    try:
        blocks = engine.block_times()
    except Exception as error:
        log.exception("blocks could not be measured")
        return _failure(learn_words.MEASURE_FAILED.format(error=f"{type(error).__name__}: {error}"))
    if blocks.disturbed:
        return _failure(learn_words.MEASURE_BUSY)
    ms = {str(n): ms for n, ms in blocks.ms.items()}
    where = {"target": blocks.target, "device": blocks.device, "threads": blocks.threads, "context": blocks.context}
    weights = {"parameters": blocks.parameters, "bytes": blocks.size or weigh(blocks.parameters, blocks.dtype)}
    return json_text({**where, **weights, "ms": ms})


def _failure(sentence: str) -> str:
    """Each time another value: a page that is given the same again notices nothing."""
    return json_text({"error": sentence, "at": monotonic()})
