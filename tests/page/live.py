"""A page that is served for a test, by an engine that is a fake, and what a stranger sends it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from scripts.load import API, App
from specviz.page.build import build, launch_settings
from specviz.page.queue import RunQueue

from ..browser.fake_engine import FakeEngine


class Live:
    """`page`: gradio's, which opens with `run`; `app`: what it says of itself; `queue`: who waits; `http` asks it."""

    def __init__(self, engine=None, run=None, **settings):
        engine, self.queue = engine or FakeEngine(), RunQueue()
        self.page = build(engine, run, queue=self.queue)
        _, self.url, _ = self.page.launch(
            prevent_thread_lock=True,
            quiet=True,
            server_name="127.0.0.1",
            **launch_settings(self.page, engine, self.queue, **settings),
        )
        self.http = httpx.Client(base_url=self.url, timeout=60)
        self.app = App(self.http.get("/").text)

    def post(self, path: str, **what) -> httpx.Response:
        return self.http.post(path if path.startswith("/room") else f"{API}/{path}", **what)

    def body(self, event: dict, session: str = "stranger", event_data: object = None, **values) -> dict:
        """What a browser sends of an event: the values that the page begins with, but for `values` by the names of components."""
        own = self.app.values | {self.app.ids[name]: value for name, value in values.items()}
        data = [own.get(id) for id in event["inputs"]]
        return {"data": data, "event_data": event_data, "fn_index": event["id"], "session_hash": session, "trigger_id": None}

    def fire(self, event: dict, session: str = "stranger", event_data: object = None, **values) -> httpx.Response:
        path = "queue/join" if event["queue"] is not False else "run/predict"
        return self.post(path, json=self.body(event, session, event_data, **values))

    def ask(self, name: str, function: str, data: object = None, session: str = "stranger", **what) -> httpx.Response:
        body = {"data": data, "component_id": self.app.ids[name], "session_hash": session, "fn_name": function}
        return self.post("component_server", json=body, **what)

    @contextmanager
    def listens(self, session: str = "stranger") -> Iterator["Stream"]:
        with self.http.stream("GET", f"{API}/queue/data", params={"session_hash": session}) as answer:
            yield Stream(answer.iter_lines())

    def close(self) -> None:
        self.http.close()
        self.page.close(verbose=False)


class Stream:
    def __init__(self, lines: Iterator[str]):
        self._lines = lines

    def until(self, text: str) -> str:
        return next(line for line in self._lines if text in line)


@contextmanager
def served(engine=None, run=None, **settings) -> Iterator[Live]:
    live = Live(engine, run, **settings)
    yield live
    live.close()


def until(true: Callable[[], bool]) -> None:
    """Waits for what another thread does, not longer than it can take."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
