"""vLLM's process, played by one that needs no vLLM: started once, told of in one line where it ends, and nothing is left of it. What vLLM
0.32.0 told of its steps (steps.jsonl, recorded from the real one) becomes lanes that a reader takes; what cannot be watched in a vLLM, or
would go wrong there without a word, is refused in one line or mended.
"""

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save

from specviz import __main__ as cli
from specviz.config import DecodeConfig
from specviz.drafters import DRAFTERS
from specviz.engine.models.load import model_path
from specviz.engine.models.pair import eos_ids, load_tokenizer
from specviz.engine.text import TokenizerText
from specviz.trace.events import Finished, Prefill, Round
from specviz.trace.file import read
from specviz.trace.grammar import violations
from specviz.vllm import process
from specviz.vllm.process import SERVE, Server, ServerError
from specviz.vllm.rounds import EngineLane

sys.path.append(str(SERVE.parent))  # as in vLLM's environment, where specviz is not
import specviz_mend as mend

HERE = Path(__file__).parent
REQUEST = {"drafts": True, "temperature": 0}


@pytest.fixture
def server(monkeypatch):
    """A server that behaves as it is told; ended after the test."""
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    servers = []

    def make(behave=""):
        servers.append(Server(sys.executable, {"options": {"behave": behave, "lines": str(HERE / "steps.jsonl")}}))
        return servers[-1]

    yield make
    for each in servers:
        each.close()


def test_it_starts_when_asked_and_is_kept(server):
    one = server()
    assert not one.alive
    one.start()
    assert one.about["version"] == "0.32.0"
    first = one.pid
    messages = list(one.run(REQUEST))
    one.start()
    assert one.pid == first and next(one.run(REQUEST))["out"] == messages[0]["out"]
    assert "over" in messages[-1] and all("step" in each for each in messages[:-1])
    one.close()
    assert not one.alive and one.pid is None


def test_what_it_refuses_is_said_as_it_says_it_and_an_environment_that_is_not_there_is_named(server):
    with pytest.raises(ServerError, match=r"^vLLM 0\.99 was not tried$"):
        server("refuse").start()
    with pytest.raises(ServerError, match="there is no file /nowhere/python: --vllm-python must be the python"):
        Server("/nowhere/python", {}).start()


def test_a_process_that_fails_in_mid_run_is_told_with_its_last_words_and_starts_again(server):
    one = server("die")
    one.start()
    with pytest.raises(ServerError, match=r"vLLM's process ended with code 3: RuntimeError: out of memory"):
        list(one.run(REQUEST))
    assert not one.alive
    one.start()
    assert one.alive


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="groups of processes are of POSIX; vLLM does not run elsewhere")
def test_killed_in_mid_run_it_is_said_and_what_it_had_started_goes_too(server):
    one = server("hang")
    one.start()
    steps = one.run(REQUEST)
    next(steps)
    lines = one._stdout_lines
    os.kill(one.pid, signal.SIGKILL)
    with pytest.raises(ServerError, match=r"vLLM's process was ended \(SIGKILL\)\. Run the command again"):
        list(steps)
    assert lines.get(timeout=10) is None  # the stream ends where nobody holds it: what had been started does


def test_a_run_that_is_given_up_leaves_nothing_behind(server):
    one = server("hang")
    one.start()
    steps = one.run(REQUEST, stop=lambda: True)
    next(steps)
    steps.close()
    one.close()
    assert not one.alive


WORDS = ("record-vllm", "--vllm-python", sys.executable, "--prompt", "Once upon a time", "--max-new-tokens", "12", "--option")


@pytest.mark.slow
def test_both_lanes_are_saved_and_the_process_is_gone(monkeypatch, tmp_path):
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    ended = []
    monkeypatch.setattr(process, "_kill", lambda one, kill=process._kill: ended.append(kill(one) or one))
    cli.app([*WORDS, f"lines={HERE / 'steps.jsonl'}", "--out", str(tmp_path / "run.jsonl")], standalone_mode=False)
    trace = read(tmp_path / "run.jsonl")
    assert trace.header.engine == "vLLM" and trace.vanilla[-1].tokens == trace.speculative[-1].tokens == 12
    assert [one.poll() is not None for one in ended] == [True]


def test_what_vllm_refuses_is_one_line_and_no_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    with pytest.raises(SystemExit) as exit:
        cli.main(*WORDS, "behave=refuse", "--out", str(tmp_path / "run.jsonl"))
    assert exit.value.code == 2 and "vLLM 0.99 was not tried" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


