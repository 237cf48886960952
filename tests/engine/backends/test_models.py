"""Both forward passes against transformers: the same logits to 1e-4, however the text is cut into blocks and rolled back."""

import pytest
import torch

from specviz.engine.model import ModelError
from specviz.engine.models.llama import MAX_PASS, Llama, why_not_ours
from specviz.engine.models.load import load_folder

from ... import tiny
from ...tiny import CLOSE, OTHERS, OURS, WINDOW, WINDOWED, hf, reference, some_ids

pytestmark = pytest.mark.usefixtures("with_tensors")
RUNS = [*((name, tiny.own) for name in OURS), *((name, tiny.hub) for name in [*OTHERS, *OURS])]
# transformers beside itself, in shapes that ours covers
SAME = [(name, tiny.hub) for name in OURS if name not in ("llama", "qwen3")]
BOTH = pytest.mark.parametrize(
    ("name", "forward"),
    [pytest.param(n, f, id=f"{f.__name__}: {n}", marks=[pytest.mark.full] * ((n, f) in SAME)) for n, f in RUNS],
)
EITHER = pytest.mark.parametrize("forward", [tiny.own, tiny.hub])


def assert_close(logits, expected):
    assert logits.shape == expected.shape and (logits - expected).abs().max() <= CLOSE


@BOTH
def test_a_prefill_longer_than_the_inner_block_gives_the_logits_of_the_whole(name, forward):
    model, ids = hf(name), some_ids(2 * MAX_PASS + 11)
    expected = reference(model, ids)
    for n in (MAX_PASS, MAX_PASS + 1, 2 * MAX_PASS + 6):
        sequence = forward(model).sequence(n + 5)
        assert_close(sequence.append(ids[:n], keep=1), expected[n - 1 : n])
        assert_close(sequence.append(ids[n : n + 5]), expected[n : n + 5])


def test_more_logits_than_a_long_prefill_keeps_are_refused_and_the_sequence_stays_as_it_was():
    model, ids = hf("llama"), some_ids(MAX_PASS + 8)
    sequence = tiny.own(model).sequence(MAX_PASS + 8)
    for keep in (None, 2):
        with pytest.raises(ValueError, match=f"more than {MAX_PASS} positions"):
            sequence.append(ids, keep=keep)
        assert sequence.length == 0
    assert_close(sequence.append(ids, keep=1), reference(model, ids)[-1:])


@EITHER
def test_misuse_of_a_sequence_is_refused_and_leaves_it_as_it_was(forward):
    model, ids = hf("llama"), some_ids(8)
    sequence = forward(model).sequence(8)
    for wrong in (lambda: sequence.append([]), lambda: sequence.append(some_ids(9)), lambda: sequence.rollback(1)):
        with pytest.raises(ValueError, match=r"at least one id|do not fit in 8|cannot roll back to 1"):
            wrong()
        assert sequence.length == 0
    sequence.append(ids[:6])
    for wrong in (lambda: sequence.append([1, 2, 3]), lambda: sequence.rollback(7), lambda: sequence.rollback(-1)):
        with pytest.raises(ValueError, match=r"6 cached positions and 3 more do not fit in 8|cannot roll back to (7|-1)"):
            wrong()
        assert sequence.length == 6
    assert_close(sequence.append(ids[6:]), reference(model, ids)[6:])


@EITHER
def test_two_sequences_of_one_model_do_not_disturb_each_other(forward):
    model, a, b = forward(hf("llama")), some_ids(12, seed=1), some_ids(12, seed=2)
    first, second = model.sequence(16), model.sequence(16)
    for at in range(0, 12, 3):
        logits_a, logits_b = first.append(a[at : at + 3]), second.append(b[at : at + 3])
        second.rollback(at)
        second.append(b[at : at + 3])
    assert_close(logits_a, reference(hf("llama"), a)[-3:])
    assert_close(logits_b, reference(hf("llama"), b)[-3:])


