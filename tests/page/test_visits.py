"""Sessions that wait: one place each, told to stop by name, gone with their page."""

import pytest

from specviz.page.turns import QueueFull, Turns
from specviz.page.visits import Visits


def test_run_pressed_twice_is_one_place_and_its_turn_comes_once():
    turns = Turns()
    visits = Visits(turns)
    assert visits.join("a", 8) == visits.join("a", 8)
    with visits.turn("a") as stop:
        assert stop is not None and not stop.is_set() and not turns.awaited()
        visits.stop("a")
        assert stop.is_set()
    with visits.turn("a") as stop:
        assert stop is None


def test_a_turn_ends_however_it_goes():
    turns = Turns()
    visits = Visits(turns)
    visits.join("a")
    with pytest.raises(RuntimeError), visits.turn("a"):
        raise RuntimeError
    assert turns.close(0)


def test_who_closes_the_page_no_longer_waits_and_stops():
    turns = Turns()
    visits = Visits(turns)
    visits.join("a")
    visits.leave("a")
    assert not turns.awaited()
    visits.join("b")
    with visits.turn("b") as stop:
        visits.leave("b")
        assert stop is not None and stop.is_set()


def test_whoever_is_refused_has_no_turn():
    visits = Visits(Turns())
    with pytest.raises(QueueFull):
        visits.join("a", 10**9)
    with visits.turn("a") as stop:
        assert stop is None


def test_a_run_that_waits_keeps_what_it_was_asked_last_however_many_others_come():
    visits = Visits(Turns())
    visits.join("a", asked={"seeds": "3"})
    visits.join("a", asked={"seeds": "4"})
    for n in range(40):
        visits.join(f"other{n}", asked={})
    with visits.turn("a") as stop:
        assert stop.asked == {"seeds": "4"}