STEPS = [json.loads(line) for line in (Path(__file__).parent / "steps.jsonl").read_text("utf-8").splitlines()]
PROMPT = "Once upon a time"


@pytest.fixture(scope="module")
def text():
    folder = model_path("fable")
    tokenizer = load_tokenizer(folder, "fable")
    return TokenizerText(tokenizer, eos_ids(folder, tokenizer, "fable"))


def built(text, drafts=True, temperature=0.8, **settings) -> EngineLane:
    config = DecodeConfig(K=3 if drafts else 0, temperature=temperature, max_new_tokens=12, **settings)
    lane = EngineLane(text.encode(PROMPT), config, text, 1024)
    for step in STEPS:
        if step["drafts"] == drafts and step["greedy"] == (temperature == 0):
            lane.add(step)
    lane.end()
    return lane


@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize("drafts", [False, True])
def test_a_lane_keeps_the_rules_of_traces(text, drafts, temperature):
    lane = built(text, drafts, temperature)
    assert list(violations("speculative" if drafts else "vanilla", lane.events, lane.config, "vLLM")) == []
    assert [type(e) for e in lane.events[:2]] == [Prefill, Round] and isinstance(lane.events[-1], Finished)
    assert lane.finished.reason == "length" and lane.finished.tokens == 12


def test_greedy_lanes_write_the_same(text):
    assert built(text, False, 0).finished.text == built(text, True, 0).finished.text != ""


def test_the_prefill_writes_the_first_token_without_pass_or_time_and_drafts_for_the_next(text):
    lane = built(text)
    first, second = lane.rounds[:2]
    assert first.fewer == "prefill" and first.emitted[0].role == "plain" and first.times.timed == 0 == first.target_forwards
    assert second.times.draft > 0 and second.target_forwards == 1 and second.draft_forwards == 2  # of three, one read the prompt
    assert lane.prefill.draft_ms > 0


def test_what_vllm_does_not_tell_is_none(text):
    lane = built(text)
    assert lane.prefill.target_positions is None
    assert all(r.target_cache is None and r.draft_cache is None for r in lane.rounds)
    assert all(e.u is None for r in lane.rounds for e in r.emitted)
    argmax = built(text, drafting="argmax").rounds
    assert all(d.position.product is None for r in argmax for d in r.drafted if d.position)


def test_verdicts_follow_from_u_and_p_over_q_and_one_that_does_not_is_found(text):
    tested = [d for r in built(text).rounds for d in r.drafted if d.verdict != "unexamined"]
    assert len(tested) >= 5 and {d.verdict for d in tested} == {"accepted", "rejected"}
    assert all((d.u * d.q < d.p) == (d.verdict == "accepted") for d in tested)
    lane = built(text)
    at = next(i for i, e in enumerate(lane.events) if isinstance(e, Round) and e.drafted)
    r = lane.events[at]
    wrong = replace(r.drafted[0], u=1.0 if r.drafted[0].verdict == "accepted" else 0.0, p=0.4, q=0.8)
    events = (*lane.events[:at], replace(r, drafted=(wrong, *r.drafted[1:])), *lane.events[at + 1 :])
    assert any(name == "drafted[0].verdict" for _, name, _ in violations("speculative", events, lane.config, "vLLM"))


def test_a_stop_string_ends_inside_a_block_and_what_stood_behind_was_never_examined(text):
    whole = built(text, temperature=0)
    at = next(r for r in whole.rounds if len(r.emitted) == 4)
    lane = built(text, temperature=0, stop=(at.emitted[0].piece.strip(),))
    assert lane.finished.reason == "stop" and lane.tokens < whole.tokens
    last = lane.rounds[-1]
    assert [e.role for e in last.emitted] == ["accepted"] and [d.verdict for d in last.drafted][1:] == ["unexamined"] * 2
    assert list(violations("speculative", lane.events, lane.config, "vLLM")) == []


def test_a_long_prompt_is_read_in_parts_and_all_of_them_are_the_prefill(text):
    step = next(step for step in STEPS if step["drafts"])
    lane = EngineLane(text.encode(PROMPT), DecodeConfig(K=3, temperature=0), text, 1024)
    lane.add({**step, "out": [], "all_ms": 1000.0})
    lane.add(step)
    assert lane.prefill.target_ms > 1000 and len(lane.rounds) == 1


