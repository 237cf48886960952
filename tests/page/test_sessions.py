"""Kept runs are an address's own: whoever comes often pushes out nobody else's, and all together stay within a bound."""

import ast
from contextvars import copy_context
from pathlib import Path

import gradio as gr
import pytest

from specviz.page import sessions
from specviz.page.guard.address import asking
from specviz.page.keep.history import KEPT, KeptRun
from specviz.page.sessions import Sessions

# caches without a bound: what they are asked by is few, and none of it a visitor's
ENDLESS = {
    "engine/backends/pytorch/fused.py not_fused_reason", "engine/backends/pytorch/graphs.py _stream_and_pool",
    "engine/backends/self_test.py self_test", "engine/compiled/threads.py thread_team", "local.py _kept_drafter", "local.py _kept_target",
    "page/keep/recorded.py load", "page/watch/screen.py recorded", "picture/bundle.py bundle", "picture/sheets.py allowed",
    "trace/file.py field_reader", "trace/strict.py _reader",
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
        asking.set(who)
        state = holder[name]
        if runs:
            state.state_data[1] = runs
        return state

    return copy_context().run(visited)


def run(size):
    made = KeptRun("id", bytes(size), {})
    KEPT.hold(made, "", size)
    return made


def test_of_one_address_those_seen_last_are_kept(holder):
    for n in range(25):
        visit(holder, "a", f"visitor {n}")
        visit(holder, "a", "who stays")
    assert "who stays" in holder and "visitor 0" not in holder and "visitor 24" in holder


def test_runs_that_are_kept_have_a_bound_in_bytes_and_who_keeps_most_loses_first(holder, monkeypatch):
    before = KEPT.bytes()
    monkeypatch.setattr(sessions, "BYTES", before + 1000)
    visit(holder, "b", "visitor", run(300))
    for n in range(10):
        visit(holder, "a", f"stranger {n}", run(200))
    visit(holder, "b", "visitor")
    assert "visitor" in holder and "stranger 0" not in holder and "stranger 9" in holder
    assert KEPT.bytes() - before <= 1000


def test_no_cache_without_a_bound_is_asked_by_what_a_visitor_sends():
    package, endless = Path(sessions.__file__).parents[1], set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.args.args:
                names = {ast.unparse(each) for each in node.decorator_list}
                if names & {"cache", "once", "lru_cache", "lru_cache(None)"}:
                    endless.add(f"{path.relative_to(package).as_posix()} {node.name}")
    assert endless == ENDLESS
