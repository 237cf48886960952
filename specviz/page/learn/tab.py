"""The tab Learn: chapters, each one idea, drawn in the page from recorded runs.

The page asks for the runs' excerpts when the tab is first opened (Gradio mounts it then). What comes back from the page is a
chapter's number, nothing else: what a chapter sets in Watch is looked up here, and read as strictly as a link.
"""

import logging
from collections.abc import Callable, Sequence
from time import monotonic

import gradio as gr
from starlette.concurrency import run_in_threadpool

from ...picture.replay import json_text
from ...picture.sheets import ELSEWHERE, LEARN, as_global, sheets
from ...words import learn as learn_words
from ...words import page as words
from .. import look
from ..classroom.messages import drafting_functions, poll_functions, room_functions
from ..classroom.rooms import OPEN, Question
from ..component import QUICK, answer
from ..engine import Engine
from ..guard.shares import once, visitor_address
from ..queue import TIMED, QueueFull, RunQueue
from ..settings import Link, default_values, lesson_models, read_link, tab_of_address
from ..status import status_text
from ..watch.controls import Controls, updates
from ..watch.run import queue_full_message
from .chapter import Chapter, weight_bytes
from .chapters import CHAPTERS
from .lesson import excerpts, for_browser
from .pack import pack, sheet

log = logging.getLogger("specviz")
run_excerpts = once(lambda: excerpts())  # of the recorded runs, for all who ask below
MOUNT = """specviz.learn({
  element, props, server, watch, measure: () => trigger("measure", {}), tryIt: (chapter) => trigger("try_it", { chapter }),
})"""


class Lesson(gr.HTML):
    """A chapter of Learn in any Gradio app, drawn from recorded runs; an event may give it another one.

    with gr.Blocks() as demo:
        specviz.Lesson(4)

    `chapter`: its number, from 1; ValueError for one that there is not. A page has one. `alone`: it brings its stylesheets and its script;
    else it is the tab with all chapters, and the value is what was measured, or None. `serves`: what only the tab asks."""

    def __init__(self, chapter: int | None = 1, serves: Sequence[Callable] = (), alone: bool = True, **props):
        self.is_alone = alone
        super().__init__(
            chapter,
            html_template='<section class="lrn"></section>',
            js_on_load=MOUNT,
            apply_default_css=False,
            elem_id="learn",
            server_functions=[
                answer("everything", learn_bundle),
                answer("recorded_rounds", once(lambda: json_text(run_excerpts()))),
                *serves,
            ],
            head=look.head(ELSEWHERE) if alone else None,
            opening=learn_words.PAGE["loading"],
            lost=learn_words.PAGE["lost"],
            alone=alone,
            **props,
        )

    def postprocess(self, value: int | str | None) -> str | None:
        if self.is_alone and value not in range(1, len(CHAPTERS) + 1):
            raise ValueError(f"chapter {value!r}: there are 1 to {len(CHAPTERS)}")
        return super().postprocess(str(value) if self.is_alone else value)


def learn(page: gr.Blocks, engine: Engine, tabs: gr.Tabs, queue: RunQueue, controls: Controls, status: gr.HTML) -> None:
    """`status` is told what a chapter has set."""
    measures = hasattr(engine, "block_times")

    async def measure_passes(request: gr.Request):
        """Passes are timed in a turn, as runs are."""
        try:
            run = queue.join(request.session_hash, visitor_address(request), "passes")
        except QueueFull as error:
            return _failure(queue_full_message(error))
        with run:
            async for _ in run.wait():
                pass
            return await run_in_threadpool(_measure_json, engine) if run.begun else gr.skip()

    def report_refusal():
        """The guard, or gradio, refused what was sent: no event began."""
        return _failure(words.RUN_NOT_TAKEN)

    def try_it(event: gr.EventData):
        chapter = _chapter(event._data)
        if chapter is None:
            return [gr.skip()] * (2 + len(controls.inputs))
        n = CHAPTERS.index(chapter) + 1
        message = status_text("decode", message=words.CHAPTER_READ.format(n=n), learn=words.BACK_TO_CHAPTER.format(n=n))
        return [gr.Tabs(selected="watch"), message, *updates(chapter_link(chapter, engine).settings, controls)]

    box = Lesson(
        None,
        serves=[
            answer("teachers_pack", once(lambda: pack(run_excerpts()))),
            answer("students_sheet", once(lambda: sheet(run_excerpts()))),
            *(drafting_functions(engine, queue) if hasattr(engine, "score") else ()),
            *room_functions(engine, OPEN),
            *poll_functions(OPEN, poll_questions().get),
        ],
        alone=False,
        measures=measures,
    )
    with gr.Accordion(learn_words.SERVER_TITLE, open=False, elem_id="server", elem_classes="sv-more"):
        gr.Markdown(learn_words.SERVER)
    if measures:
        box.measure(measure_passes, None, box, **TIMED).failure(report_refusal, None, box, **QUICK)
    box.try_it(try_it, None, [tabs, status, *controls.inputs], **QUICK)
    numbers, bound = {str(n) for n, _ in enumerate(CHAPTERS, 1)}, words.LINK_CHAPTER.format(most=len(CHAPTERS))
    page.load(tab_of_address("learn", "chapter", numbers, bound), None, [tabs, status], **QUICK)


def poll_questions() -> dict[str, Question]:
    """The chapters' questions as phones are asked them. Of a number that is measured the choices are powers of two."""
    questions = {}
    for chapter in CHAPTERS:
        question = chapter.question
        if not isinstance(question, Question):
            powers = tuple(f"{2**n} ×" for n in range(question.tokens.bit_length()))
            question = Question(question.ask, powers, None, question.why)
        questions[chapter.key] = question
    return questions


@once
def learn_bundle() -> str:
    """What the tab needs in the browser, when it is first opened: one script, one stylesheet, the lesson."""
    script = as_global("specvizLearn", "learn/tab.js", after=("page.js",))
    return json_text({"script": script, "style": sheets(*LEARN), "lesson": for_browser()})


def _chapter(data: object) -> Chapter | None:
    """The chapter whose number the page sent; None for anything else."""
    number = data.get("chapter") if isinstance(data, dict) else None
    return CHAPTERS[number - 1] if type(number) is int and 1 <= number <= len(CHAPTERS) else None


def chapter_link(chapter: Chapter, engine: Engine) -> Link:
    """What `Try it in Watch` sets: what the chapter asks for, and for all else the page's defaults."""
    return read_link({**default_values(engine, lesson_models(engine)), **chapter.settings}, engine)


def _measure_json(engine: Engine) -> str:
    """What passes over blocks take on this machine, as the page reads it, or what went wrong."""
    try:
        blocks = engine.block_times()
    except Exception as error:
        log.exception("blocks could not be measured")
        return _failure(learn_words.MEASURE_FAILED.format(error=f"{type(error).__name__}: {error}"))
    if blocks.disturbed:
        return _failure(learn_words.MEASURE_BUSY)
    values = {name: getattr(blocks, name) for name in ("target", "device", "threads", "context", "parameters")}
    size = blocks.size or weight_bytes(blocks.parameters, blocks.dtype)
    return json_text({**values, "bytes": size, "ms": {str(n): ms for n, ms in blocks.ms.items()}})


def _failure(sentence: str) -> str:
    """Each time another value: a page that is given the same again notices nothing."""
    return json_text({"error": sentence, "at": monotonic()})
