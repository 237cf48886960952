"""What mistakes of public implementations break is whole here, on p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05)."""

import json
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

import specviz.acceptance
import specviz.engine.decode
import specviz.engine.models.pair
import specviz.rules.rejection
from specviz.config import DecodeConfig
from specviz.engine.draft.base import Block, DraftContext
from specviz.engine.draft.model import SmallModel, SmallModelSession
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import load_tokenizer
from specviz.engine.text import TokenizerText
from tests import tiny
from tests.by_rule import verify_rejection
from tests.fakes import FakeText, History, Markov, Script, finished, random_chain, roles, rounds, run, tokens

P, Q = [0.4, 0.3, 0.2, 0.1], [0.7, 0.15, 0.1, 0.05]
TARGET = Markov([P[::-1]] * 4, [P] * 4, name="target")  # after the one token of the prompt p, then p backwards, then p …
DRAFT = Markov([Q] * 4, name="draft")


def law_of_block(K: int) -> np.ndarray:
    """The law of the first K + 1 tokens, shape [4]·(K+1): drafted and verified by the engine's own code over every draft
    (each uniform on a grid of 20, q being in twentieths) and every verdict (each uniform on both sides of p/q); what a
    shorter round leaves open is written by the target alone."""
    alone = [TARGET.chains[(i + 1) % 2, 0].numpy() for i in range(K + 1)]
    law = np.zeros((4,) * (K + 1))
    for cells in product(range(20), repeat=K):
        drafting = SmallModel(DRAFT).begin(DraftContext.of(DecodeConfig(), 4, 16))
        block = drafting.propose([0], K, torch.tensor([(cell + 0.5) / 20 for cell in cells], dtype=torch.float64))
        k = len(block.ids)
        p = torch.tensor(np.array(alone[: k + 1]))
        q = torch.as_tensor(block.q).double() if k else None
        thresholds = [min(1.0, float(p[i, x] / q[i, x])) for i, x in enumerate(block.ids)]
        for sides in product((True, False), repeat=k):
            width = np.prod([t if below else 1 - t for t, below in zip(thresholds, sides, strict=True)])
            if width == 0:
                continue
            u = [t / 2 if below else (1 + t) / 2 for t, below in zip(thresholds, sides, strict=True)]
            verdict = verify_rejection(torch.tensor(block.ids, dtype=torch.long), q, p, u)
            accepted = verdict.accepted
            part = verdict.next_distribution.numpy()
            for row in alone[accepted + 1 :]:
                part = part[..., None] * row
            law[tuple(block.ids[:accepted])] += width / 20**K * part
    return law


def test_the_whole_block_is_distributed_as_the_target_writes_it():
    expected = np.array(P)[:, None] * np.array(P[::-1])
    assert np.abs(law_of_block(1) - expected).max() < 1e-6


