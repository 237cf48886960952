"""A report that a script or a benchmark printed as text → a document a run, with the printed labels as its names.

    num_draft_tokens: 18000        acceptance at token 0: 0.77        Accept length:   3.12        n_drafted = 730

Also what SGLang's log says at the end of a request, which is Python's text of a dict. Standard library only.
"""

import re
from collections.abc import Iterable, Iterator

from .line import LINE_CHARACTERS, check_number

MARKS = ("num_draft_tokens:", "Serving Benchmark Result", "n_drafted")
# one of them is in every such report
DRAFT_LABELS = {"num_draft_tokens", "Drafts", "Accept_length", "n_drafted", "Successful_requests"}
LONG_LABEL = 200  # characters of a line with a label
LABEL = re.compile(r"\s*([A-Za-z][\w ()/%.-]{0,50}?)\s*[:=]\s*(-?\d{1,15}(?:\.\d{1,12})?)%?\s*")
POSITION = re.compile(r"(?:acceptance_at_token|Position)_(\d{1,3})")
META, FIELD = "'meta_info': {", re.compile(r"'(\w{1,40})': (-?\d{1,15}(?:\.\d{1,17})?|\[[\d, ]{0,4000}\])(?=[,}])")


def documents(lines: Iterable[str]) -> Iterator[dict]:
    """One for each run: a run begins where a label comes again. A share in per cent under a title that says so is a share of 1."""
    run: dict = {}
    percent, number = False, 0
    for line in lines:
        if "Per-position acceptance (%)" in line:
            percent = True
        label = LABEL.fullmatch(line) if len(line) <= LONG_LABEL else None
        if label is None:
            continue
        name, value = label[1].replace(" ", "_"), float(label[2]) if "." in label[2] else int(label[2])
        if position := POSITION.fullmatch(name):
            name, value = f"position {int(position[1])}", value / 100 if percent else value
        if name in run:
            if not DRAFT_LABELS.isdisjoint(run):
                check_number(number)
                number += 1
                yield _finished(run)
            run, percent = {}, False
        run[name] = value
    if run:
        yield _finished(run)


def _finished(run: dict) -> dict:
    places = sorted(int(name.split()[1]) for name in run if name.startswith("position "))
    shares = [run.pop(f"position {i}") for i in places]
    return {**run, **({"positions": shares} if shares else {})}


def finished_request(line: str) -> dict | None:
    """What SGLang's log says of one request's drafts; None where the line says nothing of it."""
    at = line.rfind(META)
    if at < 0:
        return None
    meta = line[at + len(META) : at + len(META) + LINE_CHARACTERS]
    fields = {name: _number(text) for name, text in FIELD.findall(meta)}
    aborted = {"finish_reason": {"type": "abort"}} if "'type': 'abort'" in meta else {}
    return {"meta_info": {**fields, **aborted}} if "spec_verify_ct" in fields else None


def _number(text: str) -> object:
    if text.startswith("["):
        return [int(each) for each in text[1:-1].split(",") if each.strip()]
    return float(text) if "." in text else int(text)
