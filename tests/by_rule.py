"""The readable form of each rule, asked about tensors: drafted [K] ids, q [K, V], p [K + 1, V], u K floats."""

from typing import NamedTuple

import torch

from specviz.rules import BlockInputs, Rule, greedy
from specviz.rules.block import BlockVerification
from specviz.rules.match import Match
from specviz.rules.rejection import Rejection, Threshold
from specviz.rules.typical import Typical


class Verdict(NamedTuple):
    """`token`: the round's last token where it is known; else it is drawn from `next_distribution`."""

    accepted: int
    rejected: bool
    next_distribution: torch.Tensor | None
    token: int | None
    p_x: list[float]
    q_x: list[float]
    joint: list[float] | None = None
    chance: list[float] | None = None
    mass: float | None = None


def verify(rule: Rule, drafted, q, p, u) -> Verdict:
    p_x, q_x = ([] if row is None else row[: len(drafted)].gather(1, drafted[:, None])[:, 0].tolist() for row in (p, q))
    accepted, then, joint, chance, mass = rule.verify(BlockInputs(drafted.tolist(), p_x, q_x, p, q, u))
    token = u[accepted] if rule.draws_each else None
    return Verdict(accepted, accepted < len(drafted), then, token, p_x, q_x, joint, chance, mass)


def verify_rejection(drafted, q, p, u, theta: float = 1.0) -> Verdict:
    return verify(Rejection() if theta == 1 else Threshold(theta), drafted, q, p, u)


def verify_match(drafted, q, p, y) -> Verdict:
    return verify(Match(), drafted, q, p, y)


def verify_block(drafted, q, p, u) -> Verdict:
    return verify(BlockVerification(), drafted, q, p, u)


def verify_typical(drafted, q, p, epsilon, delta) -> Verdict:
    return verify(Typical(epsilon, delta), drafted, q, p, [])


def verify_greedy(drafted: list[int], y: list[int]) -> Verdict:
    accepted, p_x = greedy.verify(drafted, y)
    return Verdict(accepted, accepted < len(drafted), None, y[accepted], p_x, [1.0] * len(drafted))
