"""What is kept of a draft block: by rejection, by match. Given the uniforms, a verdict is plain arithmetic."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from specviz.acceptance import residual
from specviz.rules.block import keeps
from specviz.rules.typical import Typical
from tests.by_rule import verify_block, verify_greedy, verify_match, verify_rejection, verify_typical

P = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
Q = torch.tensor([0.7, 0.15, 0.1, 0.05], dtype=torch.float64)
NOTHING = torch.tensor([], dtype=torch.long)
ABOVE, BELOW = 0.6, 0.5  # of 4/7, where token 0 is accepted


def block(*ids):
    return torch.tensor(ids, dtype=torch.long), Q.expand(len(ids), -1), P.expand(len(ids) + 1, -1)


@st.composite
def rows(draw, n, size=4):
    weights = draw(st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(sum), min_size=n, max_size=n))
    rows = torch.tensor(weights, dtype=torch.float64)
    return rows / rows.sum(-1, keepdim=True)


@st.composite
def blocks(draw, most=5, size=4):
    """drafted, q, p, u: each drafted token is one that q can draw."""
    K = draw(st.integers(1, most))
    q, p = draw(rows(K, size)), draw(rows(K + 1, size))
    drafted = [draw(st.sampled_from(q[i].nonzero()[:, 0].tolist())) for i in range(K)]
    u = draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=K, max_size=K))
    return torch.tensor(drafted), q, p, u


def test_all_are_kept_and_the_bonus_is_drawn_from_p_one_position_further():
    drafted, q, _ = block(1, 2, 3)
    p = torch.stack([P, P, P, P.flip(-1)])
    verdict = verify_rejection(drafted, q, p, [0.99, 0.99, 0.99])
    assert (verdict.accepted, verdict.rejected) == (3, False)
    assert torch.equal(verdict.next_distribution, P.flip(-1))


@pytest.mark.parametrize("at", [0, 1, 2])
def test_the_first_rejection_ends_the_block_and_its_residual_is_drawn_from(at):
    u = [BELOW, BELOW, BELOW]
    u[at] = ABOVE
    drafted, q, p = block(0, 0, 0)
    verdict = verify_rejection(drafted, q, p, u)
    assert (verdict.accepted, verdict.rejected) == (at, True)
    assert verdict.next_distribution.tolist() == pytest.approx([0, 1 / 2, 1 / 3, 1 / 6])


def test_an_acceptance_after_a_rejection_counts_for_nothing():
    drafted, q, p = block(1, 0, 1, 1)
    verdict = verify_rejection(drafted, q, p, [0.9, ABOVE, 0.0, 0.0])
    assert (verdict.accepted, verdict.rejected) == (1, True)


def test_with_nothing_drafted_the_token_is_drawn_from_p():
    verdict = verify_rejection(NOTHING, None, P[None], [])
    assert (verdict.accepted, verdict.rejected, verdict.token) == (0, False, None) and torch.equal(verdict.next_distribution, P)
    verdict = verify_match(NOTHING, None, P[None], [2])
    assert (verdict.accepted, verdict.rejected, verdict.token, verdict.next_distribution) == (0, False, 2, None)


def test_a_token_that_p_rules_out_is_rejected_even_by_a_uniform_of_zero():
    p = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    verdict = verify_rejection(torch.tensor([0]), torch.tensor([[0.5, 0.5]]), p, [0.0])
    assert verdict.rejected and verdict.next_distribution.tolist() == [0, 1]


def test_greedy_keeps_what_the_target_would_say_and_corrects_the_first_other():
    one_hot = torch.eye(3)
    for drafted, kept, then in (([0, 1], 2, 2), ([0, 2], 1, 1), ([2, 1], 0, 0)):
        verdict = verify_rejection(torch.tensor(drafted), one_hot[drafted], one_hot, [0.0, 0.0])
        assert (verdict.accepted, int(verdict.next_distribution.argmax())) == (kept, then)
        same = verify_match(torch.tensor(drafted), one_hot[drafted], one_hot, [0, 1, 2])
        assert (same.accepted, same.token) == (kept, then)


@given(st.lists(st.integers(0, 3), max_size=5), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_greedy_is_either_rule_where_p_and_q_are_one_hot(drafted, y):
    y = y[: len(drafted) + 1]
    verdict, ids, one_hot = verify_greedy(drafted, y), torch.tensor(drafted, dtype=torch.long), torch.eye(4)
    for other in (
        verify_rejection(ids, one_hot[ids], one_hot[y], [0.5] * len(drafted)),
        verify_match(ids, one_hot[ids], one_hot[y], y),
    ):
        assert (verdict.accepted, verdict.rejected, verdict.p_x, verdict.q_x) == (
            other.accepted,
            other.rejected,
            other.p_x,
            other.q_x,
        )
        assert verdict.token == (int(other.next_distribution.argmax()) if other.token is None else other.token)


@given(blocks())
def test_the_verdict_says_p_and_q_of_each_drafted_token(case):
    drafted, q, p, u = case
    y = p.argmax(-1).tolist()
    for verdict in (verify_rejection(drafted, q, p, u), verify_match(drafted, q, p, y)):
        assert verdict.p_x == [float(p[i, x]) for i, x in enumerate(drafted.tolist())]
        assert verdict.q_x == [float(q[i, x]) for i, x in enumerate(drafted.tolist())]


@given(blocks())
def test_a_block_is_judged_one_position_at_a_time(case):
    """K positions at once say what each says alone, up to the first rejection."""
    drafted, q, p, u = case
    verdict = verify_rejection(drafted, q, p, u)
    for i in range(len(drafted)):
        alone = verify_rejection(drafted[i : i + 1], q[i : i + 1], p[i : i + 2], u[i : i + 1])
        if i < verdict.accepted:
            assert (alone.accepted, alone.rejected) == (1, False)
        elif i == verdict.accepted:
            assert (alone.accepted, alone.rejected) == (0, True) and torch.equal(
                alone.next_distribution, verdict.next_distribution
            )
    assert verdict.rejected == (verdict.accepted < len(drafted))


@given(blocks())
def test_what_follows_is_a_distribution_over_tokens_that_p_allows(case):
    drafted, q, p, u = case
    verdict = verify_rejection(drafted, q, p, u)
    row = p[verdict.accepted]
    assert bool(torch.isfinite(verdict.next_distribution).all()) and float(verdict.next_distribution.sum()) == pytest.approx(1)
    assert bool((verdict.next_distribution[row == 0] == 0).all())
    if verdict.rejected:
        assert torch.equal(verdict.next_distribution, residual(row, q[verdict.accepted]))
        assert verdict.next_distribution[drafted[verdict.accepted]] == 0, "a rejected token cannot come back in the same place"


@given(rows(3), st.lists(st.floats(0, 1, exclude_max=True), min_size=2, max_size=2))
def test_where_p_equals_q_everything_is_accepted(p, u):
    drafted = p[:2].argmax(-1)
    for same in (p, p.float()):
        verdict = verify_rejection(drafted, same[:2], same, u)
        assert (verdict.accepted, verdict.rejected) == (2, False)


@given(blocks(), st.data())
def test_match_keeps_drafts_while_they_equal_what_p_drew_and_then_says_what_p_drew(case, data):
    drafted, q, p, _ = case
    y = [data.draw(st.sampled_from(row.nonzero()[:, 0].tolist())) for row in p]
    verdict = verify_match(drafted, q, p, y)
    assert drafted[: verdict.accepted].tolist() == y[: verdict.accepted]
    assert verdict.token == y[verdict.accepted] and verdict.next_distribution is None
    assert verdict.rejected == (verdict.accepted < len(drafted))
    if verdict.rejected:
        assert drafted[verdict.accepted] != verdict.token


def one_position(p, q):
    """By enumeration: (chance to keep one draft token, law of the token at its place) for rejection and for match."""
    both = torch.stack([p, p])
    accept, law = 0.0, torch.zeros_like(p)
    accept_match, law_match = 0.0, torch.zeros_like(p)
    for x in q.nonzero()[:, 0].tolist():
        drafted = torch.tensor([x])
        threshold = min(1.0, float(p[x] / q[x]))
        for u, width in ((threshold / 2, threshold), ((1 + threshold) / 2, 1 - threshold)):
            if width > 0:
                verdict = verify_rejection(drafted, q[None], both, [u])
                weight = float(q[x]) * width
                accept += weight * verdict.accepted
                law += weight * (torch.eye(len(p), dtype=law.dtype)[x] if verdict.accepted else verdict.next_distribution)
        for y in p.nonzero()[:, 0].tolist():
            verdict = verify_match(drafted, q[None], both, [y, y])
            weight = float(q[x] * p[y])
            accept_match += weight * verdict.accepted
            law_match[x if verdict.accepted else verdict.token] += weight
    return (accept, law), (accept_match, law_match)


@given(rows(2))
def test_out_comes_p_accepted_with_the_overlap_by_rejection_and_with_the_dot_product_by_match(pair):
    p, q = pair
    (accept, law), (accept_match, law_match) = one_position(p, q)
    assert torch.allclose(law, p, rtol=0, atol=1e-12) and torch.allclose(law_match, p, rtol=0, atol=1e-12)
    assert accept == pytest.approx(float(p.minimum(q).sum()), abs=1e-12)
    assert accept_match == pytest.approx(float((p * q).sum()), abs=1e-12)
    assert accept_match <= accept + 1e-12, "match never accepts more"


@given(rows(2))
def test_out_comes_p_in_single_precision_within_its_rounding(pair):
    p, q = pair.float()
    (accept, law), _ = one_position(p, q)
    assert torch.allclose(law, p, rtol=0, atol=2e-6)
    assert accept == pytest.approx(float(p.minimum(q).sum()), abs=2e-6)


def test_block_verification_of_one_token_is_rejection():
    for x, u in ((0, ABOVE), (0, BELOW), (1, 0.99)):
        found, expected = verify_block(*block(x), [u]), verify_rejection(*block(x), [u])
        assert (found.accepted, found.rejected) == (expected.accepted, expected.rejected)
        assert torch.equal(found.next_distribution, expected.next_distribution) and found.chance == found.joint


def test_a_token_that_fails_alone_is_kept_with_one_that_makes_up_for_it():
    drafted, q, p = block(0, 1)  # p/q: 4/7, then 2
    assert verify_rejection(drafted, q, p, [ABOVE, 0.9]).accepted == 0
    found = verify_block(drafted, q, p, [ABOVE, 0.9])
    assert (found.accepted, found.rejected) == (2, False) and found.joint == [pytest.approx(4 / 7), 1.0]
    assert torch.equal(found.next_distribution, P)


def test_the_residual_of_a_block_is_of_its_joint_ratio():
    drafted, q, p = block(0, 0)
    found = verify_block(drafted, q, p, [0.0, 0.99])
    joint = 4 / 7
    left = (joint * P - Q).clamp(min=0)
    assert (found.accepted, found.rejected, found.mass) == (1, True, pytest.approx(float(left.sum())))
    assert found.chance[0] == pytest.approx(float(left.sum() / (left.sum() + 1 - joint)))
    assert torch.allclose(found.next_distribution, left / left.sum())
    turned = verify_block(drafted, q, p, [found.chance[0], 0.99])
    assert turned.accepted == 0 and torch.allclose(turned.next_distribution, residual(P, Q)), "u at its chance does not accept"


def test_a_block_is_not_kept_by_a_uniform_of_zero_where_p_rules_it_out():
    p = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    found = verify_block(torch.tensor([0]), torch.tensor([[0.5, 0.5]]), p, [0.0])
    assert found.rejected and found.next_distribution.tolist() == [0, 1] and found.chance == [0.0]


def test_typical_acceptance_keeps_what_is_above_its_bound_and_draws_from_p_what_follows():
    drafted, q, p = block(1, 3)
    found = verify_typical(drafted, q, p, 0.2, 1.0)
    assert (found.accepted, found.rejected) == (1, True) and torch.equal(found.next_distribution, P)
    assert verify_typical(drafted, q, p, 0.1, 1.0).accepted == 1, "p at its bound is not above it"
    assert verify_typical(drafted, q, p, 0.0, 1.0).accepted == 2


@given(blocks())
def test_a_threshold_of_one_is_rejection_and_a_lower_one_keeps_no_less(case):
    drafted, q, p, u = case
    expected, one = verify_rejection(drafted, q, p, u), verify_rejection(drafted, q, p, u, 1.0)
    assert one.accepted == expected.accepted and torch.equal(one.next_distribution, expected.next_distribution)
    assert verify_rejection(drafted, q, p, u, 0.3).accepted >= expected.accepted


@given(st.lists(st.integers(0, 3), max_size=5), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_every_rule_is_the_greedy_one_where_p_and_q_are_one_hot(drafted, y):
    y = y[: len(drafted) + 1]
    verdict, ids, one_hot = verify_greedy(drafted, y), torch.tensor(drafted, dtype=torch.long), torch.eye(4)
    args = ids, one_hot[ids], one_hot[y]
    u = [0.5] * len(drafted)
    for other in (verify_block(*args, u), verify_typical(*args, 0.09, 0.3), verify_rejection(*args, u, 0.5)):
        assert (verdict.accepted, verdict.rejected) == (other.accepted, other.rejected)
        assert verdict.token == int(other.next_distribution.argmax())


@given(rows(2), st.floats(0, 1))
def test_what_is_kept_by_more_and_by_less_is_together_the_joint_ratio(pair, ratio):
    """The step of the proof: of what is drafted after it, Σ min(q, p_i·p) = p_i − e_i goes on; of the rest h_i stays here."""
    p, q = pair
    left = float((ratio * p - q).clamp(min=0).sum())
    more = float((ratio * p).minimum(q).sum())
    assert more == pytest.approx(ratio - left, abs=1e-12)
    assert more + (1 - more) * keeps(ratio, left) == pytest.approx(ratio, abs=1e-12)


def test_where_more_is_kept_for_certain_the_chance_is_a_number():
    assert keeps(1.0, 0.0) == 1.0


def test_typical_acceptance_asks_less_where_the_target_is_unsure():
    sure, unsure = torch.tensor([[0.97, 0.01, 0.01, 0.01], [0.25, 0.25, 0.25, 0.25]])
    assert float(Typical(0.09, 0.3).bound(sure)) == pytest.approx(0.09)
    assert float(Typical(0.09, 0.3).bound(unsure)) == pytest.approx(0.3 / 4)
    assert float(Typical(1.0, 0.3).bound(torch.tensor([1.0, 0.0]))) == pytest.approx(0.3)
