"""Logs are read for their few lines on speculation, with times; the counts behind printed ratios are found or stay unknown."""

from contextlib import suppress

import pytest

from specviz.trace.records.line import counts_behind, steps_behind
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import RecordError

from .test_read import EXAMPLES

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
    idle = "INFO 07-08 10:00:00 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: nan, Accepted: 0 tokens, Drafted: 0 tokens, Per-position acceptance rate: nan, nan, Avg Draft acceptance rate: nan%\n"
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
    started = "[2025-10-22 10:20:00] server_args=ServerArgs(speculative_algorithm='EAGLE3', speculative_num_steps=3, speculative_eagle_topk=1)\n"
    known = loads((started + (EXAMPLES / "sglang_0.5_log.txt").read_text("utf-8")).encode())
    assert known.most_drafted == 3


def test_the_rate_that_sglang_printed_in_2025_is_not_taken_for_accepted_of_drafted():
    log = (EXAMPLES / "sglang_0.5_log.txt").read_text("utf-8")  # its rates are accept len ÷ 4: 1.95 ÷ 4 = .49
    assert {moment.accepted_of_drafted for moment in loads(log.encode()).moments} == {None}
    started = "server_args=ServerArgs(speculative_num_steps={K}, speculative_eagle_topk=1)\n"
    known = loads((started.format(K=3) + log).encode())
    assert [moment.accepted_of_drafted for moment in known.moments] == pytest.approx(
        [1.17 / 3, 0.95 / 3, 0.8 / 3, 1.05 / 3, 0.8 / 3]
    )
    tree = loads((started.format(K=2) + log).encode())  # 4 tokens in 2 levels: drafted is not K
    assert {moment.accepted_of_drafted for moment in tree.moments} == {None}


def test_a_newer_log_of_sglang_is_read_too_and_its_new_field_is_kept():
    line = "\x1b[36m(CommandActor pid=1)\x1b[0m [2026-10-06 11:00:59 TP0 EP0] Decode batch, #running-req: 56, #full token: 20224, full token usage: 0.00, #swa token: 14976, swa token usage: 0.05, accept len: 2.69, accept rate: 0.24, cap len: 4.1, cuda graph: True, gen throughput (token/s): 22.47, #queue-req: 0\n"
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


def test_a_mean_length_alone_gives_steps_only_where_one_number_of_them_fits():
    assert steps_behind(70, 98, 3.80, []) == 25
    assert steps_behind(1186, 1207, 2.72, []) is None  # 688 to 691 steps


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


def test_steps_are_found_for_any_counts_that_were_printed_and_not_where_several_would_do():
    for steps, by_position in ((1, (1, 0)), (37, (30, 11)), (411, (300, 7)), (999, (998, 997))):
        accepted, rates = sum(by_position), [round(k / steps, 3) for k in by_position]
        length = round(1 + accepted / steps, 2)
        assert steps_behind(accepted, 2 * steps, length, rates) == steps
        assert counts_behind(rates, steps, accepted) == by_position
    assert steps_behind(10, 31, None, []) is None  # nothing that tells it
    assert steps_behind(10, 30, 2.0, [1e300, 0.5, 0.5]) is None  # no share
    assert steps_behind(10**308, 10**308, 1.01, []) is None
    assert steps_behind(0, 31, 1.0, [0.0, 0.0]) is None


def test_a_log_of_too_many_lines_is_refused_by_their_number(monkeypatch):
    monkeypatch.setattr("specviz.trace.records.line.REQUESTS", 2)
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
