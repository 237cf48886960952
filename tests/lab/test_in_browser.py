"""Luck and Sweep in a browser (assets/engine/lab.js), run by node on the pairs that Python was given: the same order, the same numbers."""

import json
import math
import shutil
import subprocess
from dataclasses import asdict, replace

import pytest

from specviz.config import ASSETS, DecodeConfig
from specviz.lab.luck import SENTENCES, Setting, luck
from specviz.lab.measure import RunPair
from specviz.lab.sweep import sweep

from .made_up import ByTheFormula

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="what a script does is asked of node, which is not here")
CODE = """
globalThis.Node = class {};
import { readFileSync } from "node:fs";
import { luck, sweep } from "./engine/lab.js";
import { sentence } from "./site/lab.js";
const { kind, options, pairs, sentences } = JSON.parse(readFileSync(0, "utf-8"));
let at = 0;
const runPair = (drafter, { K, temperature, seed }) => {
  const { request, ...pair } = pairs[at++];
  const asked = [drafter, K, temperature, seed];
  if (JSON.stringify(request) !== JSON.stringify(asked)) throw new Error(`run ${at} is ${asked}, not ${request}`);
  return pair;
};
let step;
for (step of kind === "luck" ? luck(runPair, ...options) : sweep(runPair, ...options));
const result = step.summary();
console.log(JSON.stringify(sentences ? { ...result, sentence: sentence(result, sentences) } : result));
"""


class RecordedPairs:
    """Pairs by the formula, and what was asked for, in order. `busy`: each so-many-th is disturbed."""

    def __init__(self, busy: int = 0, **how):
        alphas, costs = {"small": 0.7, "lookup": 0.4, "large": 0.8}, {"small": 0.1, "lookup": 0.0, "large": 0.4}
        self.pairs: list[dict] = []
        self.once, self.busy = ByTheFormula(alphas, costs, **how), busy

    def __call__(self, drafter: str, config: DecodeConfig) -> RunPair:
        pair = self.once(drafter, config)
        if self.busy and not (len(self.pairs) + 1) % self.busy:
            pair = replace(pair, mine=replace(pair.mine, stalled=0.5))
        runs = {
            lane: {name: getattr(run, name) for name in ("tokens", "drafted", "rounds", "draft", "verify", "betas", "lengths")}
            for lane, run in (("vanilla", pair.vanilla), ("mine", pair.mine))
        }
        counts = {name: getattr(pair, name) for name in ("speedup", "alpha", "tokens_a_round")} | {
            "disturbed": pair.clock is None
        }
        self.pairs.append({"request": [drafter, config.K, config.temperature, config.seed], **runs, **counts})
        return pair


def in_node(kind: str, recorded: RecordedPairs, *options, **more) -> dict:
    request = json.dumps({"kind": kind, "options": options, "pairs": recorded.pairs, **more})
    command = ["node", "--input-type=module", "-e", CODE]
    run = subprocess.run(command, input=request, capture_output=True, text=True, cwd=ASSETS, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def differences(ours, theirs, path="") -> list[str]:
    if isinstance(theirs, dict):  # a browser knows no processor time
        names = theirs.keys() - {"by_processor"}
        return [line for name in sorted(names) for line in differences(ours.get(name, "absent"), theirs[name], f"{path}.{name}")]
    if isinstance(theirs, list):
        return [line for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) for line in differences(a, b, f"{path}[{i}]")]
    number = isinstance(theirs, float) and isinstance(ours, int | float)
    return [] if (math.isclose(ours, theirs, rel_tol=1e-9) if number else ours == theirs) else [f"{path}: {ours} and {theirs}"]


SMALL, LARGE = Setting("small", DecodeConfig(K=4, temperature=0.8, seed=2**32 - 3)), Setting("large", DecodeConfig(K=2, seed=9))
LUCK = {
    "one setting": ((SMALL,), 12, RecordedPairs(draw=0.05, clock=0.03)),
    "two": ((SMALL, LARGE), 8, RecordedPairs(draw=0.05, clock=0.03)),
    "at temperature 0": ((replace(SMALL, config=replace(SMALL.config, temperature=0.0)),), 6, RecordedPairs(clock=0.03)),
    "few": ((SMALL,), 3, RecordedPairs(clock=0.1)),
    "busy": ((SMALL,), 9, RecordedPairs(busy=4, draw=0.05, clock=0.03)),
    "alike": ((SMALL, replace(SMALL, config=replace(SMALL.config, K=3))), 6, RecordedPairs(draw=0.1, clock=0.03)),
}


@pytest.mark.parametrize("name", LUCK)
def test_luck_runs_in_the_same_order_and_says_the_same(name):
    settings, seeds, recorded = LUCK[name]
    *_, theirs = luck(recorded, settings, seeds)
    ours = in_node("luck", recorded, [asdict(one) for one in settings], seeds, sentences=SENTENCES)
    theirs = json.loads(json.dumps(theirs.as_json()))
    for setting in theirs["settings"]:
        for name in ("tree", "children", "nodes"):
            del setting[name]  # a browser drafts chains
    assert differences(ours, theirs) == []


@pytest.mark.parametrize("busy", [0, 3])
def test_a_sweep_runs_in_the_same_order_and_finds_the_same(busy):
    recorded = RecordedPairs(busy, draw=0.03, clock=0.02)
    config = DecodeConfig(max_new_tokens=48, seed=7)
    drafters, ks = ["small", "lookup", "large"], [5, 1, 2]
    *_, theirs = sweep(recorded, drafters, ks, config, 2)
    ours = in_node("sweep", recorded, drafters, ks, 2, asdict(config))
    assert differences(ours, json.loads(json.dumps(theirs.as_json()))) == []
