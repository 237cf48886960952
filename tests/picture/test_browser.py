"""A trace read by the page's own modules, run by node: a file shows what the page was sent of its run, which is smaller than the file, and
what Python's reader refuses is refused at the same place."""

import base64
import gzip
import json
import re
import subprocess

import pytest

from specviz.config import ASSETS
from specviz.page.keep import recorded
from specviz.picture.plain import MARKUP, json_text
from specviz.picture.replay import engine_facts, replay_data
from specviz.rules import SAVED
from specviz.site.shapes import contract
from specviz.trace.file import dumps, read
from tests.fake_trace import fake_trace, reticent
from tests.page_fixtures import SAVED_RUNS
from tests.trace.test_grammar import CONTRADICTIONS, forgery
from tests.view import view

from ..fake_trace import tree_trace

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


def views(*files: bytes) -> list[dict]:
    request = {"files": [base64.b64encode(file).decode() for file in files], "contract": contract(), "about": engine_facts()}
    command = ["node", "--input-type=module", "-e", CODE]
    run = subprocess.run(command, input=json_text(request), capture_output=True, text=True, cwd=ASSETS, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_file_of_every_recorded_run_shows_what_the_page_is_sent():
    files = [gzip.decompress((ASSETS / "traces" / f"{name}.jsonl.gz").read_bytes()) for name in recorded.names()]
    for name, answer in zip(recorded.names(), views(*files), strict=True):
        assert answer == {"picture": view(recorded.load(name))}, name


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
    *(read(SAVED_RUNS / f"{name}.jsonl") for name in SAVED),
]


def test_what_pythons_reader_refuses_is_refused_at_the_same_place():
    files = [dumps(forgery(trace, change)) for trace, change, _ in CONTRADICTIONS]
    for (*_, problem), answer in zip(CONTRADICTIONS, views(*files), strict=True):
        assert re.match(rf"TraceError: line \d+, {re.escape(problem.split(': ')[0])}: .*[^\n]$", answer.get("error", "")), (
            problem,
            answer,
        )


def test_a_file_with_whatever_may_be_in_a_trace_shows_what_the_page_is_sent():
    for i, (trace, answer) in enumerate(zip(RUNS, views(*map(dumps, RUNS)), strict=True)):
        assert answer == {"picture": view(trace)}, i


KINDS = [
    {"K": 4},
    {"temperature": 0.0},
    {"verifier": "match"},
    {"observed": False},
    {"hostile": True},
    {"cancelled": 0},
    {"K": 0},
]


@pytest.mark.parametrize("name", ["opening", "question", "tree"])
def test_a_run_is_sent_in_less_than_half_of_its_file(name):
    trace = recorded.load(name)
    assert 2 * len(json_text(replay_data(trace)).encode()) < len(dumps(trace))


def test_every_token_is_sent_once():
    tokens = replay_data(fake_trace(seed=7))["tokens"]
    assert len(tokens) == len(set(tokens))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_sent_is_json_without_markup_and_reads_back_the_same(kind):
    data = replay_data(fake_trace(**kind))
    text = json_text(data)
    assert not MARKUP.search(text)
    assert json.loads(text) == json.loads(json.dumps(data))


def test_a_text_of_angle_brackets_grows_by_nothing_and_no_tag_comment_or_end_of_a_script_is_left_in_it():
    assert len(json_text("<" * 1000)) == 1002
    assert "<" not in json_text("<b></b><!-- <?x ?> <SCRIPT>")
