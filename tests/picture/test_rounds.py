"""The table of rounds holds each round once, opens in a spreadsheet, and no cell of it is a formula."""

import csv
import io
from dataclasses import replace

import pytest

from specviz.trace.events import Round
from tests.fake_trace import fake_trace
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
    (quiet, *_), (shown, *_) = rows(trace), rows(busy)
    times = {name for name in quiet if name.endswith("_ms")}
    assert len(times) == 5 and {shown[name] for name in times} == {""} != {quiet[name] for name in times}
    assert (quiet["disturbed"], shown["disturbed"]) == ("no", "yes")
    others = set(quiet) - times - {"disturbed"}
    assert {name: shown[name] for name in others} == {name: quiet[name] for name in others}


def test_a_drafter_without_a_cache_leaves_its_cells_empty():
    assert {r["draft_cache_peak"] for r in rows(fake_trace(drafter="lookup"))} == {""}


OPENINGS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]
INSIDE = ["a;=1", "a; =1", "a;;-1", "a\t=1", "a\n+1", "a\r\n@b", ";＝1"]


def written(text):
    """What stands in the file of a cell with this text, as a reader of commas sees it."""
    trace = fake_trace()
    prefill, first, *rest = trace.vanilla
    first = replace(first, emitted=tuple(replace(e, piece=text) for e in first.emitted))
    return rows(replace(trace, vanilla=(prefill, first, *rest)))[0]["emitted_text"]


@pytest.mark.parametrize("text", OPENINGS)
def test_a_cell_that_a_spreadsheet_would_take_for_a_formula_begins_with_an_apostrophe(text):
    assert written(text).startswith("'") and written(text).replace("'", "") == text


@pytest.mark.parametrize("text", [*OPENINGS, *INSIDE])
@pytest.mark.parametrize("end", ";\t\n\r")
def test_no_cell_begins_like_a_formula_where_another_mark_ends_cells(text, end):
    assert not [cell for cell in written(text).split(end) if cell.lstrip(" ").startswith(("=", "+", "-", "@", "＝"))]


def test_quotes_commas_and_line_ends_stay_inside_their_cell():
    text = ' a "b", c;\r\nd'
    trace = fake_trace()
    prefill, first, *rest = trace.vanilla
    first = replace(first, emitted=tuple(replace(e, piece=text) for e in first.emitted))
    table = rows(replace(trace, vanilla=(prefill, first, *rest)))
    assert table[0]["emitted_text"] == text and len(table) == sum(
        isinstance(e, Round) for lane in (trace.vanilla, trace.speculative) for e in lane
    )


def test_numbers_stay_numbers():
    assert call("shared/csv.js", "csv", [[-1.5, 0, "plain", None]]) == "-1.5,0,plain,\r\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, ("sample", "rejection", "yes")),
        ({"drafting": "argmax", "verifier": "block"}, ("argmax", "block", "yes")),
        ({"verifier": "typical"}, ("sample", "typical", "no")),
        ({"verifier": "threshold"}, ("sample", "threshold", "no")),
        ({"verifier": "typical", "temperature": 0}, ("sample", "equality", "yes")),
    ],
    ids=str,
)
def test_a_round_says_its_rule_and_where_that_is_not_exact(settings, said):
    table = rows(fake_trace(**settings))
    assert {(r["drafting"], r["verifier"], r["exact"]) for r in table if int(r["drafted"])} == {said}
    assert {(r["verifier"], r["exact"]) for r in table if r["lane"] == "vanilla"} == {("", "yes")}
