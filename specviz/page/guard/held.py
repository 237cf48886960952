"""Bytes that stay for a while: so many in all and for one address, each for as long as what holds them lives.

held = Held(of=2**28, each=2**26)
held.hold(body, who, len(…))     # False where there is no room; else they count until `body` is gone
"""

import weakref
from collections import Counter
from threading import RLock


class ByteQuota:
    """Safe to ask from any thread, and while garbage is collected."""

    def __init__(self, of: float, each: float):
        self.of, self.each, self._lock = of, each, RLock()
        self._held: Counter[str] = Counter()

    def hold(self, what: object, who: str, many: int) -> bool:
        with self._lock:
            if self._held[who] + many > self.each or self._held.total() + many > self.of:
                return False
            self._held[who] += many
        weakref.finalize(what, self._let_go, who, many).atexit = False
        return True

    def bytes(self, who: str | None = None) -> int:
        """Of an address, or of all."""
        return self._held.total() if who is None else self._held[who]

    def _let_go(self, who: str, many: int) -> None:
        with self._lock:
            self._held[who] -= many
            if not self._held[who]:
                del self._held[who]
