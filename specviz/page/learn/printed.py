"""What every file to print is made of: one page of HTML without scripts, and parts of it. Nothing comes from outside."""

from collections.abc import Iterable
from html import escape

from ...picture.frame import document
from ...picture.sheets import PRINT, csp_hash, style
from .chapter import Chapter


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


def lines(n: int) -> str:
    return '<div class="lines">' + "<hr>" * n + "</div>"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table{attribute}><tr>{head}</tr>{body}</table>"
