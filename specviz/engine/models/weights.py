"""Tensors of .safetensors files as arrays over the file, as they are stored: bfloat16 as its bits (arrays.py); and which files these are."""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...trace.events import WeightFile
from ..arrays import is_finite
from ..backends.base import ModelError, one_line

TYPES = {
    "BF16": np.uint16, "F16": np.float16, "F32": np.float32, "F64": np.float64, "BOOL": np.bool_,
    "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "U8": np.uint8, "U32": np.uint32, "U64": np.uint64,
}  # fmt: skip
MAX_FOLDER_FILE_BYTES = 4 * 2**30  # bytes: a larger file from a folder would take many seconds that nobody asked for


def read_weights(shards: list[Path], name: str) -> dict[str, np.ndarray]:
    """Every tensor of these files. Raises ModelError, also where one of them holds what no model can be decoded with."""
    weights: dict[str, np.ndarray] = {}
    for shard in shards:
        try:
            weights |= _read(shard)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{name}: {shard.name} cannot be read: {one_line(error)}") from None
    refuse_nan(name, weights)
    return weights


def _read(shard: Path) -> dict[str, np.ndarray]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(shard, framework="numpy"):  # which compares every length and offset with the file
            pass
    except SafetensorError as error:
        raise ValueError(error) from None
    data = np.memmap(shard, np.uint8, "c")
    start = 8 + int(data[:8].view("<u8")[0])
    header: dict[str, Any] = json.loads(data[8:start].tobytes())
    header.pop("__metadata__", None)
    if odd := next((about["dtype"] for about in header.values() if about["dtype"] not in TYPES), None):
        raise ValueError(f"it holds numbers of type {odd}, which are not read")
    tensors = {}
    for key, about in header.items():
        first, end = about["data_offsets"]
        tensors[key] = data[start + first : start + end].view(np.ndarray).view(TYPES[about["dtype"]]).reshape(about["shape"])
    return tensors


def refuse_nan(name: str, weights: Mapping[str, np.ndarray]) -> None:
    """Raises ModelError for weights of which no distribution can come."""
    for key, weight in weights.items():
        if not is_finite(weight):
            raise ModelError(f"{name} cannot be decoded: its weights {key} hold NaN or infinity")


def without_heads(weights: dict[str, np.ndarray], config) -> dict[str, np.ndarray]:
    """Leave out the multi-token heads that a checkpoint carries beside its own layers: they draft (draft/mtp.py)."""
    if not getattr(config, "num_nextn_predict_layers", 0):
        return weights
    own = {f"model.layers.{i}." for i in range(config.num_hidden_layers)}

    def head(key):
        layer = re.match(r"model\.layers\.\d+\.", key)
        return key.startswith("model.mtp_layers.") or (layer and layer[0] not in own)

    return {key: tensor for key, tensor in weights.items() if not head(key)}


def identity(files: list[Path]) -> tuple[WeightFile, ...]:
    """Which weights ran: of each file that they were read from its name and its sum, as `sha256sum` gives it, by name. A file is read for that once
    a process: 60 ms of the bundled family where a processor computes it in hardware. The hub's cache names the files that it fetched by their
    sum, so of those nothing is read. Raises OSError for one that cannot be read."""
    return tuple(WeightFile(file.name, _file_sha256(file)) for file in sorted(files))


def _file_sha256(file: Path) -> str | None:
    place = file.resolve()
    if place.parent.name == "blobs" and re.fullmatch(r"[0-9a-f]{64}", place.name):
        return place.name
    stat = place.stat()
    return _sha256(place, stat.st_size, stat.st_mtime_ns) if stat.st_size <= MAX_FOLDER_FILE_BYTES else None


@lru_cache(256)
def _sha256(place: Path, size: int, changed: int) -> str:
    """`size` and `changed` tell a file from one that was put in its place since."""
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
