"""The teacher's pack: one HTML file to print or to save as PDF. For the class: the glossary on the first sheet, a work sheet a chapter.
For the teacher: a plan of 50 minutes, then notes, answers and keys, and which engine runs which rule.

    Path("pack.html").write_text(pack(excerpts()), "utf-8")      # specviz print --out pack.html

The two pages of a lesson for a student: sheet.py.
"""

from collections.abc import Callable
from html import escape

from ...picture.claims import ENGINES
from ...picture.glossary import TERMS
from .chapter import SOURCES, Chapter, Estimate
from .chapters import CHAPTERS
from .path import homework, stops
from .printed import facts, file, html_list, lines, paragraphs, table
from .round_figure import guesses_figure, round_figure
from .words import PRINTED

FIGURES: dict[str, Callable[[dict | list, bool], list[str]]] = {  # of a chapter's excerpt; with verdicts for the teacher
    "verify": lambda shown, decided: [round_figure(shown["round"], shown["before"][-1]["text"], decided, mask=True)],
    "accept": lambda shown, decided: [round_figure(shown["round"], shown["before"][-1]["text"], decided)],
    "residual": lambda laws, decided: [round_figure(law["round"], law["before"], decided) for law in laws[:2]],
    "rounds": lambda shown, decided: [
        round_figure(*one, decided) for one in list(zip(shown["drawn"], shown["before"], strict=True))[:2]
    ],
    "ways": lambda shown, decided: [
        guesses_figure(one["tree"], one["last"], decided) for one in (shown["shapes"] or {"positions": []})["positions"][:1]
    ],
}


def pack(excerpts: dict) -> str:
    """`excerpts`: of the recorded runs, from which the names and numbers in the chapters' sentences come."""
    parts = [
        f"<header><h1>{escape(PRINTED['title'])}</h1>{paragraphs((PRINTED['for_whom'],))}</header>",
        _glossary(),
        *(_work_sheet(n, chapter, excerpts) for n, chapter in enumerate(CHAPTERS, 1)),
        _plan(),
        *(_notes(n, chapter, excerpts) for n, chapter in enumerate(CHAPTERS, 1)),
        _engines(),
    ]
    return file(PRINTED["title"], parts)


def _glossary() -> str:
    rows = "".join(f"<dt>{escape(one.name)}</dt><dd>{escape(one.says)}</dd>" for one in TERMS.values() if one.printed)
    return f'<section class="first"><h2>{escape(PRINTED["definitions"])}</h2><dl>{rows}</dl></section>'


def _figures(chapter: Chapter, excerpts: dict, decided: bool) -> str:
    """The picture of a recorded round, where the chapter is about one."""
    shown = excerpts[chapter.key]
    if chapter.key not in FIGURES or not shown:
        return ""
    said = paragraphs((PRINTED["round" if decided else f"round_{chapter.key}"],))
    return said + "".join(FIGURES[chapter.key](shown, decided))


def _work_sheet(n: int, chapter: Chapter, excerpts: dict) -> str:
    """What a student gets: the text, the question, the tasks with room to write, what they should be able to do. No answer."""
    exercise, named = chapter.exercise, facts(excerpts, chapter)
    asked = chapter.question
    text = paragraphs(sentence.format(**named) for sentence in chapter.text)
    choices = html_list(asked.choices, "choices") if not isinstance(asked, Estimate) else lines(1)
    question = f"<h3>{escape(PRINTED['predict'])}</h3>{paragraphs((asked.ask,))}{choices}"
    tasks = "".join(f"<li>{escape(task)}{lines(3)}</li>" for task in exercise.task)
    sources = " · ".join(SOURCES[name].format(**named) for name in chapter.sources)
    return (
        f"<section><h2>{n} · {escape(chapter.title)}</h2>{text}{question}{_figures(chapter, excerpts, False)}<h3>{escape(PRINTED['exercise'])}</h3><ol>{tasks}</ol>"
        f"<h3>{escape(PRINTED['able'])}</h3>{html_list(exercise.able, 'able')}<footer>{escape(PRINTED['sources'])}: {escape(sources)}</footer></section>"
    )


def _plan() -> str:
    rows, begins = [], 0
    for stop in stops():
        rows.append((f"{begins}–{begins + stop.minutes}", str(stop.chapter or PRINTED["room"]), stop.what))
        begins += stop.minutes
    shown = table((PRINTED["minutes"], PRINTED["chapter"], PRINTED["what"]), rows)
    left = PRINTED["homework"].format(chapters=", ".join(map(str, homework())))
    title = PRINTED["plan"].format(minutes=begins)
    return f'<section class="teacher"><h2>{escape(title)}</h2>{shown}{paragraphs((left, PRINTED["sheet"]))}</section>'


def _notes(n: int, chapter: Chapter, excerpts: dict) -> str:
    """What the teacher gets beside it."""
    exercise, asked = chapter.exercise, chapter.question
    right = "" if isinstance(asked, Estimate) else f"{asked.choices[asked.right]}. "
    return (
        f'<article class="teacher"><h2>{n} · {escape(chapter.title)}</h2><h3>{escape(PRINTED["notes"])}</h3>{html_list(chapter.notes)}'
        f"<h3>{escape(PRINTED['answer'])}</h3>{paragraphs((right + asked.why,))}"
        f"<h3>{escape(PRINTED['key'])}</h3><ol>{''.join(f'<li>{escape(key)}</li>' for key in exercise.key)}</ol>"
        f"{_figures(chapter, excerpts, True)}</article>"
    )


def _engines() -> str:
    heads = (PRINTED["engine"], PRINTED["known"], PRINTED["default"], PRINTED["inexact"])
    rows = [(one.name, f"{one.known}; {one.source}", one.default, one.inexact or "–") for one in ENGINES]
    return f'<article class="teacher"><h2>{escape(PRINTED["engines"])}</h2>{table(heads, rows, "small")}</article>'
