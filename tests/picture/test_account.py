"""Where a run's speed came from: each number against one worked out by hand, on rounds whose times are chosen."""

from dataclasses import replace

import pytest

from specviz.acceptance import expected_speedup, expected_tokens, expected_tokens_by_position
from specviz.picture.replay import about
from specviz.trace.events import Cache, Drafted, Emitted, Position, Round, Times, Token
from tests.view import call, plain, view

from ..fake_trace import fake_trace

X = Token(1, "x")
HEADER = fake_trace(K=4).header


def vanilla(count: int = 8, verify: float = 10.0, rest: float = 0.0) -> list[Round]:
    one = (Emitted(X, "plain", "x"),)
    times = Times(draft=0.0, verify=verify, decide=0.0, rest=rest, observe=1.0)
    return [Round(i, (), one, None, Cache(0, 1, 1), None, i + 1, 0, times) for i in range(count)]


def speculative(*kept: int, K: int = 4, draft=1.0, verify=12.0, decide=0.0, rest=0.0, beta=None) -> list[Round]:
    """A round for each number: so many of K kept, each draft token `draft` ms."""
    rounds = []
    for i, n in enumerate(kept):
        position = None if beta is None else Position((), 1.0, 1.0, beta, 0.0, 0.0)
        verdicts = ["accepted"] * n + ["rejected"] * (n < K) + ["unexamined"] * (K - n - 1)
        drafted = tuple(Drafted(X, 0.5, 0.5, 1.0, 0.1, v, None if v == "unexamined" else position) for v in verdicts)
        emitted = tuple(
            Emitted(X, role, "x") for role in ["accepted"] * n + ["corrected" if n < K else "bonus" if K else "plain"]
        )
        times = Times(draft * K, verify, decide, rest, 1.0)
        rounds.append(Round(i, drafted, emitted, None, Cache(0, K + 1, n + 1), None, i + 1, 0, times))
    return rounds


def told(lane, target=None, limit=16, header=HEADER, sure=None) -> dict:
    """`sure`: the interval of the measured speedup."""
    lanes = plain(vanilla() if target is None else target), plain(lane)
    return call("picture/account.js", "account", plain(header), *lanes, about() | {"most": limit}, sure)


def test_c_and_v_are_in_passes_of_the_target_over_one_token():
    got = told(speculative(4, 4, 0, draft=1.5, verify=13.0))
    assert got["c"] == pytest.approx(0.15) and got["v"] == pytest.approx(1.3) and got["block"] == 4


def test_one_slow_pass_does_not_move_c_or_v():
    lane = speculative(4, 4, 4, 4) + speculative(4, draft=90.0, verify=900.0)
    assert told(lane)["c"] == pytest.approx(0.1) and told(lane)["v"] == pytest.approx(1.2)


def test_c_is_not_0_where_a_coarse_clock_shows_0_for_most_blocks():
    lane = speculative(4, 4, 4, draft=0.0) + speculative(4, draft=1.0)
    assert told(lane)["c"] == pytest.approx(0.1 / 4)


def test_v_is_of_full_blocks_only():
    lane = speculative(4, 4, verify=16.0) + speculative(1, 1, 1, K=1, verify=10.5)
    assert told(lane)["v"] == pytest.approx(1.6)


def test_predicted_is_the_formula_of_the_papers_and_without_overhead_it_is_what_was_measured():
    got = told(speculative(4, 2, 0, 2))
    assert got["predicted"] == pytest.approx(expected_speedup(3.0, 4, 0.1, 1.2))
    assert got["measured"] == pytest.approx(got["predicted"]) and got["of_predicted"] == pytest.approx(1)


def test_overhead_is_what_predicted_leaves_out():
    got = told(speculative(4, 2, 0, 2, decide=1.0, rest=3.0))
    assert got["predicted"] == pytest.approx(3 / 1.6) and got["measured"] == pytest.approx(3 / 2.0)
    assert got["of_predicted"] == pytest.approx(0.8)


def test_a_round_that_drafted_less_is_priced_by_its_length():
    lane = speculative(4, 4, verify=18.0) + speculative(0, 0, K=0, verify=10.0)
    got = told(lane)
    assert got["drafted"] == 2 and got["predicted"] == pytest.approx(3 / (2 * 0.1 + 1.4)) == pytest.approx(got["measured"])


def test_the_price_of_a_pass_is_a_line_and_never_falls_below_one():
    def cost(*of):
        return call("picture/positions.js", "verifyCost", *of)

    assert [cost(k, 1.5, 5) for k in (0, 1, 5, 10)] == pytest.approx([1, 1.1, 1.5, 2.0])
    assert [cost(k, 0.8, 1) for k in (0, 1, 16)] == [1, 1, 1]


@pytest.mark.parametrize(("draft", "verify"), [(0.5, 11.0), (1.0, 14.0), (2.0, 12.0), (5.0, 20.0)])
def test_the_best_K_is_the_one_that_no_other_beats(draft, verify):
    got = told(speculative(*[4, 1, 0] * 5, draft=draft, verify=verify))
    c, v, kept = draft / 10, verify / 10, [2 / 3, 1 / 2, 1.0, 1.0, 1 / 2, 1 / 2]
    by_K = {K: expected_tokens_by_position(kept, K) / (K * c + 1 + (v - 1) * K / 4) for K in range(7)}
    assert by_K[got["best_K"]] == pytest.approx(max(by_K.values()), rel=1e-5) == pytest.approx(got["best_speedup"], rel=1e-5)
    assert (got["best_measured"], got["best_reach"]) == (4, 6)


