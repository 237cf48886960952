"""A DFlash head drafts what transformers' own model of one computes over the whole text, after every round; what does not fit is refused."""

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import MuseGlimmerAssistantConfig, MuseGlimmerAssistantModel, Qwen3Config
from transformers.cache_utils import DFlashCache

from specviz.config import ConfigError, DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.choose import with_kind
from specviz.trace.events import Round

from ... import tiny, tiny_heads
from ...fakes import FakeText, around_proposals

LETTERS = FakeText([chr(33 + i) for i in range(97)])
LAYERS, BLOCK, MASK = [0, 2, 4], 6, 96
SIZES = {
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 10,
}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 5000.0, "factor": 2.0}
KINDS = {"full": ["full_attention"] * 2, "a short window": ["sliding_attention", "full_attention"]}


def head(kind: str = "full") -> MuseGlimmerAssistantModel:
    rope = {"rope_type": "default", "rope_theta": 5000.0}
    config = MuseGlimmerAssistantConfig(
        **SIZES, layer_types=KINDS[kind], sliding_window=4, rope_parameters=rope, max_position_embeddings=64,
        block_size=BLOCK, mask_token_id=MASK, target_layer_ids=LAYERS, initializer_range=0.3, attn_implementation="eager",
    )  # fmt: skip
    torch.manual_seed(1)
    model = MuseGlimmerAssistantModel(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(torch.rand_like(weight) + 0.5 if "norm" in name else torch.randn_like(weight) * weight.shape[-1] ** -0.5)
    return model


@torch.no_grad()
def expected(hf, drafts, text: list[int], k: int) -> torch.Tensor:
    """The logits [k, V] of the block after `text`, by transformers, over the whole text at once."""
    states = hf(torch.tensor([text[:-1]]), output_hidden_states=True).hidden_states
    noise = hf.get_input_embeddings()(torch.tensor([[text[-1], *[MASK] * (BLOCK - 1)]]))
    cache = DFlashCache(config=drafts.config)
    cache.set_previous_accepted_tokens(len(text) - 1)  # of an empty cache: all of the text
    read = torch.cat([states[i + 1] for i in LAYERS], -1)
    out = drafts(noise_embeds=noise, context_hidden_states=read, past_key_values=cache)
    return hf.get_output_embeddings()(out.last_hidden_state)[0, 1 : k + 1]


def as_its_authors_write_it(folder):
    """The same head under the names and in the config of the first checkpoints."""
    names = {"encoder.fc.weight": "fc.weight", "encoder.output_norm_enc.weight": "hidden_norm.weight"}
    weights = load_file(folder / "model.safetensors")
    save_file({names.get(key, key): w for key, w in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    config = Qwen3Config(
        **SIZES, vocab_size=97, rope_parameters={"rope_type": "default", "rope_theta": 5000.0}, rms_norm_eps=1e-5
    )
    config.block_size, config.dflash_config = BLOCK, {"mask_token_id": MASK, "target_layer_ids": LAYERS}
    config.save_pretrained(folder)
    return folder


@pytest.fixture
def write_head(tmp_path):
    def write(kind: str = "full", change=None, authors: bool = False):
        head(kind).save_pretrained(tmp_path / "head")
        if authors:
            as_its_authors_write_it(tmp_path / "head")
        return change(tmp_path / "head") if change else tmp_path / "head"

    return write


def watched(drafter) -> list:
    """Every text that the drafter is asked to go on with from now on, and its block."""
    proposals = []

    def noted(propose, tokens, k, u):
        proposals.append((list(tokens), propose(tokens, k, u)))
        return proposals[-1][1]

    around_proposals(drafter, noted)
    return proposals


@pytest.mark.parametrize(("kind", "authors"), [("full", False), ("a short window", False), ("full", True)])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_each_block_is_drawn_by_what_transformers_computes_without_a_cache(write_head, kind, authors, temperature):
    hf = tiny_heads.model()
    target, drafts = tiny.own(hf), head(kind)
    drafter = with_kind(target, "block", str(write_head(kind, authors=authors)))
    assert drafter.kind == "block" and drafter.one_pass and drafter.info.family == "DFlash head"
    proposals = watched(drafter)
    config = DecodeConfig(K=4, temperature=temperature, max_new_tokens=20, seed=3)
    rounds = [e for e in decode(target, drafter, tiny.some_ids(7), config, LETTERS) if isinstance(e, Round)]
    for each, (text, _) in zip(rounds[1:], proposals[1:], strict=False):
        assert each.draft_cache.after == len(text) - 1 and each.draft_cache.peak == len(text) - 1 + BLOCK
    assert len(proposals) >= 4 and sum(len(each.emitted) for each in rounds) == 20
    for text, block in proposals:
        logits = expected(hf, drafts, text, len(block.ids))
        if temperature:
            assert torch.allclose(torch.as_tensor(block.q), logits.softmax(-1), atol=2e-5)
        else:
            assert list(block.ids) == logits.argmax(-1).tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("compiled", [None, False], ids=["as a CPU runs it", "plain"])
def test_a_head_of_any_dtype_is_run_in_the_dtype_of_its_target(write_head, dtype, compiled):
    hf, drafts = tiny_heads.model(), head()
    for weight in drafts.parameters():  # these alone: `drafts.to(dtype)` would round the rotary frequencies too
        weight.data.copy_(weight.data.to(dtype))
    folder = write_head(change=lambda folder: tiny.edit_weights(folder, lambda all: {key: w.to(dtype) for key, w in all.items()}))
    target = tiny.own(hf, compiled=compiled)
    drafter = with_kind(target, "block", str(folder))
    proposals = watched(drafter)
    list(decode(target, drafter, tiny.some_ids(7), DecodeConfig(K=4, temperature=1.0, max_new_tokens=12), LETTERS))
    assert proposals and drafter.fuse.weight.dtype == torch.float32 and str(target.dtype).endswith("float32")
    for text, block in proposals:
        assert torch.allclose(torch.as_tensor(block.q), expected(hf, drafts, text, len(block.ids)).softmax(-1), atol=2e-5)


def test_a_block_longer_than_the_head_makes_is_refused_before_anything_runs(write_head):
    target = tiny.own(tiny_heads.model())
    drafter = with_kind(target, "block", str(write_head()))
    with pytest.raises(ConfigError, match="K is 6; it must be at most 5 with "):
        list(decode(target, drafter, tiny.some_ids(7), DecodeConfig(K=BLOCK), LETTERS))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"target_layer_ids": [0, 5, 2]}, "reads layers [0, 5, 2] of its target; tiny has layers 0 to 4 below its last"),
        ({"target_layer_ids": []}, "reads layers []"),
        ({"mask_token_id": 97}, "the mask token is 97; tiny has tokens 0 to 96"),
        ({"block_size": 1}, "block_size is 1; it must be 2 to 256"),
        ({"hidden_act": "gelu"}, "our forward pass does not do activation gelu"),
        ({"rope_parameters": {"rope_type": "foo", "rope_theta": 1.0}}, "does not do rotary positions of type foo"),
        ({"rope_parameters": DYNAMIC}, "does not do rotary positions of type dynamic"),
        ({"rope_parameters": {"rope_type": "default", "rope_theta": "fast"}}, "rotary positions with rope_theta 'fast'"),
        (
            {"rope_parameters": DYNAMIC | {"rope_type": "default", "partial_rotary_factor": 0.5}},
            "rotary positions of 0.5 of a head",
        ),
        (
            {"layer_types": ["chunked_attention", "full_attention"]},
            "has a layer of type chunked_attention; only full_attention and",
        ),
        ({"layer_types": ["full_attention", "linear_attention"]}, "has a layer of type linear_attention; only"),
        ({"layer_types": ["sliding_attention"] * 2, "sliding_window": 0}, "sliding_window is 0; it must be at least 1"),
        ({"dflash_config": "x"}, "dflash_config is 'x'; it must hold names and their values"),
        ({"dflash_config": [1]}, "dflash_config is [1]; it must hold names"),
        ({"dflash_config": "x", "target_layer_ids": None, "model_type": "qwen3"}, "dflash_config is 'x'"),
        ({"dflash_config": {"target_layer_ids": 3}}, "reads layers 3 of its target"),
        ({"model_type": "gpt2", "intermediate_size": None}, "our forward pass does not do model type gpt2"),
        ({"model_type": "llama", "layer_types": ["sliding_attention"] * 2, "sliding_window": None}, "sliding_window is None"),
        ({"target_layer_ids": [1, 2]}, "encoder.fc.weight is [48, 144] in the checkpoint and [48, 96] by its config"),
        ({"hidden_size": 64}, "is 64 wide and tiny 48: it is the head of another model"),
        ({"num_hidden_layers": 1, "layer_types": ["full_attention"]}, "holds layers.1."),
    ],
    ids=str,
)
def test_a_head_that_does_not_fit_is_refused_in_a_sentence(write_head, change, reason):
    folder = write_head(change=lambda folder: tiny.edit_config(folder, **change))
    assert reason in tiny.refusal(with_kind, tiny.own(tiny_heads.model()), "block", str(folder))
