"""What it costs a run to be drawn while it goes on: python -m scripts.bench_live, on a quiet machine. Ends in one line of JSON.

Two servers of the real app, one that draws every run live and one that draws none, are asked by turns for the same run by the page's own
protocol; the decoding times are read in the traces that they hand out.

live_vs_quiet_{lane}   median over the pairs of (decoding time drawn live ÷ not drawn), less one
"""

import asyncio
import statistics as st
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import httpx
import typer

from scripts.load import FETCHED, App, Tally, Visitor, up
from scripts.result import json_line
from specviz.trace.file import loads

ROOT = Path(__file__).parent.parent
PORTS = {"live": 7895, "quiet": 7896}
SERVER = """
import sys
from specviz.__main__ import _engine
from specviz.page.serve import serve
from specviz.page.watch import pace
pace.LIVE = {after}
sys.exit(serve(_engine, "127.0.0.1", {port}))
"""


async def times(http: httpx.AsyncClient, app: App, length: int) -> dict[str, float]:
    """Decoding ms by lane of one run."""
    visitor = Visitor(http, app, Tally())
    visitor.prompt, visitor.canary = "Once upon a time there was a fox", "fox"
    visitor.values[app.named["length"]] = length
    visitor.values[app.named["ignore-eos"]] = True
    came = await visitor.press()
    trace = loads((await visitor.get(f"/gradio_api/file={FETCHED.search(came)[1]}")).encode())
    return {lane: getattr(trace, lane)[-1].decode_ms for lane in ("vanilla", "speculative")}


async def compare(pairs: int, length: int) -> dict:
    found: dict[str, list[dict]] = {name: [] for name in PORTS}
    asking = {name: httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120) for name, port in PORTS.items()}
    apps = {name: App(await up(http)) for name, http in asking.items()}
    for pair in range(pairs + 1):
        for name in sorted(PORTS, reverse=bool(pair % 2)):  # each is first as often
            took = await times(asking[name], apps[name], length)
            if pair:  # the first of a server is not counted
                found[name].append(took)
    for http in asking.values():
        await http.aclose()
    lanes = ("vanilla", "speculative")
    for lane in lanes:
        shown = ", ".join(f"{name} {st.median(each[lane] for each in runs):.1f} ms" for name, runs in found.items())
        print(f"{lane:12} {shown}")
    ratios = {lane: [a[lane] / b[lane] for a, b in zip(found["live"], found["quiet"], strict=True)] for lane in lanes}
    return {"pairs": pairs, "length": length, **{f"live_vs_quiet_{lane}": st.median(ratios[lane]) - 1 for lane in lanes}}


def main(
    pairs: Annotated[int, typer.Option(min=1, max=60, help="Runs of each.")] = 15,
    length: Annotated[int, typer.Option(min=8, max=400, help="Tokens a lane.")] = 300,
):
    """Measure and print; the last line is JSON."""
    after = {"live": 0.0, "quiet": 1e9}
    servers = [
        subprocess.Popen([sys.executable, "-c", SERVER.format(after=after[name], port=port)], cwd=ROOT, stdout=subprocess.DEVNULL)
        for name, port in PORTS.items()
    ]
    try:
        figures = asyncio.run(compare(pairs, length))
    finally:
        for server in servers:
            server.terminate()
        for server in servers:
            server.wait(30)
    print(json_line(figures))


if __name__ == "__main__":
    typer.run(main)
