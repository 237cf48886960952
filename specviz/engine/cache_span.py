"""What one cache holds in a round, and what it costs that some of it cannot be cut."""

from typing import Any

from ..trace.events import Cache
from ..trace.header import ModelInfo


class CacheSpan:
    """Of `holder`, the sequence of a target or the session of a drafter; `info`: whose cache it is, None without a drafter."""

    def __init__(self, holder: Any, info: ModelInfo | None):
        self.holder, self.window = holder, info.window if info else None
        self.states = info is not None and info.state_layers > 0
        self.before = self.peak = None
        self.spent = self.replay_ms = 0.0
        self.fed = 0

    def start(self) -> None:
        """A round begins."""
        self.before, (self.fed, self.spent) = self.holder.length, self._replayed()

    def fill(self) -> None:
        """Now it is at its fullest."""
        self.peak = self.holder.length

    def cache(self) -> Cache | None:
        """Of the round that just ended; None where nothing is held. `replay_ms` is then what it took to copy states and to feed tokens again."""
        after, (fed, spent) = self.holder.length, self._replayed()
        self.replay_ms = 1e3 * (spent - self.spent)
        if self.before is None or self.peak is None or after is None:
            return None
        return Cache(self.before, self.peak, after, fed - self.fed, self.window if after > (self.window or after) else None)

    def _replayed(self) -> tuple[int, float]:
        return (self.holder.replayed.positions, self.holder.replayed.seconds) if self.states else (0, 0.0)
