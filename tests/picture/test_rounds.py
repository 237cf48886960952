"""The table of rounds holds each round once, opens in a spreadsheet, and no cell of it is a formula."""

import csv
import io
from dataclasses import replace

import pytest

from tests.fake_trace import fake_trace, rounds
from tests.view import call, csv_text


def rows(trace):
    return list(csv.DictReader(io.StringIO(csv_text(trace).removeprefix("\ufeff"))))


def test_there_is_a_row_for_every_round_of_both_lanes_and_they_add_up():
    trace = fake_trace()
    table = rows(trace)
    for lane in ("vanilla", "speculative"):
        mine, end = [r for r in table if r["lane"] == lane], getattr(trace, lane)[-1]
        assert [int(r["round"]) for r in mine] == list(range(1, end.rounds + 1))
        assert sum(int(r["drafted"]) for r in mine) == end.drafted
        assert sum(int(r["accepted"]) for r in mine) == end.accepted
        assert sum(int(r["emitted"]) for r in mine) == end.tokens
        assert "".join(r["emitted_text"].removeprefix("'") for r in mine) == end.text
        parts = ("draft_ms", "verify_ms", "decide_ms", "rest_ms")
        assert sum(float(r[part]) for r in mine for part in parts) == pytest.approx(end.decode_ms, abs=0.1)
    assert csv_text(trace).startswith("\ufefflane,round,")


def test_of_a_disturbed_run_there_are_counts_and_no_times():
    trace = fake_trace()
    last = trace.speculative[-1]
    busy = replace(trace, speculative=(*trace.speculative[:-1], replace(last, processor_ms=0.6 * last.decode_ms)))
    (quiet, *_), (masked, *_) = rows(trace), rows(busy)
    times = {name for name in quiet if name.endswith("_ms")}
    assert len(times) == 5 and {masked[name] for name in times} == {""} != {quiet[name] for name in times}
    assert (quiet["disturbed"], masked["disturbed"]) == ("no", "yes")
    others = set(quiet) - times - {"disturbed"}
    assert {name: masked[name] for name in others} == {name: quiet[name] for name in others}


def test_a_drafter_without_a_cache_leaves_its_cells_empty():
    assert {r["draft_cache_peak"] for r in rows(fake_trace(drafter="lookup"))} == {""}


OPENINGS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]
INSIDE = ["a;=1", "a; =1", "a;;-1", "a\t=1", "a\n+1", "a\r\n@b", ";＝1"]


def rows_of(text):
    """The table of a trace whose first round wrote this text, as a reader of commas sees it."""
    trace = fake_trace()
    prefill, first, *rest = trace.vanilla
    first = replace(first, emitted=tuple(replace(e, piece=text) for e in first.emitted))
    return rows(replace(trace, vanilla=(prefill, first, *rest)))


@pytest.mark.parametrize("text", [*OPENINGS, *INSIDE])
def test_no_cell_begins_like_a_formula_whichever_mark_ends_cells(text):
    cell = rows_of(text)[0]["emitted_text"]
    assert cell.replace("'", "") == text and cell.startswith("'") == (text in OPENINGS)
    parts = [part.lstrip(" ") for end in ",;\t\n\r" for part in cell.split(end)]
    assert not [part for part in parts if part.startswith(("=", "+", "-", "@", "＝"))]


def test_quotes_commas_and_line_ends_stay_inside_their_cell():
    text, trace = ' a "b", c;\r\nd', fake_trace()
    table = rows_of(text)
    assert table[0]["emitted_text"] == text and len(table) == len(rounds(trace.vanilla)) + len(rounds(trace.speculative))


def test_numbers_stay_numbers():
    assert call("shared/csv.js", "csv", [[-1.5, 0, "plain", None]]) == "-1.5,0,plain,\r\n"


@pytest.mark.parametrize(
    ("settings", "values"),
    [
        ({}, ("sample", "rejection", "yes")),
        ({"drafting": "argmax", "verifier": "block"}, ("argmax", "block", "yes")),
        ({"verifier": "typical"}, ("sample", "typical", "no")),
        ({"verifier": "threshold"}, ("sample", "threshold", "no")),
        ({"verifier": "typical", "temperature": 0}, ("sample", "equality", "yes")),
    ],
    ids=str,
)
def test_a_round_says_its_rule_and_where_that_is_not_exact(settings, values):
    table = rows(fake_trace(**settings))
    assert {(r["drafting"], r["verifier"], r["exact"]) for r in table if int(r["drafted"])} == {values}
    assert {(r["verifier"], r["exact"]) for r in table if r["lane"] == "vanilla"} == {("", "yes")}
