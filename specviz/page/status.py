"""One line that says what the run is doing, how far it is, or what is wrong. Painted as text by assets/status.js."""

import gradio as gr

from ..picture.view import json_text
from . import words


def status(first: str = "") -> gr.HTML:
    """`first`: what it says before anything happens."""
    return gr.HTML(
        say("linked", message=first) if first else say("idle"),
        html_template='<div class="sv-status" role="status" aria-live="polite"></div>',
        js_on_load="specviz.status({ element, props, watch })",
        apply_default_css=False,
        elem_id="status",
        words=words.STATUS,
    )


def say(state: str, **values) -> str:
    """A state of words.STATUS and what fills it in, or `idle`, or what is wrong in a `message`: `error`, a run that cannot be; `refused`, a file."""
    return json_text({"state": state, **values})
