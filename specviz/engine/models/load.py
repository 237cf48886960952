"""A name → a model: a bundled one, a local folder as `save_pretrained` writes it, a GGUF file, or a hub id.

Weights come as safetensors only and `trust_remote_code` is never set, so nothing that is loaded can run. A target that one device
does not hold is laid over several by accelerate's device map (docs/deploy.md): only transformers' own modules can be spread.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...config import ASSETS, ConfigError
from ...trace.events import WeightFile
from ..machine import half_precision, release_memory
from ..model import Model, ModelError, one_line
from ..sampling import Device
from . import assistant
from .checkpoint import ALIKE, SPECULATORS, check_config, identity, own_config, read_weights, refuse_nan, without_heads
from .gguf import close_gguf, open_gguf, other_kind
from .llama import Llama, why_not_ours

MAPS = ("auto", "balanced", "balanced_low_0", "sequential")  # ways in which accelerate chooses what lies where
Placement = Any  # one of MAPS, or which module lies where; empty: all of it on one device


def parse_device_map(name: str) -> str:
    """A device map as somebody asked for it; empty for none. Raises ConfigError, and ModelError where nothing is there to make it."""
    if name and name not in MAPS:
        raise ConfigError("device_map", name, f"one of {', '.join(MAPS)}")
    if name:
        check_installed()
    return name


def check_installed() -> None:
    """transformers asks accelerate to spread a model. Raises ModelError where it is not there."""
    if find_spec("accelerate") is None:
        raise ModelError("a model is spread over devices by accelerate, which is not installed: pip install accelerate")


def weights_location(model, placement: Placement) -> str:
    """Where the weights of a transformers model lie, in a few words; empty if it is not spread."""
    if not placement:
        return ""
    device_map: dict = getattr(model, "hf_device_map", None) or {"": model.device}  # accelerate says nothing where all is on one
    counts: Counter = Counter()
    for name, weight in model.named_parameters():
        part = max((part for part in device_map if f"{name}.".startswith(f"{part}." if part else "")), key=len)
        device = device_map[part]
        counts[f"cuda:{device}" if isinstance(device, int) else str(device)] += weight.numel()
    shares = (f"{device} ({100 * count / counts.total():.0f} %)" for device, count in sorted(counts.items()))
    return f"weights on {', '.join(shares)}"


BUNDLED = ASSETS / "models"
GGUF = ".gguf"
DIGEST = len("sha256-") + 12  # letters of what Ollama calls a file, by which it is known
NO_MEMORY, FULL = "can't allocate memory", "OutOfMemoryError"  # torch's, of a CPU and of a device, which are no MemoryError
READ_SPECULATORS = ("eagle3", "peagle")
HUB_ID = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")


def bundled() -> list[str]:
    """Names of the models that ship with the project; heads, which have no tokenizer, are none."""
    return sorted(path.parent.name for path in BUNDLED.glob("*/tokenizer.json") if (path.parent / "config.json").is_file())


def present() -> list[str]:
    """Names of the models on this machine that no path is needed for: those of `bundled`, and the assistant where it was fetched."""
    return [*bundled(), *([assistant.KEY] if assistant.place() else [])]


def model_path(name: str, ways: Sequence[str] = ()) -> Path:
    """The folder that holds model `name`, or its GGUF file; downloads it if it is a hub id. Raises ModelError that says what was looked
    for; `ways`: what may be named in place of a model."""
    if name in bundled():
        return BUNDLED / name
    if name == assistant.KEY:
        if (place := assistant.place()) is None:
            raise ModelError(f"{name} ({assistant.NAME}) is not on this machine: specviz fetch brings it, once")
        return place
    place = _path(name)
    if place is not None and place.is_file():  # known by its first bytes: Ollama's files have no ending
        return place
    if name.lower().endswith(GGUF):
        raise ModelError(f"there is no file {name}")
    if place is not None and place.is_dir():
        files = sorted(place.glob(f"*{GGUF}"))
        if (place / "config.json").is_file() or len(files) == 1:
            return place if (place / "config.json").is_file() else files[0]
        several = f"; of its {len(files)} GGUF files name one" if files else ""
        raise ModelError(f"the folder {name} holds no config.json: it is not a model as save_pretrained writes it{several}")
    if not HUB_ID.fullmatch(name):
        names = f"a name ({', '.join([*present(), *ways])}), a folder, a GGUF file, or a hub id like owner/name"
        raise ModelError(f"no model {name!r}: give {names}")
    return download(name)


def display_name(name: str) -> str:
    """What a screen and a trace call what was loaded as `name`: of a folder or a file its own name, since where it lies is nobody's
    business."""
    if name == assistant.KEY:
        return assistant.NAME
    place = None if name in bundled() else _path(name)
    if place is not None and place.is_file():
        return place.name[:DIGEST] if place.name.startswith("sha256-") else re.sub(rf"\{GGUF}$", "", place.name, flags=re.I)
    return name if place is None or not place.is_dir() else place.resolve().name


def is_gguf(place: Path) -> bool:
    """Whether what `model_path` returns is a file of its own, no folder."""
    return not place.is_dir()


def _path(name: str) -> Path | None:
    try:
        place = Path(name).expanduser()
        return place if name and place.exists() else None
    except (OSError, RuntimeError, ValueError):  # too long, no such user, a zero byte: no place
        return None


def download(name: str) -> Path:
    """The folder of a hub id, kept in the hub's cache. Raises ModelError."""
    from huggingface_hub import snapshot_download

    kinds = ["*.safetensors", "*.json", "*.model", "*.txt"]
    try:
        return Path(snapshot_download(name, allow_patterns=kinds))
    except Exception as error:  # many types, and texts of many lines: one thing to say
        why = "no network, no such model, or one whose licence asks for a login"
        raise ModelError(f"{name} could not be fetched from the hub: {why} ({type(error).__name__})") from None


