"""A component that a script of ours paints: an empty box, the script's function that is mounted on it, and what that may ask of the server.

component("record", "specviz.record({ element, props, watch, server })", asks=[answer("everything", sent)])
"""

from collections.abc import Callable, Sequence

import gradio as gr

QUICK = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""How an event is wired that takes no time from a run."""


def component(name: str, mount: str, markup: str = "", value: str = "", asks: Sequence[Callable] = (), **props) -> gr.HTML:
    return gr.HTML(
        value,
        html_template=markup,
        js_on_load=mount,
        apply_default_css=False,
        elem_id=name,
        server_functions=list(asks) or None,
        **props,
    )


def answer(name: str, text: Callable[[], str]) -> Callable:
    """What a script asks for by `name`: the same whatever it sends along."""

    def reply(_):
        return text()

    reply.__name__ = name
    return reply
