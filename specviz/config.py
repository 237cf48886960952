"""Every setting of a run, its default and its bound, in one place.

    DecodeConfig(K=4, temperature=0.8).K

A value out of bounds raises one `ConfigError` that names the field, the value and the bound. Past this
point the engine trusts its settings.
"""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, get_args

_HERE = Path(__file__).resolve().parent
# models, recorded runs, and what the page is sent: in the package where it was installed, beside it in a checkout
ASSETS = _HERE / "assets" if (_HERE / "assets").is_dir() else _HERE.parent / "assets"

Drafting = Literal["sample", "argmax"]
Verifier = Literal["rejection", "match", "block", "typical", "threshold"]
EXACT: tuple[Verifier, ...] = ("rejection", "match", "block")
"""What these keep is distributed as the target alone writes it. The others keep more, and write another law."""


class ConfigError(ValueError):
    """A setting is out of bounds. `field`, `value` and `bound` say which, what and what is allowed."""

    def __init__(self, field: str, value: object, bound: str):
        self.field, self.value, self.bound = field, value, bound
        shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "…"
        super().__init__(f"{field} is {shown}; it must be {bound}")


def _whole(default: int, low: int, high: int, note: str = ""):
    return field(default=default, metadata={"kind": int, "low": low, "high": high, "note": note})


def _real(default: float, low: float, high: float, note: str = "", or_zero: bool = False):
    meta = {"kind": float, "low": low, "high": high, "note": note, "or_zero": or_zero}
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """How to decode. Frozen; building one checks it.

    `K`               tokens drafted in a round (γ in Leviathan et al. 2022); 0 is vanilla decoding
    `temperature`     0 is greedy: p and q are one-hot and no uniform is drawn
    `top_k`, `top_p`  sampling filters, applied to target and draft alike; 0 and 1.0 switch them off
    `max_new_tokens`  tokens to emit at most
    `stop`            strings that end the run; the token that completes one is the last token kept
    `seed`            of the one random generator of the run
    `ignore_eos`      treat end-of-sequence as any token (for benchmarks of equal length)
    `verifier`        `rejection`: accept x iff u < p(x)/q(x), Leviathan et al. 2022 §2.3, Chen et al. 2023 alg. 2;
                      `match`: draw y from p and accept iff y = x, exact too and less accepting (Σ p·q instead of Σ min(p, q));
                      `block`: by joint ratios of the block's beginnings, exact too and never less accepting, Sun et al. 2024 alg. 2;
                      not exact: `typical`, accept x iff p(x) > min(ε, δ·e^−H(p)), Cai et al. 2024 (Medusa) §2.3.1;
                      `threshold`, accept x iff u < p(x)/q(x)/θ, as servers do whose accept threshold is below 1
    `confidence`      a draft block ends after a token that its drafter gave less than this; 0 switches it off
    `adaptive`        each round drafts as many tokens, 0 to K, as promise the largest speedup by what the run has measured so
                      far (α, c, v); what it measures are times, so then the seed alone does not give the same tokens
    `drafting`        `sample`: x is drawn from the draft's softmax, which is q; `argmax`: x is its largest, so q is one-hot
    `survival`        a draft block ends once the chance that all of it is kept, as its drafter sees it (the product of what it gave
                      each token), is less than this; 0 switches it off
    `epsilon`, `delta`, `theta`   ε and δ of `typical`, of Medusa's code; θ of `threshold`, which at 1 is `rejection`
    """

    K: int = _whole(3, 0, 32)
    temperature: float = _real(1.0, 0.05, 5.0, "0 for greedy", or_zero=True)
    top_k: int = _whole(0, 0, 1_000_000, "0 for off")
    top_p: float = _real(1.0, 0.01, 1.0)
    max_new_tokens: int = _whole(128, 1, 4096)
    stop: tuple[str, ...] = ()
    seed: int = _whole(0, 0, 2**32 - 1)
    ignore_eos: bool = False
    verifier: Verifier = "rejection"
    confidence: float = _real(0.0, 0.0, 1.0, "0 for off")
    adaptive: bool = False
    drafting: Drafting = "sample"
    epsilon: float = _real(0.09, 0.0, 1.0)
    delta: float = _real(0.3, 0.0, 1.0)
    theta: float = _real(0.5, 0.05, 1.0)
    survival: float = _real(0.0, 0.0, 1.0, "0 for off")

    def __post_init__(self):
        for f in fields(self):
            if "kind" in f.metadata:
                object.__setattr__(self, f.name, _number(f.name, getattr(self, f.name), **f.metadata))
        for name in ("ignore_eos", "adaptive"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(name, getattr(self, name), "true or false")
        for name, kind in ("verifier", Verifier), ("drafting", Drafting):
            if getattr(self, name) not in (names := get_args(kind)):
                *most, last = map(repr, names)
                raise ConfigError(name, getattr(self, name), f"{', '.join(most)} or {last}")
        stop = self.stop
        if not isinstance(stop, tuple | list) or len(stop) > 8 or not all(isinstance(s, str) and 0 < len(s) <= 200 for s in stop):
            raise ConfigError("stop", stop, "at most 8 strings of 1 to 200 characters")
        object.__setattr__(self, "stop", tuple(stop))

    @property
    def greedy(self) -> bool:
        return self.temperature == 0

    @property
    def exact(self) -> bool:
        """Whether the law of what is written is the target's. At temperature 0 every rule keeps what the target would write, and at
        K = 0 nothing is verified."""
        return self.greedy or self.K == 0 or self.verifier in EXACT or (self.verifier == "threshold" and self.theta == 1)


def _number(name, value, kind, low, high, note, or_zero=False):
    bound = f"{'a whole number' if kind is int else 'a number'} from {low} to {high}" + (f" ({note})" if note else "")
    right_type = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    if not right_type or not (low <= value <= high or (or_zero and value == 0)):
        raise ConfigError(name, value, bound)
    return kind(value)


def bounds(name: str) -> tuple[float, float]:
    """The smallest and the largest value allowed for the numeric setting `name`: what a slider needs."""
    meta = next(f.metadata for f in fields(DecodeConfig) if f.name == name)
    return meta["low"], meta["high"]
