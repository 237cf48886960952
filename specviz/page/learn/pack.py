"""The teacher's pack: one HTML file to print or to save as PDF. For the class: definitions on one sheet, a work sheet a chapter. For
the teacher: a plan of 50 minutes, then notes, answers and keys. Nothing in it runs, and nothing comes from outside.

    Path("pack.html").write_text(pack(excerpts(recorded.load)), "utf-8")      # specviz print --out pack.html
"""

from html import escape

from ...picture.sheets import PRINT, allowed, style
from .chapter import SOURCES, Chapter, Estimate
from .chapters import CHAPTERS
from .words import DEFINITIONS, PRINTED

EXERCISES = 5  # minutes at the end

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def pack(excerpts: dict) -> str:
    """`excerpts`: of the recorded runs, from which the names and numbers in the chapters' sentences come."""
    rules, facts = style(*PRINT), _facts(excerpts)
    parts = [
        _cover(),
        _definitions(),
        *(_work_sheet(n, chapter, facts) for n, chapter in enumerate(CHAPTERS, 1)),
        _plan(),
        *(_notes(n, chapter) for n, chapter in enumerate(CHAPTERS, 1)),
    ]
    return PAGE.format(hash=allowed(rules), title=escape(PRINTED["title"]), style=rules, body="\n".join(parts))


def _facts(excerpts: dict) -> dict[str, str]:
    """What the sentences name, of the run that chapter 9 is about (assets/learn/chapter.js does the same a chapter)."""
    run = excerpts["speed"]
    target = run["target"]
    c = PRINTED["unknown"] if run["c"] is None else f"{run['c']:.2f}"
    megabytes = f"{target['bytes'] / 1e6:,.0f}"
    return {"target": target["name"], "draft": run["draft"]["name"], "device": run["device"], "megabytes": megabytes, "c": c}


def _cover() -> str:
    return f"<header><h1>{escape(PRINTED['title'])}</h1>{_paragraphs((PRINTED['for_whom'],))}</header>"


def _definitions() -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in DEFINITIONS)
    return f"<section><h2>{escape(PRINTED['definitions'])}</h2><dl>{rows}</dl></section>"


def _work_sheet(n: int, chapter: Chapter, facts: dict[str, str]) -> str:
    """What a student gets: the text, the question, the tasks with room to write, what they should be able to do. No answer."""
    exercise = chapter.exercise
    asked = chapter.question
    text = _paragraphs(sentence.format(**facts) for sentence in chapter.text)
    choices = _list(asked.choices, "choices") if not isinstance(asked, Estimate) else _lines(1)
    question = f"<h3>{escape(PRINTED['predict'])}</h3>{_paragraphs((asked.ask,))}{choices}"
    tasks = "".join(f"<li>{escape(task)}{_lines(3)}</li>" for task in exercise.task)
    sources = " · ".join(SOURCES[name].format(**facts) for name in chapter.sources)
    return (
        f"<section><h2>{n} · {escape(chapter.title)}</h2>{text}{question}<h3>{escape(PRINTED['exercise'])}</h3><ol>{tasks}</ol>"
        f"<h3>{escape(PRINTED['able'])}</h3>{_list(exercise.able, 'able')}<footer>{escape(PRINTED['sources'])}: {escape(sources)}</footer></section>"
    )


def _plan() -> str:
    rows, begins = [], 0
    for minutes, numbers, what in plan():
        which = ", ".join(map(str, numbers)) or PRINTED["no_chapter"]
        rows.append(f"<tr><td>{begins}–{begins + minutes}</td><td>{escape(which)}</td><td>{escape(what)}</td></tr>")
        begins += minutes
    heads = "".join(f"<th>{escape(PRINTED[name])}</th>" for name in ("minutes", "chapters", "what"))
    title = PRINTED["plan"].format(minutes=begins)
    return f'<section class="teacher"><h2>{escape(title)}</h2><table><tr>{heads}</tr>{"".join(rows)}</table></section>'


def plan() -> list[tuple[int, list[int], str]]:
    """Minutes, chapters by their numbers, what is done. A chapter without a plan of its own is taught with the one before."""
    rows: list[tuple[int, list[int], str]] = []
    for n, chapter in enumerate(CHAPTERS, 1):
        if chapter.plan:
            minutes, what = chapter.plan
            rows.append((minutes, [n], what))
        else:
            rows[-1][1].append(n)
    return [*rows, (EXERCISES, [], PRINTED["exercises"])]


def _notes(n: int, chapter: Chapter) -> str:
    """What the teacher gets beside it."""
    exercise, asked = chapter.exercise, chapter.question
    right = "" if isinstance(asked, Estimate) else f"{asked.choices[asked.right]}. "
    return (
        f'<article class="teacher"><h2>{n} · {escape(chapter.title)}</h2><h3>{escape(PRINTED["notes"])}</h3>{_list(chapter.notes)}'
        f"<h3>{escape(PRINTED['answer'])}</h3>{_paragraphs((right + asked.why,))}"
        f"<h3>{escape(PRINTED['key'])}</h3><ol>{''.join(f'<li>{escape(key)}</li>' for key in exercise.key)}</ol></article>"
    )


def _paragraphs(sentences) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _list(items, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f"<ul{named}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"


def _lines(n: int) -> str:
    """Lines to write on."""
    return '<div class="lines">' + "<hr>" * n + "</div>"
