"""Tiny random models and tokenizers, made in memory: what the model tests run instead of anything that must be downloaded.

    model = hf("qwen3")                     # a transformers model, fp32, about 20 thousand weights, the same on every machine
    expected = reference(model, ids)        # its logits without any cache
    save(folder, model, byte_level())       # as save_pretrained writes it

Every weight is random, norms and biases too: an initialisation by ones and zeros would hide what is left out or put twice.
"""

import json
import os
import threading
from functools import cache
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    GPTNeoXConfig,
    LlamaConfig,
    MistralConfig,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen3Config,
)
from transformers.convert_slow_tokenizer import bytes_to_unicode

from specviz.engine.backends.hub import HubModel
from specviz.engine.model import Model, ModelError
from specviz.engine.models.llama import Llama

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

CLOSE = 1e-4  # how far logits of size 1 to 10 may be from transformers', in fp32
CONTEXT = 1100
SIZES = {  # an rms_norm_eps large enough to matter
    "vocab_size": 97, "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 4, "max_position_embeddings": CONTEXT, "tie_word_embeddings": False, "rms_norm_eps": 0.02,
    "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0,
}  # fmt: skip
GROUPED = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8}
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip
OURS = {  # what our own forward pass runs
    "llama": (LlamaConfig, {}),
    "llama, grouped queries": (LlamaConfig, GROUPED),
    "llama, one key head": (LlamaConfig, {"num_key_value_heads": 1}),
    "llama, tied head": (LlamaConfig, {"tie_word_embeddings": True}),
    "llama, heads wider than the model": (LlamaConfig, {"head_dim": 20}),
    "llama, slow rotation": (LlamaConfig, {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}),
    "llama, linear rotation": (LlamaConfig, {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}}),
    "llama, llama3 rotation": (LlamaConfig, {"rope_parameters": LLAMA3, **GROUPED}),
    "smollm": (LlamaConfig, {"hidden_size": 72, "num_attention_heads": 9, "num_key_value_heads": 3, "tie_word_embeddings": True}),
    "qwen2": (Qwen2Config, {"num_key_value_heads": 2}),
    "qwen2, tied head": (Qwen2Config, {"tie_word_embeddings": True}),
    "qwen3": (Qwen3Config, {"head_dim": 12}),
    "qwen3, grouped queries, tied head": (Qwen3Config, {**GROUPED, "head_dim": 16, "tie_word_embeddings": True}),
    "mistral": (MistralConfig, {**GROUPED, "sliding_window": None}),
    "mistral, window as long as the context": (MistralConfig, {"sliding_window": CONTEXT}),
}
OTHERS = {  # what only transformers runs
    "gpt2": (GPT2Config, {"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": CONTEXT}),
    "gpt neox": (GPTNeoXConfig, {}),
    "llama, bias everywhere": (LlamaConfig, {"attention_bias": True, "mlp_bias": True}),
    "qwen3, bias": (Qwen3Config, {"attention_bias": True, "head_dim": 12}),
    "llama, gelu": (LlamaConfig, {"hidden_act": "gelu"}),
    "llama, yarn rotation": (LlamaConfig, {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0,
        "original_max_position_embeddings": 275}}),
}  # fmt: skip
WINDOW = 16
WINDOWED = {
    "mistral, sliding window": (MistralConfig, {"sliding_window": WINDOW}),
    "qwen2, window in one layer": (Qwen2Config, {"use_sliding_window": True, "sliding_window": WINDOW, "max_window_layers": 1,
        "layer_types": ["full_attention", "sliding_attention"]}),
}  # fmt: skip
SHAPES = OURS | OTHERS | WINDOWED
OF_STATES = ("A_log", "dt_bias", "D", "dt_proj", "slope", "recurrent_param")  # random numbers there let a state overflow


def config(name: str, **change):
    cls, shape = SHAPES[name]
    return cls(**{**SIZES, **shape, **change})


def make(config, seed: int = 0, rounded: bool = False, noise: float = 0.0):
    """A transformers model of `config` with every weight random, in fp32 and evaluation mode; `rounded` to what bf16 can say.
    `noise`: how far its matrices are from those without, in their own standard deviations."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        for name, weight in model.named_parameters():
            if any(part in name for part in OF_STATES):
                continue
            if weight.ndim > 1:
                size = 1.0 if "emb" in name or "wte" in name else weight.shape[-1] ** -0.5
                torch.nn.init.normal_(weight, std=3 * size if "lm_head" in name or "embed_out" in name else size)
            elif name.endswith("bias"):
                torch.nn.init.normal_(weight, std=0.3)
            else:
                torch.nn.init.uniform_(weight, 0.5, 1.5)
            if rounded:  # the weights alone: `model.bfloat16()` would round the rotary frequencies too
                weight.data.copy_(weight.data.bfloat16())
        for weight in model.parameters() if noise else ():
            if weight.ndim > 1:
                weight.data += noise * weight.std() * torch.randn(weight.shape)
    return model.requires_grad_(False)


@cache
def hf(name: str):
    """The transformers model of shape `name`; shared, not to be changed."""
    return make(config(name))


def weights(model) -> dict[str, torch.Tensor]:
    """The weights as save_pretrained writes them: a tied head is left out."""
    state = dict(model.state_dict())
    if model.config.tie_word_embeddings:
        state.pop("lm_head.weight", None)
    return state


def loaded(folder: Path, dtype=torch.float32):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval().requires_grad_(False)


@cache
def other_weights(model) -> dict[str, torch.Tensor]:
    """Of a draft that agrees with the model now and then."""
    chance = torch.Generator().manual_seed(1)
    moved = lambda w: w + 0.2 * w.std() * torch.randn(w.shape, generator=chance) if w.dim() > 1 else w  # noqa: E731
    return {key: moved(w) for key, w in weights(model).items()}


def own(model, name: str = "tiny", **how) -> Llama:
    return Llama(model.config, weights(model), name, **how)


@cache
def hub(model) -> HubModel:
    return HubModel(model, "tiny")


@torch.inference_mode()
def reference(model, ids: list[int]) -> torch.Tensor:
    """transformers' logits [n, V] of ids, all at once and without a cache."""
    return model(torch.tensor([ids], device=model.device), use_cache=False).logits[0]


