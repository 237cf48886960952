"""Threads that make one pass together: each does its share of a product, and waits where it needs what the others do.

They wait in compiled code, without Python's lock. Whoever calls a pass opens it; whoever looks on joins, and then it is closed: a thread
that is late or gone has no share of it, which costs time and changes no bit. Between passes a thread looks on for about as long as a round
has between two passes; then it sleeps in the system until a pass is opened.
"""

import atexit
import os
import platform
import sys
import threading
from functools import cache

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compiler import ALONE, compiled, device_function

# looks, of 10 to 50 ns each, after which a pass begins without those who have not joined: the system takes some 50 µs to wake a thread;
# the second where nobody slept, and nobody joined the last pass
LATE, LATE_AGAIN = 8_000, 100
PATIENCE = 2_000  # looks before others may run
YIELDS = 15_000  # looks after that, of .2 to .3 µs each, before a thread sleeps
# what all threads see, as places in one array; what different threads write lies 128 bytes apart
JOB, ENTRY, BLOCK, MOST, LATELY = range(5)  # LATELY: whether somebody joined the last pass
HERE, MET, LEFT, ASLEEP, CLOSING, BUSY = range(16, 112, 16)
PLACES = 112
# JOB: how many passes were opened, whether the last is closed, how many have joined it
COUNT, CLOSED, OPENED = (1 << 15) - 1, 1 << 15, 16
WAIT, WAKE = 128, 129  # futex(2), within a process
_CALLS = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
FUTEX = _CALLS.get(platform.machine(), 0) if sys.platform == "linux" and sys.byteorder == "little" else 0  # its number, or 0
_LET_OTHERS = types.ExternalFunction("SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32())
_SYSCALL = types.ExternalFunction("syscall", types.int64(*[types.int64] * 7))
_L, _BYTE = ir.IntType(64), ir.IntType(8).as_pointer()
_ENTRY = ir.FunctionType(ir.VoidType(), [_BYTE, _L, _L])
_PAUSE = {"x86_64": "llvm.x86.sse2.pause", "AMD64": "llvm.x86.sse2.pause"}.get(platform.machine())


def _place(context, b, signature, args):
    return b.gep(context.make_array(signature.args[0])(context, b, args[0]).data, [args[1]])


@intrinsic
def _load(typing, places, i):
    """What others have written there, and all that they had written before."""

    def run(context, b, signature, args):
        return b.load_atomic(_place(context, b, signature, args), "seq_cst", 8)

    return types.int64(places, types.int64), run


@intrinsic
def _store(typing, places, i, value):
    def run(context, b, signature, args):
        b.atomic_rmw("xchg", _place(context, b, signature, args), args[2], "seq_cst")
        return context.get_dummy_value()

    return types.void(places, types.int64, types.int64), run


@intrinsic
def _add(typing, places, i, value):
    """Add; what it was."""

    def run(context, b, signature, args):
        return b.atomic_rmw("add", _place(context, b, signature, args), args[2], "seq_cst")

    return types.int64(places, types.int64, types.int64), run


@intrinsic
def _swap(typing, places, i, old, new):
    """Write `new` if it is `old`; whether it was."""

    def run(context, b, signature, args):
        found = b.cmpxchg(_place(context, b, signature, args), args[2], args[3], "seq_cst")
        return b.extract_value(found, 1)

    return types.boolean(places, types.int64, types.int64, types.int64), run


@intrinsic
def _address(typing, places, i):
    def run(context, b, signature, args):
        return b.ptrtoint(_place(context, b, signature, args), _L)

    return types.int64(places, types.int64), run


@intrinsic
def _relax(typing):
    """Tell the processor that this thread only looks."""

    def run(context, b, signature, args):
        if _PAUSE:
            b.call(cgutils.get_or_insert_function(b.module, ir.FunctionType(ir.VoidType(), []), _PAUSE), [])
        return context.get_dummy_value()

    return types.void(), run


@intrinsic
def this_call(typing):
    """Addresses of an entry into the function that this stands in, and of what that was called with: by both, `_enter` calls it again with
    another `rank` and `team`, as long as it has not returned."""

    def run(context, b, signature, args):
        if ALONE:
            return context.make_tuple(b, signature.return_type, [_L(0)] * 2)
        function, kinds = b.function, [each.type for each in b.function.args]
        block = cgutils.alloca_once(b, ir.LiteralStructType(kinds))
        entry = ir.Function(b.module, _ENTRY, b.module.get_unique_name("entry"))
        entry.linkage = "internal"
        e, given = ir.IRBuilder(entry.append_basic_block()), []
        held = e.bitcast(entry.args[0], block.type)
        own = {"arg.rank": entry.args[1], "arg.team": entry.args[2]}
        for i, each in enumerate(function.args):
            b.store(each, cgutils.gep_inbounds(b, block, 0, i))
            if i < 2:  # where results and errors go: there are none
                given.append(cgutils.alloca_once_value(e, ir.Constant(each.type.pointee, None)))
            else:
                given.append(own.get(each.name) or e.load(cgutils.gep_inbounds(e, held, 0, i)))
        e.call(function, given)
        e.ret_void()
        return context.make_tuple(b, signature.return_type, [b.ptrtoint(entry, _L), b.ptrtoint(block, _L)])

    return types.UniTuple(types.int64, 2)(), run


@intrinsic
def _enter(typing, entry, block, rank, team):
    def run(context, b, signature, args):
        entry, block, rank, team = args
        b.call(b.inttoptr(entry, _ENTRY.as_pointer()), [b.inttoptr(block, _BYTE), rank, team])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), run


