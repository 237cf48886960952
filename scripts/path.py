"""What a reader meets who follows one run: files and functions of specviz between the click on Run and what a browser is sent.

python -m scripts.path             one line of JSON
python -m scripts.path --list      and the files, with how many functions of each ran; R marks those that a round enters
"""

import sys
from collections import Counter
from threading import Event
from types import FrameType
from typing import Annotated

import typer

from specviz.config import ASSETS
from specviz.engine.decode import _Run
from specviz.local import LocalEngine
from specviz.page.settings import default_values, lesson_models
from specviz.page.turns import Turns, Visits
from specviz.page.watch.run import run_steps
from specviz.page.watch.screen import render_run, screen_updates

from .result import print_figures

SESSION, TOKENS = "path", 24
FOLDER = f"{ASSETS.parent / 'specviz'}/"


class CallPath:
    """A profiler: the functions that are entered, as (file, name), and those of them inside a round."""

    def __init__(self) -> None:
        self.functions = set[tuple[str, str]]()
        self.in_round = set[tuple[str, str]]()
        self.depth = 0  # of the round: 1 inside

    def __call__(self, frame: FrameType, event: str, _) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(FOLDER):
            return
        if code is _Run._round.__code__:
            self.depth += {"call": 1, "return": -1}.get(event, 0)
        if event == "call":
            function = code.co_filename.removeprefix(FOLDER), code.co_qualname
            self.functions.add(function)
            if self.depth:
                self.in_round.add(function)


def click_run(engine: LocalEngine, values: dict) -> None:
    """What the page's server does for one visitor, without Gradio."""
    turns = Turns()
    visits = Visits(turns)
    visits.join(SESSION, TOKENS)
    with visits.turn(SESSION) as event:
        for message, trace in run_steps(engine, values, event or Event(), turns):
            if trace:
                list(screen_updates(message, render_run(trace, "run")))


def main(names: Annotated[bool, typer.Option("--list", help="Name the files.")] = False):
    """Count the files and functions that one sampled chain of the bundled pair passes."""
    engine = LocalEngine()
    engine.warm()
    values = {**default_values(engine, lesson_models(engine)), "length": TOKENS, "K": 4}
    click_run(engine, values)  # what is made once is made before
    path = CallPath()
    sys.setprofile(path)
    click_run(engine, values)
    sys.setprofile(None)
    if names:
        entered = {file for file, _ in path.in_round}
        for file, functions in sorted(Counter(file for file, _ in path.functions).items()):
            print("R" if file in entered else " ", file, functions)
    counts = {
        f"{what}_files": len({file for file, _ in some}) for what, some in (("run", path.functions), ("round", path.in_round))
    }
    print_figures({**counts, "run_functions": len(path.functions), "round_functions": len(path.in_round)})


if __name__ == "__main__":
    typer.run(main)
