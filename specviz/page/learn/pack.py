"""The teacher's pack: one HTML file to print or to save as PDF. For the class: the glossary on the first sheet, a work sheet a chapter.
For the teacher: a plan of 50 minutes, then notes, answers and keys, and which engine runs which rule.

    Path("pack.html").write_text(pack(excerpts()), "utf-8")      # specviz print --out pack.html

And a student's sheet for the lesson: two pages with figures to fill in, and a line for a name. Its keys are in the pack.

    Path("sheet.html").write_text(sheet(excerpts()), "utf-8")      # specviz print --sheet --out sheet.html
"""

from collections.abc import Callable
from html import escape

from ...picture.claims import ENGINES
from ...picture.glossary import TERMS
from . import figures
from .chapter import SOURCES, Chapter, Estimate
from .chapters import CHAPTERS
from .lesson import homework, stops
from .printed import facts, file, html_list, lines, paragraphs, table
from .words import PRINTED, SHEET

FIGURES: dict[str, Callable[[], str]] = {
    "alone": figures.passes,
    "verify": figures.block,
    "accept": figures.line_of_u,
    "residual": figures.overlap,
}
TASKS = {"accept": (0,), "residual": (0, 1), "speed": (0,)}
"""Which tasks of a chapter's exercise stand here; the work sheets of the pack have all."""
SYMBOLS = ("p", "q", "K", "u", "beta", "alpha", "c", "v")


def pack(excerpts: dict) -> str:
    """`excerpts`: of the recorded runs, from which the names and numbers in the chapters' sentences come."""
    parts = [
        f"<header><h1>{escape(PRINTED['title'])}</h1>{paragraphs((PRINTED['for_whom'],))}</header>",
        _glossary(),
        *(_work_sheet(n, chapter, excerpts) for n, chapter in enumerate(CHAPTERS, 1)),
        _plan(),
        *(_notes(n, chapter) for n, chapter in enumerate(CHAPTERS, 1)),
        _engines(),
    ]
    return file(PRINTED["title"], parts)


def _glossary() -> str:
    rows = "".join(f"<dt>{escape(one.name)}</dt><dd>{escape(one.says)}</dd>" for one in TERMS.values() if one.printed)
    return f'<section class="first"><h2>{escape(PRINTED["definitions"])}</h2><dl>{rows}</dl></section>'


def _work_sheet(n: int, chapter: Chapter, excerpts: dict) -> str:
    """What a student gets: the text, the question, the tasks with room to write, what they should be able to do. No answer."""
    exercise, names = chapter.exercise, facts(excerpts, chapter)
    question = chapter.question
    text = paragraphs(sentence.format(**names) for sentence in (*chapter.text, *chapter.more))
    choices = html_list(question.choices, "choices") if not isinstance(question, Estimate) else lines(1)
    prediction = f"<h3>{escape(PRINTED['predict'])}</h3>{paragraphs((question.ask,))}{choices}"
    tasks = "".join(f"<li>{escape(task)}{lines(3)}</li>" for task in exercise.task)
    sources = " · ".join(SOURCES[name].format(**names) for name in chapter.sources)
    return (
        f"<section><h2>{n} · {escape(chapter.title)}</h2>{text}{prediction}<h3>{escape(PRINTED['exercise'])}</h3><ol>{tasks}</ol>"
        f"<h3>{escape(PRINTED['able'])}</h3>{html_list(exercise.able, 'able')}<footer>{escape(PRINTED['sources'])}: {escape(sources)}</footer></section>"
    )


def _plan() -> str:
    rows = [(f"{stop.begin}–{stop.end}", str(stop.chapter or PRINTED["room"]), stop.what) for stop in stops()]
    plan = table((PRINTED["minutes"], PRINTED["chapter"], PRINTED["what"]), rows)
    left = PRINTED["homework"].format(chapters=", ".join(map(str, homework())))
    title = PRINTED["plan"].format(minutes=stops()[-1].end)
    return f'<section class="teacher"><h2>{escape(title)}</h2>{plan}{paragraphs((left, PRINTED["sheet"]))}</section>'


def _notes(n: int, chapter: Chapter) -> str:
    """What the teacher gets beside it."""
    exercise, question = chapter.exercise, chapter.question
    right = "" if isinstance(question, Estimate) else f"{question.choices[question.right]}. "
    return (
        f'<article class="teacher"><h2>{n} · {escape(chapter.title)}</h2><h3>{escape(PRINTED["notes"])}</h3>{html_list(chapter.notes)}'
        f"<h3>{escape(PRINTED['answer'])}</h3>{paragraphs((right + question.why,))}"
        f"<h3>{escape(PRINTED['key'])}</h3><ol>{''.join(f'<li>{escape(key)}</li>' for key in exercise.key)}</ol></article>"
    )


def _engines() -> str:
    heads = (PRINTED["engine"], PRINTED["known"], PRINTED["default"], PRINTED["inexact"])
    rows = [(one.name, f"{one.known}; {one.source}", one.default, one.inexact or "–") for one in ENGINES]
    return f'<article class="teacher"><h2>{escape(PRINTED["engines"])}</h2>{table(heads, rows, "small")}</article>'


def sheet(excerpts: dict) -> str:
    head = (
        f'<header class="name"><h1>{escape(SHEET["title"])}</h1>'
        f"<p>{escape(SHEET['name'])} <span></span> {escape(SHEET['date'])} <span></span></p></header>"
    )
    stops_html = [_room() if stop.chapter is None else _stop(stop.chapter, excerpts) for stop in stops()]
    return file(SHEET["title"], [f'<div class="sheet">{head}{"".join(stops_html)}{_symbols()}</div>'])


def _stop(n: int, excerpts: dict) -> str:
    chapter = CHAPTERS[n - 1]
    names = facts(excerpts, chapter)
    figure = FIGURES[chapter.key]() if chapter.key in FIGURES else ""
    sentence = paragraphs((SHEET[chapter.key],)) if chapter.key in SHEET else ""
    room = lines(1 if chapter.key == "accept" else 2)
    tasks = "".join(f"<li>{escape(chapter.exercise.task[i])}{room}</li>" for i in TASKS.get(chapter.key, ()))
    body = _question(chapter, names) + sentence + figure + (f"<ol>{tasks}</ol>" if tasks else "")
    if chapter.key == "busy":
        body += paragraphs((SHEET["reasons"],)) + lines(3)
    return f'<article class="stop" id="stop-{chapter.key}"><h2>{n} · {escape(chapter.title)}</h2>{body}</article>'


def _question(chapter: Chapter, names: dict[str, str]) -> str:
    question = chapter.question
    if isinstance(question, Estimate):
        return f"{paragraphs((question.ask.format(**names),))}<p>{escape(SHEET['guess'])} <span></span></p>"
    return f"{paragraphs((question.ask,))}{html_list(question.choices, 'choices row')}"


def _room() -> str:
    heads = "".join(f"<th>{escape(SHEET[f'room_{i}'])}</th>" for i in (1, 2, 3))
    rows = "<tr><td></td><td></td><td></td></tr>" * 3
    return (
        f'<article class="stop"><h2>{escape(SHEET["room"])}</h2>{paragraphs((SHEET["room_is"],))}'
        f'<table class="empty"><tr>{heads}</tr>{rows}</table></article>'
    )


def _symbols() -> str:
    rows = "".join(f"<dt>{escape(TERMS[key].name)}</dt><dd>{escape(TERMS[key].says)}</dd>" for key in SYMBOLS)
    return f'<article class="stop symbols"><h2>{escape(SHEET["symbols"])}</h2><dl>{rows}</dl></article>'
