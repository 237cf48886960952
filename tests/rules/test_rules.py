"""What rules keep of a draft block beyond what enumeration asks of them (test_conformance.py, ../engine/test_exactness.py): block
verification, typical acceptance, thresholds, and temperature 0."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from specviz.acceptance import residual
from specviz.rules.block import keep_chance
from specviz.rules.typical import Typical
from tests.by_rule import verify_block, verify_greedy, verify_match, verify_rejection, verify_typical

P = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
Q = torch.tensor([0.7, 0.15, 0.1, 0.05], dtype=torch.float64)
ABOVE, BELOW = 0.6, 0.5  # of 4/7, where token 0 is accepted


def block(*ids):
    return torch.tensor(ids, dtype=torch.long), Q.expand(len(ids), -1), P.expand(len(ids) + 1, -1)


@st.composite
def rows(draw, n, size=4):
    weights = draw(st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(sum), min_size=n, max_size=n))
    rows = torch.tensor(weights, dtype=torch.float64)
    return rows / rows.sum(-1, keepdim=True)


def test_block_verification_of_one_token_is_rejection():
    for x, u in ((0, ABOVE), (0, BELOW), (1, 0.99)):
        verdict, expected = verify_block(*block(x), [u]), verify_rejection(*block(x), [u])
        assert (verdict.accepted, verdict.rejected) == (expected.accepted, expected.rejected)
        assert torch.equal(verdict.next_distribution, expected.next_distribution) and verdict.chance == verdict.joint


def test_a_token_that_fails_alone_is_kept_with_one_that_makes_up_for_it():
    drafted, q, p = block(0, 1)  # p/q: 4/7, then 2
    assert verify_rejection(drafted, q, p, [ABOVE, 0.9]).accepted == 0
    verdict = verify_block(drafted, q, p, [ABOVE, 0.9])
    assert (verdict.accepted, verdict.rejected) == (2, False) and verdict.joint == [pytest.approx(4 / 7), 1.0]
    assert torch.equal(verdict.next_distribution, P)


def test_the_residual_of_a_block_is_of_its_joint_ratio():
    drafted, q, p = block(0, 0)
    verdict = verify_block(drafted, q, p, [0.0, 0.99])
    joint = 4 / 7
    residual_mass = (joint * P - Q).clamp(min=0)
    assert (verdict.accepted, verdict.rejected, verdict.mass) == (1, True, pytest.approx(float(residual_mass.sum())))
    assert verdict.chance[0] == pytest.approx(float(residual_mass.sum() / (residual_mass.sum() + 1 - joint)))
    assert torch.allclose(verdict.next_distribution, residual_mass / residual_mass.sum())
    turned = verify_block(drafted, q, p, [verdict.chance[0], 0.99])
    assert turned.accepted == 0 and torch.allclose(turned.next_distribution, residual(P, Q)), "u at its chance does not accept"


def test_a_block_is_not_kept_by_a_uniform_of_zero_where_p_rules_it_out():
    p = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    verdict = verify_block(torch.tensor([0]), torch.tensor([[0.5, 0.5]]), p, [0.0])
    assert verdict.rejected and verdict.next_distribution.tolist() == [0, 1] and verdict.chance == [0.0]


def test_typical_acceptance_keeps_what_is_above_its_bound_draws_from_p_what_follows_and_asks_less_of_an_unsure_target():
    drafted, q, p = block(1, 3)
    verdict = verify_typical(drafted, q, p, 0.2, 1.0)
    assert (verdict.accepted, verdict.rejected) == (1, True) and torch.equal(verdict.next_distribution, P)
    assert verify_typical(drafted, q, p, 0.1, 1.0).accepted == 1, "p at its bound is not above it"
    assert verify_typical(drafted, q, p, 0.0, 1.0).accepted == 2
    sure, unsure = torch.tensor([[0.97, 0.01, 0.01, 0.01], [0.25, 0.25, 0.25, 0.25]])
    assert float(Typical(0.09, 0.3).bound(sure)) == pytest.approx(0.09)
    assert float(Typical(0.09, 0.3).bound(unsure)) == pytest.approx(0.3 / 4)
    assert float(Typical(1.0, 0.3).bound(torch.tensor([1.0, 0.0]))) == pytest.approx(0.3)


@given(st.lists(st.integers(0, 3), max_size=5), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_every_rule_is_the_greedy_one_where_p_and_q_are_one_hot(drafted, y):
    y = y[: len(drafted) + 1]
    greedy, ids, one_hot = verify_greedy(drafted, y), torch.tensor(drafted, dtype=torch.long), torch.eye(4)
    args, u = (ids, one_hot[ids], one_hot[y]), [0.5] * len(drafted)
    rules = verify_rejection(*args, u), verify_match(*args, y), verify_block(*args, u), verify_typical(*args, 0.09, 0.3)
    for verdict in (*rules, verify_rejection(*args, u, 0.5)):
        token = int(verdict.next_distribution.argmax()) if verdict.token is None else verdict.token
        assert (verdict.accepted, verdict.rejected, token) == (greedy.accepted, greedy.rejected, greedy.token)
        assert (verdict.p_x, verdict.q_x) == (greedy.p_x, greedy.q_x)


@given(rows(2), st.floats(0, 1))
def test_what_is_kept_by_more_and_by_less_is_together_the_joint_ratio(pair, ratio):
    """The step of the proof: of what is drafted after it, Σ min(q, p_i·p) = p_i − e_i goes on; of the rest h_i stays here."""
    p, q = pair
    left = float((ratio * p - q).clamp(min=0).sum())
    more = float((ratio * p).minimum(q).sum())
    assert more == pytest.approx(ratio - left, abs=1e-12)
    assert more + (1 - more) * keep_chance(ratio, left) == pytest.approx(ratio, abs=1e-12)


def test_where_more_is_kept_for_certain_the_chance_is_a_number():
    assert keep_chance(1.0, 0.0) == 1.0
