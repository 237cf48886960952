"""Gradio's queue within bounds: how much waits in it, for how long, and how much of what it answers is kept for who does not come for it.

QueueBounds(page._queue)        # from now on
"""

import asyncio
from secrets import token_hex

from gradio.queueing import Event, Queue
from gradio.server_messages import EventMessage

from .. import words
from .address import NOBODY, body_bytes, client_address
from .presence import GRACE_SECONDS, HERE, Presence
from .quota import Quota

WAITING, WAITING_EACH = 256, 96  # events that wait, and of one address: a class behind one has two for each of its forty browsers
BODY_BYTES, BODY_BYTES_EACH = 2**28, 2**26  # bytes of their bodies, until they are served
ANSWER_BYTES, ANSWER_BYTES_EACH = 2**28, 2**26  # bytes of answers that nobody has read yet
LARGE_ANSWER = 2**16  # bytes of an answer that is looked for again when its reader may be gone


class QueueBounds:
    """An event waits as long as somebody listens for it. An answer is kept as long, where there is room; where there is none, its session
    ends, and its page says that the connection is lost."""

    def __init__(self, queue: Queue, here: Presence = HERE):
        self.queue, self.here = queue, here
        self.bodies, self.answers = Quota(BODY_BYTES, BODY_BYTES_EACH), Quota(ANSWER_BYTES, ANSWER_BYTES_EACH)
        self._addresses: dict[str, str] = {}  # of a session
        self._push, self._send = queue.push, queue.send_message
        queue.push, queue.send_message = self.push, self.send  # type: ignore[method-assign]

    async def push(self, body, request, username):
        who = client_address.get()
        for session in {event.session_hash for event in self._waiting() if not self._has_listener(event)}:
            await self.queue.clean_events(session_hash=session)
        self.sweep()
        waiting = self._waiting()
        if len(waiting) >= WAITING or sum(self._addresses.get(event.session_hash) == who for event in waiting) >= WAITING_EACH:
            return False, words.QUEUE_FULL, "queue_full"
        if not self.bodies.reserve(body, who, body_bytes.get()):
            return False, words.MEMORY_LIMIT, "queue_full"
        body.session_hash = body.session_hash or token_hex()  # a program's; it listens by the name of its event
        self._addresses[body.session_hash] = who
        self.here.mark_present(body.session_hash)
        return await self._push(body, request, username)

    def send(self, event: Event, message: EventMessage) -> None:
        session, size = event.session_hash, text_bytes(getattr(message, "output", None))
        if session not in self.queue.pending_messages_per_session or not self._has_listener(event):
            event.alive = False
        elif not self.answers.reserve(message, self._addresses.get(session, NOBODY), size):
            event.alive = False
            del self.queue.pending_messages_per_session[session]
        else:
            self._send(event, message)
            if size > LARGE_ANSWER:
                asyncio.get_running_loop().call_later(2 * GRACE_SECONDS, self.sweep)

    def sweep(self) -> None:
        """What nobody listens for is let go."""
        for session in [session for session in self._addresses if not self.here.is_here(session)]:
            if not any(self.here.is_here(event) for event in self.queue.pending_event_ids_session.get(session, ())):
                del self._addresses[session]
                self.queue.pending_messages_per_session.pop(session, None)
                self.queue.pending_event_ids_session.pop(session, None)

    def _waiting(self) -> list[Event]:
        return [event for each in self.queue.event_queue_per_concurrency_id.values() for event in each.queue]

    def _has_listener(self, event: Event) -> bool:
        return self.here.is_here(event.session_hash, event._id)


def text_bytes(value: object) -> int:
    """The bytes of an answer, nearly: those of its texts."""
    if isinstance(value, str):
        return len(value)
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(map(text_bytes, each))
