"""Gradio's queue within bounds: how much waits in it, for how long, and how much of what it answers is kept for who does not come for it.

Line(page._queue)        # from now on
"""

import asyncio
from secrets import token_hex

from gradio.queueing import Event, Queue
from gradio.server_messages import EventMessage

from .. import words
from .address import NOBODY, asking, brought
from .held import ByteQuota
from .presence import GRACE, HERE, Presence

WAITING, EACH = 256, 96  # events that wait, and of one address: a class behind one has two for each of its forty browsers
BODIES, BODIES_EACH = 2**28, 2**26  # bytes of what they brought, until they are served
ANSWERS, ANSWERS_EACH = 2**28, 2**26  # bytes of answers that nobody has read yet
LARGE = 2**16  # bytes of an answer that is looked for again when its reader may be gone


class Line:
    """An event waits as long as somebody listens for it. An answer is kept as long, where there is room; where there is none, its session
    ends, and its page says that the connection is lost."""

    def __init__(self, queue: Queue, here: Presence = HERE):
        self.queue, self.here = queue, here
        self.bodies, self.answers = ByteQuota(BODIES, BODIES_EACH), ByteQuota(ANSWERS, ANSWERS_EACH)
        self._who: dict[str, str] = {}  # of a session
        self._push, self._tell = queue.push, queue.send_message
        queue.push, queue.send_message = self.push, self.tell  # type: ignore[method-assign]

    async def push(self, body, request, username):
        who = asking.get()
        for gone in {event.session_hash for event in self._waiting() if not self._has_listener(event)}:
            await self.queue.clean_events(session_hash=gone)
        self.sweep()
        waiting = self._waiting()
        if len(waiting) >= WAITING or sum(self._who.get(event.session_hash) == who for event in waiting) >= EACH:
            return False, words.QUEUE_FULL, "queue_full"
        if not self.bodies.hold(body, who, brought.get()):
            return False, words.MEMORY_LIMIT, "queue_full"
        body.session_hash = body.session_hash or token_hex()  # a program's; it listens by the name of its event
        self._who[body.session_hash] = who
        self.here.saw(body.session_hash)
        return await self._push(body, request, username)

    def tell(self, event: Event, message: EventMessage) -> None:
        session, size = event.session_hash, weight(getattr(message, "output", None))
        if session not in self.queue.pending_messages_per_session or not self._has_listener(event):
            event.alive = False
        elif not self.answers.hold(message, self._who.get(session, NOBODY), size):
            event.alive = False
            del self.queue.pending_messages_per_session[session]
        else:
            self._tell(event, message)
            if size > LARGE:
                asyncio.get_running_loop().call_later(2 * GRACE, self.sweep)

    def sweep(self) -> None:
        """What nobody listens for is let go."""
        for session in [session for session in self._who if not self.here.is_here(session)]:
            if not any(self.here.is_here(event) for event in self.queue.pending_event_ids_session.get(session, ())):
                del self._who[session]
                self.queue.pending_messages_per_session.pop(session, None)
                self.queue.pending_event_ids_session.pop(session, None)

    def _waiting(self) -> list[Event]:
        return [event for each in self.queue.event_queue_per_concurrency_id.values() for event in each.queue]

    def _has_listener(self, event: Event) -> bool:
        return self.here.is_here(event.session_hash, event._id)


def weight(value: object) -> int:
    """The bytes of an answer, nearly: those of its texts."""
    if isinstance(value, str):
        return len(value)
    each = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(map(weight, each))
