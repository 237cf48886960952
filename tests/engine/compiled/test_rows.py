"""What is decided and drafted in one compiled call is what numpy decides and drafts step by step, value by value."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine import sampling
from specviz.engine.backends import compiled
from specviz.engine.backends.compiled import CompiledStack
from specviz.engine.compiled import rows, threads
from specviz.engine.decode import decode
from specviz.engine.draft.base import Block, BlockBuilder, DraftContext, Drafter, TreePlan
from specviz.engine.draft.block import BlockHead
from specviz.engine.draft.branch import grow_tree
from specviz.engine.draft.choose import with_kind
from specviz.engine.machine import Stopwatch
from specviz.engine.models.load import load_model
from specviz.engine.sampling import CPU, DraftSampler, Filters, Sampler, draw
from specviz.engine.verify import Verifier

from ... import tiny, tiny_heads
from ...fakes import FakeText, rounds
from ...tiny import hf, some_ids
from .bits import LENGTHS, differing

VOCABULARY = 203  # no multiple of a panel


def logits(n: int, seed: int, spread: float = 3.0, v: int = VOCABULARY) -> np.ndarray:
    return (spread * torch.randn(n, v, generator=torch.Generator().manual_seed(seed))).numpy()


def uniforms(n: int, seed: int) -> np.ndarray:
    return torch.rand(n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).numpy()


def close(a, b, atol: float = 1e-6) -> bool:
    return np.shape(a) == np.shape(b) and np.allclose(a, b, atol=atol)


@pytest.fixture
def plain(monkeypatch):
    """From here on numpy decides."""
    return lambda: monkeypatch.setattr(sampling, "_rows", lambda: None)


@pytest.mark.parametrize("temperature", [0.05, 0.8, 1.0, 2.0])
def test_a_softmax_is_pytorchs_and_its_rows_sum_to_one(temperature):
    x = logits(7, 0)
    x[2, 5:] = float("-inf")
    x[3] = -1e30
    x[4, 9] = 1e4
    p = Sampler(temperature)(x)
    assert close(p, (torch.from_numpy(x).double() / temperature).softmax(-1).float())
    assert close(p.sum(-1), np.ones(7), atol=1e-5) and (p[2, 5:] == 0).all()


@pytest.mark.parametrize("v", LENGTHS)
def test_the_bits_are_the_same_wherever_in_memory_the_numbers_lie(v):
    assert differing(v) == 0


def test_a_draw_is_the_first_token_whose_cumulative_probability_exceeds_u(plain):
    p, u = sampling.softmax(logits(300, 1)), uniforms(300, 2)
    p[:, ::3] = 0
    u[0], u[1] = 0, 1 - 2**-53
    ours = draw(p, u)
    assert (p[np.arange(300), ours] > 0).all()
    plain()
    assert np.array_equal(ours, draw(p, u))


def test_the_largest_is_the_first_of_equals_also_of_negative_numbers_and_zeros():
    x = np.array([[-2.0, -1.0, -1.0, -3.0], [0.0, -0.0, 0.0, -5.0], [1.0, 7.0, 7.0, 7.0], [-np.inf, -4.0, -4.0, -9.0]])
    assert rows.argmax(x).tolist() == [1, 0, 1, 1]
    assert rows.argmax(logits(40, 3)[:, :77]).tolist() == logits(40, 3)[:, :77].argmax(-1).tolist()


@pytest.mark.parametrize("wide", [1, 15, 16, 17, 256, 257, 511, 1000])
def test_the_largest_is_the_first_of_equals_wherever_they_stand(wide):
    x = np.zeros((wide, wide))
    for i in range(wide):
        x[i, i:] = 1.0
    assert rows.argmax(x).tolist() == [*range(wide)]
    assert rows.argmax(np.full((1, wide), -np.inf)).tolist() == [0]


@pytest.mark.parametrize("k", [0, 1, 4, 9])
@pytest.mark.parametrize("how", [{}, {"drafting": "argmax"}, {"verifier": "threshold", "theta": 0.4}])
def test_a_decision_in_one_call_is_the_decision_of_verify_by_all_its_numbers(plain, k, how):
    config = DecodeConfig(temperature=0.7, K=max(k, 1), **how)
    law, argmax = Sampler.of(config), config.drafting == "argmax"
    blocks = []
    for seed in range(40):
        x, u = logits(k + 1, seed), uniforms(2 * k + 1, seed)
        near = x[:k] + logits(k, seed + 1000, 0.7)
        q = law(near) if k else None
        ids = [] if q is None else (q.argmax(-1) if argmax else draw(q, u[:k])).tolist()
        blocks.append((Block(ids, q), x, u[k:]))
    ours, theirs = [], []
    for results in (ours, theirs):
        verifier = Verifier(config, None, Stopwatch(lambda: 0.0, CPU), observe=True)
        results += [verifier(*each) for each in blocks]
        plain()
    assert {t.accepted for t in ours} == {t.accepted for t in theirs} and (k == 0 or len({t.last for t in ours}) > 5)
    for a, b in zip(ours, theirs, strict=True):
        assert (a.ids, a.last, a.u) == (b.ids, b.last, b.u)
        assert (a.accepted, a.rejected) == (b.accepted, b.rejected)
        assert close(a.p_x, b.p_x) and close(a.q_x, b.q_x)
        assert close(a.shown.p, b.shown.p) and close(a.shown.next_distribution, b.shown.next_distribution)


def test_where_p_is_q_nothing_is_rejected():
    x, u = logits(5, 4), np.full(5, 1 - 2**-53)
    q = rows.softmax(x, 0.6)
    accepted, last, _, _, p, then = rows.decide(x, [3, 1, 4, 1], q[:4], u, 0.6, 1.0, False)
    assert accepted == 4 and np.array_equal(p, q) and (then == p[4]).all() and then[last] > 0


@pytest.mark.parametrize("name", ["fable", "fable-small", "llama", "qwen3, grouped queries, tied head"])
@pytest.mark.parametrize("until", [None, 1])
@pytest.mark.parametrize("how", ["greedy", "sampled", "argmax"])
def test_a_chain_drafts_what_is_drafted_token_by_token_and_leaves_the_same_cache(name, until, how):
    model = load_model(name) if name.startswith("fable") else tiny.own(hf(name))
    prompt, vocabulary = some_ids(9, vocabulary=model.vocabulary), model.vocabulary + (how == "sampled") * 3
    sampler = DraftSampler(Sampler(0 if how == "greedy" else 0.8), vocabulary, how == "argmax")
    for feed, seed in ((prompt[-1:], 0), (prompt[-3:], 1)):
        u = None if how == "greedy" else uniforms(6, seed)
        once, each = model.sequence(64), model.sequence(64)
        for sequence in (once, each):
            sequence.append(prompt[: -len(feed)])
        ids, q = once.stack.draft(replace(once.step, until=until), sampler, feed, 6, u)
        builder, fed = BlockBuilder(sampler, 6, u), feed
        while builder.is_open:
            fed = [builder.draw(each.append(fed, keep=1, until=until))]
        block = builder.block()
        assert (ids, once.length) == (block.ids, each.length)
        assert (q is None and block.q is None) or close(q, block.q)
        assert isinstance(once.stack, CompiledStack)
        if until is None:
            assert np.array_equal(once.append([1, 2]), each.append([1, 2]))


def test_a_chain_is_the_same_on_two_threads(monkeypatch):
    model = load_model("fable")
    prompt, sampler, u = some_ids(9, vocabulary=model.vocabulary), DraftSampler(Sampler(), model.vocabulary), uniforms(5, 0)
    drafts = []
    for size in (1, 2):
        monkeypatch.setattr(compiled, "thread_team", lambda _, size=size: threads.thread_team(size))
        sequence = model.sequence(64)
        drafts.append(sequence.stack.draft(sequence.step, sampler, prompt, 5, u))
    assert drafts[0][0] == drafts[1][0] and np.array_equal(drafts[0][1], drafts[1][1])


@pytest.mark.parametrize(
    ("sampler", "how"),
    [
        (Sampler(), {"confidence": 0.3}),
        (Sampler(), {"cumulative_confidence": 0.2}),
        (Sampler(1.0, Filters(top_k=5)), {}),
        (Sampler(1.0, Filters(top_p=0.9)), {}),
    ],
)
def test_what_a_chain_cannot_do_is_left_to_drawing_each_token(sampler, how):
    sequence = load_model("fable-small").sequence(32)
    sampler = DraftSampler(sampler, 50, **how)
    assert sequence.stack.draft(sequence.step, sampler, [5], 3, uniforms(3, 0)) is None and sequence.length == 0


def test_more_than_fits_is_refused_before_anything_is_written():
    sequence = load_model("fable-small").sequence(8)
    with pytest.raises(ValueError, match="do not fit in 8"):
        sequence.stack.draft(sequence.step, DraftSampler(Sampler(), 50), [1, 2, 3], 7, uniforms(7, 0))
    assert sequence.length == 0


def a_head(kind: str, name: str) -> Drafter:
    """A head of a bundled model, or of a tiny one with weights that were drawn."""
    if name == "fable":
        return with_kind(load_model(name), kind)
    if name == "four layers":
        model = tiny_heads.model("llama", 0)
        weights = tiny_heads.block(model.config, layers=4)
        return BlockHead(tiny.own(model), weights, "head", tiny_heads.block_config(model.config))
    model = tiny_heads.model(name, 0)
    return tiny_heads.drafters(model)[kind](tiny.own(model))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["eagle", "block", "mtp"])
@pytest.mark.parametrize("name", ["fable", "llama"])
@pytest.mark.parametrize("how", [{"temperature": 0}, {"temperature": 0.9}, {"temperature": 0.9, "drafting": "argmax"}])
def test_a_head_drafts_in_compiled_calls_what_it_drafts_operation_by_operation(monkeypatch, kind, name, how):
    head = a_head(kind, name)
    text, calls, draft = FakeText(map(str, range(head.target.vocabulary))), [], CompiledStack.draft
    whole = lambda self, *args, **how: (calls.append(len(args[2])), draft(self, *args, **how))[1]  # noqa: E731
    runs = []
    for way in (whole, lambda *_, **__: None):
        monkeypatch.setattr(CompiledStack, "draft", way)
        config = DecodeConfig(K=4, max_new_tokens=30, seed=3, ignore_eos=True, **how)
        prompt = some_ids(9, vocabulary=head.target.vocabulary)
        runs.append((rounds(list(decode(head.target, head, prompt, config, text))), len(calls)))
    (one, some), (other, after) = runs
    assert some == after > 5
    if name == "fable":
        assert max(calls) > 1  # what is fed is a token, or several where some were kept
    for a, b in zip(one, other, strict=True):
        assert (a.draft_cache, a.draft_forwards) == (b.draft_cache, b.draft_forwards)
        assert [d.token for d in a.drafted] == [d.token for d in b.drafted]
        assert [d.q for d in a.drafted] == pytest.approx([d.q for d in b.drafted], abs=1e-5)


@pytest.mark.parametrize("name", ["fable", "llama", "four layers"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("feed", [1, 3])
def test_open_places_that_enter_alike_are_the_bits_of_rows_that_are_worked_out_each(name, threads, feed, monkeypatch):
    monkeypatch.setattr(compiled, "best_thread_count", lambda *_: threads)
    head, k = a_head("block", name), 6
    assert head.info.layers == (4 if name == "four layers" else 1)
    step, width, tokens = replace(head.step, link=None), head.target.shape.width, head.target.vocabulary
    known = torch.randn(4 + feed, width, generator=torch.Generator().manual_seed(1))
    features = torch.cat([known, torch.as_tensor(head.open[: k - 1])])
    ids, passes = [*some_ids(4 + feed, vocabulary=tokens), *[head.mask] * (k - 1)], []
    for once in (True, False):
        stack = head.target.backend.stack(head.layers, head.shape, head.rope, 40)
        for room in stack.scratch:  # what was left in memory
            room.fill(float("nan"))
        stack.logits(step, ids[:4], 0, {}, None, features[:4])
        if once:
            drafted, _ = stack.draft(step, DraftSampler(Sampler(0.0), tokens), ids[4:], k, None, features[4:], rows=k)
        else:
            drafted = rows.argmax(stack.logits(step, ids[4:], k, {}, None, features[4:])).tolist()
        passes.append((drafted, stack.last_hidden, *map(bytes, stack.kv_cache)))
    (drafted, left, *cache), (expected, its, *other) = passes
    assert drafted == expected and np.array_equal(left, its) and cache == other


@pytest.mark.parametrize("most", [1, 4, 300])
def test_the_likeliest_of_each_row_are_in_their_order_and_of_equals_the_first(most):
    x = logits(6, 5)
    ids, values = rows.top_k(x, most)
    expected, places = torch.from_numpy(x).topk(min(most, VOCABULARY))
    assert ids == places.tolist() and np.array_equal(values, expected)
    assert rows.top_k(np.array([[1.0, 3.0, 3.0, 2.0, 3.0]]), 4) == ([[1, 2, 4, 3]], [[3.0, 3.0, 3.0, 2.0]])


PLANS = {"static": TreePlan((3, 2, 1)), "wide": TreePlan((6,)), "dynamic": TreePlan((), 12, 4)}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("how", [{"temperature": 0}, {}, {"drafting": "argmax"}, {"temperature": 0.3}, {"top_k": 4}], ids=str)
def test_a_tree_grows_in_compiled_calls_as_it_grows_operation_by_operation(plan, how, plain):
    if plan.nodes and not (how.get("drafting") or how.get("temperature") == 0):
        how = how | {"drafting": "argmax"}  # as a dynamic tree is drafted
    context = DraftContext(DraftSampler.of(DecodeConfig(**how), VOCABULARY), 9, tree_plan=plan)

    def tree(seed: int) -> Block:
        chance = iter(range(9))
        u = None if how.get("temperature") == 0 else uniforms(20, seed)
        return grow_tree(context, 3, u, logits(1, seed), lambda ids, parents: logits(len(ids), 100 * seed + next(chance)))

    ours = [tree(seed) for seed in range(20)]
    plain()
    for a, b in zip(ours, map(tree, range(20)), strict=True):
        assert (a.ids, a.parents) == (b.ids, b.parents)
        assert (a.q is None) == (b.q is None) and (a.q is None or close(a.q, b.q))


def test_a_row_with_fewer_possible_tokens_has_fewer_children():
    q = np.array([[0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.25, 0.25], [0.0, 0.5, 0.5, 0.0]], np.float32)
    u = np.array([0.9, 0.6, 0.9, 0.1, 0.6, 0.3, 0.0, 0.0, 0.0])
    children, remainders = rows.sample_without_replacement(q, 3, u)
    assert [len(row) for row in children] == [1, 3, 2] and children == [[1], [2, 3, 0], [2, 1]]
    expected = [q[0], q[1], [2 / 3, 0, 0, 1 / 3], [1, 0, 0, 0], q[2], [0, 1, 0, 0]]
    assert close(remainders, np.stack(expected))
