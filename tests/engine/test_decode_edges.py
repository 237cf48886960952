"""Decoding at its edges: where a run ends, what is thrown away, what the caches hold, what a failure leaves behind.

Scripts make a round happen as a table says; chains and histories make many rounds happen, and then what must hold in every
round is asked of each.
"""

from itertools import product

import pytest
import torch

import specviz.engine.decode
from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.text import PromptError
from specviz.trace import grammar
from specviz.trace.events import Finished, Prefill, Round
from tests.fakes import FakeText, History, Markov, Script, finished, random_chain, roles, rounds, run, start, tokens, verdicts

A, R, U = "accepted", "rejected", "unexamined"
WAYS = list(product(("rejection", "match"), (0, 1.0)))  # verifier, temperature: scripts are as certain when sampling


def scripted(target: str, draft: str | None, text: FakeText, **config):
    """Run two scripts that begin with the same letter, the prompt."""
    models = [Script(text.encode(story), len(text.pieces)) if story else None for story in (target, draft)]
    return honest(run(*models, text.encode(target[0]), text, **config), **config)


def honest(events, lane="speculative", **config):
    """The events, once they obey the rules that every run obeys."""
    assert list(grammar.violations(lane, events, DecodeConfig(**config))) == []
    return events


def what_happened(events):
    """All that a run says but its times."""
    return [
        (r.drafted, r.emitted, r.residual, r.target_cache, r.draft_cache, r.target_forwards, r.draft_forwards)
        for r in rounds(events)
    ]


TEXT = FakeText("abcdefgh.!", eos=".!")


@pytest.mark.parametrize(("verifier", "temperature"), WAYS)
@pytest.mark.parametrize(
    ("target", "draft", "text", "verdict", "role"),
    [
        ("a.bcd", "a.bcd", ".", [A, U, U], [A]),
        ("ab.cd", "ab.cd", "b.", [A, A, U], [A, A]),
        ("abc.d", "abc.d", "bc.", [A, A, A], [A, A, A]),
        ("abcd.", "abcde", "bcd.", [A, A, A], [A, A, A, "bonus"]),
        ("a.bcd", "abbcd", ".", [R, U, U], ["corrected"]),
        ("ab.cd", "abbcd", "b.", [A, R, U], [A, "corrected"]),
        ("a!bcd", "a!bcd", "!", [A, U, U], [A]),
        ("a.bcd", "a!bcd", ".", [R, U, U], ["corrected"]),
        ("a.bcd", None, ".", [], ["plain"]),
    ],
    ids=["first", "middle", "last", "bonus", "corrected", "corrected later", "another eos", "eos for eos", "plain"],
)
def test_the_run_ends_with_the_end_of_sequence_wherever_in_a_round_it_is(
    target, draft, text, verdict, role, verifier, temperature
):
    events = scripted(target, draft, TEXT, K=3 if draft else 0, verifier=verifier, temperature=temperature, max_new_tokens=9)
    end = finished(events)
    assert (end.reason, end.detail, end.text) == ("eos", text[-1], text)
    assert (verdicts(events), roles(events)) == ([verdict], [role])
    assert end.accepted == verdict.count(A) and end.tested == verdict.count(A) + verdict.count(R)


@pytest.mark.parametrize("K", [0, 1, 3])
def test_on_request_the_end_of_sequence_is_a_token_like_any_other(K):
    events = scripted("ab.d!f.h", "ab.d!f.h" if K else None, TEXT, K=K, max_new_tokens=6, ignore_eos=True)
    assert finished(events).text == "b.d!f." and finished(events).reason == "length"


PIECES = FakeText(["a", "b", "cd", " e", "f", "gh", "", "."])
STORY = [0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]  # a | b cd _e f gh b cd _e f gh


def stopping(stop, K=3, ids=STORY, draft=None, **config):
    model, other = Script(ids, 8), Script(draft or ids, 8)
    config = {"K": K, "stop": stop, "max_new_tokens": 9} | config
    return honest(run(model, other if K else None, ids[:1], PIECES, **config), **config)


