"""A drafted block is decided where its numbers are: on the host, or on a device that must not wait for it.

The rules are in specviz/rules; this chooses between their forms. Of a device all numbers of a round come to the host in one transfer.

A grammar masks p: at each position only those tokens stay that some text of the grammar goes on with.

    grammar = GrammarState.of(DecodeConfig(grammar="[0-9]+"), text, vocabulary)
    allowed = grammar.allowed(block)              # after the text and after each drafted token
    masked_logits(logits, allowed)

The mask is applied to the target's logits before temperature and filters, in both lanes, so both write norm(p · allowed). The
draft does not know the grammar, as in engines that serve (Willard and Louf 2023, arXiv 2307.09702, gives the automaton over
tokens). A token that ends the text is allowed where the grammar accepts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..automaton import Automaton, GrammarError
from ..config import DecodeConfig, rule_of
from ..rules import BlockInputs, Rule, TreeInputs, greedy
from ..rules.rejection import Rejection
from ..trace.events import value
from .draft.base import Block
from .machine import Stopwatch
from .sampling import NO_FILTERS, Array, Sampler, compiled_rows, draw, is_tensor, on_host, one_hot
from .text import Text


class Distributions(NamedTuple):
    """On a host: p [K + 1, V], q [K, V] or None, and `next_distribution` [V] that the last token was drawn from, None where it
    was drawn before. Of argmax drafting q is the draft's own softmax. Of a tree p and q are lists of a row for each tested node,
    p as its siblings had left it, and p one more, of what followed the path."""

    p: Any
    q: Any
    next_distribution: Any


class Largest(NamedTuple):
    """Greedy: the id of the largest logit at each of K + 1 positions, of a tree where a node was tested and after the path.
    `logits` [K + 1, V]: the target's, None where they are on a device."""

    best: list[int]
    logits: Any


class JointRatios(NamedTuple):
    """Of block verification, as of rules.Decision: `joint`, `chance` [K] and `mass`."""

    joint: list[float]
    chance: list[float]
    mass: float | None


class TreeWalk(NamedTuple):
    """Of a tree `parents` [K], the nodes on the `path` that stay, and those that were `tested`, in that order."""

    parents: list[int]
    path: list[int]
    tested: list[int]


@value
class VerifyResult:
    """A decided block, wherever it was decided. `accepted` of the K drafted `ids` stay, then the token `last` follows.

    `p_x`, `q_x` [K]: p and q of the drafted ids, p the target's own. `u`: the K + 1 uniforms that decided and drew, None when
    greedy. `shown`: what a screen will show; of a block that was decided on a device the numbers that were looked at there
    (events.unpack). `ratios`: of block verification. `walk`: of a tree. `allowed` [K + 1, V]: by a grammar, of which each row may
    be None (GrammarState); empty without one."""

    ids: list[int]
    accepted: int
    last: int
    p_x: list[float]
    q_x: list[float]
    u: list[float] | None
    shown: Distributions | Largest | np.ndarray
    ratios: JointRatios | None = None
    walk: TreeWalk | None = None
    allowed: Sequence[Any] = ()

    @property
    def path(self) -> Sequence[int]:
        """The drafted tokens that stay."""
        return self.walk.path if self.walk else range(self.accepted)

    @property
    def tested(self) -> Sequence[int]:
        """Of a chain: up to the first that was turned down."""
        return self.walk.tested if self.walk else range(min(self.accepted + 1, len(self.ids)))

    @property
    def rejected(self) -> bool:
        """Whether the last token that was tested was turned down."""
        return len(self.tested) > 0 and self.tested[-1] not in self.path[-1:]

    def row(self, node: int) -> int:
        """Which of the target's K + 1 distributions decides about a node: that after its parent."""
        return self.walk.parents[node] + 1 if self.walk else node

    @property
    def last_row(self) -> int:
        """Which of them follows the path."""
        return self.path[-1] + 1 if self.path else 0

    def p_of_drafted(self, tested: Sequence[int]) -> list[float]:
        """p of each drafted id [K]: of the `tested` nodes of a tree as it was in their test, of all others the target's own."""
        p_x = list(self.p_x)
        if self.walk and isinstance(self.shown, Distributions):
            for node, row in zip(tested, self.shown.p, strict=False):
                p_x[node] = float(row[self.ids[node]])
        return p_x


def unpack_result(numbers: np.ndarray, k: int, rule: Rule) -> VerifyResult:
    """From the numbers of `decide` over a block of k, and whatever stands after them."""
    accepted, last = int(numbers[0]), int(numbers[1])
    ids, p_x, q_x = numbers[2 : 3 * k + 2].reshape(3, k)
    u, rest, ratios = numbers[3 * k + 2 : 4 * k + 3], numbers[4 * k + 3 :], None
    if rule.whole_block:
        joint, chance = rest[: 2 * k].reshape(2, k).tolist()
        ratios = JointRatios(joint, chance, float(rest[2 * k]) if accepted < k else None)
        rest = rest[2 * k + 1 :] if k else rest
    drafted = ids.astype(int).tolist()
    return VerifyResult(drafted, accepted, last, p_x.tolist(), q_x.tolist(), u.tolist(), rest, ratios)


