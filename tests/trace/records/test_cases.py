"""Records as people have them, each with its right value: what is there is read, what cannot be right is left out and said, and a
refusal says only what is known.

cases/ holds public reports, recreated with other numbers.

Logs are read for their few lines on speculation, with times; the counts behind printed ratios are found or stay unknown.
"""

from contextlib import suppress
from pathlib import Path

import pytest

from specviz.picture.record import costs_from, decide, record_picture
from specviz.trace.records.logs import counts_behind, steps_behind
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import Acceptance, OtherEngine, RecordError, ServerRecord
from specviz.words import picture as words

from .test_read import BENCH, EXAMPLES, FOREIGN, METRICS, TIMINGS, of, refusal_of

CASES = Path(__file__).parent / "cases"


def case(name: str) -> bytes:
    [path] = CASES.glob(f"{name}-*")
    return path.read_bytes()


def picture_of(text: str | bytes) -> dict:
    """Of a record, each of whose notes has its sentence."""
    picture = record_picture(loads(text.encode() if isinstance(text, str) else text))
    assert all("{" not in words.RECORD[f"note_{key}"].format(**values) for key, values in picture["notes"])
    return picture


def notes(text: str | bytes) -> dict:
    return dict(picture_of(text)["notes"])


def mean(picture: dict) -> tuple:
    return picture["totals"]["tokens_per_step"], picture["totals"]["accepted_of_drafted"], picture["at_once"]


MEANS = {  # tokens a step, share accepted, requests at a time
    "07": (2.175, 0.5875, 32),
    "08": (2.4, 0.7, 24),
    "10": (2.4, 0.7, 8),
    "42a": (2.4, 0.7, 16),
    "42b": (2.4, 0.7, 16),
    "44": (2.5, 0.5, 4),
    "45": (2.4, 0.47, 8),
    "54": (2.62, 0.54, 16),
}
NOTES = [  # what is left out, with its number
    ("08", "idle", {"idle": 1, "all": 4}),
    ("21", "undrafted_pace", {"requests": 2, "pace": "25.0"}),
    ("44", "idle", {"idle": 2, "all": 4}),
    ("45", "idle", {"idle": 1, "all": 2}),
    ("46", "mixed", {"drafted": 2000, "steps": 1000, "K": 3}),
]
REFUSED = {  # what a refusal says, and what it does not
    "04": (["ngram-mod", "drafted 0 tokens in 699 calls"], "-md"),
    "40": (["broken", "SpecDecoding metrics"], "--speculative-config"),
    "59": (["2 models", "[49965]", "[45927]"], None),
}


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_is_of_what_decoded_and_load_is_that_of_the_whole_server(name):
    length, share, load = MEANS[name]
    assert mean(picture_of(case(name))) == (pytest.approx(length, abs=0.006), share and pytest.approx(share, abs=0.001), load)


@pytest.mark.parametrize(("name", "note", "values"), NOTES)
def test_what_is_left_out_is_counted(name, note, values):
    assert notes(case(name))[note] == values


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_named_and_nothing_else_is(name):
    sentence, (parts, other) = refusal_of(case(name)), REFUSED[name]
    assert all(part in sentence for part in parts) and not (other and other in sentence)


def test_the_most_drafted_is_read_from_what_the_server_says_of_itself():
    assert [picture_of(case(name))["K"] for name in ("07", "46")] == [2, 3]


def test_counts_that_contradict_each_other_are_both_named_and_neither_is_the_rate():
    picture = picture_of(case("03"))
    assert picture["totals"]["accepted_of_drafted"] is None and picture["evidence"]["missing"] == "contradicted"
    sentence = words.RECORD["note_contradicted"].format(**notes(case("03"))["contradicted"])
    assert "128 of 128" in sentence and "128 of 288" in sentence


def test_requests_without_drafts_are_left_out_and_none_behind_a_prefix():
    picture = picture_of(case("21"))
    assert picture["requests"] == 1 and picture["totals"]["tokens_per_second"] == 100
    assert picture_of(case("22"))["requests"] == 2


def test_steps_of_different_k_are_tables_of_their_own_and_the_largest_decides():
    picture = picture_of(case("47"))
    assert [(table["K"], table["steps"]) for table in picture["tables"]] == [(2, 8000), (4, 7000)]
    assert [at["of_blocks"] for at in picture["tables"][1]["positions"]] == [0.75, 0.5, 0.3, 0.25]
    decision = decide(picture["evidence"], costs_from(4, c=0.1, v=1.2))
    assert decision["by_K"][4][1] == pytest.approx(2.8 / 1.6)
    assert not any(key in ("first", "later", "last") for key, _ in picture["means"])


