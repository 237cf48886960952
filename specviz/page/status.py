"""One line that says what the run is doing, how far it is, or what is wrong. Painted as text by assets/status.js."""

import gradio as gr

from ..picture.replay import json_text
from ..words import page as words
from .component import component


def status(first: str = "") -> gr.HTML:
    """`first`: what it says before anything happens."""
    mount, value = "specviz.status({ element, props, watch })", status_text("linked", message=first)
    return component("status", mount, '<div class="sv-status" role="status" aria-live="polite"></div>', value, words=words.STATUS)


def status_text(state: str, **values) -> str:
    """A state of words.STATUS and what fills it in, or `idle`, or what is wrong in a `message`: `error`, a run that cannot be;
    `refused`, a file; `decode`: Run is pressed.
    `learn`: the words of a button that leads to Learn."""
    return json_text({"state": state, **values})