@pytest.mark.parametrize(
    ("stop", "text"),
    [
        (("d",), "bcd"),
        (("c",), "bcd"),
        (("bc",), "bcd"),
        (("d e",), "bcd e"),
        (("bcd ef",), "bcd ef"),
        (("efg",), "bcd efgh"),
        (("ghb",), "bcd efghb"),
        (("zz", "g", "f"), "bcd ef"),
        (("hbcd e",), "bcd efghbcd e"),
    ],
    ids=str,
)
@pytest.mark.parametrize("K", [0, 1, 2, 3, 8])
def test_a_stop_string_ends_the_run_with_the_token_that_completes_it_however_the_tokens_fall_into_rounds(stop, text, K):
    end = finished(stopping(stop, K))
    assert (end.reason, end.text) == ("stop", text) and end.detail in stop and end.detail in text


def test_accepted_tokens_after_a_stop_string_are_thrown_away_and_read_unexamined_and_no_rejection_is_reached():
    events = stopping(("d",), K=4)
    assert verdicts(events) == [[A, A, U, U]] and roles(events) == [[A, A]]
    assert [d.position is None for d in rounds(events)[0].drafted] == [False, False, True, True]
    assert [d.u is None for d in rounds(events)[0].drafted] == [False, False, True, True]
    assert (finished(events).accepted, finished(events).tested, finished(events).drafted) == (2, 2, 4)
    events = stopping(("d",), K=3, draft=[0, 1, 2, 0, 0])
    assert verdicts(events) == [[A, A, U]] and rounds(events)[0].residual is None


def test_a_stop_string_may_be_completed_by_any_token_and_of_two_at_once_the_first_named_is_given():
    assert roles(stopping(("f",), K=3)) == [[A, A, A, "bonus"]]
    assert roles(stopping(("e",), K=3, draft=[0, 1, 2, 0, 0])) == [[A, A, "corrected"]]
    assert finished(stopping(("bcd",), ids=[0, 1, 6, 2, 3, 4])).text == "bcd"
    assert finished(stopping(("cd", "d"))).detail == "cd" and finished(stopping(("d", "cd"))).detail == "d"


def alike(**context):
    return History(6, **context), History(6, seed=1)


@pytest.mark.parametrize("K", [1, 4, 16])
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8])
def test_no_more_is_drafted_than_the_length_leaves_room_for(K, limit):
    model = Script([0, 1, 2] * 10, 3)
    events = honest(run(model, model, [0], K=K, max_new_tokens=limit), K=K, max_new_tokens=limit)
    left = limit
    for r in rounds(events):
        assert len(r.drafted) == min(K, left - 1) and len(r.emitted) == len(r.drafted) + 1
        left -= len(r.emitted)
    assert left == 0 and finished(events).reason == "length" and str(limit) in finished(events).detail


@pytest.mark.parametrize("verifier", ["rejection", "match"])
@pytest.mark.parametrize("K", [0, 1, 3, 16])
@pytest.mark.parametrize("prompt", [[1], [1, 2, 3], [1, 2, 3, 4, 5, 1, 2, 3, 4]], ids=len)
def test_the_context_of_the_target_ends_the_run(K, prompt, verifier):
    target, draft = alike(context=10)
    events = honest(run(target, draft, prompt, K=K, max_new_tokens=50, verifier=verifier), max_new_tokens=50, K=K)
    assert (finished(events).reason, finished(events).tokens) == ("context", 10 - len(prompt))
    assert "10" in finished(events).detail and target.sequences[0].length == 9


@pytest.mark.parametrize("temperature", [0, 1.0])
@pytest.mark.parametrize("context", [1, 2, 3, 5, 8, 12])
def test_a_draft_with_a_shorter_context_falls_silent_and_the_run_goes_on(context, temperature):
    target, draft = History(6), History(6, context=context)
    how = {"K": 3, "max_new_tokens": 14, "temperature": temperature}
    events = honest(run(target, draft, [1, 2, 3], **how), **how)
    length = 3
    for r in rounds(events):  # the last draft token of a block is drawn but not fed, so one more fits than positions are left
        assert len(r.drafted) == max(0, min(3, 3 + 14 - length - 1, context - length + 1))
        assert r.draft_cache.peak <= context and r.asked == min(3, 3 + 14 - length - 1)
        assert r.fewer == ("context" if len(r.drafted) < r.asked else "length" if r.asked < 3 else None)
        length += len(r.emitted)
    assert length == 3 + 14 and not r.drafted
    if temperature == 0:
        assert tokens(events) == tokens(run(History(6), None, [1, 2, 3], max_new_tokens=14, temperature=0))


