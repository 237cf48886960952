"""The best tree by acceptance at each depth and rank, as the page finds it, against all trees that there are."""

from itertools import combinations, product

import pytest

from tests.view import call, view

from ..fake_trace import tree_trace
from ..fakes import rounds

SHARES = (
    [[0.6, 0.3], [0.5, 0.2], [0.4]],
    [[0.4, 0.35, 0.2], [0.9, 0.05]],
    [[0.2, 0.2], [0.2, 0.2]],
    [[1.0], [1.0, 0.0], [0.5, 0.5]],
)


def places(share):
    """Every place there is: the ranks on its path."""
    return [path for depth in range(1, len(share) + 1) for path in product(*(range(len(ranks)) for ranks in share[:depth]))]


def trees(share, n):
    """Every tree of at most n nodes: a place stands after its parent, and after the siblings that are tested before it."""
    for count in range(n + 1):
        for nodes in combinations(places(share), count):
            some = set(nodes)
            if all(
                (len(path) == 1 or path[:-1] in some) and (path[-1] == 0 or (*path[:-1], path[-1] - 1) in some) for path in some
            ):
                yield some


def expected_nodes(tree, share, at=()):
    """Tokens a round on average, by every walk that there is: one of the children is kept, or none."""
    if len(at) == len(share):
        return 1.0
    below = [rank for rank in range(len(share[len(at)])) if (*at, rank) in tree]
    chances = [share[len(at)][rank] for rank in below]
    return (
        1
        - sum(chances)
        + sum(chance * (1 + expected_nodes(tree, share, (*at, rank))) for chance, rank in zip(chances, below, strict=True))
    )


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n", range(6))
def test_no_tree_of_so_many_tokens_promises_more_than_the_best_one(share, n):
    most = max(expected_nodes(tree, share) for tree in trees(share, n))
    assert call("picture/shapes.js", "bestShape", share, n)["tokens"] == pytest.approx(most, abs=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("c", "more"), [(0.0, 0.0), (0.1, 0.05), (0.3, 0.0), (0.02, 0.3), (2.0, 0.5)])
def test_no_tree_within_the_budget_is_faster_than_the_fastest_one(share, c, more):
    v = [1 + more * k for k in range(6)]
    speeds = [expected_nodes(tree, share) / (max(map(len, tree), default=0) * c + v[len(tree)]) for tree in trees(share, 5)]
    assert fastest(share, 5, c, v)["speed"] == pytest.approx(max(speeds), abs=1e-12)
    chain = fastest([ranks[:1] for ranks in share], 5, c, v)
    assert chain["guesses"] == chain["passes"] and chain["speed"] <= max(speeds) + 1e-12


def fastest(*options):
    return call("picture/shapes.js", "fastestShape", *options)


def test_a_run_of_trees_says_what_tree_and_what_chain_would_have_been_fastest():
    trace = tree_trace("3-2-1-1", tokens=60)
    shape = view(trace)["account"]
    assert shape["missing"] == "tree" and shape["block"] == max(len(r.drafted) for r in rounds(trace.speculative))
    assert shape["predicted"] == pytest.approx(shape["tokens"] / shape["cost"]["all"] / shape["of_predicted"], rel=1e-4)
    tree, chain = shape["best_tree"], shape["best_chain"]
    assert tree["speedup"] >= chain["speedup"] >= 1 and chain["nodes"] == chain["levels"] <= 4
    assert tree["nodes"] <= shape["block"]
