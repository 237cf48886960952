"""Who waits is told how many come first and how long that may take; a session has one place, and is told to stop by name."""

import pytest

from specviz.page.guard.address import NOBODY, client_address
from specviz.page.turns import LONG_WAIT, LOST_SECONDS, WAITING, WAITING_TOKENS_EACH, QueueFull, QueuePlace, Turns, Visits

from ..fakes import Clock


def test_the_first_runs_at_once_and_the_others_have_their_place():
    clock = Clock()
    turns = Turns(clock)
    first, second, third = (turns.join() for _ in range(3))
    turns.start(first)
    assert turns.place(first) is None
    assert (turns.place(second), turns.place(third)) == (QueuePlace(1, None), QueuePlace(2, None))
    clock.now += 5
    turns.end(first)
    turns.start(second)
    assert turns.place(third) == QueuePlace(1, 5.0)


def test_the_wait_is_what_the_last_runs_took_less_what_the_one_under_way_has_taken():
    clock = Clock()
    turns = Turns(clock)
    for seconds in (4, 10, 90):
        ticket = turns.join()
        turns.start(ticket)
        clock.now += seconds
        turns.end(ticket)
    under_way, last = turns.join(), turns.join()
    assert turns.place(last) == QueuePlace(1, 10.0)  # the median
    turns.start(under_way)
    clock.now += 3
    assert turns.place(last) == QueuePlace(1, 7.0)
    clock.now += 60
    assert turns.place(last) == QueuePlace(1, 0.0)  # longer than thought: no wait below none


def test_whoever_left_is_not_waited_for():
    clock = Clock()
    turns = Turns(clock)
    turns.start(running := turns.join())
    left, silent = turns.join(), turns.join()
    turns.leave(left)
    assert turns.place(silent) == QueuePlace(1, None)
    clock.now += LOST_SECONDS + 1
    later = turns.join()
    turns.end(running)
    turns.start(later)  # the other closed its page without a word
    assert turns.place(silent) is None and not turns.has_waiting()
    turns.end(silent)  # it never began, so it took no time
    turns.leave(silent)
    assert turns.place(turns.join()).before == 1


def test_of_a_class_that_asks_in_one_moment_nobody_loses_the_place_whoever_comes_first():
    turns = Turns()
    first, second = turns.join(), turns.join()
    turns.start(second)
    assert turns.place(first) == QueuePlace(1, None) and turns.has_waiting()


def test_whoever_waited_long_is_not_kept_for_repeats_either():
    clock = Clock()
    clock.now = 100.0
    turns = Turns(clock)
    first, last = turns.join(), turns.join()
    turns.start(first)
    clock.now += LONG_WAIT + 1
    turns.end(first)
    turns.start(last)
    assert turns.has_waiting()
    turns.end(last)
    assert not turns.has_waiting()
    turns.start(turns.join())
    assert not turns.has_waiting()


def test_whoever_comes_when_too_many_wait_is_told_so():
    turns = Turns()
    turns.start(turns.join())
    for _ in range(WAITING):
        turns.join(96)
    with pytest.raises(QueueFull) as crowded:
        turns.join(96)
    assert (crowded.value.waiting, crowded.value.most) == (WAITING, 0)
    turns.leave(2)
    turns.join(96)


def test_all_who_wait_share_the_tokens_that_may_be_waited_for():
    turns = Turns()
    turns.start(turns.join(4096))
    for _ in range(7):
        turns.join(4096)
    turns.join(4000)
    with pytest.raises(QueueFull) as crowded:
        turns.join(97)
    assert (crowded.value.waiting, crowded.value.most) == (8, 96)
    assert turns.join(crowded.value.most)


def test_while_somebody_runs_nobody_who_waits_is_forgotten():
    clock = Clock()
    turns = Turns(clock)
    turns.start(turns.join())
    waits = turns.join()
    clock.now += 100 * LOST_SECONDS
    turns.join()
    assert turns.place(waits).before == 1


def test_a_turn_out_of_order_leaves_those_who_wait_where_they_are():
    turns = Turns()
    waits, call = turns.join(), turns.join()
    turns.start(call, next=False)
    assert turns.place(waits) == QueuePlace(1, None)


def test_closing_waits_for_the_run_under_way():
    turns = Turns()
    assert turns.close(0)
    turns.start(ticket := turns.join())
    assert turns.closed and not turns.close(0)
    turns.end(ticket)
    assert turns.close(0)


def test_one_address_has_a_share_of_the_turns_and_its_tabs_keep_nobody_out():
    turns = Turns()
    client_address.set("203.0.113.9")
    turns.start(turns.join(4096))
    tabs = [turns.join(4096) for _ in range(WAITING_TOKENS_EACH // 4096)]
    with pytest.raises(QueueFull) as crowded:
        turns.join(4096)
    assert crowded.value.own and (crowded.value.waiting, crowded.value.most) == (len(tabs), 0)
    client_address.set("198.51.100.1")
    assert [turns.join(4096) for _ in range(2)]
    client_address.set("203.0.113.9")
    turns.leave(tabs[0])
    assert turns.join(96)


@pytest.fixture(autouse=True)
def nobody_asks():
    token = client_address.set(NOBODY)
    yield
    client_address.reset(token)


# ---- visits: one place for each session, whose run is stopped by its name ----


def test_run_pressed_twice_is_one_place_and_its_turn_comes_once():
    turns = Turns()
    visits = Visits(turns)
    assert visits.join("a", 8) == visits.join("a", 8)
    with visits.turn("a") as stop:
        assert stop is not None and not stop.is_set() and not turns.has_waiting()
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
    assert not turns.has_waiting()
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
    visits.join("a", request={"seeds": "3"})
    visits.join("a", request={"seeds": "4"})
    for n in range(40):
        visits.join(f"other{n}", request={})
    with visits.turn("a") as stop:
        assert stop.request == {"seeds": "4"}
