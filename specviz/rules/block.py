"""Block verification: the block is tested as one, so a token that fails may stay with those after it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import ClassVar

from ..acceptance import accepts, residual
from .rejection import SLACK, BlockInputs, Decision, Rule, distribution_after


@dataclass(frozen=True)
class BlockVerification(Rule):
    """Every u is asked, and the longest beginning that one of them accepts stays. Exact for blocks of any length, also where the drafted
    tokens decide that the block ends: the chance to keep i tokens or more is p_i.

    With p_0 = 1: p_i = min(1, p_{i−1}·p(x_i)/q(x_i)), e_i = Σ max(p_i·p − q, 0) at the position after x_i, and h_i = e_i/(e_i + 1 − p_i);
    of the whole block h_K = p_K. Token by token the chance is ∏ min(1, p/q), never more: here what is above 1 makes up for what was
    below 1 before."""

    name = "block"
    exact = True
    title = "sampled, block verification"
    label = "block: test the whole block at once, by joint ratios"
    sentence = (
        "Test the whole block at once, by joint ratios of its beginnings. "
        "On average it accepts at least as many tokens as rejection."
    )
    condition = "x is in the longest beginning whose last u_i is below its `chance` ([rules.md](rules.md#block-verification))"
    source = "Sun et al. 2024 (arXiv 2403.10444), algorithm 2"
    terms = (
        (
            "block verification",
            "Test the whole block at once. It is exact and accepts at least as many tokens as the rejection rule, on average.",
        ),
    )
    words: ClassVar = {
        "kept": "{x} is accepted. The rule tests the whole block: it accepts the longest beginning whose last u is below its chance. "
        "Up to {x} the joint ratio is {joint}, the chance {chance}, u = {u}.",
        "rejected": "{x} is rejected. The rule tests the whole block: up to {x} the joint ratio is {joint}, and u = {u} is not "
        "below the chance {chance}. No token after it passed.",
        "unexamined": "{x} is removed with the rejected {y} before it. It was tested too: with u = {u} below its chance {chance}, "
        "the block up to it would have been accepted.",
        "corrected": "{x} is the correction of the rejected {y}, drawn from the residual: the part of joint ratio · p that is larger "
        "than q, scaled to a sum of 1.",
        "u_is": "u: a random number from 0 to 1, drawn anew for each token. The token is accepted if u is below {limit}, "
        "or if a token after it passes.",
        "limit_is": "the chance",
        "residual_title": "Residual: norm(max(joint ratio · p − q, 0))",
        "residual_note": "Where joint ratio · p is above q, the excess adds up to {mass}. Divided by {mass}, it is the residual.",
        "set": "block verification",
    }
    whole_block = True

    def verify(self, block: BlockInputs) -> Decision:
        if not block.x:
            return Decision(0, block.p[0], [], [])
        ratios = [1.0]
        for p_i, q_i in zip(block.p_x, block.q_x, strict=True):
            ratios.append(min(1.0, ratios[-1] * p_i / q_i))
        masses = [float(excess(joint, p_i, q_i)) for joint, p_i, q_i in zip(ratios, block.p, block.q, strict=False)]
        chances = [*map(keep_chance, ratios[1:-1], masses[1:]), ratios[-1]]
        accepted = max(
            (i for i, (u_i, h_i) in enumerate(zip(block.u, chances, strict=True), 1) if accepts(u_i, h_i, 1.0)), default=0
        )
        if accepted == len(block.x):
            return Decision(accepted, block.p[accepted], ratios[1:], chances)
        return Decision(
            accepted, residual(ratios[accepted] * block.p[accepted], block.q[accepted]), ratios[1:], chances, masses[accepted]
        )

    def decide(self, block: BlockInputs) -> Decision:
        k = len(block.x)
        if block.q is None:
            return Decision(block.u.new_zeros(1).long(), block.p[:1], block.u, block.u, block.u)
        steps = block.x.new_ones(k + 1).cumsum(0)  # 1 … K + 1
        ratios = block.p_x.new_ones(k + 1)
        for i in range(k):
            here = slice(i, i + 1)
            ratios = ratios.where(steps <= i + 1, (ratios[here] * block.p_x[here] / block.q_x[here]).clamp(max=1))
        masses = excess(ratios[:-1].to(block.p.dtype)[:, None], block.p[:-1], block.q).double()
        after = masses.roll(-1)  # of the position after x_i; the last is of none
        whole = after + (1 - ratios[1:])
        chance = (after / whole).where(whole > 0, 1.0).where(steps[:-1] < k, ratios[1:])
        accepted = (accepts(block.u, chance, 1.0) * steps[:-1]).amax(0, keepdim=True)
        next_distribution = distribution_after(block, accepted, ratios.index_select(0, accepted))
        mass = masses.index_select(0, accepted.clamp(max=k - 1)).where(accepted < k, 0.0)
        return Decision(accepted, next_distribution, ratios[1:], chance, mass)

    def contradictions(self, round) -> Iterator[tuple[str, str]]:
        """Joint ratios follow from p/q, and the longest beginning with u below its chance was kept."""
        before, longest, last = 1.0, 0, len(round.drafted) - 1
        for i, d in enumerate(round.drafted):
            if d.joint is None or d.chance is None or d.u is None or d.ratio is None:
                yield f"drafted[{i}].joint", "joint and chance must be there with u and both"
                continue
            expected = min(1.0, before * d.ratio)
            if not isclose(d.joint, expected, rel_tol=1e-5, abs_tol=SLACK):
                yield f"drafted[{i}].joint", f"must be {expected:.6f}: the joint ratio before times p/q, at most 1"
            if i == last and not isclose(d.chance, d.joint, rel_tol=1e-5, abs_tol=SLACK):
                yield f"drafted[{i}].chance", "must be the joint ratio: of a whole block that is the chance to keep it"
            before, longest = d.joint, i + 1 if d.u < d.chance else longest
        accepted = sum(d.verdict == "accepted" for d in round.drafted)
        if round.drafted and all(d.chance is not None for d in round.drafted):
            cut = len(round.emitted) == accepted  # the run ended on an accepted token
            if accepted > longest or (accepted < longest and not cut):
                yield "drafted", f"the first {longest} must be accepted: the longest beginning with u below its chance"


def excess(joint, p, q):
    """e_i = Σ max(p_i·p − q, 0) at the position after x_i, p_i being `joint`: what keeping more than i tokens leaves to keeping
    i. Shape: leading."""
    difference = joint * p - q
    return (difference * (difference > 0)).sum(-1)


def keep_chance(joint: float, mass: float) -> float:
    """h_i = e_i/(e_i + 1 − p_i), the chance to keep i tokens where no more are kept.

    0/0 is p_i = 1 and p = q after it: there more are kept for certain, and whatever stands here is never asked."""
    return mass / (mass + (1 - joint)) if mass + (1 - joint) > 0 else 1.0