@pytest.mark.parametrize("name", ["llama, grouped queries", "llama, tied head", "qwen2", "qwen3, grouped queries, tied head"])
def test_in_bfloat16_ours_is_as_close_to_fp32_as_transformers_is(tmp_path, name):
    exact_model, ids = tiny.make(hf(name).config, rounded=True), some_ids(30)
    exact = reference(exact_model, ids)
    half = tiny.loaded(tiny.save(tmp_path / "m", exact_model), torch.bfloat16)
    theirs = (reference(half, ids).float() - exact).pow(2).mean().sqrt()
    ours = tiny.own(half, dtype=torch.bfloat16)
    assert ours.info.dtype == "bfloat16"
    sequence = ours.sequence(32)
    logits = torch.cat([sequence.append(ids[:20]), *(sequence.append([id]) for id in ids[20:25]), sequence.append(ids[25:])])
    assert logits.dtype == torch.bfloat16
    assert (logits.float() - exact).pow(2).mean().sqrt() < 1.5 * theirs


LONGROPE = {"rope_type": "longrope", "rope_theta": 1e4, "factor": 4.0, "short_factor": [1.0] * 6, "long_factor": [2.0] * 6}
REFUSED = [  # the reason, the shape, what its config says
    ("bias in the MLP", "llama", {"mlp_bias": True}),
    ("bias on the attention output", "llama", {"attention_bias": True}),
    ("activation gelu", "llama", {"hidden_act": "gelu"}),
    *(
        (f"rotary positions of type {kind}", "llama", {"rope_parameters": {"rope_type": kind, "rope_theta": 1e4, "factor": 4.0}})
        for kind in ("yarn", "dynamic")
    ),
    ("rotary positions of type longrope", "llama", {"rope_parameters": LONGROPE | {"original_max_position_embeddings": 275}}),
    *((f"attention in a window of {WINDOW} positions", name, {}) for name in WINDOWED),
    *((f"model type {name.replace(' ', '_')}", name, {}) for name in ("gpt2", "gpt neox")),
]


@pytest.mark.parametrize(("reason", "shape", "change"), REFUSED)
def test_what_does_not_fit_is_refused_with_its_reason_and_runs_by_transformers(tmp_path, reason, shape, change):
    config = tiny.config(shape, **change)
    assert why_not_ours(config) == reason
    with pytest.raises(ModelError, match=f"tiny: our forward pass does not do {reason}"):
        Llama(config, {}, "tiny")
    assert_loaded(tmp_path, tiny.make(config), "transformers")


def test_part_of_a_head_rotated_and_quantised_weights_are_refused():
    rope = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}
    assert why_not_ours(tiny.config("llama", rope_parameters=rope)) == "rotary positions of 0.5 of a head"
    config = tiny.config("llama")
    config.quantization_config = {"quant_method": "gptq", "bits": 4}
    assert why_not_ours(config) == "quantised weights"


def test_biases_that_our_own_forward_pass_does_not_add_are_left_to_transformers(tmp_path):
    assert_loaded(tmp_path, hf("qwen3, bias"), "transformers")


@pytest.mark.parametrize("name", OURS)
def test_what_fits_runs_by_our_own_forward_pass(tmp_path, name):
    assert_loaded(tmp_path, hf(name), "own")


def assert_loaded(folder, source, forward):
    """Saved and loaded again it runs so, with the right logits."""
    model, ids = load_folder(tiny.save(folder / "m", source), "m"), some_ids(WINDOW - 1)
    assert model.info.forward == forward
    assert_close(model.sequence(32).append(ids), reference(source, ids))


def test_configs_written_by_older_transformers_mean_the_same(tmp_path):
    """Checkpoints on the hub say rope_theta and rope_scaling at the top level of config.json."""
    source, ids = hf("llama, llama3 rotation"), some_ids(200)
    folder = tiny.save(tmp_path / "m", source)
    scaling = {key: value for key, value in tiny.LLAMA3.items() if key != "rope_theta"}
    tiny.edit_config(folder, rope_parameters=None, rope_theta=5e5, rope_scaling=scaling)
    model = load_folder(folder, "m")
    assert model.info.forward == "own"
    assert_close(model.sequence(256).append(ids), reference(source, ids))


# A checkpoint that contradicts its config is run as transformers runs it, or not at all.


def without(*endings):
    return lambda weights: {key: value for key, value in weights.items() if not key.endswith(endings)}


def plus(**extra):
    return lambda weights: weights | {key.replace("__", "."): value for key, value in extra.items()}


