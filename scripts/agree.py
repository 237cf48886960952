"""Whether the engine in a browser tells what the engine in Python tells: the same tokens and verdicts, p and q to 1e-4.

    python -m scripts.agree [--runs 100] [--plain]      needs node; the last line is JSON

Runs are drawn over drafters, rules, temperatures and filters, prompts of all registers and seeds. Every trace that the browser's
engine writes goes through the strict reader. With relaxed SIMD the browser rounds as the CPU does: p and q have the same bits. Without it
products are rounded twice, p differs by 1e-6, and of 500 runs two part: u fell between what is drawn there and here. What parts is
printed, with its numbers on both sides.
"""

import json
import math
import random
import subprocess
import tempfile
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.assistant import KEY
from specviz.engine.models.pair import load_pair
from specviz.engine.race import lanes
from specviz.site.data import DRAFTERS_HERE, RULES_HERE
from specviz.trace.events import LANES, Drafted, Event, Position, Token, Trace
from specviz.trace.file import read

FAR = 1e-4  # how far p and q may be from each other
# how many times as far these may: left/(left + 1 − joint), of which both may be near 0, and sums over the vocabulary
TOLERANT = {"chance": 100} | dict.fromkeys(("p_rest", "q_rest", "beta", "p_entropy", "q_entropy", "product"), 10)
# of times, of what is compared already, or of passes that are made again after the runs
UNTOLD = {"ratio", "times", "eager", "entries", "rest", "own", "best", "logits_entropy", "softmax"}
NODE = Path(__file__).parents[1] / "tests" / "assets" / "engine" / "node.js"
OF_ASSISTANT = ["eagle", "lookup", "early-exit"]
DRAFTS = [one.bundled for one in DRAFTERS_HERE.values()]
PROMPTS = [
    "Once upon a time",
    "def fib(n):\n    if n < 2:\n        return n\n    return",
    "one two three four one two three four one two",
    "The king and the fox walked to the river. “Where is my ring?” asked the",
    "Q: What is 12 + 7?\nA:",
    "x",
    "Zoë's café — naïve, 北京, 👩‍🚀 … two  spaces",
]


def random_runs(n: int, seed: int = 0, drafts=DRAFTS) -> list[dict]:
    """n runs: every drafter with every rule at first, then whatever chance gives."""
    chance = random.Random(seed)
    both = [(draft, rule) for rule in RULES_HERE for draft in drafts]
    chance.shuffle(both)
    runs = []
    for i in range(n):
        draft, rule = both[i % len(both)]
        settings = {
            "K": chance.choice([1, 2, 3, 5, 8]),
            "temperature": chance.choice([0, 0.6, 0.8, 1.0, 1.3]),
            "top_k": chance.choice([0, 0, 0, 20]),
            # thousands of tokens tie there, and which of equals torch.sort leaves above the bound is the processor's affair
            "top_p": 1.0 if draft == "random" else chance.choice([1.0, 1.0, 0.9]),
            "drafting": chance.choice(["sample", "sample", "argmax"]),
            "confidence": chance.choice([0.0, 0.0, 0.0, 0.3]),
            "max_new_tokens": chance.choice([12, 24, 40]),
            "ignore_eos": chance.random() < 0.5,
            "seed": chance.randrange(2**32),
            "verifier": rule,
        }
        runs.append({"draft": draft, "prompt": chance.choice(PROMPTS), "config": asdict(DecodeConfig(**settings))})
    return runs


@cache
def node() -> list[str]:
    """The command of node with relaxed SIMD, as browsers have it; older versions need to be asked for it, and have it right in optimised
    code alone."""
    flag = "--experimental-wasm-relaxed-simd"
    options = subprocess.run(["node", "--v8-options"], check=True, capture_output=True, text=True).stdout
    return ["node", *([flag, "--no-liftoff"] if flag in options else [])]


