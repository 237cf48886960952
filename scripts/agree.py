"""Whether the engine in a browser tells what the engine in Python tells: the same tokens and verdicts, p and q to 1e-4.

    python -m scripts.agree [--runs 100] [--plain]      needs node; the last line is JSON

Runs are drawn over drafters, rules, temperatures and filters, prompts of all registers and seeds. Every trace that the browser's
engine writes goes through the strict reader. With relaxed SIMD the browser rounds as the CPU does: p has the same bits, and so has q of a
chain by a model or a head; siblings of a tree and logarithms of counts differ by 1e-7. Without it products are rounded twice, p differs by
1e-6, and of 500 runs one parts: u fell between p/q there and p/q here. What parts is printed, with its numbers on both sides.
"""

import argparse
import json
import random
import subprocess
import tempfile
from dataclasses import asdict
from functools import cache
from pathlib import Path

from specviz.config import DecodeConfig
from specviz.drafters import DRAFTERS
from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.pair import load_pair
from specviz.engine.race import lanes
from specviz.rules import ALL, RULES
from specviz.trace.events import Event
from specviz.trace.file import read
from specviz.trace.header import LANES, Trace

from .differs import differs

NODE = Path(__file__).parents[1] / "tests" / "assets" / "engine" / "node.js"
DRAFTS = [one.bundled for one in DRAFTERS.values() if one.bundled]
PROMPTS = [
    "Once upon a time",
    "def fib(n):\n    if n < 2:\n        return n\n    return",
    "one two three four one two three four one two",
    "The king and the fox walked to the river. “Where is my ring?” asked the",
    "Q: What is 12 + 7?\nA:",
    "x",
    "Zoë's café — naïve, 北京, 👩‍🚀 … two  spaces",
]


def drawn(n: int, seed: int = 0) -> list[dict]:
    """n runs: every drafter with every rule at first, then whatever chance gives."""
    chance = random.Random(seed)
    both = [(draft, rule) for rule in RULES for draft in DRAFTS]
    chance.shuffle(both)
    runs = []
    for i in range(n):
        draft, rule = both[i % len(both)]
        settings = {
            "K": chance.choice([1, 2, 3, 5, 8]),
            "temperature": chance.choice([0, 0.6, 0.8, 1.0, 1.3]),
            "top_k": chance.choice([0, 0, 0, 20]),
            # thousands of followers tie there, and which of equals torch.sort leaves above the bound is the processor's affair
            "top_p": 1.0 if draft in ("bigram", "random") else chance.choice([1.0, 1.0, 0.9]),
            "drafting": chance.choice(["sample", "sample", "argmax"]),
            "confidence": chance.choice([0.0, 0.0, 0.0, 0.3]),
            "max_new_tokens": chance.choice([12, 24, 40]),
            "ignore_eos": chance.random() < 0.5,
            "seed": chance.randrange(2**32),
            "verifier": rule,
        }
        if i % 4 == 3:
            settings |= tree(chance, draft, settings)
        runs.append({"draft": draft, "prompt": chance.choice(PROMPTS), "config": asdict(DecodeConfig(**settings))})
    return runs


def tree(chance: random.Random, draft: str, settings: dict) -> dict:
    """Settings of a tree in place of what does not go with one."""
    ties = draft == "bigram" and not settings["temperature"]  # of its followers, and the largest of equals are torch's affair
    if draft in ("random", "block") or ties:
        return {}
    rules = [name for name, rule in ALL.items() if rule.trees != "no"]
    drafting = "sample" if draft == "bigram" else chance.choice(["sample", "argmax"])
    dynamic = drafting == "argmax" and chance.random() < 0.5
    shape = (
        {"tree": "dynamic", "nodes": chance.choice([5, 12])}
        if dynamic
        else {"tree": "static", "children": chance.choice(["3-2-1", "2-2"])}
    )
    return shape | {"K": chance.choice([1, 2, 3]), "verifier": chance.choice(rules), "drafting": drafting, "confidence": 0.0}


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
    runs = drawn(n)
    wrong = []
    for run, ours, trace in zip(runs, in_python(runs), in_node(runs, plain), strict=True):
        for lane in LANES:
            if difference := differs(ours[lane], list(getattr(trace, lane))):
                wrong.append(f"{run['draft']}, {lane}, {run['config']}: {difference}")
                break
    return (n - len(wrong)) / n, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--plain", action="store_true", help="the module without relaxed SIMD")
    args = parser.parse_args()
    share, wrong = agreement(args.runs, args.plain)
    for line in wrong:
        print(line)
    print(json.dumps({"runs": args.runs, "python_agrees": share}))


if __name__ == "__main__":
    main()
