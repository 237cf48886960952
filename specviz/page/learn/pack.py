"""The teacher's pack: one HTML file to print or to save as PDF. For the class: the glossary on the first sheet, a work sheet a chapter.
For the teacher: a plan of 50 minutes, then notes, answers and keys, and which engine runs which rule.

    Path("pack.html").write_text(pack(excerpts()), "utf-8")      # specviz print --out pack.html

And a student's sheet for the lesson: two pages with figures to fill in, and a line for a name. Its keys are in the pack.

    Path("sheet.html").write_text(sheet(excerpts()), "utf-8")      # specviz print --sheet --out sheet.html

Both are without scripts, and nothing comes from outside.
"""

from collections.abc import Callable, Iterable
from html import escape

from ...picture.replay import ENGINES, TERMS, Term, document
from ...picture.sheets import PRINT, csp_hash, style
from ...words import learn
from .chapter import Chapter, Estimate
from .chapters import CHAPTERS
from .lesson import homework, stops


def file(title: str, parts: Iterable[str]) -> str:
    rules = style(*PRINT)
    policy = f"default-src 'none'; style-src '{csp_hash(rules)}'; base-uri 'none'; form-action 'none'"
    return document(title, policy, "\n".join(["<main>", *parts, "</main>"]), rules)


def facts(excerpts: dict, chapter: Chapter) -> dict[str, str]:
    """What the sentences of a chapter name: of its own run, or of chapter 9's (assets/learn/chapter.js does the same)."""
    run = excerpts[chapter.key]
    run = run if isinstance(run, dict) and "target" in run else excerpts["speed"]
    whole = {**excerpts["speed"], **run}
    target = whole["target"]
    c = "–" if run.get("c") is None else f"{run['c']:.2f}"
    megabytes = f"{target['bytes'] / 1e6:,.0f}"
    return {"target": target["name"], "draft": whole["draft"]["name"], "device": whole["device"], "megabytes": megabytes, "c": c}


def paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def html_list(items: Iterable[str], kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f"<ul{attribute}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"


def definitions(title: str, terms: Iterable[Term]) -> str:
    return (
        f"<h2>{escape(title)}</h2><dl>{''.join(f'<dt>{escape(one.name)}</dt><dd>{escape(one.says)}</dd>' for one in terms)}</dl>"
    )


def lines(n: int) -> str:
    return '<div class="lines">' + "<hr>" * n + "</div>"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table{attribute}><tr>{head}</tr>{body}</table>"


# Drawings to be filled in by hand: lines and outlines without an answer ------------------------------------------------

P, Q = (0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05)  # of the exercise of chapter 6


def svg(height: int, label: str, parts: Iterable[str]) -> str:
    return f'<svg class="figure" viewBox="0 0 400 {height}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def box(x: float, y: float, width: float, height: float, kind: str = "outline") -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def text(x: float, y: float, words: str, at: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{at}">{escape(words)}</text>'


def passes() -> str:
    """A bar for each block: its outline is as long as if each token needed its own pass; the class shades what was measured."""
    bars = [text(34, 13 + 15 * i, f"{2**i}", "end") + box(40, 4 + 15 * i, 22 * 2**i, 11) for i in range(5)]
    return svg(90, "A bar for passes over 1, 2, 4, 8 and 16 tokens", [*bars, text(392, 85, "passes over one token", "end")])


def block() -> str:
    """The last token and four drafted ones, and the five distributions that one pass gives."""
    parts = []
    for i, x in enumerate(range(8, 398, 78)):
        parts += [box(x, 4, 62, 20), text(x + 31, 18, f"draft {i}" if i else "last token")]
        parts += [
            f'<path class="arrow" d="M{x + 31:g} 26v12"/>',
            box(x + 14, 40, 34, 20, "dashed"),
            text(x + 31, 54, f"p{i + 1}"),
        ]
    return svg(66, "A block of 4 drafted tokens and 5 distributions", parts)


def overlap() -> str:
    """p and q of each token beside each other; the class shades min(p, q) and marks where p is larger than q."""
    parts, base, high = [], 76, 92
    for i, (p, q) in enumerate(zip(P, Q, strict=True)):
        x = 24 + 92 * i
        parts += [box(x, base - high * p, 28, high * p), box(x + 32, base - high * q, 28, high * q, "dashed")]
        parts += [text(x + 14, base - high * p - 3, f"{p:g}"), text(x + 46, base - high * q - 3, f"{q:g}")]
        parts.append(text(x + 30, base + 12, f"token {i + 1}: p, q"))
    return svg(92, "Bars of p and q for four tokens", [*parts, f'<path class="axis" d="M8 {base}h384"/>'])


def line_of_u() -> str:
    task = text(200, 12, "mark p(x)/q(x), then write “accept” and “reject” on its two sides")
    line = '<path class="axis" d="M20 22h360M20 16v12M380 16v12"/>'
    return svg(46, "A line from 0 to 1", [line, text(20, 42, "0"), text(380, 42, "1"), task])


# The pack and the sheet ------------------------------------------------------------------------------------------------

FIGURES: dict[str, Callable[[], str]] = {"alone": passes, "verify": block, "accept": line_of_u, "residual": overlap}
TASKS = {"accept": (0,), "residual": (0, 1), "speed": (0,)}
"""Which tasks of a chapter's exercise stand here; the work sheets of the pack have all."""
SYMBOLS = ("p", "q", "K", "u", "beta", "alpha", "c", "v")


def pack(excerpts: dict) -> str:
    """`excerpts`: of the recorded runs, from which the names and numbers in the chapters' sentences come."""
    parts = [
        f"<header><h1>{escape(learn.PRINTED['title'])}</h1>{paragraphs((learn.PRINTED['for_whom'],))}</header>",
        f'<section class="first">{definitions(learn.PRINTED["definitions"], (one for one in TERMS.values() if one.printed))}</section>',
        *(_work_sheet(n, chapter, excerpts) for n, chapter in enumerate(CHAPTERS, 1)),
        _plan(),
        *(_notes(n, chapter) for n, chapter in enumerate(CHAPTERS, 1)),
        _engines(),
    ]
    return file(learn.PRINTED["title"], parts)


def _work_sheet(n: int, chapter: Chapter, excerpts: dict) -> str:
    """What a student gets: the text, the question, the tasks with room to write, what they should be able to do. No answer."""
    exercise, names = chapter.exercise, facts(excerpts, chapter)
    question = chapter.question
    text = paragraphs(sentence.format(**names) for sentence in (*chapter.text, *chapter.more))
    choices = html_list(question.choices, "choices") if not isinstance(question, Estimate) else lines(1)
    prediction = f"<h3>{escape(learn.PRINTED['predict'])}</h3>{paragraphs((question.ask,))}{choices}"
    tasks = "".join(f"<li>{escape(task)}{lines(3)}</li>" for task in exercise.task)
    sources = " · ".join(learn.SOURCES[name].format(**names) for name in chapter.sources)
    return (
        f"<section><h2>{n} · {escape(chapter.title)}</h2>{text}{prediction}<h3>{escape(learn.PRINTED['exercise'])}</h3><ol>{tasks}</ol>"
        f"<h3>{escape(learn.PRINTED['able'])}</h3>{html_list(exercise.able, 'able')}"
        f"<footer>{escape(learn.PRINTED['sources'])}: {escape(sources)}</footer></section>"
    )


def _plan() -> str:
    rows = [(f"{stop.begin}–{stop.end}", str(stop.chapter or learn.PRINTED["room"]), stop.what) for stop in stops()]
    plan = table((learn.PRINTED["minutes"], learn.PRINTED["chapter"], learn.PRINTED["what"]), rows)
    left = learn.PRINTED["homework"].format(chapters=", ".join(map(str, homework())))
    title = learn.PRINTED["plan"].format(minutes=stops()[-1].end)
    return f'<section class="teacher"><h2>{escape(title)}</h2>{plan}{paragraphs((left, learn.PRINTED["sheet"]))}</section>'


def _notes(n: int, chapter: Chapter) -> str:
    """What the teacher gets beside it."""
    exercise, question = chapter.exercise, chapter.question
    right = "" if isinstance(question, Estimate) else f"{question.choices[question.right]}. "
    return (
        f'<article class="teacher"><h2>{n} · {escape(chapter.title)}</h2>'
        f"<h3>{escape(learn.PRINTED['notes'])}</h3>{html_list(chapter.notes)}"
        f"<h3>{escape(learn.PRINTED['answer'])}</h3>{paragraphs((right + question.why,))}"
        f"<h3>{escape(learn.PRINTED['key'])}</h3><ol>{''.join(f'<li>{escape(key)}</li>' for key in exercise.key)}</ol></article>"
    )


def _engines() -> str:
    heads = (learn.PRINTED["engine"], learn.PRINTED["known"], learn.PRINTED["default"], learn.PRINTED["inexact"])
    rows = [(one.name, f"{one.known}; {one.source}", one.default, one.inexact or "–") for one in ENGINES]
    return f'<article class="teacher"><h2>{escape(learn.PRINTED["engines"])}</h2>{table(heads, rows, "small")}</article>'


def sheet(excerpts: dict) -> str:
    head = (
        f'<header class="name"><h1>{escape(learn.SHEET["title"])}</h1>'
        f"<p>{escape(learn.SHEET['name'])} <span></span> {escape(learn.SHEET['date'])} <span></span></p></header>"
    )
    stops_html = [_room() if stop.chapter is None else _stop(stop.chapter, excerpts) for stop in stops()]
    symbols = definitions(learn.SHEET["symbols"], (TERMS[key] for key in SYMBOLS))
    parts = "".join([head, *stops_html, f'<article class="stop symbols">{symbols}</article>'])
    return file(learn.SHEET["title"], [f'<div class="sheet">{parts}</div>'])


def _stop(n: int, excerpts: dict) -> str:
    chapter = CHAPTERS[n - 1]
    names = facts(excerpts, chapter)
    figure = FIGURES[chapter.key]() if chapter.key in FIGURES else ""
    sentence = paragraphs((learn.SHEET[chapter.key],)) if chapter.key in learn.SHEET else ""
    room = lines(1 if chapter.key == "accept" else 2)
    tasks = "".join(f"<li>{escape(chapter.exercise.task[i])}{room}</li>" for i in TASKS.get(chapter.key, ()))
    body = _question(chapter, names) + sentence + figure + (f"<ol>{tasks}</ol>" if tasks else "")
    if chapter.key == "busy":
        body += paragraphs((learn.SHEET["reasons"],)) + lines(3)
    return f'<article class="stop" id="stop-{chapter.key}"><h2>{n} · {escape(chapter.title)}</h2>{body}</article>'


def _question(chapter: Chapter, names: dict[str, str]) -> str:
    question = chapter.question
    if isinstance(question, Estimate):
        return f"{paragraphs((question.ask.format(**names),))}<p>{escape(learn.SHEET['guess'])} <span></span></p>"
    return f"{paragraphs((question.ask,))}{html_list(question.choices, 'choices row')}"


def _room() -> str:
    rows = table([learn.SHEET[f"room_{i}"] for i in (1, 2, 3)], [("", "", "")] * 3, "empty")
    return f'<article class="stop"><h2>{escape(learn.SHEET["room"])}</h2>{paragraphs((learn.SHEET["room_is"],))}{rows}</article>'
