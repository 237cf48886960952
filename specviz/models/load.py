"""A name → a model: a bundled one, a local folder as `save_pretrained` writes it, or a hub id.

Weights come as safetensors only and `trust_remote_code` is never set, so nothing that is loaded can run.
"""

import re
from pathlib import Path

import torch

from .base import Model, ModelError
from .llama import Llama, unfit

BUNDLED = Path(__file__).resolve().parents[2] / "assets" / "models"
HUB_ID = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")


def bundled() -> list[str]:
    """Names of the models that ship with the project."""
    return sorted(path.parent.name for path in BUNDLED.glob("*/config.json"))


def find(name: str) -> Path:
    """The folder that holds model `name`; downloads it if it is a hub id. Raises ModelError that says what was looked for."""
    if name in bundled():
        return BUNDLED / name
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelError(f"the folder {name} holds no config.json: it is not a model as save_pretrained writes it")
        return folder
    if not HUB_ID.fullmatch(name):
        raise ModelError(
            f"no model {name!r}: give a bundled name ({', '.join(bundled())}), a folder, or a hub id like owner/name"
        )
    return _download(name)


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=["*.safetensors", "*.json", "*.model", "*.txt"]))
    except Exception as error:  # no network, no such model, no access: many types, one thing to say
        reason = str(error).strip().splitlines()[0][:160] if str(error).strip() else type(error).__name__
        raise ModelError(f"{name} could not be fetched from the hub ({type(error).__name__}: {reason})") from None


def load_model(name: str, device: str | torch.device = "cpu", dtype: torch.dtype | None = None) -> Model:
    """The model `name` on `device`, by our own forward pass if it is exact for it, else by transformers.

    `dtype` defaults to float32 on a CPU, where half precision is slower, and to the checkpoint's own on a GPU."""
    return load_folder(find(name), name, device, dtype)


def load_folder(folder: Path, name: str, device="cpu", dtype: torch.dtype | None = None) -> Model:
    config = load_config(folder, name)
    if dtype is None:
        dtype = torch.float32 if torch.device(device).type == "cpu" else getattr(config, "dtype", None) or torch.bfloat16
    shards = sorted(folder.glob("*.safetensors"))
    if not shards:
        raise ModelError(f"{name} has no .safetensors weights (other formats can execute code and are not read)")
    if unfit(config) is None:
        try:
            return Llama(config, _weights(shards, name), name, device, dtype)
        except ModelError:
            pass  # a checkpoint with more or other weights than its config says: transformers knows what to do with them
    from transformers import AutoModelForCausalLM

    from .hub import HubModel

    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, use_safetensors=True, trust_remote_code=False)
    except (ValueError, KeyError, OSError, ImportError, RuntimeError) as error:
        raise ModelError(f"{name} cannot be loaded: {str(error).strip().splitlines()[0][:200]}") from error
    return HubModel(model.to(device), name)


def load_config(folder: Path, name: str):
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (ValueError, KeyError, OSError) as error:
        raise ModelError(f"{name} has no config that can be read: {str(error).strip().splitlines()[0][:200]}") from None


def _weights(shards, name) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    weights: dict[str, torch.Tensor] = {}
    for shard in shards:
        try:
            weights |= load_file(shard)
        except (SafetensorError, OSError) as error:
            raise ModelError(f"{name}: {shard.name} cannot be read: {error}") from None
    return weights
