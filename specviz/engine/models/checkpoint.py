"""A checkpoint's files, asked before anything is made of them: what it says of itself, its config as our own pass reads it, its
tensors.

check_config(folder, name)             # ModelError, with the field and its bound
check_tokenizer(folder, name)
check_template(template, special, name)
config = own_config({"model_type": "llama", …})      # None: ask transformers, which knows what each family leaves out

A number that no model has ends in an allocation, in minutes or in a library's error. A chat template is a program: it is tried in
a process of its own (template.py), which can be ended. Tensors of .safetensors files are arrays over the file, as they are
stored: bfloat16 as its bits (sampling.py).
"""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...trace.events import WeightFile
from ...trace.file import short
from ..model import ModelError, one_line
from ..sampling import TYPES, is_finite

MAX_CONFIG_BYTES = 16 * 2**20  # bytes of a config: ten times what a list of all labels takes
MAX_COUNT = 2**24  # positions, and what else a model has many of: no table of a model that is known has as many rows
COUNTS = {  # what a model needs at least one of, under the names of several families
    *("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "max_sequence_length"),
    *("vocab_size", "hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    *("num_attention_heads", "n_head", "n_heads", "num_heads", "head_dim"),
}
OWN_CODE = "{name} cannot be loaded: {file} asks for code of the checkpoint to be run, which is never done here"
SPECULATORS = "speculators_model_type"  # in the config of a head as the library speculators writes it
ALIKE = {"mimo": "qwen2"}  # model types that transformers runs by code of the checkpoint, and what their layers are
TRIED = Path(__file__).parent.with_name("template.py")
TEMPLATE_TIMEOUT_S = 60.0  # seconds by the clock, where others have the processors


def check_config(folder: Path, name: str) -> None:
    """Raises ModelError for a config.json that cannot be read, holds a size that is out of bounds, or needs code of its own to be run."""
    config = _object(folder / "config.json", name, "config")
    for path, field, value in _fields(config):
        if field in COUNTS and isinstance(value, int) and not isinstance(value, bool) and not 1 <= value <= MAX_COUNT:
            raise ModelError(
                f"{name} cannot be loaded: {path} in its config.json is {short(value)}; it must be from 1 to {MAX_COUNT:,}"
            )
    if SPECULATORS in config:
        raise ModelError(f"{name} is a head in the speculators format, no model: name it after a colon, as in eagle:{name}")
    if config.get("auto_map"):
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        if config.get("model_type") not in {*CONFIG_MAPPING.keys(), *ALIKE}:
            raise ModelError(OWN_CODE.format(name=name, file="config.json"))


def check_tokenizer(folder: Path, name: str) -> None:
    """The same of a tokenizer_config.json, beside a config.json that is right."""
    check_config(folder, name)
    file = folder / "tokenizer_config.json"
    config = _object(file, name, "tokenizer") if file.is_file() else {}
    if config.get("auto_map"):
        from transformers.models.auto.tokenization_auto import tokenizer_class_from_name

        kind = config.get("tokenizer_class")
        if not isinstance(kind, str) or tokenizer_class_from_name(kind) is None:
            raise ModelError(OWN_CODE.format(name=name, file=file.name))


def _object(file: Path, name: str, what: str) -> dict:
    try:
        if file.stat().st_size > MAX_CONFIG_BYTES:
            raise ValueError(f"{file.name} has more than {MAX_CONFIG_BYTES // 2**20} MiB")
        value = json.loads(file.read_text("utf-8"))
        if not isinstance(value, dict):
            raise ValueError(f"{file.name} is no object of JSON")
        return value
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{name} has no {what} that can be read: {one_line(error)}") from None


def _fields(config: dict, before: str = "") -> Iterator[tuple[str, str, Any]]:
    """(path, name, value) of each field, of those inside others, too."""
    for field, value in config.items():
        path = f"{before}{field}"[-80:]
        yield path, field, value
        if isinstance(value, dict):
            yield from _fields(value, f"{path}.")


def check_template(template: str, special: dict[str, str], name: str) -> None:
    """Raises ModelError for a chat template that takes too long, too much memory, or something that its sandbox does not let it have."""
    request = json.dumps({"template": template, "special": special})
    try:
        run = subprocess.run(
            [sys.executable, "-P", str(TRIED)],
            input=request,
            capture_output=True,
            timeout=TEMPLATE_TIMEOUT_S,
            text=True,
            encoding="utf-8",
        )
        problem = " ".join(run.stdout.split()) if not run.returncode else "it takes more time or memory than a template may take"
    except subprocess.TimeoutExpired:
        problem = "it takes more time than a template may take"
    if problem:
        raise ModelError(f"{name} has a chat template that cannot be used: {problem[:300]}")


REQUIRED_FIELDS = {  # what must be there, and of what type: a default of transformers differs from family to family
    "hidden_size": int,
    "intermediate_size": int,
    "num_attention_heads": int,
    "num_key_value_heads": int,
    "num_hidden_layers": int,
    "max_position_embeddings": int,
    "vocab_size": int,
    "rms_norm_eps": float,
    "hidden_act": str,
    "tie_word_embeddings": bool,
    "rope_parameters": dict,
    "bos_token_id": int | None,
    "eos_token_id": int | list | None,
}
UNREADABLE_FIELDS = {"auto_map", "quantization_config", "text_config", "rope_scaling", "torch_dtype"}
FAMILIES = ("llama", "qwen2", "qwen3")


class ModelConfig:
    """The fields of a config.json as attributes, as a config of transformers has them."""

    is_encoder_decoder = False

    def __init__(self, fields: dict[str, Any]):
        self.__dict__.update(fields)

    def get_text_config(self) -> "ModelConfig":
        return self


def own_config(config: dict[str, Any]) -> ModelConfig | None:
    """None for what transformers has to read: another family, a field that is left out or of the wrong kind, another rotation."""
    rope = config.get("rope_parameters")
    plain = isinstance(rope, dict) and rope.keys() == {"rope_type", "rope_theta"} and rope["rope_type"] == "default"
    if (
        not isinstance(rope, dict)
        or config.get("model_type") not in FAMILIES
        or not plain
        or UNREADABLE_FIELDS & config.keys()
        or config.keys() & set(dir(ModelConfig))
    ):
        return None
    if not all(field in config and _is(config[field], kind) for field, kind in REQUIRED_FIELDS.items()):
        return None
    if not (type(rope["rope_theta"]) in (int, float) and rope["rope_theta"] > 0 and config["rms_norm_eps"] > 0):
        return None
    if (
        config.get("dtype") not in (None, *TYPES)
        or not _is(config.get("head_dim"), int | None)
        or min(value for value in config.values() if type(value) is int) < 0
    ):
        return None
    fields = {"use_sliding_window": False, **config}
    if not fields["use_sliding_window"]:
        fields["sliding_window"] = None
    return ModelConfig(fields)


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)


SAFETENSORS_TYPES = {
    "BF16": np.uint16,
    "F16": np.float16,
    "F32": np.float32,
    "F64": np.float64,
    "BOOL": np.bool_,
    "I8": np.int8,
    "I16": np.int16,
    "I32": np.int32,
    "I64": np.int64,
    "U8": np.uint8,
    "U32": np.uint32,
    "U64": np.uint64,
}
MAX_FOLDER_FILE_BYTES = 4 * 2**30  # bytes: a larger file from a folder would take many seconds that nobody asked for


def read_weights(shards: list[Path], name: str) -> dict[str, np.ndarray]:
    """Every tensor of these files. Raises ModelError, also where one of them holds what no model can be decoded with."""
    weights: dict[str, np.ndarray] = {}
    for shard in shards:
        try:
            weights |= _read_tensors(shard)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{name}: {shard.name} cannot be read: {one_line(error)}") from None
    refuse_nan(name, weights)
    return weights


def _read_tensors(shard: Path) -> dict[str, np.ndarray]:
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
    if odd := next((about["dtype"] for about in header.values() if about["dtype"] not in SAFETENSORS_TYPES), None):
        raise ValueError(f"it holds numbers of type {odd}, which are not read")
    tensors = {}
    for key, about in header.items():
        first, end = about["data_offsets"]
        tensors[key] = (
            data[start + first : start + end].view(np.ndarray).view(SAFETENSORS_TYPES[about["dtype"]]).reshape(about["shape"])
        )
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
    """Which weights ran: of each file that they were read from its name and its sum, as `sha256sum` gives it, by name. A file is
    read for that once a process: 60 ms of the bundled family where a processor computes it in hardware. The hub's cache names the
    files that it fetched by their sum, so of those nothing is read. Raises OSError for one that cannot be read."""
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
