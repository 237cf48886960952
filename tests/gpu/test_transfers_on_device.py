"""On a CUDA device: a round makes the host wait once; from graphs it says what it says when decided value by value; the time of
what is looked at there is nobody else's."""

import gc
import warnings

import pytest
import torch

from scripts.gpu import shapes
from scripts.gpu.scripted import NumberText
from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.small import SmallModel
from specviz.engine.models.llama import Llama, LlamaSequence
from specviz.trace.events import Round

from .. import tiny, tiny_heads
from ..engine.test_one_transfer import MODEL, PROMPT, TEXT, assert_close, config_of, listed
from ..fakes import finished, rounds

RULE = pytest.mark.parametrize("rule", ["greedy", "rejection", "match"])
DRAFTERS = tiny_heads.drafters(MODEL)


def on(device) -> Llama:
    return Llama(MODEL.config, tiny.weights(MODEL), "tiny", device)


def run(target, drafter, config, observe=True):
    yield from decode(target, drafter, list(PROMPT), config, TEXT, observe=observe)


def warm(*args):
    """A run whose recordings are made, and its cache back on the shelf."""
    events = list(run(*args))
    gc.collect()
    return events


@RULE
@pytest.mark.parametrize("observe", [True, False])
@pytest.mark.parametrize("name", ["none", "small", "early exit", "eagle"])
def test_a_round_makes_the_host_wait_for_one_transfer(cuda, name, observe, rule):
    target = on(cuda)
    drafter, config = DRAFTERS[name](target), config_of(rule, name)
    warm(target, drafter, config, observe)
    waits, before = [], torch.cuda.get_sync_debug_mode()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for event in run(target, drafter, config, observe):
                if isinstance(event, Round):
                    waits.append(sum("synchronizing CUDA operation" in str(w.message) for w in caught))
                caught.clear()
                torch.cuda.set_sync_debug_mode("warn")  # once the prompt is in
    finally:
        torch.cuda.set_sync_debug_mode(before)
    assert waits == [1] * len(waits) and len(waits) > 3


@RULE
@pytest.mark.parametrize("name", ["none", "small", "early exit", "eagle", "lookup"])
def test_a_run_from_graphs_says_what_it_says_when_decided_value_by_value(cuda, monkeypatch, name, rule):
    target = on(cuda)
    drafter, config = DRAFTERS[name](target), config_of(rule, name)
    runs = [warm(target, drafter, config) for _ in range(2)]
    assert all(finished(events).eager == "" for events in runs)
    monkeypatch.setattr(LlamaSequence, "replay", None)
    expected = warm(target, drafter and listed(drafter), config)
    for events in runs:
        assert_close(events, expected)


def test_what_is_looked_at_is_timed_as_observing_and_phases_add_up_without_it(cuda):
    shape = shapes.TINY["tiny-llama"].target
    target, draft = (shapes.build("tiny", shape, cuda, seed=i) for i in (0, 1))
    config = DecodeConfig(K=4, temperature=1, max_new_tokens=80)
    for observe in (True, False, True, False):  # what is recorded is recorded in the first two
        events = list(decode(target, SmallModel(draft), [1, 2, 3], config, NumberText(), observe=observe))
        gc.collect()
        for t in (r.times for r in rounds(events)):
            assert min(t.draft, t.verify, t.rest, t.observe) > 0 and t.decide > -0.05  # an event's clock is not the host's
        assert finished(events).decode_ms == pytest.approx(sum(r.times.timed for r in rounds(events)))
