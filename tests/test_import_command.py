"""`specviz import`: one record or two scrapes, as a table or JSON, with a decision and an exit code for a nightly check."""

import io
import json

import pytest

from specviz.__main__ import main
from specviz.picture.words import DECISION
from tests.trace.records.test_formats import later
from tests.trace.records.test_read import EXAMPLES, METRICS, TIMINGS, of


@pytest.fixture
def imported(capsys):
    """Runs the command; exit code, stdout and stderr."""

    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as done:
            main("import", *map(str, words))
        out, err = capsys.readouterr()
        return done.value.code or 0, out, " ".join(err.split())

    return run


@pytest.fixture
def pages(tmp_path):
    """Two looks at one server."""
    paths = tmp_path / "before.txt", tmp_path / "after.txt"
    for path, text in zip(paths, (METRICS, later(3)), strict=True):
        path.write_text(text)
    return paths


def test_two_scrapes_are_imported_as_their_difference(imported, pages):
    code, out, _ = imported(*pages, "--json")
    record = json.loads(out)
    assert code == 0 and (record["of"], record["totals"]["steps"], record["totals"]["accepted"]) == ("difference", 48, 84)
    pages[0].write_text(later(0))
    assert json.loads(imported(*pages, "--json")[1])["totals"]["steps"] == 72
    code, _, err = imported(pages[0])
    assert code == 2 and "its counters of drafts are 0" in err
    pages[0].write_text(METRICS)
    code, _, err = imported(*reversed(pages))
    assert code == 2 and "earlier file first" in err
    assert "one record, or two metrics pages" in imported(*pages, pages[0])[2]


def test_json_is_all_that_is_printed_and_has_the_decision(imported, pages):
    code, out, err = imported(pages[0], "--json", "--c", "0.1", "--v", "1.2")
    record = json.loads(out)
    assert code == 0 and err == "" and record["decision"]["verdict"] == "pays" and record["decision"]["K"] == 4
    assert "num_speculative_tokens" in record["decision"]["flag"]
    assert json.loads(imported(pages[0], "--json")[1])["decision"] is None


FIVE = {"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}


def test_five_numbers_are_answered_as_a_record_is(imported, tmp_path, monkeypatch):
    typed = json.dumps(FIVE)
    file = tmp_path / "counts.json"
    file.write_text(typed)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
    records = [json.loads(imported("--counts", each, "--c", "0.1", "--v", "1.2", "--json")[1]) for each in (typed, file, "-")]
    assert records[0] == records[1] == records[2] == json.loads(imported(file, "--c", "0.1", "--v", "1.2", "--json")[1])
    record = records[0]
    assert (record["engine"], record["of"], record["totals"]["tokens_per_step"]) == ("another engine", "counts", 2.8)
    assert [at["given_reached"] for at in record["positions"]] == [0.75, 0.8, 0.75]
    assert record["decision"]["verdict"] == "pays" and record["decision"]["K"] == 3
    out = " ".join(imported("--counts", typed, "--c", "0.1", "--v", "1.2")[1].split())
    assert "What another engine recorded" in out and "Which K pays here?" in out


def test_without_acceptance_by_position_what_is_not_shown_is_named(imported):
    code, out, _ = imported("--counts", json.dumps({**FIVE, "accepted_by_position": None}), "--c", "0.1", "--v", "1.2")
    assert code == 0 and "acceptance by position" in out
    assert "every position is accepted with the same chance" in " ".join(out.split())


def test_five_numbers_that_cannot_be_are_one_line_before_anything_is_printed(imported):
    code, out, err = imported("--counts", json.dumps({**FIVE, "accepted": 1201}))
    assert (code, out) == (2, "") and err == "specviz: accepted must be a whole number from 0 to 1200 (drafted), found 1201"
    code, _, err = imported("--counts", "missing.json")
    assert code == 2 and "counts is 'missing.json'; it must be JSON that begins with {, a file that can be read, or -" in err
    assert "left out beside --counts" in imported("a.txt", "--counts", "{}")[2]
    assert "or --counts" in imported()[2]


def test_a_decision_names_what_it_assumes_and_what_to_set(imported, pages):
    decision = json.loads(imported(pages[0], "--c", "0.1", "--v", "1.2", "--json")[1])["decision"]
    code, out, _ = imported(pages[0], "--c", "0.1", "--v", "1.2")
    flat = " ".join(out.split())
    assert code == 0 and "Which K pays here?" in flat and "As a setting of vLLM:" in flat
    assert "c and v hold at this number of requests only" in flat and "positions after 4 were not recorded" in flat
    assert f"{DECISION['best']} {decision['best']} (" in flat and decision["speedup"] == sorted(decision["speedup"])


@pytest.mark.parametrize(("given", "other"), [("c", "v"), ("v", "c")])
def test_one_cost_without_the_other_is_one_line(imported, pages, given, other):
    assert imported(pages[0], f"--{given}", "1") == (2, "", f"specviz: {given} is 1.0; it must be given together with --{other}")


def test_a_record_that_cannot_decide_says_what_to_save(imported, tmp_path):
    responses = tmp_path / "responses.jsonl"
    responses.write_bytes(of(TIMINGS))
    out = imported(responses, "--c", "0.1", "--v", "1")[1]
    assert "The record cannot decide: it has no number of steps." in " ".join(out.split())
    log = EXAMPLES / "sglang_0.5_log.txt"
    record = json.loads(imported(log, "--c", "0.1", "--v", "1", "--json")[1])
    assert record["decision"]["missing"] == "K" and record["totals"]["tokens_per_step"] == pytest.approx(1.954)


def test_fields_that_nobody_knows_are_shown(imported, tmp_path):
    lines = tmp_path / "responses.jsonl"
    timings = [{"prompt_n": 10 * n, "draft_n": 10, "draft_n_accepted": n, "draft_naps": 3} for n in range(1, 10)]
    lines.write_text("".join(json.dumps({"timings": each}) + "\n" for each in timings))
    assert "specviz does not know: draft_naps = 3" in " ".join(imported(lines)[1].split())


def test_a_file_that_is_not_read_is_named(imported, tmp_path):
    bad = tmp_path / "notes.txt"
    bad.write_text("notes")
    code, _, err = imported(bad)
    assert (
        code == 2 and err.startswith(f"specviz: {bad}: specviz reads vLLM's metrics page") and err.endswith("position (--counts)")
    )
