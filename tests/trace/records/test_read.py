"""What other engines record is read by one reader a format; a file that cannot be true, or is none, is one sentence.

examples/README.md says which samples an engine wrote, and which were composed from its documentation and source.
"""

import gzip
import json
from pathlib import Path

import pytest

from specviz.trace.records.document import FILE_LIMIT, JSON_LIMIT
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import RecordError

EXAMPLES = Path(__file__).parent / "examples"

METRICS = """# HELP vllm:spec_decode_num_drafts_total Number of spec decoding drafts.
# TYPE vllm:spec_decode_num_drafts_total counter
vllm:spec_decode_num_drafts_total{engine="0",model_name="a \\"quoted\\" one"} 20.0
vllm:spec_decode_num_drafts_total{engine="1",model_name="a \\"quoted\\" one"} 4.0
vllm:spec_decode_num_drafts_created{engine="0",model_name="a \\"quoted\\" one"} 1.795302497e+09
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="a \\"quoted\\" one"} 96.0
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="a \\"quoted\\" one"} 42.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="a \\"quoted\\" one",position="0"} 16.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="a \\"quoted\\" one",position="1"} 13.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="a \\"quoted\\" one",position="2"} 8.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="a \\"quoted\\" one",position="3"} 5.0
vllm:num_requests_running{engine="0"} NaN
"""
TIMINGS = {"timings": {"predicted_n": 16, "predicted_per_second": 40.5, "draft_n": 12, "draft_n_accepted": 9}}
STEPS = {
    "num_draft_tokens": 50,
    "num_spec_tokens": 5,
    "histogram": [3, 0, 4, 0, 0, 3],
}  # of a request, as vLLM gives them in a script


def of(*documents: dict) -> bytes:
    return "\n".join(json.dumps(each) for each in documents).encode()


def refusal_of(data: bytes) -> str:
    """What is said of a file that is not read: one sentence, of a length that a line has room for."""
    with pytest.raises(RecordError) as caught:
        loads(data)
    sentence = str(caught.value)
    assert "\n" not in sentence and len(sentence) < 280
    return sentence


# ---- each format ----


def test_steps_of_a_request_are_read_as_vllm_gives_them_in_a_script_and_over_http():
    script, http = (read(EXAMPLES / f"vllm_{name}.json") for name in ("completion_output_spec_decode_metrics", "http_metrics"))
    assert (script.engine, script.of, len(script.parts)) == ("vLLM", "requests", 1)
    [a], [b] = script.parts, http.parts
    assert a.per_step_accepted == (3, 4, 4, 3, 2, 0, 2, 2, 0, 4) and a.per_step_drafted == (4,) * 10
    assert (a.num_spec_steps, a.num_accepted_draft_tokens, a.num_draft_tokens, a.num_spec_tokens) == (10, 24, 40, 4)
    assert (b.num_spec_steps, b.num_accepted_draft_tokens, b.acceptance_histogram) == (7, 18, (1, 0, 2, 2, 2))
    assert b.tokens_per_second is None  # it said null


def test_whole_responses_of_vllm_a_line_each_carry_their_pace_and_those_without_are_counted():
    metrics = json.loads((EXAMPLES / "vllm_http_metrics.json").read_text("utf-8"))
    response = {"choices": [], "usage": {"completion_tokens": 26}, "metrics": {**metrics, "tokens_per_second": 52.5}}
    record = loads(of(response, {"choices": [], "metrics": None}, response))
    assert [part.tokens_per_second for part in record.parts] == [52.5, 52.5] and record.silent == 1
    assert record.parts[0].completion_tokens == 26


# ---- what is refused ----


