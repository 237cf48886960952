"""What a round shows of p, q and the residual: looked at where the tensors are, sent as one row of numbers, read on the host.

Expected values are worked out entry by entry, in plain Python.
"""

from math import log

import pytest
import torch

from specviz.engine.events import (
    host_top_entries,
    logits_entropy,
    one_hot_positions,
    one_hot_residual,
    positions_from,
    residual_from,
    unpack,
)
from specviz.engine.tensors import flatten, pack, top_entries
from specviz.trace.events import TOP, Residual, ResidualEntry
from tests.fakes import FakeText

TEXT = FakeText([f"<{i}>" for i in range(300)])
SIZES = pytest.mark.parametrize("size", [2, TOP - 1, TOP, 40, 300])


def some(n: int, size: int, seed: int) -> torch.Tensor:
    """Distributions [n, size], about a third of the entries 0 and no two of the others alike."""
    generator = torch.Generator().manual_seed(seed)
    p = torch.rand(n, size, generator=generator) ** 6 * (torch.rand(n, size, generator=generator) > 0.3)
    p[:, 0] += 0.1
    return p / p.sum(-1, keepdim=True)


def largest(row: list[float]) -> list[int]:
    """Ids with any probability, those with most first."""
    return sorted((id for id, chance in enumerate(row) if chance), key=lambda id: -row[id])[:TOP]


def entropy(row: list[float]) -> float:
    return -sum(chance * log(chance) for chance in row if chance)


def by_torch(p, q, inspected, next_distribution=None, last=None):
    """What a look finds."""
    entries = top_entries(p, q, torch.tensor(inspected), next_distribution, None if last is None else torch.tensor([last]))
    return unpack(flatten(entries).numpy(), len(p), 0 if q is None else len(q), p.shape[-1])


def in_one_call(p, q, inspected, next_distribution=None, last=0):
    """The same look on a host, compiled."""
    m = 0 if q is None else len(q)
    numbers = host_top_entries(p, q, inspected, m, None if next_distribution is None else next_distribution[0], last)
    return unpack(numbers, len(inspected), m, p.shape[-1])


READ = pytest.mark.parametrize("read", [by_torch, in_one_call])


@READ
@SIZES
@pytest.mark.parametrize(("n", "m"), [(1, 0), (1, 1), (2, 1), (4, 4), (5, 4)])
def test_a_position_shows_the_largest_of_p_then_the_token_in_question_then_the_largest_of_q(read, n, m, size):
    for seed in range(10):
        p, q = some(n, size, seed), some(m, size, 100 + seed) if m else None
        inspected = [(7 * seed + 3 * i) % size for i in range(n)]
        positions = positions_from(read(p, q, inspected), n, m, TEXT)
        assert len(positions) == n
        for i, position in enumerate(positions):
            p_row, q_row = p[i].tolist(), q[i].tolist() if i < m else None
            both = [*largest(p_row), inspected[i], *(largest(q_row) if q_row else [])]
            ids = [id for id in dict.fromkeys(both) if p_row[id] or (q_row and q_row[id])]
            entries = position.entries
            assert {(e.token.id, e.p, e.q) for e in entries} == {(id, p_row[id], q_row[id] if q_row else None) for id in ids}
            assert [e.token.id for e in entries if e.p][: len(largest(p_row))] == largest(p_row)
            assert all(e.token == TEXT.token(e.token.id) for e in entries)
            assert position.p_rest == pytest.approx(1 - sum(p_row[id] for id in ids), abs=1e-6)
            assert position.p_entropy == pytest.approx(entropy(p_row), abs=1e-5)
            if q_row is None:
                assert (position.q_rest, position.beta, position.q_entropy) == (None, None, None)
                continue
            assert position.q_rest == pytest.approx(1 - sum(q_row[id] for id in ids), abs=1e-6)
            assert position.beta == pytest.approx(sum(map(min, p_row, q_row)), abs=1e-6)
            assert position.q_entropy == pytest.approx(entropy(q_row), abs=1e-5)
            if min(sum(map(bool, p_row)), sum(map(bool, q_row))) >= TOP:  # else ids without p stand among the largest of p
                assert [e.token.id for e in entries] == ids


