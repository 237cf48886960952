"""Answers that nobody collects are not kept, and those that wait are bounded."""

from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.queueing import AsyncQueue
from gradio.server_messages import EstimationMessage, ProcessCompletedMessage, ProcessGeneratingMessage, ServerMessage

from specviz.page import answers, words
from specviz.page.answers import collected, weigh


class Here:
    def __init__(self, *names):
        self.names = set(names)

    def is_here(self, *names):
        return bool(self.names & set(names))


@pytest.fixture
def queue():
    with gr.Blocks(analytics_enabled=False) as page:
        pass
    page.queue()
    return page._queue


def joined(queue, session, event):
    queue.pending_messages_per_session.setdefault(session, AsyncQueue())
    queue.pending_event_ids_session.setdefault(session, set()).add(event)
    return SimpleNamespace(session_hash=session, _id=event, alive=True)


def answer(size):
    return ProcessCompletedMessage(output={"data": ["x" * size]}, success=True)


def waiting(queue, session):
    return list(queue.pending_messages_per_session[session]._queue)


def test_an_answer_waits_for_who_is_there_by_session_or_by_call(queue):
    collected(queue, Here("page", "call"))
    page, caller = joined(queue, "page", "event"), joined(queue, "other", "call")
    queue.send_message(page, answer(5))
    queue.send_message(caller, answer(5))
    assert [message.output["data"] for session in ("page", "other") for message in waiting(queue, session)] == [["xxxxx"]] * 2


def test_twelve_answers_that_nobody_collects_hold_nothing(queue):
    here = Here(*(f"stranger {n}" for n in range(12)), "honest")
    collected(queue, here)
    events = [joined(queue, f"stranger {n}", f"event {n}") for n in range(12)]
    for event in events:
        queue.send_message(event, answer(1000))
    here.names = {"honest"}
    queue.send_message(joined(queue, "honest", "own"), answer(1))
    assert list(queue.pending_messages_per_session) == list(queue.pending_event_ids_session) == ["honest"]
    queue.send_message(events[0], answer(1000))  # a run that ends after its visitor left
    queue.send_message(events[0], EstimationMessage(queue_size=1))
    assert list(queue.pending_messages_per_session) == ["honest"]


@pytest.mark.parametrize(("bound", "value"), [("EACH", 30), ("MOST", 30)])
def test_answers_for_which_there_is_no_room_are_one_sentence(queue, monkeypatch, bound, value):
    monkeypatch.setattr(answers, bound, value)
    collected(queue, Here("page"))
    event = joined(queue, "page", "event")
    generating = ProcessGeneratingMessage(msg=ServerMessage.process_generating, output={"data": ["x" * 25]}, success=True)
    for message in (answer(25), generating, answer(25)):
        queue.send_message(event, message)
    first, last = waiting(queue, "page")
    assert first.success and not last.success and last.output["error"] == words.ANSWERS_LIMIT
    assert last.event_id == "event"


def test_what_is_collected_makes_room(queue, monkeypatch):
    monkeypatch.setattr(answers, "EACH", 30)
    collected(queue, Here("page"))
    event = joined(queue, "page", "event")
    for _ in range(3):
        queue.send_message(event, answer(25))
        assert queue.pending_messages_per_session["page"].get_nowait().success


def test_what_is_told_on_the_way_waits_as_before(queue):
    collected(queue, Here())
    event = joined(queue, "page", "event")
    queue.send_message(event, EstimationMessage(queue_size=1))
    assert len(waiting(queue, "page")) == 1


def test_the_weight_of_an_answer_is_that_of_its_texts():
    assert weigh({"data": ["four", {"a": ["more", 1, None]}, ("x",)], "n": 7}) == 9
