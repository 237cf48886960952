"""A trace says which weights ran: the sum of each file that they were read from, read once a process."""

import hashlib

import pytest

from specviz.engine.draft.choose import set_up
from specviz.engine.models import checkpoint as weights
from specviz.engine.models.load import BUNDLED, load_model
from specviz.trace.events import WeightFile

from ... import tiny


def test_a_model_says_how_far_it_reaches_and_the_sum_of_every_file_whatever_runs_it(tmp_path):
    folder = tiny.save(tmp_path / "model", tiny.hf("llama"), max_shard_size="100KB")
    info = load_model(str(folder)).info
    files = sorted(folder.glob("*.safetensors"))
    assert info.context == tiny.CONTEXT and len(files) > 1
    assert info.weights == tuple(WeightFile(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files)
    info = load_model(str(tiny.save(tmp_path / "model", tiny.hf("gpt2")))).info
    assert info.forward == "transformers" and info.context == tiny.CONTEXT and len(info.weights) == 1


def test_a_file_is_read_once_and_again_when_another_was_put_in_its_place(tmp_path, monkeypatch):
    file, read = tmp_path / "model.safetensors", []
    file.write_bytes(b"one")
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *a: read.append(1) or digest(*a))
    first = weights.identity([file])
    assert weights.identity([file]) == first and len(read) == 1
    file.write_bytes(b"another")
    assert weights.identity([file]) != first and len(read) == 2


def test_a_file_of_the_hubs_cache_has_its_sum_in_its_name_and_a_huge_one_has_none(tmp_path, monkeypatch):
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("the file was read"))
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / ("ab" * 32)).write_bytes(b"weights")
    (tmp_path / "model.safetensors").symlink_to(tmp_path / "blobs" / ("ab" * 32))
    assert weights.identity([tmp_path / "model.safetensors"]) == (WeightFile("model.safetensors", "ab" * 32),)
    monkeypatch.setattr(weights, "MAX_FOLDER_FILE_BYTES", 3)
    (tmp_path / "large.safetensors").write_bytes(b"four")
    assert weights.identity([tmp_path / "large.safetensors"]) == (WeightFile("large.safetensors", None),)


@pytest.mark.parametrize("draft", ["small", "eagle", "block", "mtp", "bigram", "early-exit:3", "oracle", "lookup", "random"])
def test_every_drafter_names_its_own_weights_or_those_that_it_borrows(draft):
    setup = set_up("fable", "fable-small" if draft == "small" else draft)
    borrowed = setup.target.info.weights if draft in ("early-exit:3", "oracle") else ()
    own = [
        WeightFile(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in (BUNDLED / f"fable-{draft}").glob("*.safetensors")
    ]
    assert {w.name for w in setup.target.info.weights} == {f.name for f in (BUNDLED / "fable").glob("*.safetensors")}
    assert setup.drafter.info.weights == (*borrowed, *own)
    assert setup.drafter.info.context == (None if draft in ("bigram", "lookup", "random") else 1024)