@READ
def test_of_equal_distributions_no_more_than_all_overlaps_and_nothing_is_left_below_zero(read):
    p = some(3, 300, 1)
    p[0] = torch.full((300,), 1 / 299)  # sums to more than 1
    positions = positions_from(read(p, p.clone(), [0, 1, 2]), 3, 3, TEXT)
    assert positions[0].beta == 1.0 and all(min(x.p_rest, x.q_rest) >= 0 and x.beta <= 1 for x in positions)


@READ
@SIZES
def test_a_residual_shows_its_largest_entries_and_the_token_that_was_drawn(read, size):
    for seed in range(20):
        next_distribution = some(1, size, seed)
        row = next_distribution[0].tolist()
        last = [id for id, chance in enumerate(row) if chance][seed % sum(map(bool, row))]
        rest = residual_from(read(some(1, size, 3), None, [0], next_distribution, last), last, 0.25, TEXT)
        ids = [*largest(row), *([last] if last not in largest(row) else [])]
        assert rest.entries == tuple(ResidualEntry(TEXT.token(id), row[id]) for id in ids)
        assert rest.rest == pytest.approx(1 - sum(row[id] for id in ids), abs=1e-6) and rest.mass == 0.25


@SIZES
@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("replaced", [False, True])
def test_what_is_sent_in_one_row_of_numbers_is_what_was_found(k, replaced, size):
    p, q, ids, last = some(k + 1, size, 1), some(k, size, 2) if k else None, torch.arange(k) % size, torch.tensor([1])
    numbers, drafted = torch.rand(3, dtype=torch.float64), (ids, q) if k else (ids,)
    next_distribution = [some(1, size, 3)] if replaced and k else []
    [row] = pack(numbers, p, last, *drafted, *next_distribution)
    assert row.dtype == torch.float64 and row.dim() == 1 and row[:3].tolist() == numbers.tolist()
    unpacked = unpack(row[3:].numpy(), k + 1, k, size)
    whole = top_entries(p, q, torch.cat([ids, last]), *next_distribution, *([last] if next_distribution else []))
    assert [x for part in unpacked for x in part.flatten().tolist()] == flatten(whole).tolist()
    sizes = {"p": k, "q": k, "overlap": k, "bare_p": 1, "p_entropy": k + 1, "residual": min(TOP, size) * len(next_distribution)}
    assert {name: len(getattr(unpacked, name)) for name in sizes} == sizes


@READ
@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (5, 5), (6, 5)])
def test_of_rows_that_were_all_looked_at_those_that_are_shown_read_as_if_they_alone_had_been(read, n, m):
    k, last = 5, 17
    p, q, ids = some(k + 1, 300, 4), some(k, 300, 5), [3, 1, 4, 1, 5]
    alone = positions_from(read(p[:n], q[:m], [*ids, last][:n]), n, m, TEXT)
    [row] = pack(torch.empty(0, dtype=torch.float64), p, torch.tensor([last]), torch.tensor(ids), q)
    sent_all = positions_from(unpack(row.numpy(), k + 1, k, 300), n, m, TEXT)
    assert [x.entries for x in sent_all] == [x.entries for x in alone]
    assert sent_all == alone or read is in_one_call  # whose sums run in another order


def test_large_ids_and_small_probabilities_are_sent_exactly():
    size = 2**24 + 9  # above that a float32 skips whole numbers
    p = torch.zeros(1, size)
    p[0, -1], p[0, -2] = 1 - 2**-24, 2**-149
    [row] = pack(torch.empty(0, dtype=torch.float64), p, torch.tensor([size - 2]), torch.empty(0, dtype=torch.long))
    names = type("Names", (), {"token": staticmethod(lambda id: id)})
    [position] = positions_from(unpack(row.numpy(), 1, 0, size), 1, 0, names)
    assert [(e.token, e.p) for e in position.entries] == [(size - 1, 1 - 2**-24), (size - 2, 2**-149)]


