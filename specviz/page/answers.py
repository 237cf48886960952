"""Answers that wait in gradio's queue until somebody collects them: only for who is there, and only so many bytes of them.

collected(page._queue)      # from now on
"""

from gradio import Error
from gradio.queueing import Event, Queue
from gradio.server_messages import ProcessCompletedMessage
from gradio.utils import error_payload

from ..trace.file import FILE_LIMIT
from . import words
from .guard.presence import HERE, Presence

EACH, MOST = 2 * FILE_LIMIT, 8 * FILE_LIMIT  # bytes of answers that wait, of one session and of all


def collected(queue: Queue, here: Presence = HERE) -> None:
    """`queue` keeps no answer for who has gone; one for which there is no room is a sentence."""
    send, refusal = queue.send_message, Error(words.ANSWERS_LIMIT, print_exception=False)

    def sent(event: Event, message) -> None:
        if weight := weigh(getattr(message, "output", None)):
            _forget(queue, here, event)
        session = event.session_hash
        if session not in queue.pending_messages_per_session:
            return
        if weight:
            waits = {one: _weight(messages) for one, messages in queue.pending_messages_per_session.items()}
            if waits[session] + weight > EACH or sum(waits.values()) + weight > MOST:
                if not isinstance(message, ProcessCompletedMessage):
                    return
                message = ProcessCompletedMessage(output=error_payload(refusal, None), success=False)
        send(event, message)

    queue.send_message = sent  # type: ignore[method-assign]


def _forget(queue: Queue, here: Presence, event: Event) -> None:
    """What waits for sessions that have gone."""
    ids = queue.pending_event_ids_session
    for session in list(queue.pending_messages_per_session):
        names = [session, *ids.get(session, ()), *([event._id] if session == event.session_hash else ())]
        if not here.is_here(*names):
            queue.pending_messages_per_session.pop(session, None)
            ids.pop(session, None)


def _weight(messages) -> int:
    return sum(weigh(getattr(message, "output", None)) for message in messages._queue)


def weigh(value: object) -> int:
    """Characters of the texts in a value of JSON."""
    if isinstance(value, str | bytes):
        return len(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(map(weigh, inner))
