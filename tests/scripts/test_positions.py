"""What chapter 10 compares a chain and a tree by: guesses of one position with their chances by draft and target."""

from types import SimpleNamespace

import pytest
import torch

from scripts.positions import CHAIN, FIRST, TREE, N, guessed, positions, tokens_of
from specviz.engine.draft.small import SmallModel

from ..fakes import FakeText, Markov, random_chain

P, Q = random_chain(12, 1, sharpness=2), random_chain(12, 2, sharpness=2)


@pytest.fixture
def pair():
    return SimpleNamespace(target=Markov(P), text=FakeText("abcdefghijkl"))


def test_a_chain_takes_the_likeliest_token_each_time_and_its_chances_are_the_models(pair):
    at = 3
    for guess in guessed(pair, SmallModel(Markov(Q)), [1, 2, at], CHAIN):
        id = int(Q[at].argmax())
        assert guess["text"] == "abcdefghijkl"[id]
        assert (guess["q"], guess["p"]) == (round(float(Q[at, id]), 4), round(float(P[at, id]), 4))
        at = id


def test_a_tree_holds_the_likeliest_guesses_of_all_and_those_of_its_path_give_the_chances(pair):
    found = guessed(pair, SmallModel(Markov(Q)), [1, 2, 3], TREE)
    assert len(found) == N and [one["parent"] for one in found] != [*range(-1, N - 1)]
    for one in found:
        before = 3 if one["parent"] < 0 else "abcdefghijkl".index(found[one["parent"]]["text"])
        id = "abcdefghijkl".index(one["text"])
        assert (one["q"], one["p"]) == (round(float(Q[before, id]), 4), round(float(P[before, id]), 4))


def test_a_round_gives_one_token_and_each_guess_as_often_as_its_path_is_accepted():
    chain = [{"p": 0.5, "parent": -1}, {"p": 0.5, "parent": 0}]
    assert tokens_of([]) == 1 and tokens_of(chain) == 1.75
    assert tokens_of([*chain, {"p": 0.25, "parent": -1}]) == 2.0


def test_every_position_of_a_text_is_looked_at_from_its_sixth_token_on(pair):
    torch.manual_seed(0)
    found = positions(pair, SmallModel(Markov(Q)), [[1, 2]], 10)
    assert len(found) == 10 - FIRST and all(len(one["before"]) == FIRST for one in found)
