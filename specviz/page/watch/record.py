"""The panel of a record that another engine left: there when a file of one is opened, painted by assets/record/*.js. Its script, its
stylesheets and its words are sent with the first: most visits open none.
"""

import gradio as gr

from ...picture.bundle import as_global
from ...picture.plain import json_text
from ...picture.sheets import sheets
from ...picture.words import BROWSER_RECORD
from ..component import answer, component
from ..once import once


def record() -> gr.HTML:
    mount = "specviz.record({ element, props, watch, server })"
    return component("record", mount, "<div></div>", asks=[answer("everything", sent)])


@once
def sent() -> str:
    script = as_global("specvizRecord", "record/late.js", after=("page.js",))
    return json_text({"script": script, "style": sheets("record"), "words": BROWSER_RECORD})