def test_a_token_that_p_rules_out_is_rejected_by_a_uniform_of_zero():
    p = torch.tensor([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    assert verify_rejection(torch.tensor([0]), torch.tensor([[0.5, 0.5, 0.0]]), p, [0.0]).rejected


def test_every_uniform_of_a_run_is_its_own():
    events = run(Markov(random_chain(4, 1)), Markov(random_chain(4, 2)), [0], K=3, max_new_tokens=40, observe=False)
    us = [d.u for r in rounds(events) for d in r.drafted if d.u is not None]
    us += [e.u for r in rounds(events) for e in r.emitted if e.u is not None]
    assert len(us) > 40 and len(set(us)) == len(us)


def test_a_block_kept_whole_is_followed_by_a_bonus_token():
    model = Markov(random_chain(4, 1))
    events = run(model, model, [0], K=3, max_new_tokens=12)
    assert roles(events) == [["accepted"] * 3 + ["bonus"]] * 3


def test_all_is_accepted_where_p_equals_q():
    p = torch.tensor([P, P], dtype=torch.float64)
    for x in range(4):
        for u in range(10):
            assert verify_rejection(torch.tensor([x]), p[:1], p, [(u + 0.5) / 10]).accepted == 1


def test_a_draft_equal_to_its_target_has_all_60_of_60_accepted():
    end = finished(run(History(8, context=100), History(8, context=100), [1, 2], K=4, max_new_tokens=75, observe=False))
    assert (end.accepted, end.drafted) == (60, 60)


def test_nothing_follows_the_end_of_the_text():
    text = FakeText("abcdef.", eos=".")
    for story in ("ab.cdefabc", "abc.defabc", "abcd.efabc", "abcde.fabc"):  # as drafted token 1, 2, 3 and as the bonus
        model = Script(text.encode(story), 7)
        events = run(model, model, text.encode("a"), text, K=3, max_new_tokens=9)
        assert finished(events).text == story[1 : story.index(".") + 1] and finished(events).reason == "eos"


def test_the_length_limit_holds_inside_a_block():
    model = Script([0, 1, 2, 3] * 5, 4)
    for limit in range(1, 10):
        assert len(tokens(run(model, model, [0], K=3, max_new_tokens=limit))) == limit


@cache
def stories() -> PreTrainedTokenizerFast:
    return load_tokenizer(BUNDLED / "fable", "fable")


def changed(change: Callable[[dict], None]) -> PreTrainedTokenizerFast:
    """The bundled tokenizer with something changed in its file."""
    file = json.loads(stories().backend_tokenizer.to_str())
    change(file)
    names = {kind: getattr(stories(), kind) for kind in ("bos_token", "eos_token")}
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(file)), **names)


def swap_two_letters(file: dict):
    vocabulary = file["model"]["vocab"]
    vocabulary["e"], vocabulary["a"] = vocabulary["a"], vocabulary["e"]


def test_one_tokenizer_is_a_pair_whatever_its_sizes_and_two_are_none():
    larger = changed(lambda file: None)
    larger.add_tokens([f"<unused {i}>" for i in range(128)])
    swapped = changed(swap_two_letters)
    assert len(larger) > len(stories()) == len(swapped)
    assert specviz.engine.models.pair.mismatch(stories(), larger) is None
    assert specviz.engine.models.pair.mismatch(stories(), swapped) is not None


def streamed(tokenizer, words: str) -> str:
    text = TokenizerText(tokenizer, frozenset())
    ids = tokenizer.backend_tokenizer.encode(words, add_special_tokens=False).ids
    stream = text.stream([])
    return "".join(stream.push(id) for id in ids)


def test_characters_of_several_bytes_are_whole_and_spaces_between_words_are_kept():
    words = "naïve café 北京 👩‍🚀 नमस्ते"
    assert streamed(stories(), words) == words
    assert " " in streamed(tiny.byte_fallback(), "the cat the cat").strip()


def test_the_residual_is_a_distribution_even_where_it_has_no_mass():
    p = torch.tensor([P])
    assert torch.equal(specviz.acceptance.residual(p, p), p)
    q = torch.nextafter(p, torch.ones(1))  # p = q but for rounding: a rejection is possible, and nowhere is p above q
    verdict = verify_rejection(torch.tensor([0]), q, p.expand(2, -1), [1 - 2**-53])
    assert verdict.rejected and torch.equal(verdict.next_distribution, p[0])


def cut_where_q_is_low(patch):
    """Drafting ends behind the first token whose q is below 0.2."""
    real = SmallModelSession.propose

    def propose(self, tokens, k, u):
        block = real(self, tokens, k, u)
        end = next((i + 1 for i, x in enumerate(block.ids) if block.q[i, x] < 0.2), len(block.ids))
        return Block(block.ids[:end], block.q[:end])

    patch.setattr(SmallModelSession, "propose", propose)


@pytest.mark.parametrize("K", [1, 2])
def test_keeping_a_draft_token_of_low_q_and_then_stopping_is_exact(monkeypatch, K):
    cut_where_q_is_low(monkeypatch)
    expected = np.array(1.0)
    for i in range(K + 1):
        expected = expected[..., None] * np.array([P, P[::-1]][i % 2])
    assert np.abs(law_of_block(K) - expected).max() < 1e-6
