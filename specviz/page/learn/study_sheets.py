"""The study on paper: a sheet before the lesson, the same after it, and the teacher's with the key and a table to fill in.

Path("study.html").write_text(study_sheets())      # specviz print --study --out study.html
"""

from html import escape

from .printed import file, html_list, paragraphs, table
from .study import PRINTED, QUESTIONS, UNSURE


def study_sheets() -> str:
    return file(PRINTED["title"], [*(_students(PRINTED[time]) for time in ("before", "after")), _teachers()])


def _students(time: str) -> str:
    head = f"<h2>{escape(PRINTED['title'])}: {escape(time.lower())}</h2>{paragraphs((PRINTED['how'],))}"
    word = f'<div class="name"><p>{escape(PRINTED["word"])} <span></span></p></div>'
    asked = "".join(f"<li>{escape(one.ask)}{_choices((*one.choices, UNSURE))}</li>" for one in QUESTIONS)
    return f'<section class="study">{head}{word}<ol>{asked}</ol></section>'


def _choices(choices: tuple[str, ...]) -> str:
    return f'<ol class="letters">{"".join(f"<li>{escape(choice)}</li>" for choice in choices)}</ol>'


def _teachers() -> str:
    key = "".join(f"<li>{'ABC'[one.right]}. {escape(one.why)}</li>" for one in QUESTIONS)
    rows = [(name, "", "", "", "") for name in (*map(str, range(1, len(QUESTIONS) + 1)), PRINTED["all"])]
    return (
        f'<section class="teacher study"><h2>{escape(PRINTED["teacher"])}</h2>{html_list(PRINTED["steps"])}'
        f"<h3>{escape(PRINTED['key'])}</h3><ol>{key}</ol>"
        f"<h3>{escape(PRINTED['score'])}</h3>{table(PRINTED['columns'], rows, 'empty')}</section>"
    )
