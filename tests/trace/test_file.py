"""A trace comes back exactly as it was written, and whatever else is in a file is refused in one line that names the place. Reading ends
where nobody wants the rest: soon, whatever is read.
"""

import gzip
import json
import os
import pickle
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specviz.config import DecodeConfig
from specviz.request import PROMPT_LIMIT
from specviz.rules import SAVED as rules_of_saved_runs
from specviz.trace import grammar as rules
from specviz.trace.events import Cache, Emitted, Entry, Finished, Position, Round, Times, Token, Trace
from specviz.trace.file import (
    FILE_LIMIT,
    FieldError,
    Stopped,
    TraceError,
    dumps,
    loads,
    read,
    stop_when,
    unique_fields,
    until_stopped,
    write,
)
from specviz.trace.records.read import loads as read_record

from ..fake_trace import fake_trace

# One token is accepted, one rejected, one never examined; then the run ends on an accepted token, before another draft token.
RUN = fake_trace("the cat", seed=19, K=3, max_new_tokens=5, ends_inside=True, observed=False)
HEADER = replace(RUN.header, prompt='the\n\u2028 "é" ☃ 🙂 \x00 <b>', config=replace(RUN.header.config, stop=("\n\n", "é")))
VANILLA, SPECULATIVE = RUN.vanilla, RUN.speculative
_, REJECTED, ENDED, FINISHED = SPECULATIVE
TRACE = Trace(HEADER, VANILLA, SPECULATIVE)
DATA = dumps(TRACE)
HEADER_LINE, *LINES, SEAL = DATA.splitlines()  # LINES[0] is line 2 of the file
ROUND = 10  # the line of REJECTED


SAVED = Path(__file__).parent / "saved"  # runs by rules that decide none any more


@pytest.mark.parametrize("name", rules_of_saved_runs)
def test_a_saved_run_by_a_rule_that_is_gone_is_read_and_written_as_it_was(name):
    path = SAVED / f"{name}.jsonl"
    trace = read(path)
    assert dumps(trace) == path.read_bytes() and trace.header.config.verifier == name and trace.header.exact is False


def seal(*lines: bytes) -> bytes:
    """A file of these lines with a seal that is right, as someone who edits a trace could make it."""
    body = b"".join(line + b"\n" for line in lines)
    return body + b'{"event":"end","lines":%d,"sha256":"%s"}\n' % (len(lines), sha256(body).hexdigest().encode())


def edited(number: int, change) -> bytes:
    """The file whose line `number` (from 1) went through `change` as an object and was sealed again."""
    lines = [HEADER_LINE, *LINES]
    event = json.loads(lines[number - 1])
    event = change(event) or event
    lines[number - 1] = json.dumps(event).encode()
    return seal(*lines)


def with_json_value(value, *path):
    """A change that puts `value` at `path`."""

    def change(event):
        for step in path[:-1]:
            event = event[step]
        event[path[-1]] = value

    return change


def refused(data: bytes, line: int | None = None, field: str | None = None) -> str:
    with pytest.raises(TraceError) as caught:
        loads(data)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 300 and message.isprintable(), message
    if line is not None:
        assert caught.value.line == line and f"line {line}" in message, message
    if field is not None:
        assert caught.value.field == field and field in message, message
    return message


def test_a_trace_comes_back_exactly_and_a_field_with_a_default_may_be_left_out():
    assert loads(DATA) == TRACE and dumps(loads(DATA)) == DATA
    assert loads(edited(1, lambda header: header["config"].pop("verifier") and None)) == TRACE


def test_a_file_is_lines_of_json_that_people_can_read_and_a_packed_one_is_read_too(tmp_path):
    with (tmp_path / "run.jsonl").open("wb") as file:
        write(TRACE, file)
    lines = (tmp_path / "run.jsonl").read_text("utf-8").split("\n")
    assert lines[0].startswith('{"format":"specviz-trace","version":1,') and "☃" in lines[0]
    assert [json.loads(line)["event"] for line in lines[:-1]] == [
        *("header", "prefill", *5 * ["round"], "finished"),
        *("prefill", "round", "round", "finished", "end"),
    ]
    assert read(tmp_path / "run.jsonl") == read(str(tmp_path / "run.jsonl")) == TRACE
    (tmp_path / "run.jsonl.gz").write_bytes(gzip.compress(dumps(TRACE)))
    assert read(tmp_path / "run.jsonl.gz") == TRACE


