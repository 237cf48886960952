"""A drafted block is decided where its numbers are: on the host, or on a device that must not wait for it.

The rules are in specviz/rules; this chooses between their forms. Of a device all numbers of a round come to the host in one transfer.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..config import DecodeConfig
from ..rules import BlockInputs, Rule, TreeInputs, greedy, rule_of
from ..rules.rejection import Rejection
from .arrays import Array, is_tensor, on_host
from .draft.base import Block
from .grammar import GrammarState, masked_logits
from .result import VerifyResult, unpack_result
from .sampling import NO_FILTERS, Sampler, compiled_rows, draw, one_hot
from .stopwatch import Stopwatch


class Verifier:
    """Decides the blocks of one run. `replay` is the target sequence's: where passes are replayed from CUDA graphs, decisions are too.
    `grammar` masks p of both lanes, on a host only (decode.check_settings)."""

    def __init__(
        self,
        config: DecodeConfig,
        replay: Callable | None,
        stopwatch: Stopwatch,
        observe: bool,
        grammar: GrammarState | None = None,
    ):
        self.rule, self.sampler, self.argmax = rule_of(config), Sampler.of(config), config.drafting == "argmax"
        self.replay, self.stopwatch, self.observe, self.grammar = replay, stopwatch, observe, grammar
        # softmax and rejection are one compiled call
        self.is_compiled = isinstance(self.rule, Rejection) and self.sampler.filters == NO_FILTERS

    def __call__(self, block: Block, logits: Array, u: Array | None) -> VerifyResult:
        """logits [K + 1, V], the target's after the text and after each of the K drafted, an array where they are on the host; u [K + 1], None when
        greedy. Raises GrammarError where the grammar leaves no token."""
        if not self.grammar:
            return self._decide(block, logits, u)
        allowed = self.grammar.allowed(block)
        result = replace(self._decide(block, masked_logits(on_host(logits), allowed), u), allowed=allowed)
        self.grammar.advance(result)
        return result

    def _decide(self, block: Block, logits: Array, u: Array | None) -> VerifyResult:
        if block.parents is not None:
            return verify_tree(self.rule, self.sampler, self.argmax, block, on_host(logits), u)
        if u is None:
            return self._greedy(block.ids, logits)
        if self.replay or is_tensor(block.ids) or is_tensor(logits := on_host(logits)):
            return self._on_device(block, logits, u)
        if self.is_compiled and (rows := compiled_rows(logits)):
            return self._compiled(rows, block.ids, on_host(block.q), logits, u)
        return self._on_host(block.ids, on_host(block.q), logits, u)

    def _greedy(self, ids: list[int] | Array, logits: Array) -> VerifyResult:
        """The rule needs the ids of the largest logits, and of the block if that was drafted on a device: one transfer."""
        host_logits = None
        if self.replay or is_tensor(ids):
            from .tensors import argmax_ids

            numbers = argmax_ids(logits, ids)
        else:
            logits = on_host(logits)
            numbers, host_logits = argmax(logits), None if is_tensor(logits) else logits
        self.stopwatch.lap()
        host_ids = numbers.tolist()
        drafted, best = (ids, host_ids) if isinstance(ids, list) else (host_ids[: len(ids)], host_ids[len(ids) :])
        accepted, p_x = greedy.verify(drafted, best)
        return VerifyResult(drafted, accepted, best[accepted], p_x, [1.0] * len(drafted), None, best=best, logits=host_logits)

    def _compiled(self, rows, ids: list[int], q: np.ndarray | None, logits: np.ndarray, u: np.ndarray) -> VerifyResult:
        """As `_on_host`, by one call."""
        theta = self.rule.theta  # type: ignore[attr-defined]
        accepted, last, p_x, q_x, p, next_distribution = rows.decide(
            logits, ids, q, u, self.sampler.temperature, theta, self.argmax
        )
        return VerifyResult(ids, accepted, last, p_x, q_x, u.tolist(), p=p, q=q, next_distribution=next_distribution)

    def _on_host(self, ids: list[int], q: np.ndarray | None, logits: np.ndarray, u: np.ndarray) -> VerifyResult:
        """By the readable form: to look at a value costs nothing here."""
        p, uniforms, rule = self.sampler(logits), u.tolist(), self.rule
        tested_q = one_hot(ids, p.shape[-1]) if self.argmax and q is not None else q
        p_x, q_x = (_probabilities_of(ids, row) for row in (p, tested_q)) if tested_q is not None else ([], [])
        draws = draw(p, u).tolist() if rule.draws_each else uniforms[:-1]
        decision = rule.verify(BlockInputs(ids, p_x, q_x, p, tested_q, draws))
        last = draws[decision.accepted] if rule.draws_each else int(draw(decision.next_distribution[None], u[-1:])[0])
        return VerifyResult(
            ids,
            decision.accepted,
            last,
            p_x,
            q_x,
            uniforms,
            decision.joint,
            decision.chance,
            decision.mass,
            p=p,
            q=q,
            next_distribution=decision.next_distribution,
        )

    def _on_device(self, block: Block, logits: Array, u: Array) -> VerifyResult:
        """Decide, and look at what will be shown, where the tensors are: all of it leaves a device in one transfer."""
        from . import tensors

        k, rule = len(block.ids), self.rule
        logits, u, ids, q = tensors.decision_inputs(logits, u, block.ids, block.q)
        drafted = (ids, q) if k else (ids,)
        replay = self.replay or (lambda key, function, *inputs: function(*inputs))
        key = "decide", k, rule, self.argmax, self.sampler.filters, self.observe
        decide_function = tensors.decide_function(self.sampler.filters, rule, self.argmax, self.observe)
        numbers, *result = replay(key, decide_function, logits, u, self.sampler.temperature_tensor(logits.device), *drafted)
        self.stopwatch.lap()
        if self.observe:
            p, last, *next_distribution = result
            [numbers] = replay(
                ("look", k, len(numbers), len(next_distribution)), tensors.pack, numbers, p, last, *drafted, *next_distribution
            )
            self.stopwatch.lap()
        return unpack_result(numbers.tolist(), k, rule)


def verify_tree(rule: Rule, sampler: Sampler, is_argmax: bool, block: Block, logits: Array, u: Array | None) -> VerifyResult:
    """By one row of the target's distributions for each node of a tree, and a rule that walks from the text along them. logits [K + 1, V], the
    target's after the text and after each of the K nodes, an array where they are on the host; u [K + 1], None when greedy. `is_argmax`:
    children were chosen as the largest of the rows of `block.q`, not drawn from them."""
    ids, parents = list(block.ids), block.parents
    assert parents is not None
    children: list[list[int]] = [[] for _ in range(len(ids) + 1)]
    for node, parent in enumerate(parents):
        children[parent + 1].append(node)
    if u is None:
        return _greedy_tree(ids, parents, children, logits)
    assert block.q is not None  # something was drafted, and not greedily
    p, q, uniforms = sampler(logits), on_host(block.q), u.tolist()

    def q_of(node: int) -> Array:
        if not is_argmax:
            return q[node]
        hot = p[0] * 0
        hot[ids[node]] = 1
        return hot

    def y(node: int) -> int:
        return int(draw(p[node + 1][None], u[node + 1 : node + 2])[0])

    decision = rule.verify_tree(TreeInputs(ids, children, p, q_of, uniforms, y))
    last = decision.last if decision.last is not None else int(draw(decision.next_distribution[None], u[-1:])[0])
    p_x = p[[parent + 1 for parent in parents], ids].tolist()
    q_x = [1.0] * len(ids) if is_argmax else q[[*range(len(ids))], ids].tolist()
    after = p[decision.path[-1] + 1 if decision.path else 0]
    q_rows = [q[node] for node in decision.tested] if is_argmax else decision.q
    return VerifyResult(
        ids, len(decision.path), last, p_x, q_x, uniforms, p=[*decision.p, after], q=q_rows, next_distribution=decision.next_distribution,
        parents=parents, path=decision.path, tested=decision.tested,
    )  # fmt: skip


def _greedy_tree(ids: list[int], parents: list[int], children: list[list[int]], logits) -> VerifyResult:
    best: list[int] = argmax(logits).tolist()
    path, tested = greedy.verify_tree(ids, best, children)
    p_x = [float(id == best[parent + 1]) for id, parent in zip(ids, parents, strict=True)]
    last = best[path[-1] + 1 if path else 0]
    return VerifyResult(
        ids, len(path), last, p_x, [1.0] * len(ids), None, best=[*(best[parents[node] + 1] for node in tested), last],
        parents=parents, path=path, tested=tested, logits=None if is_tensor(logits) else logits,
    )  # fmt: skip


def argmax(logits: Array) -> Array:
    """The id of the largest of each row of [n, V], of equals the first, [n]."""
    rows = compiled_rows(logits)
    return rows.argmax(logits) if rows else logits.argmax(-1)


def _probabilities_of(ids: list[int], rows: np.ndarray) -> list[float]:
    """The probability of each id in its row."""
    return rows[np.arange(len(ids)), ids].tolist()
