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

from .compiler import IN_BROWSER, compiled, device_function

# spins, of 10 to 50 ns each, after which a pass begins without those who have not joined: the system takes some 50 µs to wake a thread;
# the second where nobody slept, and nobody joined the last pass. In a browser a spin takes .4 ns, and who wakes 100 µs or more
JOIN_SPINS, JOIN_SPINS_ALONE = 1_000_000 if IN_BROWSER else 8_000, 100
SPINS = 100_000 if IN_BROWSER else 2_000  # before others may run
YIELDS_BEFORE_SLEEP = 2_000_000 if IN_BROWSER else 15_000  # after that, of .2 to .3 µs each; in a browser more spins
# what all threads see, as slots of one array; what different threads write lies 128 bytes apart
JOB, ENTRY, BLOCK, TEAM_LIMIT, HAD_HELP = range(5)  # HAD_HELP: whether another thread joined the last pass
ARRIVED, GENERATION, DEPARTED, SLEEPING, CLOSING, BUSY = range(16, 112, 16)
STATE_SIZE = 112
# JOB: how many passes were opened, whether the last is closed, how many have joined it
COUNT_BITS, CLOSED_BIT, PASS_SHIFT = (1 << 15) - 1, 1 << 15, 16
WAIT, WAKE = 128, 129  # futex(2), within a process
_CALLS = {"x86_64": 202, "aarch64": 98, "riscv64": 98}
FUTEX = _CALLS.get(platform.machine(), 0) if sys.platform == "linux" and sys.byteorder == "little" else 0  # its number, or 0
_YIELD = types.ExternalFunction("SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32())
_SYSCALL = types.ExternalFunction("syscall", types.int64(*[types.int64] * 7))
_L, _BYTE = ir.IntType(64), ir.IntType(8).as_pointer()
_ENTRY = ir.FunctionType(ir.VoidType(), [_BYTE, _L, _L])
_PAUSE = {"x86_64": "llvm.x86.sse2.pause", "AMD64": "llvm.x86.sse2.pause"}.get("" if IN_BROWSER else platform.machine())


def _slot(context, b, signature, args):
    return b.gep(context.make_array(signature.args[0])(context, b, args[0]).data, [args[1]])


@intrinsic
def _load(typing, state, i):
    """What others have written there, and all that they had written before."""

    def run(context, b, signature, args):
        return b.load_atomic(_slot(context, b, signature, args), "seq_cst", 8)

    return types.int64(state, types.int64), run


@intrinsic
def _store(typing, state, i, value):
    def run(context, b, signature, args):
        b.atomic_rmw("xchg", _slot(context, b, signature, args), args[2], "seq_cst")
        return context.get_dummy_value()

    return types.void(state, types.int64, types.int64), run


@intrinsic
def _add(typing, state, i, value):
    """Add; what it was."""

    def run(context, b, signature, args):
        return b.atomic_rmw("add", _slot(context, b, signature, args), args[2], "seq_cst")

    return types.int64(state, types.int64, types.int64), run


@intrinsic
def _swap(typing, state, i, old, new):
    """Write `new` if it is `old`; whether it was."""

    def run(context, b, signature, args):
        exchange = b.cmpxchg(_slot(context, b, signature, args), args[2], args[3], "seq_cst")
        return b.extract_value(exchange, 1)

    return types.boolean(state, types.int64, types.int64, types.int64), run


@intrinsic
def _address(typing, state, i):
    def run(context, b, signature, args):
        return b.ptrtoint(_slot(context, b, signature, args), _L)

    return types.int64(state, types.int64), run


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
        function, types_ = b.function, [each.type for each in b.function.args]
        block = cgutils.alloca_once(b, ir.LiteralStructType(types_))
        entry = ir.Function(b.module, _ENTRY, b.module.get_unique_name("entry"))
        entry.linkage = "internal"
        e, arguments = ir.IRBuilder(entry.append_basic_block()), []
        stored = e.bitcast(entry.args[0], block.type)
        own = {"arg.rank": entry.args[1], "arg.team": entry.args[2]}
        for i, each in enumerate(function.args):
            b.store(each, cgutils.gep_inbounds(b, block, 0, i))
            if i < 2:  # where results and errors go: there are none
                arguments.append(cgutils.alloca_once_value(e, ir.Constant(each.type.pointee, None)))
            else:
                arguments.append(own.get(each.name) or e.load(cgutils.gep_inbounds(e, stored, 0, i)))
        e.call(function, arguments)
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


if FUTEX:

    @device_function
    def _sleep(state, slot, value):
        """Unless it is no longer `value`, until `_wake`. The system compares the lower half of it."""
        _SYSCALL(FUTEX, _address(state, slot), WAIT, value & 0xFFFFFFFF, 0, 0, 0)

    @device_function
    def _wake(state, slot):
        _SYSCALL(FUTEX, _address(state, slot), WAKE, COUNT_BITS, 0, 0, 0)

else:

    @device_function
    def _sleep(state, slot, value):
        pass

    @device_function
    def _wake(state, slot):
        pass


@device_function
def _let_others_run(state, slot, value):
    """While it is `value`. A browser has nothing for it but to sleep, until `_changed`."""
    if IN_BROWSER:
        _sleep(state, slot, value)
    else:
        _YIELD()


@device_function
def _changed(state, slot):
    if IN_BROWSER:
        _wake(state, slot)


@device_function
def _wait_for_change(state, slot, value):
    """Until it is no longer `value`; what it is then."""
    spins, current = 0, _load(state, slot)
    while current == value:
        _relax()
        spins += 1
        if spins > SPINS:
            _let_others_run(state, slot, value)
        current = _load(state, slot)
    return current


@device_function
def _arrive(state, team):
    generation = _load(state, GENERATION)
    if _add(state, ARRIVED, 1) == team - 1:
        _store(state, ARRIVED, 0)
        _add(state, GENERATION, 1)
        _changed(state, GENERATION)
    else:
        _wait_for_change(state, GENERATION, generation)


@device_function
def barrier(state, team):
    """Wait until all `team` threads are here."""
    if team > 1:
        _arrive(state, team)


@device_function
def join_spins(sleepers, had_help):
    """Spins after which a pass begins without those who have not joined: who was woken for it needs some time, whatever the last
    pass saw."""
    return JOIN_SPINS if sleepers or had_help else JOIN_SPINS_ALONE


@device_function
def open_pass(state, team_limit, call):
    """Open a pass, `this_call`, to `team_limit` threads with the one that asks; how many there are in it, who hold the ranks from 0 on."""
    if not _swap(state, BUSY, 0, 1):  # another pass has them
        return 1
    state[ENTRY], state[BLOCK], state[TEAM_LIMIT] = call[0], call[1], team_limit
    _store(state, JOB, ((_load(state, JOB) >> PASS_SHIFT) + 1 << PASS_SHIFT) + 1)
    spins, sleepers = 0, _load(state, SLEEPING)
    if sleepers:
        _wake(state, JOB)
    limit = join_spins(sleepers, state[HAD_HELP])
    while _load(state, JOB) & COUNT_BITS < team_limit and spins < limit:
        _relax()
        spins += 1
    team = _add(state, JOB, CLOSED_BIT) & COUNT_BITS
    _changed(state, JOB)
    state[HAD_HELP] = team > 1
    if team == 1:
        _store(state, BUSY, 0)
    return team


@device_function
def close_pass(state, team):
    """The pass is over once everybody has left it."""
    departed = 0
    while departed < team - 1:
        departed = _wait_for_change(state, DEPARTED, departed)
    _store(state, DEPARTED, 0)
    _store(state, BUSY, 0)


@compiled
def serve_passes(state, return_to_sleep):
    """Take part in passes. `return_to_sleep`: rather than sleep here, which is up to the caller then: true. False once the team
    is closed."""
    last_job = _load(state, JOB)
    while True:
        spins, job = 0, _load(state, JOB)
        while job >> PASS_SHIFT == last_job >> PASS_SHIFT or job & CLOSED_BIT:
            if _load(state, CLOSING):
                return False
            _relax()
            spins += 1
            if spins > SPINS and not IN_BROWSER:
                _YIELD()
            if spins > SPINS + YIELDS_BEFORE_SLEEP:
                if return_to_sleep:
                    return True
                _add(state, SLEEPING, 1)
                if _load(state, JOB) == job and not _load(state, CLOSING):
                    _sleep(state, JOB, job)
                _add(state, SLEEPING, -1)
                spins = 0
            job = _load(state, JOB)
        rank = job & COUNT_BITS
        if rank >= state[TEAM_LIMIT]:
            last_job = job
        elif _swap(state, JOB, job, job + 1):
            last_job = job = job + 1
            while not job & CLOSED_BIT:
                job = _wait_for_change(state, JOB, job)
            _enter(state[ENTRY], state[BLOCK], rank, job & COUNT_BITS)
            _add(state, DEPARTED, 1)
            _changed(state, DEPARTED)


def compile_serve_passes(return_to_sleep: bool) -> None:
    """Now, on a closed team, that returns at once; so what closes one is compiled, too."""
    state = np.zeros(STATE_SIZE, np.int64)
    shut_down(state)
    serve_passes(state, return_to_sleep)


@compiled
def shut_down(state):
    """Let all threads that serve return."""
    _store(state, CLOSING, 1)
    _wake(state, JOB)


class ThreadTeam:
    """The calling thread and `size` − 1 others. `futex`: those sleep in the system; else by a lock of Python, where there is no
    such call."""

    def __init__(self, size: int, futex: bool = bool(FUTEX)):
        self.size, self.futex = size, futex
        self.process = 0
        self.threads: list[threading.Thread] = []

    def running_state(self) -> np.ndarray:
        """What a pass hands to `open_pass`; the threads are there, as far as the system lets them."""
        if self.process != os.getpid():  # a fork has no other threads
            self._start()
        if not self.futex and self.state[SLEEPING]:
            for _ in self.threads:
                self.semaphore.release()
        return self.state

    def _start(self) -> None:
        self.process, self.state, self.semaphore = os.getpid(), np.zeros(STATE_SIZE, np.int64), threading.Semaphore(0)
        self.threads = []
        # compiled here: threads that compiled what they run would miss the passes by which the number of those that help is measured
        compile_serve_passes(not self.futex)
        for rank in range(1, self.size):
            thread = threading.Thread(target=self._serve, args=(self.state, self.semaphore), name=f"pass {rank}", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more are allowed here: a pass has fewer
                break
            self.threads.append(thread)
        if self.threads:
            atexit.register(self.stop)  # before what they run is taken from memory

    def _serve(self, state: np.ndarray, semaphore: threading.Semaphore) -> None:
        while serve_passes(state, not self.futex):
            state[SLEEPING] += 1  # under Python's lock, as all who write it here
            semaphore.acquire()
            state[SLEEPING] -= 1

    def stop(self) -> None:
        """The threads end; a pass after this is made by the calling thread."""
        if self.process == os.getpid():
            shut_down(self.state)
            for _ in self.threads:
                self.semaphore.release()
            for thread in self.threads:
                thread.join(1.0)
        atexit.unregister(self.stop)


@cache
def thread_team(size: int) -> ThreadTeam:
    """One team of a size a process: passes are made one after the other (machine.TIMED), as measuring asks."""
    return ThreadTeam(size)
