"""What transformers' caches keep of a text, layer by layer, and how they are put back to an earlier length.

layer       keeps                                   put back by
full        keys and values of every position       a cut
window      those of the last positions             a cut, as far as they reach; else the text is fed again
state       numbers that every token changes        a copy from before the block, and its kept tokens fed again
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch
from transformers import DynamicCache, cache_utils

from .layers import rope_parameters
from .tree import MAX_ROWS

WINDOW = cache_utils.DynamicSlidingWindowLayer
NAMES = "DynamicLayer", "DynamicIndexedLayer", "DummyLayer"  # transformers 5.17 has no DummyLayer yet
CUTTABLE = {WINDOW, *(getattr(cache_utils, name) for name in NAMES if hasattr(cache_utils, name))}
MASKED_KINDS = ("full_attention", "sliding_attention", "chunked_attention")
RECOMPUTES = ("phi3", "phimoe", "phi4_multimodal")  # whose generate() feeds a text again where it outgrows the short factors


@dataclass(slots=True)
class Replay:
    """What it has cost so far that a cache cannot be cut: `positions` that were fed again, `seconds` for that and for copies."""

    positions: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LayerKinds:
    """Of a model's layers: `own_cache`, the class of its cache where it takes no other (MiniMax); `windows`, of each kind of attention the window, None where it
    has none; `chunked`, whether a window begins anew at its multiples (Llama 4); `state_layers`, how many keep a state that cannot be cut."""

    config: Any
    own_cache: Any
    windows: dict[str, int | None]
    chunked: bool
    state_layers: int

    @classmethod
    def of(cls, model) -> "LayerKinds":
        config, layers = model.config.get_text_config(), DynamicCache(config=model.config).layers
        names = getattr(config, "layer_types", None) or ["full_attention"] * len(layers)
        members = vars(import_module(type(model).__module__)).values()
        own_cache = [
            kind for kind in members if isinstance(kind, type) and issubclass(kind, DynamicCache) and kind is not DynamicCache
        ]
        windows = [getattr(layer, "sliding_window", None) for layer in layers]
        cuttable = (
            type(layer) in CUTTABLE and not (own_cache and name == "linear_attention")
            for layer, name in zip(layers, names, strict=False)
        )
        return cls(
            config,
            own_cache[0] if own_cache else None,
            # a layer that reads another's keys keeps none, and has no window here
            {
                n: max((w for m, w in zip(names, windows, strict=False) if m == n and w), default=None)
                for n in names
                if n in MASKED_KINDS
            },
            "chunked_attention" in names,
            sum(not cut for cut in cuttable),
        )

    @property
    def window(self) -> int | None:
        """The smallest, None where every layer keeps all positions."""
        return min((reach for reach in self.windows.values() if reach), default=None)

    @property
    def held_positions(self) -> int | None:
        """Positions that each layer keeps at least, where some let go of any: also a tree's last row finds its window whole."""
        return None if self.state_layers or not self.window else self.window + MAX_ROWS - 1

    def cache(self) -> DynamicCache:
        """An empty one. Its windows keep what they have let go of until they are cut, so that a block can be taken back."""
        if self.own_cache:
            return self.own_cache()
        cache = DynamicCache(config=self.config)
        for layer in cache.layers if not self.state_layers else ():
            if isinstance(layer, WINDOW):
                layer.sliding_window += MAX_ROWS  # the mask is of the model's own window
                layer.activate_past_recording()
        return cache


def longrope_switch(config) -> int | None:
    """The longest text whose positions are rotated by the short factors; one that is longer has all its positions rotated by others."""
    rope = rope_parameters(config)
    for parameters in (rope, *(value for value in rope.values() if isinstance(value, dict))):
        if parameters.get("rope_type") == "longrope":
            at = parameters.get("original_max_position_embeddings") or getattr(config, "original_max_position_embeddings", None)
            return at if at and at < config.max_position_embeddings else None
    return None


def is_filled(cache: DynamicCache) -> bool:
    values = [value for part in (cache, *cache.layers) for value in vars(part).values()]
    return any(
        isinstance(one, torch.Tensor) for value in values for one in (value.values() if isinstance(value, dict) else [value])
    )


def snapshot(cache: DynamicCache) -> tuple[dict, list[dict]]:
    """All that a cache holds. Keys and values are never changed in place, so those are no copies."""
    own_cache = {name: list(value) for name, value in vars(cache).items() if isinstance(value, list) and name != "layers"}
    return own_cache, [{name: _copy(name, value) for name, value in vars(layer).items()} for layer in cache.layers]


def restore(cache: DynamicCache, copy: tuple[dict, list[dict]]) -> None:
    own_cache, layers = copy
    vars(cache).update(own_cache)
    for layer, held_positions in zip(cache.layers, layers, strict=True):
        vars(layer).update(held_positions)


def _copy(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy("", part) for key, part in value.items()}
    return value.clone() if isinstance(value, torch.Tensor) and name not in ("keys", "values") else value
