"""The tab Learn: nine chapters, each one idea, drawn in the page from recorded runs."""

import gradio as gr

from . import lessons
from .controls import Controls
from .engine import Engine


def learn(page: gr.Blocks, engine: Engine, tabs: gr.Tabs, controls: Controls) -> None:
    gr.Markdown("\n".join(f"{n}. {title}" for n, title in enumerate(lessons.TITLES, 1)))
