"""Whatever a file holds, a visitor sees a run, a record or one sentence: traces and records of every format, damaged in every way."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.page.keep.contents import file_contents
from specviz.trace.file import dumps

from ...fake_trace import fake_trace

EXAMPLES = {
    path.name: path.read_bytes()
    for path in sorted((Path(__file__).parents[2] / "trace" / "records" / "examples").iterdir())
    if path.suffix != ".md"
}
METHODS = {}, {"K": 0}, {"verifier": "match"}, {"verifier": "block"}, {"temperature": 0.0}, {"cancelled": 1}, {"hostile": True}
TRACES = {str(method): dumps(fake_trace("Once", seed=3, max_new_tokens=6, **method)) for method in METHODS}
LONG = b" " * 25_000  # more than a reader looks at in one line
PIECES = [
    b"0", b"-1", b"1e400", b"NaN", b"null", b"true", b'"', b"\\", b"\\ud800", b"\xff", b"\x1b[31m", b"\0", b"\n", b"\r", b"<", b"{", b".", b",",
    b": ", b"[" * 2000, b"9" * 5000, b"12345678901234567890", LONG, "\u2028é\U0001f642".encode(),
]  # fmt: skip
DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(["cut", "insert", "put", "double", "swap"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(1, 40),
        st.sampled_from(PIECES),
    ),
    min_size=1,
    max_size=4,
)


def damaged(data: bytes, kind: str, share: float, long: int, piece: bytes) -> bytes:
    at = int(share * len(data))
    head, part, tail = data[:at], data[at : at + long], data[at + long :]
    return {
        "cut": head + tail,
        "insert": head + piece + part + tail,
        "put": head + piece + tail,
        "double": head + part + part + tail,
        "swap": tail + part + head,
    }[kind]


def sealed(data: bytes) -> bytes:
    """As somebody who edits a trace could seal it."""
    body = data.rpartition(b'{"event":"end"')[0]
    lines = body.count(b"\n")
    return body + b'{"event":"end","lines":%d,"sha256":"%s"}\n' % (lines, sha256(body).hexdigest().encode())


def one_answer(data: bytes) -> None:
    contents = file_contents(data)
    assert contents.about["kind"] in ("run", "record", "refused")
    if contents.about["kind"] == "refused":
        message = contents.about["message"]
        assert message.startswith("The file was not opened") and len(message) < 900 and "\n" not in message


@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=25)
@given(DAMAGE)
def test_a_damaged_record_is_an_answer_or_one_sentence(name, steps):
    data = EXAMPLES[name]
    for step in steps:
        data = damaged(data, *step)
    one_answer(data)


@pytest.mark.parametrize("name", TRACES)
@settings(max_examples=25)
@given(DAMAGE)
def test_a_damaged_trace_that_was_sealed_again_is_an_answer_or_one_sentence(name, steps):
    data = TRACES[name]
    for step in steps:
        data = damaged(data, *step)
    one_answer(sealed(data))


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_that_another_program_wrote_again_is_refused_as_a_trace_alone(name):
    lines = [json.dumps(json.loads(line)).encode() for line in TRACES[name].splitlines()]
    message = file_contents(b"\n".join(lines)).about["message"]
    assert "the file was changed" in message or "the last line" in message
    assert "another engine" not in message


def test_a_file_of_another_engine_is_led_to_the_form_and_five_numbers_that_cannot_be_to_their_bound():
    message = file_contents(b"Accept length: 4.21\n").about["message"]
    assert "read off five numbers: steps, drafted, accepted, K, accepted by position" in message and message.endswith(
        "Five numbers."
    )
    counts = b'{"steps": 4, "drafted": 12, "accepted": %d, "K": 3, "accepted_by_position": null}'
    refused = file_contents(counts % 13).about
    assert refused == {
        "kind": "refused",
        "message": "The five numbers were not taken: accepted must be a whole number from 0 to 12 (drafted), found 13.",
    }
    assert file_contents(counts % 7).about == {"kind": "record", "engine": "another engine"}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_long_line_before_any_word_of_a_record_is_an_answer_or_one_sentence(name):
    for at in [0, *(i + 1 for i, byte in enumerate(EXAMPLES[name]) if byte in b" \n")]:
        one_answer(EXAMPLES[name][:at] + LONG + EXAMPLES[name][at:])


@pytest.mark.parametrize("where", ["spec_decode_other", "id", "model"])
def test_half_a_character_in_a_record_is_shown_as_one_that_is_lost(where):
    request = {"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3}
    one_answer(json.dumps({**request, where: "a \ud800 b"}).encode())
    one_answer(json.dumps({**request, f"{where} \ud800": 7}).encode())
