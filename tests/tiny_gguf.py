"""Tiny GGUF files, written in a test by llama.cpp's own package: what our reader is held to.

    path = write(folder, model, kind="Q4_K")       # a transformers model, its matrices in blocks of 4 bits
    expected = decoded(model, "Q4_K")               # the same model with the weights that those blocks stand for

Blocks that the package cannot make are drawn at random, with a scale that keeps weights small.
"""

import json
from functools import cache
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from . import tiny

SIZES = {"hidden_size": 256, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
SCALES = {  # where the half-precision scales stand
    "Q2_K": (80, 82), "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,), "IQ4_NL": (0,), "IQ4_XS": (0,),
}  # fmt: skip
NAMES = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEXTS = (
    "Once upon a time, in 1984, Zoë's café sold 3.50 € tea.\n\n  Two  spaces, a\ttab.",
    'def f(x: int) -> str:\n\treturn {"a": x**2}  # 100%\n\n\nclass A_b: ...',
    "北京 नमस्ते العربية שלום Ελλάδα Привет ไทย 한국어 日本語テキスト",
    "👩‍🚀🦊🇳🇴 e\u0301 Å ﬁ ① ½ x² 12345 ٣٤٥",
    "<|im_start|>user\nWhat's the square root of 7?<|im_end|>\nI'LL we're don't",
    " leading and trailing ",
)


def rows_to_file(weight: np.ndarray, heads: int) -> np.ndarray:
    """The order in which llama.cpp keeps the rows of queries and keys (its convert_hf_to_gguf.py, `permute`)."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def stored(name: str, weight: np.ndarray, kind: str) -> np.ndarray:
    """As the file holds it: numbers, or bytes of blocks."""
    if weight.ndim == 1:
        return weight.astype(np.float32)
    if kind not in SCALES:
        return gguf.quants.quantize(weight.astype(np.float32), Kind[kind])
    draw = np.random.default_rng(sum(map(ord, name)))
    block, size = gguf.GGML_QUANT_SIZES[Kind[kind]]
    blocks = draw.integers(0, 256, (weight.size // block, size), dtype=np.uint8)
    for at in SCALES[kind]:
        blocks[:, at : at + 2] = (draw.random((len(blocks), 1)) * 2e-4).astype(np.float16).view(np.uint8)
    return blocks.reshape(weight.shape[0], -1)


def tensors(model, kind: str, table: str = "") -> dict[str, tuple[np.ndarray, str]]:
    """By the file's names: what is stored, and as what; `table`: the embedding, where that is another type."""
    config, by_name = model.config, {}
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for key, tensor in tiny.weights(model).items():
        stem, _, part = key.rpartition(".")
        top = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
        name = top.get(stem) or f"blk.{stem.split('.')[2]}.{NAMES['.'.join(stem.split('.')[3:])]}"
        weight = tensor.float().numpy()
        if config.model_type == "llama" and (leaf := name.split(".")[-1]) in heads:
            weight = rows_to_file(weight, heads[leaf])
        name, kept_as = f"{name}.{part}", ((name == "token_embd" and table) or kind) if weight.ndim > 1 else "F32"
        if kept_as in SCALES and weight.shape[-1] % gguf.GGML_QUANT_SIZES[Kind[kept_as]][0]:
            kept_as = "IQ4_NL"  # as llama.cpp does where columns are no multiple of 256
        by_name[name] = stored(name, weight, kept_as), kept_as
    return by_name


def write(folder: Path, model, kind: str = "F32", name: str = "tiny.gguf", more=None, table: str = "") -> Path:
    """`more`: changes to the metadata, by key: a value, or None to leave it out; `table`: as of `tensors`."""
    config, arch = model.config, model.config.model_type
    folder.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(folder / name, arch)
    size = getattr(config, "head_dim", None)
    numbers = {
        "context_length": config.max_position_embeddings, "embedding_length": config.hidden_size, "block_count": config.num_hidden_layers,
        "feed_forward_length": config.intermediate_size, "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads, "rope.freq_base": float(config.rope_parameters["rope_theta"]),
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps, "attention.key_length": size, "attention.value_length": size,
    }  # fmt: skip
    numbers = {f"{arch}.{key}": value for key, value in numbers.items()}
    tokens = tokenizer()
    vocabulary = tokens.get_vocab()
    words = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": sorted(vocabulary, key=vocabulary.get),
        "tokenizer.ggml.token_type": [3 if id < len(SPECIAL) else 1 for id in range(len(vocabulary))],
        "tokenizer.ggml.merges": merges(tokens),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": CHAT,
    }
    add = {str: "string", bool: "bool", int: "uint32", float: "float32", list: "array"}
    for key, value in (numbers | words | (more or {})).items():
        if value is not None:
            getattr(writer, f"add_{add[type(value)]}")(key, value)
    for key, (data, kept_as) in tensors(model, kind, table).items():
        writer.add_tensor(key, data, raw_dtype=Kind[kept_as])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return folder / name


