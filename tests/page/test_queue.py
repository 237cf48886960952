"""Turns go round by address; whoever waits knows the place and the time; every run ends in its time."""

import asyncio
from contextlib import suppress
from itertools import groupby

import pytest

from specviz.page import queue as module
from specviz.page.queue import LONG_WAIT, RETURN_SECONDS, WAITING, WAITING_EACH, QueueFull, QueuePlace, RunQueue

from .. import loop
from ..fakes import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(clock):
    return RunQueue(clock)


def served(queue: RunQueue, runs) -> list[str]:
    """The sessions of `runs`, in the order in which they decode."""
    order = []
    while left := [run for run in runs if run.begun and run.session not in order]:
        order.append(left[0].session)
        queue.remove(left[0])
    return order


def join(queue: RunQueue, *names: str):
    """A run for each name: the first letter is the address."""
    return [queue.join(name, name[0]) for name in names]


def test_the_first_runs_at_once_and_the_others_are_told_the_place_in_which_they_are_served(queue, clock):
    first, second, third = join(queue, "a1", "b1", "c1")
    assert first.begun and not second.begun and queue.place(first) is None
    assert (queue.place(second), queue.place(third)) == (QueuePlace(1, None), QueuePlace(2, None))
    clock.now += 5
    queue.remove(first)
    assert second.begun and queue.place(third) == QueuePlace(1, 5.0)
    for run in (second, third):
        queue.remove(run)
    runs = join(queue, "a0", "a1", "a2", "b0", "b1", "c0", "a3")
    order = [run.session for run in sorted(runs[1:], key=lambda run: queue.place(run).before)]
    assert ["a0", *order] == served(queue, runs)


def test_turns_go_round_by_address_and_no_one_has_two_while_another_waits(queue):
    runs = join(queue, *(f"a{n}" for n in range(5)), *(f"b{n}" for n in range(3)), "c0")
    assert [queue.place(run).before for run in (runs[5], runs[8])] == [1, 2]  # however many tabs the first has
    assert served(queue, runs) == ["a0", "b0", "c0", "a1", "b1", "a2", "b2", "a3", "a4"]


def test_the_sessions_of_an_address_take_turns(queue):
    program = [queue.join("program", "a", several=True) for _ in range(4)]
    pupil = queue.join("pupil", "a")
    order = []
    runs = [*program, pupil]
    while running := [run for run in runs if run.begun and run not in order]:
        order += running
        queue.remove(running[0])
    assert [run.session for run in order] == ["program", "pupil", "program", "program", "program"]


def test_a_class_behind_one_address_waits_whole_the_one_too_many_is_told_why_and_there_is_a_bound_for_all(queue):
    for n in range(WAITING_EACH + 1):  # the first decodes
        queue.join(f"pupil{n}", "school")
    assert WAITING_EACH >= 40
    with pytest.raises(QueueFull) as full:
        queue.join("one more", "school")
    assert (full.value.scope, full.value.waiting) == ("address", WAITING_EACH)
    for n in range(WAITING_EACH):  # two such addresses keep no third one out
        queue.join(f"tab{n}", "flood")
    for n in range(max(1, WAITING - 2 * WAITING_EACH)):
        queue.join(f"stranger{n}", f"elsewhere {n}")
    for address in "another", "elsewhere 0":
        with pytest.raises(QueueFull) as full:
            queue.join("one more", address)
        assert full.value.scope == "all"


def test_a_session_has_one_run_whatever_it_presses_and_a_turn_ends_however_it_goes(queue):
    watch = queue.join("session", "a", "run")
    with pytest.raises(QueueFull) as full:
        queue.join("session", "a", "luck")
    assert full.value.scope == "session"
    queue.remove(watch)
    with queue.join("session", "a", "luck") as again:
        assert again.begun
    with suppress(ZeroDivisionError), queue.join("s", "a"):
        raise ZeroDivisionError
    assert queue.counts() == (0, 0)


def test_the_wait_is_what_the_last_runs_of_its_kind_took_less_what_the_one_under_way_has_taken(queue, clock):
    for kind, seconds in (("run", 4), ("luck", 60), ("run", 10), ("run", 90)):
        with queue.join("s", "a", kind):
            clock.now += seconds
    under_way, luck, last = queue.join("s", "a", "run"), queue.join("t", "b", "luck"), queue.join("u", "c", "run")
    assert queue.place(luck) == QueuePlace(1, 10.0)  # the median of three runs
    clock.now += 3
    assert queue.place(last) == QueuePlace(2, 7.0 + 60.0)
    clock.now += 60
    assert queue.place(luck) == QueuePlace(1, 0.0)  # longer than thought: no wait below none
    queue.remove(under_way)


def test_the_wait_follows_the_run_under_way_which_may_be_the_first_and_the_last_ones(queue, clock):
    first, second, third = join(queue, "a", "b", "c")
    clock.now += 2
    assert queue.place(third) == QueuePlace(2, None)
    first.expect(10.0)
    assert queue.place(second) == QueuePlace(1, 10.0) and queue.place(third) == QueuePlace(2, 10.0 + 12.0)
    queue.remove(first)  # it was stopped
    for run in (second, third):
        clock.now += 30
        queue.remove(run)
    join(queue, "d", "e", "f")
    last = queue.join("g", "g")
    assert queue.place(last) == QueuePlace(3, 90.0)  # of 2, 30 and 30 seconds
    clock.now += 40
    assert queue.place(last) == QueuePlace(3, 0.0 + 2 * 40.0)


