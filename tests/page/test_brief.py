"""A session is kept without a description of every component; the page that is sent has all of them."""

import gradio as gr
from gradio.state_holder import SessionState

from specviz.page.brief import brief


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
