"""A checkpoint is asked before it is loaded, and whatever is wrong with it is one sentence: no traceback, no minute, no code of its own."""

import json
from itertools import cycle

import pytest

from specviz.engine.model import ModelError
from specviz.engine.models import checkpoint as check
from specviz.engine.models.checkpoint import COUNTS, MAX_CONFIG_BYTES, MAX_COUNT, check_config, check_template
from specviz.engine.models.pair import load_pair
from specviz.engine.text import PromptError

from ... import tiny

pytestmark = pytest.mark.usefixtures("no_network")
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}"


def checkpoint(folder, kind="llama", tokenizer=None, **fields):
    """A tiny model whose config says something else, and whose tokenizer's config does."""
    words = tiny.byte_level()
    tiny.save(folder, tiny.make(tiny.config(kind, vocab_size=len(words)), 1), words)
    for file, more in (("config.json", fields), ("tokenizer_config.json", tokenizer or {})):
        (folder / file).write_text(json.dumps(json.loads((folder / file).read_text("utf-8")) | more))
    return str(folder)


def refused(name: str, chat: bool = False) -> str:
    return tiny.refusal(load_pair, name, None, chat=chat)


SIZES = [10**12, 2**62, 10**400, MAX_COUNT + 1, 0, -5]
FIELDS = cycle(["max_position_embeddings", "head_dim", "num_hidden_layers", "vocab_size"])


@pytest.mark.parametrize(("field", "value"), list(zip(FIELDS, SIZES, strict=False)), ids=lambda each: str(each)[:30])
def test_a_size_that_no_model_has_is_refused_by_its_name_before_anything_is_loaded(tmp_path, monkeypatch, field, value):
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", lambda *_, **__: pytest.fail("something was loaded"))
    assert f"{field} in its config.json is" in refused(checkpoint(tmp_path / "t", **{field: value}))


@pytest.mark.parametrize("field", sorted(COUNTS))
def test_sizes_are_bounded_under_the_names_of_every_family_also_inside_a_part_of_the_config(tmp_path, field):
    (tmp_path / "config.json").write_text(json.dumps({"text_config": {field: 2**62}}))
    with pytest.raises(ModelError, match=f"text_config.{field} in its config.json"):
        check_config(tmp_path, "it")
    (tmp_path / "config.json").write_text(
        json.dumps({"text_config": {field: 8}, field: MAX_COUNT, "rope_theta": 10**12, "tie": True})
    )
    check_config(tmp_path, "it")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 100_000, "7", '{"a": "' + "x" * MAX_CONFIG_BYTES + '"}', b"\xff\xfe{}"]
)
def test_a_config_that_is_none_is_one_sentence(tmp_path, text):
    (tmp_path / "config.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ModelError, match="it has no config that can be read"):
        check_config(tmp_path, "it")


@pytest.mark.parametrize(
    ("fields", "tokenizer"),
    [
        ({"auto_map": {"AutoConfig": "foreign.Config"}, "model_type": "foreign"}, {}),
        ({"auto_map": {"AutoModelForCausalLM": "owner/repo--foreign.Model"}, "model_type": "foreign"}, {}),
        ({}, {"auto_map": {"AutoTokenizer": ["foreign.Slow", "foreign.Fast"]}, "tokenizer_class": "Foreign"}),
    ],
)
def test_a_checkpoint_that_brings_code_is_refused_before_anything_is_loaded(tmp_path, monkeypatch, fields, tokenizer):
    name = checkpoint(tmp_path / "t", tokenizer=tokenizer, **fields)
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", lambda *_, **__: pytest.fail("something was loaded"))
    assert "asks for code of the checkpoint to be run, which is never done here" in refused(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ messages.__class__.__mro__ }}", "SecurityError"),
        ("{% for %}", "TemplateSyntaxError"),
        ("{{ 'x' * 10 ** 12 }}", "Error"),
    ],
)
def test_a_template_that_its_sandbox_stops_is_one_sentence_when_the_model_is_loaded(tmp_path, template, says):
    message = refused(checkpoint(tmp_path / "t", tokenizer={"chat_template": template}), chat=True)
    assert "has a chat template that cannot be used" in message and says in message


@pytest.mark.slow
def test_a_template_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(check, "TEMPLATE_TIMEOUT_S", 3.0)
    with pytest.raises(ModelError, match="it has a chat template that cannot be used: it takes more time"):
        check_template(LOOP, {}, "it")


def test_a_template_that_cannot_be_used_with_one_prompt_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.engine.models.pair.check_template", lambda *_: None)
    pair = load_pair(checkpoint(tmp_path / "t", tokenizer={"chat_template": "{{ messages.__class__.__mro__ }}"}), None, chat=True)
    reason = tiny.refusal(pair.text.encode, "Hello", error=PromptError)
    assert "the chat template cannot be used with this prompt: access to attribute" in reason
