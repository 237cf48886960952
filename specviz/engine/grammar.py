"""A grammar masks p: at each position only those tokens stay that some text of the grammar goes on with.

    grammar = GrammarState.of(DecodeConfig(grammar="[0-9]+"), text, vocabulary)
    allowed = grammar.allowed(block)              # after the text and after each drafted token
    masked(logits, allowed)

The mask is applied to the target's logits before temperature and filters, in both lanes, so both write norm(p · allowed). The draft does not
know the grammar, as in engines that serve (Willard and Louf 2023, arXiv 2307.09702, gives the automaton over tokens). A token that ends the
text is allowed where the grammar accepts.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..automaton import Automaton, GrammarError
from ..config import DecodeConfig
from .arrays import Array
from .draft.base import Block
from .result import VerifyResult
from .text import Text

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
        """Of a block of K, K + 1 masks: after the text, and after each drafted token. Nothing follows a token that is void or ends the text."""
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