def test_positions_of_steps_that_drafted_different_numbers_are_left_out_unless_each_says_what_it_drafted():
    picture = picture_of(case("46"))
    assert picture["positions"] == [] and not any(key in ("first", "later", "last") for key, _ in picture["means"])
    assert picture["evidence"]["missing"] == "mixed" and "missing_mixed" in words.DECISION
    assert picture["totals"]["tokens_per_step"] == 1.9
    steps = Acceptance(9, 5, 4, 4, per_step_accepted=(4, 0, 1, 0), per_step_drafted=(4, 2, 1, 2))
    assert len(record_picture(ServerRecord("vLLM", "requests", (steps,)))["positions"]) == 4


def test_every_case_is_read_or_refused_here():
    tried = {*MEANS, *REFUSED, "03", "21", "22", "46", "47", "60"}
    assert {path.name.split("-")[0] for path in CASES.iterdir()} == tried


def decode(length: float, rate: float, at: str, ranks: str = "TP0", running: int = 8) -> str:
    return (
        f"[2026-05-01 09:00:{at} {ranks}] Decode batch, #running-req: {running}, #token: 10, "
        f"accept len: {length:.2f}, accept rate: {rate:.2f}, gen throughput (token/s): 100.00, #queue-req: 0\n"
    )


ARGS = "server_args=ServerArgs(model_path='m', speculative_num_steps=3)\n"


def request(accepted: int, drafted: int, task: int = 0, at: str = "0.10", prefix: str = "", slot: int = 0, tail: str = "") -> str:
    slots = f"I slot print_timing: id  {slot} | task {task} |"
    lines = (
        f"prompt eval time =     100.00 ms /   {task + 100} tokens (x)",
        f"       eval time =    1000.00 ms /   {task + 50} tokens (x)",
        f"draft acceptance = {accepted / drafted:.5f} ({accepted:5} accepted / {drafted:5} generated){tail}",
    )
    return "".join(f"{prefix}{at}.000.00{i} {slots} {line}\n" for i, line in enumerate(lines))


def statistics(drafts: int, drafted: int, accepted: int) -> str:
    return (
        f"0.20.000.000 I statistics draft: #calls(b,g,a) = 1 127 96, #gen drafts = {drafts}, #acc drafts = 51, "
        f"#gen tokens = {drafted}, #acc tokens = {accepted}, dur(b,g,a) = 0.004, 2.5, 0.2 ms\n"
    )


WHOLE = {"timings": {**TIMINGS["timings"], "draft_n_accepted": 12}}


def test_a_share_of_exactly_one_is_said_to_be_what_hybrid_targets_print_and_not_believed_of_one_without_rollback():
    warned = "0.00.912.110 W llama_context: the target context does not support partial sequence removal\n"
    whole = warned + request(60, 60)
    assert "hybrid" in notes(whole) and picture_of(whole)["totals"]["accepted_of_drafted"] is None
    assert picture_of(warned + request(60, 90))["totals"]["accepted_of_drafted"] == pytest.approx(2 / 3, abs=1e-4)
    assert "whole" in notes(request(60, 60)) and "whole" in notes(of(WHOLE)) and notes(of(TIMINGS)) == {}
    assert picture_of(case("60"))["totals"]["accepted_of_drafted"] == 1.0 and "whole" in notes(case("60"))


def engine(running: int, at: str, name: str = "Engine 000", before: str = "") -> str:
    return (
        f"{before}INFO 09-02 08:46:{at} [loggers.py:335] {name}: Avg prompt throughput: 0.0 tokens/s, "
        f"Avg generation throughput: 90.0 tokens/s, Running: {running} reqs, Waiting: 0 reqs\n"
    )


def drafts(at: str, before: str = "") -> str:
    return (
        f"{before}INFO 09-02 08:46:{at} [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 2.40, Accepted: 420 tokens, "
        f"Drafted: 600 tokens, Per-position acceptance rate: 0.800, 0.600, Avg Draft acceptance rate: 70.0%\n"
    )


