"""What the page makes itself of the run that is shown: its timeline as PNG for slides or SVG for print, its rounds as a table."""

import json

import gradio as gr

from .. import words
from ..component import QUICK
from ..status import status_text

ROUNDS = "specviz-rounds.csv"


def pictures(status: gr.HTML) -> None:
    with gr.Row(elem_classes="sv-pictures"):
        for kind, word in words.PICTURES.items():
            _saves(file_button(f"picture-{kind}", word), status, "savePicture", kind, words.PICTURED)


def save_rounds(button: gr.Button, status: gr.HTML) -> None:
    _saves(button, status, "saveRounds", ROUNDS, words.ROUNDS_SAVED, words.ROUNDS_LOST)


def file_button(name: str, word: str) -> gr.Button:
    return gr.Button(word, size="sm", min_width=0, elem_id=name, elem_classes="sv-file")


def _saves(button: gr.Button, status: gr.HTML, function: str, what: str, done: str, *lost: str) -> None:
    refused = [status_text("refused", message=sentence) for sentence in (words.NOTHING_TO_SAVE, *lost)]
    given = what, status_text("idle", message=done), *refused
    js = f"() => specviz.{function}({', '.join(map(json.dumps, given))})"
    button.click(None, None, status, js=js, **QUICK)