def test_an_end_that_stays_where_it_was_is_not_told_again(queue, clock, monkeypatch):
    monkeypatch.setattr("specviz.page.queue.PLACE_SECONDS", 0.001)

    async def run():
        first, second = join(queue, "a", "b")
        first.expect(20.0)
        waits = asyncio.create_task(places(second))
        for left in (30.0, 20.0):
            for _ in range(5):  # seconds of which each is looked at
                await asyncio.sleep(0.005)
                clock.now += 1
            first.expect(left)
        await asyncio.sleep(0.005)
        queue.remove(first)
        return await asyncio.wait_for(waits, 0.5)

    assert len(loop.run(run())) == 3  # at first, and when it moved


def test_whoever_left_is_not_waited_for(queue):
    here = {"a": True, "b": True}
    first = queue.join("a", "a", here=lambda: here["a"])
    gone, last = queue.join("b", "b", here=lambda: here["b"]), queue.join("c", "c")
    here["b"] = False
    assert queue.place(last) == QueuePlace(1, None) and queue.counts() == (1, 1)
    here["a"] = False  # its run ends at the next round: who loaded the page again is alone
    assert queue.place(last) is None
    here["a"] = True
    first.stop()
    assert queue.place(last) is None
    queue.remove(first)
    assert last.begun and not gone.begun and gone.reason == "left"


def test_a_run_whose_page_may_return_goes_on_until_somebody_waits_and_is_that_of_the_page_that_comes_back(queue, clock):
    run = queue.join("before", "a")
    run.may_return = True
    queue.leave("before")
    assert run.left is not None and not run.is_over()
    run.return_to("after")
    queue.leave("before")  # the server notices late
    other = queue.join("other", "b")
    assert queue.place(other) == QueuePlace(1, None) and not run.is_over()
    queue.leave("after")
    assert queue.place(other) is None and not run.is_over()  # a page that is loaded again takes a moment
    clock.now += RETURN_SECONDS
    assert run.is_over() and run.reason == "left"


def test_a_run_ends_by_stop_by_a_closed_page_by_its_time_and_when_the_server_closes(clock):
    queue, here = RunQueue(clock, longest=20), {"page": True}
    with queue.join("s", "a") as run:
        assert not run.is_over()
        queue.stop("s")
        assert run.is_over() and run.reason == "stopped"
    with queue.join("s", "a", here=lambda: here["page"]) as run:
        here["page"] = False
        assert run.is_over() and run.reason == "left"
    with queue.join("s", "a") as run:
        clock.now += 100  # models are fetched, say
        assert not run.is_over()
        clock.now += 19
        assert not run.is_over()
        clock.now += 1
        assert run.is_over() and run.reason == "late"
    with queue.join("s", "a") as run:
        queue.close(0)
        assert run.is_over() and run.reason == "closing"
    queue = RunQueue(clock)  # where nobody else is there is no bound
    with queue.join("s", "a") as run:
        run.is_over()
        clock.now += 1e6
        assert not run.is_over()
    assert queue.counts() == (0, 0) and queue.close(0)


def test_a_run_that_is_waited_for_or_has_waited_long_is_not_repeated(queue, clock):
    first, second = join(queue, "a", "b")
    assert first.awaited()
    clock.now += LONG_WAIT + 1
    queue.remove(first)
    assert second.begun and second.awaited()  # those of its class wait, too, though they have not pressed
    queue.remove(second)
    assert not join(queue, "c")[0].awaited()


def places(run):
    async def wait():
        return [place async for place in run.wait()]

    return wait()


def test_whoever_waits_is_told_each_place_once_and_begins_as_soon_as_the_turn_comes(queue):
    async def run():
        first, second, third = join(queue, "a", "b", "c")
        assert await places(first) == [] and first.begun  # who is alone is told of none
        waits = asyncio.create_task(places(third))
        await asyncio.sleep(0)
        await asyncio.to_thread(queue.remove, first)  # as a run that ends in another thread
        await asyncio.sleep(0.05)
        queue.remove(second)
        return [place.before for place in await asyncio.wait_for(waits, 0.5)], third.begun

    told, begun = loop.run(run())
    assert begun and [before for before, _ in groupby(told)] == told and told[0] == 2


def test_stop_ends_the_wait_at_once(queue):
    async def run():
        _, second = join(queue, "a", "b")
        waits = asyncio.create_task(places(second))
        await asyncio.sleep(0)
        queue.stop("b")
        await asyncio.wait_for(waits, 0.5)
        return second.begun, second.reason

    assert loop.run(run()) == (False, "stopped")


def test_who_closes_the_page_without_a_word_waits_for_a_moment_only(queue, monkeypatch):
    join(queue, "a", "b")
    assert queue.counts() == (1, 1)
    monkeypatch.setattr(module, "GRACE_SECONDS", -1.0)
    assert queue.counts()[0] == 0


def test_what_a_hand_asks_is_answered_in_order_and_by_one_thread(queue):
    async def run():
        order = []
        await asyncio.gather(*(queue.at_once(lambda n=n: order.append(n)) for n in range(30)))
        return order

    assert loop.run(run()) == list(range(30))
