"""A GGUF file as llama.cpp, LM Studio and Ollama keep models: its metadata, and its tensors as float32. numpy in, numpy out, no torch.

file = GGUFFile(Path("model.gguf"))
file.metadata["general.architecture"]
for rows in file.rows("token_embd.weight"): ...     # float32 [some, width], the whole tensor piece by piece

The blocks are decoded by llama.cpp's own package `gguf`. Its reader makes a Python object of every element of an array, in files of
any size; here each count, length and offset is compared with the file before anything is made of it.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import BLOCKS

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
    """`metadata`: every key with its value; `tensors`: by the file's names. Raises GGUFError, and OSError for a file that cannot be read."""

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
        """The tensor of one of KEPT as records over the file [N, width/32] (arrays.BLOCKS); of Q4_0, whose least is −8 scales, as of Q4_1."""
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
