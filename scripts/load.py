"""Many visitors at once on the real app, by gradio's own protocol: python -m scripts.load --visitors 50. Ends in one line of JSON.

class_of_30_s       thirty press Run in the same moment: seconds until the last has the race
votes, p95_vote_ms  the same thirty answer a chapter's question on phones while they do: votes that were counted, and how long one waits
failed              requests and streams that ended otherwise than they should
leaks               visitors who were sent another one's prompt: each prompt has a word of its own
p95_first_motion_s  from asking for the page until the recorded run and all that the page asks for by itself are there, under load
p95_recorded_s      from choosing a recorded run until it is there, and the same for what Learn draws, under load
p95_wait_s          from Run to the race, under load
memory_growth       memory of the server at the end ÷ after a tenth of the time, less one
minutes             what the server holds each minute: memory, threads, open files, temporary files
with --faults       refused: what failed while the disk was full, which is no loss; dropped: connections that were reset, half a request each;
                    full: how often the disk was; again: whether a run was whole after a kill in mid-run and a new start

A visitor opens the page, presses Run, asks for the place, looks at a recorded run and at Learn, opens a file, fetches the trace; one in five
closes the page in mid-run. Then the next one comes. The server is started for it, on this machine's own address only.
"""

import asyncio
import gzip
import json
import statistics as st
import subprocess
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated

import httpx
import typer

from scripts.faults import drop_requests, fill_disk
from scripts.result import print_figures
from scripts.server import memory_mb, served
from scripts.visitors import App, Tally, Visitor, up
from specviz.page.keep.recorded import FOLDER

PORT = 7897
CLASS = 30
IDLE = 3  # seconds a connection is kept unused: the server closes it after five, and a request that meets that is lost
ARRIVE = 0.2  # seconds between two who come: a class that is told the address, not a stampede


async def vote(http: httpx.AsyncClient, app: App, tally: Tally) -> dict:
    """A teacher asks a chapter's question; CLASS phones join the room and answer in one moment. How many votes came, and p95 of one."""
    teacher = Visitor(http, app, tally)

    async def ask(what: str, **fields) -> dict:
        return json.loads(json.loads(await teacher.ask("learn", what, fields)))

    opened = await ask("room_open", prompt="Once upon a time")
    own = {name: opened[name] for name in ("code", "key")}
    await ask("room_ask", **own, about="accept")

    async def phone(what: str, **fields) -> dict:
        return json.loads(await teacher.post(f"/room/{own['code']}/{what}", json=fields))

    async def answer(n: int) -> float:
        seat = (await phone("join", name=f"Pupil {n}"))["seat"]
        began = time.perf_counter()
        await phone("vote", seat=seat, about="accept", choice=n % 4)
        return (time.perf_counter() - began) * 1e3

    took = sorted(await asyncio.gather(*(answer(n) for n in range(CLASS))))
    votes = (await ask("room_look", **own))["poll"]["voted"]
    await ask("room_close", **own)
    return {"votes": votes, "p95_vote_ms": round(took[int(0.95 * len(took))], 1)}


async def class_of(http: httpx.AsyncClient, app: App, tally: Tally) -> dict:
    """Seconds until the last of CLASS who press Run in one moment has the race, and what became of their votes meanwhile."""
    pupils = [Visitor(http, app, tally) for _ in range(CLASS)]
    for pupil in pupils:
        await pupil.open()
    began = time.perf_counter()
    voting = asyncio.create_task(vote(http, app, tally))
    await asyncio.gather(*(pupil.press() for pupil in pupils))
    took = time.perf_counter() - began
    for pupil in pupils:
        await pupil.close()
    return {"class_of_30_s": took, **await voting}


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
                await asyncio.gather(visitor.ask("status", "place", 1), visitor.learn())
                await visitor.recorded(names[visit % len(names)])
                came = await visitor.press()
                await visitor.fetch(came)
                if visit % 3 == 0:
                    await visitor.upload(file)
            await visitor.close()
            visit += 1

    await asyncio.gather(*(place(number) for number in range(visitors)))