def in_node(runs: list[dict], plain: bool = False, site: Path | None = None) -> list[Trace]:
    """Their traces by the browser's engine, of the bundled family or of the assistant of a `site`. Raises CalledProcessError, or TraceError
    for one that is no trace."""
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder, "runs.json")
        request.write_text(json.dumps(runs), "utf-8")
        subprocess.run([*node(), str(NODE), str(request), folder, "plain" if plain else "", str(site or "")], check=True)
        return [read(Path(folder, f"{i}.jsonl")) for i in range(len(runs))]


def in_python(runs: list[dict], target: str = "fable") -> list[dict[str, list[Event]]]:
    pair, known, events_of = load_pair(target, None, chat=target != "fable"), {}, []
    for run in runs:
        draft = run["draft"]
        if draft not in known:
            known[draft] = drafter_for(pair, draft)
        setup = Setup(pair.target, known[draft], pair.text)
        events: dict[str, list[Event]] = {lane: [] for lane in LANES}
        config = DecodeConfig(**run["config"])
        for lane, event in lanes(setup, pair.text.encode(run["prompt"]), config, lambda: False):
            events[lane].append(event)
        events_of.append(events)
    return events_of


def agreement(n: int, plain: bool = False, site: Path | None = None) -> tuple[float, list[str]]:
    """The share of n runs that agree, and what the others differ in; of the assistant of a `site`, if one is named."""
    runs, target = (random_runs(n, drafts=OF_ASSISTANT), KEY) if site else (random_runs(n), "fable")
    wrong = []
    for run, ours, trace in zip(runs, in_python(runs, target), in_node(runs, plain, site), strict=True):
        for lane in LANES:
            if difference := differs(ours[lane], list(getattr(trace, lane))):
                wrong.append(f"{run['draft']}, {lane}, {run['config']}: {difference}")
                break
    return (n - len(wrong)) / n, wrong


def differs(ours: list[Event], theirs: list[Event]) -> str:
    """The first thing in which two lanes differ, by the number of its event; empty if nothing does."""
    for at, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if difference := _differ(type(a).__name__.lower(), a, b):
            return f"event {at + 1}: {difference}"
    return _differ("events", len(ours), len(theirs))


def _differ(name: str, a, b) -> str:
    """What two values differ in, floats by more than FAR; the name is that of the innermost field."""
    if isinstance(a, float) and isinstance(b, float):
        far = FAR * TOLERANT.get(name, 1)
        return "" if math.isclose(a, b, rel_tol=far, abs_tol=far) else f"{name}: {a} and {b}"
    if isinstance(a, list | tuple):
        pairs = (_differ(name, *pair) for pair in zip(a, b, strict=False))
        return next(filter(None, pairs), "") or _differ(name, len(a), len(b))
    if isinstance(a, Token) or not is_dataclass(a) or type(a) is not type(b):
        return "" if a == b else f"{name}: {a!r:.300} and {b!r:.300}"
    if isinstance(a, Drafted) and a.token == b.token and a.verdict != b.verdict:  # with what it was decided by
        return _differ("verdict, u, p, q", *(str((d.verdict, d.u, d.p, d.q)) for d in (a, b)))
    skipped = UNTOLD
    if isinstance(a, Position):
        known, there = ({entry.token.id: entry for entry in each.entries} for each in (a, b))
        if known.keys() != there.keys():
            skipped = UNTOLD | {"p_rest", "q_rest"}  # others of equals are shown
        for id in known.keys() & there.keys():
            if difference := _differ("entry", known[id], there[id]):
                return difference
    names = (f.name for f in fields(a) if f.name not in skipped and not f.name.endswith("_ms"))
    return next(filter(None, (_differ(each, getattr(a, each), getattr(b, each)) for each in names)), "")


def main(runs: int = 100, plain: Annotated[bool, typer.Option("--plain", help="The module without relaxed SIMD.")] = False):
    share, wrong = agreement(runs, plain)
    for line in wrong:
        print(line)
    print(json.dumps({"runs": runs, "python_agrees": share}))


if __name__ == "__main__":
    typer.run(main)
