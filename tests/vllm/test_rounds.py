"""What vLLM 0.32.0 told of its steps (steps.jsonl, recorded from the real one) becomes lanes that a reader takes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from specviz.config import DecodeConfig
from specviz.engine.models.load import model_path
from specviz.engine.models.pair import eos_ids, load_tokenizer
from specviz.engine.text import TokenizerText
from specviz.trace.events import Finished, Prefill, Round
from specviz.trace.grammar import violations
from specviz.vllm.rounds import EngineLane

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


def test_verdicts_follow_from_u_and_p_over_q(text):
    tested = [d for r in built(text).rounds for d in r.drafted if d.verdict != "unexamined"]
    assert len(tested) >= 5 and {d.verdict for d in tested} == {"accepted", "rejected"}
    assert all((d.u * d.q < d.p) == (d.verdict == "accepted") for d in tested)


def test_a_decision_that_does_not_follow_is_found(text):
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
