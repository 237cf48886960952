"""The threads of a pass: who is there takes part, who is late or gone costs time; each number is what one thread makes."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from specviz.engine import machine
from specviz.engine.backends import compiled
from specviz.engine.compiled import threads as code
from specviz.engine.compiled.threads import ARRIVED, BUSY, CLOSED_BIT, COUNT_BITS, DEPARTED, JOB, SLEEPING, ThreadTeam
from specviz.engine.models.llama import Llama

from ... import tiny
from ...products import every
from ...tiny import hf, some_ids

IDS = some_ids(12)
WAIT = 60.0  # seconds, on a busy machine, for what takes a millisecond


@pytest.fixture(scope="module")
def ours() -> Llama:
    return tiny.own(hf("llama"))


@pytest.fixture
def team(monkeypatch):
    """Makes a stack's team of some size; the threads end with the test."""
    teams = []

    def make(size: int, futex: bool = bool(code.FUTEX)) -> ThreadTeam:
        teams.append(ThreadTeam(size, futex))
        monkeypatch.setattr(compiled, "best_thread_count", lambda *_: size)
        monkeypatch.setattr(compiled, "thread_team", lambda _: teams[-1])
        return teams[-1]

    yield make
    for each in teams:
        each.stop()
        assert not any(thread.is_alive() for thread in each.threads)


def alone(ours: Llama) -> np.ndarray:
    return compiled.CompiledStack(ours.layers, ours.shape, ours.rope, 32, threads=1).logits(ours.step, IDS, len(IDS), {})


def passed(ours: Llama) -> np.ndarray:
    return ours.sequence(32).append(IDS)


def joined(team: ThreadTeam) -> int:
    """How many made the latest pass."""
    job = int(team.state[JOB])
    assert job & CLOSED_BIT
    return job & COUNT_BITS


def until(true) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.0005)


def at_rest(team: ThreadTeam) -> bool:
    return not any(team.state[place] for place in (ARRIVED, DEPARTED, BUSY))


FUTEX = [False, *([True] if code.FUTEX else [])]


@every(together=1, futex=FUTEX, size=[2, 3])
def test_threads_join_a_pass_and_come_back_after_they_slept(ours, team, futex, size):
    ours_alone, several = alone(ours), team(size, futex)
    several.running_state()

    def together() -> bool:
        assert np.array_equal(passed(ours), ours_alone) and at_rest(several)
        return joined(several) == size

    until(together)
    until(lambda: several.state[SLEEPING] == size - 1)  # nobody looks on for long
    until(together)


def test_a_pass_waits_for_threads_that_it_woke_though_the_last_pass_waited_in_vain():
    join_spins = code.join_spins
    spins = numba.njit(lambda asleep, had_help: join_spins(asleep, had_help))
    assert spins(0, 0) == code.JOIN_SPINS_ALONE < code.JOIN_SPINS == spins(1, 0) == spins(0, 1)


def test_a_pass_goes_on_without_threads_that_were_never_started_or_have_ended(ours, team, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    expected, several = alone(ours), team(3)
    with monkeypatch.context() as no_more:
        no_more.setattr(threading.Thread, "start", refuse)
        assert np.array_equal(passed(ours), expected) and joined(several) == 1 and several.threads == []
    several = team(3)
    several.running_state()
    several.stop()
    assert np.array_equal(passed(ours), expected) and joined(several) == 1 and at_rest(several)


def test_a_pass_that_finds_the_team_at_work_is_made_alone(ours, team):
    expected, several = alone(ours), team(2)
    several.running_state()[BUSY] = 1
    assert np.array_equal(passed(ours), expected) and several.state[JOB] == 0
    several.state[BUSY] = 0


def test_many_callers_at_once_get_the_bits_of_one(ours, team):
    expected, wrong = alone(ours), []
    team(2).running_state()

    def call():
        wrong.extend(1 for _ in range(20) if not np.array_equal(passed(ours), expected))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join(WAIT)
        assert not each.is_alive()
    assert not wrong


def test_more_threads_than_processors_make_the_same_bits(ours, team):
    expected, several = alone(ours), team(2 * (os.cpu_count() or 1) + 1)
    several.running_state()
    for _ in range(50):
        assert np.array_equal(passed(ours), expected)


def test_only_as_many_join_as_a_pass_asks_for(ours, team):
    several = team(4)
    stack = compiled.CompiledStack(ours.layers, ours.shape, ours.rope, 32, threads=2)
    for _ in range(50):
        stack.logits(ours.step, IDS, 1, {})
        stack.rollback(0)
        assert joined(several) <= 2


def test_how_many_threads_help_is_measured_once_for_a_shape(ours, monkeypatch):
    calls = []

    def seconds(stack, x, layers, head):
        calls.append(stack.threads)
        first = len(calls) <= 3  # which warms up
        return {1: 1.0, 2: 0.6, 3: 0.1 if first else 0.59}[stack.threads]

    monkeypatch.setattr(compiled, "ONE_THREAD_BYTES", 0)
    monkeypatch.setattr(compiled, "_thread_counts", {})
    monkeypatch.setattr(compiled, "_seconds", seconds)
    monkeypatch.setattr(machine, "threads", lambda: 3)
    for _ in range(2):  # 3 threads gain less than they must
        assert compiled.best_thread_count(ours.layers, ours.shape, ours.rope) == 2
    assert sorted(set(calls)) == [1, 2, 3] and len(calls) == 3 * (1 + compiled.TRIALS)


def test_the_head_is_part_of_the_passes_by_which_it_is_measured(ours, monkeypatch):
    heads = []
    monkeypatch.setattr(compiled, "ONE_THREAD_BYTES", 0)
    monkeypatch.setattr(compiled, "_thread_counts", {})
    monkeypatch.setattr(compiled, "_seconds", lambda stack, x, layers, head: heads.append(head) or 1.0)
    monkeypatch.setattr(machine, "threads", lambda: 2)
    ours.sequence(32)
    assert heads and all(head is ours.step.head.exit for head in heads)


FORK = """
import os, sys, time
import numpy as np
from specviz.engine.backends import compiled
from tests import tiny
from tests.tiny import hf, some_ids
compiled.best_thread_count = lambda *_: 2
ours, ids = tiny.own(hf("llama")), some_ids(12)
expected = ours.sequence(32).append(ids)
child = os.fork()
same = np.array_equal(ours.sequence(32).append(ids), expected)
if child:
    same &= os.waitpid(child, 0)[1] == 0
    sys.exit(0 if same else 1)
os._exit(0 if same else 1)
"""


@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_makes_passes_of_its_own_and_both_processes_end():
    done = subprocess.run([sys.executable, "-c", FORK], cwd=Path(__file__).parents[3], timeout=120)
    assert done.returncode == 0


def test_numbers_of_a_pass_lie_apart_for_threads_that_write_them():
    places = np.array([JOB, ARRIVED, code.GENERATION, DEPARTED, SLEEPING, code.CLOSING, BUSY])
    assert (np.diff(np.sort(places)) * 8 >= 128).all() and places.max() < code.STATE_SIZE


def test_what_threads_run_is_compiled_before_they_start(monkeypatch):
    """Threads that compile it themselves miss the passes by which the number of those that help is measured."""
    callers, real = [], code.serve_passes
    monkeypatch.setattr(code, "serve_passes", lambda *arguments: callers.append(threading.current_thread()) or real(*arguments))
    team = ThreadTeam(2)
    team.running_state()
    assert callers[0] is threading.current_thread() and team.threads[0].is_alive()
    team.stop()
    assert not team.threads[0].is_alive()
