"""How far the machine's clock and processor time part, on a quiet machine and beside busy programs: python -m scripts.bench_clocks. Leave
the machine alone meanwhile. Ends in one line of JSON: for each number of busy programs

wall, processor   speedups of the runs by either clock: lowest, quartiles and median, highest
apart             of each run processor time's speedup ÷ the same run's by the wall on the quiet machine, likewise
beyond            runs of which that is beyond a tenth, as the page takes it (assets/player/account.js)
shares            median share of its time for which the decoding thread had a processor, of both lanes
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from statistics import median, quantiles
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.lab.measure import PairRunner, RunPair, timing_alone
from specviz.local import LocalEngine
from specviz.request import never

from .result import Out, print_figures, steps

BUSY, APART = (0, 1, 2, 4), 1.1
PROMPTS = (
    "What is the capital of Norway?",
    "Add 12 and 30, step by step.",
    "Write a short poem about the sea.",
    "List five fruits.",
)
CONFIG = DecodeConfig(K=3, max_new_tokens=64, temperature=0.8)


def main(runs: Annotated[int, typer.Option(min=4, help="Runs beside each number of programs.")] = 20, out: Out = None):
    """Measure and print."""
    engine = LocalEngine()
    engine.warm()
    drafter = engine.drafters()[0]
    runners = [engine._runs(prompt, [drafter], None, never) for prompt in PROMPTS]
    figures: dict = {"target": engine.models()[0], "drafter": drafter, "machine": machine.describe_machine().device}
    quiet: list[float] = []
    for programs, pairs in measured(runners, drafter, runs):
        quiet = quiet or [pair.speedup_by("wall") for pair in pairs]
        processor = [pair.speedup_by("processor") for pair in pairs]
        apart = [one / other for one, other in zip(processor, quiet, strict=True)]
        figures[str(programs)] = {
            "wall": spread([pair.speedup_by("wall") for pair in pairs]),
            "processor": spread(processor),
            "apart": spread(apart),
            "beyond": sum(not 1 / APART <= one <= APART for one in apart),
            "shares": [median(run.processor_share or 0 for run in lane) for lane in zip(*map(lanes, pairs), strict=True)],
        }
    print_figures(figures | {"threads": machine.threads(), "runs": runs}, out)


def measured(runners: Sequence[PairRunner], drafter: str, runs: int) -> Iterator[tuple[int, list[RunPair]]]:
    for programs in steps(BUSY):
        with busy(programs), timing_alone():
            yield programs, [runners[i % len(runners)](drafter, replace(CONFIG, seed=i)) for i in range(runs)]


@contextmanager
def busy(programs: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(programs)]
    try:
        yield
    finally:
        for program in running:
            program.kill()
            program.wait()


def lanes(pair: RunPair) -> tuple:
    return pair.vanilla, pair.mine


def spread(values: Sequence[float]) -> list[float]:
    return [round(value, 3) for value in (min(values), *quantiles(values, n=4), max(values))]


if __name__ == "__main__":
    typer.run(main)
