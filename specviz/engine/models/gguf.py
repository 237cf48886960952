"""A GGUF file → what a checkpoint's folder holds: its config, weights by transformers' names, a tokenizer with its chat template.

open_gguf(Path("model.gguf")).config()

Of architectures those are read that our own pass runs. A key that is not known may change what a model computes, so it is refused.
"""

import re
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from .. import machine
from ..arrays import TYPES, to_type
from ..backends.base import ModelError, one_line
from .gguf_file import IN_BLOCKS, GGUFError, GGUFFile
from .gguf_tokenizer import end_ids, tokenizer

FAMILIES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}  # by llama.cpp's architecture; its llama is Mistral too
NUMBERS = {  # by transformers' names
    "num_hidden_layers": "block_count",
    "max_position_embeddings": "context_length",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
}
KNOWN = {  # what else may stand under the architecture's name
    *NUMBERS.values(), "attention.head_count_kv", "attention.layer_norm_rms_epsilon", "attention.key_length", "attention.value_length",
    "rope.freq_base", "rope.dimension_count", "rope.scaling.type", "rope.scaling.factor", "rope.scale_linear",
    "rope.scaling.original_context_length", "rope.scaling.finetuned", "vocab_size", "expert_count", "expert_used_count",
    "attention.sliding_window", "tensor_data_layout", "use_parallel_residual",
}  # fmt: skip
MAX_SIZE = 1 << 24  # of a size that a config names
MAX_ROTATED = 1 << 25  # positions times width of a head at most, of which a table is made: 262,144 positions of 128
LAYER_NAMES = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip
MODEL_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
FREQUENCIES = "rope_freqs.weight"  # llama.cpp writes Llama 3's rotation as factors of each frequency
STORED_TYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_open: OrderedDict[tuple, "GGUFModel"] = OrderedDict()


def open_gguf(path: Path) -> "GGUFModel":
    """The file, whose header is read once however many of its parts are asked for. Raises ModelError."""
    try:
        about = path.stat()
        key = path.resolve(), about.st_size, about.st_mtime_ns
        if key not in _open:
            _open[key] = GGUFModel(path)
            while len(_open) > 2:  # a target and a draft
                _open.popitem(last=False)
        return _open[key]
    except (GGUFError, OSError) as error:
        raise ModelError(f"{path.name} cannot be read: {error}") from None


def close_gguf(path: Path) -> None:
    """Its weights are loaded: the pages of the file, and the words of its tokenizer, need not stay in memory."""
    for key in [key for key in _open if key[0] == path.resolve()]:
        del _open[key]


