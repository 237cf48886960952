"""A checkpoint is asked before it is loaded, and whatever is wrong with it is one sentence: no traceback, no minute, no code of its own."""

import json

import pytest

from specviz.engine.backends.base import ModelError
from specviz.engine.models import check
from specviz.engine.models.check import COUNTS, LARGEST, MOST, check_config, check_template
from specviz.engine.models.pair import load_pair
from specviz.engine.text import PromptError

from ... import tiny

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}"


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    tiny.cut_network(monkeypatch)


def checkpoint(folder, kind="llama", tokenizer=None, **said):
    """A tiny model whose config says something else, and whose tokenizer's config does."""
    words = tiny.byte_level()
    tiny.save(folder, tiny.make(tiny.config(kind, vocab_size=len(words)), 1), words)
    for file, more in (("config.json", said), ("tokenizer_config.json", tokenizer or {})):
        (folder / file).write_text(json.dumps(json.loads((folder / file).read_text("utf-8")) | more))
    return str(folder)


def refused(name: str, chat: bool = False) -> str:
    with pytest.raises(ModelError) as error:
        load_pair(name, None, chat=chat)
    message = str(error.value)
    assert "\n" not in message and len(message) < 900
    return message


@pytest.mark.parametrize("value", [10**12, 2**62, pytest.param(10**400, id="400 digits"), MOST + 1, 0, -5])
@pytest.mark.parametrize("field", ["max_position_embeddings", "head_dim", "num_hidden_layers", "vocab_size"])
def test_a_size_that_no_model_has_is_refused_by_its_name_before_anything_is_loaded(tmp_path, monkeypatch, field, value):
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", lambda *_, **__: pytest.fail("something was loaded"))
    assert f"{field} in its config.json is" in refused(checkpoint(tmp_path / "t", **{field: value}))


@pytest.mark.parametrize("field", sorted(COUNTS))
def test_sizes_are_bounded_under_the_names_of_every_family_also_inside_a_part_of_the_config(tmp_path, field):
    (tmp_path / "config.json").write_text(json.dumps({"text_config": {field: 2**62}}))
    with pytest.raises(ModelError, match=f"text_config.{field} in its config.json"):
        check_config(tmp_path, "it")
    (tmp_path / "config.json").write_text(json.dumps({"text_config": {field: 8}, field: MOST, "rope_theta": 10**12, "tie": True}))
    check_config(tmp_path, "it")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, "7", '{"a": "' + "x" * LARGEST + '"}', b"\xff\xfe{}"])
def test_a_config_that_is_none_is_one_sentence(tmp_path, text):
    (tmp_path / "config.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ModelError, match="it has no config that can be read"):
        check_config(tmp_path, "it")


@pytest.mark.parametrize(
    ("said", "tokenizer"),
    [
        ({"auto_map": {"AutoConfig": "foreign.Config"}, "model_type": "foreign"}, {}),
        ({"auto_map": {"AutoModelForCausalLM": "owner/repo--foreign.Model"}, "model_type": "foreign"}, {}),
        ({}, {"auto_map": {"AutoTokenizer": ["foreign.Slow", "foreign.Fast"]}, "tokenizer_class": "Foreign"}),
    ],
)
def test_a_checkpoint_that_brings_code_is_refused_before_anything_is_loaded(tmp_path, monkeypatch, said, tokenizer):
    name = checkpoint(tmp_path / "t", tokenizer=tokenizer, **said)
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
    monkeypatch.setattr(check, "PATIENCE", 3.0)
    with pytest.raises(ModelError, match="it has a chat template that cannot be used: it takes more time"):
        check_template(LOOP, {}, "it")


def test_a_template_that_cannot_be_used_with_one_prompt_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.engine.models.pair.check_template", lambda *_: None)
    pair = load_pair(checkpoint(tmp_path / "t", tokenizer={"chat_template": "{{ messages.__class__.__mro__ }}"}), None, chat=True)
    with pytest.raises(PromptError, match="the chat template cannot be used with this prompt: access to attribute") as error:
        pair.text.encode("Hello")
    assert "\n" not in str(error.value)
