"""specviz: speculative decoding, shown as it happens.

    prompt ─► models/ + draft/ ─► decode ─► events ─► trace ─► view ─► render/ ─► ui/
                                    │
              one round:   draft    K tokens x ~ q, one by one, by the drafter                       draft/
                           verify   one target pass over the block gives p at every position         models/
                           decide   u < p(x)/q(x) accepts; else the residual; all kept: a bonus      verify, acceptance
                           emit     1 to K + 1 tokens; both caches roll back to the text             decode

Left of `events` torch lives and gradio does not; right of it nobody touches a tensor. Vanilla decoding is K = 0.

    from specviz import DecodeConfig, load_pair, race
    *_, trace = race(load_pair("stories-7m", "stories-1m"), "Once upon a time", DecodeConfig(K=4))
"""

from typing import TYPE_CHECKING

from .config import ConfigError, DecodeConfig

if TYPE_CHECKING:
    from .decode import decode
    from .models.pair import load_pair
    from .race import race

__all__ = ["ConfigError", "DecodeConfig", "decode", "load_pair", "race"]
_LATER = {"decode": ".decode", "load_pair": ".models.pair", "race": ".race"}


def __getattr__(name: str):
    """`decode`, `load_pair` and `race` on first use: they bring torch, which drawing a saved trace does not need."""
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name], __name__), name)
    raise AttributeError(f"module 'specviz' has no attribute {name!r}")
