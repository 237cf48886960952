"""What is kept of sessions: no description of every component, and not for ever."""

import gradio as gr
import pytest
from gradio import utils
from gradio.state_holder import SessionState

from specviz.page import words
from specviz.page.brief import SENTENCE, brief
from specviz.page.build import SESSIONS, build, launch_settings

from ..browser.fake_engine import FakeEngine


def page():
    with gr.Blocks() as blocks:
        button = gr.DownloadButton("Save", elem_id="save")
    return blocks, button


def test_the_page_names_and_describes_its_components():
    brief()
    blocks, button = page()
    [described] = [each for each in blocks.get_config_file()["components"] if each["id"] == button._id]
    assert described["props"]["elem_id"] == "save" and described["api_info"]


def test_a_session_describes_none_and_knows_what_was_updated():
    brief()
    blocks, button = page()
    state = SessionState(blocks)
    state[button._id] = changed = gr.DownloadButton("Save", interactive=False, render=False)
    state._update_config(button._id)
    state._update_value_in_config(button._id, "a path")
    assert state[button._id] is changed and not [*state.components]


def test_a_refusal_that_quotes_all_of_a_large_value_is_told_in_one_sentence():
    brief()
    with gr.Blocks():
        choice = gr.Dropdown(["one", "two"])
    for value, quoted in (("three", True), ("x" * 10**5, False)):
        with pytest.raises(gr.Error) as refused:
            choice.preprocess(value)
        told = utils.error_payload(refused.value, True)["error"]
        assert len(told) <= SENTENCE and (value in told) == quoted and (told == words.EVENT_FAILED) != quoted


def test_of_many_sessions_those_seen_last_are_kept():
    with gr.Blocks() as blocks:
        kept = gr.State("nothing")
    settings = launch_settings() | {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    app, _, _ = blocks.launch(**settings)
    try:
        for n in range(SESSIONS + 3):
            app.state_holder[f"visitor {n}"][kept._id] = n
            app.state_holder["who stays"][kept._id] = "a run"
        assert len(app.state_holder.session_data) == SESSIONS
        assert app.state_holder["who stays"][kept._id] == "a run"
        assert app.state_holder["visitor 0"][kept._id] == "nothing"
    finally:
        blocks.close(verbose=False)


def test_whose_settings_are_no_longer_kept_is_told_so_and_keeps_those_on_the_page():
    page = build(FakeEngine())
    put_back = next(each.fn for each in page.fns.values() if each.name == "put_back")
    said, *_, prompt = put_back(None)[:5]
    assert words.SETTINGS_FORGOTTEN in said and prompt == gr.skip()
