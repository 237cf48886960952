"""A trace read by the page's own modules, run by node: a file shows what the page was sent of its run, and what Python's reader refuses is
refused in a sentence."""

import base64
import gzip
import json
import re
import subprocess
from dataclasses import replace

import pytest

from specviz.config import ASSETS, DecodeConfig
from specviz.engine.draft.choose import set_up
from specviz.engine.race import race
from specviz.page.keep import recorded
from specviz.picture.plain import json_text
from specviz.picture.replay import about
from specviz.site.shapes import contract
from specviz.trace.file import TraceError, dumps, loads
from tests.fake_trace import fake_trace, reticent
from tests.fake_tree import tree_trace
from tests.lab.audit.runs import put
from tests.view import view

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
    return asked_of_node(CODE, files, about=about())


def asked_of_node(code: str, files, **more) -> list:
    asked = {"files": [base64.b64encode(file).decode() for file in files], "contract": contract(), **more}
    command = ["node", "--input-type=module", "-e", code]
    run = subprocess.run(command, input=json_text(asked), capture_output=True, text=True, cwd=ASSETS, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_file_of_every_recorded_run_shows_what_the_page_is_sent():
    files = [gzip.decompress((ASSETS / "traces" / f"{name}.jsonl.gz").read_bytes()) for name in recorded.names()]
    for name, found in zip(recorded.names(), drawn(*files), strict=True):
        assert found == {"picture": view(recorded.load(name))}, name


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
    "a void token without a grammar": bent(1, void=True),
}


def test_a_tree_that_is_none_is_refused_in_one_sentence_by_both_readers():
    for (what, data), found in zip(FORGED.items(), drawn(*FORGED.values()), strict=True):
        assert re.match(r"TraceError: .*drafted\[\d\]\.\w+: .*must be", found.get("error", "")), (what, found)
        assert "\n" not in found["error"]
        with pytest.raises(TraceError, match="must be"):
            loads(data)


@pytest.mark.slow
def test_the_file_of_a_run_that_drafted_trees_shows_what_the_page_is_sent():
    setup = set_up("fable", "eagle")
    shapes = ({"tree": "static", "children": "2-2-1"}, {"tree": "dynamic", "nodes": 9, "drafting": "argmax"})
    for shape in shapes:
        *_, trace = race(setup, "Once upon a time", DecodeConfig(K=3, max_new_tokens=24, seed=3, **shape), awaited=lambda: True)
        (found,) = drawn(dumps(trace))
        assert any(d.parent is not None for e in trace.speculative[1:-1] for d in e.drafted)
        assert found == {"picture": view(trace)}
        forged = [changed(trace, wanted, *change) for wanted, *change in TREE_FORGED.values()]
        for name, data, told in zip(TREE_FORGED, forged, drawn(*forged), strict=True):
            with pytest.raises(TraceError) as refused:
                loads(data)
            assert place(told["error"]) == place(str(refused.value)), name


def first(trace, wanted) -> tuple[int, int]:
    """The first drafted token that is wanted: its event and its place."""
    rounds = enumerate(trace.speculative[1:-1], 1)
    return next((i, j) for i, r in rounds for j, d in enumerate(r.drafted) if wanted(d))


def changed(trace, wanted, *path_and_value) -> bytes:
    """The file with a field of that token changed, and sealed again."""
    *path, value = path_and_value
    i, j = first(trace, wanted)
    return dumps(put(trace, ["speculative", i, "drafted", j, *path], value))


def by(verdict: str):
    return lambda d: d.verdict == verdict and d.p > 1e-4 and d.position is not None


CHAIN, BLOCK, ARGMAX = fake_trace(), fake_trace(verifier="block", K=4, seed=8), fake_trace(drafting="argmax")
CONTRADICTIONS = {
    "a verdict that u contradicts": lambda: changed(CHAIN, by("rejected"), "u", 0.0),
    "a verdict that θ contradicts": lambda: changed(fake_trace(verifier="threshold", theta=0.9), by("rejected"), "u", 0.0),
    "a verdict that ε contradicts": lambda: changed(fake_trace(verifier="typical"), by("accepted"), "p", 1e-5),
    "a joint ratio": lambda: changed(BLOCK, lambda d: d.joint and d.joint > 0.1, "joint", lambda joint: joint / 2),
    "a beginning that was not the longest": lambda: changed(BLOCK, by("rejected"), "u", 0.0),
    "q of the draft's largest": lambda: changed(ARGMAX, by("accepted"), "q", 0.5),
    "own entries": lambda: changed(ARGMAX, by("accepted"), "position", "own", "entries", lambda own: (1.5, *own[1:])),
    "a product above the overlap": lambda: changed(
        CHAIN, lambda d: d.position and d.position.beta < 0.9, "position", "product", 1.0
    ),
    "a product without a best": lambda: changed(CHAIN, by("accepted"), "position", "best", None),
    "a best without a product": lambda: changed(CHAIN, by("accepted"), "position", "product", None),
    "an overlap above 1": lambda: changed(CHAIN, by("accepted"), "position", "beta", 1.5),
    "a chance below 0": lambda: changed(CHAIN, by("accepted"), "p", -0.5),
    "a text that is too long": lambda: changed(CHAIN, by("accepted"), "token", "text", "x" * 10_001),
    "a token that the target has not": lambda: changed(CHAIN, by("accepted"), "token", "id", 2**31),
}


def place(message: str) -> str:
    return message.removeprefix("TraceError: ").split(": ")[0]


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_pythons_reader_refuses_is_refused_at_the_same_place(name):
    data = CONTRADICTIONS[name]()
    with pytest.raises(TraceError) as refused:
        loads(data)
    (found,) = drawn(data)
    assert place(found["error"]) == place(str(refused.value)), (found, refused.value)


TREE_FORGED = {
    "a later parent": (lambda d: d.parent == 0, "parent", 40),
    "a place that is taken": (lambda d: d.rank == 1, "rank", 0),
    "a depth": (lambda d: d.depth == 2, "depth", 3),
    "a verdict off the path": (lambda d: d.verdict == "unexamined", "verdict", "accepted"),
}


def test_a_file_with_whatever_may_be_in_a_trace_shows_what_the_page_is_sent():
    for i, (trace, found) in enumerate(zip(RUNS, drawn(*map(dumps, RUNS)), strict=True)):
        assert found == {"picture": view(trace)}, i
