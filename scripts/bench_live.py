"""What it costs a run to be drawn while it goes on: python -m scripts.bench_live, on a quiet machine. Ends in one line of JSON.

A server of the real app draws every second run live and the others not; it is asked for the same run again and again by the page's own
protocol, and the decoding times are read in the traces that it hands out. Two servers would differ by more than is looked for.

live_vs_quiet_{lane}       median over the pairs of (decoding time drawn live ÷ not drawn), less one
processor_vs_quiet_{lane}  the same of the time for which the decoding thread had a processor, which other work of the machine moves less
live_work                  what the whole server had of the processor for a run drawn live, less what it had for one that was not ÷ decoding
                           time, over all pairs: between rounds most of it, so no more than this can have been taken from them
"""

import asyncio
import os
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
from specviz.trace.header import LANES

ROOT = Path(__file__).parent.parent
PORT = 7895
ORDER = ("live", "quiet", "quiet", "live")  # again and again: each is first as often
SERVER = f"""
import sys
from itertools import cycle
from specviz.__main__ import _engine
from specviz.page.serve import serve
from specviz.page.watch import pace

class ByTurns(pace.Pace):
    kinds = cycle({ORDER})
    def __init__(self, *how):
        pace.LIVE = 0.0 if next(self.kinds) == "live" else 1e9
        super().__init__(*how)

from specviz.page.watch import run
run.Pace = ByTurns
sys.exit(serve(_engine, "127.0.0.1", {PORT}))
"""


TICK = 1e3 / os.sysconf("SC_CLK_TCK")  # ms


def worked(process: int) -> float:
    """ms of a processor that all threads of it had so far."""
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:13])) * TICK


async def times(http: httpx.AsyncClient, app: App, length: int) -> dict[str, tuple[float, float]]:
    """Decoding ms of one run by lane, and the processor's ms in it."""
    visitor = Visitor(http, app, Tally())
    visitor.prompt, visitor.canary = "Once upon a time there was a fox", "fox"
    visitor.values[app.named["length"]] = length
    visitor.values[app.named["ignore-eos"]] = True
    came = await visitor.press()
    trace = loads((await visitor.get(f"/gradio_api/file={FETCHED.search(came)[1]}")).encode())
    ends = {lane: getattr(trace, lane)[-1] for lane in LANES}
    return {lane: (end.decode_ms, end.processor_ms or float("nan")) for lane, end in ends.items()}


async def compare(pairs: int, length: int, server: int) -> dict:
    found: dict[str, list[dict]] = {"live": [], "quiet": []}
    work = {"live": 0.0, "quiet": 0.0}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=120) as http:
        app = App(await up(http))
        for run in range(2 * pairs + len(ORDER)):
            before, kind = worked(server), ORDER[run % len(ORDER)]
            took = await times(http, app, length)
            if run >= len(ORDER):  # the first of a server are not counted
                found[kind].append(took)
                work[kind] += worked(server) - before
    decoded = sum(took[lane][0] for took in found["live"] for lane in LANES)
    figures: dict = {"pairs": pairs, "length": length, "live_work": (work["live"] - work["quiet"]) / decoded}
    print(f"the server had {work['live']:.0f} ms of a processor live, {work['quiet']:.0f} not, for {decoded:.0f} ms of decoding")
    for i, clock in enumerate(("live", "processor")):
        for lane in LANES:
            ratios = [a[lane][i] / b[lane][i] - 1 for a, b in zip(found["live"], found["quiet"], strict=True)]
            figures[f"{clock}_vs_quiet_{lane}"] = st.median(ratios)
            low, _, high = st.quantiles(ratios)
            print(
                f"{lane:12} drawn live, by the {'processor' if i else 'clock'}: {st.median(ratios):+.1%}, quartiles {low:+.1%} to {high:+.1%}"
            )
    return figures


def main(
    pairs: Annotated[int, typer.Option(min=2, max=60, help="Runs of each.")] = 16,
    length: Annotated[int, typer.Option(min=8, max=400, help="Tokens a lane.")] = 300,
):
    """Measure and print; the last line is JSON."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        figures = asyncio.run(compare(pairs, length, server.pid))
    finally:
        server.terminate()
        server.wait(30)
    print(json_line(figures))


if __name__ == "__main__":
    typer.run(main)
