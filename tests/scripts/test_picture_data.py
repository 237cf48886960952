"""What pictures are drawn from besides runs: what is counted, and that the files hold what the bundled pair does."""

import json
from itertools import pairwise

import pytest

from scripts.picture_data import BY_K, KS, SEEDS, by_k, by_rank, count_rounds, small_pair
from specviz.trace.events import Round
from tests.view import call, plain

from ..fake_trace import fake_trace
from ..fake_tree import tree_trace
from ..fakes import rounds as rounds_in


@pytest.fixture(scope="module")
def pair():
    return small_pair()


def same(counts: dict, recorded: dict) -> None:
    """As many tested and accepted, but for a draw or two that another processor's rounding decides."""
    for name in ("positions", "rejected", "whole"):
        assert json.loads(json.dumps(counts[name])) == [pytest.approx(n, rel=0.05, abs=8) for n in recorded[name]]


def test_a_round_starts_after_a_rejection_or_after_a_whole_block_and_its_first_token_is_accepted_or_not():
    trace = fake_trace(seed=3, K=2, max_new_tokens=40)
    rounds = [e for e in trace.speculative if isinstance(e, Round) and len(e.drafted) == 2]
    verdicts = [[d.verdict == "accepted" for d in r.drafted] for r in rounds]
    counts = count_rounds([rounds, rounds])
    for name, whole in (("rejected", False), ("whole", True)):
        firsts = [now[0] for before, now in pairwise(verdicts) if all(before) is whole]
        assert counts[name] == (2 * len(firsts), 2 * sum(firsts)) and firsts
    assert counts["positions"][0] == (2 * len(rounds), 2 * sum(one[0] for one in verdicts))
    assert counts["positions"][1][0] == counts["positions"][0][1]  # reached where the first was accepted


def test_one_seed_at_the_largest_k_is_counted_again_as_it_was_recorded(pair):
    same(by_k(*pair, SEEDS[0], KS[-1]), json.loads(BY_K.read_text("utf-8"))["seeds"][0][-1])


def test_a_place_counts_as_tested_where_its_siblings_were_and_one_of_them_is_kept_or_none():
    tree_rounds = rounds_in(tree_trace("3-2-1-1", tokens=60).speculative)
    share, tested = by_rank(tree_rounds)
    flat = [d for r in tree_rounds for d in r.drafted]
    for depth, counts in enumerate(tested, 1):
        assert counts == [counts[0]] * len(counts)
        for rank, count in enumerate(counts):
            here = [d for d in flat if (d.depth, d.rank) == (depth, rank)]
            accepted = sum(d.verdict == "accepted" for d in here)
            assert share[depth - 1][rank] * count == pytest.approx(accepted)
            assert sum(d.verdict != "unexamined" for d in here) <= count
    assert tested[0] == [sum(bool(r.drafted) for r in tree_rounds)] * 3
    often = [ranks for ranks, counts in zip(share, tested, strict=True) if counts[0] >= 5]
    assert call("picture/shapes.js", "acceptanceByRank", plain(tree_rounds)) == [pytest.approx(ranks) for ranks in often]