@device_function
def _wait(state, place, value):
    """Until it is no longer `value`; what it is then."""
    looks, found = 0, _load(state, place)
    while found == value:
        _relax()
        looks += 1
        if looks > PATIENCE:
            _LET_OTHERS()
        found = _load(state, place)
    return found


@device_function
def _met(state, team):
    met = _load(state, MET)
    if _add(state, HERE, 1) == team - 1:
        _store(state, HERE, 0)
        _add(state, MET, 1)
    else:
        _wait(state, MET, met)


@device_function
def barrier(state, team):
    """Wait until all `team` threads are here."""
    if not ALONE and team > 1:
        _met(state, team)


@device_function
def patience(asleep, lately):
    """Looks after which a pass begins without those who have not joined: who was woken for it needs some time, whatever the last pass saw."""
    return LATE if asleep or lately else LATE_AGAIN


@device_function
def gather(state, most, call):
    """Open a pass, `this_call`, to `most` threads with the one that asks; how many there are in it, who hold the ranks from 0 on."""
    if ALONE or not _swap(state, BUSY, 0, 1):  # another pass has them
        return 1
    state[ENTRY], state[BLOCK], state[MOST] = call[0], call[1], most
    _store(state, JOB, ((_load(state, JOB) >> OPENED) + 1 << OPENED) + 1)
    looks, asleep = 0, _load(state, ASLEEP)
    if asleep:
        _wake(state)
    enough = patience(asleep, state[LATELY])
    while _load(state, JOB) & COUNT < most and looks < enough:
        _relax()
        looks += 1
    team = _add(state, JOB, CLOSED) & COUNT
    state[LATELY] = team > 1
    if team == 1:
        _store(state, BUSY, 0)
    return team


@device_function
def disband(state, team):
    """The pass is over once everybody has left it."""
    if not ALONE:
        looks = 0
        while _load(state, LEFT) < team - 1:
            _relax()
            looks += 1
            if looks > PATIENCE:
                _LET_OTHERS()
        _store(state, LEFT, 0)
        _store(state, BUSY, 0)


