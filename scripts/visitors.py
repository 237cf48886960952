"""Visitors of the page as programs: what a tab asks of the server, in its order, and what they met (`scripts.load`, `scripts.attack`)."""

import asyncio
import json
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress

import httpx

CANARY = re.compile(r"canary(\d+)x")
FETCHED = re.compile(r'"path":\s?"([^"]+specviz-run\.jsonl)"')
STATUS = re.compile(r'message[\\": ]+([^"\\]{1,200})')  # as a status line says it, in the JSON of an event
API = "/gradio_api"


class Tally:
    """What the visitors met."""

    def __init__(self):
        self.requests = self.failed = self.refused = self.leaks = 0
        self.refusing = False  # whether the server is hindered now, so that it may refuse
        self.seconds: dict[str, list[float]] = {}
        self.wrong: dict[str, int] = {}
        self.on_event: Callable[[], object] = lambda: None  # something of a run has come

    def fail(self, what: str) -> None:
        self.failed += 1
        self.wrong[what] = self.wrong.get(what, 0) + 1

    def took(self, what: str, began: float) -> None:
        self.seconds.setdefault(what, []).append(time.perf_counter() - began)

    def p95(self, what: str) -> float | None:
        times = sorted(self.seconds.get(what, ()))
        return times[min(len(times) - 1, int(0.95 * len(times)))] if times else None


class App:
    """What the page says of itself: its components by their id on the page, its events, and which follows which."""

    def __init__(self, html: str):
        config = json.JSONDecoder().raw_decode(html.split("window.gradio_config = ", 1)[1])[0]
        self.ids = {c["props"]["elem_id"]: c["id"] for c in config["components"] if c["props"].get("elem_id")}
        self.values = {c["id"]: c["props"].get("value") for c in config["components"]}
        self.events = [event for event in config["dependencies"] if event["backend_fn"]]

    def on(self, name: str, event: str) -> list[dict]:
        return [e for e in self.events if [self.ids[name], event] in [list(target) for target in e["targets"]]]

    def after(self, event: dict) -> list[dict]:
        return [e for e in self.events if e.get("trigger_after") == event["id"]]


