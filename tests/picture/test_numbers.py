"""Every number of a lane, of the comparison and of where a speed came from, against one worked out by hand; how sure a speedup is said to
be; and what each rule would have kept.
"""

from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from specviz.acceptance import expected_speedup, expected_tokens, expected_tokens_by_position
from specviz.config import DecodeConfig
from specviz.picture.replay import RULES as TITLES
from specviz.picture.replay import engine_facts
from specviz.trace.events import (
    Cache,
    Divergence,
    Drafted,
    Emitted,
    Finished,
    LaneTime,
    Logits,
    Position,
    Prefill,
    Repeat,
    Round,
    Times,
    Token,
    Trace,
)
from tests.view import call, plain, view

from ..fake_trace import fake_trace, rounds


def test_acceptance_is_given_under_its_three_definitions():
    trace = fake_trace()
    numbers, finished = view(trace)["lanes"]["speculative"]["numbers"], trace.speculative[-1]
    assert numbers["accepted_of_drafted"] == pytest.approx(finished.accepted / finished.drafted, rel=1e-5)
    assert numbers["accepted_of_tested"] == pytest.approx(finished.accepted / finished.tested, rel=1e-5)
    betas = [d.position.beta for r in rounds(trace.speculative) for d in r.drafted if d.verdict != "unexamined"]
    assert numbers["alpha"] == pytest.approx(sum(betas) / len(betas), rel=1e-5)
    assert numbers["alpha_positions"] == finished.tested


def test_speedup_is_of_decoding_and_end_to_end_counts_prefill_too():
    trace = fake_trace()
    a, b = trace.vanilla[-1], trace.speculative[-1]
    comparison = view(trace)["comparison"]
    assert comparison["speedup"] == pytest.approx((b.tokens / b.decode_ms) / (a.tokens / a.decode_ms), rel=1e-4)
    rates = [f.tokens / (f.decode_ms + f.prefill_ms) for f in (a, b)]
    assert comparison["low"] <= comparison["speedup"] <= comparison["high"]
    assert comparison["speedup_end_to_end"] == pytest.approx(rates[1] / rates[0], rel=1e-4)


@pytest.mark.parametrize("n", [5, 20, 40])
def test_with_prefill_a_speedup_lies_between_those_of_decoding_and_of_prefill_also_where_a_lane_ended_early(n):
    trace = fake_trace()
    cut = view(replace(trace, vanilla=(trace.vanilla[0], *rounds(trace.vanilla)[:n], trace.vanilla[-1])))
    comparison, (a, b) = cut["comparison"], (cut["lanes"][lane]["numbers"] for lane in ("vanilla", "speculative"))
    assert a["tokens"] == n < b["tokens"]
    low, high = sorted((comparison["speedup"], a["prefill_ms"] / b["prefill_ms"]))
    assert low <= comparison["speedup_end_to_end"] <= high


def test_where_nothing_was_drafted_both_lanes_did_the_same_and_where_nothing_ran_a_speedup_has_no_name():
    assert view(fake_trace(K=0))["comparison"]["kind"] == "alike"
    trace = fake_trace()
    nothing = replace(trace, vanilla=tuple(e for e in trace.vanilla if not isinstance(e, Round)))
    assert view(nothing)["comparison"]["kind"] is None
    numbers = view(fake_trace(K=0))["lanes"]["speculative"]["numbers"]
    assert numbers["accepted_of_drafted"] is None and numbers["tokens_per_forward"] == 1


def test_greedy_lanes_that_part_say_by_which_logits():
    trace, token = fake_trace(), fake_trace().speculative[1].emitted[0].token
    divergence = Divergence(3, token, token, Logits(-1.5, -1.500001), Logits(2.25, 2.5))
    logits = view(replace(trace, header=replace(trace.header, divergence=divergence)))["comparison"]["logits"]
    assert logits == {"alone_vanilla": -1.5, "alone_speculative": -1.5, "block_vanilla": 2.25, "block_speculative": 2.5}
    assert view(trace)["comparison"]["logits"] is None


