"""Models of public shapes with random weights, made where they will run: what they cost is real, what they say is not.

target = build("Llama-3-8B", device, torch.bfloat16)

The head is the embedding moved by one row, and what layers add is small: so after token t comes t + 1, in any precision, in blocks
of any length. A random head would leave near-ties, and a text that depends on rounding cannot be scripted (scripted.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import torch
from transformers import LlamaConfig, PretrainedConfig, Qwen3Config

from specviz.engine.backends.pytorch.backend import PyTorch
from specviz.engine.draft.base import Drafter
from specviz.engine.draft.eagle import Eagle
from specviz.engine.draft.small import SmallModel
from specviz.engine.models.llama import Llama

SYNTHETIC = "random weights"  # said in every name
SMALL = 0.05  # what a layer adds, beside the embedding
EAGLE_ROWS = 32_000  # the head's own vocabulary in EAGLE-3 checkpoints for Llama 3.1
CONTEXT = 8192


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A target, and by name what may draft for it."""

    target: PretrainedConfig
    drafts: dict[str, PretrainedConfig | None]  # None is an EAGLE head


def llama(layers, width, heads, kv_heads, inner, vocabulary, tied=False, size=None, context=CONTEXT) -> LlamaConfig:
    return LlamaConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=size or width // heads,
        intermediate_size=inner,
        vocab_size=vocabulary,
        tie_word_embeddings=tied,
        max_position_embeddings=context,
        rope_parameters={"rope_type": "default", "rope_theta": 5e5},
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )


def qwen3(layers, width, heads, kv_heads, inner, vocabulary, tied=False, size=128, context=CONTEXT) -> Qwen3Config:
    same = llama(layers, width, heads, kv_heads, inner, vocabulary, tied, size, context).to_dict()
    return Qwen3Config(**{key: value for key, value in same.items() if key not in ("model_type", "architectures")})


PUBLIC = {  # those of the first that fits on a card are its figures
    "Llama-3-8B": ModelShape(
        llama(32, 4096, 32, 8, 14336, 128256),
        {
            "Llama-3.2-1B": llama(16, 2048, 32, 8, 8192, 128256, tied=True),
            "4 layers": llama(4, 1024, 8, 2, 3584, 128256, tied=True),
            "EAGLE": None,
        },
    ),
    "Qwen3-8B": ModelShape(
        qwen3(36, 4096, 32, 8, 12288, 151936),
        {
            "Qwen3-0.6B": qwen3(28, 1024, 16, 8, 3072, 151936, tied=True),
            "4 layers": qwen3(4, 1024, 8, 2, 3072, 151936, tied=True),
            "EAGLE": None,
        },
    ),
}
SMALLER = {  # where 8 billion parameters do not fit: a card of 16 GB
    "Llama-3.2-3B": ModelShape(
        llama(28, 3072, 24, 8, 8192, 128256, tied=True),
        {"Llama-3.2-1B": PUBLIC["Llama-3-8B"].drafts["Llama-3.2-1B"], "EAGLE": None},
    )
}
TINY = {  # for a run that shows that everything runs
    "tiny-llama": ModelShape(
        llama(6, 96, 6, 2, 160, 512, context=512),
        {"tiny-draft": llama(2, 48, 4, 2, 80, 512, tied=True, context=512), "EAGLE": None},
    ),
    "tiny-qwen3": ModelShape(
        qwen3(6, 96, 6, 2, 160, 512, size=16, context=512),
        {"tiny-draft": qwen3(2, 48, 4, 2, 80, 512, tied=True, size=16, context=512)},
    ),
}


class Chance:
    """Random tensors on `device` in `dtype`, the same for the same seed: nothing is made on the host and copied."""

    def __init__(self, seed: int, device, dtype):
        self.generator, self.how = torch.Generator(device).manual_seed(seed), {"device": device, "dtype": dtype}

    def matrix(self, rows: int, columns: int, gain: float = 1.0) -> torch.Tensor:
        return torch.randn(rows, columns, generator=self.generator, **self.how).mul_(gain * columns**-0.5)

    def norm(self, size: int) -> torch.Tensor:
        return torch.ones(size, **self.how)

    def layer(self, config, at: str, columns: int, norms: tuple[str, ...], head_norm: bool) -> dict[str, torch.Tensor]:
        """A decoder layer under the names of checkpoints, whose q, k and v take `columns`."""
        width, inner, size = config.hidden_size, config.intermediate_size, config.head_dim
        rows = {"q": config.num_attention_heads * size, "k": config.num_key_value_heads * size}
        rows["v"] = rows["k"]
        tensors = {f"{at}{norm}.weight": self.norm(width) for norm in norms}
        tensors |= {f"{at}self_attn.{part}_proj.weight": self.matrix(n, columns) for part, n in rows.items()}
        if head_norm:
            tensors |= {f"{at}self_attn.{part}_norm.weight": self.norm(size) for part in "qk"}
        tensors[f"{at}self_attn.o_proj.weight"] = self.matrix(width, rows["q"], SMALL)
        tensors |= {f"{at}mlp.{part}_proj.weight": self.matrix(inner, width) for part in ("gate", "up")}
        return tensors | {f"{at}mlp.down_proj.weight": self.matrix(width, inner, SMALL)}