numbers = st.floats(0, 1) | st.just(-0.0)


@given(st.text(), numbers, st.floats(0, 1e9), st.integers(0, 2**53 - 1))
def test_any_text_and_number_survives(text, chance, ms, whole):
    entry = Entry(Token(whole, text), chance, None)
    emitted = Emitted(Token(whole, text, True), "plain", text, chance, Position((entry,), chance, None, None, ms, None))
    r = Round(0, (), (emitted,), None, Cache(0, 1, 1), None, 1, 0, Times(ms, 0.0, 0.0, 0.0, 0.0))
    end = Finished("cancelled", text, text, 1, 1, 0, 0, 0, 1, 0, ms, ms, 0.0)
    # of a target of which nobody knows how many tokens it has
    header = replace(HEADER, prompt=text, target=replace(HEADER.target, vocabulary=0))
    trace = Trace(header, (VANILLA[0], r, end), ())
    assert loads(dumps(trace)) == trace


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), "\ud800", object(), 1j, b"x"],
    ids=["nan", "inf", "half a character", "object", "1j", "bytes"],
)
def test_what_json_cannot_carry_is_not_written(value):
    with pytest.raises(TraceError, match="line 2: cannot be written"):
        dumps(Trace(HEADER, (replace(VANILLA[0], target_ms=value), *VANILLA[1:]), ()))


def test_a_file_cut_at_any_byte_or_with_any_one_changed_is_refused():
    for at in range(len(DATA)):
        refused(DATA[:at])
        refused(DATA[:at] + bytes([DATA[at] ^ 1]) + DATA[at + 1 :])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just("\ud800") | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.integers(1, 12), st.lists(st.integers(0, 20), min_size=1, max_size=4), json_values)
def test_no_value_in_any_place_raises_anything_but_a_trace_error(number, path, value):
    def change(event):
        for step in path:
            keys = list(event) if isinstance(event, dict) else range(len(event))
            key = keys[step % len(keys)]
            if not isinstance(event[key], dict | list) or not event[key] or step == path[-1]:
                break
            event = event[key]
        event[key] = value

    try:
        loads(edited(number, change))
    except TraceError as error:
        assert "\n" not in str(error) and len(str(error)) < 300


def test_a_line_taken_out_moved_doubled_or_left_alone_is_refused_even_if_sealed_again():
    lines = [HEADER_LINE, *LINES]
    for i in range(len(lines)):
        refused(seal(*lines[:i], *lines[i + 1 :]))
        refused(seal(*lines[: i + 1], *lines[i:]))
        if i not in (0, 8):  # lines of two lanes may change places
            refused(seal(*lines[: i - 1], lines[i], lines[i - 1], *lines[i + 1 :]))
    for line in LINES:
        refused(seal(HEADER_LINE, line))


@pytest.mark.parametrize(
    ("settings", "engine", "exact", "wrong"),
    [
        ({}, "specviz", True, False),
        ({}, "specviz", None, False),
        ({}, "specviz", False, True),
        ({}, "vLLM", False, False),
        ({"verifier": "typical"}, "specviz", False, False),
        ({"verifier": "typical"}, "specviz", True, True),
        ({"verifier": "typical"}, "vLLM", True, True),
        ({"verifier": "typical", "temperature": 0.0}, "specviz", True, False),
        ({"verifier": "threshold", "theta": 1.0}, "specviz", True, False),
    ],
)
def test_exact_is_what_the_rule_says_and_an_older_trace_does_not_say_it(settings, engine, exact, wrong):
    config = replace(HEADER.config, **{"temperature": 1.0, **settings})
    data = dumps(Trace(replace(HEADER, config=config, engine=engine, exact=exact), VANILLA, ()))
    if wrong:
        assert "by the settings" in refused(data, 1, "exact")
    else:
        assert loads(data).header.exact is exact


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\n", b"\n\n\n", b"{}", b"[]\n", b"null\n", b'"specviz-trace"\n', b'{"a":1}\n{"b":2}\n'),
        *(b'{"format":["specviz-trace"]}\n', b"<!doctype html>\n<html>\n"),
        *(b"\x89PNG\r\n\x1a\n" + bytes(1000), b"\x1f\x8b\x08" + bytes(100)),
        pickle.dumps(TRACE),
        Random(0).randbytes(5000),
        b"\xff\xfe" + '{"format":"specviz-trace"}'.encode("utf-16-le"),
        *(part * 100_000 for part in (b"[", b'{"a":', b"9")),
        b"\xef\xbb\xbf" + DATA,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_what_is_no_trace_is_called_that(data):
    assert refused(data) == "line 1: this is not a specviz trace"


