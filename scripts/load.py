"""Many visitors at once on the real app, by gradio's own protocol: python -m scripts.load --visitors 50. Ends in one line of JSON.

class_of_30_s       thirty press Run in the same moment: seconds until the last has the race
failed              requests and streams that ended otherwise than they should
leaks               visitors who were sent another one's prompt: each prompt has a word of its own
p95_first_motion_s  from asking for the page until the recorded run and all that the page asks for by itself are there, under load
p95_recorded_s      from choosing a recorded run until it is there, and the same for what Learn draws, under load
p95_wait_s          from Run to the race, under load
p95_honest_page_s   from asking for the page until it is there, and from Run to the race, for one visitor of another address while
p95_honest_run_s    `--flood` tabs of one address press Luck again and again
memory_growth       memory of the server at the end ÷ after a tenth of the time, less one
minutes             what the server holds each minute, in MB

A visitor opens the page, presses Run, asks for the place, looks at a recorded run and at Learn, opens a file, saves the run;
one in five closes the page in mid-run. Then the next one comes. The server is started for it, on this machine's own address only.
"""

import asyncio
import gzip
import json
import re
import secrets
import statistics as st
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Annotated

import httpx
import typer

from scripts.result import print_figures
from scripts.server import memory_mb, served
from specviz.page.keep.recorded import FOLDER

PORT = 7897
CLASS = 30
IDLE = 3  # seconds a connection is kept unused: the server closes it after five, and a request that meets that is lost
ARRIVE = 0.2  # seconds between two who come: a class that is told the address, not a stampede
FLOOD, HONEST = "203.0.113.9", "198.51.100.1"  # addresses for examples, as this machine's proxy would name them
PAUSE = 5.0  # seconds between two visits of the honest one
CANARY = re.compile(r"canary(\d+)x")
STATUS = re.compile(r'message[\\": ]+([^"\\]{1,200})')  # as a status line says it, in the JSON of an event
API = "/gradio_api"


class Tally:
    """What the visitors met."""

    def __init__(self):
        self.requests = self.failed = self.leaks = 0
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
        came = await self.call(begin, leaves)
        if leaves:
            return came
        self.tally.took("wait", began)
        if self.canary not in came:
            self.tally.fail(f"a run without its own prompt: {''.join(STATUS.findall(came)[-1:])}")
        return came

    async def save(self) -> None:
        """What makes the files of a run is asked for once by a page."""
        await self.ask("race", "files", "")

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
                        self.tally.fail("an event that failed")
                    if '"msg":"process_generating"' in line:
                        self.tally.on_event()
                        if leaves:
                            return ""
                    if '"msg":"close_stream"' in line:
                        break
        except httpx.HTTPError as error:
            self.tally.fail(type(error).__name__)
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
            self.tally.fail(f"{type(error).__name__}, {request.url.path[:40]}")
            return ""
        self._see(answer.text)
        if answer.status_code != 200 or (own and self.canary not in answer.text):
            self.tally.fail(f"{answer.status_code}, {request.url.path[:40]}")
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


async def class_seconds(http: httpx.AsyncClient, app: App, tally: Tally) -> float:
    """Until the last of CLASS who press Run in one moment has the race."""
    pupils = [Visitor(http, app, tally) for _ in range(CLASS)]
    for pupil in pupils:
        await pupil.open()
    began = time.perf_counter()
    await asyncio.gather(*(pupil.press() for pupil in pupils))
    took = time.perf_counter() - began
    for pupil in pupils:
        await pupil.close()
    return took


async def crowd(http: httpx.AsyncClient, app: App, tally: Tally, visitors: int, seconds: float, file: bytes, names: list[str]):
    """`visitors` places, each taken by one visitor after the other until the time is over."""
    until = time.perf_counter() + seconds

    async def place(number: int) -> None:
        visit = number
        await asyncio.sleep(ARRIVE * number)
        while time.perf_counter() < until:
            visitor = Visitor(http, app, tally)
            await visitor.open()
            if visit % 5 == 4:
                await visitor.press(leaves=True)
            else:
                await visitor.learn()
                await visitor.recorded(names[visit % len(names)])
                await visitor.press()
                await visitor.save()
                if visit % 3 == 0:
                    await visitor.upload(file)
            await visitor.close()
            visit += 1

    await asyncio.gather(*(place(number) for number in range(visitors)))


