"""A script is accepted as often as it says, at the cost of a real drafter, and the text stays the target's."""

import math

import pytest
import torch

from scripts.gpu import shapes
from scripts.gpu.scripted import NumberText, Script, Scripted
from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.base import DraftContext
from specviz.engine.draft.eagle import Eagle
from specviz.lab.measure import measure

from ...fakes import finished, tokens
from ...tiny_shapes import LLAMA, NEW, PROMPT, built, greedy


@pytest.mark.parametrize("still", [False, True], ids=["drawn on the host", "chained on the device"])
@pytest.mark.parametrize("alpha", [0.5, 0.7, 0.9])
def test_a_script_is_accepted_as_often_as_it_says_and_the_text_is_the_targets(alpha, still):
    target, draft = built(still=still)
    script = Script.of(target, PROMPT, NEW)
    events = list(decode(target, Scripted(draft, script, alpha, seed=3), PROMPT, greedy(4), NumberText(), observe=False))
    end = finished(events)
    assert PROMPT + tokens(events) == script.ids
    spread = math.sqrt(alpha * (1 - alpha) / end.tested)
    assert abs(end.accepted / end.tested - alpha) < 3.5 * spread
    assert 0 < end.accepted < end.tested


@pytest.mark.parametrize("still", [False, True])
def test_a_scripted_drafter_makes_the_passes_of_the_real_one(still):
    target, draft = built(still=still)
    script = Script.of(target, PROMPT, 40)
    start = DraftContext.of(DecodeConfig(temperature=0), target.vocabulary, len(script.ids))
    ours, real = (d.begin(start) for d in (Scripted(draft, script, 0.5), draft))
    for drafting in (ours, real):
        drafting.prefill(PROMPT[:-1])
    mine, its = (d.propose(PROMPT, 5, None).ids for d in (ours, real))
    assert isinstance(mine, torch.Tensor) == isinstance(its, torch.Tensor) == still
    said = Scripted(draft, script, 0.5).said[len(PROMPT) : len(PROMPT) + 5].tolist()
    assert list(mine) == said != list(its)
    assert (ours.forwards, ours.length) == (real.forwards, real.length) == (5, len(PROMPT) - 1 + 5)


def test_a_scripted_run_is_named_synthetic_and_samples_nothing():
    target, draft = built()
    script = Script.of(target, PROMPT, 20)
    scripted = Scripted(draft, script, 0.7)
    assert scripted.info.family == "synthetic" and scripted.info.name.startswith("scripted at α = 0.7, at the cost of tiny-draft")
    assert shapes.SYNTHETIC in scripted.info.name and shapes.SYNTHETIC in target.info.name
    with pytest.raises(ValueError, match="greedy"):
        list(decode(target, scripted, PROMPT, DecodeConfig(K=2, max_new_tokens=8), NumberText()))
    with pytest.raises(ValueError, match="32 tokens, the text may have"):
        list(decode(target, scripted, PROMPT, greedy(2, 60), NumberText()))


def test_proposals_are_the_text_or_anything_else_and_the_same_for_the_same_seed():
    script = Script([5, 6, 7] * 200, 10)
    assert torch.equal(script.proposals(1.0), torch.tensor(script.ids))
    wrong = script.proposals(0.0)
    assert (wrong != torch.tensor(script.ids)).all() and wrong.min() >= 0 and wrong.max() < 10
    assert len(set(wrong.tolist())) == 10
    assert torch.equal(script.proposals(0.5, 1), script.proposals(0.5, 1))
    assert not torch.equal(script.proposals(0.5, 1), script.proposals(0.5, 2))


def test_an_eagle_shaped_head_drafts_and_pays():
    target, _ = built()
    head = shapes.drafter("EAGLE", None, target, LLAMA.target)
    assert isinstance(head, Eagle) and len(head.step.columns) == 128
    script = Script.of(target, PROMPT, 40)
    events = list(decode(target, Scripted(head, script, 0.8), PROMPT, greedy(3, 40), NumberText(), observe=False))
    assert PROMPT + tokens(events) == script.ids
    assert finished(events).draft_forwards == finished(events).drafted > 0


def test_measured_runs_of_a_script_are_runs_like_any_other():
    target, draft = built()
    script = Script.of(target, PROMPT, 30)
    run = measure(target, Scripted(draft, script, 0.9), PROMPT, greedy(3, 30), NumberText())
    assert list(run.ids) == script.ids[len(PROMPT) :] and run.draft > 0 and run.forwards >= run.drafted > 0
