"""Kept runs are an address's own: whoever comes often pushes out nobody else's, and all together stay within a bound."""

import ast
from contextvars import copy_context
from pathlib import Path

import gradio as gr
import pytest
from gradio import utils
from gradio.state_holder import SessionState

from specviz.page import sessions, words
from specviz.page.build import build
from specviz.page.gradio_messages import ERROR_CHARACTERS, shorten_gradio_messages
from specviz.page.guard.address import client_address
from specviz.page.keep.history import KEPT_BYTES, KeptRun
from specviz.page.sessions import Sessions

from ..browser.fake_engine import FakeEngine

# caches without a bound: what they are asked by is few, and none of it a visitor's
ENDLESS = {
    "engine/backends/pytorch/fused.py not_fused_reason", "engine/backends/pytorch/graphs.py _stream_and_pool",
    "engine/backends/self_test.py self_test", "engine/compiled/threads.py thread_team", "local.py _cached_drafter", "local.py _cached_target",
    "page/keep/recorded.py load", "page/watch/screen.py render_recorded", "picture/bundle.py bundle", "picture/sheets.py csp_hash",
    "trace/file.py field_reader", "trace/strict.py _line_adapter",
}  # fmt: skip


@pytest.fixture
def holder():
    with gr.Blocks() as blocks:
        gr.State(())
    blocks.state_session_capacity = 20
    holder = Sessions()
    holder.set_blocks(blocks)
    return holder


def visit(holder, who, name, *runs):
    """A session of an address, and what it keeps."""

    def visited():
        client_address.set(who)
        state = holder[name]
        if runs:
            state.state_data[1] = runs
        return state

    return copy_context().run(visited)


def run(size):
    kept_run = KeptRun("id", bytes(size), {})
    KEPT_BYTES.reserve(kept_run, "", size)
    return kept_run


def test_of_one_address_those_seen_last_are_kept(holder):
    stays = visit(holder, "a", "who stays")
    for n in range(25):
        visit(holder, "a", f"visitor {n}")
        assert visit(holder, "a", "who stays") is stays
    assert "visitor 0" not in holder and "visitor 24" in holder


def test_runs_that_are_kept_have_a_bound_in_bytes_and_who_keeps_most_loses_first(holder, monkeypatch):
    before = KEPT_BYTES.taken()
    monkeypatch.setattr(sessions, "KEPT_RUN_BYTES", before + 1000)
    visit(holder, "b", "visitor", run(300))
    for n in range(10):
        visit(holder, "a", f"stranger {n}", run(200))
    visit(holder, "b", "visitor")
    assert "visitor" in holder and "stranger 0" not in holder and "stranger 9" in holder
    assert KEPT_BYTES.taken() - before <= 1000


def test_no_cache_without_a_bound_is_asked_by_what_a_visitor_sends():
    package, endless = Path(sessions.__file__).parents[1], set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.args.args:
                names = {ast.unparse(each) for each in node.decorator_list}
                if names & {"cache", "once", "lru_cache", "lru_cache(None)"}:
                    endless.add(f"{path.relative_to(package).as_posix()} {node.name}")
    assert endless == ENDLESS


# ---- what a session describes, and what a refusal quotes ----


def page():
    with gr.Blocks() as blocks:
        button = gr.DownloadButton("Save", elem_id="save")
    return blocks, button


def test_the_page_names_and_describes_its_components():
    shorten_gradio_messages()
    blocks, button = page()
    [described] = [each for each in blocks.get_config_file()["components"] if each["id"] == button._id]
    assert described["props"]["elem_id"] == "save" and described["api_info"]


def test_a_session_describes_none_and_knows_what_was_updated():
    shorten_gradio_messages()
    blocks, button = page()
    state = SessionState(blocks)
    state[button._id] = changed = gr.DownloadButton("Save", interactive=False, render=False)
    state._update_config(button._id)
    state._update_value_in_config(button._id, "a path")
    assert state[button._id] is changed and not [*state.components]


def test_a_refusal_that_quotes_all_of_a_large_value_is_told_in_one_sentence():
    shorten_gradio_messages()
    with gr.Blocks():
        choice = gr.Dropdown(["one", "two"])
    for value, quoted in (("three", True), ("x" * 10**5, False)):
        with pytest.raises(gr.Error) as refused:
            choice.preprocess(value)
        message = utils.error_payload(refused.value, True)["error"]
        assert len(message) <= ERROR_CHARACTERS and (value in message) == quoted and (message == words.EVENT_FAILED) != quoted


def test_whose_settings_are_no_longer_kept_is_told_so_and_keeps_those_on_the_page():
    page = build(FakeEngine())
    restore_settings = next(each.fn for each in page.fns.values() if each.name == "restore_settings")
    line, *_, prompt = restore_settings(None)[:5]
    assert words.SETTINGS_FORGOTTEN in line and prompt == gr.skip()