def test_a_stopped_lane_has_the_numbers_of_what_it_did_and_before_its_first_round_no_rates():
    picture = view(fake_trace(cancelled=3))
    lane = picture["lanes"]["speculative"]
    assert lane["stopped"]["reason"] == "cancelled" and lane["numbers"]["rounds"] == 3
    assert not picture["comparison"]["whole"]
    trace = fake_trace()
    prefill = next(e for e in trace.vanilla if isinstance(e, Prefill))
    error = Finished("error", "out of memory", "", 0, 0, 0, 0, 0, 0, 0, 1.0, 0.0, 0.0)
    picture = view(replace(trace, speculative=(prefill, error)))
    assert picture["lanes"]["speculative"]["numbers"]["tokens_per_second"] is None
    assert picture["comparison"]["speedup"] is None


def test_rounds_without_a_draft_are_counted_but_not_the_last_one_of_a_full_run_which_had_no_room():
    for settings in ({"short": True}, {}):
        trace = fake_trace(K=4, **settings)
        sizes = [len(r.drafted) for r in rounds(trace.speculative)]
        assert view(trace)["lanes"]["speculative"]["numbers"]["undrafted"] == sizes[:-1].count(0)
    stopped = fake_trace(K=4, short=True, cancelled=2)  # the second of the two drafted nothing
    assert view(stopped)["lanes"]["speculative"]["numbers"]["undrafted"] == 1


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
        roles = ["accepted"] * n + ["corrected" if n < K else "bonus" if K else "plain"]
        emitted = tuple(Emitted(X, role, "x") for role in roles)
        times = Times(draft * K, verify, decide, rest, 1.0)
        rounds.append(Round(i, drafted, emitted, None, Cache(0, K + 1, n + 1), None, i + 1, 0, times))
    return rounds


def account(lane, target=None, limit=16, header=HEADER, sure=None) -> dict:
    """`sure`: the interval of the measured speedup."""
    lanes = plain(vanilla() if target is None else target), plain(lane)
    return call("player/account.js", "account", plain(header), *lanes, engine_facts() | {"most": limit}, sure)


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


def test_the_price_of_a_pass_is_a_line_as_measured_and_falls_no_further_past_the_block():
    def cost(*of):
        return call("player/account.js", "verifyCost", *of)

    assert [cost(k, 1.5, 5) for k in (0, 1, 5, 10)] == pytest.approx([1, 1.1, 1.5, 2.0])
    assert [cost(k, 0.8, 4) for k in (0, 2, 4, 16)] == pytest.approx([1, 0.9, 0.8, 0.8])


@pytest.mark.parametrize(("draft", "verify"), [(0.5, 11.0), (1.0, 14.0), (2.0, 12.0), (5.0, 20.0)])
def test_the_best_K_is_the_one_that_no_other_beats(draft, verify):
    got = account(speculative(*[4, 1, 0] * 5, draft=draft, verify=verify))
    c, v, rates = draft / 10, verify / 10, [2 / 3, 1 / 2, 1.0, 1.0, 1 / 2, 1 / 2]
    by_K = {K: expected_tokens_by_position(rates, K) / (K * c + 1 + (v - 1) * K / 4) for K in range(7)}
    assert by_K[got["best_K"]] == pytest.approx(max(by_K.values()), rel=1e-5) == pytest.approx(got["best_speedup"], rel=1e-5)
    assert (got["best_measured"], got["best_reach"]) == (4, 6)


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
    return call("player/account.js", "byPosition", plain(lane))


def three_ways(lane, alpha):
    return call("player/account.js", "threeWays", plain(lane), alpha)


def best(lane, *costs):
    return call("player/account.js", "bestK", plain(lane), *costs)


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
    assert account(speculative(*ACCEPTED, beta=0.75))["tokens_by"] == pytest.approx(tokens)


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


class Interval(NamedTuple):
    low: float
    high: float
    runs: int


def interval(trace: Trace, speedup: float) -> Interval:
    return Interval(**call("player/account.js", "speedupInterval", plain(trace), speedup))


def timed(trace: Trace, ms) -> Trace:
    """The trace with `ms(lane, index)` as the time of the target's pass and nothing else in a round."""

    def lane(name):
        for event in getattr(trace, name):
            if isinstance(event, Round):
                event = replace(event, times=replace(event.times, draft=0.0, verify=ms(name, event.index), decide=0.0, rest=0.0))
            yield event

    return Trace(trace.header, tuple(lane("vanilla")), tuple(lane("speculative")))


