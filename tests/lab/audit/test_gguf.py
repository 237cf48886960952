"""A run of a GGUF file is redone by transformers alone, which reads the file by its own code."""

import pytest

from specviz import race
from specviz.engine.draft.choose import set_up
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError
from specviz.lab.audit.gguf import folder_of_gguf

from ... import tiny, tiny_gguf

SIZES = {**tiny_gguf.SIZES, "vocab_size": 400, "head_dim": 64, "max_position_embeddings": 512, "rms_norm_eps": 1e-5}


@pytest.mark.slow
@pytest.mark.parametrize(("temperature", "stored"), [(0.0, "blocks"), (0.7, "bfloat16")])
def test_every_number_of_a_run_holds_and_another_file_does_not(tmp_path, monkeypatch, temperature, stored):
    monkeypatch.setenv("SPECVIZ_GGUF", stored)
    path = tiny_gguf.write(tmp_path, tiny.make(tiny.config("smollm", **SIZES)), "Q4_1")
    setup = set_up(str(path), "early-exit:1", chat=True)
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