def load_model(name: str, device: str = "cpu", dtype: str | None = None, placement: Placement = "") -> Model:
    """The model `name` on `device`, by our own forward pass if it is exact for it, else by transformers; by that too where it is
    `placement` over several devices.

    `dtype` defaults to float32 on a CPU, where half precision is slower, but for weights of 8 bits, and to the checkpoint's own
    on a GPU; where that multiplies in float16 only, to that. Raises ModelError, also where it does not fit."""
    return load_folder(model_path(name), name, device, dtype, placement)


def load_folder(folder: Path, name: str, device="cpu", dtype: str | None = None, placement: Placement = "") -> Model:
    if not is_gguf(folder):
        check_config(folder, name)
    try:
        return _load(folder, name, Device(device), _name_of(dtype), placement)
    except MemoryError:
        pass
    except (ModelError, ConfigError):
        raise
    except Exception as error:  # whatever else a config and weights that do not go together make a library raise
        if NO_MEMORY not in str(error) and type(error).__name__ != FULL:
            raise ModelError(f"{name} cannot be loaded: {one_line(error)}") from error
    release_memory()  # outside: what is being raised holds on to what was loaded
    raise ModelError(f"{name} does not fit in memory: choose a smaller model, or the bundled family")


def _load(folder: Path, name: str, device: Device, dtype: str | None, placement: Placement) -> Model:
    config = load_config(folder, name, whole=bool(placement))
    if dtype is None:
        eight = _in_8_bits(config)
        own = "bfloat16" if eight else _name_of(getattr(config, "dtype", None)) or "bfloat16"
        dtype = "float32" if device.type == "cpu" and not eight else half_precision(own, device)
    if config.is_encoder_decoder:
        raise ModelError(f"{name} is an encoder-decoder: it does not continue a text")
    if placement and name in bundled():
        raise ModelError(f"{name} is bundled and small: a device map is for a folder or a hub id")
    if placement:
        check_installed()
    if is_gguf(folder):
        return _own(config, folder, name, device, dtype, placement)
    shards = _shards(folder, name)
    why = "" if placement else why_not_ours(config)
    if why is None:
        weights = without_heads(read_weights(shards, name), config)
        try:
            return _with_identity(Llama(config, weights, display_name(name), device, dtype, name, emptied=True), shards)
        except ModelError as error:  # other weights than its config says: transformers knows what to do with them
            why = str(error)
    return _with_identity(_hub(_pretrained(folder, name, device, dtype, placement), name, why, device, placement), shards)


def _own(config, file: Path, name: str, device: Device, dtype: str, placement: Placement) -> Model:
    """The model of a GGUF file, which our own pass runs and nothing else. Raises ModelError."""
    if placement:
        raise ModelError(f"{name} is a GGUF file, which one device holds: name a folder or hub id to spread")
    weights = open_gguf(file).weights()
    close_gguf(file)
    refuse_nan(display_name(name), weights)
    model = _with_identity(Llama(config, weights, display_name(name), device, dtype, name, emptied=True), [file])
    release_memory()
    return model


def _name_of(dtype) -> str | None:
    """A type as PyTorch names it, which may be given as PyTorch's own."""
    return None if dtype is None else str(dtype).removeprefix("torch.")


def _in_8_bits(config) -> bool:
    """Whether transformers multiplies floats of 8 bits, which it does in bfloat16 on a CPU too."""
    quantised = getattr(config, "quantization_config", None) or {}
    method = quantised.get("quant_method", "") if isinstance(quantised, dict) else getattr(quantised, "quant_method", "")
    return "fp8" in str(method).lower()


