"""Threads that make one pass together: each does its share of a product, and waits where it needs what the others do.

Who waits within a pass looks on for some microseconds and then lets others run; between passes a thread sleeps. On a machine that is
busy elsewhere a pass is as slow as its slowest thread, so the page runs on half the cores (machine.py).
"""

import sys
import threading
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue

import numpy as np
from numba import types
from numba.extending import intrinsic

from .compiler import device_function

PATIENCE = 20_000  # looks at the barrier before others may run: some 20 µs
_LET_OTHERS = types.ExternalFunction("SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32())


@intrinsic
def _add(typing, numbers, i, value):
    """Add to a number that all threads see; return what it was."""

    def run(context, b, signature, args):
        at = b.gep(context.make_array(signature.args[0])(context, b, args[0]).data, [args[1]])
        return b.atomic_rmw("add", at, args[2], "seq_cst")

    return types.int64(numbers, types.int64, types.int64), run


@device_function
def barrier(state, team):
    """Wait until all `team` threads are here. `state` [2], zeros at first: how many are here, and how often they have met."""
    if team == 1:
        return
    met = _add(state, 1, 0)
    if _add(state, 0, 1) == team - 1:
        _add(state, 0, -team)
        _add(state, 1, 1)
        return
    looks = 0
    while _add(state, 1, 0) == met:
        looks += 1
        if looks > PATIENCE:
            _LET_OTHERS()


class ThreadTeam:
    """The calling thread and `size` − 1 others, which sleep while there is nothing to do."""

    def __init__(self, size: int):
        self.size, self.state = size, np.zeros(2, np.int64)
        self.work: list[SimpleQueue] = []
        for rank in range(1, size):
            self.work.append(SimpleQueue())
            threading.Thread(target=_serve, args=(rank, self.work[-1]), name=f"pass {rank}", daemon=True).start()

    def __call__(self, function: Callable, *args) -> None:
        """function(*args, rank, team, state) in all of them. `function` is compiled and does not raise."""
        for queue in self.work:
            queue.put((function, args, self.size, self.state))
        function(*args, 0, self.size, self.state)


def _serve(rank: int, queue: SimpleQueue) -> None:
    while True:
        function, args, size, state = queue.get()
        function(*args, rank, size, state)
        del function, args  # a run's caches are not ours to keep


@cache
def thread_team(size: int) -> ThreadTeam:
    """One team of a size a process: passes are made one after the other (machine.TIMED), as measuring asks."""
    return ThreadTeam(size)
