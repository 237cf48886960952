"""Draw a token y from p at every position, and keep the drafted tokens while they equal it."""

from dataclasses import dataclass
from typing import ClassVar

from .rejection import BlockInputs, Decision, Rule, TreeDecision, TreeInputs, count_leading


@dataclass(frozen=True)
class Match(Rule):
    """Exact because every token that stays is one that p drew. It accepts with chance Σ p·q, never more than Σ min(p, q)."""

    name = "match"
    exact = True
    title = "sampled, match"
    label = "match: accept x if the target draws x too"
    sentence = "Draw y from p and accept x if x = y. The chance is Σ p·q, at most that of rejection."
    condition = "y = x"
    source = "mlx-lm"
    terms = (("match", "Draw y from p and accept x if x = y. The chance is Σ p·q. It is exact.", "match", "matched"),)
    words: ClassVar = {
        "at_kept": "the verifier drew {x} too, accepted",
        "at_rejected": "the verifier drew another token than {x}, rejected",
        "checked": "The pass gave {x} a p of {p}. Next the verifier draws its own token from p. {x} is accepted if it is the same.",
        "kept": "{x} is accepted. The verifier drew its own token from p, and it was the same.",
        "rejected": "{x} is rejected. The verifier drew its own token from p, and it was {y}.",
        "corrected": "{x} is the correction: what the verifier drew from p. The draft had said {y}.",
        "set": "match verifier",
    }
    on_trees = "Draw y from p, and walk on while y is a child."
    draws_each = True
    tests_u = False
    from_residual = False

    def verify(self, block: BlockInputs) -> Decision:
        accepted = next((i for i, x in enumerate(block.x) if x != block.u[i]), len(block.x))
        return Decision(accepted, None)

    def decide(self, block: BlockInputs) -> Decision:
        accepted = count_leading(block.u[: len(block.x)] == block.x)
        return Decision(accepted, None)

    def verify_tree(self, tree: TreeInputs) -> TreeDecision:
        """Exact, since every token is one that p drew, whatever the children are. Child by child it is the same distribution: the first is
        kept with chance p(x), else p loses it and is normalised (EAGLE's code); and so is one coin against the sum of p over the
        children so far (SGLang, `tree_speculative_sampling_target_only` at thresholds of 1)."""
        decision = TreeDecision([], [], [], [])
        at = -1
        while True:
            y = tree.y(at)
            for node in tree.children[at + 1]:
                decision.tested.append(node), decision.p.append(tree.p[at + 1]), decision.q.append(tree.q(node))
                if tree.x[node] == y:
                    decision.path.append(node)
                    at = node
                    break
            else:
                return decision._replace(last=y)

    def chance(self, p, q):
        """Σ p·q."""
        return (p * q).sum(-1)
