"""What is the same for everybody is computed once, also where thirty ask for it in one moment.

@once
def sent() -> str: ...
"""

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def once(compute: F) -> F:
    """As functools.cache, which lets all compute who ask before the first is done; here they wait for it."""
    cached, lock = cache(compute), RLock()

    @wraps(compute)
    def call(*args):
        with lock:
            return cached(*args)

    return call  # type: ignore[return-value]
