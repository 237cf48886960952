"""The panel of a record that another engine left: there when a file of one is opened, painted by assets/record/*.js."""

import gradio as gr

from ...picture.record import record_screen
from ...picture.view import json_text
from ...trace.records.record import Record


def record() -> gr.HTML:
    return gr.HTML(
        "",
        html_template="<div></div>",
        js_on_load="specviz.record({ element, props, watch })",
        apply_default_css=False,
        elem_id="record",
    )


def painted(shown: Record | None) -> str:
    """What the panel is given; nothing empties it."""
    return json_text(record_screen(shown)) if shown else ""
