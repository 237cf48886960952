"""The timeline as a picture file, made in the page from what is drawn there: PNG for slides, SVG for print."""

import json

import gradio as gr

from .. import words
from ..status import status_text


def pictures(status: gr.HTML) -> None:
    with gr.Row(elem_classes="sv-pictures"):
        for kind, word in words.PICTURES.items():
            button = gr.Button(word, size="sm", min_width=0, elem_id=f"picture-{kind}", elem_classes="sv-file")
            button.click(None, None, status, js=_script(kind), queue=False, show_progress="hidden", api_visibility="private")


def _script(kind: str) -> str:
    given = kind, status_text("idle", message=words.PICTURED), status_text("refused", message=words.NO_PICTURE)
    return f"() => specviz.savePicture({', '.join(map(json.dumps, given))})"
