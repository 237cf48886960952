"""The race, its player, the inspector and the numbers: one component, given one picture as JSON, that paints itself in the page.

The markup is two empty boxes with the timeline between them. Values reach the page through `textContent` in
assets/watch/*.js; a template would run them as markup.
"""

from collections.abc import Callable, Sequence

import gradio as gr

from ...picture.bundle import as_global
from ...picture.plain import json_text
from ..component import answer, component
from ..once import once

TEMPLATE = '<section class="sv-race"></section>@children<div class="sv-detail"></div>'


def race(
    value: str = "", between: Callable[[], gr.Plot] | None = None, serves: Sequence[Callable] = ()
) -> tuple[gr.HTML, gr.Plot | None]:
    """`between` makes what stands between the lanes and the inspector; `serves`: what the game of the story asks."""
    mount = "specviz.race({ element, props, watch, server })"
    with component("race", mount, TEMPLATE, value, [answer("inspection", sent), answer("rounds", table), *serves]) as box:
        inside = between() if between else None
    return box, inside


@once
def sent() -> str:
    """The script that draws what a chosen token is explained with: sent with the first that is chosen."""
    return json_text({"script": as_global("specvizInspection", "watch/inspection.js", after=("page.js",))})


@once
def table() -> str:
    """The script that writes the table of rounds: sent when one is first saved."""
    return json_text({"script": as_global("specvizRounds", "picture/rounds.js", after=("page.js",))})
