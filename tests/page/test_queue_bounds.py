"""What waits in gradio's queue, and what it has answered, within bounds of bytes and of time."""

import gc
from types import SimpleNamespace

import pytest
from gradio.server_messages import ProcessCompletedMessage

from specviz.page.guard import presence
from specviz.page.guard.address import body_bytes, client_address
from specviz.page.guard.presence import GRACE_SECONDS, Presence
from specviz.page.guard.queue_bounds import WAITING, WAITING_EACH, QueueBounds, text_bytes
from specviz.page.guard.quota import Quota

from .. import loop
from . import live


class Thing:
    pass


def test_bytes_count_for_as_long_as_what_has_them_lives():
    quota, first, second = Quota(of=100, each=60), Thing(), Thing()
    assert quota.reserve(first, "a", 60) and not quota.reserve(second, "a", 1)
    assert quota.reserve(second, "b", 40) and not quota.reserve(Thing(), "c", 1)
    assert (quota.taken(), quota._taken["a"]) == (100, 60)
    del first
    gc.collect()
    assert (quota.taken(), quota._taken["a"]) == (40, 0)


class Queue:
    """The part of gradio's that a line stands around."""

    def __init__(self):
        self.pending_messages_per_session, self.pending_event_ids_session = {}, {}
        self.timed = SimpleNamespace(queue=[])
        self.event_queue_per_concurrency_id = {"timed": self.timed}

    async def push(self, body, request, username):
        event = SimpleNamespace(session_hash=body.session_hash, _id=f"event{len(self.timed.queue)}", alive=True, data=body)
        self.timed.queue.append(event)
        self.pending_messages_per_session.setdefault(body.session_hash, [])
        return True, event._id, "success"

    async def clean_events(self, session_hash):
        self.timed.queue = [event for event in self.timed.queue if event.session_hash != session_hash]

    def send_message(self, event, message):
        self.pending_messages_per_session[event.session_hash].append(message)


class Crowd:
    """A line, its clock, and who asks."""

    def __init__(self):
        self.now, self.queue = 0.0, Queue()
        self.line = QueueBounds(self.queue, Presence(lambda: self.now))

    def push(self, session, who="a", size=0):
        async def pushed():
            client_address.set(who)
            body_bytes.set(size)
            body = Thing()
            body.session_hash = session
            return (await self.queue.push(body, None, None))[2]

        return loop.run(pushed())

    def answer(self, event, *data):
        async def send():
            self.queue.send_message(event, ProcessCompletedMessage(output={"data": list(data)}, success=True))

        loop.run(send())


@pytest.fixture
def crowd():
    return Crowd()


def test_one_address_fills_its_share_of_the_queue_and_no_more(crowd):
    assert [crowd.push(f"s{n}") for n in range(WAITING_EACH + 1)].count("success") == WAITING_EACH
    assert crowd.push("other", "b") == "success"
    for who in range(2, WAITING):
        crowd.push(f"o{who}", f"w{who}")
    assert len(crowd.queue.timed.queue) == WAITING and crowd.push("last", "z") == "queue_full"


def test_bodies_count_until_they_are_served_not_until_they_are_answered(crowd):
    crowd.line.bodies = Quota(of=100, each=50)
    assert [crowd.push(f"s{n}", size=15) for n in range(5)] == ["success"] * 3 + ["queue_full"] * 2
    assert [crowd.push(f"t{n}", "b", 25) for n in range(3)] == ["success"] * 2 + ["queue_full"]
    crowd.queue.timed.queue.pop(0)  # its turn has come and is over
    gc.collect()
    assert crowd.push("again", size=15) == "success"


def test_nothing_waits_for_who_has_gone(crowd):
    crowd.line.bodies = Quota(of=100, each=100)
    assert crowd.push("gone", size=100) == "success" and crowd.push("comes", "b", 100) == "queue_full"
    crowd.now = GRACE_SECONDS + 1
    assert crowd.push("comes", "b", 100) == "success"
    assert [event.session_hash for event in crowd.queue.timed.queue] == ["comes"]
    assert set(crowd.queue.pending_messages_per_session) == {"comes"}


def test_an_answer_is_kept_for_a_reader_and_within_a_bound(crowd):
    crowd.line.answers = Quota(of=100, each=50)
    for session, who in (("a1", "a"), ("a2", "a"), ("b1", "b")):
        crowd.push(session, who)
    first, second, other = crowd.queue.timed.queue
    crowd.answer(first, "x" * 40)
    crowd.answer(second, {"plot": ["x" * 40]})  # one address has no more
    assert not second.alive and "a2" not in crowd.queue.pending_messages_per_session
    crowd.answer(other, "x" * 40)
    assert [len(crowd.queue.pending_messages_per_session[name]) for name in ("a1", "b1")] == [1, 1]
    crowd.queue.pending_messages_per_session["a1"].clear()  # it was read
    gc.collect()
    crowd.answer(first, "x" * 40)
    assert first.alive
    crowd.now = GRACE_SECONDS + 1
    crowd.answer(first, "x")
    assert not first.alive  # nobody listens
    crowd.line.sweep()
    assert crowd.line.answers.taken() == 0 and not crowd.queue.pending_messages_per_session


def test_an_answer_weighs_what_its_texts_weigh():
    assert text_bytes(["abc", {"value": "de", "n": 5}, None, ("f",)]) == 6


def test_sixty_large_bodies_that_wait_hold_no_more_than_the_bound(monkeypatch):
    monkeypatch.setattr(presence, "GRACE_SECONDS", 600.0)
    with live.served() as page:
        line = page.page._queue.send_message.__self__
        line.bodies = Quota(of=2**21, each=2**20)
        begin = page.app.on("run", "click")[0]
        page.fire(begin, prompt="slow")
        with page.listens() as stream:
            stream.until("process_starts")
            statuses = [page.fire(begin, f"s{n}", prompt="x" * 300_000).status_code for n in range(60)]
            assert statuses.count(200) == 3 and statuses.count(503) == 57
            page.fire(page.app.on("stop", "click")[0])
            stream.until("process_completed")
        for n in range(60):
            if statuses[n] == 200:
                with page.listens(f"s{n}") as stream:
                    stream.until("process_completed")
        live.until(
            lambda: gc.collect() >= 0 and line.bodies.taken() < 2 * 300_000
        )  # gradio's loop keeps the one that it served last


def test_open_streams_have_a_bound_in_all_and_for_an_address():
    share = Quota(of=3, each=2)
    assert [share.begin(who) for who in "aaabb"] == [True, True, False, True, False]
    share.end("a")
    assert share.begin("b") and not share._taken["c"]
