"""Where the target's cache stands still, a round is decided and looked at where its tensors are, and leaves a device in one
transfer: it says what it says when decided value by value on a CPU, number for number.

Transfers are counted in test_on_device.py.
"""

import gc
from dataclasses import fields, is_dataclass, replace
from functools import cache

import pytest

from specviz.config import DecodeConfig
from specviz.engine.backends.pytorch.backend import CachePool, PyTorch
from specviz.engine.decode import _Run, decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.machine import Recording
from specviz.engine.models.llama import Llama, LlamaSequence
from specviz.trace import grammar

from .. import tiny, tiny_heads
from ..fakes import FakeText, around_proposals, finished, roles, rounds, tokens
from ..products import every
from ..tiny import some_ids
from .backends.pytorch.test_static import WAYS, recorded, still

pytestmark = pytest.mark.usefixtures("as_on_a_device")
VOCABULARY = 97
TEXT = FakeText([chr(0x100 + i) for i in range(VOCABULARY)])
PROMPT = (*some_ids(6),) * 3  # a lookup finds something
MODEL = tiny_heads.model("llama", 0)


def draft(still: bool, record=None) -> Llama:
    """A model that agrees with the target now and then."""
    own = Llama(MODEL.config, tiny.other_weights(MODEL), "draft", compiled=None if not still else False)
    if still:
        own.backend.pool = CachePool(record)
    return own


def small(target):
    """A draft on a cache like the target's."""
    still = isinstance(target.backend, PyTorch)
    return SmallModel(draft(still, target.backend.pool.record if still else None))


DRAFTERS = tiny_heads.drafters(MODEL) | {"small": small}
RULES = {
    "greedy": {"temperature": 0},
    "rejection": {"temperature": 0.8, "top_k": 40, "top_p": 0.9},
    "match": {"temperature": 0.8, "verifier": "match"},
    "block": {"temperature": 0.8, "verifier": "block"},
    "argmax": {"temperature": 0.8, "drafting": "argmax"},
    "argmax, typical": {"temperature": 0.8, "drafting": "argmax", "verifier": "typical"},
}
RULE = pytest.mark.parametrize("rule", RULES)


def listed(drafter):
    """A drafter whose ids have left the device by the time that it hands them over."""

    def as_list(propose, *arguments):
        block = propose(*arguments)
        return replace(block, ids=block.ids if isinstance(block.ids, list) else block.ids.tolist())

    return around_proposals(drafter, as_list)


def config_of(rule: str, drafter: str, **how) -> DecodeConfig:
    return DecodeConfig(**({"K": 0 if drafter == "none" else 3, "max_new_tokens": 24, "seed": 5} | RULES[rule] | how))


def run(target, drafter, config, text=TEXT, observe=True):
    no_time = lambda: Recording.seconds  # passes  # noqa: E731
    events = list(decode(target, drafter, list(PROMPT), config, text, observe=observe, clock=no_time))
    assert list(grammar.violations("speculative" if config.K else "vanilla", events, config)) == []
    gc.collect()  # caches go back
    return events


@cache
def by_value(name, config, text=TEXT, observe=True):
    """The same passes over caches that stand still, each block decided as on the ordinary one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LlamaSequence, "replay", None)
        target = still(MODEL)
        drafter = DRAFTERS[name](target)
        return run(target, drafter and listed(drafter), config, text, observe)


def without_times(events):
    """All that a run says but its times and what became of recordings."""
    end = replace(finished(events), prefill_ms=0, decode_ms=0, observe_ms=0, capture_ms=0, eager="", processor_ms=0, device_ms=0)
    return [replace(r, times=None) for r in rounds(events)], end


def leaves(value, but):
    """The plain values inside, in order, `but` for fields of these names."""
    if is_dataclass(value):
        value = [getattr(value, f.name) for f in fields(value) if f.name not in but]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part, but)]
    return [value]


def assert_close(actual, expected, but=frozenset({"logits_entropy"})):
    """`but`: the entropy of logits is recorded of a host's numbers alone."""
    actual, expected = leaves(without_times(actual), but), leaves(without_times(expected), but)
    assert len(actual) == len(expected)
    assert [x for x in actual if not isinstance(x, float)] == [x for x in expected if not isinstance(x, float)]
    numbers = ([x for x in some if isinstance(x, float)] for some in (actual, expected))
    assert next(numbers) == pytest.approx(next(numbers), rel=1e-3, abs=1e-4)