def test_an_engine_that_went_silent_decodes_no_more():
    log = "".join(
        engine(8, at) + drafts(at) + (engine(8, at, "Engine 001") + drafts(at) if at < "30" else "")
        for at in ("10", "20", "30", "40", "50")
    )
    assert [moment.running for moment in loads(log.encode()).moments] == [16, 16, 8, 8, 8]


def test_two_servers_in_one_log_that_cannot_be_told_apart_have_no_load():
    log = "".join(engine(running, at) + drafts(at) for at in ("10", "20") for running in (4, 12))
    assert picture_of(log)["at_once"] is None and "two servers" in notes(log)["load"]["why"]
    assert picture_of(log)["totals"]["drafted"] == 2400
    apart = "".join(
        engine(running, at, before=name) + drafts(at, name)
        for at in ("10", "20")
        for running, name in ((4, "web-1 | "), (12, "web-2 | "))
    )
    assert picture_of(apart)["at_once"] == 16


def test_ranks_that_hold_the_same_requests_count_once():
    log = ARGS + "".join(decode(2.8, 0.6, at, ranks) for at in ("01", "02") for ranks in ("TP0", "TP1", "PP1 TP0"))
    assert mean(picture_of(log)) == (2.8, pytest.approx(0.6), 8) and notes(log)["copies"] == {"lines": 4}
    page = "".join(
        f'sglang:{name}{{tp_rank="{rank}"}} {value}\n'
        for rank in range(4)
        for name, value in (("spec_accept_length", 2.4), ("num_running_reqs", 8))
    )
    assert picture_of(page)["at_once"] == 8
    parts = page.replace('tp_rank="3"} 8', 'tp_rank="3"} 6')
    assert picture_of(parts)["at_once"] is None and "dp_rank" in notes(parts)["load"]["why"]


def test_a_benchmark_that_sends_by_a_rate_has_no_known_load():
    assert picture_of(of({**BENCH, "request_rate": 4.0}))["at_once"] is None
    assert "different ones" in notes(of(BENCH, {**BENCH, "max_concurrency": 20}))["load"]["why"]


def test_answers_and_logs_of_two_models_are_refused():
    assert "2 models, a and b" in refusal_of(of({"model": "a", **TIMINGS}, {"model": "b", **TIMINGS}))
    assert "2 models" in refusal_of(of({**BENCH, "model_id": "a"}, {**BENCH, "model_id": "b"}))
    config = (
        "INFO 09-02 08:46:01 [core.py:80] Initializing a V1 LLM engine (v0.26) with config: model='{}', speculative_config=None\n"
    )
    log = config.format("a") + drafts("10")
    assert loads(log.encode()).parts and "the log of 2 models" in refusal_of((log + config.format("b") + drafts("20")).encode())
    assert "the log of 2 models" in refusal_of((ARGS + decode(2.8, 0.6, "01") + ARGS.replace("'m'", "'n'")).encode())


@pytest.mark.parametrize(
    ("text", "says", "never"),
    [
        ("INFO 08-04 20:51:08 [loggers.py:310] Engine 000: Avg prompt throughput: 9", "curl http://localhost:8000/metrics", None),
        ("[2025-10-22 10:27:57 TP0] Decode batch. #running-req: 1, #token: 108", "--speculative-algorithm", None),
        ("0.06.895.980 I slot print_timing: id  1 | task 0 | prompt eval", "-md draft.gguf", None),
        ("vllm:num_requests_running 3\n", "start vllm serve with --speculative-config", None),
        ("sglang:num_running_reqs 3\n", "save the page while requests are running", None),
        ("sglang:spec_accept_length 0.0\n", "while requests are running", None),
        ('data: {"choices": [], "usage": null}\n\ndata: [DONE]\n', "--per-request-spec-decode-metrics detailed", None),
        ('{"format": "specviz-trace", "prompt": "x", "config": {}}', "a run saved by specviz: specviz audit", "cannot read"),
        ('{"timings": {"predicted_n": 4}}', "llama-server with -md", None),
        ('{"output_throughput": 4.5, "mean_ttft_ms": 3, "backend": "vllm"}', "before and after the benchmark", None),
        ("vllm:spec_decode_num_draft_tokens_total 0\nvllm:spec_decode_num_accepted_tokens_total 0\n", "Send requests", None),
        (drafts("10") + decode(2.8, 0.6, "01"), "from vLLM and from SGLang: a file must be from one engine", None),
        (decode(2.8, 0.6, "01").replace("accept len", "accept\n len"), "broken", "--speculative-algorithm"),
        (request(5, 9).replace("draft acceptance", "draft ac\nceptance"), "broken", "-md draft"),
        (METRICS + "sglang:spec_accept_length 2.4\n", "of sglang and of vllm", None),
        (decode(0.4, 0.1, "01"), "1 or more, found 0.4", None),
        ("sglang:spec_accept_length 0.4\n", "1 or more, found 0.4", None),
        ("vllm:spec_decode_naps 0.5\n", "vllm:spec_decode_naps, which specviz cannot read", "no counts"),
    ],
)
def test_a_refusal_says_what_is_there_what_to_save_instead_and_nothing_else(text, says, never):
    sentence = refusal_of(text.encode())
    assert says in sentence and not (never and never in sentence)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_engine_is_refused_in_a_sentence_that_names_the_eight_and_the_five_numbers(name):
    with pytest.raises(OtherEngine) as refused:
        loads(FOREIGN[name].encode())
    sentence = str(refused.value)
    assert "\n" not in sentence and len(sentence) < 280
    vllm = "vLLM's metrics page, log, responses and result of bench serve"
    assert all(one in sentence for one in (vllm, "SGLang's log and metrics page", "llama.cpp's responses and log"))
    assert sentence.endswith("read off five numbers: steps, drafted, accepted, K, accepted by position")


