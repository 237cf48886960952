"""The device, the threads and the one lock that timed runs share."""

import os
import platform
import threading
from functools import cache
from importlib.metadata import version

import torch

from ..config import ConfigError
from ..trace.header import Machine

DTYPES = ("float32", "bfloat16", "float16")
TIMED = threading.Lock()
"""Held by whoever measures: two runs at once would make both their numbers a lie."""


@cache
def device() -> torch.device:
    """The GPU when there is one, the CPU otherwise; SPECVIZ_DEVICE overrides."""
    name = os.environ.get("SPECVIZ_DEVICE")
    if not name:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=name)
        return torch.device(name)
    except (RuntimeError, AssertionError):
        raise ConfigError("SPECVIZ_DEVICE", name, "a device of this machine, as torch names it: cpu, cuda, cuda:0") from None


@cache
def dtype() -> torch.dtype | None:
    """What SPECVIZ_DTYPE asks weights to be; None leaves it to the loader (models/load.py)."""
    name = os.environ.get("SPECVIZ_DTYPE")
    if name and name not in DTYPES:
        raise ConfigError("SPECVIZ_DTYPE", name, f"one of {', '.join(DTYPES)}")
    return getattr(torch, name) if name else None


def set_threads(alone: bool = False) -> int:
    """Set torch's threads and return them: half the cores, 1 to 8, or all, up to 8, for a benchmark that has the machine alone.

    The page's browser and server need the other half: two threads of which one waits for a core that somebody else has are
    slower than one (docs/log.md). SPECVIZ_THREADS overrides."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("SPECVIZ_THREADS")
    if asked and not (asked.isdecimal() and 1 <= int(asked) <= 1024):
        raise ConfigError("SPECVIZ_THREADS", asked, "a whole number from 1 to 1024")
    torch.set_num_threads(int(asked) if asked else max(1, min(cores if alone else cores // 2, 8)))
    return torch.get_num_threads()


def free_gigabytes() -> float | None:
    """Memory that models can still take on the device, in GB of 10⁹ bytes; None where nobody says."""
    if device().type == "cuda":
        return torch.cuda.mem_get_info(device())[0] / 1e9
    try:
        with open("/proc/meminfo", encoding="utf-8") as lines:
            return next(int(line.split()[1]) * 1024 / 1e9 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def describe() -> Machine:
    """Where this process measures."""
    where = device()
    return Machine(
        device=torch.cuda.get_device_name(where) if where.type == "cuda" else f"CPU, {_processor()}",
        threads=torch.get_num_threads(),
        python=platform.python_version(),
        torch=torch.__version__,
        transformers=version("transformers"),
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
