"""Streams, benchmarks, totals, gauges, two scrapes: each is read as what it is, and the rest of the file is kept or named."""

import json
import re

import pytest

from specviz.picture.record import record_picture
from specviz.trace.records.difference import difference
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import Acceptance, Moment, RecordError, ServerRecord
from specviz.trace.records.watched import saved_line

from .test_read import AIPERF, EXAMPLES, LLAMA, METRICS, SGLANG, STUDIO, TENSORRT, TIMINGS, broken, of, refusal_of

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

RUN = {"backend": "sglang", "output_throughput": 6148.7, "concurrency": 142.34, "accept_length": 5.86}  # sglang.bench_serving
TOTALS = {
    "request_throughput": {"unit": "requests/sec", "avg": 3.0},
    "spec_decode_acceptance_length": {"unit": "ratio", "avg": 3.25, "p50": 3.1},
    "total_spec_decode_steps": {"unit": "count", "avg": 16.0},
    "total_accepted_draft_tokens": {"unit": "tokens", "avg": 36.0},
    "total_draft_tokens": {"unit": "tokens", "avg": 64.0},
    "pooled_spec_decode_acceptance_histogram": {"0": 2, "1": 2, "2": 4, "3": 6, "4": 2},
}


DETAILS = SGLANG["meta_info"]
OLDER = {"completion_tokens": 7, "spec_verify_ct": 3, "spec_accept_token_num": 3, "spec_draft_token_num": 21}
NEWER = {
    "completion_tokens": 2, "prompt_tokens": 7, "spec_verify_ct": 1, "spec_proposed_drafts": 5, "spec_accepted_drafts": 1,
    "spec_accept_histogram": [0, 1, 0, 0, 0, 0], "spec_accept_rate": 0.2,
}  # fmt: skip
ROUTER = [{"speculative_num_steps": 3, "internal_states": [{"avg_spec_accept_length": mean}]} for mean in (2.0, 3.0)]
COUNTERS = Acceptance(96, 42, 24, 4, accepted_per_position=(16, 13, 8, 5))
STEPS = Acceptance(21, 3, 3, acceptance_histogram=(1, 1, 1), completion_tokens=7)
SHARE = Acceptance(492, 176, completion_tokens=40, tokens_per_second=17.9)
FORMATS = {  # what a file holds, and what is read of it
    "vLLM's page": (METRICS.encode(), ServerRecord("vLLM", "server", (COUNTERS,))),
    "vLLM's list": ((EXAMPLES / "vllm_llm_get_metrics.json").read_bytes(), ServerRecord("vLLM", "server", (COUNTERS,))),
    "vLLM's benchmark": (
        of(BENCH),
        ServerRecord("vLLM", "bench", (Acceptance(
            12000, 6600, 4000, 3, accepted_per_position=(3200, 2000, 1400), completion_tokens=12000, tokens_per_second=40.0
        ),), at_once=10.0),
    ),
    "AIPerf, whose histogram is sparse": (
        of(AIPERF),
        ServerRecord("vLLM", "requests", (Acceptance(50, 23, 10, 5, acceptance_histogram=(3, 0, 4, 0, 0, 3), tokens_per_second=61.5),)),
    ),
    "AIPerf's totals": (
        json.dumps(TOTALS, indent=1).encode(),
        ServerRecord("another engine", "bench", (Acceptance(64, 36, 16, acceptance_histogram=(2, 2, 4, 6, 2)),)),
    ),
    "SGLang": (of(SGLANG), ServerRecord("SGLang", "requests", (STEPS,))),
    "SGLang's choices": (of({"choices": [SGLANG]}), ServerRecord("SGLang", "requests", (STEPS,))),
    "SGLang's extension": (of({"sglext": {"spec_tokens_details": DETAILS}}), ServerRecord("SGLang", "requests", (STEPS,))),
    "older names of SGLang": (
        of({"meta_info": OLDER}), ServerRecord("SGLang", "requests", (Acceptance(21, 3, 3, completion_tokens=7),))
    ),
    "newer names of SGLang": (
        of({"meta_info": NEWER}),
        ServerRecord("SGLang", "requests", (Acceptance(5, 1, 1, None, (0, 1, 0, 0, 0, 0), completion_tokens=2, prompt_tokens=7),)),
    ),
    "SGLang's benchmark": (
        of(RUN),
        ServerRecord(
            "SGLang", "bench", at_once=142.34, moments=(Moment(tokens_per_step=5.86, running=142.34, tokens_per_second=6148.7),)
        ),
    ),
    "llama.cpp's page": (LLAMA.encode(), ServerRecord("llama.cpp", "server", (Acceptance(600, 480, 200, tokens_per_second=125.0),))),
    "llama.cpp": (
        of(TIMINGS), ServerRecord("llama.cpp", "requests", (Acceptance(12, 9, completion_tokens=16, tokens_per_second=40.5),))
    ),
    "TensorRT-LLM": (
        json.dumps([TENSORRT, {"request_perf_metrics": TENSORRT["perf_metrics"]}]).encode(),
        ServerRecord("TensorRT-LLM", "requests", (Acceptance(24, 12),) * 2),
    ),
    "LM Studio": (of(STUDIO), ServerRecord("LM Studio", "requests", (SHARE,))),
    "LM Studio, counts beside the usage": (
        of({"usage": {"completion_tokens": 40, **STUDIO["stats"]}, "stats": {"tokens_per_second": 17.9}}),
        ServerRecord("LM Studio", "requests", (SHARE,)),
    ),
    "TensorRT-LLM's counters": (
        b"trtllm_spec_decode_num_draft_tokens_total 96\ntrtllm_spec_decode_num_accepted_tokens_total 42\n"
        b"trtllm_spec_decode_acceptance_length 2.5\ntrtllm_spec_decode_naps 3\n",
        ServerRecord("TensorRT-LLM", "server", (Acceptance(96, 42),), unread=(("trtllm_spec_decode_naps", "3.0"),)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_read_as_what_it_is(name):
    data, record = FORMATS[name]
    assert loads(data) == record


def test_counters_give_how_many_steps_kept_how_many():
    assert COUNTERS.histogram == (8, 3, 5, 3, 5)


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


def test_streams_of_sglang_and_llama_cpp_count_what_came_last():
    growing = [
        {
            "text": "…",
            "meta_info": {
                **SGLANG["meta_info"],
                "id": "r",
                "spec_verify_ct": n,
                "completion_tokens": n,
                "spec_correct_drafts_histogram": [n - 2, 1, 1],
            },
        }
        for n in (2, 3)
    ]
    assert [part.num_spec_steps for part in loads(sse(*growing).encode()).parts] == [3]
    assert loads(sse({"choices": []}, {"choices": [], **TIMINGS}).encode()).parts == loads(of(TIMINGS)).parts


def test_results_of_several_benchmarks_have_no_load_in_common():
    record = loads(of(BENCH, {**BENCH, "max_concurrency": 20}))
    assert record.at_once is None and len(record.parts) == 2


EXEMPLARS = METRICS.replace(" 20.0\n", ' 20.0 # {trace_id="a}b # c"} 1.0 1795302497.123\n').replace(
    " 4.0\n", " 4.0 1795302497000\n"
)
HEADS = [  # what curl writes before a page, and comments
    "HTTP/1.1 200 OK\r\ndate: Tue, 24 Nov 2026 14:04:04 GMT\r\ncontent-type: text/plain\r\n\r\n",
    "HTTP/1.1 307 Temporary Redirect\r\nlocation: /metrics/\r\n\r\nHTTP/2 200\r\ncontent-type: text/plain\r\n\r\n",
    "# saved after the run\n\n#python_gc_objects 3\n",
]
PAGES = [
    page for head in HEADS for page in (head + METRICS, head + METRICS.split("\n", 2)[2])
]  # with lines of HELP and TYPE, and without


@pytest.mark.parametrize("page", [(EXEMPLARS + "# EOF\n").encode(), METRICS.encode("utf-16"), *map(str.encode, PAGES)])
def test_a_page_is_the_same_with_exemplars_times_heads_and_comments_and_in_utf_16(page):
    assert loads(page) == loads(METRICS.encode())


def test_a_response_is_read_after_the_head_that_curl_writes():
    assert loads(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n" + of(TIMINGS)) == loads(of(TIMINGS))


def test_a_counter_of_speculation_that_nobody_knows_is_kept():
    more = METRICS + 'vllm:spec_decode_num_wasted_total{engine="0"} 7.0\n'
    assert loads(more.encode()).unread == (("vllm:spec_decode_num_wasted_total", "7.0"),)
    assert loads(METRICS.encode()).unread == ()  # when a counter began is no counter
    assert loads((LLAMA + "llamacpp:spec_decode_sleeps 3\n").encode()).unread == (("llamacpp:spec_decode_sleeps", "3.0"),)


@pytest.mark.parametrize(
    ("document", "path", "name"),
    [
        ({"metrics": HTTP}, ("metrics", "speculative_decoding"), "num_trees"),
        (AIPERF, ("spec_decode_acceptance",), "entropy"),
        (SGLANG, ("meta_info",), "spec_naps"),
        (TIMINGS, ("timings",), "draft_ms"),
        (TIMINGS, ("timings",), "spec_naps"),
        ({"sglext": {"spec_tokens_details": SGLANG["meta_info"]}}, ("sglext", "spec_tokens_details"), "naps"),
        ({"choices": [SGLANG], "sglext": {"spec_tokens_details": {}}}, ("sglext", "spec_tokens_details"), "naps"),
        (STUDIO, ("stats",), "accepted_ratio"),
        (TENSORRT, ("perf_metrics", "speculative_decoding"), "naps"),
        (BENCH, (), "spec_decode_naps"),
        (RUN, (), "accept_histogram"),
        (RUN, (), "spec_verify_ct"),
        (TOTALS, (), "spec_decode_naps"),
        (TOTALS, (), "total_spec_naps"),
        (TOTALS, (), "total_draft_naps"),
    ],
)
def test_an_unknown_field_of_a_request_is_kept_with_its_value(document, path, name):
    assert loads(of(document)).unread == ()
    assert loads(broken(document, *path, **{name: 3})).unread == ((name, "3"),)


def test_a_second_choice_of_sglang_is_named_since_the_first_is_read():
    second = {"meta_info": {**SGLANG["meta_info"], "spec_verify_ct": 5}}
    record = loads(of({"choices": [SGLANG, second]}))
    assert record.parts == loads(of(SGLANG)).parts and record.unread == (("choices[1]", "5"),)
    chunks = [{"choices": [{"index": i, **each}]} for i, each in ((0, SGLANG), (1, second), (0, SGLANG))]
    assert loads(sse(*chunks).encode()) == record


def test_unknown_counters_of_a_watched_server_are_saved_and_shown():
    page = METRICS + 'vllm:spec_decode_num_wasted_total{engine="0"} 7.0\n'
    record = loads(of(saved_line(0.0, loads(page.encode())), saved_line(3.0, loads(later(2).encode()))))
    assert record.unread == (("vllm:spec_decode_num_wasted_total", "7.0"),)
    assert "unread must have names" in refusal_of(b'{"specviz": "server", "engine": "vLLM", "seconds": 0, "unread": [1]}')


def test_the_gauges_of_sglang_are_read_of_the_model_that_is_served():
    record = read(EXAMPLES / "sglang_0.5_metrics.txt")
    assert (record.engine, record.of, record.parts, record.most_drafted, record.at_once) == ("SGLang", "gauges", (), 3, 9.0)
    assert record.moments == (Moment(0.0, 2.8, 0.6, running=9.0, tokens_per_second=437.17),)
    assert record.unread == (("sglang:spec_cap_length", "5.0"),)


def test_the_gauge_of_sglangs_rate_of_2025_is_not_taken_for_accepted_of_drafted():
    page = "sglang:spec_accept_length 2.8\nsglang:spec_accept_rate 0.7\n"  # 2.8 ÷ 4
    assert loads(page.encode()).moments[0].accepted_of_drafted is None
    assert loads((page + "sglang:spec_num_steps 3\n").encode()).moments[0].accepted_of_drafted == pytest.approx(0.6)


def test_what_a_router_says_of_its_decode_workers_is_read_of_them_all():
    record = loads(of({"prefill": [{"internal_states": [{"last_gen_throughput": 0}]}], "decode": ROUTER}))
    assert (record.engine, record.num_spec_tokens, record.moments[0].tokens_per_step) == ("SGLang", 3, 2.5)


def test_a_histogram_of_get_metrics_is_kept_by_its_count():
    listed = json.loads((EXAMPLES / "vllm_llm_get_metrics.json").read_text("utf-8"))
    histogram = {
        "name": "vllm:spec_decode_naps", "type": "Histogram", "labels": {"engine": "0"}, "count": 7, "sum": 9.5, "buckets": {"1.0": 3, "+Inf": 7}
    }  # fmt: skip
    record = loads(json.dumps([histogram, *listed]).encode())
    assert record.parts == read(EXAMPLES / "vllm_llm_get_metrics.json").parts
    assert record.unread == (("vllm:spec_decode_naps_count", "7"),)


# ---- TensorRT-LLM ----


def iteration(requests: int, drafted: int, accepted: int, **more: object) -> dict:
    stats = {
        "numDraftTokens": drafted, "numAcceptedTokens": accepted, "numRequestsWithDraftTokens": requests,
        "acceptanceLength": 1 + accepted / requests if requests else 0.0, "iterLatencyMS": 10.0, "draftOverhead": 0.2,
    }  # fmt: skip
    return {"iter": 1, "iterLatencyMS": 10.0, "numActiveRequests": requests, "specDecodingStats": {**stats, **more}}


def test_iteration_stats_of_tensorrt_llm_are_counts_over_time():
    passes = [{"iter": 0, "iterLatencyMS": 40.0}, iteration(2, 6, 4), iteration(0, 0, 0), iteration(1, 3, 0)]
    record = loads(json.dumps(passes).encode())
    assert record == loads(of(*passes))  # one a line
    assert (record.engine, record.of, record.at_once, record.silent, record.unread) == ("TensorRT-LLM", "log", 1.5, 1, ())
    assert record.parts == (Acceptance(9, 4, 3),)
    assert [(m.seconds, m.tokens_per_step, m.running) for m in record.moments] == [(0.05, 3.0, 2.0), (0.07, 1.0, 1.0)]
    assert loads(of(iteration(1, 3, 1, naps=5))).unread == (("naps", "5"),)
    repeated = {**iteration(2, 6, 4), "attentionDpRank": 1}  # what another rank says of the same pass
    assert loads(of(iteration(2, 6, 4), repeated)).parts == (Acceptance(6, 4, 2),)
    assert "while requests are running" in refusal_of(of(iteration(0, 0, 0)))


def by_position(name: str, *counts: int) -> str:
    return "".join(f'trtllm_spec_decode_{name}_tokens_total{{model_name="m",token_position="{i}"}} {n}.0\n' for i, n in enumerate(counts))  # fmt: skip


def test_counters_of_tensorrt_llm_by_position_have_the_steps_too():
    page = by_position("drafted", 100, 100, 98) + by_position("accepted", 80, 55, 31)
    parts = (Acceptance(298, 166, 100, 3, accepted_per_position=(80, 55, 31)),)
    assert loads(page.encode()).parts == parts and loads(page.encode()).unread == ()
    # counters of all passes, which stay at 0 where the server does not count passes
    others = "trtllm_spec_decode_num_draft_tokens_total {0}\ntrtllm_spec_decode_num_accepted_tokens_total {0}\n"
    assert loads((page + others.format(0)).encode()).parts == parts == loads((page + others.format(320)).encode()).parts
    assert loads((by_position("drafted", 5) + by_position("accepted")).encode()).parts[0].accepted_per_position == (0,)
    assert "2 models" in refusal_of((page + page.replace('"m"', '"n"')).encode())
    assert "position of trtllm_spec_decode_drafted_tokens must be from 0" in refusal_of(
        page.replace('position="1"', 'position="x"').encode()
    )
    assert "whole number" in refusal_of(page.replace("55.0", "55.5").encode())


def test_a_response_of_tensorrt_llm_has_a_histogram_and_its_other_choices_are_named():
    choices = [
        {"speculative_decoding": {"acceptance_rate": 0.5, "total_accepted_draft_tokens": 4, "total_draft_tokens": 8,
                                  "num_spec_steps": steps, "acceptance_histogram": [1, 2, 1], "num_spec_tokens": 2}}
        for steps in (4, 3)
    ]  # fmt: skip
    record = loads(of({"model": "m", "choices": choices, "usage": {"completion_tokens": 16}}))
    assert (record.engine, record.parts) == ("TensorRT-LLM", (Acceptance(8, 4, 4, 2, (1, 2, 1)),))
    assert record.unread == (("choices[1]", "3"),)


# ---- two scrapes, and many ----


def later(factor: int = 2) -> str:
    """The page of METRICS once the server has counted `factor` times as much."""
    lines = [saved_line.rsplit(" ", 1) for saved_line in METRICS.splitlines()]
    return "".join(
        f"{a} {float(b) * factor}\n" if a.startswith("vllm:spec") and "created" not in a else f"{a} {b}\n" for a, b in lines
    )


def test_two_scrapes_are_one_difference():
    first, second = loads(METRICS.encode()), loads(later(3).encode())
    delta = difference(first, second)
    assert delta.of == "difference"
    fresh = difference(loads(later(0).encode(), fresh=True), first)  # the server had counted nothing yet
    assert fresh.parts == first.parts
    assert delta.parts == (Acceptance(192, 84, 48, 4, accepted_per_position=(32, 26, 16, 10)),)


def test_two_files_that_are_no_two_scrapes_of_one_server_are_refused():
    first, second = loads(METRICS.encode()), loads(later().encode())
    for a, b, says in (
        (second, first, "earlier file first"),
        (first, first, "send requests in between"),
        (first, loads(LLAMA.encode()), "from vLLM, the second from llama.cpp"),
        (first, loads(of({"metrics": HTTP})), "the second file is not a metrics page"),
        (read(EXAMPLES / "sglang_0.5_metrics.txt"),) * 2 + ("specviz server URL",),
    ):
        with pytest.raises(RecordError, match=says):
            difference(a, b)


def test_what_was_watched_is_saved_a_line_a_scrape_and_read_as_a_difference_over_time():
    pages = [METRICS, later(2), METRICS, later(3)]  # started again before the third
    saved = "".join(json.dumps(saved_line(3.0 * i, loads(page.encode()))) + "\n" for i, page in enumerate(pages))
    record = loads(saved.encode())
    assert (record.engine, record.of) == ("vLLM", "difference")
    assert [(m.seconds, m.steps) for m in record.moments] == [(3.0, 24), (6.0, 24), (9.0, 48)]
    assert record.parts == (Acceptance(384, 168, 96, 4, accepted_per_position=(64, 52, 32, 20)),)
    gauges = read(EXAMPLES / "sglang_0.5_metrics.txt")
    watched = loads("".join(json.dumps(saved_line(i, gauges)) + "\n" for i in (0.0, 3.0)).encode())
    assert watched.of == "gauges" and [m.tokens_per_step for m in watched.moments] == [2.8, 2.8] and watched.most_drafted == 3


# ---- whatever number stands in a record, and wherever ----


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])")
ODD = ("-1", "0", "0.5", "5e-324", "1001", "9007199254740991", "1" + "0" * 400, "1e308", "1e999")


def example(name: str) -> str:
    return (EXAMPLES / name).read_text("utf-8")


DOCUMENTS = {
    "aiperf": [AIPERF], "totals": [TOTALS], "bench": [BENCH], "sglang's bench": [RUN], "sglang": [SGLANG], "llama": [TIMINGS],
    "tensorrt": [TENSORRT], "iterations": [iteration(2, 6, 4), iteration(1, 3, 0)], "studio": [STUDIO],
    "watched": [saved_line(3.0 * i, loads(page.encode())) for i, page in enumerate((METRICS, later()))],
    "watched gauges": [saved_line(i, loads(example("sglang_0.5_metrics.txt").encode())) for i in (0.0, 3.0)],
}  # fmt: skip
RECORDS = {
    **{name: of(*each).decode() for name, each in DOCUMENTS.items()},
    "vllm's page": METRICS, "llama's page": LLAMA, "sglang's page": example("sglang_0.5_metrics.txt"),
    "vllm's list": example("vllm_llm_get_metrics.json"),
    "vllm's log": "\n".join(example("vllm_0.32_log.txt").splitlines()[:4]),
    "sglang's log": "\n".join(example("sglang_0.5_log.txt").splitlines()[-2:]),
    "llama's log": example("llamacpp_2026-06_log.txt"),
}  # fmt: skip


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
