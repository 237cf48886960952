"""Each kind of trouble with a record, on samples that are in no folder of cases: what is read, what is left out and said, what is refused."""

import pytest

from specviz.picture.record import record_picture
from specviz.picture.words import RECORD
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import Acceptance, ServerRecord

from .test_formats import BENCH, RUN
from .test_read import EXAMPLES, LLAMA, METRICS, STUDIO, TIMINGS, of, refused


def shown(text: str | bytes) -> dict:
    found = record_picture(loads(text.encode() if isinstance(text, str) else text))
    assert all("{" not in RECORD[f"note_{key}"].format(**values) for key, values in found["notes"])
    return found


def notes(text: str | bytes) -> dict:
    return dict(shown(text)["notes"])


def mean(found: dict) -> tuple:
    return found["totals"]["tokens_per_step"], found["totals"]["accepted_of_drafted"], found["at_once"]


# ---- where counts stand ----


@pytest.mark.parametrize("prefix", ["ray_vllm_", "ray_vllm:", "vllm_", "lmdeploy:", "nv_llm_"])
def test_counters_are_read_behind_any_prefix(prefix):
    record = loads(METRICS.replace("vllm:", prefix).encode())
    assert record.parts[0].num_draft_tokens == 96 and record.parts[0].accepted_per_position == (16, 13, 8, 5)
    assert record.engine == {"lmdeploy:": "LMDeploy", "nv_llm_": "another engine"}.get(prefix, "vLLM")


def test_counters_that_stand_there_twice_are_not_added():
    assert "stand there twice" in refused((METRICS + METRICS.replace("vllm:", "ray_vllm_")).encode())
    assert "of llamacpp and of vllm" in refused((METRICS + LLAMA).encode())


# ---- what decoded nothing ----


def decode(length: float, rate: float, at: str, ranks: str = "TP0", running: int = 8) -> str:
    return f"[2026-05-01 09:00:{at} {ranks}] Decode batch, #running-req: {running}, #token: 10, accept len: {length:.2f}, accept rate: {rate:.2f}, gen throughput (token/s): 100.00, #queue-req: 0\n"


ARGS = "server_args=ServerArgs(model_path='m', speculative_num_steps=3)\n"


def test_a_mean_below_one_cannot_be():
    assert "1 or more, found 0.4" in refused(decode(0.4, 0.1, "01").encode())
    assert "1 or more, found 0.4" in refused(b"sglang:spec_accept_length 0.4\n")


# ---- counts that contradict each other ----


def request(accepted: int, drafted: int, task: int = 0, at: str = "0.10", prefix: str = "", slot: int = 0, tail: str = "") -> str:
    slots = f"I slot print_timing: id  {slot} | task {task} |"
    lines = (f"prompt eval time =     100.00 ms /   {task + 100} tokens (x)", f"       eval time =    1000.00 ms /   {task + 50} tokens (x)",
             f"draft acceptance = {accepted / drafted:.5f} ({accepted:5} accepted / {drafted:5} generated){tail}")  # fmt: skip
    return "".join(f"{prefix}{at}.000.00{i} {slots} {line}\n" for i, line in enumerate(lines))


def statistics(drafts: int, drafted: int, accepted: int) -> str:
    return f"0.20.000.000 I statistics draft: #calls(b,g,a) = 1 127 96, #gen drafts = {drafts}, #acc drafts = 51, #gen tokens = {drafted}, #acc tokens = {accepted}, dur(b,g,a) = 0.004, 2.5, 0.2 ms\n"


def test_a_target_that_cannot_be_rolled_back_is_not_believed_at_exactly_one():
    warned = "0.00.912.110 W llama_context: the target context does not support partial sequence removal\n"
    assert (
        "hybrid" in notes(warned + request(60, 60)) and shown(warned + request(60, 60))["totals"]["accepted_of_drafted"] is None
    )
    assert shown(warned + request(60, 90))["totals"]["accepted_of_drafted"] == pytest.approx(2 / 3, abs=1e-4)
    assert "whole" in notes(request(60, 60)) and "whole" in notes(LLAMA.replace("480", "600")) and notes(LLAMA) == {}


# ---- steps of different K ----


def test_steps_that_say_what_each_drafted_are_not_mixed():
    steps = Acceptance(9, 5, 4, 4, per_step_accepted=(4, 0, 1, 0), per_step_drafted=(4, 2, 1, 2))
    assert len(record_picture(ServerRecord("vLLM", "requests", (steps,)))["positions"]) == 4


# ---- what counts for nothing ----


# ---- requests at a time ----


def engine(running: int, at: str, name: str = "Engine 000", before: str = "") -> str:
    return f"{before}INFO 09-02 08:46:{at} [loggers.py:335] {name}: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 90.0 tokens/s, Running: {running} reqs, Waiting: 0 reqs\n"


def drafts(at: str, before: str = "") -> str:
    return f"{before}INFO 09-02 08:46:{at} [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 2.40, Accepted: 420 tokens, Drafted: 600 tokens, Per-position acceptance rate: 0.800, 0.600, Avg Draft acceptance rate: 70.0%\n"


def test_an_engine_that_went_silent_decodes_no_more():
    log = "".join(
        engine(8, at) + drafts(at) + (engine(8, at, "Engine 001") + drafts(at) if at < "30" else "")
        for at in ("10", "20", "30", "40", "50")
    )
    assert [moment["running"] for moment in shown(log)["moments"]] == [16, 16, 8, 8, 8]