def weights(config, device, dtype, seed: int = 0) -> Iterator[tuple[str, torch.Tensor]]:
    """A whole checkpoint, layer by layer, under the names that save_pretrained writes."""
    chance, width = Chance(seed, device, dtype), config.hidden_size
    embedding = chance.matrix(config.vocab_size, width, width**0.5)
    yield "model.embed_tokens.weight", embedding
    for i in range(config.num_hidden_layers):
        norms = ("input_layernorm", "post_attention_layernorm")
        yield from chance.layer(config, f"model.layers.{i}.", width, norms, config.model_type == "qwen3").items()
    yield "model.norm.weight", chance.norm(width)
    if not config.tie_word_embeddings:
        yield "lm_head.weight", embedding.roll(1, 0)


def parameters(config) -> int:
    width, size = config.hidden_size, config.head_dim
    heads, kv_heads = config.num_attention_heads * size, config.num_key_value_heads * size
    layer = width * (2 * heads + 2 * kv_heads + 3 * config.intermediate_size + 2) + (
        2 * size if config.model_type == "qwen3" else 0
    )
    tables = 1 if config.tie_word_embeddings else 2
    return config.num_hidden_layers * layer + tables * config.vocab_size * width + width


def gigabytes(dtype: torch.dtype, *configs) -> float:
    """Of models of these configs, in GB of 10⁹ bytes; None among them is an EAGLE head, which is a layer and a small table."""
    return sum(parameters(config) if config else 0.5e9 for config in configs) * dtype.itemsize / 1e9


def eagle_weights(config, device, dtype, seed: int = 0) -> dict[str, torch.Tensor]:
    """A head for a target of `config`, under the names of EAGLE-3 checkpoints, with a vocabulary of its own."""
    chance, width = Chance(seed, device, dtype), config.hidden_size
    rows = min(EAGLE_ROWS, config.vocab_size // 4)
    norms = ("input_layernorm", "hidden_norm", "post_attention_layernorm")
    tensors = chance.layer(config, "midlayer.", 2 * width, norms, False)
    tensors |= {"fc.weight": chance.matrix(width, 3 * width), "norm.weight": chance.norm(width)}
    return tensors | {"lm_head.weight": chance.matrix(rows, width), "d2t": torch.zeros(rows, dtype=torch.long)}


def build(name: str, config, device="cpu", dtype=torch.float32, seed: int = 0, compiled: bool | None = None) -> Llama:
    """Our forward pass over random weights of a shape. `compiled`: as Llama takes it."""
    tensors = dict(weights(config, device, dtype, seed))
    return Llama(config, tensors, f"{name}, {SYNTHETIC}", device, dtype, compiled=compiled, emptied=True)


def drafter(name: str, config, target: Llama, of: PretrainedConfig) -> Drafter:
    """What drafts for `target`, which has the config `of`; an EAGLE head where `config` is None."""
    device, dtype = target.device, getattr(torch, str(target.dtype).removeprefix("torch."))
    if config is None:
        return Eagle(target, eagle_weights(of, device, dtype), f"{name}, {SYNTHETIC}")
    return SmallModel(build(name, config, device, dtype, seed=1, compiled=False if isinstance(target.backend, PyTorch) else None))


@cache
def peer(name: str, device, dtype, draft: str = "", tiny: bool = False):
    """The same weights in transformers' own model: of target `name`, or of its `draft`."""
    from transformers import AutoModelForCausalLM

    shape = (TINY if tiny else PUBLIC | SMALLER)[name]
    config = shape.drafts[draft] if draft else shape.target
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation="sdpa").eval()
    model.requires_grad_(False)
    own = dict(model.named_parameters())
    for key, tensor in weights(
        config, device, dtype, seed=1 if draft else 0
    ):  # one at a time: all of them are as much as the model
        own.pop(key).copy_(tensor)
    if set(own) - {"lm_head.weight"}:
        raise RuntimeError(f"transformers' {name} also has {', '.join(own)}")
    model.tie_weights()
    return model