def repeated(trace: Trace, *speedups: float) -> Trace:
    """With as many repeats, each of the lanes' ratio of times."""
    repeats = tuple(Repeat(LaneTime(100.0 * x), LaneTime(100.0)) for x in speedups)
    return replace(trace, header=replace(trace.header, repeats=repeats))


def ratio(trace: Trace) -> float:
    """The vanilla lane's time over the speculative one's."""
    vanilla, speculative = (sum(r.times.timed for r in rounds(lane)) for lane in (trace.vanilla, trace.speculative))
    return vanilla / speculative


def speedup(trace: Trace) -> float:
    return ratio(trace) * trace.speculative[-1].tokens / trace.vanilla[-1].tokens


TRACE = timed(fake_trace(K=3, observed=False), lambda lane, _: 4.0 if lane == "vanilla" else 5.0)


def test_a_clock_without_noise_or_one_that_stands_leaves_nothing_unsure_whichever_tokens_were_accepted():
    assert len({len(r.emitted) for r in rounds(TRACE.speculative)}) > 2
    low, high, runs = interval(TRACE, speedup(TRACE))
    assert (low, high, runs) == (pytest.approx(speedup(TRACE)), pytest.approx(speedup(TRACE)), 1)
    still = timed(TRACE, lambda *_: 0.0)
    assert interval(still, 1.5)[:2] == (1.5, 1.5)


@pytest.mark.parametrize("length", [10, 24, 96])
def test_an_interval_of_one_run_holds_what_the_machine_gives_as_often_as_it_says(length):
    """Of 200 runs whose rounds vary by a fifth: 95 of 100, give or take what 200 can tell (three deviations are 4.6)."""
    trace = timed(fake_trace(K=3, observed=False, max_new_tokens=length), lambda lane, _: 4.0 if lane == "vanilla" else 5.0)
    chance, true, hits = Random(1), speedup(trace), 0
    for _ in range(200):
        sample = timed(trace, lambda lane, _: (4.0 if lane == "vanilla" else 5.0) * chance.lognormvariate(0, 0.2))
        low, high, _ = interval(sample, speedup(sample))
        hits += low <= true <= high
    assert 0.9 <= hits / 200 <= 0.995


def test_slow_stretches_make_it_wider_than_the_same_slow_rounds_scattered():
    slow = set(range(20, 35))
    stretch = timed(TRACE, lambda lane, i: 8.0 if lane == "vanilla" and i in slow else 4.0)
    scattered = timed(TRACE, lambda lane, i: 8.0 if lane == "vanilla" and i % 4 == 1 else 4.0)
    assert sum(r.times.timed for r in rounds(stretch.vanilla)) == sum(r.times.timed for r in rounds(scattered.vanilla))
    (low, high, _), (closer, close, _) = (interval(t, speedup(t)) for t in (stretch, scattered))
    assert low < closer and high > close


def test_of_enough_repeats_it_is_from_the_lowest_to_the_highest_and_few_alone_do_not_make_it_narrow():
    true = speedup(TRACE)
    trace = repeated(TRACE, *(ratio(TRACE) * x for x in (1.0, 0.8, 1.3, 0.9, 1.1)))
    assert interval(trace, true) == (pytest.approx(0.8 * true), pytest.approx(1.3 * true), 5)
    noisy = timed(TRACE, lambda lane, i: 4.0 + (i % 3 if lane == "vanilla" else 0.0) + i % 2)
    once = interval(noisy, speedup(noisy))
    same = interval(repeated(noisy, ratio(noisy), ratio(noisy)), speedup(noisy))
    assert same[:2] == once[:2] and same.runs == 2 and once.low < once.high
    wider = interval(repeated(noisy, ratio(noisy), 2 * ratio(noisy)), speedup(noisy))
    assert wider.low == once.low and wider.high == pytest.approx(2 * speedup(noisy))


