"""A component that a script of ours paints: an empty box, the script's function that is mounted on it, and what that may ask of the server.

component("record", "specviz.record({ element, props, watch, server })", asks=[answer("everything", sent)])
"""

from collections.abc import Callable, Container, Sequence

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


def tab_of_address(tab: str, parameter: str, values: Container[str]) -> Callable:
    """Selects `tab` where the address has one of these values: `?chapter=5` is in Learn."""

    def select_tab(request: gr.Request):
        return gr.Tabs(selected=tab) if request.query_params.get(parameter, "") in values else gr.skip()

    return select_tab
