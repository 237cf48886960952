"""The device, the threads, the one lock that timed runs share, and the clocks of a run. PyTorch is asked where it is there
already, or a GPU may be.

A GPU works behind the host: while one pass runs, the next one is already queued. To wait at every mark would empty the queue
three times a round and time the emptiness too, so the marks between phases are events on the device, read once the round is over.
"""

import ctypes
import gc
import os
import platform
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from typing import Any

from ..config import ConfigError
from ..trace.events import Machine
from .sampling import CPU, Device

DTYPES = ("float32", "bfloat16", "float16")
DEVICES = ("cpu", "cuda", "cuda:0")
DRIVER = "/proc/driver/nvidia/version"
GIVE_WAY_SECONDS = 2.0  # seconds of a run, after which it gives way to what takes a moment


class TimedRunLock:
    """Held by whoever measures: two runs at once would make both their numbers a lie. What takes a moment, as the answer to what
    a hand drew, goes before the next run, and a long run gives way to it between two of its rounds, where no clock runs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._changed = clock, threading.Condition()
        self._is_held = self._is_resumed = False  # resumed: by a run that gave way, before any other run
        self._moments = 0  # that wait
        self._since = 0.0

    def acquire(self, timeout: float | None = None) -> bool:
        """For a run. False where it was not free within `timeout` seconds."""
        with self._changed:
            free = self._changed.wait_for(lambda: not (self._is_held or self._moments or self._is_resumed), timeout)
            if free:
                self._is_held, self._since = True, self._clock()
            return free

    def release(self) -> None:
        with self._changed:
            self._is_held = False
            self._changed.notify_all()

    def locked(self) -> bool:
        return self._is_held

    def give_way(self) -> None:
        """By the run that holds it, between two rounds: once it has run for a while, whoever waits for a moment goes first."""
        with self._changed:
            if not self._moments or self._clock() - self._since < GIVE_WAY_SECONDS:
                return
            self._is_held, self._is_resumed = False, True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not (self._is_held or self._moments))
            self._is_held, self._is_resumed = True, False

    @contextmanager
    def moment(self, timeout: float) -> Iterator[bool]:
        """For what takes a moment. False where it was not free within `timeout` seconds."""
        with self._changed:
            self._moments += 1
            free = self._changed.wait_for(lambda: not self._is_held, timeout)
            self._moments -= 1
            self._is_held = self._is_held or free
            self._changed.notify_all()
        try:
            yield free
        finally:
            if free:
                self.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_) -> None:
        self.release()


TIMED_RUN = TimedRunLock()


class Recording:
    """`seconds`: what recording CUDA graphs took so far. Clocks leave it out, and a run tells it apart from decoding."""

    seconds = 0.0


@cache
def device() -> Device:
    """The GPU when there is one that runs a kernel, the CPU otherwise; SPECVIZ_DEVICE overrides. Raises ConfigError."""
    name = os.environ.get("SPECVIZ_DEVICE")
    if not name:
        return CPU if why_no_gpu() is not None else Device("cuda")
    if name not in DEVICES:
        # clocks, events and kernels are of the first device that a process sees; other kinds lack float64, which draws are made in
        which = name.removeprefix("cuda:")
        other = f"; CUDA_VISIBLE_DEVICES={which} chooses that one of several GPUs" if which.isdecimal() else ""
        raise ConfigError("SPECVIZ_DEVICE", name, f"cpu or cuda{other}")
    if name != "cpu" and (why := why_no_gpu()) is not None:
        raise ConfigError("SPECVIZ_DEVICE", name, f"cpu here: {why or 'torch sees no GPU'}")
    return Device(name.removesuffix(":0"))


@cache
def why_no_gpu() -> str | None:
    """None where a GPU runs a kernel. Else why the CPU is used: what a driver or a kernel said; empty where there is no GPU at all."""
    if "torch" not in sys.modules and not _may_have_gpu():
        return ""
    import torch

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        available = torch.cuda.is_available()
    if not available:  # torch warns only where a driver is there and does not do
        reason = next((str(warning.message) for warning in warned if "CUDA" in str(warning.message)), "")
        if not reason and torch.version.cuda is None and os.path.exists(DRIVER):
            return f"torch {torch.__version__} is built without CUDA; with a build for CUDA the GPU would be used"
        return one_line(reason, "torch cannot use the GPU")
    try:
        torch.ones(2, device="cuda").add(1).sum().item()  # another architecture than the build's: only a kernel shows it
    except RuntimeError as error:
        return one_line(str(error), "the GPU ran no kernel")
    return None


def _may_have_gpu() -> bool:
    """Whether a driver of NVIDIA's or AMD's, or that of Windows, could be here: then PyTorch is asked, which takes seconds to import."""
    return sys.platform == "win32" or any(map(os.path.exists, (DRIVER, "/dev/nvidiactl", "/dev/kfd", "/dev/dxg")))


def one_line(text: str, about: str) -> str:
    """The first sentence of what a library says in many lines, after what it is `about`; empty for nothing."""
    words = " ".join(text.split())[:160]
    return f"{about}: {words}" if words else ""


def half_precision(dtype: str, where: Device) -> str:
    """The half precision that a device multiplies in: cards before compute capability 8.0 have units for float16 and none for bfloat16."""
    if where.type == "cuda" and dtype == "bfloat16":
        import torch

        return "float16" if torch.cuda.get_device_capability(where)[0] < 8 else dtype
    return dtype


def device_note() -> str:
    """What is to be known of the device beside its name, in a line: why a GPU is not used, or what it does not compute in."""
    where = device()
    if where.type == "cpu":
        return "" if "SPECVIZ_DEVICE" in os.environ else why_no_gpu() or ""
    if dtype() is None and half_precision("bfloat16", where) != "bfloat16":
        return "bfloat16 weights are taken as float16, the half precision that this GPU multiplies in"
    return ""


@cache
def dtype() -> str | None:
    """What SPECVIZ_DTYPE asks weights to be; None leaves it to the loader (models/load.py)."""
    name = os.environ.get("SPECVIZ_DTYPE")
    if name and name not in DTYPES:
        raise ConfigError("SPECVIZ_DTYPE", name, f"one of {', '.join(DTYPES)}")
    return name or None


def keeps_blocks() -> bool:
    """Whether SPECVIZ_GGUF asks that passes multiply a GGUF file's blocks as they are. Else they are decoded to bfloat16: more
    bytes a token, which is what makes a pass over several tokens nearly free. Raises ConfigError."""
    name = os.environ.get("SPECVIZ_GGUF") or "bfloat16"
    if name not in ("bfloat16", "blocks"):
        raise ConfigError("SPECVIZ_GGUF", name, "bfloat16 or blocks")
    return name == "blocks"


def set_threads(alone: bool = False) -> int:
    """Set how many threads a pass may have and return them: half the cores, 1 to 8, or all, up to 8, for a benchmark alone on the machine.

    The page's browser and server need the other half: two threads of which one waits for a core that somebody else has are
    slower than one (docs/decisions.md, 3). SPECVIZ_THREADS overrides."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("SPECVIZ_THREADS")
    if wanted and not (wanted.isdecimal() and 1 <= int(wanted) <= 1024):
        raise ConfigError("SPECVIZ_THREADS", wanted, "a whole number from 1 to 1024")
    global _threads
    _threads = int(wanted) if wanted else max(1, min(cores if alone else cores // 2, 8))
    if "torch" in sys.modules:
        set_torch_threads()
    return _threads


_threads = 0


def threads() -> int:
    """How many threads a pass may have."""
    if torch := _torch():
        return torch.get_num_threads()
    return _threads or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def set_torch_threads() -> None:
    """To PyTorch, which has just been imported or is there."""
    import torch

    if _threads:
        torch.set_num_threads(_threads)


def _torch():
    """PyTorch where it is imported, all of it; None where it is not."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "inference_mode") else None


@contextmanager
def torch_threads(n: int | None) -> Iterator[None]:
    """PyTorch keeps no track of gradients meanwhile, and has `n` threads; None leaves them. Nothing where it is not imported. Its
    threads look on for a while after an operation, on processors that the threads of compiled passes need: beside such passes it
    works in the calling thread."""
    torch = _torch()
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    if n and n != before:
        torch.set_num_threads(n)
    try:
        with torch.inference_mode():
            yield
    finally:
        if n and n != before:
            torch.set_num_threads(before)


def device_seconds(device) -> float:
    """Seconds by the clock, once a `torch.device` has done what it was given."""
    if device.type == "cuda":
        import torch

        torch.cuda.synchronize(device)
    return time.perf_counter()


@contextmanager
def no_garbage() -> Iterator[None]:
    """Python does not look for garbage meanwhile: a full search takes 150 ms in the app, and would fall on whichever lane is running."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def free_gigabytes() -> float | None:
    """Memory that models can still take on the device, in GB of 10⁹ bytes; None where nobody says."""
    if device().type == "cuda":
        import torch

        release_memory()  # what PyTorch keeps for later counts as used
        return torch.cuda.mem_get_info(device())[0] / 1e9
    try:
        with open("/proc/meminfo", encoding="utf-8") as lines:
            return next(int(line.split()[1]) * 1024 / 1e9 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def release_memory() -> None:
    """Give freed memory back to the system: of weights that were packed a C library keeps a quarter of a gigabyte."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
    if device().type == "cuda":
        import torch

        torch.cuda.empty_cache()


def describe_machine(where: Device | None = None) -> Machine:
    """Where this process measures: on its device, unless models are elsewhere."""
    where = where or device()
    name = f"CPU, {_processor()}"
    if where.type == "cuda":
        import torch

        name = torch.cuda.get_device_name(where)
    return Machine(
        device=name,
        threads=threads(),
        python=platform.python_version(),
        torch=version("torch"),
        transformers=version("transformers"),
        note=device_note(),
    )


@cache
def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


THREAD = None if sys.platform == "win32" else time.thread_time  # Windows tells it in ticks of 16 ms, longer than a round


class Stopwatch:
    """Times one run on `device`. Recording graphs is left out of every time (backends/pytorch).

    `processor`: seconds for which the calling thread has had a processor; None where nobody says, and where passes wait for a disk or
    another process. Else a thread that decodes gives its own up only for helpers that are late: where it had one for less than the
    clock says, something else had that."""

    def __init__(self, clock: Callable[[], float], device: Device, processor: Callable[[], float] | None = THREAD):
        self.clock, self.device, self.processor = clock, device, processor
        self.worked: list[float] = []  # processor seconds where a round began and where it ended last
        self.events: list[Any] | None = None
        self.done: Any = None
        if device.type == "cuda":
            import torch

            self.cuda = torch.cuda
            self.events, self.done = [torch.cuda.Event(enable_timing=True) for _ in range(5)], torch.cuda.Event()
        self.stream: Any = None  # what marks go into: asked once a round, since to ask takes longer than to mark
        self.laps: list[float] = []  # host seconds; with events, what recording had taken by then
        self.marks: list[float] = []
        self.parts: list[float] = []  # seconds between laps of the round that just ended

    def __call__(self) -> float:
        """Seconds, once the device has done all that it was given."""
        if self.done:  # what this run gave, not the whole device: another thread may be recording, and would be spoilt
            self.done.record(self.stream)
            self.done.synchronize()
        return self.clock() - Recording.seconds

    def start(self) -> None:
        self.stream = self.cuda.current_stream() if self.events else None
        self.marks, self.laps = [self()], []
        self.worked = [self.processor()] if self.processor else []
        self._mark(self.marks[0])

    def lap(self) -> None:
        """Something was given to the device, which may still be at it: draft, then verify; then what decides, and what is
        looked at beside that, where they are."""
        self._mark(0.0 if self.events else self())

    def end(self) -> None:
        """All that was given is done: the decision is known, or the round is over."""
        self.marks.append(self())
        if len(self.marks) == 3:
            self.parts = [self._between(i) for i in range(len(self.laps) - 1)]
        if self.processor:
            self.worked[1:] = [self.processor()]

    def phases(self) -> tuple[float, float, float, float, float]:
        """ms of draft, verify, decide and the rest of the round that just ended, and of the look: the host waited for that
        together with the decision, but it is timed apart."""
        start, decided, ended = self.marks
        draft, verify, look = *self.parts[:2], self.parts[3] if len(self.parts) == 4 else 0.0
        decide, rest = decided - start - draft - verify - look, ended - decided
        return 1e3 * draft, 1e3 * verify, 1e3 * decide, 1e3 * rest, 1e3 * look

    def processor_ms(self) -> float | None:
        """ms for which this thread had a processor in the round that just ended; None where nobody says."""
        return 1e3 * (self.worked[1] - self.worked[0]) if self.processor else None

    def device_ms(self) -> float | None:
        """ms in which the device drafted, verified and decided in that round; None where the host itself does."""
        return 1e3 * sum(self.parts[:3]) if self.events else None

    def _between(self, i: int) -> float:
        passed = self.laps[i + 1] - self.laps[i]
        if self.events is None:
            return passed
        return max(0.0, self.events[i].elapsed_time(self.events[i + 1]) / 1e3 - passed)

    def _mark(self, now: float) -> None:
        if self.events:
            self.events[len(self.laps)].record(self.stream)
        self.laps.append(Recording.seconds if self.events else now)
