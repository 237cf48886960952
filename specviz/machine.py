"""The device, the threads and the one lock that timed runs share."""

import os
import platform
import threading
from functools import cache
from importlib.metadata import version

import torch

from .config import ConfigError
from .trace import Machine

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
def set_threads() -> int:
    """Set torch's threads, once a process, and return them: half the cores, 1 to 8; SPECVIZ_THREADS overrides.

    The page's browser and server need the other half: threads that wait for a core taken by somebody else wait a hundred
    times as long as they compute (docs/log.md)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("SPECVIZ_THREADS", "")
    torch.set_num_threads(int(asked) if asked.isdigit() and int(asked) else max(1, min(cores // 2, 8)))
    return torch.get_num_threads()


def describe() -> Machine:
    """Where this process measures."""
    where = device()
    return Machine(
        device=torch.cuda.get_device_name(where) if where.type == "cuda" else f"CPU, {_processor()}",
        threads=set_threads(),
        python=platform.python_version(),
        torch=torch.__version__,
        transformers=version("transformers"),
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
