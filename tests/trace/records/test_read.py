"""What other engines record is read by one reader a format: streams, benchmarks, totals, gauges, two scrapes, and five numbers of any
engine. A file that cannot be true, or is none, is one sentence.

examples/README.md says which samples an engine wrote, and which were composed from its documentation and source.
"""

import gzip
import json
import re
from pathlib import Path

import pytest

from specviz.picture.record import record_picture
from specviz.trace.records.document import FILE_LIMIT, JSON_LIMIT
from specviz.trace.records.read import counts, is_counts, loads, read
from specviz.trace.records.record import Acceptance, Moment, RecordError, ServerRecord, difference

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
# of a request, as vLLM gives them in a script
STEPS = {"num_draft_tokens": 50, "num_spec_tokens": 5, "histogram": [3, 0, 4, 0, 0, 3]}


def of(*documents: dict) -> bytes:
    return "\n".join(json.dumps(each) for each in documents).encode()


def refusal_of(data: bytes) -> str:
    """What is said of a file that is not read: one sentence, of a length that a line has room for."""
    with pytest.raises(RecordError) as caught:
        loads(data)
    sentence = str(caught.value)
    assert "\n" not in sentence and len(sentence) < 280
    return sentence


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


def broken(document: dict, *path: str, **fields) -> bytes:
    copy = json.loads(json.dumps(document))
    part = copy
    for name in path:
        part = part[name]
    part.update(fields)
    return of(copy)


FIFTH = {"per_step_accepted": [5, 5, 5, 5, 3, 0, 0, 0, 0, 0], "per_step_drafted": [5, 5, 5, 5, 2, 5, 5, 5, 5, 8]}


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
        (broken(STEPS, **FIFTH), "step 5 accepted 3 tokens, but drafted only 2"),
        (b"sglang:spec_accept_length 2.5\nsglang:spec_num_steps 100000000000\n", "num_spec_tokens must be from 0 to 1000"),
        (broken(STEPS, num_spec_tokens=1001), "num_spec_tokens must be from 0 to 1000, found 1001"),
        (broken(STEPS, per_step_drafted=[1001]), "per_step_drafted must be from 0 to 1000, found 1001"),
        (broken(STEPS, per_step_accepted=[1001]), "per_step_accepted must be from 0 to 1000, found 1001"),
        (of({"num_draft_tokens": 1, "histogram": [0] * 1002}), "the length of acceptance_histogram must be from 0 to 1001"),
        (broken(TIMINGS, "timings", predicted_per_second=10**400), "it must be a number from 0 to 9007199254740991"),
        (METRICS.replace('position="3"} 5.0', 'position="3"} 9.0').replace('one"} 42.0', 'one"} 46.0').encode(), "must not rise"),
        (METRICS.replace("42.0", "42.5").encode(), "must be a whole number, found 42.5"),
        (METRICS.replace('position="3"', 'position="x"').encode(), "position of"),
        (METRICS.replace('engine="1",model_name="a', 'engine="1",model_name="b').encode(), "counts of 2 models"),
        (of({"num_draft_tokens": 10**15, "histogram": [1]}), "1000000000000000 tokens cannot be drafted in 1 steps"),
        (b'[{"name": "vllm:spec_decode_num_drafts", "type": "Counter", "value": 1}]', "labels of"),
        (b'vllm:x{a="' + b'a="' * 50_000 + b"\n", "is not a sample"),
        (b'{"a": "' + b" " * JSON_LIMIT + b'"}', "too many: write one request per line"),
        (b" " * (FILE_LIMIT + 1), "the limit is"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
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


FIVE = {"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}
WHOLE = "must be a whole number from"
A_LIST = "accepted_by_position must be a list of 3 whole numbers, one for each of K, found"
A_NUMBER = "accepted_by_position, number"


def five(**fields: object) -> bytes:
    return json.dumps({**FIVE, **fields}).encode()


def test_five_numbers_are_a_record_of_another_engine_from_the_smallest_to_the_largest():
    part = Acceptance(1200, 720, 400, 3, accepted_per_position=(300, 240, 180))
    assert counts(five()) == ServerRecord("another engine", "counts", (part,))
    assert counts(five(accepted_by_position=None)).parts == (Acceptance(1200, 720, 400, 3),)
    assert counts(five(steps=1, drafted=1, accepted=0, K=1, accepted_by_position=[0])).parts[0].tokens_per_step == 1
    assert counts(five(drafted=1200, accepted=1200, accepted_by_position=[400, 400, 400])).parts[0].tokens_per_step == 4
    largest = five(steps=2**53 - 1, drafted=2**53 - 1, K=1000, accepted=0, accepted_by_position=[0] * 1000)
    assert counts(largest).most_drafted == 1000


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
        ({"accepted_by_position": [401, 200, 119]}, f"{A_NUMBER} 1, {WHOLE} 0 to 400 (steps), found 401"),
        ({"accepted_by_position": [240, 300, 180]}, f"{A_NUMBER} 2, {WHOLE} 0 to 240 (the one before it), found 300"),
        ({"accepted_by_position": [300, 240, -1]}, f"{A_NUMBER} 3, {WHOLE} 0 to 240 (the one before it), found -1"),
        ({"accepted_by_position": [300, 240, 180.5]}, f"{A_NUMBER} 3, {WHOLE} 0 to 240 (the one before it), found 180.5"),
        (b"", "the five numbers are missing"),
        (b"{", "not JSON"),  # by the reader of all documents, whose refusals stand above
        (five() + b"\n" + five(), "must be one JSON object, found 2"),
        (b"{}", "steps is missing"),
        ({"rounds": 4}, "rounds is not one of steps, drafted, accepted, K, accepted_by_position"),
    ],
    ids=str,
)
def test_a_number_that_cannot_be_is_named_with_its_bound_and_what_is_no_object_of_five_is_one_sentence(fields, says):
    with pytest.raises(RecordError) as refused:
        counts(fields if isinstance(fields, bytes) else five(**fields))
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_other_documents_are_not_taken_for_five_numbers():
    assert is_counts(FIVE) and is_counts({"steps": 1, "drafted": 1, "accepted": 1})
    assert not is_counts({**FIVE, "engine": "x"}) and not is_counts({"accepted": 4}) and not is_counts({})


