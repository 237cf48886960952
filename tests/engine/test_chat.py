"""Instruct models through their chat template, and the public pairs that can be picked."""

import pytest
import torch

from specviz.drafters import KINDS
from specviz.engine.model import ModelError
from specviz.engine.models.load import load_config, load_model
from specviz.engine.models.pair import PUBLIC, load_pair
from specviz.engine.text import PromptError, TokenizerText

from .. import tiny

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n"
    "{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
)


def instructed(**how) -> TokenizerText:
    tokenizer = tiny.byte_level(**how)
    tokenizer.chat_template = TEMPLATE
    return TokenizerText(tokenizer, frozenset({0}), chat=True)


@pytest.mark.parametrize("template", [False, True])
def test_a_chat_prompt_goes_through_the_template_and_begins_with_one_beginning(template):
    text = instructed(template=template)
    ids = text.encode("Hello there")
    assert ids.count(0) == 1 and ids[0] == 0
    assert text.backend.decode(ids, skip_special_tokens=True) == "[user] Hello there\n[assistant] "


def test_a_prompt_is_data_to_the_template_which_refuses_half_a_surrogate_pair():
    text = instructed()
    for prompt in ("{{ bos_token }}", "{% for x in y %}", "${1+1}"):
        assert text.backend.decode(text.encode(prompt), skip_special_tokens=True) == f"[user] {prompt}\n[assistant] "
    assert "not valid Unicode" in tiny.refusal(instructed().encode, "a\ud83d", error=PromptError)


def test_a_target_without_a_chat_template_is_refused_before_its_weights_are_read(tmp_path):
    folder = tiny.save(tmp_path / "plain", tiny.hf("llama"), tiny.byte_level())
    with pytest.raises(ModelError, match="has no chat template"):
        load_pair(str(folder), None, chat=True)


def test_a_model_type_that_is_another_with_heads_is_run_without_code_of_the_checkpoint(tmp_path):
    source = tiny.hf("qwen2")
    folder = tiny.save(tmp_path / "mimo", source, tiny.byte_level())
    tiny.edit_config(folder, model_type="mimo", architectures=["MiMoForCausalLM"], auto_map={"AutoConfig": "code.Evil"})
    (folder / "code.py").write_text("raise SystemExit('code of a checkpoint was run')")
    assert load_config(folder, "mimo").model_type == "qwen2"
    model, ids = load_model(str(folder)), [1, 5, 3, 8]
    assert model.info.forward == "own"
    assert (torch.as_tensor(model.sequence(8).append(ids)) - tiny.reference(source, ids)).abs().max() < tiny.CLOSE


def test_every_public_pair_says_what_it_needs_in_words_that_the_engine_knows():
    for pair in PUBLIC:
        kind, _, which = pair.draft.partition(":")
        assert kind in KINDS or "/" in pair.draft, pair
        assert pair.target.count("/") == 1 and (not which or which.isdecimal() or which.count("/") == 1)
        assert pair.gigabytes > 0 and pair.licence and pair.dtype in ("bfloat16", "float16", "float32")
