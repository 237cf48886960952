"""Whose runs and settings gradio keeps here: of the sessions that were seen last, and of no address at the cost of another.

share_sessions()     # before the page is launched
"""

from collections import Counter

from gradio import routes
from gradio.state_holder import SessionState, StateHolder

from .guard.address import client_address
from .keep.history import KEPT_BYTES, KeptRun

KEPT_RUN_BYTES = 2**28  # of all kept runs


class Sessions(StateHolder):
    """Where one too many is, the address that has most loses the one that it has not used for longest."""

    def __init__(self):
        super().__init__()
        self._addresses: dict[str, str] = {}

    def update(self, session_id: str) -> None:
        with self.lock:
            if session_id in self.session_data:
                self.session_data.move_to_end(session_id)
                self._addresses.setdefault(session_id, client_address.get())
            if len(self.session_data) > self.capacity:
                self._drop(dict.fromkeys(self.session_data, 1), session_id)
            if KEPT_BYTES.taken() > KEPT_RUN_BYTES:
                sizes = {session: kept_bytes(state) for session, state in self.session_data.items()}
                while sum(sizes.values()) > KEPT_RUN_BYTES and (dropped := self._drop(sizes, session_id)):
                    del sizes[dropped]

    def _drop(self, sizes: dict[str, int], but: str) -> str | None:
        """Of the address with the most the oldest one that has any; the session that asks now comes last."""
        most: Counter[str] = Counter()
        for session, size in sizes.items():
            most[self._addresses.get(session, "")] += size
        (who, _), *_ = most.most_common(1)
        own = [session for session, size in sizes.items() if size and session != but and self._addresses.get(session, "") == who]
        if not own:
            return None
        self.session_data.pop(own[0])
        self.time_last_used.pop(own[0], None)
        self._addresses.pop(own[0], None)
        return own[0]


def kept_bytes(state: SessionState) -> int:
    values = [one for value in list(state.state_data.values()) for one in (value if isinstance(value, tuple) else (value,))]
    return sum(len(one.data) for one in values if isinstance(one, KeptRun))


def share_sessions() -> None:
    """From now on a page that is launched keeps sessions so."""
    routes.StateHolder = Sessions  # type: ignore[misc]
