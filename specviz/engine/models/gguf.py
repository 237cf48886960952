"""A GGUF file, as llama.cpp, LM Studio and Ollama keep models → what a checkpoint's folder holds: its config, weights by
transformers' names, a tokenizer with its chat template. numpy in, numpy out, no torch.

open_gguf(Path("model.gguf")).config()
file = GGUFFile(Path("model.gguf"))
file.metadata["general.architecture"]
for rows in file.rows("token_embd.weight"): ...     # float32 [some, width], the whole tensor piece by piece

Of architectures those are read that our own pass runs. A key that is not known may change what a model computes, so it is
refused. The blocks are decoded by llama.cpp's own package `gguf`. Its reader makes a Python object of every element of an array,
in files of any size; here each count, length and offset is compared with the file before anything is made of it. How text is cut
stands in a file by name only: what each name means is in llama.cpp's src/llama-vocab.cpp, and in the tokenizer.json of the models
that have it. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import re
import struct
from collections import OrderedDict
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import machine
from ..model import ModelError, one_line
from ..sampling import BLOCKS, TYPES, to_type
from ..text import Tokenizer

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}  # by the format's numbers
STRING, ARRAY = 8, 9
MAX_METADATA_BYTES = 1 << 28  # bytes of metadata at most: the largest vocabularies take some ten million
MAX_COUNT = 1 << 22  # elements of an array, keys and tensors at most
MAX_DIMENSIONS = 4
PLAIN = {"F32": np.float32, "F16": np.float16}
READABLE = (
    "F32",
    "F16",
    "BF16",
    "Q8_0",
    "Q4_0",
    "Q4_1",
    "Q5_0",
    "Q5_1",
    "Q2_K",
    "Q3_K",
    "Q4_K",
    "Q5_K",
    "Q6_K",
    "IQ4_NL",
    "IQ4_XS",
)
IN_BLOCKS = ("Q4_0", "Q4_1", "Q8_0")  # those of which our own pass multiplies blocks as they are
DECODED_WEIGHTS = 1 << 16  # weights that are decoded at once: they stay in a processor's cache, which is three times as fast


class GGUFError(ValueError):
    """The file is broken, or holds what is not read; the message says which, without the file's name."""


def other_kind(path: Path) -> str:
    """What a file is that is no GGUF file, known by its first bytes whatever its name is; empty for one that is. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(256)
    if head.startswith(MAGIC) and path.stat().st_size >= 24:
        return ""
    text = head.lstrip().lower()
    if text.startswith(b"version https://git-lfs"):
        return "it is a pointer of Git LFS, which stands for the file: fetch the file itself with git lfs pull"
    if text.startswith((b"<!doctype html", b"<html")):
        return "it is a web page: download the file itself, on the hub by its download arrow"
    if head[8:9] == b"{":
        return "it is a safetensors file: name its folder"
    return "it is no GGUF file"


class TensorInfo(NamedTuple):
    """`shape` as PyTorch orders it; `kind` as `gguf` names it; `size` in bytes from `start`, which counts from the file's beginning."""

    shape: tuple[int, ...]
    kind: str
    start: int
    size: int