@pytest.mark.parametrize("how", [{}, {"temperature": 0}, {"verifier": "match"}], ids=str)
def test_a_round_says_why_it_drafts_fewer_than_K(how):
    how |= {"K": 6, "max_new_tokens": 40, "confidence": 0.5}
    rounds_of_run = rounds(honest(run(*alike(), [1, 2, 3], **how), **how))
    assert "confidence" in {r.fewer for r in rounds_of_run}
    for r in rounds_of_run:
        assert (r.fewer is None) == (len(r.drafted) == 6) and len(r.drafted) <= r.asked
        assert r.fewer != "confidence" or 0 < len(r.drafted) < r.asked


def test_a_vanilla_round_was_asked_for_nothing():
    assert {(r.asked, r.fewer) for r in rounds(run(History(6), None, [1, 2], max_new_tokens=4))} == {(0, None)}


@pytest.mark.parametrize("K", [0, 3])
def test_a_prompt_of_one_token_has_nothing_to_prefill(K):
    target, draft = alike()
    events = honest(run(target, draft if K else None, [4], K=K, max_new_tokens=6), K=K, max_new_tokens=6)
    assert events[0].target_positions == 0 and events[0].draft_positions == (0 if K else None)
    assert target.sequences[0].fed[0][0] == 4


@pytest.mark.parametrize(
    ("prompt", "reason"), [([], "empty"), *(([1] * length, rf"\b{length}\b.*\b10\b") for length in (10, 11, 300))], ids=len
)
def test_a_prompt_that_is_empty_or_leaves_no_room_is_refused_at_once(prompt, reason):
    with pytest.raises(PromptError, match=reason):
        start(*alike(context=10), prompt)


def test_drafting_without_a_drafter_is_refused_at_once():
    with pytest.raises(ValueError, match="drafter"):
        start(History(4), None, [1], K=2)


@pytest.mark.parametrize("temperature", [0, 1.0])
@pytest.mark.parametrize("prompt", [[0], [4, 0], [0, 4]], ids=str)
def test_a_token_that_the_draft_has_no_embedding_for_does_not_fail_the_run(prompt, temperature):
    """A target whose logits are padded further than its draft's may say a padding id, if seldom."""
    chain = torch.eye(5)[[1, 4, 3, 4, 0]]  # 0 → 1 → 4 → 0 → …, and the draft knows 0 to 2
    how = {"K": 2, "max_new_tokens": 8, "temperature": temperature}
    events = honest(run(Markov(chain), Markov(random_chain(3, 0)), prompt, **how), **how)
    assert tokens(events) == tokens(run(Markov(chain), None, prompt, max_new_tokens=8, temperature=temperature))


def again_and_anew(target, draft, **config):
    """A run over used models, and the same over new ones."""
    return run(target, draft, [1, 2], **config), run(*alike(), [1, 2], **config)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_stopped_between_rounds_says_so_keeps_what_it_has_and_leaves_the_next_run_alone(after):
    how = {"K": 3, "max_new_tokens": 30}
    target, draft = alike()
    whole = run(target, draft, [1, 2], **how)
    calls = iter(range(100))
    events = honest(run(target, draft, [1, 2], cancel=lambda: next(calls) == after, **how), **how)
    assert finished(events).reason == "cancelled" and len(rounds(events)) == after
    assert what_happened(events) == what_happened(whole)[:after] and finished(events).tokens == len(tokens(events))
    again, new = again_and_anew(target, draft, **how)
    assert what_happened(again) == what_happened(new) == what_happened(whole)


class Broken(RuntimeError):
    pass


def failing(thing, name: str, at: int, monkeypatch):
    """Let call number `at` of a method fail, the calls of every object of that class counted together."""
    real, calls = getattr(thing, name), iter(range(10**6))

    def call(self, *args, **kwargs):
        if next(calls) == at:
            raise Broken("the device is gone")
        return real(self, *args, **kwargs)

    monkeypatch.setattr(thing, name, call)


def until_it_fails(events_of):
    events = []
    with pytest.raises(Broken, match="gone"):
        for event in events_of:
            events.append(event)
    return events


@pytest.mark.parametrize("at", [0, 1, 2, 3, 5, 9])
def test_a_failure_is_said_then_raised_and_leaves_the_next_run_alone(monkeypatch, at):
    how = {"K": 3, "max_new_tokens": 20}
    target, draft = alike()
    with monkeypatch.context() as patch:
        failing(History, "rows", at, patch)
        events = until_it_fails(start(target, draft, [1, 2], **how))
    assert isinstance(events[-1], Finished) and (events[-1].reason, events[-1].detail) == ("error", "Broken: the device is gone")
    if at < 2:  # while the prompt is taken in
        assert (events[-1].tokens, events[-1].text) == (0, "")
    else:
        assert isinstance(events[0], Prefill) and all(isinstance(event, Round) for event in events[1:-1])
        honest(events, **how)
    again, new = again_and_anew(target, draft, **how)
    assert what_happened(again) == what_happened(new)


