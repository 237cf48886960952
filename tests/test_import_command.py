"""`specviz import`: one record or two scrapes, as a table or JSON, with a decision and an exit code for a nightly check."""

import io
import json

import pytest

from specviz.__main__ import main
from specviz.config import ASSETS
from tests.trace.records.test_formats import later
from tests.trace.records.test_read import EXAMPLES, METRICS, TIMINGS, of

H100 = ASSETS / "costs" / "nvidia-h100-80gb-hbm3.json"


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
    assert code == 0 and err == "" and record["decision"]["rows"][0]["verdict"] == "pays" and record["decision"]["K"] == 4
    assert "num_speculative_tokens" in record["decision"]["flag"] and "hardware" not in record
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
    assert record["decision"]["rows"][0]["verdict"] == "pays" and record["decision"]["K"] == 3
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


def test_the_exit_code_says_whether_enough_was_accepted(imported, pages):
    assert imported(pages[0], "--min-acceptance", "0.4")[0] == 0
    code, _, err = imported(pages[0], "--min-acceptance", "0.5")
    assert code == 1 and "accepted ÷ drafted is 0.438, below 0.5" in err
    assert imported(pages[0], "--json", "--min-acceptance", "0.5")[0] == 1


def test_a_decision_by_a_card_has_a_row_for_each_load_and_names_what_it_assumes(imported, pages):
    code, out, _ = imported(pages[0], "--card", "h100", "--at", "1", "--at", "64")
    flat = " ".join(out.split())
    assert code == 0 and "Which K pays here?" in flat and "As a setting of vLLM:" in flat
    assert "each reach 50 % to 90 % of the card's published peaks" in flat and "positions after 4 were not recorded" in flat
    decision = json.loads(imported(pages[0], "--card", "h100", "--json")[1])["decision"]
    assert [row["at_once"] for row in decision["rows"]] == [1, 4, 16, 64, 256]
    assert all(row["speedup"] == sorted(row["speedup"]) for row in decision["rows"])


def test_a_decision_by_a_run_of_make_costs_uses_its_times(imported, pages):
    decision = json.loads(imported(pages[0], "--costs", H100, "--json", "--at", "4")[1])["decision"]
    curves = json.loads(H100.read_text("utf-8"))["curves"]
    row = curves[0]["batches"].index(4)
    c, v = curves[1]["ms"][row][0] / curves[0]["ms"][row][0], curves[0]["ms"][row][1] / curves[0]["ms"][row][0]
    assert decision["rows"][0]["by_K"][1][1] == pytest.approx((1 + 16 / 24) / (c + v))


ONE_LOAD = (
    "at is [1, 64]; it must be one number with --c and --v, which hold for one load. For several loads use --card or --costs"
)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--c", "0.1"), "given together with --v"),
        (("--c", "0.1", "--v", "1", "--card", "h100"), "--c with --v, or --costs, or --card"),
        (("--card", "h900"), "one of t4, l4"),
        (("--costs", __file__), "a file that make costs wrote"),
        (("--costs", H100, "--at", "3"), "one of 1, 2, 4"),
        (("--c", ".1", "--v", "1.3", "--at", "1", "--at", "64"), ONE_LOAD),
        (("--at", "64"), "at is [64]; it must be given together with --card, or --costs, or --c and --v"),
        (("--target", "llama-3.1-8b"), "target is 'llama-3.1-8b'; it must be given together with --card"),
        (("--draft", "x", "--c", "0.1", "--v", "1"), "draft is 'x'; it must be given together with --card"),
        (("--context", "0", "--costs", H100), "context is 0; it must be given together with --card"),
    ],
)
def test_costs_that_cannot_be_are_one_line(imported, pages, words, says):
    code, _, err = imported(pages[0], *words)
    assert code == 2 and says in err


def curve(batches: list, blocks: list, ms: list) -> dict:
    return {"batches": batches, "blocks": blocks, "ms": ms}


TARGET, DRAFT = curve([1, 4], [1, 2], [[5, 6], [5, 7]]), curve([1, 4], [1], [[1], [2]])
UNUSABLE = {
    "no draft over one token": [TARGET, DRAFT | {"blocks": [3]}],
    "no draft of as many texts": [TARGET, DRAFT | {"batches": [1, 2]}],
    "no block": [TARGET | {"blocks": [1], "ms": [[5], [5]]}, DRAFT],
    "loads that are texts": [TARGET | {"batches": ["a", "b"]}, DRAFT | {"batches": ["a", "b"]}],
    "a load below 1": [TARGET | {"batches": [-1, 4]}, DRAFT | {"batches": [-1, 4]}],
    "no load": [TARGET | {"batches": [], "ms": []}, DRAFT | {"batches": [], "ms": []}],
    "a row that is short": [TARGET | {"ms": [[5, 6], [5]]}, DRAFT],
    "one curve": [TARGET],
    **{f"{ms!s:.8} ms": [TARGET | {"ms": [[ms, 6], [5, 7]]}, DRAFT] for ms in (10**400, 1e-320, 0, -1, "5", True, None)},
    "400 digits of the draft": [TARGET, DRAFT | {"ms": [[10**400], [2]]}],
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_a_file_of_costs_that_cannot_be_used_is_one_line_before_anything_is_printed(imported, pages, tmp_path, what, monkeypatch):
    monkeypatch.chdir(tmp_path)
    costs = tmp_path / "costs.json"
    costs.write_text(json.dumps({"curves": [TARGET, DRAFT]}))
    assert imported(pages[0], "--costs", costs.name)[0] == 0
    costs.write_text(json.dumps({"curves": UNUSABLE[what]}))
    refusal = "specviz: costs is 'costs.json'; it must be a file that make costs wrote"
    assert imported(pages[0], "--costs", costs.name) == (2, "", refusal)


@pytest.mark.parametrize("pace", ["inf", "nan", "0", "1e300"])
def test_a_pace_without_drafts_that_cannot_be_is_refused_with_its_bound(imported, pages, pace):
    code, out, err = imported(pages[0], "--vanilla", pace)
    assert (code, out) == (2, "") and "vanilla" in err and ("0.001" in err or "1000000000" in err)


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