def resources(process: int, port: int = PORT) -> dict:
    """What the server on `port` holds: threads, open files, and MB in its folder of temporary files; nothing where nobody says."""
    own = Path(f"/proc/{process}")
    try:
        counts = {"threads": len(list((own / "task").iterdir())), "files": len(list((own / "fd").iterdir()))}
    except OSError:
        return {}
    sizes = (f.stat().st_size for f in Path(gettempdir()).glob(f"specviz-{port}-*/**/*"))
    with suppress(OSError):  # of a file that has just gone
        counts["temporary_mb"] = round(sum(sizes) / 1e6)
    return counts


async def watch(process: int, memory: list[float], minutes: list[dict]) -> None:
    """What the server holds: its memory each second, in MB, and all of it each minute."""
    for second in count():
        if (now := memory_mb(process)) is not None:
            memory.append(now)
            if second % 60 == 0:
                minutes.append({"minute": second // 60, "memory_mb": round(now), **resources(process)})
        await asyncio.sleep(1)


async def play(visitors: int, seconds: float, process: int, tally: Tally, hindered: bool) -> dict:
    names = sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz"))
    file = gzip.decompress((FOLDER / f"{names[0]}.jsonl.gz").read_bytes())
    async with http_client() as http:
        app = App(await up(http))
        await Visitor(http, app, Tally()).press()  # the first visit of a server loads what all others share
        figures: dict = {"visitors": visitors, "seconds": seconds, **await class_of(http, app, tally)}
        tally.seconds.clear()
        memory: list[float] = []
        counts: Counter[str] = Counter()
        minutes: list[dict] = []
        beside = [watch(process, memory, minutes)]
        if hindered:
            beside += [drop_requests(PORT, counts), fill_disk(process, tally, counts)]
        tasks = [asyncio.create_task(each) for each in beside]
        await crowd(http, app, tally, visitors, seconds, file, names)
        for task in tasks:
            task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if not isinstance(ended, asyncio.CancelledError):
            raise ended
    settled, last = memory[len(memory) // 10 :][:3], memory[-3:]
    growth = st.mean(last) / st.mean(settled) - 1 if memory else None
    figures |= {
        "requests": tally.requests,
        "failed": tally.failed,
        "leaks": tally.leaks,
        "runs": len(tally.seconds.get("wait", ())),
    }
    figures |= {f"p95_{what}_s": tally.p95(what) for what in ("first_motion", "recorded", "learn", "wait")}
    figures |= {"refused": tally.refused, **counts} if hindered else {}
    return figures | {"memory_mb": last and max(last), "memory_growth": growth, "minutes": minutes}


def http_client() -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=IDLE)
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=120, limits=limits)


async def killed(server: subprocess.Popen) -> int:
    """The server is killed as soon as a run is under way: 1 if a new one serves a whole run then, 0 if not."""
    async with http_client() as http:
        visitor = Visitor(http, App(await up(http)), Tally())
        visitor.tally.on_event = server.kill
        await visitor.press()
    server.wait(30)
    tally = Tally()
    with served(port=PORT):
        async with http_client() as http:
            await Visitor(http, App(await up(http)), tally).press()
    return int(not tally.failed)


def main(
    visitors: Annotated[int, typer.Option(min=1, max=100, help="Who are there at once.")] = 50,
    seconds: Annotated[float, typer.Option(min=1, max=7200, help="How long they come and go.")] = 60,
    faults: Annotated[
        bool, typer.Option(help="Connections are dropped, the disk is full now and then, and the server is killed.")
    ] = False,
):
    """Play them and print; the last line is JSON."""
    tally = Tally()
    with served(port=PORT) as server:
        figures = asyncio.run(play(visitors, seconds, server.pid, tally, faults))
        if faults:
            figures["again"] = asyncio.run(killed(server))
    for what, times in sorted(tally.seconds.items()):
        print(f"{what:14} {len(times):5} times, median {st.median(times):6.2f} s, p95 {tally.p95(what):6.2f} s")
    for what, times in tally.wrong.items():
        print(f"failed: {what}, {times} times")
    print_figures(figures)


if __name__ == "__main__":
    typer.run(main)