@every(together=1, name=DRAFTERS, rule=RULES, record=WAYS.values())
def test_a_run_says_what_it_says_when_decided_value_by_value(name, rule, record):
    config = config_of(rule, name)
    target = still(MODEL, record)
    drafter = DRAFTERS[name](target)
    expected = by_value(name, config)
    # of its own draft, a block's chance is a ratio of what rounding leaves of 1 − 1 and p − p
    but = {"logits_entropy", "chance"} if (name, rule) == ("oracle", "block") else {"logits_entropy"}
    for _ in range(2):  # the second time everything is replayed
        assert_close(run(target, drafter, config), expected, but)
    if name != "none":
        assert {d.verdict for r in rounds(expected) for d in r.drafted} >= ({"accepted"} if name == "oracle" else {"rejected"})


OTHER_ENDS = [{"confidence": 0.15}, {"seed": 9, "max_new_tokens": 1}]  # the length, on the way


@every(how=[*({"K": K, "max_new_tokens": 30} for K in (1, 2, 4, 5, 6)), *OTHER_ENDS], rule=RULES)
def test_blocks_of_any_length_say_the_same(how, rule):
    config = config_of(rule, "small", **how)
    target = still(MODEL, recorded)
    events = run(target, small(target), config)
    assert_close(events, by_value("small", config))
    lengths = {len(r.drafted) for r in rounds(events)}
    assert (len(lengths) > 1 or config.max_new_tokens == 1) if how in OTHER_ENDS else lengths >= {config.K}


@pytest.mark.parametrize("name", ["small", "early exit", "eagle", "block", "mtp"])
def test_after_rounds_without_drafts_a_cache_that_stands_still_is_fed_all_that_it_missed(monkeypatch, name):
    def every_ninth(run):
        k = 0 if len(run.record.rounds) % 9 else min(3, run.output.remaining - 1)
        return k, k, "length" if k < run.config.K else None

    monkeypatch.setattr(_Run, "_block_size", every_ninth)
    config = config_of("rejection", name, max_new_tokens=40)
    target, ordinary = still(MODEL, recorded), tiny.own(MODEL)
    drafter, its = DRAFTERS[name](target), DRAFTERS[name](ordinary)
    events = run(target, drafter, config)
    assert_close(events, run(ordinary, its, config))
    assert sum(bool(r.drafted) for r in rounds(events)) > 2


@pytest.mark.slow
@every(together=1, end=["eos", "stop"], name=["oracle", "small"], rule=RULES)
def test_a_run_that_ends_inside_a_block_says_the_same(end, name, rule):
    whole = tokens(by_value(name, config_of(rule, name, K=5)))
    target = still(MODEL, recorded)
    drafter, ends = DRAFTERS[name](target), set()
    for at in range(2, 8):  # every place in a block of five and the one after it
        text, config = TEXT, config_of(rule, name, K=5)
        if end == "eos":
            text = FakeText(TEXT.pieces, eos=[TEXT.pieces[whole[at]]])
        else:
            config = replace(config, stop=("".join(TEXT.pieces[id] for id in whole[at - 1 : at + 1]),))
        events = run(target, drafter, config, text)
        assert finished(events).reason == end
        expected = by_value(name, config, text)
        assert tokens(events) == tokens(expected)
        if (name, rule) != ("oracle", "block"):  # where p is q a chance is 0/0, whose last bits say anything
            assert_close(events, expected)
        ends.add(roles(events)[-1][-1])
    assert "accepted" in ends


@every(name=["none", "small", "lookup"], rule=RULES)
def test_without_observing_a_run_says_the_same_and_nothing_was_looked_at(name, rule):
    config = config_of(rule, name)
    target = still(MODEL, recorded)
    events = run(target, DRAFTERS[name](target), config, observe=False)
    assert_close(events, by_value(name, config, observe=False))
    assert all(r.residual is None for r in rounds(events))
    assert all(d.position is None for r in rounds(events) for d in (*r.drafted, *r.emitted) if hasattr(d, "position"))
    assert tokens(events) == tokens(by_value(name, config))


@RULE
def test_a_block_that_is_on_the_device_before_a_target_with_the_ordinary_cache_is_decided_there_too(rule):
    config = config_of(rule, "small")
    ordinary = tiny.own(MODEL)
    assert_close(*(run(ordinary, SmallModel(drafts), config) for drafts in (draft(True, recorded), draft(False))))


@pytest.mark.slow
def test_runs_of_other_settings_share_a_cache_and_no_decision():
    """Of one recording everything but the values that go in is the same: temperature, filters, rule, whether anybody looks."""
    target = still(MODEL, recorded)
    drafter = small(target)
    hows = [
        (config_of(rule, "small", **how), observe)
        for rule in ("rejection", "match")
        for how in ({}, {"temperature": 1.3}, {"top_k": 3})
        for observe in (False, True)
    ]
    for _ in range(2):
        for config, observe in hows:
            assert_close(run(target, drafter, config, observe=observe), by_value("small", config, observe=observe))
    assert len(target.backend.pool.free) == 1