def client(**more) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=IDLE)
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=120, limits=limits, **more)


async def flood(app: App, tabs: int) -> None:
    """Tabs of one address that press Luck again and again, until this is cancelled."""

    async def tab() -> None:
        while True:
            await Visitor(http, app, Tally()).fire("lab-luck", "run", {"settings": {"seeds": "100", "length": "256", "K": "4"}})

    async with client(headers={"X-Forwarded-For": FLOOD}) as http:
        await asyncio.gather(*(tab() for _ in range(tabs)))


async def visit_again(app: App, tally: Tally) -> None:
    """One visitor of another address after the other, until this is cancelled."""
    async with client(headers={"X-Forwarded-For": HONEST}) as http:
        while True:
            began = time.perf_counter()
            await http.get("/")
            tally.took("honest_page", began)
            own = Tally()
            await Visitor(http, app, own).press()
            tally.seconds.setdefault("honest_run", []).extend(own.seconds.get("wait", ()))
            for what in own.wrong:
                tally.fail(f"{what}, of another address")
            await asyncio.sleep(PAUSE)


async def watch(process: int, memory: list[float], minutes: list[dict]) -> None:
    """What the server holds, in MB: each second, and each minute with its number."""
    for second in count():
        if (now := memory_mb(process)) is not None:
            memory.append(now)
            if second % 60 == 0:
                minutes.append({"minute": second // 60, "memory_mb": round(now)})
        await asyncio.sleep(1)


async def play(visitors: int, seconds: float, process: int, tally: Tally, tabs: int = 0) -> dict:
    names = sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz"))
    file = gzip.decompress((FOLDER / f"{names[0]}.jsonl.gz").read_bytes())
    async with client() as http:
        app = App(await up(http))
        await Visitor(http, app, Tally()).press()  # the first visit of a server loads what all others share
        figures: dict = {
            "visitors": visitors,
            "seconds": seconds,
            "flood_tabs": tabs,
            "class_of_30_s": await class_seconds(http, app, tally),
        }
        tally.seconds.clear()
        memory: list[float] = []
        minutes: list[dict] = []
        beside = [asyncio.create_task(watch(process, memory, minutes))]
        if tabs:
            beside += [asyncio.create_task(flood(app, tabs)), asyncio.create_task(visit_again(app, tally))]
        await crowd(http, app, tally, visitors, seconds, file, names)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
    settled, last = memory[len(memory) // 10 :][:3], memory[-3:]
    growth = st.mean(last) / st.mean(settled) - 1 if memory else None
    figures |= {
        "requests": tally.requests,
        "failed": tally.failed,
        "leaks": tally.leaks,
        "runs": len(tally.seconds.get("wait", ())),
    }
    figures |= {
        f"p95_{what}_s": tally.p95(what) for what in ("first_motion", "recorded", "learn", "wait", "honest_page", "honest_run")
    }
    return figures | {"memory_mb": last and max(last), "memory_growth": growth, "minutes": minutes}


def main(
    visitors: Annotated[int, typer.Option(min=1, max=100, help="Who are there at once.")] = 50,
    seconds: Annotated[float, typer.Option(min=1, max=7200, help="How long they come and go.")] = 60,
    tabs: Annotated[int, typer.Option("--flood", min=0, max=100, help="Tabs of one address that press Luck meanwhile.")] = 0,
    longest: Annotated[float, typer.Option(min=1, help="Seconds that a run may decode.")] = 20,
):
    """Play them and print; the last line is JSON."""
    tally = Tally()
    with served("app.py", "--port", str(PORT), "--longest", str(longest), port=PORT) as server:
        figures = asyncio.run(play(visitors, seconds, server.pid, tally, tabs))
    for what, times in sorted(tally.seconds.items()):
        print(f"{what:14} {len(times):5} times, median {st.median(times):6.2f} s, p95 {tally.p95(what):6.2f} s")
    for what, times in tally.wrong.items():
        print(f"failed: {what}, {times} times")
    print_figures(figures)


if __name__ == "__main__":
    typer.run(main)
