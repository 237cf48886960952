"""The page from top to bottom: a table of contents.

build(engine).launch(**launch_settings())
"""

from collections.abc import Callable

import gradio as gr

from ..render.charts import timeline as figure
from ..trace import FILE_LIMIT, Trace
from ..view import json_text, picture
from . import assets, recorded, words
from .controls import controls
from .engine import Engine
from .history import history
from .learn import learn
from .pictures import pictures
from .race import race
from .run import wire
from .screen import Screen
from .shelf import shelf
from .status import status
from .timeline import timeline


def build(engine: Engine, opening: Trace | None = None, load: Callable[[str], Trace] = recorded.load) -> gr.Blocks:
    """The whole page. `opening` is a recorded run to show before anything is pressed; `load` gives those that Learn draws, by name."""
    shown = picture(opening) if opening else None
    with gr.Blocks(title=words.TITLE, fill_width=True, analytics_enabled=False, delete_cache=(3600, 86400)) as page:
        gr.Markdown(f"# {words.TITLE}\n{words.TAGLINE}", elem_id="masthead")
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab(words.WATCH, id="watch", elem_id="watch"):
                asked = controls(engine, opening)
                kept = shelf(opening)
                line = status(words.RECORDED_FIRST.format(device=opening.header.machine.device) if opening else "")
                lanes, plot = race(json_text(shown) if shown else "", between=lambda: timeline(figure(shown) if shown else None))
                pictures(line)
                screen = Screen(line, lanes, plot, kept.files.saves, kept.listed, history())
                wire(page, engine, asked, kept, screen)
            with gr.Tab(words.LEARN, id="learn", elem_id="learn-tab"):
                learn(page, engine, tabs, asked, line, load)
    return page


def launch_settings() -> dict:
    """What `launch` needs for a page that calls nobody and keeps nothing."""
    return {
        "theme": assets.theme(),
        "head": assets.head(),
        "footer_links": [],
        "run_history": False,
        "max_file_size": FILE_LIMIT,
        "ssr_mode": False,
        "share": False,
    }