class GGUFFile:
    """`metadata`: every key with its value; `tensors`: by the file's names. Raises GGUFError, and OSError where it cannot be read."""

    def __init__(self, path: Path):
        if what := other_kind(path):
            raise GGUFError(what)
        self.data, self.at = np.memmap(path, np.uint8, "r"), 4
        self.bytes = memoryview(self.data)  # type: ignore[arg-type]  # of an array a short text is slow to cut out
        version, tensors, keys = self._unpack("IQQ")
        if version not in VERSIONS:
            raise GGUFError(f"it is GGUF version {version}; versions 2 and 3, little-endian, are read")
        self.metadata: dict[str, Any] = {}
        for _ in range(self._count(keys, "keys")):
            key = self._string()
            self.metadata[key] = self._value(self._unpack("I")[0])
        infos = [self._info() for _ in range(self._count(tensors, "tensors"))]
        align = self.metadata.get("general.alignment", 32)
        if type(align) is not int or not 0 < align <= 1 << 16:
            raise GGUFError(f"its alignment is {str(align)[:40]}")
        start = -(-self.at // align) * align
        self.tensors = {name: self._tensor_info(name, shape, kind, start + offset) for name, shape, kind, offset in infos}

    def rows(self, name: str) -> Iterator[np.ndarray]:
        """The tensor as float32 rows [some, width]; one of a single dimension is one row."""
        from gguf import quants

        shape, kind, start, size = self.tensors[name]
        width, raw = shape[-1], self.data[start : start + size]
        some = max(1, DECODED_WEIGHTS // width)
        table = raw.reshape(prod(shape[:-1]), -1)
        for i in range(0, len(table), some):
            part = table[i : i + some]
            if plain := PLAIN.get(kind):
                yield np.ascontiguousarray(part).view(plain).astype(np.float32)
            else:
                block = getattr(quants, kind)
                yield block.dequantize_blocks(part.reshape(-1, block.type_size)).astype(np.float32, copy=False).reshape(-1, width)

    def blocks(self, name: str) -> np.ndarray:
        """The tensor of one of KEPT as records over the file [N, width/32] (sampling.BLOCKS); of Q4_0, whose least is −8 scales,
        as of Q4_1."""
        shape, kind, start, size = self.tensors[name]
        raw = self.data[start : start + size]
        if kind != "Q4_0":
            return raw.view(np.ndarray).view(BLOCKS[kind]).reshape(*shape[:-1], -1)
        scales = raw.reshape(-1, 18)
        records = np.empty(len(scales), BLOCKS["Q4_1"])
        records["scale"] = np.ascontiguousarray(scales[:, :2]).view(np.float16)[:, 0]
        records["least"], records["bits"] = -8 * records["scale"], scales[:, 2:]
        return records.reshape(*shape[:-1], -1)

    def _unpack(self, form: str) -> tuple:
        size = struct.calcsize("<" + form)
        self._room(size)
        values = struct.unpack_from("<" + form, self.bytes, self.at)
        self.at += size
        return values

    def _room(self, size: int) -> None:
        if self.at + size > len(self.data):
            raise GGUFError(f"it ends before the {size:,} bytes that its header names at {self.at:,}: it was cut short")
        if self.at + size > MAX_METADATA_BYTES:
            raise GGUFError(f"its header takes over {MAX_METADATA_BYTES:,} bytes")

    def _count(self, count: int, what: str) -> int:
        """Of things that take a byte or more each: no more than there are bytes left."""
        if count > min(MAX_COUNT, len(self.data) - self.at):
            raise GGUFError(f"it claims {count:,} {what}, more than it has room for")
        return count

    def _string(self) -> str:
        (length,) = self._unpack("Q")
        self._room(length)
        self.at += length
        return str(self.bytes[self.at - length : self.at], "utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind in SCALARS:
            return self._unpack(SCALARS[kind])[0]
        if kind == STRING:
            return self._string()
        if kind != ARRAY:
            raise GGUFError(f"its metadata hold a value of type {kind}")
        inner, count = self._unpack("IQ")
        self._count(count, "elements of an array")
        if inner in SCALARS:
            return list(self._unpack(f"{count}{SCALARS[inner]}"))
        if inner != STRING:
            raise GGUFError(f"its metadata hold an array of type {inner}")
        return [self._string() for _ in range(count)]

    def _info(self) -> tuple[str, tuple[int, ...], int, int]:
        name, (dimensions,) = self._string(), self._unpack("I")
        if not 0 < dimensions <= MAX_DIMENSIONS:
            raise GGUFError(f"its tensor {name[:60]} has {dimensions:,} dimensions")
        shape = self._unpack(f"{dimensions}Q")
        kind, offset = self._unpack("IQ")
        return name, shape[::-1], kind, offset

    def _tensor_info(self, name: str, shape: tuple[int, ...], number: int, start: int) -> TensorInfo:
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        kind = next((kind.name for kind in GGMLQuantizationType if kind == number), f"type {number}")
        if kind not in READABLE:
            raise GGUFError(f"its tensor {name[:60]} is stored as {kind}, which is not read ({', '.join(READABLE)} are)")
        block, bytes_ = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
        if not all(shape) or shape[-1] % block:
            raise GGUFError(f"its tensor {name[:60]} is {list(shape)}, which is not made of blocks of {block}")
        size = prod(shape) // block * bytes_
        if start + size > len(self.data):
            raise GGUFError(f"its tensor {name[:60]} ends behind the end of the file: it was cut short")
        return TensorInfo(shape, kind, start, size)


CONTROL, USER_DEFINED = 3, 4  # of a token's type
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
DEFAULT = (
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    "[0-9][0-9][0-9]",
)
# pre-tokenizer: (patterns in turn, or how digits stand alone, or nothing for GPT-2's own; the beginning token unless the file says)
CUTS = {
    "default": (DEFAULT, False),  # llama.cpp's for a file that names none
    "gpt-2": (None, False),
    "smollm": ("digits", False),
    "llama-bpe": (LLAMA3, True),
    "llama3": (LLAMA3, True),
    "llama-v3": (LLAMA3, True),
    "qwen2": (QWEN2, False),
    "deepseek-r1-qwen": (QWEN2, False),
}
NFC = ("qwen2", "deepseek-r1-qwen")
# tokens by which llama.cpp ends a turn, whatever the file calls its end
ENDS = set(
    """
    <|im_end|> <|eot_id|> <|eom_id|> <|end|> <|return|> <|call|> <|calls|> <|flush|> <|endoftext|> <|end_of_text|>
    <end_of_turn> <end_of_utterance> <EOT> _<EOT> [EOT] [EOS] </s>
    """.split()
)


def end_ids(metadata: dict[str, Any]) -> set[int]:
    """The ids that end a turn: the file's own, and tokens of `ENDS` that its chat template writes: public files often name another."""
    ids = {id for part in ("eos", "eot", "eom") if type(id := metadata.get(f"tokenizer.ggml.{part}_token_id")) is int}
    tokens, template = metadata.get("tokenizer.ggml.tokens"), metadata.get("tokenizer.chat_template")
    if isinstance(tokens, list) and isinstance(template, str):
        ids |= {id for id, token in enumerate(tokens) if token in ENDS and token in template}
    return ids


def tokenizer(metadata: dict[str, Any]) -> Tokenizer:
    """A tokenizer from a file's `metadata`. Raises GGUFError for a kind that is not built."""
    fields = {key.removeprefix("tokenizer.ggml."): value for key, value in metadata.items() if key.startswith("tokenizer.ggml.")}
    tokens = fields.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, str) for token in tokens):
        raise GGUFError("it holds no tokens")
    match fields.get("model"):
        case "gpt2":
            backend, begins = _byte_level(fields, tokens)
        case "llama":
            backend, begins = _sentencepiece(fields, tokens), True
        case other:
            raise GGUFError(f"its tokenizer is of the kind {str(other)[:40]}; gpt2 and llama are read")
    _add_special(backend, fields, tokens)

    def special_token(part: str) -> str | None:
        id = fields.get(f"{part}_token_id")
        return tokens[id] if type(id) is int and 0 <= id < len(tokens) else None

    begins = bool(fields.get("add_bos_token", begins))
    ids = {"eos_token": special_token("eos"), "unk_token": special_token("unknown"), "pad_token": special_token("padding")}
    template = metadata.get("tokenizer.chat_template")
    return Tokenizer(
        backend, {"bos_token": special_token("bos") if begins else None, **ids}, template if isinstance(template, str) else None
    )


def _byte_level(fields: dict[str, Any], tokens: list[str]):
    """BPE over the bytes of a text, and whether a text begins with the beginning token unless the file says."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    if (pre := fields.get("pre") or "default") not in CUTS:
        raise GGUFError(f"its tokenizer splits text by {str(pre)[:40]}, which is not read ({', '.join(CUTS)} are)")
    pattern, begins = CUTS[pre]
    merges = [tuple(merge.split(" ", 1)) for merge in fields.get("merges", ())]
    ids = {token: id for id, token in reversed([*enumerate(tokens)])}
    whole = pattern is LLAMA3  # a piece that is a token of its own stays one
    backend = Tokenizer(models.BPE(vocab=ids, merges=merges, ignore_merges=whole))
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern in (None, "digits"))
    if pattern == "digits":
        first: Any = [pre_tokenizers.Digits(individual_digits=True)]
    else:
        patterns = pattern if isinstance(pattern, tuple) else [pattern] if pattern else []
        first = [pre_tokenizers.Split(Regex(each), "isolated") for each in patterns]
    backend.pre_tokenizer = pre_tokenizers.Sequence([*first, level])
    backend.decoder = decoders.ByteLevel()
    if pre in NFC:
        backend.normalizer = normalizers.NFC()
    return backend, begins


def _sentencepiece(fields: dict[str, Any], tokens: list[str]):
    """BPE as SentencePiece makes it: neighbours whose whole has the best score are merged first; what has no token is bytes."""
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers.tokenization_utils_base import generate_merges

    scores = fields.get("scores")
    if not isinstance(scores, list) or len(scores) != len(tokens):
        raise GGUFError("it holds no score for each of its tokens")
    ids = {token: id for id, token in reversed([*enumerate(tokens)])}
    unknown = fields.get("unknown_token_id", 0)
    backend = Tokenizer(
        models.BPE(
            vocab=ids,
            merges=generate_merges(ids, dict(zip(tokens, scores, strict=True))),
            unk_token=tokens[unknown],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    prefix = fields.get("add_space_prefix", True)
    space = normalizers.Replace(" ", "▁")
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), space]) if prefix else space
    ends = [decoders.Strip(" ", 1, 0)] if prefix else []
    backend.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *ends])
    return backend


def _add_special(backend, fields: dict[str, Any], tokens: list[str]) -> None:
    """Tokens that no text is cut through."""
    from tokenizers import AddedToken

    kinds = fields.get("token_type")
    for id, kind in enumerate(kinds if isinstance(kinds, list) else ()):
        if id < len(tokens) and kind in (CONTROL, USER_DEFINED):
            token = AddedToken(tokens[id], normalized=False, special=kind == CONTROL)
            (backend.add_special_tokens if kind == CONTROL else backend.add_tokens)([token])


FAMILIES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}  # by llama.cpp's architecture; its llama is Mistral too
NUMBERS = {  # by transformers' names
    "num_hidden_layers": "block_count",
    "max_position_embeddings": "context_length",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
}
# what else may stand under the architecture's name
KNOWN = set(NUMBERS.values()) | set(
    """
    attention.head_count_kv attention.layer_norm_rms_epsilon attention.key_length attention.value_length rope.freq_base
    rope.dimension_count rope.scaling.type rope.scaling.factor rope.scale_linear rope.scaling.original_context_length
    rope.scaling.finetuned vocab_size expert_count expert_used_count attention.sliding_window tensor_data_layout
    use_parallel_residual
    """.split()
)
MAX_SIZE = 1 << 24  # of a size that a config names
MAX_ROTATED = 1 << 25  # positions times width of a head at most, of which a table is made: 262,144 positions of 128
LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
MODEL_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
FREQUENCIES = "rope_freqs.weight"  # llama.cpp writes Llama 3's rotation as factors of each frequency
STORED_TYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_open: OrderedDict[tuple, "GGUFModel"] = OrderedDict()


def open_gguf(path: Path) -> "GGUFModel":
    """The file, whose header is read once however many of its parts are asked for. Raises ModelError."""
    try:
        about = path.stat()
        key = path.resolve(), about.st_size, about.st_mtime_ns, machine.keeps_blocks()
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