def some_ids(n: int, seed: int = 0, vocabulary: int = SIZES["vocab_size"]) -> list[int]:
    return torch.randint(vocabulary, (n,), generator=torch.Generator().manual_seed(seed)).tolist()


TEXT = [
    "Once upon a time there was a little cat. The cat ate the hat, and the hat was not happy.",
    "def add(a, b):\n    return a + b\n",
    "The café in the naïve town sold tea for 3 €.",
]


def byte_level(bos: bool = True, template: bool = False, end: bool = False, merges: int = 40, extra: tuple[str, ...] = ()):
    """A byte-level BPE, as GPT-2, Llama 3 and Qwen have one: <|end|> is 0, the 256 bytes follow, then merges, then `extra`.

    `bos`: <|end|> begins texts too; `template`: the tokenizer itself puts it there; `end`: and ends them with it."""
    alphabet = sorted(bytes_to_unicode().values())
    vocabulary = {"<|end|>": 0} | {letter: i for i, letter in enumerate(alphabet, 1)}
    joins = _joins(merges)
    for a, b in joins:
        vocabulary.setdefault(a + b, len(vocabulary))
    backend = Tokenizer(models.BPE(vocabulary, joins))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken("<|end|>", special=True)])
    if template:
        single = "<|end|> $A <|end|>" if end else "<|end|> $A"
        backend.post_processor = processors.TemplateProcessing(single=single, special_tokens=[("<|end|>", 0)])
    backend.add_special_tokens([AddedToken(token, special=True) for token in extra])
    names = {"eos_token": "<|end|>"} | ({"bos_token": "<|end|>"} if bos else {})
    return PreTrainedTokenizerFast(tokenizer_object=backend, **names)


@cache
def _joins(count: int) -> list[tuple[str, str]]:
    """The first merges a BPE learns on TEXT."""
    from tokenizers import trainers

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(bytes_to_unicode().values())
    backend.train_from_iterator(
        TEXT * 3, trainers.BpeTrainer(vocab_size=256 + count, initial_alphabet=alphabet, show_progress=False)
    )
    return [tuple(pair) for pair in json.loads(backend.to_str())["model"]["merges"]]


def byte_fallback():
    """A BPE over ▁ and letters that falls back to bytes, as Llama 2 and TinyLlama have one; <s> comes from its template."""
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abcdefghijklmnopqrstuvwxyzO."]
    joins = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("▁", "a"), ("▁", "c"), ("▁c", "a"), ("▁ca", "t")]
    vocabulary = {word: i for i, word in enumerate([*words, *(a + b for a, b in joins)])}
    backend = Tokenizer(models.BPE(vocabulary, joins, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    backend.add_special_tokens([AddedToken(word, special=True) for word in words[:3]])
    backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


class Recorded(Model):
    """A model that notes all it is fed: (every id of the text then, the logits returned, the thread that asked)."""

    def __init__(self, model, fail_after: int | None = None):
        self.model, self.log, self.fail_after = model, [], fail_after
        self.info, self.vocabulary, self.context, self.device = model.info, model.vocabulary, model.context, model.device

    def sequence(self, capacity: int) -> "RecordedSequence":
        return RecordedSequence(self, self.model.sequence(capacity))


class RecordedSequence:
    slow_reason, stack, replay = "", None, None

    def __init__(self, owner: Recorded, inner):
        self.owner, self.inner, self.tokens = owner, inner, []

    @property
    def length(self) -> int:
        return self.inner.length

    @property
    def tree(self):
        return self.inner.tree

    def append(self, ids, keep=None, parents=None):
        if self.owner.fail_after is not None and len(self.owner.log) >= self.owner.fail_after:
            raise RuntimeError("the planted failure")
        logits = self.inner.append(ids, keep, parents)
        self.tokens = self.tokens + list(ids)
        self.owner.log.append((self.tokens, torch.as_tensor(logits).clone(), threading.get_ident()))
        return logits

    def keep(self, path) -> None:
        before = len(self.tokens) - len(self.inner.tree)
        self.inner.keep(path)
        self.tokens = (
            [*self.tokens[:before], *(self.tokens[before + row] for row in path)]
            if len(self.tokens) > before
            else self.tokens[: self.length]
        )

    def rollback(self, length: int) -> None:
        self.inner.rollback(length)
        self.tokens = self.tokens[:length]


def save(folder: Path, model, tokenizer=None, **how) -> Path:
    model.save_pretrained(folder, **how)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder


def edit_config(folder: Path, **change) -> Path:
    path = folder / "config.json"
    fields = json.loads(path.read_text()) | change
    path.write_text(json.dumps({key: value for key, value in fields.items() if value is not None}))
    return folder


def edit_weights(folder: Path, change) -> Path:
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})
    return folder


def refusal(call, *arguments, error=ModelError, **how) -> str:
    with pytest.raises(error) as raised:
        call(*arguments, **how)
    message = str(raised.value)
    assert "\n" not in message and "\0" not in message and 0 < len(message.encode()) < 450
    return message
