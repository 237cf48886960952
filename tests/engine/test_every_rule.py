"""Every exact rule, drafting rule and drafter writes the law of the target through `decode()`: by exact enumeration over rounds.

In place of uniforms every decision is taken both ways and every draw in every way, each with its chance, so that the law of a run
is known whatever its thresholds are: real drafters over a random target of three tokens, and not only grids of halves.
"""

from functools import cache

import numpy as np
import pytest
import torch

import specviz.engine.draft.base
import specviz.engine.draft.branch
import specviz.engine.sampling
import specviz.engine.verify
import specviz.rules.block
import specviz.rules.rejection
from specviz.config import DecodeConfig
from specviz.engine.decode import _Run
from specviz.engine.draft.model import SmallModel
from specviz.engine.draft.tables import Bigram
from specviz.engine.sampling import Sampler
from specviz.rules import EXACT

from .. import tiny, tiny_heads
from ..fakes import FakeText, Markov, Ways, random_chain, rounds, run, tokens
from ..products import some
from .test_exactness import FILTERS

PROMPT, NEW, SIZE = [0, 1, 2, 0, 1], 3, 3  # a lookup finds 0 1 again
MODEL = tiny_heads.model("llama", 3, vocab_size=SIZE)
DRAFTERS = {name: make for name, make in tiny_heads.drafters(MODEL).items() if name != "none"}
DRAFTERS["bigram"] = lambda target: Bigram(
    torch.tensor([[1, 2], [2, 0], [0, 1]]), torch.tensor([[3.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
)
DRAFTING = pytest.mark.parametrize("drafting", ["sample", "argmax"])
VERIFIER = pytest.mark.parametrize("verifier", EXACT)


class Decisions(Ways):
    """What a run draws and accepts, in place of what its uniforms decide."""

    def __init__(self, patch):
        super().__init__()
        patch.setattr(specviz.engine.sampling, "_rows", lambda: None)  # one call has no draws in it to branch on
        patch.setattr(specviz.engine.draft.base, "draw", self.draw)
        for module in (specviz.engine.verify, specviz.engine.draft.branch):
            patch.setattr(module, "draw", self.draw)
        for rule in (specviz.rules.rejection, specviz.rules.block):
            patch.setattr(rule, "accepts", self.accepts)

    def draw(self, p, u):
        rows = np.asarray(p, np.float64)
        return np.array([self.choose(row) for row in (rows / rows.sum(-1, keepdims=True)).tolist()])

    def accepts(self, u, p_x, q_x):
        chance = min(1.0, p_x / q_x)
        return self.choose([1 - chance, chance]) == 1


def law_of(patch, target, drafter, prompt=PROMPT, **settings) -> tuple[dict, float]:
    """The law of the run's tokens, and the mean number of its rounds."""
    law, mean = {}, 0.0
    K = 1 if settings.get("verifier") == "match" else 2  # to match is to draw from p at every position: many more ways
    settings = {"max_new_tokens": NEW, "K": K, "observe": False} | settings
    for weight, events in Decisions(patch).every(lambda: run(target, drafter, prompt, FakeText(), **settings)):
        ids = tuple(tokens(events))
        law[ids] = law.get(ids, 0) + weight
        mean += weight * len(rounds(events))
    return law, mean


@cache
def law_alone(target, masked=lambda ids, logits: logits, **settings) -> dict:
    """What the target writes one by one, without any cache of a run. `masked`: what becomes of the logits after these ids."""
    filtered, law = Sampler.of(DecodeConfig(**settings)), {(): 1.0}
    for _ in range(NEW):
        longer = {}
        for ids, weight in law.items():
            logits = masked(ids, target.sequence(32).append([*PROMPT, *ids], keep=1))
            [row] = torch.as_tensor(filtered(logits)).double()
            longer |= {(*ids, x): weight * chance for x, chance in enumerate((row / row.sum()).tolist()) if chance > 0}
        law = longer
    return law


def assert_same(law, expected, tolerance=1e-5):
    assert sum(law.values()) == pytest.approx(1, abs=1e-9)
    for ids in law.keys() | expected.keys():
        assert abs(law.get(ids, 0) - expected.get(ids, 0)) < tolerance, ids


@DRAFTING
@VERIFIER
@pytest.mark.parametrize("name", DRAFTERS)
def test_a_drafter_writes_the_law_of_the_target_by_every_exact_rule(monkeypatch, name, verifier, drafting):
    how, target = {"temperature": 0.7, "top_k": 2}, tiny.own(MODEL)
    law, _ = law_of(monkeypatch, target, DRAFTERS[name](target), verifier=verifier, drafting=drafting, **how)
    assert_same(law, law_alone(target, **how))


TARGET, DRAFT = random_chain(SIZE, 1, sharpness=1.5), random_chain(SIZE, 2, sharpness=1.5)


@DRAFTING
@VERIFIER
@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS)
def test_every_filter_leaves_every_rule_exact(monkeypatch, filters, verifier, drafting):
    target, draft = Markov(TARGET, TARGET.roll(1, 0)), SmallModel(Markov(DRAFT, DRAFT.roll(1, 0)))
    law, _ = law_of(monkeypatch, target, draft, verifier=verifier, drafting=drafting, **filters)
    assert_same(law, law_alone(target, **filters))


@DRAFTING
@VERIFIER
@pytest.mark.parametrize("ends", some([{"confidence": 0.6}, {"confidence": 0.3}, {"survival": 0.5}]), ids=str)
def test_a_block_that_ends_by_what_was_drafted_leaves_every_rule_exact(monkeypatch, ends, verifier, drafting):
    """Of block verification too: the chance to keep a beginning is asked of those beginnings that were gone on with."""
    target, draft = Markov(TARGET), SmallModel(Markov(DRAFT))
    law, _ = law_of(monkeypatch, target, draft, verifier=verifier, drafting=drafting, **ends)
    assert_same(law, law_alone(target))


def planned(*plan):
    """In place of `_block_size`: so many tokens a round, by turns."""

    def block_size(run):
        k = min(plan[len(run.record.rounds) % len(plan)], run.output.remaining - 1)
        return k, k, "length" if k < run.config.K else None

    return block_size


@VERIFIER
@pytest.mark.parametrize("name", DRAFTERS)
def test_rounds_without_drafts_between_others_leave_every_drafter_exact(monkeypatch, name, verifier):
    monkeypatch.setattr(_Run, "_block_size", planned(0, 1))
    how, target = {"temperature": 0.7, "top_k": 2}, tiny.own(MODEL)
    law, _ = law_of(monkeypatch, target, DRAFTERS[name](target), verifier=verifier, **how)
    assert_same(law, law_alone(target, **how))


@pytest.mark.parametrize("name", DRAFTERS)
def test_after_many_rounds_without_drafts_a_drafter_says_what_it_says_when_it_was_asked_all_along(monkeypatch, name):
    """A cache that lost a position, or fed one twice, would draft other tokens."""
    target, ids, blocks = tiny.own(MODEL), [*PROMPT, *[2, 1, 0] * 5], []
    for plan in (2,), (2, *[0] * 9):
        monkeypatch.setattr(_Run, "_block_size", planned(*plan))
        how = {"temperature": 0, "K": 2, "max_new_tokens": 40, "ignore_eos": True}
        at, ids_by_position = len(ids), {}
        for r in rounds(run(target, DRAFTERS[name](target), ids, FakeText(), **how)):
            if r.drafted and r.asked == 2:
                ids_by_position[at] = [d.token.id for d in r.drafted]
            at += len(r.emitted)
        blocks.append(ids_by_position)
    often, seldom = blocks
    same = often.keys() & seldom.keys()
    assert len(same) > 1 and all(often[at] == seldom[at] for at in same)
