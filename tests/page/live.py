"""A page that is served for a test, by an engine that is a fake, and what a stranger sends it."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from specviz.page.build import build, launch_settings
from specviz.page.turns import Turns

from ..browser.fake_engine import FakeEngine

API = "/gradio_api"


@contextmanager
def served(engine=None, turns: Turns | None = None, **settings) -> Iterator[httpx.Client]:
    engine, turns = engine or FakeEngine(), turns or Turns()
    page = build(engine, turns=turns)
    _, url, _ = page.launch(
        prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings(engine, turns, **settings)
    )
    with httpx.Client(base_url=url, timeout=30) as http:
        http.page = page  # type: ignore[attr-defined]
        yield http
    page.close(verbose=False)


def component(page, name: str) -> int:
    """The number that gradio gave to what is called `name` on the page."""
    return next(one._id for one in page.blocks.values() if getattr(one, "elem_id", None) == name)


def function(page, name: str, event: str, nth: int = 0) -> int:
    target = (component(page, name), event)
    return [index for index, one in page.fns.items() if target in [tuple(each) for each in one.targets]][nth]


def body_of(page, name: str, event: str, *data, session: str = "stranger", sent: object = None, nth: int = 0) -> dict:
    """What a browser sends of an event; a stranger's `data` may be anything, and what is left out is null."""
    index = function(page, name, event, nth)
    values = [*data, *[None] * (len(page.fns[index].inputs) - len(data))]
    return {"data": values, "event_data": sent, "fn_index": index, "session_hash": session, "trigger_id": component(page, name)}
