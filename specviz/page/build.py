"""The page from top to bottom: a table of contents.

page = build(engine)
page.launch(**launch_settings(page, engine))
"""

from collections.abc import Callable, Sequence

import gradio as gr
from fastapi.exceptions import RequestValidationError
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from ..trace.events import Trace
from ..trace.file import FILE_LIMIT
from ..words import page as words
from ..words import picture
from . import look
from .calls import calls
from .classroom.messages import game_functions, routes
from .compress import CompressedPage
from .engine import Engine
from .gradio_patches import patch
from .guard.front import AllowedRoutes, Guard
from .keep import recorded
from .keep.files import history, save_picture
from .lab.panel import PanelContext
from .lab.tab import lab
from .learn.tab import learn
from .queue import WAITING as WAITING_RUNS
from .queue import RunQueue
from .status import status
from .watch.controls import controls
from .watch.race import Race, record
from .watch.run import Screen, wire_run
from .watch.shelf import shelf, wire_shelf

QUEUED_EVENTS = 256  # events that wait for gradio at once: most begin at once
THREADS = 40  # events at once, beside those that wait for a run
SESSIONS = 2000  # whose settings are kept here, those seen last; gradio lets ten thousand be


def build(
    engine: Engine,
    opening: Trace | None = None,
    load: Callable[[str], Trace] = recorded.load,
    queue: RunQueue | None = None,
    site_address: str = "",
) -> gr.Blocks:
    """The whole page. `opening` is a recorded run to show before anything is pressed; `load` gives those that the Lab draws, by
    name; `queue` says who decodes next; `site_address`: where this server has the site, on which browsers decode."""
    queue = queue or RunQueue()
    with gr.Blocks(title=picture.TITLE, fill_width=True, analytics_enabled=False, delete_cache=(3600, 86400)) as page:
        gr.Markdown(f"# {picture.TITLE}\n{picture.SUBTITLE}", elem_id="masthead")
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab(words.WATCH, id="watch", elem_id="watch"):
                run_controls = controls(engine, opening)
                run_shelf = shelf(opening, run_controls.menu, site_address)
                line = status(words.RECORDED_FIRST if opening else "")
                record_box = record()
                lanes = Race(opening, game_functions(engine, queue), alone=False)
                save_picture(line)
                screen = Screen(line, lanes, run_shelf.recorded_list, history())
                wire_shelf(run_controls, run_shelf, screen)
                wire_run(page, engine, queue, run_controls, run_shelf.files.open, screen, record_box)
            with gr.Tab(words.LEARN, id="learn", elem_id="learn-tab"):
                learn(page, engine, tabs, queue, run_controls, line)
            with gr.Tab(words.LAB, id="lab", elem_id="lab-tab"):
                lab(page, tabs, line, PanelContext(engine, queue, run_controls, load))
        calls(engine, queue)
    page.queue(max_size=QUEUED_EVENTS, api_open=False)  # nobody runs anything past the queue
    patch(page)
    return page


def launch_settings(
    page: gr.Blocks,
    engine: Engine | None = None,
    queue: RunQueue | None = None,
    hosts: Sequence[str] = (),
    version: str = "",
    routes_beside: Sequence[BaseRoute] = (),
    mcp: bool = False,
    lan: Callable[[], str | None] = lambda: None,
) -> dict:
    """What `launch` needs for a page that calls nobody and keeps nothing. `engine`: for phones of a room, which have routes
    of their own; without it there are none. `queue`: that of the page, for its health. `hosts`: the names by which it is served, none
    for any. `routes_beside`: what else the server answers; `mcp`: the endpoint for models, too; `lan`: the address at which other machines
    of the network reach this one, asked whenever the page is made: a laptop goes from one network to another."""
    own = [health(queue or RunQueue(), version), look.plotly(), *(routes(engine) if engine else []), *routes_beside]
    return {
        "theme": look.theme(),
        "head": look.head(),
        "footer_links": [],
        "run_history": False,
        "max_file_size": FILE_LIMIT,
        "state_session_capacity": SESSIONS,
        "max_threads": WAITING_RUNS + THREADS,
        "ssr_mode": False,
        "app_kwargs": {
            "middleware": [
                Middleware(Guard, hosts=tuple(hosts), routes=AllowedRoutes(own, mcp), large=functions_of_runs(page)),
                Middleware(CompressedPage, lan=lan),
            ],
            "routes": own,
            "exception_handlers": {RequestValidationError: refuse_call},
        },
        "enable_monitoring": False,
        "share": False,
    }


def health(queue: RunQueue, version: str) -> Route:
    """/healthz, for what watches over a server: {"ready": true, "version": "0.2.0", "waiting": 3, "running": 1}. Ready from the
    first answer until it closes down, when whoever sends visitors here is to send them elsewhere (503)."""

    async def answer(_: Request) -> JSONResponse:
        waiting, running = queue.counts()
        ready = not queue.closed
        body = {"ready": ready, "version": version, "waiting": waiting, "running": running}
        return JSONResponse(body, 200 if ready else 503, {"Cache-Control": "no-store"})

    return Route("/healthz", answer)


def functions_of_runs(page: gr.Blocks) -> frozenset[int]:
    """The functions to which a browser hands back a run: no other takes a long body."""
    return frozenset(one["id"] for one in page.config["dependencies"] if any(event == "again" for _, event in one["targets"]))


async def refuse_call(request: Request, error: Exception) -> JSONResponse:
    """What a body that is no call is answered: gradio would send all of it back, which takes seconds where it has many values."""
    return JSONResponse({"detail": words.CALL_WRONG}, 400)
