"""Two models with one tokenizer are a pair, whatever their padded sizes; two tokenizers are not, whatever theirs."""

import json
import re
from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.model import ModelError
from specviz.engine.models.load import BUNDLED, model_path
from specviz.engine.models.pair import eos_ids, load_draft, load_pair, load_tokenizer, mismatch

from ... import tiny
from ...fakes import rounds, tokens

pytestmark = pytest.mark.usefixtures("no_network")


def write(folder, tokenizer, logits: int | None = None, seed: int = 0, **change):
    """A llama of `logits` ids (as many as the tokenizer has by default) and its tokenizer, in a folder."""
    config = tiny.config("llama", vocab_size=logits or len(tokenizer), **change)
    return str(tiny.save(folder, tiny.make(config, seed), tokenizer))


@pytest.mark.parametrize(("target", "draft"), [(0, 23), (23, 0), (8, 40), (40, 8), (0, 0)], ids=str)
@pytest.mark.parametrize("greedy", [True, False], ids=["greedy", "sampled"])
def test_padded_vocabularies_of_any_size_decode_end_to_end(tmp_path, target, draft, greedy):
    tokenizer = tiny.byte_level()
    size = len(tokenizer)
    pair = load_pair(write(tmp_path / "t", tokenizer, size + target), write(tmp_path / "d", tokenizer, size + draft, seed=1))
    assert (pair.target.vocabulary, pair.draft.vocabulary) == (size + target, size + draft)
    config = DecodeConfig(K=3, temperature=0 if greedy else 1.5, max_new_tokens=24, ignore_eos=True)
    prompt = pair.text.encode("Once upon a time")
    events = list(decode(pair.target, SmallModel(pair.draft), prompt, config, pair.text))
    assert len(tokens(events)) == 24
    assert all(0 <= d.token.id < size + min(target, draft) for r in rounds(events) for d in r.drafted)
    if greedy:
        assert tokens(events) == tokens(decode(pair.target, None, prompt, replace(config, K=0), pair.text))


def test_tokenizers_of_one_size_that_differ_are_refused_with_the_reason_also_where_no_sample_text_shows_it(tmp_path):
    a, b = tiny.byte_level(merges=40), tiny.byte_level(merges=39, extra=("<|other|>",))
    assert len(a) == len(b)
    target, draft = write(tmp_path / "t", a), write(tmp_path / "d", b)
    message = tiny.refusal(load_pair, target, draft)
    assert re.search(r"cannot draft for .*: their tokenizers differ: .* the first difference at token \d+", message)
    tokenizer = tiny.byte_level()
    other = reordered(tokenizer, "þ", "ÿ")  # two bytes that no text has: a sample can never cover a whole vocabulary
    assert tokenizer.get_vocab() != other.get_vocab() and mismatch(tokenizer, other) is not None


def reordered(tokenizer, a: str, b: str):
    """The same tokenizer with the ids of two tokens exchanged."""
    from tokenizers import Tokenizer

    fields = json.loads(tokenizer.backend_tokenizer.to_str())
    vocabulary = fields["model"]["vocab"]
    vocabulary[a], vocabulary[b] = vocabulary[b], vocabulary[a]
    return tiny.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(fields)), bos_token=tokenizer.bos_token, eos_token=tokenizer.eos_token
    )


def test_a_tokenizer_matches_itself_however_it_was_loaded(tmp_path):
    tokenizer = tiny.byte_level()
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert mismatch(tokenizer, load_tokenizer(tmp_path, "m")) is None


@pytest.mark.parametrize(("kind", "does"), [("bos_token", "begins"), ("eos_token", "ends")])
def test_a_draft_whose_texts_begin_or_end_otherwise_is_taken_and_that_is_said(tmp_path, kind, does):
    """A base model for an instruct model: losslessness does not need that they end alike."""
    a, b = tiny.byte_level(extra=("<|other|>",)), tiny.byte_level(extra=("<|other|>",))
    setattr(b, kind, "<|other|>")
    assert mismatch(a, b) is None
    pair = load_pair(write(tmp_path / "t", a), write(tmp_path / "d", b, seed=1))
    assert pair.draft.info.note == f"it {does} a text with <|other|>, the target with <|end|>; the target's count"
    assert pair.target.info.note == "" and pair.text.eos == {0}
    assert load_draft(pair, str(tmp_path / "d")).info.note == pair.draft.info.note
    vanilla, speculative = (
        tokens(
            decode(
                pair.target, drafter, pair.text.encode("The cat"), DecodeConfig(K=K, temperature=0, max_new_tokens=24), pair.text
            )
        )
        for K, drafter in ((0, None), (3, SmallModel(pair.draft)))
    )
    assert vanilla == speculative


def test_an_added_token_with_another_id_is_refused_and_one_that_only_one_has_is_no_mismatch():
    a, b = tiny.byte_level(extra=("<|user|>", "<|tool|>")), tiny.byte_level(extra=("<|tool|>", "<|user|>"))
    assert mismatch(a, b).startswith("their tokenizers differ: <|")
    assert mismatch(tiny.byte_level(extra=("<|user|>",)), tiny.byte_level()) is None


def generation_config(folder, **fields):
    (folder / "generation_config.json").write_text(json.dumps(fields))


def test_every_id_that_a_model_names_as_an_end_ends_a_text(tmp_path):
    tokenizer = tiny.byte_level()
    folder = model_path(write(tmp_path / "m", tokenizer))
    (folder / "generation_config.json").unlink(missing_ok=True)
    assert eos_ids(folder, tokenizer, "m") == {0}
    generation_config(folder, eos_token_id=[5, 7])
    assert eos_ids(folder, tokenizer, "m") == {0, 5, 7}
    generation_config(folder, eos_token_id=9)
    tiny.edit_config(folder, eos_token_id=[3, 4])
    assert eos_ids(folder, tokenizer, "m") == {0, 3, 4, 9}


def test_a_broken_generation_config_is_one_clear_line(tmp_path):
    target = write(tmp_path / "m", tiny.byte_level())
    (tmp_path / "m" / "generation_config.json").write_text("{oops")
    tiny.refusal(load_pair, target, None)


def test_a_tokenizer_that_cannot_stream_is_refused(tmp_path):
    for file in ("config.json", "tokenizer_config.json"):
        (tmp_path / file).write_bytes((BUNDLED / "fable-small" / file).read_bytes())
    with pytest.raises(ModelError, match=r"^m has no tokenizer"):
        load_tokenizer(tmp_path, "m")
