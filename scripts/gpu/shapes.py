"""Models of public shapes with random weights, made where they will run: what they cost is real, what they say is not.

target = build("Llama-3-8B", PUBLIC[0].target, device, torch.bfloat16)

The head is the embedding moved by one row, and what layers add is small: so after token t comes t + 1, in any precision, in blocks
of any length. A random head would leave near-ties, and a text that depends on rounding cannot be scripted (scripted.py).
"""

from dataclasses import dataclass

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, PretrainedConfig, Qwen3Config

from specviz.engine.models.llama import Llama

SYNTHETIC = "random weights"  # said in every name
SMALL = 0.05  # what a layer adds, beside the embedding


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A target and what drafts for it, each by its name."""

    name: str
    target: PretrainedConfig
    draft_name: str
    draft: PretrainedConfig


def config_of(kind, layers, width, heads, kv_heads, inner, vocabulary, tied=True, context=8192) -> PretrainedConfig:
    """Of Llama or Qwen3, as `kind` says."""
    return kind(
        num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads, num_key_value_heads=kv_heads, head_dim=width // heads,
        intermediate_size=inner, vocab_size=vocabulary, tie_word_embeddings=tied, max_position_embeddings=context,
        rope_parameters={"rope_type": "default", "rope_theta": 5e5}, bos_token_id=None, eos_token_id=None, pad_token_id=None,
    )  # fmt: skip


ONE_B = config_of(LlamaConfig, 16, 2048, 32, 8, 8192, 128256)
PUBLIC = (  # the first that fits on a card is measured: 24 GB, or 16
    ModelShape("Llama-3-8B", config_of(LlamaConfig, 32, 4096, 32, 8, 14336, 128256, tied=False), "Llama-3.2-1B", ONE_B),
    ModelShape("Llama-3.2-3B", config_of(LlamaConfig, 28, 3072, 24, 8, 8192, 128256), "Llama-3.2-1B", ONE_B),
)
TINY = {  # for a run that shows that everything runs
    f"tiny-{name}": ModelShape(
        f"tiny-{name}",
        config_of(kind, 6, 96, 6, 2, 160, 512, tied=False, context=512),
        "tiny-draft",
        config_of(kind, 2, 48, 4, 2, 80, 512, context=512),
    )
    for name, kind in (("llama", LlamaConfig), ("qwen3", Qwen3Config))
}


def peer(config: PretrainedConfig, device="cpu", dtype=torch.float32, seed: int = 0):
    """transformers' own model of the shape; the same seed gives the same weights."""
    torch.manual_seed(seed)
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation="sdpa").eval().requires_grad_(False)
    model.model.embed_tokens.weight.normal_()
    for layer in model.model.layers:
        for part in layer.self_attn.o_proj, layer.mlp.down_proj:
            part.weight.mul_(SMALL)
    if not config.tie_word_embeddings:
        model.lm_head.weight.copy_(model.model.embed_tokens.weight.roll(1, 0))
    return model


def build(name: str, config: PretrainedConfig, device="cpu", dtype=torch.float32, seed: int = 0) -> Llama:
    """Our forward pass over the same weights."""
    model = peer(config, device, dtype, seed)
    tensors = dict(model.state_dict())
    model.to("meta")  # it holds them no longer: Llama joins matrices and lets go of each as it does
    if config.tie_word_embeddings:
        del tensors["lm_head.weight"]
    return Llama(config, tensors, f"{name}, {SYNTHETIC}", device, dtype, emptied=True)


def gigabytes(dtype: torch.dtype, *configs: PretrainedConfig) -> float:
    """Of the weights of models of these configs, in GB of 10⁹ bytes."""
    with torch.device("meta"):
        return sum(AutoModelForCausalLM.from_config(one).num_parameters() for one in configs) * dtype.itemsize / 1e9
