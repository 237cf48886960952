"""Numba, as the forward pass on a CPU uses it: what it compiles is kept on disk, and where it cannot be had somebody is told why.

Compiled code is this user's, for this processor, this numba and these sources: another of any of them gets a folder or an index
entry of its own, and what does not fit is compiled again.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

SWITCH = "SPECVIZ_FORWARD"  # "torch": leave compiled code alone
# code whose products of bytes, and whose sleep, are WebAssembly's (scripts/build_wasm.py)
IN_BROWSER = bool(os.environ.get("SPECVIZ_WASM"))
SOURCES = Path(__file__).parent
UNUSED_SECONDS = 30 * 24 * 3600.0  # after which code that no start used is removed


@cache
def unavailable_reason() -> str:
    """Why nothing is compiled here, in a few words; empty if it is."""
    if os.environ.get(SWITCH) == "torch":
        return f"{SWITCH} is torch"
    try:
        import numba
    except Exception as error:  # not installed, or a build that does not fit this numpy or this processor
        return f"numba cannot be used: {' '.join(str(error).split())[:120] or type(error).__name__}"
    numba.config.CACHE_DIR = str(cache_dir() or "")
    return ""


@cache
def cache_dir() -> Path | None:
    """Where compiled code is kept, made if need be; None where nothing can be written: then it is compiled at every start."""
    digest = hashlib.sha256()
    for source in sorted(SOURCES.glob("*.py")):
        digest.update(source.read_bytes())
    folder = cache_home() / "specviz" / "compiled" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    with suppress(OSError):  # another start may be at the same
        for other in folder.parent.iterdir():  # of other sources, which may be in use elsewhere
            if other.stat().st_mtime < time.time() - UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def cache_is_empty() -> bool:
    """Whether nothing is kept yet, so that what runs next is compiled, which takes seconds."""
    folder = cache_dir()
    return folder is None or not any(folder.rglob("*.nbc"))


def will_compile() -> bool:
    """Whether the first model has to wait for a compiler."""
    return not unavailable_reason() and cache_is_empty()


def compile_in_background() -> subprocess.Popen:
    """A process that compiles and keeps most of what the first model on a CPU waits for, while this one imports what else it needs."""
    package = __name__.partition(".")[0]
    path = os.pathsep.join([str(SOURCES.parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-c", f"from {package}.engine.compiled.precompile import compile_passes; compile_passes()"]
    devnull = subprocess.DEVNULL
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, stdin=devnull, stdout=devnull, stderr=devnull)


def clear_cache() -> None:
    """Leave what is kept to itself: a file of it is cut short, or was written by somebody else."""
    folder = cache_dir()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)


def cache_home() -> Path:
    """The folder that this system has for what can be made again."""
    if folder := os.environ.get("SPECVIZ_CACHE") or os.environ.get("XDG_CACHE_HOME"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def compiled(function: Callable) -> Callable:
    """`function` compiled when it is first called with arguments of new types, without Python's lock while it runs."""
    return _jit(function, cache=not unavailable_reason() and cache_dir() is not None, no_cfunc_wrapper=True)


def device_function(function: Callable) -> Callable:
    """`function` for use inside compiled ones: Python cannot call it, which halves the time to compile it."""
    return _jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def fast_sum(function: Callable) -> Callable:
    """As `device_function`, for a function that only sums one array: the compiler may split the sum into lanes, so that the order
    of the sum follows from the length alone."""
    return _jit(function, fastmath={"contract", "nsz", "reassoc"}, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inline(function: Callable) -> Callable:
    """`function` inlined into the one that calls it."""
    return _jit(function, inline="always")


def _jit(function: Callable, fastmath: set[str] | bool = False, **how) -> Callable:
    """Every operation is rounded as it is written, unless `fastmath` allows otherwise. A compiler makes several forms of one loop
    (lanes, left-over rows, arrays that may overlap); with `contract` or `arcp` it would round them differently, on some processors.

    Nothing that is compiled makes an array, so none is counted (`_nrt`): each part of one would be, in a number that all threads of a pass
    share and fetch from one another. That took a fifth of a pass on two threads."""
    import numba

    return numba.njit(nogil=True, error_model="numpy", fastmath=fastmath, _nrt=False, **how)(function)
