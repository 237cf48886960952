"""Adaptive K: given what rounds took and how many tokens they kept, it drafts what acceptance.expected_speedup says is best."""

import pytest

from specviz.acceptance import expected_speedup, expected_tokens
from specviz.engine.draft.adaptive import PRIOR, PROBE, RECENT, AdaptiveK


def after_rounds(limit: int, share: float, c: float, slope: float = 0.0, tested: int = 10) -> AdaptiveK:
    """After 60 rounds of the K it asked for: `share` of the tested kept, a draft step c ms, a pass 1 ms and `slope` for each token."""
    adaptive = AdaptiveK(limit)
    for _ in range(60):
        k = adaptive.next().K
        adaptive.learn(k, tested, round(share * tested), c * k, 1 + slope * k)
    return adaptive


def test_it_tries_the_limit_then_one_and_the_limit_again():
    adaptive = AdaptiveK(7)
    for k in (7, 1, 7):
        assert k == adaptive.next().K
        adaptive.learn(k, 1, 0, 1.0 * k, 1.0)
    assert adaptive.next().why == "none"


def test_it_asks_for_the_limit_as_long_as_its_drafter_found_nothing_to_say():
    adaptive = AdaptiveK(5)
    for _ in range(4):
        adaptive.learn(0, 0, 0, 0.1, 1.0)
    assert adaptive.next().K == 5
    adaptive.learn(5, 1, 0, 0.1, 1.0)
    assert 0 <= adaptive.next().K <= 5


@pytest.mark.parametrize("slope", [0, 0.05, 0.3])
@pytest.mark.parametrize("c", [0.02, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("share", [0, 0.3, 0.6, 0.8, 0.9, 1])
def test_it_picks_the_k_of_the_largest_expected_speedup(share, c, slope):
    alpha = (RECENT * 10 * share + PRIOR / 2) / (RECENT * 10 + PRIOR)
    promise = {K: expected_speedup(expected_tokens(alpha, K), K, c, 1 + slope * K) for K in range(17)}
    choice = after_rounds(16, share, c, slope).next()
    if max(promise.values()) > promise[0] + 1e-9:
        assert promise[choice.K] == pytest.approx(max(promise.values())) == pytest.approx(choice.speedup)
    else:
        assert (choice.K, choice.why) in [(0, "none"), (1, "probe")]


@pytest.mark.parametrize(("share", "c", "slope"), [(0, 0.1, 0), (0.5, 3.0, 0), (0.5, 0, 3.0)], ids=["rejected", "dear", "wide"])
def test_when_drafting_does_not_pay_it_stops_and_tries_one_token_now_and_then(share, c, slope):
    adaptive, choices = after_rounds(8, share, c, slope), []
    for _ in range(4 * (PROBE + 1)):
        choice = adaptive.next()
        choices.append((choice.K, choice.why))
        adaptive.learn(choice.K, choice.K, 0, c * choice.K, 1 + slope * choice.K)
    assert set(choices) == {(0, "none"), (1, "probe")} and choices.count((1, "probe")) == 4
    first = choices.index((1, "probe"))
    assert choices[first :: PROBE + 1] == [(1, "probe")] * len(choices[first :: PROBE + 1])


def test_a_draft_that_caught_up_with_the_text_is_found_by_probing():
    adaptive = after_rounds(8, 0, 0.2, tested=1)
    for _ in range(12 * (PROBE + 1)):
        k = adaptive.next().K
        adaptive.learn(k, k, k, 0.2 * k, 1.0)
    assert adaptive.next().K > 1


def test_it_says_by_what_it_chose():
    assert [getattr(AdaptiveK(5).next(), name) for name in ("K", "why", "alpha", "speedup")] == [5, "trial", None, None]
    choice = after_rounds(8, 0.8, 0.1, 0.01).next()
    assert choice.why == "most" and choice.c == pytest.approx(0.1) and choice.v == pytest.approx(1 + 0.01 * choice.K)
    tokens = expected_tokens(choice.alpha, choice.K)
    assert choice.speedup == pytest.approx(expected_speedup(tokens, choice.K, choice.c, choice.v))


def test_it_follows_the_text():
    adaptive = after_rounds(8, 1, 0.1)
    assert adaptive.next().K == 8
    for _ in range(RECENT):
        adaptive.learn(8, 1, 0, 0.8, 1.0)
    assert adaptive.next().K == 0
    for _ in range(RECENT):
        adaptive.learn(1, 1, 1, 0.1, 1.0)
    assert adaptive.next().K > 1


@pytest.mark.parametrize("at", [0, 1, 2, 20, 59])
def test_one_slow_pass_does_not_move_it(at):
    """The first of a run, or of a shape, often is."""
    disturbed = AdaptiveK(8)
    for i in range(60):
        k = disturbed.next().K
        disturbed.learn(k, 10, 8, 0.1 * k, (1 + 0.01 * k) * (20 if i == at else 1))
    assert abs(disturbed.next().K - after_rounds(8, 0.8, 0.1, 0.01).next().K) <= 1


@pytest.mark.parametrize("limit", [1, 2, 16])
def test_it_never_leaves_zero_to_its_limit_whatever_the_clock_says(limit):
    adaptive = AdaptiveK(limit)
    for i in range(40):
        k = adaptive.next().K
        assert 0 <= k <= limit
        adaptive.learn(k if i % 3 else 0, k if i % 3 else 0, i % 2, 0.0, [0.0, 5.0, 0.1][i % 3])


def test_a_drafter_of_whole_blocks_is_asked_for_more_where_a_step_is_dear():
    """With c = .3 eight tokens cost 2.4 passes one by one, and .3 at once."""
    choices = []
    for one_pass in (False, True):
        adaptive = AdaptiveK(8, one_pass)
        for _ in range(60):
            k = adaptive.next().K
            adaptive.learn(k, k, round(0.7 * k), 0.3 * (min(k, 1) if one_pass else k), 1 + 0.02 * k)
        choices.append(adaptive.next())
    one_by_one, whole = choices
    assert one_by_one.K < whole.K and whole.c == pytest.approx(0.3) == one_by_one.c
