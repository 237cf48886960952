"""How much of specviz one sampled run passes: files and functions from the click on Run to what the browser gets, and inside a round.

python -m scripts.path [--list]        the last line is JSON; --list names each file, R where a round passes it
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

ROOT = f"{Path(__file__).parents[1] / 'specviz'}{os.sep}"
Functions = set[tuple[str, str]]  # (file below specviz/, name)


def passed(run: Callable[[], object], inside: str) -> tuple[Functions, Functions]:
    """The functions of specviz that `run` calls, and those that are called while the function named `inside` runs."""
    all_of_them, some, depth = Functions(), Functions(), 0

    def look(frame: FrameType, event: str, argument: object) -> None:
        nonlocal depth
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(ROOT):
            return
        if code.co_qualname == inside:
            depth += 1 if event == "call" else -1
        if event == "call":
            function = code.co_filename.removeprefix(ROOT), code.co_qualname
            all_of_them.add(function)
            if depth:
                some.add(function)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(before)
    return all_of_them, some


def click() -> Callable[[], object]:
    """What a press of Run does on the server, of a chain that is sampled. Everything is loaded and compiled."""
    from specviz.local import LocalEngine
    from specviz.page.settings import first
    from specviz.page.turns import Turns
    from specviz.page.visits import Visits
    from specviz.page.watch.run import follow
    from specviz.page.watch.screen import drawn, show

    engine = LocalEngine()
    engine.warm()
    values = {**first(engine), "length": 24, "K": 4}

    def run() -> None:
        turns = Turns()
        visits = Visits(turns)
        visits.join("visitor", 24)
        with visits.turn("visitor") as event:
            for message, trace in follow(engine, values, event, turns):
                if trace:
                    list(show(message, drawn(trace, "run")))

    run()
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="each file")
    listed = parser.parse_args().list
    functions, inside = passed(click(), "_Run._round")
    files, of_a_round = ({file for file, _ in some} for some in (functions, inside))
    for file in sorted(files) if listed else ():
        print("R" if file in of_a_round else " ", file, sum(each == file for each, _ in functions))
    round_ = {"files": len(of_a_round), "functions": len(inside)}
    print(json.dumps({"files": len(files), "functions": len(functions), "round": round_}))


if __name__ == "__main__":
    main()
