"""Runs as `measure` gives them, of times and counts that a test chooses."""

import math
import random

from specviz.acceptance import expected_tokens
from specviz.config import DecodeConfig
from specviz.lab.measure import Run, RunPair


def fake_run(decode: float, rounds: int = 10, tokens: int = 20, **more) -> Run:
    """`tokens` tokens in `decode` ms and `rounds` rounds."""
    counts = {"drafted": 0, "tested": 0, "accepted": 0, "forwards": 0, "draft": 0.0, "verify": decode, "betas": ()}
    ids = tuple(range(tokens))
    return Run(ids=ids, wall=decode, decode=decode, rounds=rounds, **(counts | {"blocks": 0, "first_accepted": 0} | more))


class ByTheFormula:
    """Pairs that keep to the formula, at 1 ms a step of the target: by drafter an α and a c, and `v` for each token of a check. Chance
    by seed and by the clock changes α and the time, both of these deviations."""

    def __init__(self, alphas: dict[str, float], costs: dict[str, float], v: float = 0.1, draw: float = 0.0, clock: float = 0.0):
        self.alphas, self.costs, self.v, self.draw, self.clock = alphas, costs, v, draw, clock
        self.ticks = random.Random(1)

    def __call__(self, drafter: str, config: DecodeConfig) -> RunPair:
        K, rounds = config.K, 100
        deviation = self.draw * random.Random(config.seed).gauss(0, 1) if config.temperature else 0.0
        alpha = min(1.0, max(0.0, self.alphas[drafter] + deviation))
        tokens = round(rounds * expected_tokens(alpha, K))
        slow = math.exp(self.clock * self.ticks.gauss(0, 1))
        draft, verify = rounds * K * self.costs[drafter] * slow, rounds * (1 + self.v * K) * slow
        counts = {"drafted": rounds * K, "betas": (alpha,), "lengths": (K,) * rounds, "depths": (K,) * rounds}
        return RunPair(
            fake_run(1.0 * tokens, rounds=tokens, tokens=tokens),
            fake_run(draft + verify, rounds, tokens, draft=draft, verify=verify, **counts),
        )
