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
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.pair import load_pair
from specviz.engine.race import lanes
from specviz.site.engine import DRAFTERS_HERE, RULES_HERE
from specviz.trace.events import Event, Finished, Prefill, Round
from specviz.trace.file import read
from specviz.trace.header import LANES, Trace

FAR = 1e-4  # how far p and q may be from each other
NODE = Path(__file__).parents[1] / "tests" / "assets" / "engine" / "node.js"
DRAFTS = [str(one.bundled) for one in DRAFTERS_HERE.values()]
PROMPTS = [
    "Once upon a time",
    "def fib(n):\n    if n < 2:\n        return n\n    return",
    "one two three four one two three four one two",
    "The king and the fox walked to the river. “Where is my ring?” asked the",
    "Q: What is 12 + 7?\nA:",
    "x",
    "Zoë's café — naïve, 北京, 👩‍🚀 … two  spaces",
]


def random_runs(n: int, seed: int = 0) -> list[dict]:
    """n runs: every drafter with every rule at first, then whatever chance gives."""
    chance = random.Random(seed)
    both = [(draft, rule) for rule in RULES_HERE for draft in DRAFTS]
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
    """The command of node with relaxed SIMD, as browsers have it; older versions need to be asked for it."""
    flag = "--experimental-wasm-relaxed-simd"
    options = subprocess.run(["node", "--v8-options"], check=True, capture_output=True, text=True).stdout
    return ["node", *([flag] if flag in options else [])]


def in_node(runs: list[dict], plain: bool = False) -> list[Trace]:
    """Their traces by the browser's engine. Raises CalledProcessError, or TraceError for one that is no trace."""
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder, "runs.json")
        request.write_text(json.dumps(runs), "utf-8")
        subprocess.run([*node(), str(NODE), str(request), folder, "plain" if plain else ""], check=True)
        return [read(Path(folder, f"{i}.jsonl")) for i in range(len(runs))]


def in_python(runs: list[dict]) -> list[dict[str, list[Event]]]:
    pair, known, events_of = load_pair("fable", None), {}, []
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


def agreement(n: int, plain: bool = False) -> tuple[float, list[str]]:
    """The share of n runs that agree, and what the others differ in."""
    runs = random_runs(n)
    wrong = []
    for run, ours, trace in zip(runs, in_python(runs), in_node(runs, plain), strict=True):
        for lane in LANES:
            if difference := differs(ours[lane], list(getattr(trace, lane))):
                wrong.append(f"{run['draft']}, {lane}, {run['config']}: {difference}")
                break
    return (n - len(wrong)) / n, wrong


def differs(ours: list[Event], theirs: list[Event]) -> str:
    """The first thing in which two lanes differ; empty if nothing does."""
    for at, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if difference := _event(a, b):
            return f"event {at + 1}: {difference}"
    return _same("events", len(ours), len(theirs))


def _event(a: Event, b: Event) -> str:
    match a, b:
        case Prefill(), Prefill():
            return _same(
                "prompt", (a.prompt, a.target_positions, a.draft_positions), (b.prompt, b.target_positions, b.draft_positions)
            )
        case Finished(), Finished():
            return _same("end", _counts(a), _counts(b))
        case Round(), Round():
            return _round(a, b)
    return f"{type(a).__name__} and {type(b).__name__}"


def _counts(end: Finished) -> tuple:
    return end.reason, end.detail, end.text, end.tokens, end.rounds, end.drafted, end.tested, end.accepted, end.draft_forwards


def _round(a: Round, b: Round) -> str:
    for one, other in zip(a.drafted, b.drafted, strict=False):
        if one.token == other.token and one.verdict != other.verdict:  # with what it was decided by
            return _same("verdict, u, p, q", *((d.verdict, d.u, d.p, d.q) for d in (one, other)))
    for what, one, other in (
        ("drafted", [d.token for d in a.drafted], [d.token for d in b.drafted]),
        ("uniforms", [d.u for d in a.drafted], [d.u for d in b.drafted]),
        ("emitted", [(e.token, e.role, e.piece, e.u) for e in a.emitted], [(e.token, e.role, e.piece, e.u) for e in b.emitted]),
        ("caches", (a.target_cache, a.draft_cache), (b.target_cache, b.draft_cache)),
        ("counts", (a.asked, a.fewer, a.draft_forwards), (b.asked, b.fewer, b.draft_forwards)),
    ):
        if difference := _same(what, one, other):
            return difference
    for one, other in zip(a.drafted, b.drafted, strict=True):
        for what in "p", "q", "joint", "chance":
            far = 100 * FAR if what == "chance" else FAR  # left/(left + 1 − joint): both may be near 0
            if difference := _near(what, getattr(one, what), getattr(other, what), far):
                return difference
        if difference := _position(one.position, other.position):
            return difference
    for one, other in zip(a.emitted, b.emitted, strict=True):
        if difference := _position(one.position, other.position):
            return difference
    if (a.residual is None) != (b.residual is None):
        return "one has a residual"
    return _near("residual", a.residual.mass, b.residual.mass) if a.residual and b.residual else ""


def _position(a, b) -> str:
    if a is None or b is None:
        return _same("position", a, b)
    known = {entry.token.id: entry for entry in b.entries}
    for entry in a.entries:
        other = known.get(entry.token.id)
        if other and (difference := _near("p", entry.p, other.p) or _near("q", entry.q, other.q)):
            return difference
    # where they are not, others of equals are shown
    rests = ("p_rest", "q_rest") if known.keys() == {entry.token.id for entry in a.entries} else ()
    for what in (*rests, "beta", "p_entropy", "q_entropy", "product"):
        if difference := _near(what, getattr(a, what), getattr(b, what), 10 * FAR):  # sums over the vocabulary
            return difference
    return ""


def _same(what: str, a, b) -> str:
    return "" if a == b else f"{what}: {a!r:.300} and {b!r:.300}"


def _near(what: str, a: float | None, b: float | None, far: float = FAR) -> str:
    if a is None or b is None:
        return _same(what, a, b)
    return "" if math.isclose(a, b, rel_tol=far, abs_tol=far) else f"{what}: {a} and {b}"


def main(runs: int = 100, plain: Annotated[bool, typer.Option("--plain", help="The module without relaxed SIMD.")] = False):
    share, wrong = agreement(runs, plain)
    for line in wrong:
        print(line)
    print(json.dumps({"runs": runs, "python_agrees": share}))


if __name__ == "__main__":
    typer.run(main)
