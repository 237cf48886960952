"""What one cache holds in a round, and what it costs that some of it cannot be cut."""

from typing import Any

from ..trace.events import Cache
from ..trace.header import ModelInfo


class CacheSpan:
    """Of `sequence`, the sequence of a target or the session of a drafter; `info`: whose cache it is, None without a drafter."""

    def __init__(self, sequence: Any, info: ModelInfo | None):
        self.sequence, self.window = sequence, info.window if info else None
        self.has_states = info is not None and info.state_layers > 0
        self.before = self.peak = None
        self.seconds_before = self.replay_ms = 0.0
        self.positions_before = 0

    def begin_round(self) -> None:
        """A round begins."""
        self.before, (self.positions_before, self.seconds_before) = self.sequence.length, self._replay_so_far()

    def mark_peak(self) -> None:
        """Now it is at its fullest."""
        self.peak = self.sequence.length

    def round_cache(self) -> Cache | None:
        """Of the round that just ended; None where nothing is held. `replay_ms` is then what it took to copy states and to feed tokens again."""
        after, (positions, seconds) = self.sequence.length, self._replay_so_far()
        self.replay_ms = 1e3 * (seconds - self.seconds_before)
        if self.before is None or self.peak is None or after is None:
            return None
        return Cache(
            self.before,
            self.peak,
            after,
            positions - self.positions_before,
            self.window if after > (self.window or after) else None,
        )

    def _replay_so_far(self) -> tuple[int, float]:
        return (self.sequence.replayed.positions, self.sequence.replayed.seconds) if self.has_states else (0, 0.0)