def with_head(folder: Path, ids: list[int] | None) -> tuple[str, str]:
    """A model as browsers take it, layers of 4 bits and a table of 8, and an EAGLE head that knows the tokens `ids` or all, as `set_up`
    names them."""
    from safetensors.torch import save_file

    from . import tiny_heads

    sizes = {"num_hidden_layers": 6, "vocab_size": 400, "head_dim": 64, "max_position_embeddings": 512, "rms_norm_eps": 1e-5}
    model = tiny.make(tiny.config("smollm", **SIZES | sizes))
    path, head = write(folder, model, "Q4_1", table="Q8_0"), folder / "head"
    weights = tiny_heads.eagle(model.config, ids)
    weights.pop("lm_head.weight", None)
    head.mkdir()
    save_file(weights, head / "model.safetensors")
    (head / "config.json").write_text(json.dumps(model.config.to_dict()))
    return str(path), f"eagle:{head}"


def decoded(model, kind: str):
    """The model with the weights that its file stands for, decoded by transformers' own code where that knows the type."""
    config, again = model.config, tiny.make(model.config)
    names = {v: k for k, v in NAMES.items()}
    state = {}
    for key, (data, kept_as) in tensors(model, kind).items():
        shape = tuple(tiny_shape(data, kept_as))
        weight = torch.from_numpy(np.array(numbers_of(data, kept_as))).float().reshape(shape)
        stem, _, part = key.rpartition(".")
        leaf = stem.split(".")[-1]
        if config.model_type == "llama" and leaf in ("attn_q", "attn_k"):
            heads = config.num_attention_heads if leaf == "attn_q" else config.num_key_value_heads
            weight = weight.view(heads, shape[0] // heads // 2, 2, *shape[1:]).transpose(1, 2).reshape(shape)
        top = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
        name = top.get(stem) or f"model.layers.{stem.split('.')[1]}.{names[leaf]}"
        kept_as = {"F32": torch.float32, "F16": torch.float16}.get(kind, torch.bfloat16)
        state[f"{name}.{part}"] = weight.to(kept_as).float()
    if config.tie_word_embeddings:
        state["lm_head.weight"] = state["model.embed_tokens.weight"]
    again.load_state_dict(state)
    return again


def tiny_shape(data: np.ndarray, kind: str) -> tuple[int, ...]:
    if kind in ("F32", "F16"):
        return data.shape
    block, size = gguf.GGML_QUANT_SIZES[Kind[kind]]
    return *data.shape[:-1], data.shape[-1] // size * block


def numbers_of(data: np.ndarray, kind: str) -> np.ndarray:
    if kind in ("F32", "F16"):
        return data.astype(np.float32)
    if kind == "BF16":
        return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    try:
        from transformers.integrations.gguf.dequant import dequantize

        return dequantize(torch.from_numpy(np.array(data).reshape(-1)), int(Kind[kind])).numpy()
    except (ImportError, ValueError):  # another version, or a type that it has not
        return gguf.quants.dequantize(data, Kind[kind])


@cache
def tokenizer(size: int = 400) -> Tokenizer:
    """Byte-level BPE as SmolLM2 has it: digits alone, GPT-2's words."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)])
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        TEXTS * 3, trainers.BpeTrainer(vocab_size=size, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False)
    )
    return bpe


def merges(tokens: Tokenizer) -> list[str]:
    return [pair if isinstance(pair, str) else " ".join(pair) for pair in json.loads(tokens.to_str())["model"]["merges"]]
