"""Greedy lanes that part: the trace says where, and shows both logits by both passes."""

from dataclasses import astuple, replace

import pytest

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.race import divergence, race
from specviz.trace.events import Logits
from specviz.trace.file import dumps, loads

from .. import tiny
from ..fakes import FakeText, tokens
from ..tiny import CLOSE, hf, reference, some_ids
from .test_race import PROMPT, tiny_pair

TEXT = FakeText([chr(0x100 + i) for i in range(97)])
CONFIG = DecodeConfig(K=3, temperature=0, max_new_tokens=12)


def tilted(target, row: int):
    """The target, whose passes over more than one token now find token 7 better by 100 at row `row`: other kernels, other sums."""
    begin = target.sequence

    def sequence(capacity):
        one = begin(capacity)
        append = one.append

        def tilt(ids, keep=None):
            logits = append(ids, keep)
            if len(ids) > 1 and keep is None and len(logits) > row:
                logits[row, 7] += 100
            return logits

        one.append = tilt
        return one

    target.sequence = sequence
    return target


def lanes(target, drafter, prompt):
    return [list(decode(target, drafter if K else None, prompt, replace(CONFIG, K=K), TEXT)) for K in (0, 3)]


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("length", [1, 6])
def test_where_the_lanes_part_both_logits_are_shown_by_both_passes(row, length):
    model, prompt = hf("llama"), some_ids(length)
    target = tilted(tiny.own(model), row)
    vanilla, speculative = lanes(target, SmallModel(tiny.own(model)), prompt)  # the draft is right about the untilted target
    parting = divergence(target, prompt, vanilla, speculative)
    assert parting.at == row
    assert parting.vanilla.id == tokens(vanilla)[row] and parting.speculative.id == tokens(speculative)[row] == 7
    logits = reference(model, [*prompt, *tokens(vanilla)[:row]])[-1]
    expected = float(logits[parting.vanilla.id]), float(logits[7])
    assert astuple(parting.alone) == pytest.approx(expected, abs=CLOSE)
    assert astuple(parting.block) == pytest.approx((expected[0], expected[1] + 100), abs=CLOSE)
    assert parting.alone.vanilla > parting.alone.speculative and parting.block.vanilla < parting.block.speculative


@pytest.mark.parametrize("row", [1, 2])
def test_in_a_tree_the_block_s_logits_are_those_of_the_walk(row):
    """A vanilla lane that wrote another token where a walk stands deep in a tree: both passes give the logits of the same place."""
    model = hf("llama")
    target, prompt = tiny.own(model), some_ids(6)
    how = replace(CONFIG, tree="static", children="3-2-1")
    vanilla, _ = lanes(target, SmallModel(target), prompt)
    ours = list(decode(target, SmallModel(target), prompt, how, TEXT))
    assert len(ours[1].emitted) > row
    other = replace(vanilla[1 + row].emitted[0], token=TEXT.token((tokens(vanilla)[row] + 1) % 97))
    parted = [*vanilla[: 1 + row], replace(vanilla[1 + row], emitted=(other,))]
    parting = divergence(target, prompt, parted, ours)
    assert parting.at == row
    assert astuple(parting.block) == pytest.approx(astuple(parting.alone), abs=CLOSE)


def test_lanes_that_agree_and_lanes_that_one_of_is_shorter_do_not_part():
    target = tiny.own(hf("llama"))
    vanilla, speculative = lanes(target, SmallModel(target), some_ids(6))
    assert divergence(target, some_ids(6), vanilla, speculative) is None
    assert divergence(target, some_ids(6), vanilla, speculative[:2]) is None
    assert divergence(target, some_ids(6), [], speculative) is None


def test_a_race_says_it_in_its_trace_and_the_file_keeps_it():
    setup = tiny_pair()
    *_, trace = race(setup, PROMPT, replace(CONFIG, ignore_eos=True))
    assert trace.header.divergence is None
    tilted(setup.target, 0)
    *_, trace = race(setup, PROMPT, replace(CONFIG, ignore_eos=True))
    assert trace.header.divergence.at == 0 and trace.header.divergence.speculative.id == 7
    assert loads(dumps(trace)) == trace
    wide = replace(trace.header.divergence, alone=Logits(-3.5, -4.0), block=Logits(-1e4, 2.0))  # logits may be negative
    widened = replace(trace, header=replace(trace.header, divergence=wide))
    assert loads(dumps(widened)) == widened
    *_, sampled = race(setup, PROMPT, replace(CONFIG, temperature=1.0, ignore_eos=True))
    assert sampled.header.divergence is None  # two samples of one distribution: there is nothing to explain by logits