def broken(document: dict, *path: str, **fields) -> bytes:
    copy = json.loads(json.dumps(document))
    part = copy
    for name in path:
        part = part[name]
    part.update(fields)
    return of(copy)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"\xff\x00garbage", "neither text nor"),
        (gzip.compress(b"spec_decode_num_drafts_total 1"), "packed by gzip: unpack it"),
        (b"good morning", "read off five numbers"),
        (b"vllm:a 1\ngood morning", "line 2 is not a sample of a metric"),
        (b"{", "not JSON"),
        (b"[1, 2]", "it must hold JSON objects"),
        (b'{"a": 1}', "read off five numbers"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1, "a": 2}', "is there twice"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a": ' + b"9" * 6000 + b"}", "too many digits"),
        (b'{"a": 1}\n' * 3 + b"{", "line 4 is not JSON"),
        (b'{"timings": {"draft_n": 1, "draft_n_accepted": 1}}\n[]', "line 2 must be a JSON object"),
        (of(TIMINGS, STEPS), "entry 2 is a response of vLLM, those before it a response of llama.cpp"),
        (broken(TIMINGS, "timings", draft_n=8), "9 tokens were accepted of 8 drafted"),
        (broken(TIMINGS, "timings", draft_n=-1), "draft_n is -1; it must be a whole number from 0"),
        (broken(TIMINGS, "timings", draft_n=1e3), "draft_n is 1000.0; it must be a whole number"),
        (broken(TIMINGS, "timings", draft_n=True), "draft_n is True; it must be a whole number"),
        (broken(TIMINGS, "timings", draft_n=2**60), "it must be a whole number from 0 to 9007199254740991"),
        (broken(TIMINGS, "timings", predicted_per_second="fast"), "predicted_per_second is fast;"),
        (b'{"timings": {"draft_n": 1, "draft_n_accepted": 1, "predicted_per_second": 1e999}}', "is inf; it must be a number"),
        (b'{"timings": {"draft_n": 1}}', "draft_n_accepted is missing"),
        (broken(STEPS, num_spec_steps=11), "gives 10, but num_spec_steps gives 11: they must agree"),
        (broken(STEPS, num_accepted_draft_tokens=24), "gives 23, but num_accepted_draft_tokens gives 24"),
        (broken(STEPS, num_spec_tokens=4), "cannot be drafted in 10 steps of at most 4"),
        (broken(STEPS, histogram={"2": 1}), "histogram is {'2': 1}; it must be a list of whole numbers"),
        (broken(STEPS, per_step_accepted=[9] * 10), "per_step_accepted, summed up, gives 90"),
        (broken(STEPS, per_step_accepted=[23]), "the length of per_step_accepted gives 1"),
        (broken(STEPS, per_step_accepted=[5, 5, 5, 5, 3, 0, 0, 0, 0, 0], per_step_drafted=[5] * 4 + [2, 5, 5, 5, 5, 8]), "step 5 accepted 3 tokens, but drafted only 2"),
        (b"sglang:spec_accept_length 2.5\nsglang:spec_num_steps 100000000000\n", "num_spec_tokens must be from 0 to 1000"),
        (broken(STEPS, num_spec_tokens=1001), "num_spec_tokens must be from 0 to 1000, found 1001"),
        (broken(STEPS, per_step_drafted=[1001]), "per_step_drafted must be from 0 to 1000, found 1001"),
        (broken(STEPS, per_step_accepted=[1001]), "per_step_accepted must be from 0 to 1000, found 1001"),
        (of({"num_draft_tokens": 1, "histogram": [0] * 1002}), "the length of acceptance_histogram must be from 0 to 1001, found 1002"),
        (broken(TIMINGS, "timings", predicted_per_second=10**400), "it must be a number from 0 to 9007199254740991"),
        (METRICS.replace("position=\"3\"} 5.0", "position=\"3\"} 9.0").replace("total{engine=\"0\",model_name=\"a \\\"quoted\\\" one\"} 42.0", "total{engine=\"0\",model_name=\"a \\\"quoted\\\" one\"} 46.0").encode(), "must not rise"),
        (METRICS.replace("42.0", "42.5").encode(), "must be a whole number, found 42.5"),
        (METRICS.replace("position=\"3\"", "position=\"x\"").encode(), "position of"),
        (METRICS.replace('engine="1",model_name="a', 'engine="1",model_name="b').encode(), "counts of 2 models"),
        (of({"num_draft_tokens": 10**15, "histogram": [1]}), "1000000000000000 tokens cannot be drafted in 1 steps"),
        (b'[{"name": "vllm:spec_decode_num_drafts", "type": "Counter", "value": 1}]', "labels of"),
        (b'vllm:x{a="' + b'a="' * 50_000 + b"\n", "is not a sample"),
        (b'{"a": "' + b" " * JSON_LIMIT + b'"}', "too many: write one request per line"),
        (b" " * (FILE_LIMIT + 1), "the limit is"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_file_that_is_none_or_cannot_be_true_is_one_sentence(data, says):
    assert says in refusal_of(data)


def test_more_lines_and_more_chunks_than_are_read_are_refused_by_their_number(monkeypatch):
    monkeypatch.setattr("specviz.trace.records.document.REQUESTS", 1)
    assert refusal_of(of(TIMINGS, TIMINGS)) == "the file has more than 1 lines"
    assert refusal_of(b'data: {"id": "x"}\n\n' * 21) == "the file has more than 20 chunks"


def test_a_path_that_leads_nowhere_is_one_sentence_too(tmp_path):
    for path, says in ((tmp_path, "not a file"), (tmp_path / "missing", "no such file"), ("nul\0", "no such file")):
        with pytest.raises(RecordError, match=says):
            read(path)