def test_a_log_that_only_has_the_drafters_own_counts_gives_those():
    assert loads(statistics(96, 288, 128).encode()).parts == (Acceptance(288, 128),)


@pytest.mark.parametrize(("line", "word", "length"), [(drafts("10"), "INFO", 2.4), (decode(2.8, 0.6, "01"), "Decode", 2.8)])
def test_what_stands_far_before_a_line_hides_nothing(line, word, length):
    assert mean(picture_of(line.replace(word, f"{'x' * 30_000} {word}")))[0] == length


def test_every_record_says_what_it_was_read_as_and_what_stands_behind_that():
    for path in sorted(EXAMPLES.iterdir()):
        if path.suffix != ".md":
            picture = record_picture(read(path))
            assert picture["format"] and picture["evidence_of_format"].split(":")[0] in ("run here", "public sample"), path
    assert picture_of(of(BENCH))["format"] == "a result of vllm bench serve"


VLLM = EXAMPLES / "vllm_0.26_log.txt"


def test_a_log_of_vllm_gives_acceptance_over_time_and_the_counts_behind_its_ratios():
    record = read(VLLM)
    assert (record.engine, record.of, record.at_once) == ("vLLM", "log", 1.0)
    assert [(m.accepted, m.drafted) for m in record.moments] == [(92, 259), (231, 259), (39, 42)]
    [part] = record.parts
    assert (part.num_spec_steps, part.num_spec_tokens) == (80, 7)
    # .757 × 37 = 28, 1 × 37, 1 × 6, …: by hand from the printed shares
    assert part.accepted_per_position == (28 + 37 + 6, 23 + 37 + 6, 16 + 36 + 6, 12 + 36 + 6, 7 + 33 + 6, 4 + 29 + 6, 2 + 23 + 3)
    assert [m.tokens_per_step for m in record.moments] == [3.49, 7.24, 7.5]
    assert record.moments[0].running == 1


TEXT = VLLM.read_text("utf-8")
NOISE = 'INFO:     127.0.0.1:56326 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n' * 5000
FIRST = [  # lines that look like something else
    "[Gloo] Rank 0 is connected to 0 peer ranks.",
    "[W1022 10:27:56.123 ProcessGroup.cpp:5023] Warning: no device",
    "[rank0]:[W1022 10:27:56] Warning",
    "[10:27:56] starting",
    "[0] starting",
    "[TensorRT-LLM] TensorRT-LLM version: 1.0.0",
    '{"event": "started", "port": 8000}',
    'data: {"id": "a", "choices": []}',
]
SAVED_LOGS = {  # the same lines as people have them
    "among thousands": (NOISE + TEXT + NOISE).encode(),
    "from a Windows shell": TEXT.replace("\n", "\r\n").encode("utf-16"),
    "in colours": "".join(f"\x1b[36m{line}\x1b[0m\n" for line in TEXT.splitlines()).encode(),
    "beside a byte that is no UTF-8": b"prompt: caf\xe9\n" + TEXT.encode(),
    **{f"after {line}": f"{line}\n{TEXT}".encode() for line in FIRST},
}


