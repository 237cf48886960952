"""A student's sheet for the lesson: two pages with figures to fill in, and a line for a name. The keys are in the pack.

Path("sheet.html").write_text(sheet(excerpts()), "utf-8")      # specviz print --sheet --out sheet.html
"""

from collections.abc import Callable
from html import escape

from ...picture.glossary import TERMS
from . import figures
from .chapter import Chapter, Estimate
from .chapters import CHAPTERS
from .path import stops
from .printed import facts, file, html_list, lines, paragraphs
from .words import SHEET

FIGURES: dict[str, Callable[[], str]] = {
    "alone": figures.passes,
    "verify": figures.block,
    "accept": figures.line_of_u,
    "residual": figures.overlap,
}
TASKS = {"accept": (0,), "residual": (0, 1), "speed": (0,)}
"""Which tasks of a chapter's exercise stand here; the work sheets of the pack have all."""
SYMBOLS = ("p", "q", "K", "u", "beta", "alpha", "c", "v")


def sheet(excerpts: dict) -> str:
    head = (
        f'<header class="name"><h1>{escape(SHEET["title"])}</h1>'
        f"<p>{escape(SHEET['name'])} <span></span> {escape(SHEET['date'])} <span></span></p></header>"
    )
    shown = [_room() if stop.chapter is None else _stop(stop.chapter, excerpts) for stop in stops()]
    return file(SHEET["title"], [f'<div class="sheet">{head}{"".join(shown)}{_symbols()}</div>'])


def _stop(n: int, excerpts: dict) -> str:
    chapter = CHAPTERS[n - 1]
    named = facts(excerpts, chapter)
    figure = FIGURES[chapter.key]() if chapter.key in FIGURES else ""
    said = paragraphs((SHEET[chapter.key],)) if chapter.key in SHEET else ""
    room = lines(1 if chapter.key == "accept" else 2)
    tasks = "".join(f"<li>{escape(chapter.exercise.task[i])}{room}</li>" for i in TASKS.get(chapter.key, ()))
    body = _question(chapter, named) + said + figure + (f"<ol>{tasks}</ol>" if tasks else "")
    if chapter.key == "busy":
        body += paragraphs((SHEET["reasons"],)) + lines(3)
    return f'<article class="stop" id="stop-{chapter.key}"><h2>{n} · {escape(chapter.title)}</h2>{body}</article>'


def _question(chapter: Chapter, named: dict[str, str]) -> str:
    asked = chapter.question
    if isinstance(asked, Estimate):
        return f"{paragraphs((asked.ask.format(**named),))}<p>{escape(SHEET['guess'])} <span></span></p>"
    return f"{paragraphs((asked.ask,))}{html_list(asked.choices, 'choices row')}"


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
