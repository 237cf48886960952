"""The theorem's formulas, over random p and q and at their edges: out comes p, accepted with probability 1 − TV(p, q)."""

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from specviz.acceptance import accepts, best_K, expected_speedup, expected_tokens, overlap, ratio, residual

BELOW_1 = 1 - 2**-53  # the largest uniform there is


@st.composite
def pairs(draw, most=8):
    """p and q over 2 to `most` tokens, float64, zeros and equal entries among them."""
    size = draw(st.integers(2, most))
    weight = st.integers(0, 9) | st.floats(1e-6, 1.0)
    row = st.lists(weight, min_size=size, max_size=size).filter(lambda w: sum(w) > 0)
    p, q = (torch.tensor(draw(row), dtype=torch.float64) for _ in range(2))
    return p / p.sum(), q / q.sum()


def law(p, q):
    """P(out = x): drawn from q and accepted, or rejected and drawn from the residual."""
    accept = torch.where(q > 0, ratio(p, q.where(q > 0, torch.ones_like(q))).clamp(max=1), 0.0)
    return q * accept + (q * (1 - accept)).sum() * residual(p, q)


@given(pairs())
def test_what_comes_out_is_distributed_as_p_within_rounding(pair):
    for (p, q), rounding in ((pair, 1e-12), ([row.float() for row in pair], 2e-6)):
        assert torch.allclose(law(p, q), p, rtol=0, atol=rounding)


@given(pairs())
def test_the_overlap_is_the_chance_of_acceptance_and_one_minus_total_variation(pair):
    p, q = pair
    chance = (q * torch.where(q > 0, p / q, 0.0).clamp(max=1)).sum()
    assert float(overlap(p, q)) == pytest.approx(float(chance), abs=1e-12)
    assert float(overlap(p, q)) == pytest.approx(1 - float((p - q).abs().sum()) / 2, abs=1e-12)
    assert -1e-12 <= float(overlap(p, q)) <= 1 + 1e-12


@given(pairs())
def test_the_residual_is_a_distribution_on_the_tokens_where_p_is_above_q(pair):
    double, single = pair, [row.float() for row in pair]
    for (p, q), slack in ((double, 1e-12), (single, 1e-5)):
        left = residual(p, q)
        assert bool((left >= 0).all()) and float(left.sum()) == pytest.approx(1, abs=slack)
        if bool((p > q).any()):
            assert bool((left[p <= q] == 0).all()) and bool((left[p > q] > 0).all())


@given(pairs())
@example((torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0])))
def test_the_residual_is_no_nan_where_p_equals_q(pair):
    p, _ = pair
    assert torch.equal(residual(p, p), p) and float(overlap(p, p)) == pytest.approx(1)


def test_the_residual_is_no_nan_where_rounding_leaves_p_nowhere_above_q():
    p = torch.tensor([0.4, 0.6])
    q = torch.tensor([0.4, torch.nextafter(torch.tensor(0.6), torch.tensor(1.0))])
    assert torch.equal(residual(p, q), p)


def test_rows_are_taken_one_by_one_whatever_the_leading_shape():
    p = torch.tensor([[0.4, 0.3, 0.2, 0.1], [0.25] * 4, [0.0, 0.0, 0.5, 0.5]], dtype=torch.float64)
    q = torch.tensor([[0.7, 0.15, 0.1, 0.05], [0.25] * 4, [0.5, 0.5, 0.0, 0.0]], dtype=torch.float64)
    assert overlap(p, q).tolist() == pytest.approx([0.7, 1.0, 0.0])
    assert residual(p, q)[0].tolist() == pytest.approx([0, 0.5, 1 / 3, 1 / 6])
    assert torch.equal(residual(p, q)[1:], p[1:])
    assert torch.equal(residual(p[None], q[None])[0], residual(p, q))


@given(u=st.floats(0, BELOW_1), p=st.floats(1e-9, 1), q=st.floats(1e-9, 1))
def test_a_token_is_accepted_when_u_is_below_the_ratio_and_not_above_it(u, p, q):
    threshold = ratio(p, q)
    if abs(u - threshold) > 1e-12 * threshold:
        assert accepts(u, p, q) == (u < threshold)


@given(u=st.floats(0, BELOW_1), q=st.floats(1e-30, 1), more=st.floats(1, 10))
def test_a_token_with_p_at_least_q_is_always_accepted_and_one_with_p_zero_never(u, q, more):
    assert accepts(u, q, q) and accepts(u, min(1.0, q * more), q)
    assert not accepts(u, 0.0, q)


def test_the_threshold_itself_rejects_and_zero_accepts_what_p_allows():
    assert not accepts(0.5, 0.25, 0.5) and not accepts(0.0, 0.0, 1.0)
    assert accepts(0.0, 1e-300, 1.0)
    assert accepts(BELOW_1, 2**-149, 2**-149), "the smallest q(x) in single precision does not underflow to a rejection"


@given(alpha=st.floats(0, 1), K=st.integers(0, 6))
def test_expected_tokens_is_the_mean_over_every_way_a_block_can_end(alpha, K):
    ends = [(1 - alpha) * alpha**k for k in range(K)] + [alpha**K]
    assert expected_tokens(alpha, K) == pytest.approx(sum((i + 1) * chance for i, chance in enumerate(ends)))


@given(alpha=st.floats(0, 0.99), K=st.integers(0, 16), c=st.floats(0.001, 2), v=st.floats(0.5, 3))
def test_expected_speedup_is_tokens_over_the_cost_of_a_round(alpha, K, c, v):
    paper = (1 - alpha ** (K + 1)) / ((1 - alpha) * (K * c + 1))  # theorem 3.8, where v = 1
    assert expected_speedup(expected_tokens(alpha, K), K, c) == pytest.approx(paper)
    assert expected_speedup(expected_tokens(alpha, K), K, c, v) == pytest.approx(paper * (K * c + 1) / (K * c + v))


def speedups(alpha: float, c: float, v: float = 1.0) -> list[float]:
    return [expected_speedup(expected_tokens(alpha, K), K, c, v if K else 1.0) for K in range(17)]


@pytest.mark.parametrize(("c", "best"), [(0.02, (6, 8, 11)), (0.1, (3, 4, 6)), (0.2, (2, 3, 4))], ids=["c=.02", "c=.1", "c=.2"])
def test_the_best_K_is_the_known_one_at_three_costs_and_three_rates(c, best):
    assert tuple(best_K(speedups(alpha, c)) for alpha in (0.6, 0.7, 0.8)) == best


@given(alpha=st.floats(0, 0.99), c=st.floats(0.001, 1.5))
def test_some_K_helps_just_when_alpha_is_above_c(alpha, c):
    by_K = speedups(alpha, c)
    if abs(alpha - c) > 1e-6:
        assert any(speedup > 1 + 1e-12 for speedup in by_K) == (alpha > c)
        assert (best_K(by_K) > 0) == (alpha > c)


def test_where_verifying_a_block_costs_more_than_it_brings_the_best_K_is_zero():
    assert best_K(speedups(0.8, 0.1, v=1.0)) > 0 and best_K(speedups(0.8, 0.1, v=5.0)) == 0