def kinds(*speedups: float) -> tuple[str, str]:
    """What the screen calls a run of these repeats, of which the middle one is shown, and what it says the cause is."""
    middle = sorted(speedups)[len(speedups) // 2]
    pass_ms = 5.0 * speedup(TRACE) / middle
    trace = timed(TRACE, lambda lane, _: 4.0 if lane == "vanilla" else pass_ms)
    picture = view(repeated(trace, *(x * ratio(trace) / middle for x in speedups)))
    assert picture["comparison"]["speedup"] == pytest.approx(middle, rel=1e-4)
    return picture["comparison"]["kind"], picture["account"]["why"]["kind"]


@pytest.mark.parametrize(
    ("speedups", "kind"),
    [
        ((1.02, 1.03, 1.03, 1.04, 1.04), "faster"),  # little, and sure
        ((0.9, 1.2, 1.3, 1.4, 1.6), "level"),  # much, and not sure
        ((0.96, 0.97, 0.97, 0.98, 0.99), "slower"),
    ],
)
def test_what_a_speedup_is_called_follows_from_the_interval_and_from_no_fixed_bound(speedups, kind):
    assert kinds(*speedups) == (kind, kind)


RULES = ("rejection", "match", "argmax")


def at(position):
    return call("player/picture.js", "chancesAt", position and plain(position))


def averaged(trace):
    config = trace.header.config
    return call("player/picture.js", "meanChances", plain(config), plain(rounds(trace.speculative)), config.exact)


def examined(trace):
    return [d for r in rounds(trace.speculative) for d in r.drafted if d.verdict != "unexamined"]


@pytest.mark.parametrize("drafting", ["sample", "argmax"])
def test_each_rule_keeps_what_the_draft_s_own_softmax_says(drafting):
    for d in examined(fake_trace(drafting=drafting)):
        chances, own = at(d.position), d.position.own
        assert chances["rejection"] == pytest.approx((own or d.position).beta, rel=1e-5)
        largest = d.p if own else max(d.position.entries, key=lambda entry: entry.q).p
        assert chances["argmax"] == pytest.approx(largest, rel=1e-5)
        assert chances["match"] <= chances["rejection"] + 1e-6


def test_where_nothing_was_drafted_or_an_older_trace_does_not_say_there_are_no_chances():
    assert at(None) is None and at(Position((), 1.0, None, None, 0.0, None)) is None
    assert at(Position((), 1.0, 1.0, 0.5, 0.0, 0.0)) is None


@pytest.mark.parametrize("how", [{}, {"verifier": "match"}, {"drafting": "argmax"}, {"verifier": "block"}], ids=str)
def test_the_average_is_over_what_was_tested(how):
    trace = fake_trace(**how)
    average = averaged(trace)
    each = [at(d.position) for d in examined(trace)]
    assert average["positions"] == len(each) == trace.speculative[-1].tested
    for rule in RULES:
        assert average[rule] == pytest.approx(sum(chance[rule] for chance in each) / len(each), rel=1e-5)
    assert average[average["most"]] == max(average[rule] for rule in RULES)
    assert average["accepted"] == pytest.approx(trace.speculative[-1].accepted / trace.speculative[-1].tested, rel=1e-5)


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({}, "rejection"),
        ({"verifier": "match"}, "match"),
        ({"verifier": "block"}, "block"),
        ({"drafting": "argmax"}, "argmax"),
        ({"drafting": "argmax", "verifier": "block"}, "argmax"),
        ({"drafting": "argmax", "verifier": "typical"}, "typical"),
        ({"temperature": 0, "verifier": "typical"}, "greedy"),
    ],
    ids=str,
)
def test_the_rule_that_ran_has_one_name_and_words(settings, rule):
    config = DecodeConfig(**settings)
    trace = fake_trace(K=2, max_new_tokens=4)
    average = averaged(replace(trace, header=replace(trace.header, config=config)))
    assert average["ran"] == rule and ("not exact" in TITLES[rule]) == (not config.exact)


def test_at_temperature_zero_no_rule_is_better():
    trace = fake_trace(temperature=0)
    average = averaged(trace)
    assert average["most"] is None and average["rejection"] == average["match"] == average["argmax"]


def old_trace() -> Trace:
    """As it was written before other rules had chances."""

    def old(d):
        return replace(d, position=d.position and replace(d.position, product=None, best=None))

    trace = fake_trace()
    lane = (replace(e, drafted=tuple(map(old, e.drafted))) if isinstance(e, Round) else e for e in trace.speculative)
    return replace(trace, speculative=tuple(lane))


@pytest.mark.parametrize("trace", [fake_trace(observed=False), old_trace()], ids=["not observed", "old"])
def test_where_a_trace_does_not_say_them_there_are_no_averages(trace):
    assert averaged(trace) is None and view(trace)["rules"] is None
