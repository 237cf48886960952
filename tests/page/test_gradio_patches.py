"""What of gradio is replaced: each test says in a sentence what a release that needs it no longer, or no longer allows it, changed."""

import ast
import gc
from pathlib import Path
from time import monotonic
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.server_messages import ProcessCompletedMessage
from gradio.state_holder import SessionState
from gradio.utils import LRUCache

import specviz
from specviz.page.build import build
from specviz.page.gradio_patches import QUEUE_POLL_SECONDS, UnreadAnswers, patch, text_bytes
from specviz.page.guard.shares import Quota
from specviz.page.queue import GRACE_SECONDS, Presence

from .. import loop
from ..browser.fake_engine import FakeEngine
from ..fakes import Clock

PACKAGE = Path(specviz.__file__).parent
# caches without a bound: what they are asked by is few, and none of it a visitor's
ENDLESS = {
    "engine/backends/pytorch/fused.py not_fused_reason",
    "engine/backends/pytorch/graphs.py _stream_and_pool",
    "engine/models/llama.py self_test",
    "engine/compiled/threads.py thread_team",
    "local.py _cached_drafter",
    "local.py _cached_target",
    "page/keep/recorded.py header",
    "page/keep/recorded.py load",
    "page/watch/run.py render_recorded",
    "picture/sheets.py bundle",
    "picture/sheets.py csp_hash",
    "trace/file.py field_reader",
    "trace/file.py _line_adapter",
    "words/__init__.py _room",
}


def page():
    with gr.Blocks() as blocks:
        button = gr.DownloadButton("Save", elem_id="save")
    patch(blocks)
    return blocks, button


def test_an_idle_server_looks_at_its_queue_twenty_times_a_second_and_not_a_thousand():
    blocks, _ = page()
    assert blocks._queue.sleep_when_free == blocks._queue.progress_update_sleep_when_free == QUEUE_POLL_SECONDS
    assert gr.Blocks()._queue.sleep_when_free < QUEUE_POLL_SECONDS  # else it need not be set


def test_the_page_names_and_describes_its_components_and_a_session_none():
    blocks, button = page()
    [described] = [each for each in blocks.get_config_file()["components"] if each["id"] == button._id]
    assert described["props"]["elem_id"] == "save" and described["api_info"]
    blocks, button = page()
    state = SessionState(blocks)
    state[button._id] = changed = gr.DownloadButton("Save", interactive=False, render=False)
    state._update_config(button._id)
    state._update_value_in_config(button._id, "a path")
    assert state[button._id] is changed and not [*state.components]


def test_no_cache_without_a_bound_is_asked_by_what_a_visitor_sends():
    package, endless = PACKAGE, set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.args.args:
                names = {ast.unparse(each) for each in node.decorator_list}
                if names & {"cache", "once", "lru_cache", "lru_cache(None)"}:
                    endless.add(f"{path.relative_to(package).as_posix()} {node.name}")
    assert endless == ENDLESS


def test_whose_settings_are_no_longer_kept_is_told_so_and_keeps_those_on_the_page():
    from specviz.words import page as words

    page = build(FakeEngine())
    restore_settings = next(each.fn for each in page.fns.values() if each.name == "restore_settings")
    line, *_, prompt = restore_settings(None)[:5]
    assert words.SETTINGS_FORGOTTEN in line and prompt == gr.skip()


class Queue:
    def __init__(self):
        self.pending_messages_per_session, self.pending_event_ids_session, self.event_ids_to_events = LRUCache(2000), {}, {}

    def send_message(self, event, message):
        self.pending_messages_per_session[event.session_hash].append(message)


class Crowd:
    def __init__(self):
        self.clock, self.queue = Clock(), Queue()
        self.here = Presence(self.clock)
        self.bounds = UnreadAnswers(self.queue, self.here)
        self.bounds.answers = Quota(of=100, each=50)

    def event(self, session, who="a", listens=True):
        self.queue.pending_messages_per_session[session] = []
        if listens:
            with self.here.listens({"path": "/queue/data", "query_string": f"session_hash={session}".encode()}, who):
                pass
        return SimpleNamespace(session_hash=session, _id=f"event of {session}", alive=True, enqueue_time=-1e9)

    def answer(self, event, *data):
        async def send():
            self.queue.send_message(event, ProcessCompletedMessage(output={"data": list(data)}, success=True))

        loop.run(send())


@pytest.fixture
def crowd():
    return Crowd()


def test_an_answer_is_kept_for_a_reader_and_within_a_bound(crowd):
    first, second, other = crowd.event("a1"), crowd.event("a2"), crowd.event("b1", "b")
    crowd.answer(first, "x" * 40)
    crowd.answer(second, {"plot": ["x" * 40]})  # one address has no more
    assert not second.alive and "a2" not in crowd.queue.pending_messages_per_session
    crowd.answer(other, "x" * 40)
    assert [len(crowd.queue.pending_messages_per_session[name]) for name in ("a1", "b1")] == [1, 1]
    crowd.queue.pending_messages_per_session["a1"].clear()  # it was read
    gc.collect()
    crowd.answer(first, "x" * 40)
    assert first.alive
    crowd.clock.now += GRACE_SECONDS + 1
    crowd.answer(first, "x")
    assert not first.alive  # nobody listens
    for session in ("a1", "b1"):
        crowd.bounds.sweep(session)
    assert crowd.bounds.answers.taken() == 0 and not crowd.queue.pending_messages_per_session


def test_who_asks_again_while_what_was_not_read_is_let_go_keeps_the_place_and_who_never_listened_has_none(crowd):
    """Else the stream that is opened next finds no session, and the page says that the connection is lost."""
    crowd.event("visit")
    crowd.clock.now += GRACE_SECONDS + 1
    again = crowd.event("visit", listens=False)  # it will listen in a moment
    again.enqueue_time = monotonic()
    crowd.queue.pending_event_ids_session["visit"] = {again._id}
    crowd.queue.event_ids_to_events[again._id] = again
    crowd.bounds.sweep("visit")
    assert "visit" in crowd.queue.pending_messages_per_session
    again.enqueue_time = -1e9
    crowd.bounds.sweep("visit")
    assert "visit" not in crowd.queue.pending_messages_per_session
    # of who never listened nothing is kept
    event = crowd.event("never", listens=False)
    crowd.answer(event, "x")
    assert not event.alive and not crowd.queue.pending_messages_per_session["never"]


def test_three_thousand_sessions_of_one_address_forget_none_that_waits(crowd):
    waits = crowd.event("waits", "b")
    for n in range(3000):
        crowd.event(f"flood {n}")
    crowd.answer(waits, "its turn")
    assert waits.alive and len(crowd.queue.pending_messages_per_session["waits"]) == 1


def test_an_answer_weighs_what_its_texts_weigh():
    assert text_bytes(["abc", {"value": "de", "n": 5}, None, ("f",)]) == 6
