"""Mistakes seen in public implementations, each with a check that the engine passes and that fails once the mistake is in.

A row of `MISTAKES` names a mistake, plants it in the real code, and says which check must then fail. Where a mistake has a
known effect on the running example, p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05), the number is checked too.
"""

import json
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
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
from specviz.engine.draft.small import SmallModel, SmallModelSession
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import load_tokenizer
from specviz.engine.output import Output
from specviz.engine.sampling import Uniforms, draw
from specviz.engine.text import TokenizerText
from specviz.rules import Decision
from specviz.rules.rejection import Rejection
from tests import tiny
from tests.by_rule import verify_rejection
from tests.fakes import FakeText, History, Markov, Script, finished, random_chain, roles, rounds, run, tokens

P, Q = [0.4, 0.3, 0.2, 0.1], [0.7, 0.15, 0.1, 0.05]
TARGET = Markov([P[::-1]] * 4, [P] * 4, name="target")  # after the one token of the prompt p, then p backwards, then p …
DRAFT = Markov([Q] * 4, name="draft")


# Checks: each is true of the engine ------------------------------------------------------------------------------


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


def first_token(law: np.ndarray) -> list[float]:
    return law.reshape(4, -1).sum(-1).tolist()


def the_first_token_is_distributed_as_p():
    assert first_token(law_of_block(1)) == pytest.approx(P, abs=1e-6)


def the_whole_block_is_distributed_as_the_target_writes_it():
    expected = np.array(P)[:, None] * np.array(P[::-1])
    assert np.abs(law_of_block(1) - expected).max() < 1e-6


