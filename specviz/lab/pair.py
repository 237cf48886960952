"""What a pair of models promises on a card before anybody runs it, as an interval: c, v, the best K, the speedup, by stated assumptions.

    promise(target, draft, card, Assumed(engine="compiled"), chances=([0.65], [0.7], [0.75]))

The same arithmetic as load.py, at both ends of what is assumed: the share of the published peaks that is reached, and what a layer's
launch takes. `checks` works out measurements that were published, and says how far off it is. The page: assets/lab/pair/arithmetic.js
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from ..config import ConfigError
from .load import Card, Devices, Hardware, Passes, Size, Work, best, by_formula, pass_ms, served

MIDDLE = 1


@dataclass(frozen=True, slots=True)
class Assumed:
    """`reach`: the share of the published peaks; `launch`: µs a layer, each as (low, high); `width`: bytes of a weight."""

    reach: tuple[float, float]
    launch: tuple[float, float]
    width: float = 2.0
    draft_width: float = 2.0


@dataclass(frozen=True, slots=True)
class Promise:
    """ms of one pass, c, v at the best K, that K and its speedup in the middle of what is assumed; `low` to `high`: the speedup at its
    ends, at the same K. `limit`: what one pass of the target waits for."""

    target_ms: float
    draft_ms: float
    c: float
    v: float
    K: int
    speedup: float
    low: float
    high: float
    limit: str


@dataclass(frozen=True, slots=True)
class Check:
    """A published measurement beside what is worked out, from `low` to `high`. `what`: `ms` of a token alone, a `speedup`, or, where α was
    not told, the `alpha` that the published speedup takes, which no measurement stands beside. `off`: middle ÷ published − 1."""

    name: str
    source: str
    what: str
    published: float | None
    middle: float
    low: float
    high: float
    off: float | None


def middle_of(low_high: Sequence[float]) -> float:
    return (low_high[0] + low_high[1]) / 2


def passes_at(
    target: Size, draft: Size, card: Card, devices: int, assumed: Assumed, work: Work, reach: float, launch: float
) -> Passes:
    where = Devices(card, devices, reach, launch)
    return by_formula(target, draft, where, work, assumed.width, assumed.draft_width)


def promise(
    target: Size,
    draft: Size,
    card: Card,
    assumed: Assumed,
    chances: tuple[Sequence[float], Sequence[float], Sequence[float]],
    devices: int = 1,
    work: Work = Work(),  # noqa: B008, frozen
) -> Promise:
    """`chances`: to keep a token by position, low, middle and high; one value is α."""
    if any(not each or not all(0 <= a <= 1 for a in each) for each in chances):
        raise ConfigError("alpha", chances[MIDDLE], "one or more numbers from 0 to 1")

    def passes(reach: float, launch: float) -> Passes:
        return passes_at(target, draft, card, devices, assumed, work, reach, launch)

    middle = passes(middle_of(assumed.reach), middle_of(assumed.launch))
    found = best(middle, chances[MIDDLE], work.texts)
    ends = [
        served(passes(reach, launch), kept, found.K, work.texts).speedup
        for reach, launch, kept in product(assumed.reach, assumed.launch, (chances[0], chances[-1]))
    ]
    where = Devices(card, devices, middle_of(assumed.reach), middle_of(assumed.launch))
    one = pass_ms(target, assumed.width, where, work)
    return Promise(
        target_ms=middle.target[0],
        draft_ms=middle.draft,
        c=middle.draft / middle.target[0],
        v=middle.target[found.K] / middle.target[0],
        K=found.K,
        speedup=found.speedup,
        low=min(found.speedup, *ends),
        high=max(found.speedup, *ends),
        limit=("read", "compute", "launch")[max(range(3), key=one.__getitem__)],
    )


def checks(hardware: Hardware) -> list[Check]:
    """Every published measurement of the table."""
    return [check(hardware, said) for said in hardware.said["published"]]


def check(hardware: Hardware, said: dict) -> Check:
    launch = next(each["launch"] for each in hardware.said["engines"] if each["key"] == said["engine"])
    assumed = Assumed(tuple(hardware.said["reach"]), tuple(launch), said["bytes"], said["bytes"])
    target, card = hardware.model(said["target"]), hardware.card(said["card"])
    draft = hardware.model(said.get("draft", said["target"]))

    def at(reach: float, launch: float) -> Passes:
        return passes_at(target, draft, card, said["devices"], assumed, Work(1, 0), reach, launch)

    ends = [at(*end) for end in product(assumed.reach, assumed.launch)]
    middle = at(middle_of(assumed.reach), middle_of(assumed.launch))
    name, source = said["name"], said["source"]
    if "ms" in said:
        return _check(name, source, "ms", said["ms"], middle.target[0], (end.target[0] for end in ends))
    lengths = said["K"]
    K = (lengths[0] + lengths[1]) // 2
    if "tokens" in said:
        some = [said["tokens"] / cost(end, k) for end in ends for k in lengths]
        return _check(name, source, "speedup", said["speedup"], said["tokens"] / cost(middle, K), some)
    some = [alpha_for(said["speedup"] * cost(end, k), k) for end in ends for k in lengths]
    return _check(name, source, "alpha", None, alpha_for(said["speedup"] * cost(middle, K), K), some)


def cost(passes: Passes, K: int) -> float:
    """Of a round, in passes of the target over one token: K·c + v."""
    return (K * passes.draft + passes.target[K]) / passes.target[0]


def alpha_for(tokens: float, K: int) -> float:
    """The α whose rounds of K drafts give so many tokens; 1 where none does."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(middle**i for i in range(K + 1)) < tokens else (low, middle)
    return (low + high) / 2


def _check(name: str, source: str, what: str, published: float | None, middle: float, ends: Iterable[float]) -> Check:
    some = [middle, *ends]
    return Check(name, source, what, published, middle, min(some), max(some), middle / published - 1 if published else None)