def test_every_way_to_draft_that_is_watched_has_words_of_ours():
    assert sorted(mend.METHODS) == sorted(method for one in DRAFTERS.values() for method in one.vllm)


def test_another_version_or_model_runner_is_refused_and_what_to_install_or_to_set_is_named():
    mend.check_version("0.32.1")
    mend.check_version("0.33.0")  # read, not run: each name that is watched is there, with its arguments
    for version in ("0.31.0", "0.34.0", "1.0.0", "0.3.2", "0.320.0"):
        with pytest.raises(mend.VllmError, match=rf"vLLM {version} was not tried.*install vllm==0\.32\.0"):
            mend.check_version(version)
    mend.check_environment({"VLLM_USE_V2_MODEL_RUNNER": "0"})
    with pytest.raises(mend.VllmError, match="VLLM_USE_V2_MODEL_RUNNER, or set it to 0"):
        mend.check_environment({"VLLM_USE_V2_MODEL_RUNNER": "1"})

    class Second:
        execute_model = propose_draft_token_ids = None

    assert mend.missing_in(Second()) == "_sample"


@pytest.mark.parametrize("way", ["block", "synthetic", "fly"])
def test_a_verifier_that_is_ignored_or_not_recorded_is_refused(tmp_path, way):
    request = {"method": "ngram", "K": 3, "speculative": {"rejection_sample_method": way}}
    with pytest.raises(mend.VllmError, match=f"rejection_sample_method '{way}' is not the rule that is recorded"):
        mend.speculative(request, tmp_path)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"method": "medusa", "K": 3}, "'medusa' is not a drafting method that specviz records"),
        ({"method": "draft_model", "K": 3}, "draft_model needs a draft"),
    ],
)
def test_what_cannot_draft_is_refused_and_says_what_to_do(tmp_path, options, reason):
    with pytest.raises(mend.VllmError, match=reason):
        mend.speculative(options, tmp_path)


def test_options_say_how_to_draft(tmp_path):
    assert mend.speculative({"method": "ngram", "K": 0}, tmp_path) is None
    assert mend.speculative({"method": "ngram", "K": 3}, tmp_path)["prompt_lookup_max"] == 4
    small = {"method": "draft_model", "draft": "owner/small", "K": 3}
    assert mend.speculative(small, tmp_path)["draft_sample_method"] == "probabilistic"
    assert mend.speculative(small | {"drafting": "argmax"}, tmp_path)["draft_sample_method"] == "greedy"


@pytest.mark.parametrize(("stated", "real"), [(1, 1), (12, 1), (12, 4), (4, 4)])
def test_a_head_is_read_with_the_layers_that_its_weights_have_and_its_folder_stays_as_it_was(tmp_path, stated, real):
    head, copies = tmp_path / "head", tmp_path / "copies"
    head.mkdir(), copies.mkdir()
    (head / "config.json").write_text(json.dumps({"num_hidden_layers": stated, "hidden_size": 8}))
    layers = {f"layers.{i}.input_layernorm.weight": torch.ones(2) for i in range(1, real)}
    weights = save({"midlayer.input_layernorm.weight": torch.ones(2)} | layers)
    (head / "model.safetensors").write_bytes(weights)
    config = mend.speculative({"method": "eagle3", "draft": str(head), "K": 3}, copies)
    read = json.loads((mend.Path(config["model"]) / "config.json").read_text())
    assert read == {"num_hidden_layers": real, "hidden_size": 8}
    assert (mend.Path(config["model"]) / "model.safetensors").read_bytes() == weights
    assert (config["model"] == str(head)) == (stated == real)
    assert json.loads((head / "config.json").read_text())["num_hidden_layers"] == stated


def test_what_a_request_asks_for_reaches_each_of_its_drafted_tokens():
    temperatures, ends = torch.tensor([0.8, 0.0, 0.5]), torch.tensor([2, 3, 6])
    repeated = mend.repeat_for_tokens(temperatures, ends, 6, replace_from=0, replace_to=1).tolist()
    assert repeated == pytest.approx([0.8, 0.8, 1, 0.5, 0.5, 0.5])
    top_k = mend.repeat_for_tokens(torch.tensor([5, 7, 9], dtype=torch.int32), ends, 6)
    assert top_k.tolist() == [5, 5, 7, 9, 9, 9] and top_k.dtype == torch.int32
