"""Keep what is not improbable: the acceptance scheme of Medusa."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, isclose
from typing import ClassVar

from .rejection import SLACK, BlockInputs, Decision, Rule, count_leading


@dataclass(frozen=True)
class Typical(Rule):
    """Not exact; no u decides, and what replaces a rejected token is drawn from p."""

    name = "typical"
    exact = False
    title = "typical acceptance"
    label = "typical, not exact: accept x if p(x) > min(ε, δ·e^−H(p))"
    sentence = "Accept x if p(x) > min(ε, δ·e^−H(p)), where H is the entropy of p. No u is drawn."
    condition = "p(x) > min(ε, δ·e^−H(p))"
    source = "Cai et al. 2024 (Medusa, arXiv 2401.10774), §2.3.1"
    terms = (
        ("typical acceptance", "Accept x if p(x) is above a bound. It is not exact."),
        ("ε", "In typical acceptance: the bound is never above ε."),
        ("δ", "In typical acceptance: the bound is δ·e^−entropy where that is below ε."),
    )
    words: ClassVar = {
        "kept": "{x} is accepted. p = {p} is above min(ε, δ·e^−H(p)) = {bound}; no u is drawn.",
        "rejected": "{x} is rejected. p = {p} is not above min(ε, δ·e^−H(p)) = {bound}; no u is drawn.",
        "replaced": "{y} is the correction, drawn from p.",
        "corrected": "{x} is the correction of the rejected {y}, drawn from p.",
        "set": "typical acceptance, ε {epsilon}, δ {delta} (not exact)",
    }
    settings = ("epsilon", "delta")
    tests_u = False
    from_residual = False
    epsilon: float = 0.09
    delta: float = 0.3

    def verify(self, block: BlockInputs) -> Decision:
        bound = [self._bound(row) for row in block.p]
        accepted = next((i for i, p_i in enumerate(block.p_x) if not p_i > bound[i]), len(block.x))
        return Decision(accepted, block.p[accepted])

    def decide(self, block: BlockInputs) -> Decision:
        accepted = count_leading(block.p_x > self.bound(block.p[: len(block.x)]).double())
        return Decision(accepted, block.p.index_select(0, accepted))

    def _bound(self, p) -> float:
        """Of one row [V], on a host."""
        import numpy as np

        p = np.asarray(p)
        entropy = -float((p * np.log(p.clip(1e-38))).sum())
        return min(self.epsilon, self.delta * exp(-entropy))

    def bound(self, p):
        """min(ε, δ·e^−H(p)), which p(x) must exceed, of tensors. Shape: leading."""
        entropy = -(p * p.clamp(min=1e-38).log()).sum(-1)
        return (self.delta * (-entropy).exp()).clamp(max=self.epsilon)

    def contradictions(self, round) -> Iterator[tuple[str, str]]:
        """The verdict of p(x) and the bound, by the entropy that the trace gives."""
        for i, d in enumerate(round.drafted):
            if d.position is None or d.p is None or d.verdict == "unexamined":
                continue
            bound = min(self.epsilon, self.delta * exp(-d.position.p_entropy))
            if (d.verdict == "accepted") != (d.p > bound) and not isclose(d.p, bound, rel_tol=1e-4, abs_tol=SLACK):
                yield f"drafted[{i}].verdict", f"must be accepted if p is above {bound:.6f}, else rejected"
