"""After every round of trees the target's cache is the text's: whatever backend passes, whatever drafts."""

from dataclasses import replace

import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.trace.events import Round

from .. import tiny
from ..fakes import FakeText, tokens
from .backends.test_contract import BACKENDS
from .test_every_rule import DRAFTERS, MODEL, PROMPT, SIZE
from .test_trees import BRANCHING


class Watched:
    """A model whose sequences are kept, to be asked after each round."""

    def __init__(self, model):
        self.model, self.sequences = model, []

    def __getattr__(self, name):
        return getattr(self.model, name)

    def sequence(self, capacity: int):
        self.sequences.append(self.model.sequence(capacity))
        return self.sequences[-1]


@pytest.mark.parametrize(
    "how", [{"tree": "static", "children": "2-2-1"}, {"tree": "dynamic", "nodes": 7}], ids=["static", "dynamic"]
)
@pytest.mark.parametrize(("name", "backend"), BACKENDS.values(), ids=BACKENDS)
def test_cached_logits_equal_uncached_ones_after_every_round_of_trees(name, backend, how):
    target = Watched(backend(tiny.hf(name)))
    drafter = DRAFTERS["oracle"](backend(tiny.hf(name)))
    config = DecodeConfig(K=3, max_new_tokens=14, temperature=1.0, drafting="argmax", **how)
    text = tiny.some_ids(9)
    several = 0
    for event in decode(target, drafter, text, config, Names(), observe=False):
        if not isinstance(event, Round):
            continue
        several += len(event.emitted) > 1
        text = [*text, *(e.token.id for e in event.emitted)]
        [sequence] = target.sequences
        assert sequence.length == len(text) - 1
        with torch.inference_mode():
            cached = sequence.append(text[-1:])[-1]
            sequence.rollback(len(text) - 1)
            alone = target.model.sequence(64).append(text)[-1]
        assert torch.allclose(torch.as_tensor(cached).float(), torch.as_tensor(alone).float(), atol=2e-3)
    assert several


class Names(FakeText):
    """Any number of tokens, each called by its number."""

    def __init__(self):
        super().__init__([f"{i} " for i in range(2000)])


@pytest.mark.parametrize("name", BRANCHING)
def test_greedy_trees_write_what_the_target_writes_whatever_drafts(name):
    target = tiny.own(MODEL)
    vanilla = list(decode(target, None, PROMPT, DecodeConfig(K=0, temperature=0, max_new_tokens=20), FakeText()))
    for how in {"tree": "static", "children": "2-1"}, {"tree": "dynamic", "nodes": 5}:
        config = DecodeConfig(K=3, temperature=0, max_new_tokens=20, **how)
        assert tokens(list(decode(target, DRAFTERS[name](target), PROMPT, config, FakeText()))) == tokens(vanilla)


@pytest.mark.parametrize("name", BRANCHING)
def test_a_tree_that_is_deeper_than_it_has_nodes_finds_room_for_all_that_is_fed_also_where_the_context_ends(name):
    target = tiny.own(MODEL)
    config = DecodeConfig(K=12, temperature=0, max_new_tokens=20, tree="dynamic", nodes=3, drafting="argmax")
    for prompt in PROMPT, tiny.some_ids(target.context - 9, vocabulary=SIZE):
        vanilla = list(decode(target, None, prompt, replace(config, K=0, tree="off"), Names()))
        assert tokens(list(decode(target, DRAFTERS[name](target), prompt, config, Names()))) == tokens(vanilla)
