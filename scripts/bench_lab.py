"""How long the Lab's experiments take, on a quiet machine: `make bench-lab`. Ends in one line of JSON.

luck_s       30 seeds and the first of them 29 times again, each beside vanilla, 64 tokens
sweep_s      the page's default: seven drafters, five K, three runs of each, 48 tokens
draws_per_s  draws by rejection of the panel Break it, in node; null without node
own_rule_ms  there, from the last key of a rule of one's own to its distribution; null without node
budget_ms    in the panel Load, from other passes to what a budget gives at every N; null without node
"""

import json
import os
import subprocess
import time
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.models import assistant
from specviz.lab.luck import LENGTH, SEEDS
from specviz.lab.sweep import DRAFTERS, KS, TURNS
from specviz.lab.sweep import LENGTH as SHORT
from specviz.local import LocalEngine

from .result import print_figures
from .server import ROOT

SPEED = """
import { readFileSync } from "node:fs";
import { makeHandouts } from "./assets/lab/load/budget.js";
import { drawsPerSecond, ownRuleMs } from "./assets/lab/mistakes/speed.js";
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const [target, draft] = read("assets/costs/cpu-amd-epyc.json").curves;
const at = target.batches.indexOf(8);
const handouts = makeHandouts(read("assets/lab/load/recorded.json"));
const took = Array.from({ length: 49 }, () => {
  const began = performance.now();
  handouts.curves({ target: target.ms[at], draft: draft.ms[at][0] });
  return performance.now() - began;
});
const budget_ms = took.sort((a, b) => a - b)[24];
console.log(JSON.stringify({ draws_per_s: drawsPerSecond(), own_rule_ms: ownRuleMs(), budget_ms }));
"""


def main(prompt: Annotated[str, typer.Option(help="What every run continues.")] = "Once upon a time"):
    os.environ[assistant.SWITCH] = "none"  # of the family, also where the assistant is
    engine = LocalEngine()
    config = DecodeConfig(K=4, temperature=0.8, max_new_tokens=LENGTH, ignore_eos=True)
    for name in DRAFTERS:  # loaded before anything is timed
        list(engine.sweep(prompt, [name], [1], DecodeConfig(max_new_tokens=4), turns=1))
    luck_s = seconds_of(engine.luck(prompt, [("small", config)], SEEDS))
    short = DecodeConfig(max_new_tokens=SHORT, ignore_eos=True)
    sweep_s = seconds_of(engine.sweep(prompt, list(DRAFTERS), KS, short, [0.8], TURNS))
    figures = {"luck_s": luck_s, "sweep_s": sweep_s, **in_node(), "device": machine.describe_machine().device}
    for name, value in figures.items():
        print(f"{name:12} {value if value is None or isinstance(value, str) else f'{value:,.1f}'}")
    print_figures(figures)


def seconds_of(steps) -> float:
    """Seconds that all the steps of an experiment take."""
    began = time.perf_counter()
    for _ in steps:
        pass
    return time.perf_counter() - began


def in_node() -> dict[str, float | None]:
    """What the panels Break it and Load take in node, as installed for the checks; None where there is none."""
    path = ROOT / ".venv" / "node"
    node = os.environ.get("NODE") or (path.read_text("utf-8").strip() if path.is_file() else "")
    if not node:
        return {"draws_per_s": None, "own_rule_ms": None, "budget_ms": None}
    done = subprocess.run([node, "--input-type=module", "-e", SPEED], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    typer.run(main)
