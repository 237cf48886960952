"""One line that says what the run is doing, how far it is, or what is wrong. Painted as text by assets/status.js."""

from dataclasses import asdict

import gradio as gr

from ..picture.plain import json_text
from . import words
from .component import component
from .turns import Turns


def status(turns: Turns, first: str = "") -> gr.HTML:
    """`turns`: who waits for a timed run. `first`: what it says before anything happens."""

    def place(ticket):
        """Asked again and again by whoever waits; null where that is over."""
        position = turns.place(ticket) if type(ticket) is int else None
        return json_text(asdict(position) if position else None)

    mount, value = "specviz.status({ element, props, watch, server })", status_text("linked", message=first)
    return component(
        "status", mount, '<div class="sv-status" role="status" aria-live="polite"></div>', value, [place], words=words.STATUS
    )


def status_text(state: str, **values) -> str:
    """A state of words.STATUS and what fills it in, or `idle`, or what is wrong in a `message`: `error`, a run that cannot be; `refused`, a file;
    `decode`: Run is pressed.
    `learn`: the words of a button that leads to Learn."""
    return json_text({"state": state, **values})
