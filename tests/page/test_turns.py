"""Who waits is told how many come first and how long that may take."""

import pytest

from specviz.page.guard.address import NOBODY, asking
from specviz.page.turns import LONG, LOST, TOKENS_EACH, WAITING, QueueFull, QueuePlace, Turns

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
    clock.now += LOST + 1
    later = turns.join()
    turns.end(running)
    turns.start(later)  # the other closed its page without a word
    assert turns.place(silent) is None and not turns.awaited()
    turns.end(silent)  # it never began, so it took no time
    turns.leave(silent)
    assert turns.place(turns.join()).before == 1


def test_of_a_class_that_asks_in_one_moment_nobody_loses_the_place_whoever_comes_first():
    turns = Turns()
    first, second = turns.join(), turns.join()
    turns.start(second)
    assert turns.place(first) == QueuePlace(1, None) and turns.awaited()


def test_whoever_waited_long_is_not_kept_for_repeats_either():
    clock = Clock()
    clock.now = 100.0
    turns = Turns(clock)
    first, last = turns.join(), turns.join()
    turns.start(first)
    clock.now += LONG + 1
    turns.end(first)
    turns.start(last)
    assert turns.awaited()
    turns.end(last)
    assert not turns.awaited()
    turns.start(turns.join())
    assert not turns.awaited()


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
    clock.now += 100 * LOST
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
    asking.set("203.0.113.9")
    turns.start(turns.join(4096))
    tabs = [turns.join(4096) for _ in range(TOKENS_EACH // 4096)]
    with pytest.raises(QueueFull) as crowded:
        turns.join(4096)
    assert crowded.value.own and (crowded.value.waiting, crowded.value.most) == (len(tabs), 0)
    asking.set("198.51.100.1")
    assert [turns.join(4096) for _ in range(2)]
    asking.set("203.0.113.9")
    turns.leave(tabs[0])
    assert turns.join(96)


@pytest.fixture(autouse=True)
def nobody_asks():
    token = asking.set(NOBODY)
    yield
    asking.reset(token)
