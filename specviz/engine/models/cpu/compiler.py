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
HERE = Path(__file__).parent
UNUSED = 30 * 24 * 3600.0  # seconds after which what nobody started with is removed


@cache
def why_not() -> str:
    """Why nothing is compiled here, in a few words; empty if it is."""
    if os.environ.get(SWITCH) == "torch":
        return f"{SWITCH} is torch"
    try:
        import numba
    except Exception as error:  # not installed, or a build that does not fit this numpy or this processor
        return f"numba cannot be used: {' '.join(str(error).split())[:120] or type(error).__name__}"
    numba.config.CACHE_DIR = str(kept() or "")
    return ""


@cache
def kept() -> Path | None:
    """Where compiled code is kept, made if need be; None where nothing can be written: then it is compiled at every start."""
    digest = hashlib.sha256()
    for source in sorted(HERE.glob("*.py")):
        digest.update(source.read_bytes())
    folder = _home() / "specviz" / "compiled" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    with suppress(OSError):  # another start may be at the same
        for other in folder.parent.iterdir():  # of other sources, which may be in use elsewhere
            if other.stat().st_mtime < time.time() - UNUSED:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def empty() -> bool:
    """Whether nothing is kept yet, so that what runs next is compiled, which takes seconds."""
    folder = kept()
    return folder is None or not any(folder.rglob("*.nbc"))


def will_compile() -> bool:
    """Whether the first model has to wait for a compiler."""
    return not why_not() and empty()


def aside() -> subprocess.Popen:
    """A process that compiles and keeps most of what the first model on a CPU waits for, while this one imports what else it needs."""
    package = __name__.partition(".")[0]
    path = os.pathsep.join([str(HERE.parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = [sys.executable, "-c", f"from {package}.engine.models.cpu.ahead import passes; passes()"]
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(words, env=os.environ | {"PYTHONPATH": path}, stdin=nowhere, stdout=nowhere, stderr=nowhere)


def forget() -> None:
    """Leave what is kept to itself: a file of it is cut short, or was written by somebody else."""
    folder = kept()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)


def _home() -> Path:
    """The folder that this system has for what can be made again."""
    if told := os.environ.get("SPECVIZ_CACHE") or os.environ.get("XDG_CACHE_HOME"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def compiled(function: Callable) -> Callable:
    """`function` compiled when it is first called with arguments of new types, without Python's lock while it runs."""
    return _jit(function, cache=not why_not() and kept() is not None, no_cfunc_wrapper=True)


def part(function: Callable) -> Callable:
    """`function` as a part of others that are compiled: Python cannot call it, which saves half of what it takes to compile."""
    return _jit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def ordered(function: Callable) -> Callable:
    """As `part`, with its sums in the order in which they are written."""
    return _jit(function, loose=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def spliced(function: Callable) -> Callable:
    """`function` as lines of the one that calls it."""
    return _jit(function, inline="always")


def _jit(function: Callable, loose: bool = True, **how) -> Callable:
    """`loose`: sums may be taken apart into lanes, and a product and a sum may be one operation: the same code does so alike whatever else
    is in the block, so a row's bits are its own."""
    import numba

    fast = {"contract", "nsz", "reassoc", "arcp"} if loose else False
    return numba.njit(nogil=True, error_model="numpy", fastmath=fast, **how)(function)
