"""Where a run's speed came from: each number against one worked out by hand, on rounds whose times are chosen. Acceptance by position
promises no more than what was measured allows."""

from dataclasses import replace

import pytest

from specviz.acceptance import expected_speedup, expected_tokens, expected_tokens_by_position
from specviz.picture.replay import engine_facts
from specviz.trace.events import Cache, Drafted, Emitted, Position, Round, Times, Token
from tests.view import call, plain, view

from ..fake_trace import fake_trace, rounds

X = Token(1, "x")
HEADER = fake_trace(K=4).header


def vanilla(count: int = 8, verify: float = 10.0, rest: float = 0.0) -> list[Round]:
    one = (Emitted(X, "plain", "x"),)
    times = Times(draft=0.0, verify=verify, decide=0.0, rest=rest, observe=1.0)
    return [Round(i, (), one, None, Cache(0, 1, 1), None, i + 1, 0, times) for i in range(count)]


def speculative(*accepted: int, K: int = 4, draft=1.0, verify=12.0, decide=0.0, rest=0.0, beta=None) -> list[Round]:
    """A round for each number: so many of K kept, each draft token `draft` ms."""
    rounds = []
    for i, n in enumerate(accepted):
        position = None if beta is None else Position((), 1.0, 1.0, beta, 0.0, 0.0)
        verdicts = ["accepted"] * n + ["rejected"] * (n < K) + ["unexamined"] * (K - n - 1)
        drafted = tuple(Drafted(X, 0.5, 0.5, 1.0, 0.1, v, None if v == "unexamined" else position) for v in verdicts)
        emitted = tuple(
            Emitted(X, role, "x") for role in ["accepted"] * n + ["corrected" if n < K else "bonus" if K else "plain"]
        )
        times = Times(draft * K, verify, decide, rest, 1.0)
        rounds.append(Round(i, drafted, emitted, None, Cache(0, K + 1, n + 1), None, i + 1, 0, times))
    return rounds


def account(lane, target=None, limit=16, header=HEADER, sure=None) -> dict:
    """`sure`: the interval of the measured speedup."""
    lanes = plain(vanilla() if target is None else target), plain(lane)
    return call("picture/account.js", "account", plain(header), *lanes, engine_facts() | {"most": limit}, sure)


