"""What of gradio is replaced, and until when: three names that no option reaches. Tried with gradio 6.31; requirements.txt has the bound.

patch(page)     # before the page is launched

1. `BlocksConfig.config_for_block`: a session describes each component when it comes, and again with each update, for deep links, of
   which this page has none. That takes 16 ms of the server's loop for each visitor. Until a page without deep links describes none.
2. `Queue.send_message`: an answer is kept until it is read, also where nobody listens; and of 2,000 sessions the oldest is forgotten, also
   where it waits, so that one address could end the others' waiting by asking anew. Until gradio lets go of what a closed stream left.
3. `Queue.sleep_when_free`, and its like for progress: an idle server looks at its queue a thousand times a second, 4 % of a core beside
   what is timed. Until gradio waits for an event to come.
"""

import asyncio
from time import monotonic

from gradio import Blocks
from gradio.blocks import BlocksConfig
from gradio.queueing import Event, Queue
from gradio.server_messages import EventMessage, ProcessCompletedMessage, ProcessStartsMessage

from .guard.shares import Quota
from .queue import GRACE_SECONDS, HERE, Presence

ANSWER_BYTES, ANSWER_BYTES_EACH = 2**28, 2**26  # bytes of answers that nobody has read yet, and of one address
SESSIONS = 20_000  # that wait for an answer, or did a moment ago: more than can ask in that time
QUEUE_POLL_SECONDS = 0.05  # seconds between two looks of gradio at its queue
_full_config = BlocksConfig.config_for_block


def patch(page: Blocks) -> None:
    BlocksConfig.config_for_block = staticmethod(_session_config)  # type: ignore[method-assign]
    UnreadAnswers(page._queue)
    page._queue.sleep_when_free = page._queue.progress_update_sleep_when_free = QUEUE_POLL_SECONDS


def _session_config(_id, rendered_ids, block, renderable=None) -> dict:
    """A session asks without the components that are on the page; whoever makes the page names them."""
    return _full_config(_id, rendered_ids, block, renderable) if rendered_ids or renderable else {}


class UnreadAnswers:
    """An answer is kept as long as somebody listens for it, where there is room; where there is none, its session ends, and its
    page says that the connection is lost."""

    def __init__(self, queue: Queue, here: Presence = HERE):
        self.queue, self.here, self.answers = queue, here, Quota(ANSWER_BYTES, ANSWER_BYTES_EACH)
        self._send = queue.send_message
        queue.send_message = self.send  # type: ignore[method-assign]
        queue.pending_messages_per_session.max_size = SESSIONS

    def send(self, event: Event, message: EventMessage) -> None:
        session, size = event.session_hash, text_bytes(getattr(message, "output", None))
        if session not in self.queue.pending_messages_per_session or not self._has_listener(event):
            event.alive = False
        elif not self.answers.reserve(message, self.here.address(session, event._id), size):
            event.alive = False
            del self.queue.pending_messages_per_session[session]
        else:
            self._send(event, message)
        if isinstance(message, ProcessStartsMessage | ProcessCompletedMessage):
            asyncio.get_running_loop().call_later(GRACE_SECONDS + 1, self.sweep, session)

    def sweep(self, session: str) -> None:
        """What nobody listens for is let go; whoever asked for something since then listens for that in a moment."""
        events = self.queue.pending_event_ids_session.get(session, set())
        waiting = [self.queue.event_ids_to_events[event] for event in events if event in self.queue.event_ids_to_events]
        if not (self.here.is_here(session, *events) or any(map(self._has_listener, waiting))):
            self.queue.pending_messages_per_session.pop(session, None)
            self.queue.pending_event_ids_session.pop(session, None)

    def _has_listener(self, event: Event) -> bool:
        """Whoever has only just asked listens in a moment."""
        return monotonic() - event.enqueue_time < GRACE_SECONDS or self.here.is_here(event.session_hash, event._id)


def text_bytes(value: object) -> int:
    """The bytes of an answer, nearly: those of its texts."""
    if isinstance(value, str):
        return len(value)
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(map(text_bytes, each))