def _pretrained(folder: Path, name: str, device: Device, dtype: str, placement: Placement):
    """transformers' own module with its weights. Raises ModelError."""
    import torch
    from transformers import AutoModelForCausalLM

    from ..backends import pytorch  # noqa: F401 (with as many threads as are meant)

    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(  # a pair, with the last option, of which its type says nothing
            folder,
            dtype=getattr(torch, dtype),
            use_safetensors=True,
            trust_remote_code=False,
            output_loading_info=True,
            **({"device_map": placement} if placement else {}),
        )
        model, info = loaded
        _refuse_nan_tensors(name, model)
        model = model if placement else model.to(device)
    except (torch.OutOfMemoryError, MemoryError):
        raise
    except Exception as error:  # whatever a broken checkpoint makes a library raise
        raise ModelError(f"{name} cannot be loaded: {one_line(error)}") from error
    if missing := sorted(info["missing_keys"]):  # transformers would make them up
        raise ModelError(f"{name}: the checkpoint lacks {missing[0]}")
    return model


def _refuse_nan_tensors(name: str, model) -> None:
    """Raises ModelError for weights of which no distribution can come. A sum, which needs no memory, is not finite where one of them is
    not. What lies elsewhere (a device map's disk) is not looked at."""
    import torch

    for key, tensor in model.state_dict().items():
        summed = tensor.is_floating_point() and tensor.itemsize > 1 and not tensor.is_meta  # of 8 bits none are
        if summed and not tensor.sum(dtype=torch.float32).isfinite() and not tensor.isfinite().all():
            raise ModelError(f"{name} cannot be decoded: its weights {key} hold NaN or infinity")


def _hub(module, name: str, why: str, device: Any, placement: Placement) -> Model:
    from ..backends.hub import HubModel

    lies = weights_location(module, placement)
    hooked = hasattr(module, "hf_device_map")  # its hooks take ids from any device, and logits back
    return HubModel(module, display_name(name), name, lies or why, device if hooked else None, lies)


def _with_identity(model: Model, shards: list[Path]) -> Model:
    """The model, which says how far it reaches and what it was read from."""
    model.info = replace(model.info, context=model.context, weights=identity(shards))
    return model


def load_weights(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Every tensor of a folder, as stored: what heads are made of. Raises ModelError."""
    if is_gguf(folder):
        kind = other_kind(folder) or "it is a GGUF file, which holds a model and no heads"
        raise ModelError(f"{name} cannot be read: {kind}")
    return read_weights(_shards(folder, name), name)


def weight_files(folder: Path, name: str) -> tuple[WeightFile, ...]:
    """Which files these come from. Raises ModelError."""
    return identity(_shards(folder, name))


def load_config(folder: Path, name: str, whole: bool = False):
    """What a checkpoint says of its model: our own reading where it says all that our pass asks, else, or as a `whole`, that of
    transformers. Raises ModelError."""
    try:
        fields = open_gguf(folder).config() if is_gguf(folder) else config_fields(folder)
        if not whole and (config := own_config(fields)):
            return config
        from transformers import AutoConfig

        if is_gguf(folder):
            return AutoConfig.for_model(**fields)
        kind = str(fields.get("model_type"))
        if kind in ALIKE or SPECULATORS in fields:
            fields = {key: value for key, value in fields.items() if key not in ("model_type", "auto_map", "architectures")}
            return AutoConfig.for_model(ALIKE.get(kind, kind), **fields)
        return AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except ModelError:
        raise
    except Exception as error:  # whatever a value of the wrong kind makes a library raise
        raise ModelError(f"{name} has no config that can be read: {one_line(error)}") from None


def config_fields(folder: Path) -> dict[str, Any]:
    """What config.json says; of a head in the format of the library speculators, as EAGLE-3 heads say it: that of its layer beside its own.
    Raises ModelError for a kind of head that is not read, and what a broken file raises."""
    fields = json.loads((folder / "config.json").read_text("utf-8"))
    if (kind := fields.get(SPECULATORS)) is None:
        return fields
    if kind not in READ_SPECULATORS:
        read = " and ".join(READ_SPECULATORS)
        raise ModelError(f"{folder.name} is a head in the speculators format of the kind {str(kind)[:40]}; {read} are read")
    layer = fields.pop("transformer_layer_config")
    mask = {"ptd_token_id": fields.pop("mask_token_id")} if "mask_token_id" in fields else {}
    return {**layer, **{key: value for key, value in fields.items() if key != "architectures"}, **mask}


def _shards(folder: Path, name: str) -> list[Path]:
    """The weight files that transformers would read, and no other that lies beside them."""
    whole, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    try:
        names = ["model.safetensors"] if whole.is_file() else json.loads(index.read_text("utf-8"))["weight_map"].values()
        return [folder / Path(shard).name for shard in sorted(set(names))]
    except FileNotFoundError:
        raise ModelError(f"{name} has no .safetensors weights (other formats can execute code and are not read)") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{name}: {index.name} cannot be read: {one_line(error)}") from None
