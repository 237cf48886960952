"""A target that one device does not hold, laid over several by accelerate's device map (docs/deploy.md).

Only transformers' own modules can be spread; our forward passes are of one device.
"""

from collections import Counter
from importlib.util import find_spec
from typing import Any

from ...config import ConfigError
from .base import ModelError

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
