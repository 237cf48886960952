"""Five numbers of any engine: checked against each other, and refused in one sentence that names the field and its bound."""

import json

import pytest

from specviz.trace.records.counts import is_counts, loads
from specviz.trace.records.record import Acceptance, RecordError, ServerRecord

FIVE = {"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}
WHOLE = "must be a whole number from"
A_LIST, NUMBER = (
    "accepted_by_position must be a list of 3 whole numbers, one for each of K, found",
    "accepted_by_position, number",
)


def of(**fields: object) -> bytes:
    return json.dumps({**FIVE, **fields}).encode()


def test_five_numbers_are_a_record_of_another_engine():
    part = Acceptance(1200, 720, 400, 3, accepted_per_position=(300, 240, 180))
    assert loads(of()) == ServerRecord("another engine", "counts", (part,))
    assert loads(of(accepted_by_position=None)).parts == (Acceptance(1200, 720, 400, 3),)


def test_the_smallest_and_the_largest_that_can_be_are_taken():
    assert loads(of(steps=1, drafted=1, accepted=0, K=1, accepted_by_position=[0])).parts[0].tokens_per_step == 1
    assert loads(of(drafted=1200, accepted=1200, accepted_by_position=[400, 400, 400])).parts[0].tokens_per_step == 4
    assert loads(of(steps=2**53 - 1, drafted=2**53 - 1, K=1000, accepted=0, accepted_by_position=[0] * 1000)).most_drafted == 1000


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"steps": 0}, f"steps {WHOLE} 1 to 9007199254740991, found 0"),
        ({"steps": None}, "steps is missing; it must be a whole number from 1"),
        ({"steps": 2**53}, f"steps {WHOLE} 1 to 9007199254740991"),
        ({"steps": 400.0}, f"steps {WHOLE} 1 to 9007199254740991, found 400.0"),
        ({"steps": True}, f"steps {WHOLE} 1 to 9007199254740991, found True"),
        ({"steps": "400"}, f"steps {WHOLE} 1 to 9007199254740991, found '400'"),
        ({"K": 0}, f"K {WHOLE} 1 to 1000, found 0"),
        ({"K": 1001}, f"K {WHOLE} 1 to 1000, found 1001"),
        ({"drafted": 1201}, f"drafted {WHOLE} 1 to 1200 (steps · K), found 1201"),
        ({"drafted": 0}, f"drafted {WHOLE} 1 to 1200 (steps · K), found 0"),
        ({"accepted": 1201}, f"accepted {WHOLE} 0 to 1200 (drafted), found 1201"),
        ({"accepted": -1}, f"accepted {WHOLE} 0 to 1200 (drafted), found -1"),
        ({"accepted": 719}, "accepted_by_position must sum up to accepted, 719, found 720"),
        ({"accepted_by_position": [300, 240]}, f"{A_LIST} 2 of them"),
        ({"accepted_by_position": []}, f"{A_LIST} 0 of them"),
        ({"accepted_by_position": 720}, f"{A_LIST} 720"),
        ({"accepted_by_position": [401, 200, 119]}, f"{NUMBER} 1, {WHOLE} 0 to 400 (steps), found 401"),
        ({"accepted_by_position": [240, 300, 180]}, f"{NUMBER} 2, {WHOLE} 0 to 240 (the one before it), found 300"),
        ({"accepted_by_position": [300, 240, -1]}, f"{NUMBER} 3, {WHOLE} 0 to 240 (the one before it), found -1"),
        ({"accepted_by_position": [300, 240, 180.5]}, f"{NUMBER} 3, {WHOLE} 0 to 240 (the one before it), found 180.5"),
        ({"rounds": 4}, "rounds is not one of steps, drafted, accepted, K, accepted_by_position"),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_that_cannot_be_is_named_with_its_bound(fields, says):
    with pytest.raises(RecordError) as refused:
        loads(of(**fields))
    assert says in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the five numbers are missing"),
        (b"{", "not JSON"),
        (b"[1, 2]", "it must hold JSON objects"),
        (of() + b"\n" + of(), "must be one JSON object, found 2"),
        (b'{"steps": NaN}', "NaN is not a number"),
        (b'{"steps": 1, "steps": 2}', "is there twice"),
        (b"{}", "steps is missing"),
        (b'{"steps": ' + b"9" * 6000 + b"}", "too many digits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_object_of_five_numbers_is_one_sentence(data, says):
    with pytest.raises(RecordError, match=says):
        loads(data)


def test_other_documents_are_not_taken_for_five_numbers():
    assert is_counts(FIVE) and is_counts({"steps": 1, "drafted": 1, "accepted": 1})
    assert not is_counts({**FIVE, "engine": "x"}) and not is_counts({"accepted": 4}) and not is_counts({})