def test_tokens_a_round_are_told_three_ways():
    got = told(speculative(4, 2, 0, 2, beta=0.9))["tokens_by"]
    assert got["alpha"] == pytest.approx(expected_tokens(0.9, 4)) and got["positions"] == pytest.approx(3) == got["measured"]


def test_where_beta_was_not_recorded_alpha_is_counted():
    assert told(speculative(4, 2, 0))["alpha"] == pytest.approx(6 / 8)


def test_under_match_alpha_is_counted_since_beta_is_not_what_it_keeps():
    header = fake_trace(K=4, verifier="match").header
    assert told(speculative(4, 2, 0, beta=0.99), header=header)["alpha"] == pytest.approx(6 / 8)


@pytest.mark.parametrize("seed", range(4))
def test_tokens_over_cost_is_the_measured_speedup_to_the_last_digit(seed):
    shown = view(fake_trace(seed=seed, K=4))
    why = shown["account"]["why"]
    assert why["tokens"] / why["cost"]["all"] == pytest.approx(shown["comparison"]["speedup"], rel=1e-4)
    assert why["cost"]["all"] == pytest.approx(sum(why["cost"][part] for part in ("draft", "verify", "rest")), rel=1e-4)


@pytest.mark.parametrize(
    ("lane", "kind", "limit"),
    [
        (speculative(4, 4, 4, draft=0.01, verify=10.1), "faster", None),
        (speculative(4, 4, 4, draft=1.0, verify=10.0), "faster", "c"),
        (speculative(4, 4, 4, draft=11.0, verify=10.0), "slower", "c"),
        (speculative(0, 0, 0, draft=0.5, verify=12.0), "slower", "alpha"),
        (speculative(4, 4, 3, draft=0.2, verify=60.0), "slower", "v"),
        (speculative(4, 4, 3, draft=0.2, verify=11.0, rest=80.0), "slower", "rest"),
        (speculative(4, draft=0.01, verify=11.0) + speculative(*[0] * 9, K=0, verify=10.0), "faster", "undrafted"),
        (speculative(1, 1, 1, draft=1.0, verify=16.0), "level", "alpha"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_holds_a_run_back_most_is_named(lane, kind, limit):
    why = told(lane)["why"]
    assert (why["kind"], why["limit"]) == (kind, limit)


def test_a_cause_is_named_only_if_its_gain_and_its_lead_are_more_than_the_speedup_is_unsure_by():
    def limit(lane, low, high):
        speedup = told(lane)["measured"]
        return told(lane, sure=(low * speedup, high * speedup))["why"]["limit"]

    dear = speculative(4, 4, 4, draft=2.0, verify=10.0)  # without its drafting 1.8 times as fast
    assert (limit(dear, 1, 1), limit(dear, 0.9, 1.7), limit(dear, 0.7, 1.0)) == ("c", "c", "c")
    assert (limit(dear, 0.9, 1.9), limit(dear, 0.5, 1.0)) == (None, None)
    both = speculative(2, 2, 2, draft=1.6, verify=10.0)  # acceptance would give 1.67, drafting 1.64
    assert (limit(both, 1, 1), limit(both, 0.99, 1.01), limit(both, 0.95, 1.05)) == ("alpha", "alpha", None)


@pytest.mark.parametrize("how", [{"adaptive": True}, {"confidence": 0.4}], ids=["adaptive", "confidence"])
def test_a_block_that_was_chosen_to_be_short_is_never_a_loss(how):
    lane = speculative(4, draft=0.01, verify=11.0) + speculative(*[0] * 9, K=0, verify=10.0)
    assert told(lane)["why"]["limit"] == "undrafted"
    assert told(lane, header=replace(HEADER, config=replace(HEADER.config, **how)))["why"]["limit"] != "undrafted"


def test_what_would_be_gained_is_by_setting_that_one_thing_right():
    why = told(speculative(4, 4, draft=5.0, verify=10.0))["why"]
    assert why["limit"] == "c" and why["without"] == pytest.approx((4 * 0.5 + 1) / 1)


def test_overhead_that_vanilla_has_too_is_nobody_s_fault():
    target = vanilla(rest=10.0)
    why = told(speculative(4, 4, draft=0.01, verify=10.0, rest=10.0), target)["why"]
    assert why["limit"] is None and why["cost"]["rest"] == pytest.approx(0.5)
    assert why["without"] < 1.05


@pytest.mark.parametrize(
    ("lane", "target", "header", "missing"),
    [
        (speculative(0, K=0), None, fake_trace(K=0).header, "zero"),
        ([], None, HEADER, "lane"),
        (speculative(4), [], HEADER, "lane"),
        (speculative(0, 0, K=0), None, HEADER, "undrafted"),
        (speculative(4), vanilla(verify=0.0), HEADER, "clock"),
        (speculative(4, draft=0.0, verify=0.0), None, HEADER, "clock"),
    ],
)
def test_where_a_run_lacks_what_is_needed_it_says_so(lane, target, header, missing):
    assert told(lane, target, header=header) == {"missing": missing}
