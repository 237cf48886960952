"""What it costs a run to be drawn while it goes on: python -m scripts.bench_live, on a quiet machine. Ends in one line of JSON.

A server of the real app draws every second run live and the others not; it is asked for the same run again and again by the page's own
protocol, and the decoding times are read in the traces that it hands out. Two servers would differ by more than is looked for.

live_vs_quiet_{lane}       median over the pairs of (decoding time drawn live ÷ not drawn), less one
processor_vs_quiet_{lane}  the same of the time for which the decoding thread had a processor, which other work of the machine moves less
live_work                  what drawing live takes of a processor, ÷ time: of a server that decodes nothing, since its engine plays the rounds
                           of a recorded run at the pace at which they were decoded. Most of it falls between rounds, or into another
                           thread: no more than this can be taken from what is timed
"""

import asyncio
import statistics as st
import time
from dataclasses import replace
from itertools import cycle
from typing import Annotated

import httpx
import typer

from scripts.result import print_figures
from scripts.server import processor_seconds, served
from scripts.visitors import FETCHED, App, Tally, Visitor, up
from specviz.engine.race import Progress
from specviz.local import LocalEngine
from specviz.page.keep.recorded import load
from specviz.trace.events import rounds_of
from specviz.trace.file import loads
from specviz.trace.header import LANES

PORT = 7895
ORDER = ("live", "quiet", "quiet", "live")  # again and again: each is first as often
SERVER = f"""
import sys
from itertools import cycle
from specviz.commands.app import local_engine
from specviz.page.serve import serve
from specviz.page.watch import pace, run
from scripts.bench_live import Played

class ByTurns(pace.Pace):
    kinds = cycle({ORDER})
    def __init__(self, *how):
        pace.LIVE_SECONDS = 0.0 if next(self.kinds) == "live" else 1e9
        super().__init__(*how)

run.Pace = ByTurns
sys.exit(serve(Played if sys.argv[1:] else local_engine, "127.0.0.1", {PORT}))
"""
PLAYED = 3.0  # seconds of a run that is played


class Played(LocalEngine):
    """Its races are those of a recorded run, over and over, at the pace at which they were decoded, and at no work."""

    def race(self, request):
        trace = load("opening")
        for lane in LANES:
            events = rounds_of(getattr(trace, lane))
            began, tokens = time.monotonic(), 0
            for event in cycle(events):
                if time.monotonic() - began > PLAYED / 2:
                    break
                time.sleep(event.times.timed / 1e3)
                tokens += len(event.emitted)
                yield Progress(lane, tokens, 2 * tokens, 0, event)
        yield replace(trace, header=replace(trace.header, prompt=request.prompt))


async def times(http: httpx.AsyncClient, app: App, length: int) -> dict[str, tuple[float, float]]:
    """Decoding ms of one run by lane, and the processor's ms in it."""
    visitor = Visitor(http, app, Tally())
    visitor.prompt, visitor.canary = "Once upon a time there was a fox", "fox"
    visitor.values[app.ids["length"]] = length
    visitor.values[app.ids["ignore-eos"]] = True
    came = await visitor.press()
    trace = loads((await visitor.get(f"/gradio_api/file={FETCHED.search(came)[1]}")).encode())
    ends = {lane: getattr(trace, lane)[-1] for lane in LANES}
    return {lane: (end.decode_ms, end.processor_ms or float("nan")) for lane, end in ends.items()}


async def work(pairs: int, server: int) -> dict:
    """What a run that is only played takes of a processor, drawn live and not."""
    seconds_of: dict[str, list[float]] = {"live": [], "quiet": []}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=120) as http:
        app = App(await up(http))
        for run in range(2 * pairs + len(ORDER)):
            before, kind = processor_seconds(server), ORDER[run % len(ORDER)]
            await Visitor(http, app, Tally()).press()
            if run >= len(ORDER):
                seconds_of[kind].append(processor_seconds(server) - before)
    live, quiet = (st.median(seconds_of[kind]) for kind in ("live", "quiet"))
    spread = " and ".join(f"{1e3 * min(each):.0f} to {1e3 * max(each):.0f}" for each in seconds_of.values())
    print(
        f"{PLAYED:.0f} s that are played take {1e3 * live:.0f} ms of a processor live and {1e3 * quiet:.0f} not ({spread}, {pairs} of each)"
    )
    return {"live_work": (live - quiet) / PLAYED}


async def compare(pairs: int, length: int) -> dict:
    times_of: dict[str, list[dict]] = {"live": [], "quiet": []}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=120) as http:
        app = App(await up(http))
        for run in range(2 * pairs + len(ORDER)):
            took = await times(http, app, length)
            if run >= len(ORDER):  # the first of a server are not counted
                times_of[ORDER[run % len(ORDER)]].append(took)
    figures: dict = {"pairs": pairs, "length": length}
    for i, clock in enumerate(("live", "processor")):
        for lane in LANES:
            ratios = [a[lane][i] / b[lane][i] - 1 for a, b in zip(times_of["live"], times_of["quiet"], strict=True)]
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
    with served("-c", SERVER, "played", port=PORT) as server:
        figures = asyncio.run(work(max(2, pairs // 4), server.pid))
    with served("-c", SERVER, port=PORT):
        figures |= asyncio.run(compare(pairs, length))
    print_figures(figures)


if __name__ == "__main__":
    typer.run(main)
