"""Records as people have them, each with its right value: what is there is read, what cannot be right is left out and said, and a
refusal says only what is known. Each kind is tried on a sample of its own too (test_kinds.py).

cases/ holds public reports, recreated with other numbers.
"""

from pathlib import Path

import pytest

from specviz.picture.decision import by_numbers, decide
from specviz.picture.record import record_picture
from specviz.picture.words import DECISION, RECORD
from specviz.trace.records.read import read
from specviz.trace.records.record import RecordError

CASES = Path(__file__).parent / "cases"


def shown(name: str) -> dict:
    [path] = CASES.glob(f"{name}-*")
    return record_picture(read(path))


def notes(name: str) -> dict[str, dict]:
    """The notes of a record, each of which has its sentence."""
    found = dict(shown(name)["notes"])
    assert all("{" not in RECORD[f"note_{key}"].format(**values) for key, values in found.items())
    return found


def refused(name: str) -> str:
    [path] = CASES.glob(f"{name}-*")
    with pytest.raises(RecordError) as caught:
        read(path)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 280
    return said


COUNTS = {  # drafted, accepted, steps
    "13": (180, 120, None),
    "14": (2000, 1020, None),
    "17": (18000, 10020, 6000),
    "18": (1200, 720, 400),
    "26": (200, 160, None),
    "32": (1200, 720, 400),
    "51b": (60, 30, 20),
}
MEANS = {  # tokens a step, share accepted, requests at a time
    "07": (2.175, 0.5875, 32),
    "08": (2.4, 0.7, 24),
    "09": (2.71, None, None),
    "10": (2.4, 0.7, 8),
    "16": (2.5, None, None),
    "24": (2.5, None, None),
    "28": (2.71, 0.57, 8),
    "33": (3.12, None, 7.91),
    "42a": (2.4, 0.7, 16),
    "42b": (2.4, 0.7, 16),
    "44": (2.5, 0.5, 4),
    "45": (2.4, 0.47, 8),
    "51b": (2.5, 0.5, None),
    "54": (2.62, 0.54, 16),
}
COUNTED = [  # what is left out, with its number
    ("08", "idle", {"idle": 1, "all": 4}),
    ("21", "undrafted_pace", {"requests": 2, "pace": "25.0"}),
    ("44", "idle", {"idle": 2, "all": 4}),
    ("45", "idle", {"idle": 1, "all": 2}),
    ("46", "mixed", {"drafted": 2000, "steps": 1000, "K": 3}),
    ("51b", "cancelled", {"requests": 1}),
    ("51b", "warmup", {"requests": 1}),
]
REFUSED = {  # what a refusal says, and what it does not
    "04": (["ngram-mod", "drafted 0 tokens in 699 calls"], "-md"),
    "40": (["broken", "SpecDecoding metrics"], "--speculative-config"),
    "56": (["CSV", "vllm:spec_decode_num_drafts_total"], "without a line"),
    "59": (["2 models", "[49965]", "[45927]"], None),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_read_where_they_stand(name):
    totals = shown(name)["totals"]
    assert (totals["drafted"], totals["accepted"], totals["steps"]) == COUNTS[name]


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_is_of_what_decoded_and_load_is_that_of_the_whole_server(name):
    found = shown(name)
    length, share, load = MEANS[name]
    assert found["totals"]["tokens_per_step"] == pytest.approx(length, abs=0.006)
    assert found["totals"]["accepted_of_drafted"] == (share and pytest.approx(share, abs=0.001))
    assert found["at_once"] == load


@pytest.mark.parametrize(("name", "note", "values"), COUNTED)
def test_what_is_left_out_is_counted(name, note, values):
    assert notes(name)[note] == values


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_named_and_nothing_else_is(name):
    said, (named, other) = refused(name), REFUSED[name]
    assert all(part in said for part in named) and not (other and other in said)


def test_the_most_drafted_is_read_from_what_the_server_says_of_itself():
    assert [shown(name)["K"] for name in ("09", "14", "07", "17")] == [3, 4, 2, 3]


def test_positions_of_a_printed_report_are_its_own():
    at = shown("17")["positions"]
    assert [round(each["of_blocks"], 2) for each in at] == [0.77, 0.54, 0.36]


def test_counts_that_contradict_each_other_are_both_named_and_neither_is_the_rate():
    found = shown("03")
    assert found["totals"]["accepted_of_drafted"] is None and found["evidence"]["missing"] == "contradicted"
    said = RECORD["note_contradicted"].format(**notes("03")["contradicted"])
    assert "128 of 128" in said and "128 of 288" in said


def test_a_share_of_exactly_one_of_llama_cpp_is_said_to_be_what_hybrid_targets_print():
    assert shown("60")["totals"]["accepted_of_drafted"] == 1.0 and "whole" in notes("60")


def test_requests_without_drafts_are_left_out():
    found = shown("21")
    assert found["requests"] == 1 and found["totals"]["tokens_per_second"] == 100


def test_a_prefix_before_a_line_hides_neither_its_time_nor_its_request():
    found = shown("22")
    assert found["requests"] == 2 and [moment["seconds"] for moment in found["moments"]] == [0, 70]


def test_steps_of_different_k_are_tables_of_their_own_and_the_largest_decides():
    found = shown("47")
    assert [(table["K"], table["steps"]) for table in found["tables"]] == [(2, 8000), (4, 7000)]
    assert [at["of_blocks"] for at in found["tables"][1]["positions"]] == [0.75, 0.5, 0.3, 0.25]
    made = decide(found["evidence"], by_numbers(4, c=0.1, v=1.2))
    assert made["by_K"][4][1] == pytest.approx(2.8 / 1.6)
    assert not any(key in ("first", "later", "last") for key, _ in found["means"])


def test_positions_of_steps_that_drafted_different_numbers_are_left_out_with_the_reason():
    found = shown("46")
    assert found["positions"] == [] and not any(key in ("first", "later", "last") for key, _ in found["means"])
    assert found["evidence"]["missing"] == "mixed" and "missing_mixed" in DECISION and found["totals"]["tokens_per_step"] == 1.9


def test_a_count_that_has_another_meaning_says_so():
    assert "v0" in notes("14") and shown("14")["totals"]["tokens_per_step"] == pytest.approx(1228 / 500, abs=1e-4)
    assert "passes" in notes("16")


def test_every_case_is_read_or_refused_here():
    tried = {*COUNTS, *MEANS, *REFUSED, "03", "21", "22", "46", "47", "60"}
    assert {path.name.split("-")[0] for path in CASES.iterdir()} == tried