LACKING = {
    "a projection": ("llama", without("layers.1.mlp.down_proj.weight"), {}),
    "a norm": ("llama", without("model.norm.weight"), {}),
    "an untied head": ("llama", without("lm_head.weight"), {}),
    "a tied head, says the checkpoint; not so, says the config": ("llama, tied head", without(), {"tie_word_embeddings": False}),
    "a layer that the config counts": ("llama", without(), {"num_hidden_layers": 3}),
    "the norms of the queries": ("qwen3", without("q_norm.weight"), {}),
    "the norms of the keys": ("qwen3", without("k_norm.weight"), {}),
    "the norms of both": ("qwen3", without("q_norm.weight", "k_norm.weight"), {}),
    "the bias of the values": ("qwen2", without("v_proj.bias"), {}),
    "every bias": ("qwen2", without("bias"), {}),
}


@pytest.mark.parametrize("what", LACKING)
def test_a_missing_weight_is_never_silent(tmp_path, what):
    name, change, fields = LACKING[what]
    folder = tiny.edit_config(tiny.edit_weights(tiny.save(tmp_path / "m", hf(name)), change), **fields)
    with pytest.raises(ModelError, match=r"lack|missing|weight|bias"):
        load_folder(folder, "m")


@pytest.mark.parametrize(
    "fields", [{"vocab_size": 90}, {"hidden_size": 96}, {"intermediate_size": 64}, {"num_key_value_heads": 2}], ids=str
)
def test_weights_of_another_size_than_the_config_says_are_refused(tmp_path, fields):
    folder = tiny.edit_config(tiny.save(tmp_path / "m", hf("llama, heads wider than the model")), **fields)
    with pytest.raises(ModelError):
        load_folder(folder, "m")


BIASES = {f"model__layers__{i}__self_attn__{x}_proj__bias": torch.ones(48) for i in (0, 1) for x in "qkv"}
SURPLUS = {
    "a weight that nobody knows": ("llama", plus(model__layers__0__self_attn__q_proj__adapter=torch.ones(3)), {}),
    "biases that the config denies": ("llama", plus(**BIASES), {}),
    "a layer more than the config counts": ("llama", without(), {"num_hidden_layers": 1}),
    "a head, where the config ties it": ("llama", without(), {"tie_word_embeddings": True}),
    "the tied head once more": (
        "llama, tied head",
        lambda weights: weights | {"lm_head.weight": weights["model.embed_tokens.weight"].clone()},
        {},
    ),
    "the rotation as old checkpoints keep it": (
        "llama",
        plus(model__layers__0__self_attn__rotary_emb__inv_freq=torch.ones(6)),
        {},
    ),
}


@pytest.mark.parametrize("what", SURPLUS)
def test_a_weight_too_many_never_makes_ours_differ_from_transformers(tmp_path, what):
    name, change, fields = SURPLUS[what]
    folder = tiny.edit_config(tiny.edit_weights(tiny.save(tmp_path / "m", hf(name)), change), **fields)
    theirs = tiny.loaded(folder)
    ids = some_ids(20)
    assert_close(load_folder(folder, "m").sequence(32).append(ids), reference(theirs, ids))


def test_a_weight_too_many_is_named_by_our_forward_pass():
    model = hf("llama")
    with pytest.raises(ModelError, match=r"tiny: the checkpoint holds model.extra.weight"):
        Llama(model.config, tiny.weights(model) | {"model.extra.weight": torch.ones(1)}, "tiny")


def test_a_model_that_ignores_its_cache_is_refused():
    """The first GPT and XLNet accept `past_key_values` and do without; their cached logits would be wrong."""
    from transformers import OpenAIGPTConfig

    model = tiny.make(OpenAIGPTConfig(vocab_size=97, n_embd=48, n_layer=1, n_head=4))
    with pytest.raises(ModelError):
        tiny.hub(model)


@pytest.mark.parametrize(
    ("family", "sizes"),
    [
        ("T5", {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}),
        ("Bart", {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}),
    ],
)
def test_encoder_decoders_are_refused(tmp_path, family, sizes):
    import transformers

    config = getattr(transformers, family + "Config")(vocab_size=97, **sizes)
    folder = tiny.save(tmp_path / "m", getattr(transformers, family + "ForConditionalGeneration")(config))
    with pytest.raises(ModelError, match=r"^m "):
        load_folder(folder, "m")