def test_a_file_that_is_not_there_and_a_directory_are_refused(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path, "", "a\0b", "x" * 5000, tmp_path / "none" / "none"):
        with pytest.raises(TraceError, match=r"^trace: (this is not a file|the file cannot be read: .+)$"):
            read(path)


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="this system (Windows) cannot make a named pipe, so there is none to refuse"
)
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TraceError, match="not a file"):
        read(tmp_path / "pipe")


PACKED = gzip.compress(random_bytes := Random(1).randbytes(4000))


@pytest.mark.parametrize("data", [PACKED[:-2000], PACKED[:-8] + bytes(8), PACKED[:3], b"\x1f\x8b\x08\0" + random_bytes])
def test_a_packed_file_that_is_damaged_is_one_sentence(tmp_path, data):
    (tmp_path / "run.jsonl.gz").write_bytes(data)
    with pytest.raises(TraceError, match=r"^trace: the file cannot be unpacked: it is damaged, or it was cut short$"):
        read(tmp_path / "run.jsonl.gz")


def test_a_bomb_is_unpacked_up_to_the_bound_only(tmp_path, monkeypatch):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(4 * FILE_LIMIT), 1))
    sizes, whole = [], gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda file, size: sizes.append(size) or whole(file, size))
    with pytest.raises(TraceError, match=f"the limit is {FILE_LIMIT}"):
        read(tmp_path / "bomb.gz")
    assert sizes == [FILE_LIMIT + 1]


@pytest.mark.parametrize("version", [0, 2, 99, "1", None, 1.5, [1], 10**40])
def test_another_version_is_refused_and_the_one_that_is_read_is_named(version):
    message = refused(edited(1, with_json_value(version, "version")), line=1, field="version")
    assert "reads only version 1" in message


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(200 * 2**20)
    start = perf_counter()
    with pytest.raises(TraceError, match="bytes; the limit is"):
        read(tmp_path / "large")
    assert perf_counter() - start < 1


@pytest.mark.parametrize(
    "data",
    [b"\n" * FILE_LIMIT, b"[" * FILE_LIMIT, HEADER_LINE + b"\n" * 2**24, bytes(FILE_LIMIT + 1)],
    ids=["ends", "open", "header", "zeros"],
)
def test_a_large_file_of_nonsense_is_refused_soon(data):
    start = perf_counter()
    refused(data)
    assert perf_counter() - start < 5


HOSTILE = "<script>\n" * 1000


@pytest.mark.parametrize(
    ("line", "change", "field"),
    [
        (1, with_json_value(1, "colour"), "colour"),
        (1, with_json_value(1, "target", "colour"), "target.colour"),
        (1, with_json_value("1", "machine", "threads"), "machine.threads"),
        (1, with_json_value(-1, "target", "layers"), "target.layers"),
        (1, with_json_value(None, "target"), "target"),
        (1, with_json_value("yesterday", "created"), "created"),
        (1, with_json_value(99, "config", "K"), "config.K"),
        (1, with_json_value(0.01, "config", "temperature"), "config.temperature"),
        (1, with_json_value("maybe", "config", "verifier"), "config.verifier"),
        (2, with_json_value("third", "lane"), "lane"),
        (2, with_json_value(HOSTILE, "event"), "event"),
        (2, lambda event: event.pop("event") and event, "event"),
        (2, lambda event: event.pop("prompt") and event, "prompt"),
        (2, with_json_value([], "prompt"), "prompt"),
        (2, with_json_value(True, "target_ms"), "target_ms"),
        (2, with_json_value(float("nan"), "target_ms"), "target_ms"),
        (2, with_json_value(-0.5, "target_ms"), "target_ms"),
        (2, with_json_value(0.5, "target_positions"), "target_positions"),
        (2, with_json_value(1, "prompt", 0, "partial"), "prompt[0].partial"),
        (2, with_json_value(-1, "prompt", 0, "id"), "prompt[0].id"),
        (ROUND, with_json_value(1.1, "drafted", 0, "p"), "drafted[0].p"),
        (ROUND, with_json_value("kept", "drafted", 0, "verdict"), "drafted[0].verdict"),
        (ROUND, with_json_value(1.5, "residual", "entries", 0, "probability"), "residual.entries[0].probability"),
        (ROUND, with_json_value(-1e-3, "times", "observe"), "times.observe"),
        (ROUND, with_json_value(3, "index"), "index"),
        (12, with_json_value("tired", "reason"), "reason"),
    ],
)
def test_a_wrong_field_is_named(line, change, field):
    message = refused(edited(line, change), line, field)
    assert "<script>\\n<script>\\n<script>\\n<script>\\n<script>\\n" not in message


