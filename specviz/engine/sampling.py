"""Logits → the distribution that tokens are really drawn from → a token.

One list of filters serves target and draft, so p and q are always compared after the same temperature, top-k and top-p.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import torch
from transformers.generation.logits_process import LogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from ..config import DecodeConfig
from .models.llama import compiles

Distribution = Callable[[torch.Tensor], torch.Tensor]
PLAIN = 0, 1.0  # the filters of a law that has none


def distribution(config: DecodeConfig) -> Distribution:
    """Return the function logits [n, V] → probabilities [n, V] (float32) that `config` asks for.

    Temperature 0 is the limit: all mass on the largest logit (the first of equals)."""
    return _one_hot if config.greedy else Law(config.temperature, config.top_k, config.top_p)


@dataclass(frozen=True)
class Law:
    """Temperature, then top-k, then top-p: in the order of transformers' `generate`, by its processors."""

    temperature: float
    top_k: int
    top_p: float

    def __call__(self, logits: torch.Tensor) -> torch.Tensor:
        if self.filters == PLAIN and (here := on_host(logits)):
            return here.softmax(logits, self.temperature)
        scores = logits.float()
        return filtered(scores if self.temperature == 1.0 else _warm(self.temperature)(None, scores), *self.filters)

    @property
    def filters(self) -> tuple[int, float]:
        """What of it a recording is found by (models/graphs.py); its temperature goes into that as a number."""
        return self.top_k, self.top_p

    def degrees(self, device: torch.device) -> torch.Tensor:
        """The temperature [1], float32, where it goes into a recording: taken there once a run, which has one device."""
        if "there" not in self.__dict__:
            self.__dict__["there"] = torch.tensor([self.temperature]).to(device, non_blocking=True)
        return self.__dict__["there"]


def filtered(scores: torch.Tensor, top_k: int, top_p: float) -> torch.Tensor:
    """Scores [n, V], divided by the temperature → probabilities [n, V]."""
    if top_k:
        scores = _largest(top_k)(None, scores)
    if top_p < 1.0:
        # a GPU sorts the rows of a block together, and by two sorts of all of it: one row after the other is less work
        keep = _likeliest(top_p)
        apart = scores.device.type == "cuda" and len(scores) > 1
        scores = torch.cat([keep(None, row) for row in scores.split(1)]) if apart else keep(None, scores)
    return scores.softmax(-1)


# made once for a setting: each checks its own
_warm: Callable[[float], LogitsProcessor] = lru_cache(64)(TemperatureLogitsWarper)
_largest: Callable[[int], LogitsProcessor] = lru_cache(64)(TopKLogitsWarper)
_likeliest: Callable[[float], LogitsProcessor] = lru_cache(64)(TopPLogitsWarper)


def _one_hot(logits: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(logits, dtype=torch.float32).scatter_(-1, logits.argmax(-1, keepdim=True), 1.0)


def draw(p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """Draw by inverse transform: the first token whose cumulative probability exceeds u.

    p [n, V] probabilities (rows need not sum to exactly 1), u [n] uniforms in [0, 1) → ids [n]. A token with p = 0 is
    never drawn, whatever u is: sums run in float64, and there u·total < total for every u up to 1 − 2⁻⁵³, the largest."""
    if here := on_host(p):
        return here.draw(p, u)
    cumulative = p.cumsum(-1, dtype=torch.float64)
    ids = torch.searchsorted(cumulative, u.double()[..., None] * cumulative[..., -1:], right=True)[..., 0]
    return possible(p, ids) if p.is_cuda else ids


def on_host(x: torch.Tensor):
    """What works on rows x [n, V] in one compiled call each; None where that is not to be had."""
    return _rows() if x.device.type == "cpu" and x.dtype == torch.float32 and x.ndim == 2 else None


@cache
def _rows():
    if not compiles():
        return None
    from .models.cpu import rows

    return rows


def possible(p: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """ids [n], the most probable token of its row of p [n, V] in place of one that has p = 0.

    A CPU sums from left to right, so the sum stands still where p is 0. A GPU sums in parallel and joins the parts: there the
    last bit of two neighbouring sums may differ, in either direction, where p is 0. Of 2⁵³ uniforms a few fall between."""
    return ids.where(p.gather(-1, ids[..., None])[..., 0] > 0, p.argmax(-1))


class Uniforms:
    """The one source of chance in a run: uniforms in [0, 1) from a seeded generator on `device`, counted."""

    def __init__(self, seed: int, device: torch.device | str = "cpu"):
        self.generator = torch.Generator(device).manual_seed(seed)
        self.device = device

    def __call__(self, n: int) -> torch.Tensor:
        """n uniforms, float64 [n]."""
        return torch.rand(n, generator=self.generator, dtype=torch.float64, device=self.device)
