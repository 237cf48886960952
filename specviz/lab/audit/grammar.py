"""What a run's grammar allows, a second time: by partial matches of the package regex, token by token.

The engine reads all tokens through an automaton of its own (engine/grammar.py). Nothing of it is used here.
"""

from functools import lru_cache

import regex
import torch

from ...trace import tree
from .cases import Case
from .checkpoint import AuditError
from .ledger import Ledger
from .text import token_name

MATCH_SECONDS = 2.0  # of one match: an expression comes from anybody, and this matcher goes back


class Masks:
    """Of one `expression` over the tokens of a target. `prompt_length`: the ids of the prompt, which no grammar reads; `eos`: ids that end a text."""

    def __init__(self, expression: str, tokenizer, vocabulary: int, prompt_length: int, eos: frozenset[int]):
        self.expression, self.prompt_length, self.eos = regex.compile(expression, regex.ASCII), prompt_length, eos
        names = (token_name(tokenizer, id) for id in range(vocabulary))
        self.words = [
            name if kind == "plain" else "" for name, kind in names
        ]  # what is special or no whole character adds nothing
        self.firsts = {word[0] for word in self.words if word}
        self.mask_after = lru_cache(64)(self._mask_after)

    def _matches(self, text: str, partial: bool = True) -> bool:
        try:
            return self.expression.fullmatch(text, partial=partial, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            raise AuditError("the grammar takes too long to be matched a second time") from None

    def _mask_after(self, text: str) -> torch.Tensor | None:
        """Which tokens [V] may follow a text; None where none may."""
        firsts = {first for first in self.firsts if self._matches(text + first)}
        matches = [bool(word) and word[0] in firsts and self._matches(text + word) for word in self.words]
        ends = self._matches(text, partial=False)
        mask = torch.tensor([ends if id in self.eos else allowed for id, allowed in enumerate(matches)])
        return mask if bool(mask.any()) else None

    def by_node(self, case: Case) -> dict[int, torch.Tensor | None]:
        """By node, −1 for the text. Nothing follows a token that is void or ends the text."""
        text = "".join(self.words[id] for id in case.text[self.prompt_length :])
        texts, masks = {-1: text}, {-1: self.mask_after(text)}
        for node, (id, parent) in enumerate(zip(case.block, tree.parents(case.round.drafted), strict=True)):
            mask = masks[parent]
            texts[node] = texts[parent] + self.words[id]
            masks[node] = self.mask_after(texts[node]) if mask is not None and bool(mask[id]) and id not in self.eos else None
        return masks


def mask_logits(logits: dict, masks: dict[int, torch.Tensor | None]) -> dict:
    """The target's logits by node, as p is made from them."""
    return {node: row if masks[node] is None else row.masked_fill(~masks[node], -torch.inf) for node, row in logits.items()}


def check_masks(ledger: Ledger, case: Case, masks: dict[int, torch.Tensor | None]) -> None:
    """Which drafted tokens are void, and which of the emitted ones the grammar forced."""
    parents, path = tree.parents(case.round.drafted), tree.path(case.round.drafted)
    for i, (d, parent) in enumerate(zip(case.round.drafted, parents, strict=True)):
        mask = masks[parent]
        ledger.equal("void", case.token(i), d.void, mask is not None and not bool(mask[d.token.id]))
    places = [*(parents[node] for node in path), path[-1] if path else -1]
    for i, (e, place) in enumerate(zip(case.round.emitted, places, strict=False)):
        mask = masks[place]
        ledger.equal("forced", f"{case.where}, token {i + 1}", e.forced, mask is not None and int(mask.sum()) == 1)
