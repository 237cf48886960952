"""Logits → the distribution that tokens are really drawn from → a token.

One list of filters serves target and draft, so p and q are always compared after the same temperature, top-k and top-p.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import torch
from transformers.generation.logits_process import LogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from ..config import DecodeConfig
from .compiled.compiler import unavailable_reason

Array = torch.Tensor | np.ndarray  # what is on a host may be an array: it costs less to make and to cut than a tensor

NO_FILTERS = 0, 1.0  # top-k and top-p that are off
AHEAD = 256  # uniforms that a host draws at once


@dataclass(frozen=True)
class Sampler:
    """Temperature, then top-k, then top-p: in the order of transformers' `generate`, by its processors. Temperature 0 is the limit: all
    mass is on the largest logit (the first of equals). Call with logits [n, V] for probabilities [n, V], float32."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    @classmethod
    def of(cls, config: DecodeConfig) -> "Sampler":
        return cls(config.temperature, config.top_k, config.top_p)

    def __call__(self, logits: torch.Tensor) -> torch.Tensor:
        if self.greedy:
            return torch.zeros_like(logits, dtype=torch.float32).scatter_(-1, logits.argmax(-1, keepdim=True), 1.0)
        rows, temperature = compiled_rows(logits), self.temperature
        if rows and self.filters == NO_FILTERS:
            return rows.softmax(logits, temperature)
        scores = logits.float() if temperature == 1.0 else _temperature(temperature)(None, logits.float())
        return rows.softmax(masked(scores, *self.filters), 1.0) if rows else filtered(scores, *self.filters)

    @property
    def greedy(self) -> bool:
        return self.temperature == 0

    @property
    def filters(self) -> tuple[int, float]:
        """Top-k and top-p: the part of it that a CUDA graph is recorded for; the temperature goes in as a number."""
        return NO_FILTERS if self.greedy else (self.top_k, self.top_p)

    def temperature_tensor(self, device: torch.device) -> torch.Tensor:
        """The temperature [1], float32, on the device: copied there once, since a run has one device."""
        if "_tensor" not in self.__dict__:
            self.__dict__["_tensor"] = torch.tensor([self.temperature]).to(device, non_blocking=True)
        return self.__dict__["_tensor"]


@dataclass(frozen=True)
class DraftSampler:
    """How a drafter's tokens are drawn: by `sampler` over the first `vocabulary` ids, the target's; by `argmax` the largest logit is taken
    and nothing is drawn.

    A block ends after a token to which the draft model gave less than `confidence`, before filters, or once the product over the block
    is less than `cumulative_confidence`; 0 is off."""

    sampler: Sampler
    vocabulary: int
    argmax: bool = False
    confidence: float = 0.0
    cumulative_confidence: float = 0.0

    @classmethod
    def of(cls, config: DecodeConfig, vocabulary: int) -> "DraftSampler":
        return cls(Sampler.of(config), vocabulary, config.drafting == "argmax", config.confidence, config.survival)

    @property
    def ends_early(self) -> bool:
        """Whether a block may end by what was drafted, so that the host has to look at each token."""
        return bool(self.confidence or self.cumulative_confidence)

    def pick(self) -> Callable:
        """pick(logits [1, V], u [1] or None, temperature [1]) → id [1] and q [1, V], which is None with no u. It holds nothing of the run: a
        CUDA graph that is recorded of it outlives runs."""
        vocabulary, argmax, filters = self.vocabulary, self.argmax, self.sampler.filters

        def pick(logits, u, temperature):
            logits = fit(logits, vocabulary)
            if u is None:
                return logits.argmax(-1), None
            q = filtered(logits.float() / temperature, *filters)
            return (logits.argmax(-1) if argmax else draw(q, u)), q

        return pick

    @property
    def key(self) -> tuple:
        """What of it a graph is recorded for."""
        return self.vocabulary, self.argmax, self.sampler.filters

    def random_inputs(self, u: Array | None) -> tuple[torch.Tensor, ...]:
        """What goes into a graph that draws: u [k] and the temperature [1]; nothing where nothing is drawn."""
        if u is None:
            return ()
        u = torch.as_tensor(u)
        return u, self.sampler.temperature_tensor(u.device)