HTTP = json.loads((EXAMPLES / "vllm_http_metrics.json").read_text("utf-8"))
BENCH = {  # the names of vllm/benchmarks/serve.py, 0.26 to 0.32
    "date": "20261120-101500", "endpoint_type": "openai-chat", "backend": "openai-chat", "label": None,
    "model_id": "meta-llama/Llama-3.1-8B-Instruct", "tokenizer_id": "meta-llama/Llama-3.1-8B-Instruct", "num_prompts": 100,
    "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 10, "duration": 42.5, "completed": 100, "failed": 0,
    "total_input_tokens": 21000, "total_output_tokens": 12000, "request_throughput": 2.35, "output_throughput": 282.4,
    "mean_ttft_ms": 61.2, "mean_tpot_ms": 25.0, "median_tpot_ms": 24.1, "p99_tpot_ms": 40.3,
    "spec_decode_acceptance_rate": 55.0, "spec_decode_acceptance_length": 2.65, "spec_decode_num_drafts": 4000,
    "spec_decode_draft_tokens": 12000, "spec_decode_accepted_tokens": 6600,
    "spec_decode_per_position_acceptance_rates": [0.8, 0.5, 0.35],
}  # fmt: skip

COUNTERS = Acceptance(96, 42, 24, 4, accepted_per_position=(16, 13, 8, 5))
BENCHED = Acceptance(
    12000, 6600, 4000, 3, accepted_per_position=(3200, 2000, 1400), completion_tokens=12000, tokens_per_second=40.0
)
TIMED = Acceptance(12, 9, completion_tokens=16, tokens_per_second=40.5)
FORMATS = {  # what a file holds, and what is read of it
    "vLLM's page": (METRICS.encode(), ServerRecord("vLLM", "server", (COUNTERS,))),
    "five numbers": (
        b'{"steps": 24, "drafted": 96, "accepted": 42, "K": 4, "accepted_by_position": [16, 13, 8, 5]}',
        ServerRecord("another engine", "counts", (COUNTERS,)),
    ),
    "vLLM's list": ((EXAMPLES / "vllm_llm_get_metrics.json").read_bytes(), ServerRecord("vLLM", "server", (COUNTERS,))),
    "vLLM's benchmark": (of(BENCH), ServerRecord("vLLM", "bench", (BENCHED,), at_once=10.0)),
    "llama.cpp": (of(TIMINGS), ServerRecord("llama.cpp", "requests", (TIMED,))),
}
FOREIGN = {  # what other engines and benchmarks write
    "vLLM's counters behind another prefix": METRICS.replace("vllm:", "ray_vllm_"),
    "a page of LMDeploy": METRICS.replace("vllm:", "lmdeploy:"),
    "a page of nobody": "acme_draft_tokens_total 5\nacme_x 1\n",
    "a page without drafts": "python_gc_objects_collected_total 9\n",
    "a record of AIPerf": '{"metadata": {}, "spec_decode_acceptance": {"num_draft_tokens": 50, "num_accepted_draft_tokens": 23}}',
    "a response of SGLang": '{"text": "", "meta_info": {"spec_verify_ct": 3, "completion_tokens": 7}}',
    "a benchmark of SGLang": '{"backend": "sglang", "output_throughput": 6148.7, "mean_ttft_ms": 3, "accept_length": 5.86}',
    "a response of TensorRT-LLM": '{"choices": [{"speculative_decoding": {"total_draft_tokens": 8}}]}',
    "a log of TensorRT-LLM": "[TensorRT-LLM] TensorRT-LLM version: 1.0.0\n[11/24/2026-10:00:00] [TRT-LLM] [I] iter = 1\n",
    "a response of LM Studio": '{"choices": [], "stats": {"totalDraftTokensCount": 492, "acceptedDraftTokensCount": 176}}',
    "a response of mlx-vlm": '{"timings": {"draft_rounds": 4, "draft_n": 12, "draft_n_accepted": 9}}',
    "a log of LMDeploy": "[2026-08-21 10:00:10 DP0] Avg thr (in/out): 120.0 / 60.0 tokens/s, SpecDecoding metrics: "
    "Mean acceptance length: 2.87, Accepted: 75 tokens, Drafted: 120 tokens, Per-position acceptance rate: 0.800, 0.600, 0.475\n",
    "a log of vLLM V0": "INFO 02-11 14:50:33 metrics.py:477] Speculative metrics: Draft acceptance rate: 0.510\n",
    "a report of vllm bench serve": "===== Serving Benchmark Result =====\nSuccessful requests: 100\nDrafts: 4000\n",
    "a report of llama-speculative": "n_draft   = 5\nn_drafted = 730\nn_accept  = 420\n",
    "a table": "Time,vllm_spec_decode_num_drafts_total\n1,2\n",
    "a query of Prometheus": '{"status": "success", "data": {"resultType": "vector", "result": [{"metric": '
    '{"__name__": "vllm:spec_decode_num_drafts_total"}, "value": [1, "400"]}]}}',
    "what no engine writes": "good morning",
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_read_as_what_it_is(name):
    data, record = FORMATS[name]
    assert loads(data) == record


def sse(*chunks: dict, end: bool = True) -> str:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + ("data: [DONE]\n\n" if end else "")


def test_the_last_metrics_of_a_stream_are_read_and_two_streams_in_a_file_are_two_requests():
    text = {"id": "a", "choices": [{"delta": {"content": "x"}}], "usage": None}
    last = {"id": "a", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 25}, "metrics": HTTP}
    one = "HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n: ping\n\n" + sse(text, text, last)
    [part] = loads(one.encode()).parts
    assert (part.num_spec_steps, part.prompt_tokens, part.completion_tokens) == (7, 9, 25)
    other = [{**text, "id": "b"}, {**last, "id": "b"}]
    assert len(loads(sse(text, last, *other, end=False).encode()).parts) == 2
    assert loads(sse({"choices": []}, {"choices": [], **TIMINGS}).encode()).parts == loads(of(TIMINGS)).parts