def test_a_name_that_is_there_twice_is_found_in_one_walk_over_the_names():
    """By counting each name among all of them, a file of half a megabyte took 39 s; these would take an hour."""
    pairs = [(f"key{i}", i) for i in range(300_000)]
    assert unique_fields(pairs) == dict(pairs)
    with pytest.raises(FieldError, match="key299999: is there twice"):
        unique_fields([*pairs, pairs[-1]])


PREFILL = LINES[0]
BROKEN_LINES = {  # a line by its number, and what is said of it
    "a field twice": (2, PREFILL.replace(b'"target_ms":', b'"target_ms":9.0,"target_ms":'), "line 2, target_ms: is there twice"),
    "a field of a token twice": (2, PREFILL.replace(b'"id":1', b'"id":2,"id":1'), "line 2, id: is there twice"),
    "a field of the header twice": (
        1,
        HEADER_LINE.replace(b'"prompt":', b'"prompt":"","prompt":', 1),
        "line 1, prompt: is there twice",
    ),
    "a million wrong fields": (
        2,
        PREFILL.replace(b'"prompt":[', b'"prompt":[' + b"1," * 1_000_000),
        "line 2: more than 1000 fields are wrong",
    ),
    "deep nesting": (2, PREFILL.replace(b":12.0", b":" + b"[" * 100_000 + b"]" * 100_000), "line 2: this is not JSON"),
    **{
        f"{text} in a text": (2, PREFILL.replace(b'"the"', b'"' + text + b'"'), "line 2")
        for text in (b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\\x", b"\t")
    },
}


@pytest.mark.parametrize("name", BROKEN_LINES)
def test_a_line_that_no_writer_wrote_is_refused_in_one_sentence(name):
    number, line, says = BROKEN_LINES[name]
    lines = [HEADER_LINE, *LINES]
    lines[number - 1] = line
    assert refused(seal(*lines), number).startswith(says)


def sealed(lane: str, events) -> bytes:
    return dumps(replace(TRACE, **{lane: tuple(events)}))


D, E = REJECTED.drafted, REJECTED.emitted


@pytest.mark.parametrize(
    ("i", "fields", "field"),
    [
        (0, {"drafted": (D[1], D[0], D[2])}, "drafted[1].verdict"),
        (0, {"drafted": (D[0], D[1], D[1])}, "drafted[2].verdict"),
        (0, {"drafted": (D[0], D[2], D[1])}, "drafted[2].verdict"),
        (0, {"drafted": (*D, D[2])}, "drafted"),
        (0, {"emitted": E[:1]}, "emitted"),
        (0, {"emitted": E[::-1]}, "emitted"),
        (0, {"emitted": (*E, E[1])}, "emitted"),
        (0, {"emitted": ()}, "emitted"),
        (0, {"emitted": (E[0], replace(E[1], role="bonus"))}, "emitted"),
        (0, {"drafted": (), "emitted": E[1:]}, "emitted"),
        (0, {"emitted": (replace(E[0], token=E[1].token), E[1])}, "emitted[0].token"),
        (0, {"emitted": (E[0], replace(E[1], token=Token(512, " sat")))}, "emitted[1].token.id"),
        (0, {"drafted": ENDED.drafted, "emitted": ENDED.emitted, "residual": None}, "emitted"),
        (1, {"residual": REJECTED.residual}, "residual"),
        (1, {"emitted": (*ENDED.emitted, replace(E[1], role="bonus"))}, "emitted"),
        (0, {"target_cache": Cache(0, 1, 2)}, "target_cache.peak"),
        (0, {"draft_cache": Cache(5, 4, 2)}, "draft_cache.peak"),
        (1, {"target_forwards": 0}, "target_forwards"),
    ],
)
def test_a_round_that_contradicts_itself_is_refused(i, fields, field):
    events = list(SPECULATIVE)
    events[i + 1] = replace(events[i + 1], **fields)
    refused(sealed("speculative", events), ROUND + i, field)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((name, 9) for name in ("tokens", "rounds", "drafted", "tested", "accepted")),
        ("text", " cat sat"),
        ("decode_ms", FINISHED.decode_ms + 0.01),
        ("observe_ms", 0.0),
        ("target_forwards", 1),
    ],
)
def test_totals_are_the_sums_over_the_rounds(field, value):
    refused(sealed("speculative", [*SPECULATIVE[:-1], replace(FINISHED, **{field: value})]), 12, field)