def test_two_servers_in_one_log_that_cannot_be_told_apart_have_no_load():
    log = "".join(engine(running, at) + drafts(at) for at in ("10", "20") for running in (4, 12))
    assert shown(log)["at_once"] is None and "two servers" in notes(log)["load"]["why"]
    assert shown(log)["totals"]["drafted"] == 2400
    apart = "".join(
        engine(running, at, before=name) + drafts(at, name)
        for at in ("10", "20")
        for running, name in ((4, "web-1 | "), (12, "web-2 | "))
    )
    assert shown(apart)["at_once"] == 16


def test_ranks_that_hold_the_same_requests_count_once():
    log = ARGS + "".join(decode(2.8, 0.6, at, ranks) for at in ("01", "02") for ranks in ("TP0", "TP1", "PP1 TP0"))
    assert mean(shown(log)) == (2.8, pytest.approx(0.6), 8) and notes(log)["copies"] == {"lines": 4}
    page = "".join(
        f'sglang:{name}{{tp_rank="{rank}"}} {value}\n'
        for rank in range(4)
        for name, value in (("spec_accept_length", 2.4), ("num_running_reqs", 8))
    )
    assert shown(page)["at_once"] == 8
    parts = page.replace('tp_rank="3"} 8', 'tp_rank="3"} 6')
    assert shown(parts)["at_once"] is None and "dp_rank" in notes(parts)["load"]["why"]


def test_a_benchmark_that_sends_by_a_rate_has_no_known_load():
    assert shown(of({**BENCH, "request_rate": 4.0}))["at_once"] is None
    assert "different ones" in notes(of(BENCH, {**BENCH, "max_concurrency": 20}))["load"]["why"]


# ---- whose line it is ----


def test_answers_and_logs_of_two_models_are_refused():
    assert "2 models, a and b" in refused(of({"model": "a", **TIMINGS}, {"model": "b", **TIMINGS}))
    assert "2 models" in refused(of({**BENCH, "model_id": "a"}, {**BENCH, "model_id": "b"}))
    config = (
        "INFO 09-02 08:46:01 [core.py:80] Initializing a V1 LLM engine (v0.26) with config: model='{}', speculative_config=None\n"
    )
    log = config.format("a") + drafts("10")
    assert loads(log.encode()).parts and "the log of 2 models" in refused((log + config.format("b") + drafts("20")).encode())
    assert "the log of 2 models" in refused((ARGS + decode(2.8, 0.6, "01") + ARGS.replace("'m'", "'n'")).encode())


# ---- what a refusal says ----


@pytest.mark.parametrize(
    ("text", "says", "never"),
    [
        (decode(2.8, 0.6, "01").replace("accept len", "accept\n len"), "broken", "--speculative-algorithm"),
        (request(5, 9).replace("draft acceptance", "draft ac\nceptance"), "broken", "-md draft"),
        ("Time,vllm_spec_decode_num_drafts_total\n1,2\n", "a table (CSV) with the column vllm_spec_decode_num_drafts_total", "--speculative-config"),
        ("acme_draft_tokens_total 5\nacme_x 1\n", "acme_draft_tokens_total, which specviz cannot read", "no counter"),
        ("vllm:spec_decode_draft_acceptance_rate 0.5\n", "vllm:spec_decode_draft_acceptance_rate, which specviz cannot read", "no counts"),
        ('{"choices": [], "usage": {"draft_tokens": 90, "accepted": 60}}', "draft_tokens, which specviz cannot read", "--per-request"),
        ('{"acme": {"speculative_rounds": 4}}', "speculative_rounds, which specviz cannot read", "it holds nothing"),
        ("lmdeploy:num_requests_running 3\n", "of LMDeploy", "vllm"),
        ("tgi_request_skipped_tokens_sum 9\ntgi_request_skipped_tokens_count 4\n", "of TGI that counts no drafted tokens", "does the server run"),
        ("llamacpp:spec_tokens_drafted_total 9\n", "llamacpp:spec_tokens_drafted_total, which specviz cannot read", "counts no draft"),
        ('{"choices": [{"speculative_decoding_stats": {"steps": 4}}]}', "speculative_decoding_stats, which specviz cannot read", "--per-request"),
        ('{"choices": [{"avg_decoded_tokens_per_iter": 1.0}]}', "each pass wrote one token", "vllm"),
        ("INFO 02-11 14:50:33 metrics.py:455] Avg prompt throughput: 12.0 tokens/s, Running: 4 reqs\n", "a log of vLLM", "it is not a log"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_is_there_and_nothing_else(text, says, never):
    said = refused(text.encode())
    assert says in said and never not in said


def test_a_log_that_only_has_the_drafters_own_counts_gives_those():
    assert loads(statistics(96, 288, 128).encode()).parts == (Acceptance(288, 128),)


def test_what_stands_far_before_a_line_hides_nothing():
    far = "x" * 30_000
    for text in (drafts("10"), decode(2.8, 0.6, "01")):
        assert mean(shown(text.rstrip("\n").replace("INFO", f"INFO {far}").replace("Decode", f"{far} Decode") + "\n"))[0] in (
            2.4,
            2.8,
        )


# ---- how sure a format is ----


def test_every_record_says_what_it_was_read_as_and_what_stands_behind_that():
    for path in sorted(EXAMPLES.iterdir()):
        if path.suffix != ".md":
            found = record_picture(read(path))
            assert found["format"] and found["evidence_of_format"].split(":")[0] in (
                "run here",
                "public sample",
                "documentation",
            ), path
    assert (
        shown(of(STUDIO))["format"] == "a response of LM Studio"
        and shown(of(RUN))["format"] == "a result of sglang.bench_serving"
    )