def fit(logits: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """Cut or pad logits [n, V] to the target's vocabulary: ids past either end are padding that no tokenizer writes.

    It happens before q is formed, so q is still what tokens are drawn from."""
    missing = vocabulary - logits.shape[-1]
    if missing == 0:
        return logits
    if missing > 0:
        return torch.nn.functional.pad(logits, (0, missing), value=float("-inf"))
    return logits[:, :vocabulary]


def filtered(scores: torch.Tensor, top_k: int, top_p: float) -> torch.Tensor:
    """Scores [n, V], divided by the temperature → probabilities [n, V]."""
    return masked(scores, top_k, top_p).softmax(-1)


def masked(scores: torch.Tensor, top_k: int, top_p: float) -> torch.Tensor:
    """Scores [n, V], −inf where a filter leaves nothing."""
    if top_k:
        scores = _top_k(top_k)(None, scores)
    if top_p < 1.0:
        # a GPU sorts the rows of a block together, and by two sorts of all of it: one row after the other is less work
        keep = _top_p(top_p)
        apart = scores.device.type == "cuda" and len(scores) > 1
        scores = torch.cat([keep(None, row) for row in scores.split(1)]) if apart else keep(None, scores)
    return scores


# made once for a setting: each checks its own
_temperature: Callable[[float], LogitsProcessor] = lru_cache(64)(TemperatureLogitsWarper)
_top_k: Callable[[int], LogitsProcessor] = lru_cache(64)(TopKLogitsWarper)
_top_p: Callable[[float], LogitsProcessor] = lru_cache(64)(TopPLogitsWarper)


def draw(p: torch.Tensor, u: Array) -> torch.Tensor:
    """Draw by inverse transform: the first token whose cumulative probability exceeds u.

    p [n, V] probabilities (rows need not sum to exactly 1), u [n] uniforms in [0, 1) → ids [n]. A token with p = 0 is
    never drawn, whatever u is: sums run in float64, and there u·total < total for every u up to 1 − 2⁻⁵³, the largest."""
    if rows := compiled_rows(p):
        return rows.draw(p, u)
    cumulative = p.cumsum(-1, dtype=torch.float64)
    ids = torch.searchsorted(cumulative, torch.as_tensor(u).double()[..., None] * cumulative[..., -1:], right=True)[..., 0]
    return possible(p, ids) if p.is_cuda else ids


def possible(p: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """ids [n], the most probable token of its row of p [n, V] in place of one that has p = 0.

    A CPU sums from left to right, so the sum stands still where p is 0. A GPU sums in parallel and joins the parts: there the
    last bit of two neighbouring sums may differ, in either direction, where p is 0. Of 2⁵³ uniforms a few fall between."""
    return ids.where(p.gather(-1, ids[..., None])[..., 0] > 0, p.argmax(-1))


def compiled_rows(x):
    """The module whose functions work on rows x [n, V] in one compiled call each (compiled/rows.py), which makes arrays; None where that cannot
    be used."""
    fits = not isinstance(x, torch.Tensor) or (x.device.type == "cpu" and x.dtype == torch.float32 and x.ndim == 2)
    return _rows() if fits else None


@cache
def _rows():
    if unavailable_reason():
        return None
    from .compiled import rows

    return None if rows.self_test() else rows


class Uniforms:
    """The one source of chance in a run: uniforms in [0, 1) from a seeded generator on `device`."""

    def __init__(self, seed: int, device: torch.device | str = "cpu"):
        self.generator = torch.Generator(device).manual_seed(seed)
        self.device, self.on_host = device, torch.device(device).type == "cpu"
        self.ahead = np.empty(0)  # drawn and not yet used

    def __call__(self, n: int) -> Array:
        """n uniforms, float64 [n]. On a host they are drawn ahead, many at once: there a generator gives the same numbers as one by one."""
        if not self.on_host:
            return torch.rand(n, generator=self.generator, dtype=torch.float64, device=self.device)
        if len(self.ahead) < n:
            more = np.empty(n + AHEAD)
            torch.rand(len(more), generator=self.generator, out=torch.from_numpy(more))
            self.ahead = np.concatenate([self.ahead, more])
        u, self.ahead = self.ahead[:n], self.ahead[n:]
        return u
