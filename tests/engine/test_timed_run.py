"""One run is timed at a time; what takes a moment goes before the next, and a long run gives way to it between two rounds."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from specviz.engine.machine import GIVE_WAY_SECONDS, TimedRunLock

from ..fakes import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lock(clock):
    return TimedRunLock(clock)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def waits(lock, count=1):
    """Until so many wait for a moment."""
    with lock._changed:
        assert lock._changed.wait_for(lambda: lock._moments == count, 10)


def moment(lock, seconds=10.0, act=lambda: None):
    with lock.moment(seconds) as free:
        act()
        return free


def notified(lock):
    """What waits tells of it, so that a test need not ask again and again."""
    before = lock._changed.wait_for

    def wait_for(predicate, timeout=None):
        lock._changed.notify_all()
        return before(predicate, timeout)

    lock._changed.wait_for = wait_for
    return lock


def test_a_long_run_gives_way_between_two_rounds_and_goes_on(lock, clock, pool):
    done = []
    with notified(lock):
        answer = pool.submit(moment, lock, act=lambda: done.append("moment"))
        waits(lock)
        lock.give_way()
        assert not done  # it has only begun: nobody's first seconds are cut
        clock.now += GIVE_WAY_SECONDS
        lock.give_way()
        assert done == ["moment"] and answer.result(10)
        assert not lock.acquire(0)  # it is held again


def test_between_a_run_that_gave_way_and_its_rest_no_other_run_begins(lock, clock, pool):
    order = []

    def another_run():
        with lock:
            order.append("run")

    with notified(lock):
        run = pool.submit(another_run)
        answers = [pool.submit(moment, lock, act=lambda: order.append("moment")) for _ in range(3)]
        waits(lock, 3)
        clock.now += GIVE_WAY_SECONDS
        lock.give_way()
        order.append("rest")
    run.result(10)
    assert order == ["moment"] * 3 + ["rest", "run"] and all(answer.result(10) for answer in answers)


def test_a_moment_goes_before_the_next_run(lock, pool):
    order, begun = [], threading.Event()

    def next_run():
        begun.set()
        with lock:
            order.append("run")

    with notified(lock):
        run = pool.submit(next_run)
        begun.wait(10)
        answer = pool.submit(moment, lock, act=lambda: order.append("moment"))
        waits(lock)
    assert answer.result(10) and run.result(10) is None and order == ["moment", "run"]


def test_who_waits_too_long_is_told_and_keeps_nobody(lock):
    with lock:
        assert not moment(lock, 0.01)
    assert lock.acquire(0) and not lock.acquire(0)
    lock.release()
