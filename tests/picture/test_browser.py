"""A trace read and drawn by the page's own modules, run by node: the picture is the one that Python draws, and what Python's reader refuses
is refused in a sentence."""

import gzip
import json
import math
import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from specviz.config import ASSETS, DecodeConfig
from specviz.engine.draft.choose import set_up
from specviz.engine.race import race
from specviz.page.keep import recorded
from specviz.picture.view import json_text, picture
from specviz.site.shapes import about, contract
from specviz.trace.file import TraceError, dumps, loads
from tests.fake_trace import fake_trace, reticent
from tests.fake_tree import tree_trace

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="what a script does is asked of node, which is not here")
CODE = """
import { readFileSync } from "node:fs";
import { readTrace } from "./trace/read.js";
import { pictureOf } from "./picture/view.js";
const { files, contract, about } = JSON.parse(readFileSync(0, "utf-8"));
const found = [];
for (const file of files) {
  try {
    found.push({ picture: pictureOf(await readTrace(Uint8Array.from(Buffer.from(file, "base64")), contract), about) });
  } catch (error) {
    found.push({ error: `${error.constructor.name}: ${error.message}` });
  }
}
console.log(JSON.stringify(found));
"""


def drawn(*files: bytes) -> list[dict]:
    import base64

    asked = {"files": [base64.b64encode(file).decode() for file in files], "contract": contract(), "about": about()}
    command = ["node", "--input-type=module", "-e", CODE]
    run = subprocess.run(command, input=json_text(asked), capture_output=True, text=True, cwd=ASSETS, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def differences(ours, theirs, path="") -> list[str]:
    """Where two pictures differ by more than the last of the digits that a screen shows."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = {*ours, *theirs}
        return [
            line
            for name in sorted(names)
            for line in differences(ours.get(name, "absent"), theirs.get(name, "absent"), f"{path}.{name}")
        ]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [line for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) for line in differences(a, b, f"{path}[{i}]")]
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (ours, theirs))
    same = math.isclose(ours, theirs, rel_tol=2e-5, abs_tol=2e-4) if numbers else ours == theirs and type(ours) is type(theirs)
    return [] if same else [f"{path}: {ours!r} is {theirs!r} here"]


def test_every_recorded_run_is_drawn_as_python_draws_it():
    files = [gzip.decompress((ASSETS / "traces" / f"{name}.jsonl.gz").read_bytes()) for name in recorded.names()]
    for name, found in zip(recorded.names(), drawn(*files), strict=True):
        expected = json.loads(json_text(picture(recorded.load(name))))
        assert "picture" in found, (name, found)
        assert differences(found["picture"], expected) == [], name


RUNS = [
    fake_trace(),
    fake_trace(temperature=0, K=5),
    fake_trace(K=0),
    fake_trace(cancelled=0),
    fake_trace(cancelled=2),
    fake_trace(observed=False),
    fake_trace(verifier="block", K=4, seed=8),
    fake_trace(verifier="typical"),
    fake_trace(drafting="argmax"),
    fake_trace(drafter="lookup", short=True),
    fake_trace(drafter="eagle", hostile=True, ends_inside=True),
    reticent(fake_trace(seed=5)),
    tree_trace("3-2-1-1", K=4),
    tree_trace("2-2", K=3, temperature=0),
]


def bent(i: int, **fields) -> bytes:
    """A run of trees in which one token of the first round was changed."""
    trace = tree_trace("2-2", K=3)
    prefill, first, *rest = trace.speculative
    drafted = tuple(replace(d, **fields) if n == i else d for n, d in enumerate(first.drafted))
    return dumps(replace(trace, speculative=(prefill, replace(first, drafted=drafted), *rest)))


FORGED = {
    "a parent that is the token itself": bent(3, parent=3),
    "a parent that comes later": bent(3, parent=5),
    "two siblings with one place": bent(1, rank=0),
    "a depth that its parent does not give": bent(3, depth=1),
    "no parent in a tree": bent(3, parent=None),
}


def test_a_tree_that_is_none_is_refused_in_one_sentence_by_both_readers():
    for (what, data), found in zip(FORGED.items(), drawn(*FORGED.values()), strict=True):
        assert re.match(r"TraceError: .*drafted\[\d\]\.\w+: .*must be", found.get("error", "")), (what, found)
        assert "\n" not in found["error"]
        with pytest.raises(TraceError, match="must be"):
            loads(data)


@pytest.mark.slow
def test_a_run_that_drafted_trees_is_drawn_as_python_draws_it():
    setup = set_up("fable", "eagle")
    shapes = ({"tree": "static", "children": "2-2-1"}, {"tree": "dynamic", "nodes": 9, "drafting": "argmax"})
    for shape in shapes:
        *_, trace = race(setup, "Once upon a time", DecodeConfig(K=3, max_new_tokens=24, seed=3, **shape), awaited=lambda: True)
        (found,) = drawn(dumps(trace))
        assert any(d.parent is not None for e in trace.speculative[1:-1] for d in e.drafted)
        assert "picture" in found, found
        assert differences(found["picture"], json.loads(json_text(picture(loads(dumps(trace)))))) == []


def test_what_may_be_in_a_trace_is_drawn_as_python_draws_it():
    for i, (trace, found) in enumerate(zip(RUNS, drawn(*map(dumps, RUNS)), strict=True)):
        assert "picture" in found, (i, found)
        assert differences(found["picture"], json.loads(json_text(picture(loads(dumps(trace)))))) == [], i