@pytest.mark.parametrize("name", SAVED_LOGS)
def test_the_same_lines_are_read_however_they_were_saved(name):
    assert loads(SAVED_LOGS[name]) == read(VLLM)


def test_a_new_field_of_a_line_is_kept_and_a_line_that_is_cut_is_named():
    text = TEXT.replace("Accepted throughput", "Wasted positions: 17, Accepted throughput")
    record = loads((text + "INFO 08-04 21:02:18 [metrics.py:120] SpecDecoding metrics: Mean accep").encode())
    assert record.parts == read(VLLM).parts
    assert record.unread[0] == ("Wasted positions", "17") and record.unread[1][0] == "a line that is cut"


def test_an_interval_without_drafts_has_no_length_and_counts_nothing():
    idle = (
        "INFO 07-08 10:00:00 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: nan, Accepted: 0 tokens, "
        "Drafted: 0 tokens, Per-position acceptance rate: nan, nan, Avg Draft acceptance rate: nan%\n"
    )
    record = loads(idle.encode())
    assert record.parts == () and record.moments[0].tokens_per_step is None


def test_what_sglang_says_of_graphs_and_of_its_card_is_no_field_of_speculation():
    line = (
        "[2026-10-01 10:00:05 TP0] Decode batch [120], #running-req: 4, #full token: 1200, full token usage: 0.02, accept len: 2.60, "
        "accept rate: 0.53, npu graph: True, gen throughput (token/s): 310.20, #queue-req: 0, est. decode TFLOPS/s (per GPU): 12.31, "
        "est. read BW (GB/s per GPU): 900.10\n"
    )
    assert loads(line.encode()).unread == ()


def test_a_log_of_sglang_gives_mean_length_and_load_and_no_counts():
    record = read(EXAMPLES / "sglang_0.5_log.txt")
    assert (record.engine, record.of, record.parts, record.unread) == ("SGLang", "log", (), ())
    assert [(m.tokens_per_step, m.running) for m in record.moments[:3]] == [(2.17, 1.0), (1.95, 1.0), (1.8, 1.0)]
    started = (
        "[2025-10-22 10:20:00] server_args=ServerArgs(speculative_algorithm='EAGLE3', "
        "speculative_num_steps=3, speculative_eagle_topk=1)\n"
    )
    known = loads((started + (EXAMPLES / "sglang_0.5_log.txt").read_text("utf-8")).encode())
    assert known.most_drafted == 3


def test_the_rate_that_sglang_printed_in_2025_is_not_taken_for_accepted_of_drafted():
    log = (EXAMPLES / "sglang_0.5_log.txt").read_text("utf-8")  # its rates are accept len ÷ 4: 1.95 ÷ 4 = .49
    assert {moment.accepted_of_drafted for moment in loads(log.encode()).moments} == {None}
    started = "server_args=ServerArgs(speculative_num_steps={K}, speculative_eagle_topk=1)\n"
    known = loads((started.format(K=3) + log).encode())
    shares = [1.17 / 3, 0.95 / 3, 0.8 / 3, 1.05 / 3, 0.8 / 3]
    assert [moment.accepted_of_drafted for moment in known.moments] == pytest.approx(shares)
    tree = loads((started.format(K=2) + log).encode())  # 4 tokens in 2 levels: drafted is not K
    assert {moment.accepted_of_drafted for moment in tree.moments} == {None}


def test_a_newer_log_of_sglang_is_read_too_and_its_new_field_is_kept():
    line = (
        "\x1b[36m(CommandActor pid=1)\x1b[0m [2026-10-06 11:00:59 TP0 EP0] Decode batch, #running-req: 56, #full token: 20224, "
        "full token usage: 0.00, #swa token: 14976, swa token usage: 0.05, "
        "accept len: 2.69, accept rate: 0.24, cap len: 4.1, cuda graph: True, gen throughput (token/s): 22.47, #queue-req: 0\n"
    )
    record = loads((line + line.replace("2.69, accept rate: 0.24", "4.50, accept rate: 0.50")).encode())
    assert [(moment.running, moment.accepted_of_drafted) for moment in record.moments] == [(56, 0.24), (56, 0.5)]
    assert record.unread == (("cap len", "4.1"),)