if FUTEX and not ALONE:

    @device_function
    def _sleep(state, value):
        """Unless JOB is no longer `value`, until `_wake`. The system compares the lower half of it."""
        _SYSCALL(FUTEX, _address(state, JOB), WAIT, value & 0xFFFFFFFF, 0, 0, 0)

    @device_function
    def _wake(state):
        _SYSCALL(FUTEX, _address(state, JOB), WAKE, COUNT, 0, 0, 0)

else:

    @device_function
    def _sleep(state, value):
        pass

    @device_function
    def _wake(state):
        pass


@compiled
def serve(state, returns):
    """Take part in passes. `returns`: rather than sleep here, which is up to the caller then: true. False once the team is closed."""
    seen = _load(state, JOB)
    while True:
        looks, job = 0, _load(state, JOB)
        while job >> OPENED == seen >> OPENED or job & CLOSED:
            if _load(state, CLOSING):
                return False
            _relax()
            looks += 1
            if looks > PATIENCE:
                _LET_OTHERS()
            if looks > PATIENCE + YIELDS:
                if returns:
                    return True
                _add(state, ASLEEP, 1)
                if _load(state, JOB) == job and not _load(state, CLOSING):
                    _sleep(state, job)
                _add(state, ASLEEP, -1)
                looks = 0
            job = _load(state, JOB)
        rank = job & COUNT
        if rank >= state[MOST]:
            seen = job
        elif _swap(state, JOB, job, job + 1):
            seen, looks = job, 0
            while not job & CLOSED:
                _relax()
                looks += 1
                if looks > PATIENCE:
                    _LET_OTHERS()
                job = _load(state, JOB)
            _enter(state[ENTRY], state[BLOCK], rank, job & COUNT)
            _add(state, LEFT, 1)


def compile_serve(returns: bool) -> None:
    """Now, on a closed team, that returns at once."""
    closed = np.zeros(PLACES, np.int64)
    closed[CLOSING] = 1
    serve(closed, returns)


@compiled
def close(state):
    """Let all threads that serve return."""
    _store(state, CLOSING, 1)
    _wake(state)


class ThreadTeam:
    """The calling thread and `size` − 1 others. `futex`: those sleep in the system; else by a lock of Python, where there is no such call."""

    def __init__(self, size: int, futex: bool = bool(FUTEX)):
        self.size, self.futex = size, futex
        self.process = 0
        self.threads: list[threading.Thread] = []

    def ready(self) -> np.ndarray:
        """What a pass hands to `gather`; the threads are there, as far as the system lets them."""
        if self.process != os.getpid():  # a fork has no other threads
            self._start()
        if not self.futex and self.state[ASLEEP]:
            for _ in self.threads:
                self.bell.release()
        return self.state

    def _start(self) -> None:
        self.process, self.state, self.bell = os.getpid(), np.zeros(PLACES, np.int64), threading.Semaphore(0)
        self.threads = []
        # compiled here: threads that compiled what they run would miss the passes by which the number of those that help is measured
        compile_serve(not self.futex)
        for rank in range(1, self.size):
            thread = threading.Thread(target=self._serve, args=(self.state, self.bell), name=f"pass {rank}", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more are allowed here: a pass has fewer
                break
            self.threads.append(thread)
        if self.threads:
            atexit.register(self.stop)  # before what they run is taken from memory

    def _serve(self, state: np.ndarray, bell: threading.Semaphore) -> None:
        while serve(state, not self.futex):
            state[ASLEEP] += 1  # under Python's lock, as all who write it here
            bell.acquire()
            state[ASLEEP] -= 1

    def stop(self) -> None:
        """The threads end; a pass after this is made by the calling thread."""
        if self.process == os.getpid():
            close(self.state)
            for _ in self.threads:
                self.bell.release()
            for thread in self.threads:
                thread.join(1.0)
        atexit.unregister(self.stop)


@cache
def thread_team(size: int) -> ThreadTeam:
    """One team of a size a process: passes are made one after the other (machine.TIMED), as measuring asks."""
    return ThreadTeam(size)
