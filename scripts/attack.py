"""What strangers may try, against a server of its own, and how long others wait meanwhile: python -m scripts.attack. Ends in one line of JSON.

slowest_s        of all honest answers beside any of it; the goal is a second
idle_share       of a core that the server takes while nobody asks
each by name     slowest_s: of the honest answers beside it; the rest counts what came of it: answers by their status, sentences, places

Honest are: the page, a place in the queue, what Learn draws, the health. Who attacks says that it is 203.0.113.9, as a proxy on this
machine would; a full disk is a server that may write no file of more than a few bytes.
"""

import asyncio
import json
import random
import subprocess
import tempfile
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from zlib import compress

import httpx
import typer

from scripts.load import PORT
from scripts.server import memory_mb, processor_seconds, served
from scripts.visitors import API, App, Tally, Visitor, up
from specviz.page.guard.connections import HEAD_SECONDS
from specviz.page.guard.presence import GRACE_SECONDS
from specviz.page.keep.recorded import load
from specviz.trace.file import dumps

BASE = f"http://127.0.0.1:{PORT}"
STRANGER = {"X-Forwarded-For": "203.0.113.9"}
COUNTER = 'vllm:spec_decode_num_drafts_total{engine="0",model_name="x"} 5.0\n'
REQUEST = json.dumps({"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3}) + "\n"
LOG = "INFO 11-22 10:00:00 [loggers.py:1] a line of a server that decodes\n" * 99 + (
    "draft acceptance = 0.64479 (  167 accepted /   259 generated), mean acceptance length =  2.92\n"
)
STALLS = (
    f"POST {API}/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Length: 1000000\r\n"
    'Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nx'
).encode()
SENTENCES = (
    "was not opened",
    "characters: at most",
    "runs wait already",
    "cannot be saved",
    "must be a text",
    "is shown. Runs",
    "of your network address",
)


class Honest(threading.Thread):
    """Somebody who uses the page meanwhile, from another address, and notes how long each answer takes."""

    def __init__(self, app: App):
        super().__init__(daemon=True)
        self.app, self.over, self.ready, self.seconds = app, threading.Event(), threading.Event(), [0.0]
        self.start()
        self.ready.wait()

    def run(self) -> None:
        http = httpx.Client(base_url=BASE, timeout=120, headers={"X-Forwarded-For": "198.51.100.1"})
        body = {"session_hash": "honest", "fn_name": "place", "component_id": self.app.ids["status"], "data": 1}
        learn = body | {"fn_name": "recorded_rounds", "component_id": self.app.ids["learn"], "data": None}
        requests: list[Callable] = [
            lambda: http.get("/healthz"),
            lambda: http.get(f"/?visit={random.random()}"),
            lambda: http.post(f"{API}/component_server", json=body),
            lambda: http.post(f"{API}/component_server", json=learn),
        ]
        for ask in requests:  # the first visit of a server draws what all others share
            ask()
        self.ready.set()
        while not self.over.is_set():
            for ask in requests:
                began = time.perf_counter()
                ask().raise_for_status()
                self.seconds.append(time.perf_counter() - began)
            self.over.wait(0.02)

    def slowest(self) -> float:
        self.over.set()
        self.join()
        return max(self.seconds)


class Stranger:
    def __init__(self, http: httpx.AsyncClient, app: App, server: subprocess.Popen):
        self.http, self.app, self.server = http, app, server

    async def many(self, requests: list) -> dict:
        """How many answers had which status."""
        answers = await asyncio.gather(*requests, return_exceptions=True)
        statuses = (str(a.status_code) if isinstance(a, httpx.Response) else type(a).__name__ for a in answers)
        return dict(Counter(statuses))

    @contextmanager
    def growth(self) -> Iterator[dict]:
        """By how many MB the server's memory has grown, once this is over."""
        before, grown = memory_mb(self.server.pid), dict[str, int | None]()
        yield grown
        after = memory_mb(self.server.pid)
        grown["grew_mb"] = None if before is None or after is None else round(after - before)

    def visitor(self) -> Visitor:
        return Visitor(self.http, self.app, Tally())

    async def opens(self, data: bytes) -> dict:
        """A file, as a visitor opens it, and what is said of it."""
        began, visitor, came = time.perf_counter(), self.visitor(), []
        visitor._see = came.append  # type: ignore[method-assign]
        await visitor.upload(data)
        return {"said": sentence_in("".join(came)), "took_s": round(time.perf_counter() - began, 2)}

    async def doubled_names(self) -> dict:
        return await self.opens(json.dumps({f"name{i}": i for i in range(30_000)}).encode())

    async def deep(self) -> dict:
        return await self.opens(b"[" * 2_000_000)

    async def counters(self) -> dict:
        return await self.opens(COUNTER.encode() * (30_000_000 // len(COUNTER)))

    async def requests(self) -> dict:
        return await self.opens(REQUEST.encode() * 99_999)

    async def log(self) -> dict:
        """A log of 30 MB, and what a run takes alone and beside it."""
        alone, opening = (
            await took(self.visitor().press()),
            asyncio.create_task(self.opens(LOG.encode() * (30_000_000 // len(LOG)))),
        )
        await asyncio.sleep(0.5)
        return {"run_alone_s": alone, "run_beside_s": await took(self.visitor().press()), **await opening}

    async def brackets(self) -> dict:
        """Twelve runs whose prompt is angle brackets, opened by nobody who collects the answer: what the server holds of them."""
        run = load("opening")
        with self.growth() as grown:
            files = [dumps(replace(run, header=replace(run.header, prompt="<" * n))) for n in (390_000, 4_000_000)]
            for data in files * 6:
                visitor = self.visitor()
                visitor._stream = uncollected  # type: ignore[method-assign]
                await visitor.upload(data)
            await asyncio.sleep(GRACE_SECONDS + 3)
            await self.visitor().press()
        return grown

    async def bomb(self) -> dict:
        packed = b64encode(compress(bytes(2**25))).decode()
        visitor, began = self.visitor(), time.perf_counter()
        await visitor.fire("history", "restore", {"runs": [{"source": "run", "data": packed}] * 12})
        return {"took_s": round(time.perf_counter() - began, 2)}

    async def prompt(self) -> dict:
        visitor = self.visitor()
        visitor.prompt = "Once upon a time " * 900_000
        return {"said": sentence_in(await visitor.press())}

    async def race_prompt(self) -> dict:
        return {"said": sentence_in(await self.race(prompt="Once upon a time " * 900_000))}

    async def no_text(self) -> dict:
        return {"said": sentence_in(await self.race(prompt=["a", {"b": 1}]))}

    async def race(self, **values) -> str:
        posted = await self.http.post(f"{API}/call/v2/race", json=values)
        event = posted.json().get("event_id") if posted.status_code == 200 else None
        return (await self.http.get(f"{API}/call/race/{event}")).text if event else posted.text

    async def calls(self) -> dict:
        """Twenty of the longest runs, whose callers hang up."""

        async def one() -> str:
            posted = await self.http.post(f"{API}/call/v2/race", json={"prompt": "Once", "length": 4096})
            with suppress(httpx.TimeoutException):
                return sentence_in((await self.http.get(f"{API}/call/race/{posted.json()['event_id']}", timeout=3)).text)
            return "left"

        answers = dict(Counter(await asyncio.gather(*(one() for _ in range(20)))))
        before = (await self.http.get("/healthz")).json()
        await asyncio.sleep(GRACE_SECONDS + 3)
        after = (await self.http.get("/healthz")).json()
        return {"answers": answers, "waiting": [before["waiting"], after["waiting"]], "running_after": after["running"]}

    async def values(self) -> dict:
        """More values than are taken; as many as are, in what is no call."""
        body, names = b'{"data":[' + b"[]," * 5_000_000 + b"0]}", {f"k{n}": n for n in range(200_000)}
        targets = (("queue/join", {"content": body}), ("run/predict", {"json": names}))
        return await self.many([self.http.post(f"{API}/{path}", **fields) for path, fields in targets * 4])

    async def long(self) -> dict:
        return await self.many([self.http.post(f"{API}/{path}", content=bytes(40_000_000)) for path in ("upload", "queue/join")])

    async def stalled(self) -> dict:
        """Sixteen uploads that stop; what somebody else sends meanwhile; what is left of them."""
        began = time.perf_counter()

        async def stop() -> str:
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
            writer.write(STALLS)
            answer = await reader.read(300)
            with suppress(ConnectionError):
                await reader.read()
            writer.close()
            return answer.split(b" ")[1].decode() if answer else "closed"

        sending = asyncio.gather(*(stop() for _ in range(16)))
        await asyncio.sleep(1)
        other = await self.http.post(f"{API}/upload", files={"files": ("a", b"a")}, headers={"X-Forwarded-For": "198.51.100.2"})
        answers = dict(Counter(await sending))
        return {"answers": answers, "another": other.status_code, "ended_s": round(time.perf_counter() - began, 1)}

    async def memory(self) -> dict:
        """Sixty requests that bring all but their end: what the server holds of them."""
        part, head = bytes(2**20), f"POST {API}/queue/join HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.9\r\n"
        connections = []
        with self.growth() as grown:
            for _ in range(60):
                reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
                writer.write(f"{head}Content-Length: {15 * len(part)}\r\n\r\n".encode())
                with suppress(ConnectionError, TimeoutError):
                    for _ in range(14):
                        writer.write(part)
                        await asyncio.wait_for(writer.drain(), 5)
                connections.append((reader, writer))
        for _, writer in connections:
            writer.close()
        return grown

    async def nothing(self) -> dict:
        """Calls of what is not there, and of what is with nothing."""
        wrong = [
            ("call/v2/race", {}),
            ("call/nothing", {"data": []}),
            ("queue/join", {"data": [], "fn_index": 10**8, "session_hash": "x"}),
        ]
        return await self.many([self.http.post(f"{API}/{path}", json=body) for path, body in wrong * 20])

    async def silent(self) -> dict:
        """A thousand sockets that ask for nothing."""
        connections = []
        for _ in range(1000):
            with suppress(OSError):
                connections.append(await asyncio.open_connection("127.0.0.1", PORT, local_addr=("127.0.0.2", 0)))
        await asyncio.sleep(1)
        open_ = sum(not reader.at_eof() and reader.exception() is None for reader, _ in connections)
        await asyncio.sleep(HEAD_SECONDS + 1)
        later = sum(not reader.at_eof() and reader.exception() is None for reader, _ in connections)
        for _, writer in connections:
            writer.close()
        return {"opened": len(connections), "held": open_, "held_later": later}

    async def rooms(self) -> dict:
        answers = [await self.panel("room_open", prompt="Once upon a time") for _ in range(40)]
        code = next(answer["code"] for answer in answers if "code" in answer)
        seats = [(await self.http.post(f"/room/{code}/join", json={"name": str(n)})).json() for n in range(60)]
        for answer in answers:
            if "code" in answer:
                await self.panel("room_close", code=answer["code"], key=answer["key"])
        return {"rooms": sum("code" in answer for answer in answers), "seats": sum("round" in seat for seat in seats)}

    async def panel(self, name: str, **fields) -> dict:
        body = {"data": fields, "component_id": self.app.ids["lab-classroom"], "session_hash": "stranger", "fn_name": name}
        return json.loads((await self.http.post(f"{API}/component_server", json=body)).json())

    async def codes(self) -> dict:
        tried = [(await self.http.post(f"/room/a{n}/look", json={})).json()["error"] for n in range(3000)]
        return {"tried": sum("no such room" in error for error in tried), "refused": sum("Too many" in error for error in tried)}

    async def foreign(self) -> dict:
        file = {"files": ("a", b"a")}
        origin = await self.http.post(f"{API}/upload", files=file, headers={"Origin": "http://evil.example"})
        host = await self.http.get("/", headers={"Host": "evil.example"})
        return {"origin": origin.status_code, "host": host.status_code}

    async def addresses(self) -> dict:
        """Files that are addresses, and the server as a proxy."""
        visitor, file = self.visitor(), {"path": f"{BASE}/healthz", "meta": {"_type": "gradio.FileData"}}
        [event] = self.app.on("open", "upload")[1:2]
        body = {"data": [file], "fn_index": event["id"], "session_hash": visitor.session}
        paths = (f"file={BASE}/healthz", "file=https://example.org/", "proxy=http://example.org/", "dev/reload", "deep_link")
        posted = [self.http.get(f"{API}/{path}") for path in paths]
        return await self.many([*posted, self.http.post(f"{API}/queue/join", json=body)])

    async def queued(self) -> dict:
        """Sixty bodies of 15 MB that wait behind a long run: what the server holds of them."""
        await self.many([self.http.post(f"{API}/call/v2/race", json={"prompt": "Once", "length": 4096})])
        [restore] = self.app.on("history", "restore")
        body = {"data": [None], "fn_index": restore["id"], "event_data": {"runs": ["x" * 15_000_000]}}
        with self.growth() as grown:
            posted = [self.http.post(f"{API}/queue/join", json=body | {"session_hash": f"queued{n}"}) for n in range(60)]
            answers = await self.many(posted)
        return answers | grown

    async def sessions(self) -> dict:
        """Fifty sessions that are to keep 15 MB each."""
        [begin] = self.app.on("lab-luck", "run")
        body = {"data": [], "fn_index": begin["id"], "event_data": {"settings": {"prompt": "x" * 15_000_000}}}
        with self.growth() as grown:
            for n in range(50):
                await self.http.post(f"{API}/run/predict", json=body | {"session_hash": f"kept{n}"})
        return grown

    async def passes(self) -> dict:
        """Three hundred who want passes timed: how many wait."""
        [begin] = self.app.on("learn", "measure")
        body = {"data": [], "fn_index": begin["id"], "event_data": {}}
        posted = [self.http.post(f"{API}/run/predict", json=body | {"session_hash": f"passes{n}"}) for n in range(300)]
        return {**await self.many(posted), "waiting": (await self.http.get("/healthz")).json()["waiting"]}

    async def tabs(self) -> dict:
        """Nine tabs of the longest runs, and what somebody at another address is told meanwhile."""
        [begin] = self.app.on("run", "click")
        ask = {"data": [4096], "fn_index": begin["id"], "event_data": {}}
        for n in range(9):
            await self.http.post(f"{API}/run/predict", json=ask | {"session_hash": f"tab{n}"})
        other = ask | {"data": [96], "session_hash": "other"}
        answer = await self.http.post(f"{API}/run/predict", json=other, headers={"X-Forwarded-For": "198.51.100.2"})
        return {"waiting": (await self.http.get("/healthz")).json()["waiting"], "another_waits": "waiting" in answer.text}

    async def functions(self) -> dict:
        """Two hundred at once who have a component compute."""
        score = {"prompt": "Once upon a time", "guess": "there was", "temperature": 0, "seed": 1}
        body = {"component_id": self.app.ids["lab-classroom"], "session_hash": "score", "fn_name": "room_open", "data": score}
        return await self.many([self.http.post(f"{API}/component_server", json=body) for _ in range(200)])

    async def streams(self) -> dict:
        """Three hundred streams that only stay open."""

        async def stay(n: int) -> httpx.Response:
            async with self.http.stream("GET", f"{API}/heartbeat/stream{n}") as answer:
                if answer.status_code == 200:
                    await asyncio.sleep(5)
                return answer

        return await self.many([stay(n) for n in range(300)])

    async def pages(self) -> dict:
        """Two hundred pages, each asked for in another way."""
        posted = [self.http.get(f"/?{random.random()}", headers={"X-Any": str(n), "Cookie": f"a={n}"}) for n in range(200)]
        return await self.many(posted)

    async def full_disk(self) -> dict:
        try:
            import resource
        except ImportError:
            return {}
        before = resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        try:
            upload = await self.http.post(f"{API}/upload", files={"files": ("a", bytes(100_000))})
            return {"upload": upload.status_code, "run": sentence_in(await self.visitor().press())}
        finally:
            resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, before)


ATTACKS = [
    "doubled_names",
    "deep",
    "counters",
    "requests",
    "log",
    "brackets",
    "bomb",
    "prompt",
    "race_prompt",
    "no_text",
    "calls",
    "values",
    "long",
    "stalled",
    "memory",
    "nothing",
    "silent",
    "rooms",
    "codes",
    "foreign",
    "full_disk",
    "addresses",
    "queued",
    "sessions",
    "passes",
    "tabs",
    "functions",
    "streams",
    "pages",
]


async def uncollected(leaves: bool) -> str:
    return ""


async def took(what) -> float:
    began = time.perf_counter()
    await what
    return round(time.perf_counter() - began, 2)


def sentence_in(text: str) -> str:
    """The sentence that a stranger was told, as far as it tells which one it was."""
    return next((known for known in SENTENCES if known in text), "a race" if "shapes" in text else "nothing of it")


async def play(server: subprocess.Popen, names: list[str], idle: float) -> dict:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=BASE, timeout=300, limits=limits, headers=STRANGER) as http:
        app = App(await up(http))
        await Visitor(http, app, Tally()).press()
        await http.aclose()
    await asyncio.sleep(6)  # what was kept alive closes
    before = processor_seconds(server.pid)
    await asyncio.sleep(idle)
    after = processor_seconds(server.pid)
    figures: dict = {"idle_share": None if before is None or after is None else round((after - before) / idle, 4)}
    for name in names:
        async with httpx.AsyncClient(base_url=BASE, timeout=300, limits=limits, headers=STRANGER) as http:
            honest = Honest(app)
            result = await getattr(Stranger(http, app, server), name)()
            figures[name] = {"slowest_s": round(await asyncio.to_thread(honest.slowest), 3), **result}
            print(f"{name:14} {figures[name]}", flush=True)
    return figures


async def end(server: subprocess.Popen) -> None:
    """SIGTERM in the middle of a run."""
    async with httpx.AsyncClient(base_url=BASE, timeout=60) as http:
        visitor = Visitor(http, App(await up(http)), Tally())
        visitor.values[visitor.app.ids["length"]] = 2000
        visitor.tally.on_event = server.terminate
        await visitor.press()


def main(
    only: Annotated[str, typer.Option(help=f"Some of {', '.join(ATTACKS)}, with commas.")] = "",
    idle: Annotated[float, typer.Option(min=1, help="Seconds in which nobody asks.")] = 20,
):
    """Try it all and print; the last line is JSON."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as log:
        command = ("app.py", "--port", str(PORT), "--longest", "30")
        with served(*command, port=PORT, stderr=log, GRADIO_TEMP_DIR=folder) as server:
            figures = asyncio.run(play(server, only.split(",") if only else ATTACKS, idle))
            log.truncate(0)
            asyncio.run(end(server))
            code = server.wait(30)
        log.seek(0)
        figures["sigterm"] = {"code": code, "lines_said": len(log.readlines()), "files_left": len(list(Path(folder).rglob("*")))}
    figures["slowest_s"] = max(each.get("slowest_s", 0) for each in figures.values() if isinstance(each, dict))
    print(json.dumps(figures))


if __name__ == "__main__":
    typer.run(main)