def a_token_that_p_rules_out_is_rejected_by_a_uniform_of_zero():
    p = torch.tensor([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    assert verify_rejection(torch.tensor([0]), torch.tensor([[0.5, 0.5, 0.0]]), p, [0.0]).rejected


def every_uniform_of_a_run_is_its_own():
    events = run(Markov(random_chain(4, 1)), Markov(random_chain(4, 2)), [0], K=3, max_new_tokens=40, observe=False)
    us = [d.u for r in rounds(events) for d in r.drafted if d.u is not None]
    us += [e.u for r in rounds(events) for e in r.emitted if e.u is not None]
    assert len(us) > 40 and len(set(us)) == len(us)


def a_block_kept_whole_is_followed_by_a_bonus_token():
    model = Markov(random_chain(4, 1))
    events = run(model, model, [0], K=3, max_new_tokens=12)
    assert roles(events) == [["accepted"] * 3 + ["bonus"]] * 3


def acceptance_where_p_equals_q() -> float:
    """Over each draft token by its probability and a grid of u: the chance to keep it when target and draft agree."""
    p = torch.tensor([P, P], dtype=torch.float64)
    grid = [(i + 0.5) / 10 for i in range(10)]
    verdicts = [(x, verify_rejection(torch.tensor([x]), p[:1], p, [u]).accepted) for x in range(4) for u in grid]
    return sum(P[x] * accepted / 10 for x, accepted in verdicts)


def all_is_accepted_where_p_equals_q():
    assert acceptance_where_p_equals_q() == pytest.approx(1)


def a_draft_equal_to_its_target_has_all_60_of_60_accepted():
    end = finished(run(History(8, context=100), History(8, context=100), [1, 2], K=4, max_new_tokens=75, observe=False))
    assert (end.accepted, end.drafted) == (60, 60)


def nothing_follows_the_end_of_the_text():
    text = FakeText("abcdef.", eos=".")
    for story in ("ab.cdefabc", "abc.defabc", "abcd.efabc", "abcde.fabc"):  # as drafted token 1, 2, 3 and as the bonus
        model = Script(text.encode(story), 7)
        events = run(model, model, text.encode("a"), text, K=3, max_new_tokens=9)
        assert finished(events).text == story[1 : story.index(".") + 1] and finished(events).reason == "eos"


def the_length_limit_holds_inside_a_block():
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


def one_tokenizer_is_a_pair_whatever_its_sizes_and_two_are_none():
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


def characters_of_several_bytes_are_whole():
    words = "naïve café 北京 👩‍🚀 नमस्ते"
    assert streamed(stories(), words) == words


def spaces_between_words_are_kept():
    tokenizer = tiny.byte_fallback()
    assert " " in streamed(tokenizer, "the cat the cat").strip()


def the_residual_is_a_distribution_even_where_it_has_no_mass():
    p = torch.tensor([P])
    assert torch.equal(specviz.acceptance.residual(p, p), p)
    q = torch.nextafter(p, torch.ones(1))  # p = q but for rounding: a rejection is possible, and nowhere is p above q
    verdict = verify_rejection(torch.tensor([0]), q, p.expand(2, -1), [1 - 2**-53])
    assert verdict.rejected and torch.equal(verdict.next_distribution, p[0])


# Plants: the mistake, put into the real code --------------------------------------------------------------------------


def resample_from_p(patch):
    patch.setattr(specviz.rules.rejection, "residual", lambda p, q: p)


def softmax_over_the_residual(patch):
    def residual(p, q):
        excess = (p - q).clamp(min=0)
        return excess.softmax(-1)

    patch.setattr(specviz.rules.rejection, "residual", residual)


def draft_by_argmax_but_test_with_softmax(patch):
    patch.setattr("specviz.engine.draft.base.draw", lambda q, u: q.argmax(-1))


def cut_where_q_is_low(patch, keep: bool):
    real = SmallModelSession.propose

    def propose(self, tokens, k, u):
        block = real(self, tokens, k, u)
        for i, x in enumerate(block.ids):
            if block.q[i, x] < 0.2:
                end = i + keep
                return Block(block.ids[:end], block.q[:end])
        return block

    patch.setattr(SmallModelSession, "propose", propose)


def drop_a_draft_token_of_low_q(patch):
    cut_where_q_is_low(patch, keep=False)


def accept_at_the_threshold(patch):
    patch.setattr(specviz.rules.rejection, "accepts", lambda u, p_x, q_x: u * q_x <= p_x)


def reset_the_seed_before_every_draw(patch):
    reset_the_seed(patch, lambda uniforms, n: Uniforms.__call__(uniforms, 1).repeat(n))


def reset_the_seed_before_every_round(patch):
    reset_the_seed(patch, Uniforms.__call__)


def reset_the_seed(patch, draws):
    class Reset(Uniforms):
        def __call__(self, n):
            self.__init__(0, self.device)
            return draws(self, n)

    patch.setattr(specviz.engine.decode, "Uniforms", Reset)


def give_no_bonus_token(patch):
    real = Output.add

    def emit(self, ids):
        whole = len(ids) == self.config.K + 1
        return real(self, ids[:-1] if whole else ids)

    patch.setattr(Output, "add", emit)


def take_the_bonus_from_one_position_earlier(patch):
    draw_what_follows_from(patch, lambda p, q, accepted, whole: p[accepted - 1] if whole else None)


def resample_from_one_position_later(patch):
    draw_what_follows_from(
        patch, lambda p, q, accepted, whole: None if whole else specviz.acceptance.residual(p[accepted + 1], q[accepted])
    )


def draw_what_follows_from(patch, other):
    """From another distribution, where `other` gives one."""
    real = Rejection.verify

    def verify(self, block):
        decision = real(self, block)
        row = other(block.p, block.q, decision.accepted, decision.accepted == len(block.x))
        return decision if row is None else decision._replace(next_distribution=row)

    patch.setattr(Rejection, "verify", verify)


def compare_tokens_for_equality(patch):
    def verify(self, block):
        y = draw(block.p[: len(block.x)], torch.tensor(block.u, dtype=torch.float64)).tolist()
        accepted = 0
        while accepted < len(block.x) and block.x[accepted] == y[accepted]:
            accepted += 1
        return Decision(accepted, block.p[accepted])

    patch.setattr(Rejection, "verify", verify)


def feed_the_draft_the_last_token_alone(patch):
    real = SmallModelSession.propose

    class Last(list):
        def __getitem__(self, i):
            return [self[-1]] if isinstance(i, slice) else super().__getitem__(i)

    patch.setattr(SmallModelSession, "propose", lambda self, tokens, k, u: real(self, Last(tokens), k, u))


def look_for_the_end_only_at_the_end_of_a_block(patch):
    real = Output.add

    def emit(self, ids):
        text = self.text
        if ids[-1] not in text.eos:
            self.text = copy(text)
            self.text.eos = frozenset()
        pieces = real(self, ids)
        self.text = text
        return pieces

    patch.setattr(Output, "add", emit)


def look_at_the_length_only_after_a_block(patch):
    init, add = Output.__init__, Output.add

    def roomy(self, prompt, config, *rest):
        init(self, prompt, replace(config, max_new_tokens=config.max_new_tokens + config.K), *rest)
        self.config = config

    def late(self, ids):
        self.limit -= self.config.K
        pieces = add(self, ids)
        self.limit += self.config.K
        return pieces

    patch.setattr(Output, "__init__", roomy)
    patch.setattr(Output, "add", late)


def compare_vocabulary_sizes(patch):
    patch.setattr(specviz.engine.models.pair, "mismatch", lambda a, b: None if len(a) == len(b) else "sizes differ")


def compare_nothing(patch):
    patch.setattr(specviz.engine.models.pair, "mismatch", lambda a, b: None)


def decode_token_by_token(patch):
    class Stream:
        def __init__(self, backend):
            self.backend = backend

        def push(self, id):
            return self.backend.decode([id])

    patch.setattr(TokenizerText, "stream", lambda self, prompt: Stream(self.backend))


def divide_by_a_mass_of_zero(patch):
    def residual(p, q):
        excess = (p - q).clamp(min=0)
        return excess / excess.sum(-1, keepdim=True)

    patch.setattr(specviz.acceptance, "residual", residual)
    patch.setattr(specviz.rules.rejection, "residual", residual)


@dataclass(frozen=True)
class Mistake:
    plant: Callable
    check: Callable[[], None]
    first: float | None = None
    """P(the first token is 0) with the mistake in; .40 without."""

    def __str__(self):
        return self.plant.__name__


MISTAKES = [
    Mistake(resample_from_p, the_first_token_is_distributed_as_p, 0.52),
    Mistake(softmax_over_the_residual, the_first_token_is_distributed_as_p, 0.47),
    Mistake(draft_by_argmax_but_test_with_softmax, the_first_token_is_distributed_as_p, 0.57),
    Mistake(drop_a_draft_token_of_low_q, the_first_token_is_distributed_as_p, 0.52),
    Mistake(accept_at_the_threshold, a_token_that_p_rules_out_is_rejected_by_a_uniform_of_zero),
    Mistake(reset_the_seed_before_every_draw, every_uniform_of_a_run_is_its_own),
    Mistake(reset_the_seed_before_every_round, every_uniform_of_a_run_is_its_own),
    Mistake(give_no_bonus_token, a_block_kept_whole_is_followed_by_a_bonus_token),
    Mistake(take_the_bonus_from_one_position_earlier, the_whole_block_is_distributed_as_the_target_writes_it),
    Mistake(resample_from_one_position_later, the_first_token_is_distributed_as_p),
    Mistake(compare_tokens_for_equality, all_is_accepted_where_p_equals_q),
    Mistake(feed_the_draft_the_last_token_alone, a_draft_equal_to_its_target_has_all_60_of_60_accepted),
    Mistake(look_for_the_end_only_at_the_end_of_a_block, nothing_follows_the_end_of_the_text),
    Mistake(look_at_the_length_only_after_a_block, the_length_limit_holds_inside_a_block),
    Mistake(compare_vocabulary_sizes, one_tokenizer_is_a_pair_whatever_its_sizes_and_two_are_none),
    Mistake(compare_nothing, one_tokenizer_is_a_pair_whatever_its_sizes_and_two_are_none),
    Mistake(decode_token_by_token, characters_of_several_bytes_are_whole),
    Mistake(decode_token_by_token, spaces_between_words_are_kept),
    Mistake(divide_by_a_mass_of_zero, the_residual_is_a_distribution_even_where_it_has_no_mass),
]
CHECKS = list(dict.fromkeys(mistake.check for mistake in MISTAKES))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_engine_passes_the_check(check):
    check()


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_the_check_fails_once_the_mistake_is_planted(mistake, monkeypatch):
    mistake.plant(monkeypatch)
    with pytest.raises(AssertionError):
        mistake.check()


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.first], ids=str)
def test_the_mistake_moves_the_first_token_by_the_known_amount(mistake, monkeypatch):
    assert round(first_token(law_of_block(1))[0], 2) == 0.40
    mistake.plant(monkeypatch)
    assert round(first_token(law_of_block(1))[0], 2) == mistake.first


def test_equality_of_tokens_accepts_the_sum_of_squares_even_where_p_equals_q(monkeypatch):
    compare_tokens_for_equality(monkeypatch)
    assert acceptance_where_p_equals_q() == pytest.approx(sum(x * x for x in P))


@pytest.mark.parametrize("K", [1, 2])
def test_keeping_a_draft_token_of_low_q_and_then_stopping_is_exact(monkeypatch, K):
    cut_where_q_is_low(monkeypatch, keep=True)
    expected = np.array(1.0)
    for i in range(K + 1):
        expected = expected[..., None] * np.array([P, P[::-1]][i % 2])
    assert np.abs(law_of_block(K) - expected).max() < 1e-6