def test_vanilla_drafts_nothing_and_no_run_is_longer_than_it_was_asked_to_be():
    refused(dumps(Trace(HEADER, SPECULATIVE, ())), field="drafted")
    refused(dumps(Trace(replace(HEADER, config=DecodeConfig(max_new_tokens=1)), VANILLA, ())), 8, "tokens")


def test_a_block_that_was_all_accepted_ends_with_a_bonus_or_ends_the_run():
    accepted = replace(ENDED, index=0, drafted=ENDED.drafted[:1])
    bonus = replace(accepted, emitted=(*accepted.emitted, replace(E[1], role="bonus")))

    def complaints(*rounds):
        events = [SPECULATIVE[0], *rounds, SPECULATIVE[-1]]
        return [i for i, field, _ in rules.violations("speculative", events, HEADER.config) if field == "emitted"]

    assert complaints(accepted) == complaints(bonus) == complaints(bonus, replace(accepted, index=1)) == []
    assert complaints(accepted, replace(bonus, index=1)) == [1]


def texts(value, path=()) -> list[tuple]:
    """Where each text of a line stands."""
    if isinstance(value, str):
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [event for key, part in inner for event in texts(part, (*path, key))]


TEXTS = [
    (number, path)
    for number, line in enumerate([HEADER_LINE, *LINES], 1)
    for path in texts(json.loads(line))
    if path[-1] not in ("format", "event", "lane")
]


@pytest.mark.parametrize(("number", "path"), TEXTS, ids=str)
def test_every_text_of_a_trace_is_bounded(number, path):
    long = "<" * (PROMPT_LIMIT + 1)
    assert len(refused(edited(number, with_json_value(long, *path)), number)) < 300


def test_a_prompt_is_as_long_as_a_run_takes_one_and_no_longer():
    longest = Trace(replace(HEADER, prompt="<" * PROMPT_LIMIT), VANILLA, SPECULATIVE)
    assert loads(dumps(longest)) == longest
    message = refused(dumps(Trace(replace(HEADER, prompt="<" * (PROMPT_LIMIT + 1)), VANILLA, ())), 1, "prompt")
    assert "must have at most 400,000 characters, found 400,001" in message


REQUEST = json.dumps({"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3})
COUNTER = 'vllm:spec_decode_num_drafts_total{model_name="x"} 5.0'


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (loads, dumps(fake_trace("Once"))),
        (read_record, "\n".join([REQUEST] * 50).encode()),
        (read_record, "\n".join([COUNTER] * 50).encode()),
        (read_record, "\n".join([f"data: {REQUEST}"] * 50).encode()),
        (read_record, b"INFO 11-22 10:00:00 a line of a log\n" * 50),
    ],
    ids=["trace", "requests", "counters", "stream", "log"],
)
def test_reading_is_stopped_between_lines(read, data):
    calls = []

    def stop():
        calls.append(None)
        return len(calls) > 5

    with pytest.raises(Stopped), stop_when(stop):
        read(data)
    assert len(calls) == 6


def test_outside_nobody_is_asked_and_inside_the_last_one_is():
    assert list(until_stopped("abc")) == ["a", "b", "c"]
    with stop_when(lambda: False), pytest.raises(Stopped), stop_when(lambda: True):
        list(until_stopped("abc"))
    assert list(until_stopped("abc")) == ["a", "b", "c"]
