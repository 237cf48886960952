"""The timeline as a picture file, made in the page from what is drawn there: PNG for slides, SVG for print."""

import json

import gradio as gr

from ...picture.assets import script
from .. import words
from ..status import say


def pictures(status: gr.HTML) -> None:
    with gr.Row(elem_classes="sv-pictures"):
        for kind, word in words.PICTURES.items():
            button = gr.Button(word, size="sm", min_width=0, elem_id=f"picture-{kind}", elem_classes="sv-file")
            button.click(None, None, status, js=_script(kind), queue=False, show_progress="hidden", api_visibility="private")


def _script(kind: str) -> str:
    constants = {
        "FORMAT": kind,
        "NAME": f"specviz-timeline.{kind}",
        "DONE": say("idle", message=words.PICTURED),
        "NONE": say("refused", message=words.NO_PICTURE),
    }
    given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in constants.items())
    return f"(() => {{\nconst {given};\nreturn {script('keep/timeline.js').strip()}\n}})()"
