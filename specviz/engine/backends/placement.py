"""A target that one device does not hold: laid over several by accelerate's device map, or shared by processes (ranks.py).

Only transformers' own modules can be spread; our forward passes are of one device. Which way is for what: docs/deploy.md.
"""

from collections import Counter
from importlib.util import find_spec
from math import gcd
from typing import Any

from ...config import ConfigError
from .base import ModelError

MAPS = ("auto", "balanced", "balanced_low_0", "sequential")  # ways in which accelerate chooses what lies where
Placement = Any  # one of MAPS, or which module lies where; Ranks; empty: all of it on one device


def is_shared(placement: Placement) -> bool:
    """Whether processes share it (ranks.Ranks)."""
    return hasattr(placement, "collective")


def parse_device_map(name: str) -> str:
    """A device map as somebody asked for it; empty for none. Raises ConfigError, and ModelError where nothing is there to make it."""
    if name and name not in MAPS:
        raise ConfigError("device_map", name, f"one of {', '.join(MAPS)}")
    if name:
        _check_installed()
    return name


def _check_installed() -> None:
    """transformers asks accelerate for both ways."""
    if find_spec("accelerate") is None:
        raise ModelError("a model is spread over devices by accelerate, which is not installed: pip install accelerate")


def check_placement(placement: Placement, config, name: str, bundled: bool) -> None:
    """Refuse what cannot be spread so, before anything is loaded. Raises ModelError."""
    if bundled:
        raise ModelError(f"{name} is bundled and small: a device map or several processes are for a folder or a hub id")
    _check_installed()
    if is_shared(placement):
        _check_shared(config.get_text_config(), name, placement.size)


def _check_shared(config, name: str, processes: int) -> None:
    if not getattr(config, "base_model_tp_plan", None):
        raise ModelError(
            f"{name}: transformers has no plan to share a {config.model_type}; --device-map auto spreads it all the same"
        )
    heads = config.num_attention_heads
    pairs = getattr(config, "num_key_value_heads", None) or heads
    if (both := gcd(heads, pairs)) % processes:
        can = ", ".join(str(n) for n in range(1, both + 1) if both % n == 0)
        shape = f"{heads} heads" if pairs == heads else f"{heads} heads over {pairs} of keys and values"
        raise ModelError(f"{name} has {shape}, which {processes} processes cannot share evenly: {can} can")


def loading_arguments(placement: Placement) -> dict:
    if is_shared(placement):
        from transformers.distributed import DistributedConfig

        return {"distributed_config": DistributedConfig(tp_size=placement.size, tp_plan="auto")}
    return {"device_map": placement} if placement else {}


def weights_location(model, placement: Placement) -> str:
    """Where the weights of a transformers model lie, in a few words; empty if it is not spread."""
    if is_shared(placement):
        return f"layers shared by {placement.size} processes"
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