MAX_MASKS = 256  # that are kept, by state
ERROR_CHARACTERS = 40  # characters of the text that an error shows

Allowed = Sequence[np.ndarray | None]
"""A mask [V] of booleans by row; None where no text of the grammar leads, or where no token goes on."""


class Words:
    """What each token adds to a text, as code points side by side: the tokens that add whole characters, in the order of their ids."""

    def __init__(self, text: Text, vocabulary: int):
        self.texts = [text.characters(id) for id in range(vocabulary)]
        self.ids = np.array([id for id, word in enumerate(self.texts) if word], np.int64)
        words = [word for word in self.texts if word]
        self.lengths = np.array([len(word) for word in words], np.int64)
        self.begins = np.concatenate([[0], self.lengths.cumsum()[:-1]]).astype(np.int64)
        self.codes = np.array([ord(character) for word in words for character in word], np.int64)


class Grammar:
    """An expression over the tokens of one vocabulary."""

    def __init__(self, expression: str, text: Text, vocabulary: int):
        self.automaton, self.words = Automaton(expression), _words(text, vocabulary)
        self.ends = [id for id in text.eos if id < vocabulary]
        self.kinds = np.searchsorted(self.automaton.borders, self.words.codes, "right")
        self.mask = lru_cache(MAX_MASKS)(self._mask)

    def _mask(self, state: int) -> np.ndarray | None:
        """Which tokens [V] may follow in this state; None where none may. All tokens are read at once, a character a turn."""
        words, step, kinds = self.words, self.automaton.step, len(self.automaton.borders) + 1
        mask = np.zeros(len(words.texts), bool)
        mask[self.ends] = self.automaton.accepts(state)
        alive, at, states = np.arange(len(words.ids)), np.zeros(len(words.ids), np.int64), [state]
        for turn in range(int(words.lengths.max(initial=0))):
            pairs, of_pair = np.unique(at * kinds + self.kinds[words.begins[alive] + turn], return_inverse=True)
            after = [step(states[pair // kinds], pair % kinds) for pair in pairs.tolist()]
            states = [*dict.fromkeys(after)]
            place = {state: i for i, state in enumerate(states)}
            at = np.array([place[state] for state in after])[of_pair]
            live = np.array([state != 0 for state in states])[at]
            alive, at = alive[live], at[live]
            ended = words.lengths[alive] == turn + 1
            mask[words.ids[alive[ended]]] = True
            alive, at = alive[~ended], at[~ended]
            if not len(alive):
                break
        return mask if mask.any() else None


_words, _grammar = lru_cache(4)(Words), lru_cache(4)(Grammar)


class GrammarState:
    """Where the text of one run stands in its grammar."""

    def __init__(self, grammar: Grammar):
        self.grammar, self.state, self.text = grammar, grammar.automaton.start, ""

    @classmethod
    def of(cls, config: DecodeConfig, text: Text, vocabulary: int) -> "GrammarState | None":
        return cls(_grammar(config.grammar, text, vocabulary)) if config.grammar else None

    def allowed(self, block: Block) -> Allowed:
        """Of a block of K, K + 1 masks: after the text, and after each drafted token. Nothing follows one that is void or ends the text."""
        states, masks = [self.state], [self.grammar.mask(self.state)]
        ids = block.ids
        for id, parent in zip(ids, block.parents or range(-1, len(ids) - 1), strict=True):
            mask, state = masks[parent + 1], states[parent + 1]
            goes_on = mask is not None and mask[id] and id not in self.grammar.ends
            states.append(self.grammar.automaton.read(state, self.grammar.words.texts[id]) if goes_on else 0)
            masks.append(self.grammar.mask(states[-1]) if goes_on else None)
        return masks

    def advance(self, result: VerifyResult) -> None:
        """Take in the tokens of a decided block. Raises GrammarError where the text had come to a state that allows no token."""
        rows = [*map(result.row, result.path), result.last_row]
        for row, id in zip(rows, [*(result.ids[node] for node in result.path), result.last], strict=True):
            if result.allowed[row] is None:
                tail = self.text[-ERROR_CHARACTERS:]
                raise GrammarError(f"the grammar allows no token of this vocabulary after {len(self.text)} characters, “{tail}”")
            if id in self.grammar.ends:
                return
            self.state = self.grammar.automaton.read(self.state, self.grammar.words.texts[id])
            self.text += self.grammar.words.texts[id]


def masked_logits(logits: Array, allowed: Allowed) -> np.ndarray:
    """Logits [n, V], −inf where a row's mask forbids; a row without a mask as it is."""
    scores = np.array(logits)
    for row, mask in zip(scores, allowed, strict=True):
        if mask is not None:
            row[~mask] = -np.inf
    return scores


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
        """logits [K + 1, V], the target's after the text and after each of the K drafted, an array where they are on the host; u
        [K + 1], None when greedy. Raises GrammarError where the grammar leaves no token."""
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
            return self._verify_greedy(block.ids, logits)
        if self.replay or is_tensor(block.ids) or is_tensor(logits := on_host(logits)):
            return self._verify_on_device(block, logits, u)
        if self.is_compiled and (rows := compiled_rows(logits)):
            return self._verify_compiled(rows, block.ids, on_host(block.q), logits, u)
        return self._verify_on_host(block.ids, on_host(block.q), logits, u)

    def _verify_greedy(self, ids: list[int] | Array, logits: Array) -> VerifyResult:
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
        return VerifyResult(drafted, accepted, best[accepted], p_x, [1.0] * len(drafted), None, Largest(best, host_logits))

    def _verify_compiled(self, rows, ids: list[int], q: np.ndarray | None, logits: np.ndarray, u: np.ndarray) -> VerifyResult:
        """As `_verify_on_host`, by one call."""
        theta = self.rule.theta  # type: ignore[attr-defined]
        accepted, last, p_x, q_x, p, next_distribution = rows.decide(
            logits, ids, q, u, self.sampler.temperature, theta, self.argmax
        )
        return VerifyResult(ids, accepted, last, p_x, q_x, u.tolist(), Distributions(p, q, next_distribution))

    def _verify_on_host(self, ids: list[int], q: np.ndarray | None, logits: np.ndarray, u: np.ndarray) -> VerifyResult:
        """By the readable form: to look at a value costs nothing here."""
        p, uniforms, rule = self.sampler(logits), u.tolist(), self.rule
        tested_q = one_hot(ids, p.shape[-1]) if self.argmax and q is not None else q
        p_x, q_x = (_probabilities_of(ids, row) for row in (p, tested_q)) if tested_q is not None else ([], [])
        draws = draw(p, u).tolist() if rule.draws_each else uniforms[:-1]
        decision = rule.verify(BlockInputs(ids, p_x, q_x, p, tested_q, draws))
        last = draws[decision.accepted] if rule.draws_each else int(draw(decision.next_distribution[None], u[-1:])[0])
        ratios = JointRatios(decision.joint, decision.chance, decision.mass) if rule.whole_block else None
        shown = Distributions(p, q, decision.next_distribution)
        return VerifyResult(ids, decision.accepted, last, p_x, q_x, uniforms, shown, ratios)

    def _verify_on_device(self, block: Block, logits: Array, u: Array) -> VerifyResult:
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
        return unpack_result(numbers.numpy(force=True).copy(), k, rule)  # a copy: the next replay writes to the same place


def verify_tree(rule: Rule, sampler: Sampler, is_argmax: bool, block: Block, logits: Array, u: Array | None) -> VerifyResult:
    """By one row of the target's distributions for each node of a tree, and a rule that walks from the text along them. logits [K
    + 1, V], the target's after the text and after each of the K nodes, an array where they are on the host; u [K + 1], None when
    greedy. `is_argmax`: children were chosen as the largest of the rows of `block.q`, not drawn from them."""
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
    shown = Distributions([*decision.p, after], q_rows or None, decision.next_distribution)
    walk = TreeWalk(parents, decision.path, decision.tested)
    return VerifyResult(ids, len(walk.path), last, p_x, q_x, uniforms, shown, walk=walk)


def _greedy_tree(ids: list[int], parents: list[int], children: list[list[int]], logits) -> VerifyResult:
    best: list[int] = argmax(logits).tolist()
    path, tested = greedy.verify_tree(ids, best, children)
    p_x = [float(id == best[parent + 1]) for id, parent in zip(ids, parents, strict=True)]
    last = best[path[-1] + 1 if path else 0]
    shown = Largest([*(best[parents[node] + 1] for node in tested), last], None if is_tensor(logits) else logits)
    return VerifyResult(ids, len(path), last, p_x, [1.0] * len(ids), None, shown, walk=TreeWalk(parents, path, tested))


def argmax(logits: Array) -> Array:
    """The id of the largest of each row of [n, V], of equals the first, [n]."""
    rows = compiled_rows(logits)
    return rows.argmax(logits) if rows else logits.argmax(-1)


def _probabilities_of(ids: list[int], rows: np.ndarray) -> list[float]:
    """The probability of each id in its row."""
    return rows[np.arange(len(ids)), ids].tolist()