BY_HAND = {  # rounds, and numbers of their account
    "c and v are in target passes over one token": (
        speculative(4, 4, 0, draft=1.5, verify=13.0),
        {"c": 0.15, "v": 1.3, "block": 4},
    ),
    "one slow pass moves neither": (speculative(4, 4, 4, 4) + speculative(4, draft=90.0, verify=900.0), {"c": 0.1, "v": 1.2}),
    "a coarse clock that shows 0 for most blocks": (speculative(4, 4, 4, draft=0.0) + speculative(4), {"c": 0.1 / 4}),
    "v is of full blocks": (speculative(4, 4, verify=16.0) + speculative(1, 1, 1, K=1, verify=10.5), {"v": 1.6}),
    "without overhead the formula gives what was measured": (
        speculative(4, 2, 0, 2),
        {"predicted": expected_speedup(3.0, 4, 0.1, 1.2), "measured": expected_speedup(3.0, 4, 0.1, 1.2), "of_predicted": 1},
    ),
    "overhead is what the formula leaves out": (
        speculative(4, 2, 0, 2, decide=1.0, rest=3.0),
        {"predicted": 3 / 1.6, "measured": 3 / 2.0, "of_predicted": 0.8},
    ),
    "a shorter block costs less": (
        speculative(4, 4, verify=18.0) + speculative(0, 0, K=0, verify=10.0),
        {"drafted": 2, "predicted": 3 / (2 * 0.1 + 1.4), "measured": 3 / (2 * 0.1 + 1.4)},
    ),
    "without β, α is counted": (speculative(4, 2, 0), {"alpha": 6 / 8}),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_numbers_are_those_that_a_hand_finds(name):
    lane, numbers = BY_HAND[name]
    got = account(lane)
    assert {key: got[key] for key in numbers} == pytest.approx(numbers)


def test_the_price_of_a_pass_is_a_line_and_never_falls_below_one():
    def cost(*of):
        return call("picture/positions.js", "verifyCost", *of)

    assert [cost(k, 1.5, 5) for k in (0, 1, 5, 10)] == pytest.approx([1, 1.1, 1.5, 2.0])
    assert [cost(k, 0.8, 1) for k in (0, 1, 16)] == [1, 1, 1]


@pytest.mark.parametrize(("draft", "verify"), [(0.5, 11.0), (1.0, 14.0), (2.0, 12.0), (5.0, 20.0)])
def test_the_best_K_is_the_one_that_no_other_beats(draft, verify):
    got = account(speculative(*[4, 1, 0] * 5, draft=draft, verify=verify))
    c, v, rates = draft / 10, verify / 10, [2 / 3, 1 / 2, 1.0, 1.0, 1 / 2, 1 / 2]
    by_K = {K: expected_tokens_by_position(rates, K) / (K * c + 1 + (v - 1) * K / 4) for K in range(7)}
    assert by_K[got["best_K"]] == pytest.approx(max(by_K.values()), rel=1e-5) == pytest.approx(got["best_speedup"], rel=1e-5)
    assert (got["best_measured"], got["best_reach"]) == (4, 6)


def test_tokens_a_round_are_told_three_ways():
    got = account(speculative(4, 2, 0, 2, beta=0.9))["tokens_by"]
    assert got["alpha"] == pytest.approx(expected_tokens(0.9, 4)) and got["positions"] == pytest.approx(3) == got["measured"]


def test_under_match_alpha_is_counted_since_beta_is_not_what_it_keeps():
    header = fake_trace(K=4, verifier="match").header
    assert account(speculative(4, 2, 0, beta=0.99), header=header)["alpha"] == pytest.approx(6 / 8)


@pytest.mark.parametrize("seed", range(4))
def test_tokens_over_cost_is_the_measured_speedup_to_the_last_digit(seed):
    picture = view(fake_trace(seed=seed, K=4))
    why = picture["account"]["why"]
    assert why["tokens"] / why["cost"]["all"] == pytest.approx(picture["comparison"]["speedup"], rel=1e-4)
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
    why = account(lane)["why"]
    assert (why["kind"], why["limit"]) == (kind, limit)


def test_a_cause_is_named_only_if_its_gain_and_its_lead_are_more_than_the_speedup_is_unsure_by():
    def limit(lane, low, high):
        speedup = account(lane)["measured"]
        return account(lane, sure=(low * speedup, high * speedup))["why"]["limit"]

    dear = speculative(4, 4, 4, draft=2.0, verify=10.0)
    assert account(dear)["why"]["without"] == pytest.approx(1.8)  # how much faster it would be without its drafting
    assert (limit(dear, 1, 1), limit(dear, 0.9, 1.7), limit(dear, 0.7, 1.0)) == ("c", "c", "c")
    assert (limit(dear, 0.9, 1.9), limit(dear, 0.5, 1.0)) == (None, None)
    both = speculative(2, 2, 2, draft=1.6, verify=10.0)  # acceptance would give 1.67, drafting 1.64
    assert (limit(both, 1, 1), limit(both, 0.99, 1.01), limit(both, 0.95, 1.05)) == ("alpha", "alpha", None)


@pytest.mark.parametrize("how", [{"adaptive": True}, {"confidence": 0.4}], ids=["adaptive", "confidence"])
def test_a_block_that_was_chosen_to_be_short_is_never_a_loss(how):
    lane = speculative(4, draft=0.01, verify=11.0) + speculative(*[0] * 9, K=0, verify=10.0)
    assert account(lane)["why"]["limit"] == "undrafted"
    assert account(lane, header=replace(HEADER, config=replace(HEADER.config, **how)))["why"]["limit"] != "undrafted"


def test_overhead_that_vanilla_has_too_is_nobody_s_fault():
    target = vanilla(rest=10.0)
    why = account(speculative(4, 4, draft=0.01, verify=10.0, rest=10.0), target)["why"]
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
    assert account(lane, target, header=header) == {"missing": missing}


FEW, MARGIN = 5, 2  # as the module has them


def by_position(lane):
    return call("picture/positions.js", "byPosition", plain(lane))


def three_ways(lane, alpha):
    return call("picture/positions.js", "threeWays", plain(lane), alpha)


def best(lane, *costs):
    return call("picture/positions.js", "bestK", plain(lane), *costs)


ACCEPTED = [4, 4, 1, 0, 2, 0, 4, 3, 1, 1]  # of blocks of four


@pytest.mark.parametrize(
    ("lane", "counts"),
    [
        (speculative(*ACCEPTED), [(10, 10, 8), (10, 8, 5), (10, 5, 4), (10, 4, 3)]),
        (speculative(4, 4) + speculative(1, 0, K=1) + speculative(0, K=0), [(4, 4, 3), (2, 2, 2), (2, 2, 2), (2, 2, 2)]),
    ],
    ids=["all of one length", "some shorter"],
)
def test_a_position_says_how_many_blocks_had_it_reached_it_and_kept_it(lane, counts):
    positions = by_position(lane)
    assert [p["position"] for p in positions] == [1, 2, 3, 4]
    assert [(p["drafted"], p["reached"], p["accepted"]) for p in positions] == counts
    assert [p["given_reached"] for p in positions] == pytest.approx([accepted / reached for _, reached, accepted in counts])
    assert [p["of_blocks"] for p in positions] == pytest.approx([accepted / counts[0][0] for *_, accepted in counts])


def test_without_blocks_there_are_no_positions_and_nothing_is_expected_tokens_by_position():
    lane = speculative(0, 0, K=0)
    assert by_position(lane) == [] and set(three_ways(lane, 0.5).values()) == {None}
    assert set(best(lane, 0.1, 1.2, 4, 16).values()) == {None}


def test_tokens_by_position_are_the_measured_ones_where_all_blocks_are_of_one_length():
    tokens = three_ways(speculative(*ACCEPTED), 0.75)
    assert tokens["positions"] == pytest.approx(tokens["measured"]) == pytest.approx(sum(ACCEPTED) / len(ACCEPTED) + 1)
    assert tokens["alpha"] == pytest.approx(expected_tokens(0.75, 4))


def test_in_a_run_the_positions_promise_what_was_measured_and_the_counts_add_up():
    for how in ({"K": 4}, {"K": 8, "verifier": "block"}, {"short": True, "K": 4}, {"drafting": "argmax"}):
        trace = fake_trace(**how)
        lane, end = rounds(trace.speculative), trace.speculative[-1]
        positions = by_position(lane)
        assert sum(p["accepted"] for p in positions) == end.accepted and sum(p["reached"] for p in positions) == end.tested
        three = three_ways(lane, None)
        assert three["positions"] == pytest.approx(three["measured"], rel=0.1)


RATES = [8 / 10, 5 / 8, 4 / 5, 3 / 4, 5 / 8, 5 / 8]  # past what was measured a token counts as the worst position
BEST = {  # rounds, c, v, the limit of K, and what is best
    "a stated margin further than the measuring": (
        speculative(*[4] * 20), 0.02, 1.0, 16,
        {"measured": 4, "reach": 4 + MARGIN, "K": 4 + MARGIN, "speedup": expected_speedup(5 + MARGIN, 4 + MARGIN, 0.02)},
    ),
    # at an α of .9 the formula would say 16
    "blocks of four that reached the end once": (speculative(*[2] * 9, 4), 0.02, 1.0, 16, {"measured": 3, "reach": 3 + MARGIN}),
    "the worst position": (speculative(*ACCEPTED * FEW), 0.0, 1.0, 16, {"K": 6, "speedup": expected_tokens_by_position(RATES, 6)}),
    "no more than the limit": (speculative(*[4] * 20), 0.02, 1.0, 5, {"K": 5}),
    "drafting does not pay": (speculative(*[0] * 20), 0.2, 1.2, 16, {"K": 0}),
}  # fmt: skip


@pytest.mark.parametrize("name", BEST)
def test_the_best_K_goes_no_further_than_what_was_measured_allows(name):
    lane, c, v, limit, expected = BEST[name]
    choice = best(lane, c, v, 4, limit)
    assert {key: choice[f"best_{key}"] for key in expected} == pytest.approx(expected, rel=1e-5)
