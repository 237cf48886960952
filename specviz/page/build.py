"""The page from top to bottom: a table of contents.

build(engine).launch(**launch_settings(engine))
"""

from collections.abc import Callable, Sequence

import gradio as gr
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from ..picture.charts import timeline
from ..picture.plain import json_text
from ..picture.replay import replay_data
from ..picture.words import SUBTITLE, TITLE
from ..trace.file import FILE_LIMIT
from ..trace.header import Trace
from . import look, words
from .brief import REFUSALS, brief
from .calls import calls
from .classroom.join import routes
from .classroom.play import play
from .component import QUICK
from .compress import CompressedPage
from .engine import Engine
from .guard.allowed import Allowed
from .guard.front import Guard
from .guard.line import WAITING, Line
from .guard.payload import fetch_nothing
from .health import health
from .keep import recorded
from .keep.history import history
from .keep.pictures import pictures
from .lab.tab import lab
from .learn.tab import learn
from .sessions import share_sessions
from .status import status
from .turns import Turns
from .watch.controls import controls
from .watch.race import race
from .watch.record import record
from .watch.run import wire
from .watch.screen import Screen
from .watch.shelf import shelf

# seconds between two looks of gradio at its queue; by itself it looks a thousand times a second, also where nobody is
LOOK = 0.05
SESSIONS = 200  # whose runs are kept here, those seen last; gradio lets ten thousand be, an hour of them each


def build(
    engine: Engine,
    opening: Trace | None = None,
    load: Callable[[str], Trace] = recorded.load,
    turns: Turns | None = None,
    elsewhere: str = "",
) -> gr.Blocks:
    """The whole page. `opening` is a recorded run to show before anything is pressed; `load` gives those that the Lab draws, by
    name; `turns` bounds the runs of all visitors; `elsewhere`: where this server has the site, on which browsers decode."""
    brief()
    fetch_nothing()
    share_sessions()
    turns = turns or Turns()
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False, delete_cache=(3600, 86400)) as page:
        gr.Markdown(f"# {TITLE}\n{SUBTITLE}", elem_id="masthead")
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab(words.WATCH, id="watch", elem_id="watch"):
                asked = controls(engine, opening)
                kept = shelf(opening, asked.examples, elsewhere)
                line = status(turns, words.RECORDED_FIRST if opening else "")
                served = record()
                lanes, plot = race(
                    json_text(replay_data(opening)) if opening else "",
                    between=lambda: gr.Plot(
                        timeline(opening) if opening else None, show_label=False, container=False, elem_id="timeline"
                    ),
                    serves=play(engine),
                )
                pictures(line)
                screen = Screen(line, lanes, plot, kept.files.saves, kept.listed, history())
                wire(page, engine, turns, asked, kept, screen, served)
                if kept.files.copies:
                    page.load(kept.files.copies, None, kept.files.saves, **QUICK)
            with gr.Tab(words.LEARN, id="learn", elem_id="learn-tab"):
                learn(page, engine, tabs, turns, asked, line)
            with gr.Tab(words.LAB, id="lab", elem_id="lab-tab"):
                lab(page, engine, tabs, turns, asked, line, load)
        tickets = calls(engine, turns)
    page.queue(max_size=WAITING, api_open=False)  # nobody runs anything past the queue
    page._queue.sleep_when_free = page._queue.progress_update_sleep_when_free = LOOK
    tickets.wire(page._queue)
    Line(page._queue)
    return page


def launch_settings(
    engine: Engine | None = None,
    turns: Turns | None = None,
    hosts: Sequence[str] = (),
    version: str = "",
    routes_beside: Sequence[BaseRoute] = (),
    mcp: bool = False,
) -> dict:
    """What `launch` needs for a page that calls nobody and keeps nothing. `engine`: for phones of a room, which have routes
    of their own; without it there are none. `turns`: those of the page, for its health. `hosts`: the names by which it is served, none
    for any. `routes_beside`: what else the server answers; `mcp`: the endpoint for models, too."""
    own = [health(turns or Turns(), version), *(routes(engine) if engine else []), *routes_beside]
    return {
        "theme": look.theme(),
        "head": look.head(),
        "footer_links": [],
        "run_history": False,
        "max_file_size": FILE_LIMIT,
        "state_session_capacity": SESSIONS,
        "ssr_mode": False,
        "app_kwargs": {
            "middleware": [Middleware(Guard, hosts=tuple(hosts), allowed=Allowed(own, mcp)), Middleware(CompressedPage)],
            "routes": own,
            "exception_handlers": REFUSALS,
        },
        "enable_monitoring": False,
        "share": False,
    }
