"""Blocks that branch: exact by enumeration through `decode()`, the same as vanilla decoding when greedy, and refused where they cannot be.

How the law of a run is enumerated: test_every_rule.py."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

import specviz.engine.sampling
from specviz.config import ConfigError, DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.base import DraftContext, TreePlan
from specviz.engine.draft.branch import grow_tree
from specviz.engine.draft.model import SmallModel
from specviz.engine.draft.tables import NGram, Random, merge_continuations
from specviz.engine.sampling import DraftSampler, Sampler, softmax
from specviz.rules import SAVED, TreeInputs
from specviz.rules.rejection import Rejection
from specviz.trace import grammar, tree
from specviz.trace.events import Trace
from specviz.trace.file import TraceError, dumps, loads
from tests import tiny
from tests.fake_trace import fake_trace

from ..fakes import FakeText, History, Markov, finished, random_chain, rounds, run, start, tokens
from .test_every_rule import DRAFTERS, MODEL, PROMPT, SIZE, Decisions, assert_same, law_alone, law_of

STATIC = {"tree": "static", "children": "2-1", "K": 2}
BRANCHING = [name for name in DRAFTERS if name not in ("random", "block")]


@pytest.fixture
def precise(monkeypatch):
    """Distributions in float64, so that an enumerated law is as exact as that is."""
    monkeypatch.setattr(specviz.engine.sampling, "softmax", lambda scores: softmax(scores.astype(np.float64)))
    return monkeypatch


def alone(P: torch.Tensor, start: int, n: int) -> dict:
    """The law of n tokens when the target writes them one by one."""
    law = {(): 1.0}
    for _ in range(n):
        law = {(*ids, x): weight * float(P[ids[-1] if ids else start, x]) for ids, weight in law.items() for x in range(len(P))}
    return law


P, Q = (random_chain(SIZE, seed, sharpness=1.5) for seed in (1, 2))
TRUE = P.log().float().double().softmax(-1)  # as `Markov` gives it
SHAPES = {
    "two and one": {"children": "2-1", "K": 2},
    "all three": {"children": "3", "K": 1},
    "a chain": {"children": "1", "K": 2},
}


HOWS = [{}, {"drafting": "argmax"}, {"verifier": "match"}, {"verifier": "match", "drafting": "argmax"}]
SLOW = ("two and one", HOWS[2])  # there are thousands of runs


@pytest.mark.parametrize(
    ("shape", "how"), [pytest.param(*case, marks=[pytest.mark.full] * (case == SLOW)) for case in product(SHAPES, HOWS)], ids=str
)
def test_a_static_tree_writes_the_law_of_the_target_to_1e_12_over_several_rounds(precise, shape, how):
    law, mean = law_of(precise, Markov(P), SmallModel(Markov(Q)), [0], max_new_tokens=3, tree="static", **SHAPES[shape], **how)
    assert_same(law, alone(TRUE, 0, 3), 1e-12)
    assert mean > 1


@pytest.mark.parametrize("verifier", ["rejection", "match"])
def test_a_dynamic_tree_writes_the_law_of_the_target_to_1e_12(precise, verifier):
    how = {"tree": "dynamic", "nodes": 4, "K": 3, "drafting": "argmax", "verifier": verifier}
    assert_same(law_of(precise, Markov(P), SmallModel(Markov(Q)), [0], max_new_tokens=4, **how)[0], alone(TRUE, 0, 4), 1e-12)


@pytest.mark.parametrize("drafting", ["sample", "argmax"])
@pytest.mark.parametrize("verifier", ["rejection", "match"])
@pytest.mark.parametrize("name", BRANCHING)
def test_every_drafter_that_branches_writes_the_law_of_the_target(monkeypatch, name, verifier, drafting):
    how, target = {"temperature": 0.7, "top_k": 2}, tiny.own(MODEL)
    law, _ = law_of(
        monkeypatch, target, DRAFTERS[name](target), max_new_tokens=3, verifier=verifier, drafting=drafting, **STATIC, **how
    )
    assert_same(law, law_alone(target, **how))


def off(patch, **how) -> float:
    """Total variation between what a rule writes and what it should, by the worse of three drafts."""
    expected = alone(TRUE, 0, 2)

    def by(draft) -> float:
        law, _ = law_of(patch, Markov(P), SmallModel(Markov(draft)), [0], max_new_tokens=2, **STATIC | how)
        return sum(abs(law.get(ids, 0) - weight) for ids, weight in expected.items()) / 2

    return max(map(by, (Q, Q.roll(1, -1), P.flip(-1))))


def test_a_threshold_below_1_is_off_and_one_of_1_is_not(monkeypatch):
    assert off(monkeypatch, verifier="threshold", theta=0.5) > 0.02
    assert off(monkeypatch, verifier="threshold", theta=1.0) < 1e-5


EXAMPLE = [torch.tensor(row, dtype=torch.float64) for row in ((0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05))]


def first_token_law(patch, rule, one_hot_q: bool, first: int = 0, second: int = 1):
    """What a rule writes first, with two children of one token: by every way that its coins can fall."""
    p, q = EXAMPLE
    one_hot, without = torch.eye(4, dtype=torch.float64), q.index_fill(0, torch.tensor([first]), 0.0)
    rows = [one_hot[first], one_hot[second]] if one_hot_q else [q, without / without.sum()]
    block = TreeInputs([first, second], [[0, 1], [], []], torch.stack([p, p, p]), rows.__getitem__, [0.0, 0.0], lambda i: 0)
    law = torch.zeros(4, dtype=torch.float64)
    for weight, walk in Decisions(patch).every(lambda: rule.verify_tree(block)):
        law += weight * (one_hot[block.x[walk.path[-1]]] if walk.path else walk.next_distribution)
    return law


def test_recursive_rejection_gives_p_by_children_that_were_chosen_or_drawn(monkeypatch):
    assert torch.allclose(first_token_law(monkeypatch, Rejection(), one_hot_q=True), EXAMPLE[0], atol=1e-12)
    law = torch.zeros(4, dtype=torch.float64)
    for first in range(4):
        for second in range(4):
            if first != second:
                chance = EXAMPLE[1][first] * EXAMPLE[1][second] / (1 - EXAMPLE[1][first])
                law += chance * first_token_law(monkeypatch, Rejection(), False, first, second)
    assert torch.allclose(law, EXAMPLE[0], atol=1e-12)


WAYS = {
    "recursive": {"tree": "static", "K": 3},
    "walk": {"tree": "static", "K": 3, "children": "2", "verifier": "match"},
    "chosen": {"tree": "static", "K": 4, "children": "2-2-1", "drafting": "argmax"},
    "dynamic": {"tree": "dynamic", "K": 4, "nodes": 9, "drafting": "argmax"},
    "dynamic walk": {"tree": "dynamic", "K": 4, "nodes": 9, "drafting": "argmax", "verifier": "match"},
    "greedy": {"tree": "static", "K": 3, "temperature": 0},
    "greedy dynamic": {"tree": "dynamic", "K": 5, "nodes": 12, "temperature": 0},
    "filtered": {"tree": "static", "K": 3, "top_k": 2},
    "threshold": {"tree": "static", "K": 2, "verifier": "threshold"},
    "a chain": {"tree": "static", "K": 3, "children": "1"},
}
EACH = pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)


def as_trace(events, config: DecodeConfig) -> Trace:
    header = fake_trace().header
    return Trace(replace(header, config=config, exact=config.exact, divergence=None), (), tuple(events))


def decoded(how, seed=0, length=21, target=None, draft=None, **more):
    target, draft = target or Markov(random_chain(6, 1), random_chain(6, 3)), draft or Markov(random_chain(6, 2))
    return run(target, draft, [0, 1, 2], seed=seed, max_new_tokens=length, **how, **more)


@EACH
def test_every_run_of_trees_keeps_the_grammar_survives_a_file_and_leaves_the_text_in_both_caches(how):
    for seed in range(4):
        target, draft = History(6, seed=1), History(6, seed=2)
        events = decoded(how, seed, target=target, draft=draft)
        config = DecodeConfig(**how, seed=seed, max_new_tokens=21)
        assert list(grammar.violations("speculative", events, config)) == []
        trace = as_trace(events, config)
        assert loads(dumps(trace)) == trace
        [target_cache], [draft_cache] = target.sequences, draft.sequences
        text = [0, 1, 2, *tokens(events)]
        assert target_cache.ids == text[:-1] and not target_cache.tree
        assert draft_cache.ids == text[: len(draft_cache.ids)] and len(draft_cache.ids) <= len(text) - 1
        assert all(r.target_cache.peak == r.target_cache.before + 1 + len(r.drafted) for r in rounds(events))


DEEP = {"tree": "dynamic", "nodes": 3, "K": 12, "drafting": "argmax"}  # more is fed than is drafted


@pytest.mark.parametrize("name", BRANCHING)
def test_greedy_trees_write_what_the_target_writes_whatever_drafts_also_where_the_context_ends(name):
    target = tiny.own(MODEL)
    long_prompt = tiny.some_ids(target.context - 9, vocabulary=SIZE)
    for prompt, how in (PROMPT, STATIC), (PROMPT, {"tree": "dynamic", "nodes": 5, "K": 3}), (PROMPT, DEEP), (long_prompt, DEEP):
        config = DecodeConfig(temperature=0, max_new_tokens=20, **how)
        vanilla = tokens(decode(target, None, prompt, replace(config, K=0, tree="off"), FakeText()))
        assert tokens(decode(target, DRAFTERS[name](target), prompt, config, FakeText())) == vanilla


def test_a_tree_of_one_child_each_decides_as_a_chain_does():
    for seed in range(6):
        chain, branched = decoded({"K": 3}, seed), decoded(WAYS["a chain"], seed)
        assert tokens(chain) == tokens(branched)
        for a, b in zip(rounds(chain), rounds(branched), strict=True):
            bare = tuple(replace(d, parent=None, depth=None, rank=None) for d in b.drafted)
            assert [(d.token, d.verdict, d.u) for d in a.drafted] == [(d.token, d.verdict, d.u) for d in bare]
            assert [d.p for d in a.drafted] == pytest.approx([d.p for d in bare], abs=1e-6)


def test_a_draft_that_is_the_target_keeps_its_first_path():
    model = Markov(random_chain(6, 1))
    events = run(model, model, [0], tree="static", children="2-2-1", K=3, max_new_tokens=40, drafting="argmax", temperature=0)
    assert all(r.emitted[-1].role == "bonus" for r in rounds(events)[:-1])


def test_the_run_ends_on_an_accepted_token_inside_a_tree():
    text = FakeText("abcdef", eos=["f"])
    for seed in range(30):
        how = {"tree": "static", "K": 3, "seed": seed, "max_new_tokens": 40}
        events = list(start(Markov(random_chain(6, 1)), Markov(random_chain(6, 1)), [0], text, **how))
        assert list(grammar.violations("speculative", events, DecodeConfig(**how))) == []
        last = rounds(events)[-1]
        if last.emitted[-1].role == "accepted":
            at = tree.path(last.drafted)[-1]
            assert all(d.verdict == "unexamined" for d in last.drafted if d.parent == at)
            return
    raise AssertionError("no run ended inside a tree")


CHAINS = {f"a chain, {name}": {"K": 4, "verifier": name} for name in ("rejection", "match", "block", "threshold", "typical")}


@pytest.mark.parametrize("end", ["an end token", "a stop string", "the length"])
@pytest.mark.parametrize("how", [*WAYS.values(), *CHAINS.values()], ids=[*WAYS, *CHAINS])
def test_a_token_that_was_not_examined_has_the_targets_own_p_also_where_the_run_ended_before_it(how, end):
    """The rule decides the whole block, so it may have looked at nodes behind the end."""
    text, stop = FakeText("abcdef", eos="ef" if end == "an end token" else ""), "be" if end == "a stop string" else ""
    inside = 0
    for seed in range(20):
        chain = random_chain(6, seed)
        settings = {"temperature": 1.5, "seed": seed, "max_new_tokens": 7, "stop": tuple(stop)} | how
        config = DecodeConfig(**settings)
        rows = Sampler.of(config)(chain.log().float().numpy()) if config.temperature else np.eye(6)[chain.argmax(-1)]
        events = list(start(Markov(chain), SmallModel(Markov(random_chain(6, 2))), [0], text, **settings))
        for r, before in zip(rounds(events), [0, *(r.emitted[-1].token.id for r in rounds(events))], strict=False):
            parents = [d.parent for d in r.drafted] if config.tree != "off" else [*range(-1, len(r.drafted) - 1)]
            for d, parent in zip(r.drafted, parents, strict=True):
                if d.verdict == "unexamined":
                    own = rows[before if parent < 0 else r.drafted[parent].token.id, d.token.id]
                    assert (d.p, d.ratio) == pytest.approx((own, own / d.q), abs=1e-5)
        inside += rounds(events)[-1].emitted[-1].role == "accepted"
    assert inside or end == "the length"


@pytest.mark.parametrize("context", [12, 16, 40])
def test_a_context_that_ends_leaves_room_for_fewer_tokens_and_none_is_lost(context):
    events = decoded({"tree": "static", "K": 3}, length=64, target=Markov(random_chain(6, 1), context=context))
    assert finished(events).tokens == context - 3 and finished(events).reason == "context"


def test_a_draft_with_a_smaller_context_drafts_until_it_is_full():
    events = decoded({"tree": "static", "K": 3}, length=30, draft=Markov(random_chain(6, 2), context=16))
    assert any(r.fewer == "context" for r in rounds(events)) and finished(events).tokens == 30


def sampler(**how) -> DraftSampler:
    return DraftSampler.of(DecodeConfig(**how), 6)


def test_siblings_are_drawn_without_replacement_each_from_q_without_those_before():
    rows = random_chain(6, 2).float()
    u = torch.rand(12, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    context = DraftContext(sampler(), 9, tree_plan=TreePlan((3, 2)))
    block = grow_tree(context, 2, u, rows[:1].log(), lambda ids, parents: rows[ids].log())
    assert block.parents == [-1, -1, -1, 0, 0, 1, 1, 2, 2]
    left = rows[0]
    for i in range(3):
        assert torch.allclose(torch.as_tensor(block.q[i]), left / left.sum(), atol=1e-6)
        left = left.index_fill(0, torch.tensor([block.ids[i]]), 0.0)
    assert all(len({block.ids[i] for i in here}) == len(here) for here in ([0, 1, 2], [3, 4], [5, 6], [7, 8]))


def test_a_dynamic_tree_holds_the_likeliest_nodes_of_all():
    rows = random_chain(6, 2, sharpness=2).float()
    context = DraftContext(sampler(drafting="argmax"), 9, tree_plan=TreePlan((), 6, 6))
    block = grow_tree(context, 3, torch.zeros(6), rows[:1].log(), lambda ids, parents: rows[ids].log())

    def chance(node):
        parent = block.parents[node]
        return float(rows[block.ids[parent] if parent >= 0 else 0, block.ids[node]]) * (chance(parent) if parent >= 0 else 1.0)

    def all_paths(at, before, depth):
        for x in range(6):
            yield before * float(rows[at, x])
            if depth:
                yield from all_paths(x, before * float(rows[at, x]), depth - 1)

    assert sorted(map(chance, range(6)), reverse=True) == pytest.approx(sorted(all_paths(0, 1.0, 2), reverse=True)[:6], rel=1e-4)


def test_a_lookup_branches_where_the_text_went_on_in_several_ways():
    session = NGram(9).begin(type("", (), {"tree_plan": TreePlan((2, 1)), "sampler": sampler(temperature=0)})())
    block = session.branch([1, 2, 3, 4, 1, 2, 5, 6, 7, 1, 2], 2, None)
    assert block.ids == [5, 3, 6, 4] and block.parents == [-1, -1, 0, 1]
    assert merge_continuations(iter([[1, 2], [1, 3], [4, 5]]), TreePlan((), 3, 2), 2) == ([-1, 0, 0], [1, 2, 3])
    # no more than a cache has room for
    assert merge_continuations(iter([[1], [4], [5]]), TreePlan((), 3, 2), 1) == ([-1, -1], [1, 4])


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"verifier": "block"}, "the rule block"),
        ({"verifier": "typical"}, "the rule typical"),
        ({"confidence": 0.1}, "ends by confidence"),
        ({"survival": 0.1}, "ends by confidence"),
        ({"K": 17}, "at most 16"),
        ({"K": 9, "children": "3"}, "at most 64 tokens"),
        ({"children": "3·2"}, "such as 3-2-1-1"),
        ({"children": "0"}, "such as 3-2-1-1"),
        ({"nodes": 65}, "from 1 to 64"),
        ({"tree": "dynamic"}, "dynamic needs drafting by argmax"),
    ],
)
def test_what_a_tree_cannot_go_with_is_refused_in_one_sentence(how, reason):
    with pytest.raises(ConfigError) as refused:
        DecodeConfig(**{"tree": "static", "K": 3} | how)
    assert reason in str(refused.value) and "\n" not in str(refused.value)


def test_a_drafter_that_drafts_chains_only_is_refused_before_anything_runs():
    with pytest.raises(ConfigError, match="off with random, which drafts chains"):
        start(Markov(P), Random(SIZE), [0], tree="static", K=2)


@pytest.mark.parametrize("verifier", SAVED)
def test_a_rule_of_saved_runs_decides_no_run_and_the_rules_that_do_are_named(verifier):
    with pytest.raises(ConfigError, match=f"verifier is '{verifier}'; it must be 'rejection', 'match', "):
        start(Markov(P), SmallModel(Markov(Q)), [0], verifier=verifier, **STATIC)


def test_nothing_is_drafted_in_the_vanilla_lane_of_a_race_of_trees():
    assert not DecodeConfig(tree="static", K=0).branches and DecodeConfig(tree="static", K=0).max_drafted == 0


def bent(change) -> None:
    """A file of a run whose first round was changed."""
    how = WAYS["recursive"]
    events = list(decoded(how))
    events[1] = change(events[1])
    loads(dumps(as_trace(events, DecodeConfig(**how, max_new_tokens=21))))


def with_node(i, **fields):
    return lambda r: replace(r, drafted=tuple(replace(d, **fields) if j == i else d for j, d in enumerate(r.drafted)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_node(4, parent=4), "a token follows an earlier one"),  # a loop
        (with_node(4, parent=7), "a token follows an earlier one"),  # forwards
        (with_node(1, rank=0), "siblings have places of their own"),
        (with_node(4, depth=1), "one more than its parent's"),
        (with_node(3, parent=None), "must be there"),
        (lambda r: replace(r, drafted=tuple(replace(d, parent=None, depth=None, rank=None) for d in r.drafted)), "must be there"),
        (lambda r: with_node(1, token=r.drafted[0].token)(r), "another token than those of its siblings"),
        (lambda r: with_node(14, verdict="accepted")(r), "must be"),
    ],
)
def test_a_file_whose_tree_is_none_is_refused(change, reason):
    bent(lambda r: r)
    with pytest.raises(TraceError, match=reason):
        bent(change)


def test_a_chain_with_parents_is_refused_and_a_chain_is_written_as_it_was():
    events = list(decoded({"K": 3}))
    trace = as_trace(events, DecodeConfig(K=3, max_new_tokens=21))
    data = dumps(trace)
    for field in (b'"parent"', b'"depth"', b'"rank"', b'"tree"', b'"children"', b'"nodes"'):
        assert field not in data
    events[1] = with_node(0, parent=-1, depth=1, rank=0)(events[1])
    with pytest.raises(TraceError, match="the run drafts chains"):
        loads(dumps(replace(trace, speculative=tuple(events))))
