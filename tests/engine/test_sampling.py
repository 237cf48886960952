"""Logits → distribution → token: the filters are transformers', the draw is exact and never gives what has no probability."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from specviz.config import DecodeConfig
from specviz.engine.sampling import Sampler, Uniforms, draw
from specviz.engine.tensors import replace_impossible

BELOW_1 = 1 - 2**-53
LOGITS = [1.0, 3.0, -2.0, 2.5, 0.0, 2.9]


def rows(logits, **settings):
    return Sampler.of(DecodeConfig(**settings))(torch.tensor(logits))


def draws(p, us):
    """One token for each of `us`, from the one distribution `p`."""
    return draw(p.expand(len(us), -1), torch.as_tensor(us, dtype=torch.float64)).tolist()


@pytest.mark.parametrize("settings", [{}, {"temperature": 0}, {"temperature": 0.7, "top_k": 3, "top_p": 0.8}], ids=str)
def test_rows_are_filtered_one_by_one(settings):
    many = [LOGITS, LOGITS[::-1], [0.5 * x for x in LOGITS]]
    together = rows(many, **settings)
    assert together.dtype == torch.float32 and together.shape == (3, 6)
    assert torch.equal(together, torch.cat([rows([one], **settings) for one in many]))
    assert together.sum(-1).tolist() == pytest.approx([1, 1, 1], abs=1e-6)


def test_temperature_zero_is_all_mass_on_the_first_of_the_largest_logits():
    assert rows([[1.0, 3.0, 3.0, 2.0], [5.0, 5.0, 5.0, 5.0]], temperature=0).tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("temperature", [0, 1.0])
def test_logits_in_half_precision_give_probabilities_in_single_precision(temperature):
    p = Sampler.of(DecodeConfig(temperature=temperature))(torch.tensor([LOGITS], dtype=torch.bfloat16))
    assert p.dtype == torch.float32 and float(p.sum()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("settings", [{}, {"temperature": 0}, {"top_k": 3}, {"top_p": 0.8}], ids=str)
def test_a_padded_logit_has_no_probability(settings):
    p = rows([[1.0, 2.0, float("-inf"), 0.0, float("-inf")]], **settings)
    assert p[0, 2] == p[0, 4] == 0 and float(p.sum()) == pytest.approx(1)


def test_making_a_distribution_leaves_the_logits_alone():
    for settings in ({}, {"temperature": 0}, {"temperature": 0.5, "top_k": 2, "top_p": 0.5}):
        logits = torch.tensor([LOGITS])
        Sampler.of(DecodeConfig(**settings))(logits)
        assert logits.tolist() == torch.tensor([LOGITS]).tolist()


def test_an_edge_belongs_to_the_token_after_it_with_any_zeros_skipped():
    assert draws(torch.tensor([0, 0, 0.5, 0, 0.5, 0, 0]), [0.0, BELOW_1]) == [2, 4]
    p = torch.tensor([0.25, 0, 0, 0.75], dtype=torch.float64)
    assert draws(p, [math.nextafter(0.25, 0), 0.25]) == [0, 3]


@given(
    weights=st.lists(st.just(0.0) | st.floats(1e-30, 1.0), min_size=1, max_size=12).filter(lambda w: sum(w) > 0),
    u=st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, 5e-324, BELOW_1]),
    single=st.booleans(),
)
def test_a_token_of_no_probability_is_never_drawn(weights, u, single):
    p = torch.tensor(weights, dtype=torch.float64)
    p = p.float() if single else p
    for row in (p, p / p.sum()):
        assert row[draws(row, [min(u, BELOW_1)])[0]] > 0


@given(weights=st.lists(st.integers(0, 6), min_size=1, max_size=8).filter(sum))
def test_the_law_of_a_draw_over_a_grid_of_uniforms_is_exact(weights):
    n = sum(weights)
    p = torch.tensor([w / n for w in weights], dtype=torch.float64)
    ids = draws(p, [(i + 0.5) / n for i in range(n)])
    assert [ids.count(i) for i in range(len(weights))] == weights


@given(scale=st.floats(0.9, 1.1), u=st.floats(0, BELOW_1))
def test_a_row_that_does_not_sum_to_one_is_drawn_from_in_proportion(scale, u):
    p = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    edges = [0.1, 0.3, 0.6]
    if min(abs(u - edge) for edge in edges) > 1e-12:
        assert draws(p * scale, [u]) == draws(p, [u]) == [sum(u > edge for edge in edges)]


def test_a_row_short_of_one_by_rounding_still_yields_its_last_token_at_the_largest_uniform():
    p = torch.full((7,), 1 / 7)
    for row in (p, p * (1 - 1e-6), p * (1 + 1e-6)):
        assert draws(row, [BELOW_1]) == [6]


def test_rows_of_a_batch_are_drawn_independently_each_with_its_own_uniform():
    p = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    for u in ([0.1, 0.1, 0.1], [0.9, 0.1, 0.9], [0.1, 0.9, 0.5]):
        together = draw(p, torch.tensor(u, dtype=torch.float64)).tolist()
        assert together == [draws(p[i], [u[i]])[0] for i in range(3)]


def test_a_large_vocabulary_keeps_its_tail_and_a_token_too_unlikely_for_single_precision_its_share():
    n = 150_000
    p = torch.full((n,), 1 / n)
    picks = [0, 1, 77_777, n - 2, n - 1]
    assert draws(p, [(i + 0.5) / n for i in picks]) == picks
    p = torch.tensor([0.5, 2**-30, 0.5])
    aims = (0.5 - 2**-32, 0.5 + 2**-32, 0.5 + 3 * 2**-32, 0.5 + 5 * 2**-32)
    assert draws(p, [aim / (1 + 2**-30) for aim in aims]) == [0, 1, 1, 2]


@pytest.mark.parametrize("seed", [11, 2**32 - 1])
def test_what_a_host_draws_ahead_is_what_the_generator_gives_call_by_call(seed):
    """So a trace says nothing of how many were drawn at once (lab/audit draws them by the round)."""
    uniforms_ahead, generator = Uniforms(seed), torch.Generator().manual_seed(seed)
    for n in (9, 1, 3, 17, 300, 9, 65):
        assert uniforms_ahead(n).tolist() == torch.rand(n, generator=generator, dtype=torch.float64).tolist()


def test_a_run_does_not_touch_the_global_generator():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    Uniforms(5)(10)
    assert torch.equal(torch.rand(1), expected)


def test_a_token_that_cannot_be_is_replaced_by_the_most_probable_one_and_no_other_is():
    """What a parallel sum may leave: an interval of one bit where p is 0 (tensors.possible)."""
    p = torch.tensor([[0.0, 0.3, 0.7, 0.0], [0.5, 0.0, 0.1, 0.4]])
    for ids in product(range(4), repeat=2):
        expected = [2 if ids[0] in (0, 3) else ids[0], 0 if ids[1] == 1 else ids[1]]
        assert replace_impossible(p, torch.tensor(ids)).tolist() == expected
