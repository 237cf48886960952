"""A trace or a checkpoint from anybody: what it names is not looked at, and what it brings is not run."""

import json
import re
import shutil

import pytest

from specviz.lab.audit import checkpoint as module
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError, Checkpoint

from .runs import run_trace, set_at

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