def test_a_request_that_was_ended_from_outside_counts_for_nothing():
    metrics = {"metrics": HTTP, "choices": [{"finish_reason": "abort"}]}
    record = loads(of({"metrics": HTTP}, metrics, {"error": {"message": "no room"}}))
    assert len(record.parts) == 1 and record.notes == (("cancelled", {"requests": 2}),)
    chunks = {"id": "a", "choices": [{"index": 0, "finish_reason": "abort"}]}, {"id": "a", "choices": [], "metrics": HTTP}
    assert "all its requests are left out: 1 that failed" in refusal_of(sse(*chunks).encode())


EXEMPLARS = METRICS.replace(" 20.0\n", ' 20.0 # {trace_id="a}b # c"} 1.0 1795302497.123\n')
EXEMPLARS = EXEMPLARS.replace(" 4.0\n", " 4.0 1795302497000\n")
HEADS = [  # what curl writes before a page, and comments
    "HTTP/1.1 200 OK\r\ndate: Tue, 24 Nov 2026 14:04:04 GMT\r\ncontent-type: text/plain\r\n\r\n",
    "HTTP/1.1 307 Temporary Redirect\r\nlocation: /metrics/\r\n\r\nHTTP/2 200\r\ncontent-type: text/plain\r\n\r\n",
    "# saved after the run\n\n#python_gc_objects 3\n",
]
# with lines of HELP and TYPE, and without
PAGES = [page for head in HEADS for page in (head + METRICS, head + METRICS.split("\n", 2)[2])]