@READ
def test_greedy_positions_and_residuals_are_those_of_one_hot_distributions(read):
    logits = torch.randn(4, 40, generator=torch.Generator().manual_seed(0))
    y = logits.argmax(-1).tolist()
    p = torch.nn.functional.one_hot(torch.tensor(y), 40).float()
    ids = [y[0], (y[1] + 1) % 40, y[2]]
    q = torch.nn.functional.one_hot(torch.tensor(ids), 40).float()
    for n, m in ((4, 3), (3, 3), (2, 2), (1, 1)):
        looked = positions_from(read(p[:n], q[:m], [*ids, y[3]][:n]), n, m, TEXT)
        assert one_hot_positions(y[:n], ids[:m], TEXT) == looked
    assert one_hot_positions(y[:1], [], TEXT) == positions_from(read(p[:1], None, y[:1]), 1, 0, TEXT)
    assert one_hot_residual(y[1], TEXT) == residual_from(read(p, None, y, p[1:2], y[1]), y[1], 1.0, TEXT)
    assert one_hot_residual(5, TEXT) == Residual((ResidualEntry(TEXT.token(5), 1.0),), 0.0, 1.0)


def test_a_greedy_position_says_how_sure_the_target_was_before_temperature():
    logits = torch.randn(4, 40, generator=torch.Generator().manual_seed(1))
    logits[2, 5:] = -torch.inf  # a vocabulary that lacks most ids
    logits[3] *= 100  # all but certain
    entropies = logits_entropy(logits.numpy())
    expected = [float(-(p[p > 0] * p[p > 0].log()).sum()) for p in logits.double().softmax(-1)]
    assert entropies == pytest.approx(expected, abs=1e-5)
    y = logits.argmax(-1).tolist()
    assert [position.logits_entropy for position in one_hot_positions(y, y[:2], TEXT, entropies)] == entropies
    assert one_hot_positions(y, y[:2], TEXT)[0].logits_entropy is None


def test_a_look_changes_nothing_that_it_looks_at():
    p, q, next_distribution = some(3, 40, 1), some(2, 40, 2), some(1, 40, 3)
    before = [x.clone() for x in (p, q, next_distribution)]
    top_entries(p, q, torch.tensor([1, 2, 3]), next_distribution, torch.tensor([0]))
    assert all(torch.equal(a, b) for a, b in zip(before, (p, q, next_distribution), strict=True))


@READ
@SIZES
def test_a_position_says_what_every_rule_would_have_given(read, size):
    for seed in range(10):
        p, q = some(2, size, seed), some(2, size, 100 + seed)
        for i, position in enumerate(positions_from(read(p, q, [0, 1]), 2, 2, TEXT)):
            p_row, q_row = p[i].tolist(), q[i].tolist()
            assert position.own is None
            assert position.product == pytest.approx(sum(a * b for a, b in zip(p_row, q_row, strict=True)), abs=1e-6)
            assert position.best == p_row[q_row.index(max(q_row))]


@READ
@SIZES
def test_where_the_argmax_was_drafted_q_is_one_hot_and_the_draft_s_own_softmax_stands_beside_it(read, size):
    for seed in range(10):
        p, s = some(3, size, seed), some(2, size, 100 + seed)
        drafted = s.argmax(-1).tolist()
        positions = positions_from(read(p, s, [*drafted, 0]), 3, 2, TEXT, argmax=True)
        q = torch.nn.functional.one_hot(torch.tensor(drafted), size).float()
        tested = positions_from(read(p, q, [*drafted, 0]), 3, 2, TEXT)
        sampled = positions_from(read(p, s, [*drafted, 0]), 3, 2, TEXT)
        assert positions[2] == tested[2] and positions[2].own is None
        for i, position in enumerate(positions[:2]):
            assert {e.token.id: e.q for e in position.entries if e.q} == {drafted[i]: 1.0}
            for name in ("beta", "q_rest", "q_entropy", "p_entropy", "best"):
                assert getattr(position, name) == pytest.approx(getattr(tested[i], name), abs=1e-6), name
            own, alone = position.own, sampled[i]
            assert [e.p for e in position.entries] == [e.p for e in alone.entries]
            assert own.entries == tuple(e.q for e in alone.entries)
            assert (own.rest, own.beta, own.entropy) == (alone.q_rest, alone.beta, alone.q_entropy)
            assert (position.product, position.best) == (alone.product, alone.best)
