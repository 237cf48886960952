"""On a CUDA device: a round makes the host wait once; from graphs it says what it says when decided value by value; the time of
what is looked at there is nobody else's."""

import gc
import warnings
from collections import Counter

import pytest
import torch

from scripts.gpu import shapes
from scripts.gpu.scripted import NumberText
from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.eagle import Eagle
from specviz.engine.draft.early_exit import EarlyExit
from specviz.engine.draft.ngram import NGram
from specviz.engine.draft.small import SmallModel
from specviz.engine.models.llama import Llama, LlamaSequence
from specviz.trace.events import Round

from .. import tiny, tiny_heads
from ..engine.test_one_transfer import MODEL, PROMPT, TEXT, VOCABULARY, Listed, assert_close, config_of
from ..fakes import finished, rounds

CALLS = ("tolist", "item", "cpu", "numpy", "__int__", "__float__", "__bool__", "__index__", "__array__")
RULE = pytest.mark.parametrize("rule", ["greedy", "rejection", "match"])
DRAFTERS = {
    "none": lambda target: None,
    "small": lambda target: SmallModel(Llama(MODEL.config, tiny.other_weights(MODEL), "draft", target.device)),
    "early exit": lambda target: EarlyExit(target, 5),
    "eagle": lambda target: Eagle(target, tiny_heads.eagle(MODEL.config), "head"),
    "lookup": lambda target: NGram(VOCABULARY),
}


class Transfers:
    """Counts the calls that make a value of a tensor known to the host."""

    def __init__(self, patch):
        self.counted = Counter()
        for name in CALLS:
            patch.setattr(torch.Tensor, name, self.counting(name, getattr(torch.Tensor, name)))

    def counting(self, name, real):
        def call(*args, **kwargs):
            self.counted[name] += 1
            return real(*args, **kwargs)

        return call

    def of_rounds(self, events):
        """The calls of each round of a run."""
        found = []
        self.counted.clear()
        for event in events:
            if isinstance(event, Round):
                found.append(dict(self.counted))
            self.counted.clear()
        return found


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
def test_a_round_makes_the_host_wait_for_one_transfer(cuda, monkeypatch, name, observe, rule):
    target = on(cuda)
    drafter, config = DRAFTERS[name](target), config_of(rule, name)
    warm(target, drafter, config, observe)
    assert set(map(str, Transfers(monkeypatch).of_rounds(run(target, drafter, config, observe)))) == {"{'tolist': 1}"}
    monkeypatch.undo()
    gc.collect()
    waits, before = [], torch.cuda.get_sync_debug_mode()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for event in run(target, drafter, config, observe):
                if isinstance(event, Round):
                    waits.append(sum("synchronizing CUDA operation" in str(w.message) for w in said))
                said.clear()
                torch.cuda.set_sync_debug_mode("warn")  # once the prompt is in
    finally:
        torch.cuda.set_sync_debug_mode(before)
    assert waits == [1] * len(waits) and len(waits) > 3


@RULE
@pytest.mark.parametrize("name", DRAFTERS)
def test_a_run_from_graphs_says_what_it_says_when_decided_value_by_value(cuda, monkeypatch, name, rule):
    target = on(cuda)
    drafter, config = DRAFTERS[name](target), config_of(rule, name)
    found = [warm(target, drafter, config) for _ in range(2)]
    assert all(finished(events).eager == "" for events in found)
    monkeypatch.setattr(LlamaSequence, "replay", None)
    expected = warm(target, drafter and Listed(drafter), config)
    for events in found:
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