def test_a_log_of_llama_cpp_is_a_list_of_requests_with_prompt_pace_and_positions():
    record = read(EXAMPLES / "llamacpp_2026-06_log.txt")
    [part] = record.parts
    assert (record.engine, record.of) == ("llama.cpp", "requests")
    assert (part.prompt_tokens, part.completion_tokens, part.num_draft_tokens) == (20, 256, 259)
    assert part.tokens_per_second == pytest.approx(111.46, abs=0.01)
    # 87 drafts, as its own line of statistics says: .805 × 87 = 70, 55, 42; they sum up to 167
    assert (part.num_spec_steps, part.accepted_per_position) == (87, (70, 55, 42))


def test_a_servers_log_response_and_stream_tell_the_same_of_the_same_two_requests():
    log, response, stream = (read(EXAMPLES / f"llamacpp_2026-11_{of}") for of in ("log.txt", "response.json", "stream.txt"))
    counts = [(part.num_spec_steps, part.num_draft_tokens, part.num_accepted_draft_tokens) for part in log.parts]
    assert counts == [(25, 98, 70)] * 2  # mean len 3.80: only 25 steps give it, and no rate is printed
    for record in (response, stream):
        [part] = record.parts
        assert (part.num_draft_tokens, part.num_accepted_draft_tokens, part.completion_tokens) == (98, 70, 96)


def test_steps_are_found_for_any_counts_or_mean_length_that_was_printed_and_not_where_several_would_do():
    assert steps_behind(70, 98, 3.80, []) == 25
    assert steps_behind(1186, 1207, 2.72, []) is None  # 688 to 691 steps
    for steps, by_position in ((1, (1, 0)), (37, (30, 11)), (411, (300, 7)), (999, (998, 997))):
        accepted, rates = sum(by_position), [round(k / steps, 3) for k in by_position]
        length = round(1 + accepted / steps, 2)
        assert steps_behind(accepted, 2 * steps, length, rates) == steps
        assert counts_behind(rates, steps, accepted) == by_position
    assert steps_behind(10, 31, None, []) is None  # nothing that tells it
    assert steps_behind(10, 30, 2.0, [1e300, 0.5, 0.5]) is None  # no share
    assert steps_behind(10**308, 10**308, 1.01, []) is None and steps_behind(0, 31, 1.0, [0.0, 0.0]) is None


OLDER = (EXAMPLES / "llamacpp_2026-05_log.txt").read_text("utf-8")


def test_drafts_in_the_statistics_are_steps_only_where_every_one_was_checked_for_that_request():
    [part] = loads(OLDER.encode()).parts
    # 690 steps write 690 + 1186 tokens; the 861 − 690 passes without a draft, and the prompt's own token, the rest of the 2048
    assert part.num_spec_steps == 690 and part.completion_tokens == 690 + 1186 + (861 - 690) + 1
    others = OLDER.replace("#gen tokens = 1207", "#gen tokens = 1300")  # a draft that was thrown away, or another request's
    assert loads(others.encode()).parts[0].num_spec_steps is None
    second = OLDER.replace("1186 accepted /  1207", "14 accepted /  20").replace("#gen drafts = 690", "#gen drafts = 700")
    second = second.replace("#gen tokens = 1207, #acc tokens = 1186", "#gen tokens = 1227, #acc tokens = 1200")
    assert [part.num_spec_steps for part in loads((OLDER + second).encode()).parts] == [690, 10]


def test_a_log_of_too_many_lines_is_refused_by_their_number(monkeypatch):
    monkeypatch.setattr("specviz.trace.records.logs.REQUESTS", 2)
    with pytest.raises(RecordError, match="more than 2 lines about speculation: give a part"):
        read(VLLM)


def test_work_grows_with_the_bytes_and_no_faster():
    line = TEXT.splitlines()[2] + "\n"
    hard = [
        "a" * 200_000 + "\n",
        "SpecDecoding metrics: " + "Accepted: 1 tokens, Drafted: 9 tokens, x: " + "a, " * 60_000 + "\n",
        "draft acceptance = 0.1 (" + " " * 100_000 + "\n",
        ("[" * 390 + " eval time = x\n") * 500,
    ]

    for text in hard:  # what is quadratic in them takes minutes, and is ended by the suite's bound on a test
        with suppress(RecordError):
            loads(text.encode())
    assert len(loads((line * 2000).encode()).moments) == 2000