class GGUFModel:
    """Raises ModelError for an architecture that is not read, and GGUFError for what is broken."""

    def __init__(self, path: Path):
        self.name, self.file = path.name, GGUFFile(path)
        kind = self.file.metadata.get("general.type")
        if kind == "adapter" or "adapter.type" in self.file.metadata:
            raise self._error("it is an adapter (LoRA), no model: merge it into its model with llama.cpp's export-lora")
        self.architecture = str(self.file.metadata.get("general.architecture"))
        if self.architecture not in FAMILIES:
            raise ModelError(
                f"{self.name} has the architecture {self.architecture[:40]}; of GGUF files {', '.join(FAMILIES)} are read"
            )
        if (parts := self.file.metadata.get("split.count", 1)) != 1:
            raise self._error(f"it is one of {str(parts)[:40]} parts; join them with llama.cpp's gguf-split --merge")
        if not self.file.tensors:
            raise self._error("it holds a vocabulary and no weights")
        matrices = {key: info.kind for key, info in self.file.tensors.items() if len(info.shape) > 1}
        kinds, layers = set(matrices.values()), {kind for key, kind in matrices.items() if key.startswith("blk.")}
        self.in_blocks = machine.keeps_blocks() and kinds <= {*IN_BLOCKS} and len(layers) == 1
        """Whether matrices stay as they are: passes take those of all layers as one array."""
        self.dtype = (
            "float32" if self.in_blocks else STORED_TYPES.get(next(iter(kinds)), "bfloat16") if len(kinds) == 1 else "bfloat16"
        )
        """Of other weights: the file's, where it has one type of number; else what is decoded is kept in 16 bits."""

    def config(self) -> dict[str, Any]:
        """As `config.json` would say it. Raises ModelError for what our pass does not compute, or what is no number."""
        at = f"{self.architecture}."
        fields = {key.removeprefix(at): value for key, value in self.file.metadata.items() if key.startswith(at)}
        if unknown := sorted(fields.keys() - KNOWN):
            raise self._error(f"it says {at}{unknown[0][:60]}, which is not read")
        if fields.get("expert_count"):
            raise self._error("it is a mixture of experts")
        config: dict[str, Any] = {name: self._size(fields, key) for name, key in NUMBERS.items()}
        heads = config["num_attention_heads"]
        size = self._size(fields, "attention.key_length", config["hidden_size"] // heads)
        for key in "attention.value_length", "rope.dimension_count":
            if (other := fields.get(key, size)) != size:
                raise self._error(f"its {key} is {str(other)[:40]} and its heads are {size} wide")
        window = fields.get("attention.sliding_window")
        if window and window < config["max_position_embeddings"]:
            raise self._error(f"it attends in a window of {str(window)[:40]} positions")
        ids = self.file.metadata
        most = MAX_ROTATED // size
        return config | {
            "max_position_embeddings": min(config["max_position_embeddings"], most),
            "model_type": FAMILIES[self.architecture],
            "hidden_act": "silu",  # of all of these
            "head_dim": size,
            "num_key_value_heads": self._size(fields, "attention.head_count_kv", heads),
            "rms_norm_eps": self._number(fields, "attention.layer_norm_rms_epsilon"),
            "rope_parameters": self._rope(fields),
            "vocab_size": self._shape("token_embd.weight")[0],
            "tie_word_embeddings": "output.weight" not in self.file.tensors,
            "bos_token_id": ids.get("tokenizer.ggml.bos_token_id"),
            "eos_token_id": sorted(end_ids(ids)) or None,
        }

    def weights(self) -> dict[str, np.ndarray]:
        """Every tensor by transformers' name, of `dtype`, or in its blocks; queries and keys with the halves of each head as transformers
        rotates them."""
        sizes = self.config()
        heads = {"attn_q": sizes["num_attention_heads"], "attn_k": sizes["num_key_value_heads"]}
        tensors = {}
        for key, info in self.file.tensors.items():
            if key == FREQUENCIES:
                continue
            tensor = self.file.blocks(key) if self.in_blocks and len(info.shape) > 1 else self._decoded(key)
            name, part = self._transformers_name(key), key.split(".")[-2]
            if self.architecture == "llama" and part in heads and not info.shape[0] % (2 * heads[part]):
                tensor = tensor.reshape(heads[part], -1, 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)
            tensors[name] = tensor
        return tensors

    def _decoded(self, key: str) -> np.ndarray:
        tensor, filled = np.empty(self.file.tensors[key].shape, TYPES[self.dtype]), 0
        flat = tensor.reshape(-1)
        for rows in self.file.rows(key):
            flat[filled : filled + rows.size] = to_type(rows.reshape(-1), self.dtype)
            filled += rows.size
        return tensor

    def tokenizer(self):
        """Its tokenizer. Raises ModelError for a kind that is not built."""
        try:
            return tokenizer(self.file.metadata)
        except GGUFError as error:
            raise self._error(str(error)) from None
        except Exception as error:  # tokens and merges that do not belong together
            raise self._error(f"its tokenizer cannot be built: {one_line(error)}") from None

    def _error(self, why: str) -> ModelError:
        return ModelError(f"{self.name} cannot be read: {why}")

    def _transformers_name(self, key: str) -> str:
        stem, _, kind = key.rpartition(".")
        layer = re.fullmatch(r"blk\.(\d{1,6})\.(\w+)", stem)
        if layer and layer[2] in LAYER_NAMES and kind in ("weight", "bias"):
            return f"model.layers.{int(layer[1])}.{LAYER_NAMES[layer[2]]}.{kind}"
        if stem in MODEL_NAMES and kind == "weight":
            return f"{MODEL_NAMES[stem]}.{kind}"
        raise self._error(f"it holds {key[:60]}, which our forward pass would leave out")

    def _shape(self, key: str) -> tuple[int, ...]:
        if key not in self.file.tensors:
            raise self._error(f"it lacks {key}")
        return self.file.tensors[key].shape

    def _size(self, fields: dict, key: str, default: int | None = None) -> int:
        value = fields.get(key, default)
        if type(value) is not int or not 0 < value <= MAX_SIZE:
            raise self._error(f"its {key} is {str(value)[:40]}, no number from 1 to {MAX_SIZE:,}")
        return value

    def _number(self, fields: dict, key: str, default: float | None = None) -> float:
        value = fields.get(key, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e12:
            raise self._error(f"its {key} is {str(value)[:40]}, no number above 0")
        return float(value)

    def _rope(self, fields: dict) -> dict[str, Any]:
        base: dict[str, Any] = {"rope_type": "default", "rope_theta": self._number(fields, "rope.freq_base", 10000.0)}
        kind, factor = fields.get("rope.scaling.type", "none"), fields.get("rope.scaling.factor", fields.get("rope.scale_linear"))
        if kind == "linear" or ("rope.scale_linear" in fields and kind == "none"):
            return base | {"rope_type": "linear", "factor": self._number({"factor": factor}, "factor")}
        if kind != "none":
            raise self._error(f"its rotary positions are scaled by {str(kind)[:40]}")
        return base if FREQUENCIES not in self.file.tensors else self._llama3(base)

    def _llama3(self, base: dict[str, Any]) -> dict[str, Any]:
        """The rotation whose factors the file holds, if it is Llama 3's: the largest of them is its factor, and the rest follows."""
        import torch
        from transformers import LlamaConfig
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        (factors,) = np.concatenate([*self.file.rows(FREQUENCIES)]).reshape(1, -1)
        size = 2 * len(factors)
        usual = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
        rope = base | usual | {"rope_type": "llama3", "factor": float(factors.max())}
        config = LlamaConfig(
            hidden_size=size, num_attention_heads=1, head_dim=size, max_position_embeddings=1 << 17, rope_parameters=rope
        )
        frequency, _ = ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")
        plain = base["rope_theta"] ** (-torch.arange(0, size, 2) / size)
        if not torch.allclose(plain / frequency, torch.from_numpy(factors), rtol=1e-3):
            raise self._error(f"its {FREQUENCIES} are not those of Llama 3")
        return rope
