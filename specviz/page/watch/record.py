"""The panel of a record that another engine left: there when a file of one is opened, painted by assets/record/*.js. Its script, its
stylesheets and its words are sent with the first: most visits open none.
"""

import gradio as gr

from ...picture.bundle import as_global
from ...picture.plain import json_text
from ...picture.sheets import sheets
from ...picture.words import BROWSER_RECORD
from ..once import once


def record() -> gr.HTML:
    def everything(_):
        return sent()

    return gr.HTML(
        "",
        html_template="<div></div>",
        js_on_load="specviz.record({ element, props, watch, server })",
        apply_default_css=False,
        elem_id="record",
        server_functions=[everything],
    )


@once
def sent() -> str:
    script = as_global("specvizRecord", "record/late.js", after=("page.js",))
    return json_text({"script": script, "style": sheets("record"), "words": BROWSER_RECORD})
