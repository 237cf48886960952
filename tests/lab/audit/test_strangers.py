"""A trace or a checkpoint from anybody: what it names is not looked at, and what it brings is not run. A run of a GGUF file is redone by
transformers alone, which reads the file by its own code; a run with a grammar by another matcher: each mask, each void draft, each forced
token.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from safetensors.torch import save_file

from specviz import race
from specviz.engine.draft.choose import set_up
from specviz.lab.audit import checkpoint as module
from specviz.lab.audit import facts
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError, Checkpoint, checkpoint, folder_of_gguf
from specviz.trace.file import dumps

from ... import tiny, tiny_gguf, tiny_heads
from ...fakes import finished, rounds
from ...products import later, some
from .runs import STATIC, run_trace, set_at
from .test_audit import audited

CODE = """
from pathlib import Path
Path({marker!r}).write_text("it ran")
from transformers import {base}
class Foreign({base}): pass
"""
MAPS = {  # which file says that code is to be run, and for which loader
    "config": ("config.json", {"AutoConfig": "foreign.Foreign"}, "LlamaConfig"),
    "model": ("config.json", {"AutoModelForCausalLM": "foreign.Foreign"}, "LlamaForCausalLM"),
    "tokenizer": ("tokenizer_config.json", {"AutoTokenizer": ["foreign.Foreign", "foreign.Foreign"]}, "PreTrainedTokenizerFast"),
}


@pytest.mark.parametrize("which", MAPS)
@pytest.mark.parametrize("kind", ["llama", "unknown"])
def test_code_of_a_checkpoint_is_not_run_and_nobody_is_asked_whether_it_may_be(folder, tmp_path, monkeypatch, which, kind):
    file, maps, base = MAPS[which]
    place, marker = shutil.copytree(folder / "target", tmp_path / f"{which}-{kind}"), tmp_path / "ran"
    (place / "foreign.py").write_text(CODE.format(marker=str(marker), base=base))
    config = json.loads((place / file).read_text("utf-8")) | {"auto_map": maps}
    (place / file).write_text(
        json.dumps(config | ({"model_type": "foreign"} if file == "config.json" and kind == "unknown" else {}))
    )
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("somebody was asked"))
    try:
        assert Checkpoint(str(place), place).tokenizer is not None
    except AuditError as refused:
        assert "\n" not in str(refused)
    assert not marker.exists()


@pytest.mark.parametrize("name", ["../..", "/", "/etc", "~", ".", "", "owner/name", "fable/../fable", "x" * 5000])
@pytest.mark.parametrize("part", ["target", "draft"])
def test_no_folder_and_no_repository_is_looked_at_because_a_trace_names_it(folder, monkeypatch, name, part):
    monkeypatch.setattr(module, "load_checkpoint", lambda name, folder: pytest.fail(f"{name} was looked for in {folder}"))
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: pytest.fail(f"{name} was fetched"))
    trace = set_at(run_trace(folder, "near"), ["header", part, "name"], name)
    target = None if part == "target" else str(folder / "target")
    if target:
        monkeypatch.undo()
    with pytest.raises(AuditError, match="which is no model of those bundled: give its folder or hub id") as refused:
        audit(trace, target)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("name", ["../near/model.safetensors", "../../secret", "/etc/hostname", "config.json"])
def test_no_file_but_the_weights_of_a_model_is_summed_because_a_trace_names_it(folder, name):
    trace = run_trace(folder, "near")
    planted = set_at(trace, ["header", "target", "weights"], trace.header.target.weights)
    planted = set_at(planted, ["header", "target", "weights", 0, "name"], name)
    wrong = [one for one in audit(planted, str(folder / "target"), str(folder / "near")).wrong if one.what == "weights"]
    assert wrong and not any(re.search("[0-9a-f]{64}", str(one.redone)) for one in wrong)


SIZES = {**tiny_gguf.SIZES, "vocab_size": 400, "head_dim": 64, "max_position_embeddings": 512, "rms_norm_eps": 1e-5}


@pytest.mark.slow
@pytest.mark.parametrize(("temperature", "stored"), [(0.0, "blocks"), (0.7, "bfloat16")])
def test_every_number_of_a_run_holds_and_another_file_does_not(tmp_path, monkeypatch, temperature, stored):
    monkeypatch.setenv("SPECVIZ_GGUF", stored)
    # the file calls another token its end than the template writes, and says nothing of how a text is cut
    more = {"tokenizer.ggml.eos_token_id": 0, **({"tokenizer.ggml.pre": None} if temperature else {})}
    path = tiny_gguf.write(
        tmp_path, tiny.make(tiny.config("smollm", **SIZES)), "Q4_1", "sha256-0123" if temperature else "tiny.gguf", more
    )
    setup = set_up(str(path), "early-exit:1", chat=True)
    assert setup.text.eos == {0, 2}
    *_, trace = race(setup, "What's 12 + 30? 🦊", K=2, max_new_tokens=10, temperature=temperature, ignore_eos=True)
    assert trace.header.target.dtype == ("Q4_1" if stored == "blocks" else stored)
    with folder_of_gguf(path, trace.header.target) as folder:
        ledger = audit(trace, str(folder))
        assert not ledger.wrong, ledger.details()
        assert {"prompt", "weights", "name"} <= {row[0] for row in ledger.rows()}
    assert not folder.exists()
    other = tiny_gguf.write(tmp_path / "other", tiny.make(tiny.config("smollm", **SIZES), seed=1), "Q4_1")
    with folder_of_gguf(other) as folder:
        assert audit(trace, str(folder)).wrong


@pytest.mark.parametrize(
    ("kind", "table", "head"),
    [
        ("eagle", "Q8_0", {}),
        ("eagle", "Q8_0", {"ids": [*range(0, 400, 3)]}),
        ("eagle", "Q8_0", {"layers": 2}),
        ("block", "Q8_0", {"ids": [*range(0, 400, 2)]}),
        # rows of other types are compiled apart, in a quarter of a minute
        *later([("eagle", "Q4_1", {}), ("eagle", "Q4_1", {"ids": [*range(0, 400, 3)]})]),
    ],
)
def test_a_head_over_blocks_is_held_in_blocks_and_every_q_is_redone_to_the_bit(tmp_path, monkeypatch, kind, table, head):
    monkeypatch.setenv("SPECVIZ_GGUF", "blocks")
    model = tiny.make(tiny.config("smollm", **{**SIZES, "num_hidden_layers": 6}))
    path = tiny_gguf.write(tmp_path, model, "Q4_1", table=table)
    weights = getattr(tiny_heads, kind)(model.config, **head)
    if "layers" not in head:
        weights.pop("lm_head.weight", None)
    (own := tmp_path / "head").mkdir()
    save_file(weights, own / "model.safetensors")
    (own / "config.json").write_text(json.dumps(model.config.to_dict() | {"ptd_token_id": 1}))
    *_, trace = race(set_up(str(path), f"{kind}:{own}"), "Once 🦊", K=3, max_new_tokens=12, temperature=1.0, ignore_eos=True)
    assert trace.header.draft.dtype == "Q8_0" and trace.header.draft.arithmetic == trace.header.target.arithmetic
    with folder_of_gguf(path, trace.header.target) as folder:
        ledger = audit(trace, str(folder), str(own))
    assert not ledger.wrong, ledger.details()
    assert ledger.errors["q"] < 1e-6 and ledger.checked["draft drawn"]


def test_a_file_that_transformers_cannot_read_is_one_sentence(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(AuditError, match=r"broken.gguf cannot be read by transformers \("), folder_of_gguf(path):
        pass


WITHOUT_ACCELERATE = (
    "import sys; sys.modules['accelerate'] = None; from specviz.__main__ import main; main('audit', *sys.argv[1:])"
)
ROOT = Path(__file__).parents[3]


def audited_without_accelerate(*words) -> str:
    """What the command prints where transformers finds no accelerate, which requirements.txt does not name."""
    command = [sys.executable, "-c", WITHOUT_ACCELERATE, *map(str, words)]
    env = os.environ | {"HF_HUB_OFFLINE": "1"}
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.slow
def test_a_run_of_a_file_is_redone_where_accelerate_is_not_installed(tmp_path):
    path = tiny_gguf.write(tmp_path, tiny.make(tiny.config("smollm", **SIZES)), "Q4_1", "sha256-0123")  # as Ollama keeps it
    *_, trace = race(set_up(str(path), "lookup"), "one two one two", K=2, max_new_tokens=8, temperature=0, ignore_eos=True)
    (tmp_path / "run.jsonl").write_bytes(dumps(trace))
    assert '"wrong": 0' in audited_without_accelerate(tmp_path / "run.jsonl", "--target", path)


WORDS = r"the [a-z]{1,4}( (and|or) [a-z]{1,4}){0,2}\."
HOW = {"ignore_eos": False, "grammar": WORDS, "max_new_tokens": 24}
WAYS = {
    "sampled": {"temperature": 0.9},
    "greedy": {"temperature": 0},
    "filtered": {"top_k": 5, "top_p": 0.9},
    "match": {"verifier": "match"},
    "block": {"verifier": "block"},
    "tree": STATIC | {"top_k": 8},
}


@pytest.mark.parametrize("way", some(WAYS, "filtered", "tree"))
def test_a_run_with_a_grammar_is_redone_and_nothing_is_wrong(folder, way):
    trace = run_trace(folder, "near", **HOW | WAYS[way])
    ledger = audited(folder, trace)
    assert not ledger.wrong, ledger.wrong[:3]
    assert not ledger.skipped
    assert ledger.checked["void"] == sum(len(r.drafted) for r in rounds(trace.speculative)) > 0
    assert any(d.void for r in rounds(trace.speculative) for d in r.drafted)
    assert any(e.forced for r in rounds(trace.speculative) for e in r.emitted)
    assert finished(trace.speculative).text.startswith("the ")


@cache
def place_of(trace, kind: str, name: str) -> list:
    """Where the first drafted or emitted token stands that is void, or forced."""
    for at, event in enumerate(trace.speculative):
        for i, each in enumerate(getattr(event, kind, ())):
            if getattr(each, name):
                return ["speculative", at, kind, i]
    raise AssertionError(f"no {kind} token is {name}")


@pytest.mark.parametrize(("kind", "name"), [("drafted", "void"), ("emitted", "forced")])
def test_a_void_draft_or_a_forced_token_that_is_hidden_is_found(folder, kind, name):
    trace = run_trace(folder, "near", **HOW)
    forged = set_at(trace, [*place_of(trace, kind, name), name], False)
    assert [wrong.what for wrong in audited(folder, forged).wrong] == [name]


def test_another_grammar_than_that_of_the_run_is_found(folder):
    trace = run_trace(folder, "near", **HOW)
    config = replace(trace.header.config, grammar=WORDS.replace("1,4", "1,3"))
    assert audited(folder, set_at(trace, ["header", "config"], config)).wrong


def test_a_grammar_on_which_the_matcher_goes_back_without_end_is_refused(folder, monkeypatch):
    monkeypatch.setattr(facts, "MATCH_SECONDS", 0.05)
    target = checkpoint("target", str(folder / "target"))
    masks = facts.Masks("(a|aa)+X", target.tokenizer, target.vocabulary, 0, frozenset())
    with pytest.raises(AuditError, match="too long"):
        masks.mask_after("a" * 60)