def test_a_failure_of_who_asks_to_stop_is_a_failure_of_the_run():
    def stop():
        raise Broken("the page is gone")

    events = until_it_fails(start(*alike(), [1, 2], K=3, cancel=stop))
    assert finished(events).detail == "Broken: the page is gone"


MANY = [
    {"K": K, "verifier": verifier, "temperature": temperature, "max_new_tokens": 24, "seed": seed}
    for seed, (K, verifier, temperature) in enumerate(product((1, 2, 4, 7), ("rejection", "match"), (0, 1.0)))
]


def partly_alike(how):
    """Two chains that agree often and not always, alternating by position so that a cache one position off is heard."""
    P = [random_chain(5, 10 * how["seed"] + i, sharpness=1.5) for i in range(2)]
    Q = [0.6 * chain + 0.4 * random_chain(5, 10 * how["seed"] + 5 + i) for i, chain in enumerate(P)]
    return Markov(*P, name="target"), Markov(*Q, name="draft")


@pytest.mark.parametrize("how", MANY, ids=lambda how: f"{how['K']}-{how['verifier']}-{how['temperature']}")
def test_the_caches_hold_the_text_without_its_last_token_and_rounds_say_what_they_held_and_how_many_passes_were_made(how):
    prompt = [1, 2, 3]
    target, draft = partly_alike(how)
    fed, text, drafted, events = None, list(prompt), 0, []
    for event in start(target, draft, prompt, **how):
        events.append(event)
        if isinstance(event, Prefill):
            assert (event.target_positions, event.draft_positions) == (2, 2)
            assert [token.id for token in event.prompt] == prompt
            (t,), (d,) = target.sequences, draft.sequences
            fed, before, draft_before = [[1, 2]], 2, 2
        elif isinstance(event, Round):
            k, ids = len(event.drafted), [x.token.id for x in event.drafted]
            fed.append([text[-1], *ids])
            draft_peak = len(text) + k - 1 if k else draft_before
            text += [e.token.id for e in event.emitted]
            after = len(text) - 1
            cache = event.target_cache
            assert (cache.before, cache.peak, cache.after) == (before, before + 1 + k, after)
            assert (t.ids, t.fed) == (text[:-1], fed)
            cache = event.draft_cache
            assert (cache.before, cache.peak, cache.after) == (draft_before, draft_peak, min(draft_peak, after))
            assert d.ids == text[: cache.after]
            before, draft_before, drafted = after, cache.after, drafted + k
            assert (event.index, event.target_forwards, event.draft_forwards) == (len(fed) - 2, len(fed) - 1, drafted)
    honest(events, **how)
    assert len(text) == 27 and len(target.sequences) == len(draft.sequences) == 1
    end = finished(events)
    assert end.target_forwards == len(fed) - 1 == end.rounds < 24  # one a round
    assert end.draft_forwards == len(draft.sequences[0].fed) - 1 == end.drafted == drafted  # one a token


def test_greedy_decoding_draws_no_uniform(monkeypatch):
    monkeypatch.setattr(specviz.engine.decode, "Uniforms", None)
    for verifier in ("rejection", "match"):
        events = run(*alike(), [1, 2], K=3, max_new_tokens=20, temperature=0, verifier=verifier)
        assert all(x.u is None for r in rounds(events) for x in (*r.drafted, *r.emitted))


def test_times_are_the_spans_between_the_marks_in_milliseconds():
    ticks = iter(range(10**6))
    target, draft = alike()
    config = DecodeConfig(K=2, max_new_tokens=6)
    events = list(decode(target, SmallModel(draft), [1, 2], config, FakeText(), clock=lambda: float(next(ticks))))
    assert (events[0].target_ms, events[0].draft_ms) == (1000, 1000)
    for r in rounds(events):
        assert (r.times.draft, r.times.verify, r.times.decide, r.times.rest, r.times.observe) == (1000,) * 5
    end = finished(events)
    assert (end.prefill_ms, end.decode_ms, end.observe_ms) == (2000, 4000 * end.rounds, 1000 * end.rounds)
