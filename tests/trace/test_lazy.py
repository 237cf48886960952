"""Positions and residuals that are worked out when somebody first asks for one."""

import copy
import pickle
from dataclasses import asdict, replace
from threading import Thread

import pytest

from specviz.trace.events import Entry, Position, Residual, ResidualEntry, Token

A = Position((Entry(Token(0, "a"), 0.75, 0.5), Entry(Token(1, "b"), 0.25, 0.5)), 0.0, 0.0, 0.75, 0.56, 0.69)
B = Position((Entry(Token(2, "c"), 1.0, None),), 0.0, None, None, 0.0, None)
LEFT = Residual((ResidualEntry(Token(0, "a"), 1.0),), 0.0, 0.25)


@pytest.fixture
def lazy():
    """Two positions and a residual of one round, and how often that was worked out."""
    times, values = [], []

    def read():
        times.append(1)
        return [A, B, LEFT]

    return Position.later(read, values, 0), Position.later(read, values, 1), Residual.later(read, values, 2), times


def test_nothing_is_worked_out_before_somebody_asks_and_then_all_of_a_round_once(lazy):
    a, b, left, times = lazy
    assert not times
    assert (a.beta, b.entries, left.mass) == (0.75, B.entries, 0.25)
    assert (a, b, left) == (A, B, LEFT) and len(times) == 1


ASKS = {"==": lambda x: x == A, "hash": hash, "repr": repr, "asdict": asdict, "copy": copy.copy, "deepcopy": copy.deepcopy}
ASKS |= {"replace": lambda x: replace(x, beta=1.0), "pickle": lambda x: pickle.loads(pickle.dumps(x))}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_whatever_is_asked_first_is_answered_as_of_a_value_that_was_made_at_once(lazy, ask):
    assert ask(lazy[0]) == ask(A) and lazy[0] == A


def test_a_name_that_is_no_field_is_refused_and_nothing_is_worked_out_for_it(lazy):
    a, *_, times = lazy
    for value in (a, A):
        with pytest.raises(AttributeError, match="chance"):
            value.chance  # noqa: B018
    assert not times


def test_two_threads_that_ask_at_once_get_the_same():
    answers, others = [], []

    def ask():
        answers.append((value.entries, value.beta, value.best))

    def read():
        if not others:  # while one thread works it out another asks, and has it first
            others.append(Thread(target=ask))
            others[0].start()
            others[0].join()
        return [A]

    value = Position.later(read, [], 0)
    ask()
    assert answers == [(A.entries, A.beta, A.best)] * 2