@pytest.mark.parametrize("page", [(EXEMPLARS + "# EOF\n").encode(), METRICS.encode("utf-16"), *map(str.encode, PAGES)])
def test_a_page_is_the_same_with_exemplars_times_heads_and_comments_and_in_utf_16(page):
    assert loads(page) == loads(METRICS.encode())


def test_a_response_is_read_after_the_head_that_curl_writes():
    assert loads(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n" + of(TIMINGS)) == loads(of(TIMINGS))


def test_a_counter_of_speculation_that_nobody_knows_is_kept_and_a_histogram_by_its_count():
    more = METRICS + 'vllm:spec_decode_num_wasted_total{engine="0"} 7.0\n'
    assert loads(more.encode()).unread == (("vllm:spec_decode_num_wasted_total", "7.0"),)
    assert loads(METRICS.encode()).unread == ()  # when a counter began is no counter
    listed = json.loads((EXAMPLES / "vllm_llm_get_metrics.json").read_text("utf-8"))
    histogram = {"name": "vllm:spec_decode_naps", "type": "Histogram", "labels": {"engine": "0"}}
    histogram |= {"count": 7, "sum": 9.5, "buckets": {"1.0": 3, "+Inf": 7}}
    record = loads(json.dumps([histogram, *listed]).encode())
    assert record.parts == read(EXAMPLES / "vllm_llm_get_metrics.json").parts
    assert record.unread == (("vllm:spec_decode_naps_count", "7"),)


@pytest.mark.parametrize(
    ("document", "path", "name"),
    [
        ({"metrics": HTTP}, ("metrics", "speculative_decoding"), "num_trees"),
        (TIMINGS, ("timings",), "draft_ms"),
        (TIMINGS, ("timings",), "spec_naps"),
        (BENCH, (), "spec_decode_naps"),
    ],
)
def test_an_unknown_field_of_a_request_is_kept_with_its_value(document, path, name):
    assert loads(of(document)).unread == ()
    assert loads(broken(document, *path, **{name: 3})).unread == ((name, "3"),)


def test_the_gauges_of_sglang_are_read_and_that_of_its_rate_of_2025_is_not_taken_for_accepted_of_drafted():
    record = read(EXAMPLES / "sglang_0.5_metrics.txt")
    assert (record.engine, record.of, record.parts, record.most_drafted, record.at_once) == ("SGLang", "gauges", (), 3, 9.0)
    assert record.moments == (Moment(2.8, 0.6, running=9.0),)
    assert record.unread == (("sglang:spec_cap_length", "5.0"),)
    page = "sglang:spec_accept_length 2.8\nsglang:spec_accept_rate 0.7\n"  # 2.8 ÷ 4
    assert loads(page.encode()).moments[0].accepted_of_drafted is None
    assert loads((page + "sglang:spec_num_steps 3\n").encode()).moments[0].accepted_of_drafted == pytest.approx(0.6)


def later(factor: int = 2) -> str:
    """The page of METRICS once the server has counted `factor` times as much."""
    lines = [line.rsplit(" ", 1) for line in METRICS.splitlines()]
    return "".join(
        f"{a} {float(b) * factor}\n" if a.startswith("vllm:spec") and "created" not in a else f"{a} {b}\n" for a, b in lines
    )


def test_two_scrapes_are_one_difference_and_counters_give_how_many_steps_kept_how_many():
    first, second = loads(METRICS.encode()), loads(later(3).encode())
    delta = difference(first, second)
    assert delta.of == "difference"
    fresh = difference(loads(later(0).encode(), fresh=True), first)  # the server had counted nothing yet
    assert fresh.parts == first.parts
    assert delta.parts == (Acceptance(192, 84, 48, 4, accepted_per_position=(32, 26, 16, 10)),)
    assert COUNTERS.histogram == (8, 3, 5, 3, 5)


def test_two_files_that_are_no_two_scrapes_of_one_server_are_refused():
    first, second = loads(METRICS.encode()), loads(later().encode())
    for a, b, says in (
        (second, first, "earlier file first"),
        (first, first, "send requests in between"),
        (first, loads(of(TIMINGS)), "from vLLM, the second from llama.cpp"),
        (first, loads(of({"metrics": HTTP})), "the second file is not a metrics page"),
        (read(EXAMPLES / "sglang_0.5_metrics.txt"),) * 2 + ("cannot be subtracted",),
    ):
        with pytest.raises(RecordError, match=says):
            difference(a, b)


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])")
ODD = ("-1", "0", "0.5", "5e-324", "1001", "9007199254740991", "1" + "0" * 400, "1e308", "1e999")


def example(name: str) -> str:
    return (EXAMPLES / name).read_text("utf-8")


DOCUMENTS = {"bench": [BENCH], "llama": [TIMINGS], "vllm": [{"metrics": HTTP}]}
RECORDS = {
    **{name: of(*each).decode() for name, each in DOCUMENTS.items()},
    "vllm's page": METRICS,
    "sglang's page": example("sglang_0.5_metrics.txt"),
    "vllm's list": example("vllm_llm_get_metrics.json"),
    "vllm's log": "\n".join(example("vllm_0.32_log.txt").splitlines()[:4]),
    "sglang's log": "\n".join(example("sglang_0.5_log.txt").splitlines()[-2:]),
    "llama's log": example("llamacpp_2026-06_log.txt"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_an_odd_number_anywhere_is_read_and_drawn_or_refused_in_one_sentence(name):
    text, numbers = RECORDS[name], []
    for match in NUMBER.finditer(text):
        for odd in ODD:
            try:
                record_picture(loads((text[: match.start()] + odd + text[match.end() :]).encode()))
            except RecordError as error:
                numbers.append(str(error))
    assert numbers and all("\n" not in each and len(each) < 280 for each in numbers)