class Visitor:
    """One tab. Every prompt has a canary in it; what comes back may have no other."""

    count = 0

    def __init__(self, http: httpx.AsyncClient, app: App, tally: Tally):
        Visitor.count += 1
        self.http, self.app, self.tally = http, app, tally
        self.session, self.canary = secrets.token_hex(6), f"canary{Visitor.count}x"
        self.prompt, self.values = f"Once upon a time {self.canary} met a fox", dict(app.values)
        self.heart: asyncio.Task | None = None
        self.refused = False

    def fail(self, what: str) -> None:
        """Lost; or refused, if that began while the server was hindered."""
        self.refused = self.refused or self.tally.refusing
        if self.refused:
            self.tally.refused += 1
        else:
            self.tally.fail(what)

    async def open(self) -> None:
        began = time.perf_counter()
        await self.get("/")
        self.heart = asyncio.create_task(self._beat())
        loads = [e for e in self.app.events if any(target[1] == "load" for target in e["targets"])]
        await asyncio.gather(*(self.call(event) for event in loads))
        await self.fire("said", "linked", {"kept": ""})
        self.tally.took("first_motion", began)

    async def close(self) -> None:
        if self.heart:
            self.heart.cancel()
            with suppress(asyncio.CancelledError):
                await self.heart

    async def press(self, leaves: bool = False) -> str:
        """Run, to the race; or leave as soon as it is under way. Returns what came."""
        self.values[self.app.ids["prompt"]] = self.prompt
        began = time.perf_counter()
        begin = self.app.on("run", "click")[0]
        await self.call(begin)
        came = ""
        for event in self.app.after(begin):
            came += await self.call(event, leaves)
            if leaves:
                return came
            self.tally.took("wait", began)
            for then in self.app.after(event):
                await self.call(then)
                for last in self.app.after(then):
                    await self.call(last)
        if self.canary not in came:
            self.fail(f"a run without its own prompt: {''.join(STATUS.findall(came)[-1:])}")
        return came

    async def fetch(self, came: str) -> None:
        if path := FETCHED.search(came):
            await self.get(f"{API}/file={path[1]}", own=True)

    async def recorded(self, name: str) -> None:
        began = time.perf_counter()
        self.values[self.app.ids["recorded"]] = name
        await self.fire("recorded", "input")
        self.tally.took("recorded", began)

    async def learn(self) -> None:
        began = time.perf_counter()
        await self.ask("learn", "recorded_rounds", None)
        self.tally.took("learn", began)

    async def ask(self, name: str, function: str, data: object) -> str:
        body = {"data": data, "component_id": self.app.ids[name], "session_hash": self.session, "fn_name": function}
        return await self.post(f"{API}/component_server", json=body)

    async def upload(self, data: bytes) -> None:
        answer = await self.post(f"{API}/upload", files={"files": ("run.jsonl", data)})
        if not answer:
            return
        file = {"path": json.loads(answer)[0], "orig_name": "run.jsonl", "size": len(data), "meta": {"_type": "gradio.FileData"}}
        self.values[self.app.ids["open"]] = file
        await self.fire("open", "upload")

    async def fire(self, name: str, what: str, data: object = None) -> None:
        for event in self.app.on(name, what):
            answer = await self.call(event, data=data)
            if event["queue"] is False and answer:
                self._set(event["outputs"], json.loads(answer)["data"])
            for then in self.app.after(event):
                await self.call(then)
                for last in self.app.after(then):
                    await self.call(last)

    def _set(self, outputs: list[int], data: list) -> None:
        """What the page sets in its controls: of other models they offer other drafters, and the server takes no others."""
        for id, value in zip(outputs, data, strict=True):
            if isinstance(value, dict) and value.get("__type__") == "update" and "value" in value:
                self.values[id] = value["value"]

    async def call(self, event: dict, leaves: bool = False, data: object = None) -> str:
        body = {
            "data": [self.values.get(id) for id in event["inputs"]],
            "event_data": data,
            "fn_index": event["id"],
            "session_hash": self.session,
            "trigger_id": event["targets"][0][0] if event["targets"] else None,
        }
        if event["queue"] is False:
            return await self.post(f"{API}/run/predict", json=body)
        if not await self.post(f"{API}/queue/join", json=body):
            return ""
        return await self._stream(leaves)

    async def _stream(self, leaves: bool) -> str:
        came = []
        try:
            async with self.http.stream("GET", f"{API}/queue/data", params={"session_hash": self.session}) as answer:
                async for line in answer.aiter_lines():
                    self._see(line)
                    came.append(line)
                    if '"msg":"process_completed"' in line and '"success":false' in line:
                        self.fail("an event that failed")
                    if '"msg":"process_generating"' in line:
                        self.tally.on_event()
                        if leaves:
                            return ""
                    if '"msg":"close_stream"' in line:
                        break
        except httpx.HTTPError as error:
            self.fail(type(error).__name__)
        return "\n".join(came)

    async def _beat(self) -> None:
        with suppress(httpx.HTTPError):
            async with self.http.stream("GET", f"{API}/heartbeat/{self.session}") as answer:
                async for _ in answer.aiter_lines():
                    pass

    async def get(self, path: str, own: bool = False) -> str:
        return await self._send(self.http.build_request("GET", path), own)

    async def post(self, path: str, **what) -> str:
        return await self._send(self.http.build_request("POST", path, **what))

    async def _send(self, request: httpx.Request, own: bool = False) -> str:
        self.tally.requests += 1
        try:
            answer = await self.http.send(request)
        except httpx.HTTPError as error:
            self.fail(f"{type(error).__name__}, {request.url.path[:40]}")
            return ""
        self._see(answer.text)
        if answer.status_code != 200 or (own and self.canary not in answer.text):
            self.fail(f"{answer.status_code}, {request.url.path[:40]}")
        return answer.text if answer.status_code == 200 else ""

    def _see(self, text: str) -> None:
        if {f"canary{n}x" for n in CANARY.findall(text)} - {self.canary}:
            self.tally.leaks += 1


async def up(http: httpx.AsyncClient) -> str:
    """The page, once the server serves it."""
    for _ in range(600):
        with suppress(httpx.HTTPError):
            return (await http.get("/")).text
        await asyncio.sleep(0.2)
    raise SystemExit("the server did not start")
