"""What a server's load does to drafting: by passes that were measured, or by a card's published peaks, which is a formula and a bound.

    hardware = Hardware()
    where = Devices(hardware.card("h100"))
    passes = by_formula(hardware.model("llama-3.1-70b"), hardware.model("llama-3.1-8b"), where, texts=32, context=2048)

A pass takes the longest of three: reading weights and caches, arithmetic, and launching its layers. The page works by the same
formulas (assets/shared/serving.js); tests/assets/lab/served.json holds both together.
"""

import json
from dataclasses import dataclass

from ..config import ASSETS, ConfigError

FILE = ASSETS / "shared" / "hardware.json"
MAX_K = 15  # assets/costs times blocks of 16 at most
BYTES_PER_NUMBER = 2  # of a weight, and of a number in a cache: 16 bits


@dataclass(frozen=True, slots=True)
class Card:
    """Published peaks: `bandwidth` in 10⁹ bytes a second, `peak` in 10¹² operations a second (dense, 16 bits), `memory` in 10⁹ bytes."""

    key: str
    name: str
    bandwidth: float
    peak: float
    memory: float
    source: str


@dataclass(frozen=True, slots=True)
class ModelSize:
    """A model by its shape. `parameters` in 10⁹; of a mixture of experts `active` of them for one token, which takes `chosen` of
    `experts`."""

    key: str
    name: str
    parameters: float
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    active: float | None = None
    experts: int | None = None
    chosen: int | None = None

    @property
    def cache(self) -> int:
        """Bytes of keys and values of one position."""
        return 2 * self.layers * self.kv_heads * self.head_size * BYTES_PER_NUMBER

    def weights_read(self, tokens: int) -> float:
        """10⁹ parameters that a pass over so many tokens reads. Of experts those that any token takes, if each takes its own without
        regard to the others: a share of 1 − (1 − chosen/experts)^tokens."""
        if not (self.active and self.experts and self.chosen):
            return self.parameters
        share = self.chosen / self.experts
        in_experts = (self.parameters - self.active) / (1 - share)
        return self.parameters - in_experts * (1 - share) ** tokens

    @property
    def active_parameters(self) -> float:
        """10⁹ parameters that one token is multiplied with."""
        return self.active or self.parameters


@dataclass(frozen=True, slots=True)
class Devices:
    """`reach`: the share of the published peaks that is reached; `launch`: µs that a layer takes at least."""

    card: Card
    devices: int = 1
    reach: float = 1.0
    launch: float = 0.0


@dataclass(frozen=True, slots=True)
class Passes:
    """ms of a pass of the target over 1, 2, … tokens of each text, and of the draft over one."""

    target: tuple[float, ...]
    draft: float


class Hardware:
    """Cards and models by key, of the `file` that the page has too."""

    def __init__(self):
        self.file = json.loads(FILE.read_text("utf-8"))

    def card(self, key: str) -> Card:
        return Card(**self._entry("card", key))

    def model(self, key: str) -> ModelSize:
        return ModelSize(**self._entry("model", key))

    def _entry(self, what: str, key: str) -> dict:
        entries = {each["key"]: each for each in self.file[f"{what}s"]}
        if key not in entries:
            raise ConfigError(what, key, f"one of {', '.join(entries)}")
        return entries[key]


def pass_ms(size: ModelSize, where: Devices, texts: int, context: int, n: int = 1) -> tuple[float, float, float]:
    """ms of reading, of arithmetic and of launching of a pass over n tokens of each of `texts`, after `context` positions; the longest is
    the pass. What is read: the weights once, and every text's cache; what is computed: two operations a weight and token, and four a token,
    position, layer and number of a query."""
    tokens = texts * n
    bytes_read = size.weights_read(tokens) * 1e9 * BYTES_PER_NUMBER + texts * context * size.cache
    compute = tokens * (2e9 * size.active_parameters + 4 * context * size.layers * size.heads * size.head_size)
    at = where.devices * where.reach
    return (
        1e3 * bytes_read / (where.card.bandwidth * 1e9 * at),
        1e3 * compute / (where.card.peak * 1e12 * at),
        where.launch * size.layers / 1e3,
    )


def by_formula(target: ModelSize, draft: ModelSize, where: Devices, texts: int, context: int) -> Passes:
    blocks = tuple(max(pass_ms(target, where, texts, context, n)) for n in range(1, MAX_K + 2))
    return Passes(blocks, max(pass_ms(draft, where, texts, context)))


def measured_passes(file: dict, texts: int) -> Passes:
    """Of a file of assets/costs, at a number of texts that was measured."""
    target, draft = file["curves"][:2]
    if texts not in target["batches"]:
        raise ConfigError("texts", texts, f"one of {', '.join(map(str, target['batches']))}, which were measured")
    draft_ms = draft["ms"][draft["batches"].index(texts)][draft["blocks"].index(1)]
    return Passes(tuple(target["ms"][target["batches"].index(texts)]), draft_ms)
