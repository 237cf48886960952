"""The race, its player, the inspector and the numbers: one component, given one picture as JSON, that paints itself in the page.

The markup is two empty boxes with the timeline between them. Values reach the page through `textContent` in
assets/watch/*.js; a template would run them as markup.
"""

from collections.abc import Callable, Sequence

import gradio as gr

TEMPLATE = '<section class="sv-race"></section>@children<div class="sv-detail"></div>'


def race(
    value: str = "", between: Callable[[], gr.Plot] | None = None, serves: Sequence[Callable] = ()
) -> tuple[gr.HTML, gr.Plot | None]:
    """`between` makes what stands between the lanes and the inspector; `serves`: what the game of the story asks."""
    with gr.HTML(
        value,
        html_template=TEMPLATE,
        js_on_load="specviz.race({ element, props, watch, server })",
        apply_default_css=False,
        elem_id="race",
        server_functions=list(serves) or None,
    ) as box:
        inside = between() if between else None
    return box, inside
