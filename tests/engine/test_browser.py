"""The engine in a browser (assets/engine), run by node: it tells what the engine in Python tells."""

import json
import re
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from scripts.agree import DRAFTS, LANES, PROMPTS, agreement, in_node, in_python
from scripts.build_wasm import OUT
from specviz.config import DecodeConfig
from specviz.engine.browser import write
from specviz.engine.compiled.registers import FUSES
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import load_tokenizer
from specviz.engine.text import TokenizerText
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import folder_of_gguf
from specviz.site.data import RULES_HERE
from specviz.trace.events import Q8_ACTIVATIONS, Q8_UNFUSED, Round
from tests import tiny_gguf
from tests.products import some

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="the browser's engine is run by node, which is not here")
ODD = [
    *PROMPTS,
    "",
    " ",
    "\n\n\t",
    "a\u00a0b\u2003c\u0085d",
    "<|endoftext|>x",
    "١٢٣ नमस्ते e\u0301 👩‍👩‍👧",
    "don't I'LL 've",
    "a" * 3000,
]


def node(code: str, *words: str) -> str:
    return subprocess.run(
        ["node", "--input-type=module", "-e", code, *words], check=True, capture_output=True, text=True, cwd=OUT, encoding="utf-8"
    ).stdout


def numbers(events) -> list:
    """Tokens with their p and q, as they are."""
    rounds = [event for event in events if isinstance(event, Round)]
    drafted = [(one.token.id, one.p, one.q) for each in rounds for one in each.drafted]
    places = [one.position for each in rounds for one in each.emitted if one.position]
    return drafted + [(entry.token.id, entry.p, entry.q) for place in places for entry in place.entries]


@pytest.mark.parametrize("plain", some([False, True]), ids=["relaxed SIMD", "without it"])
def test_runs_of_the_same_seed_tell_the_same_story(plain):
    share, wrong = agreement(10, plain)
    assert share == 1, "\n".join(wrong)


@pytest.mark.full
@pytest.mark.parametrize(("plain", "parts"), [(False, 0), (True, 2)], ids=["relaxed SIMD", "without it"])
def test_a_hundred_runs_over_drafters_rules_and_temperatures_agree(plain, parts):
    share, wrong = agreement(100, plain)
    assert share >= 1 - parts / 100, "\n".join(wrong)  # scripts/agree.py says why some may part without it
    assert all(
        re.search(r"event \d+: (drafted|emitted|token|role|verdict)", line) for line in wrong
    )  # by what was drawn, never by p or q


@pytest.mark.slow
@pytest.mark.parametrize("filters", [{}, {"top_k": 20}, {"top_p": 0.9}], ids=["", "top-k", "top-p"])
def test_with_relaxed_simd_p_and_q_have_the_bits_that_they_have_on_this_processor(filters):
    """Of models and heads: PyTorch chooses among the equals of random tokens."""
    config = asdict(DecodeConfig(K=3, temperature=0.8, max_new_tokens=8, seed=4, **filters))
    runs = [{"draft": draft, "prompt": PROMPTS[0], "config": config} for draft in DRAFTS if draft != "random"]
    for run, events, trace in zip(runs, in_python(runs), in_node(runs), strict=True):
        for lane in LANES:
            here, there = numbers(events[lane]), numbers(getattr(trace, lane))
            assert here and here == there, f"{run['draft']}, {lane}"


@pytest.mark.slow
@pytest.mark.parametrize("ids", some([None, [*range(0, 400, 3)]], [*range(0, 400, 3)]), ids=["all tokens", "some of them"])
def test_an_assistant_in_blocks_tells_with_and_without_relaxed_simd_what_the_auditor_redoes_to_the_bit(
    tmp_path, monkeypatch, ids
):
    monkeypatch.setenv("SPECVIZ_GGUF", "blocks")
    path, head = tiny_gguf.with_head(tmp_path, ids)
    parts = tmp_path / "site" / "assistant"
    index = write(parts, path, head)
    (parts / "index.json").write_text(json.dumps(index))
    configs = DecodeConfig(K=1, temperature=0, max_new_tokens=12), DecodeConfig(K=3, temperature=1.0, max_new_tokens=12, seed=5)
    runs = [{"draft": "eagle", "prompt": "What's 12 + 30? 🦊" * 12, "config": asdict(config)} for config in configs]
    ours = in_python([run | {"draft": head} for run in runs], path)
    for plain, arithmetic in (False, Q8_ACTIVATIONS), (True, Q8_UNFUSED):
        for events, trace in zip(ours, in_node(runs, plain, tmp_path / "site"), strict=True):
            assert (trace.header.target.arithmetic, trace.header.draft.arithmetic) == (arithmetic, arithmetic)
            assert trace.header.chat and trace.header.target.weights[0].name == "tiny.gguf"
            if FUSES is not plain:
                assert all(numbers(events[lane]) == numbers(getattr(trace, lane)) for lane in LANES)
            with folder_of_gguf(Path(path), trace.header.target) as folder:
                ledger = audit(trace, str(folder), head.removeprefix("eagle:"))
            assert not ledger.wrong, ledger.details()
            assert ledger.errors["p"] < 1e-6 and ledger.errors.get("q", 0) < 1e-6


def test_an_auditor_that_shares_no_code_redoes_a_trace():
    configs = (DecodeConfig(K=3, max_new_tokens=16, seed=5), DecodeConfig(K=3, temperature=0, max_new_tokens=16))
    some = (("fable-small", configs[0]), *((draft, configs[1]) for draft in DRAFTS))
    runs = [{"draft": draft, "prompt": PROMPTS[0], "config": asdict(config)} for draft, config in some]
    for trace in in_node(runs):
        ledger = audit(trace)
        assert ledger.wrong == [] and not ledger.skipped
        assert bool(ledger.checked["softmax"]) == trace.header.config.greedy


def test_a_trace_of_a_browser_says_whether_its_rule_is_exact():
    configs = [
        DecodeConfig(verifier=name, max_new_tokens=2, K=K, temperature=T) for name in RULES_HERE for K in (0, 2) for T in (0, 1)
    ]
    traces = in_node([{"draft": "fable-small", "prompt": "Once", "config": asdict(config)} for config in configs])
    assert [trace.header.exact for trace in traces] == [config.exact for config in configs]


def test_text_is_cut_and_named_as_in_python():
    code = """
import { Text } from "./text.js";
import { readFileSync } from "node:fs";
const [folder, prompts] = process.argv.slice(1);
const json = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`));
const text = new Text(json("tokenizer"), json("tokenizer_config"), [0]);
const names = Array.from({ length: 4200 }, (_, id) => text.token(id));
const pieces = (ids) => { const stream = text.stream([0]); return ids.map((id) => stream.push(id)); };
const cut = JSON.parse(prompts).map((prompt) => text.encode(prompt));
const odd = Array.from({ length: 600 }, (_, i) => (i * 7919) % 4096);
console.log(JSON.stringify({ names, cut, pieces: [odd, ...cut].map(pieces) }));
"""
    answer = json.loads(node(code, str(BUNDLED / "fable"), json.dumps(ODD)))
    text = TokenizerText(load_tokenizer(BUNDLED / "fable", "fable"), frozenset({0}))
    assert answer["names"] == [asdict(text.token(id)) for id in range(4200)]
    assert answer["cut"] == [text.encode(prompt) for prompt in ODD]
    for ids, pieces in zip([[i * 7919 % 4096 for i in range(600)], *answer["cut"]], answer["pieces"], strict=True):
        stream = text.stream([0])
        assert pieces == [stream.push(id) for id in ids]
