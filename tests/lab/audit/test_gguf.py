"""A run of a GGUF file is redone by transformers alone, which reads the file by its own code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from specviz import race
from specviz.engine.draft.choose import set_up
from specviz.engine.models import assistant
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError
from specviz.lab.audit.gguf import folder_of_gguf
from specviz.trace.file import dumps

from ... import tiny, tiny_gguf

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
    with folder_of_gguf(path, trace.header.target.dtype) as folder:
        ledger = audit(trace, str(folder))
        assert not ledger.wrong, ledger.details()
        assert {"prompt", "weights", "name"} <= {row[0] for row in ledger.rows()}
    assert not folder.exists()
    other = tiny_gguf.write(tmp_path / "other", tiny.make(tiny.config("smollm", **SIZES), seed=1), "Q4_1")
    with folder_of_gguf(other) as folder:
        assert audit(trace, str(folder)).wrong


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


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_recorded_run_of_the_assistant_is_redone_where_accelerate_is_not_installed(monkeypatch):
    monkeypatch.delenv(assistant.SWITCH, raising=False)
    if not assistant.place():
        pytest.skip("the assistant is not on this machine: specviz fetch")
    assert '"wrong": 0' in audited_without_accelerate(ROOT / "assets" / "traces" / "answer-sums.jsonl.gz")
