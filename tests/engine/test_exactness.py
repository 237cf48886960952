"""Speculative decoding is lossless: the law of the tokens it emits is the law of the target's own. By exact enumeration.

First of the rules in verify.py, in float64 and to 1e-12: every draft block by its probability under q, every
uniform on either side of its threshold by the width of that side. Then through `decode()` as it is, caches and all, on
chains whose probabilities are such that a grid of uniforms gives their law exactly.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
import torch

import specviz.engine.decode
from specviz.acceptance import ratio
from specviz.config import DecodeConfig
from specviz.engine.sampling import Sampler
from specviz.picture.replay import INEXACT
from tests.by_rule import verify_block, verify_match, verify_rejection, verify_typical
from tests.fakes import Chances, FakeText, Markov, finished, random_chain, run, tokens
from tests.products import later

FILTERS = {
    "greedy": {"temperature": 0},
    "cool": {"temperature": 0.5},
    "plain": {},
    "hot": {"temperature": 2.0},
    "top-k": {"top_k": 2},
    "top-p": {"top_p": 0.7},
    "both": {"top_k": 3, "top_p": 0.8, "temperature": 1.5},
}


def blocks(P, Q, start, K):
    """Every draft block of K that q can draw after `start`: its ids, as a tuple and as a tensor [K], q, p [K + 1, V], its chance."""
    for block in product(range(len(P)), repeat=K):
        before, ids = [start, *block], torch.tensor(block, dtype=torch.long)
        q = Q[before[:K]].reshape(K, len(P))
        weight = float(q.gather(1, ids.view(K, 1)).prod())
        if weight:
            yield block, ids, q, P[before], weight


def no_law(P, K):
    """Item m has shape [V]·(m + 1), of the chances to emit just so many tokens: all are 0 so far."""
    return [np.zeros((len(P),) * (m + 1)) for m in range(K + 1)]


@cache
def rejection_law(P, Q, start, K, low=0.5, theta=1.0):
    """The laws of a round's tokens after `start`: item m has shape [V]·(m+1), the chance to emit just those m + 1 tokens.
    A uniform that accepts is placed at `low` times its threshold. Not exact for `theta` below 1."""
    law = no_law(P, K)
    for block, ids, q, p, weight in blocks(P, Q, start, K):
        thresholds = [min(1.0, float(ratio(p[i, x], q[i, x])) / theta) for i, x in enumerate(block)]
        for accepted in range(K + 1):  # `accepted` uniforms accept, the next rejects, the rest is never looked at
            u = [0.5] * K
            chance = weight
            for i in range(min(accepted + 1, K)):
                t = thresholds[i]
                u[i], width = (low * t, t) if i < accepted else ((1 + t) / 2, 1 - t)
                chance *= width
            if chance == 0:
                continue
            verdict = verify_rejection(ids, q, p, u, theta)
            assert (verdict.accepted, verdict.rejected, verdict.token) == (accepted, accepted < K, None)
            law[accepted][block[:accepted]] += chance * verdict.next_distribution.numpy()
    return law


@cache
def match_law(P, Q, start, K):
    """The same for sample-and-match: every block by q, every y by p."""
    law = no_law(P, K)
    for block, ids, q, p, weight in blocks(P, Q, start, K):
        for y in product(range(len(P)), repeat=K + 1):
            chance = weight * float(p.gather(1, torch.tensor(y)[:, None]).prod())
            if chance:
                verdict = verify_match(ids, q, p, list(y))
                assert verdict.rejected == (verdict.accepted < K) and verdict.next_distribution is None
                law[verdict.accepted][(*block[: verdict.accepted], verdict.token)] += chance
    return law


@cache
def block_law(P, Q, start, K, low=0.5):
    """The same for block verification: every u on either side of its chance, since every one is asked."""
    law = no_law(P, K)
    for block, ids, q, p, weight in blocks(P, Q, start, K):
        chances = verify_block(ids, q, p, [0.5] * K).chance
        for keep_flags in product((True, False), repeat=K):
            chance = weight * float(np.prod([h if keep else 1 - h for h, keep in zip(chances, keep_flags, strict=True)]))
            if chance == 0:
                continue
            u = [low * h if keep else (1 + h) / 2 for h, keep in zip(chances, keep_flags, strict=True)]
            verdict = verify_block(ids, q, p, u)
            accepted = max((i for i, keep in enumerate(keep_flags, 1) if keep), default=0)
            assert (verdict.accepted, verdict.rejected, verdict.token) == (accepted, accepted < K, None)
            law[accepted][block[:accepted]] += chance * verdict.next_distribution.numpy()
    return law


@cache
def typical_law(P, Q, start, K, epsilon, delta, last=lambda p: p):
    """The same by typical acceptance, where no u decides. `last`: what the token after the accepted ones is drawn from, given p."""
    law = no_law(P, K)
    for block, ids, q, p, weight in blocks(P, Q, start, K):
        verdict = verify_typical(ids, q, p, epsilon, delta)
        law[verdict.accepted][block[: verdict.accepted]] += weight * last(verdict.next_distribution).numpy()
    return law


def tokens_a_round(law):
    return sum((m + 1) * part.sum() for m, part in enumerate(law))


def follow(laws, P, start, rounds, n):
    """The law of the first n tokens, shape [V]·n: `rounds` rounds, each from the last token of the one before (`laws` by
    that token), then the target alone."""
    size, P = len(P), np.asarray(P)
    law = [np.stack([laws[s][m] for s in range(size)]) for m in range(len(laws[0]))]  # the token before, then those emitted
    states = [np.asarray(1.0)]
    for _ in range(rounds):
        after = {}
        for state in states:
            for one in law:
                if state.ndim == 0:
                    joint = state * one[start]
                else:
                    joint = state[(...,) + (None,) * (one.ndim - 1)] * one
                joint = joint.sum(axis=tuple(range(n, joint.ndim))) if joint.ndim > n else joint
                after[joint.ndim] = after.get(joint.ndim, 0) + joint
        states = list(after.values())
    total = np.zeros((size,) * n)
    for state in states:
        while state.ndim < n:
            state = state[..., None] * P if state.ndim else P[start]
        total += state
    return total


def alone(P, start, n):
    """The law of n tokens when the target writes them one by one."""
    state, P = np.asarray(P)[start], np.asarray(P)
    while state.ndim < n:
        state = state[..., None] * P
    return state


def assert_exact(P, Q, K, one_round=rejection_law, limit=8, **how):
    """After one round and after two, from every start, the joint law is the target's."""
    laws = [one_round(P, Q, s, K, **how) for s in range(len(P))]
    for law in laws:
        assert abs(sum(part.sum() for part in law) - 1) < 1e-12
    for s in range(len(P)):
        for count, n in ((1, K + 1), (2, min(2 * K + 2, limit))):
            assert np.abs(follow(laws, P, s, count, n) - alone(P, s, n)).max() < 1e-12


def filtered(logits, **settings):
    """What the engine makes of `logits`, in float64 and summing to 1 as exactly as that can."""
    rows = Sampler.of(DecodeConfig(**settings))(logits).double()
    return rows / rows.sum(-1, keepdim=True)


def chains(size, seed=0, **settings):
    P, Q = (random_chain(size, 10 * seed + i, sharpness=1.5).log() for i in (1, 2))
    return filtered(P, **settings), filtered(Q, **settings)


def one_hot(*ids):
    return torch.eye(4, dtype=torch.float64)[list(ids)]


SOME = random_chain(4, 7)
HALF = torch.tensor([[0.5, 0.5, 0, 0]] * 2 + [[0.25, 0.75, 0, 0]] * 2, dtype=torch.float64)
SPECIAL = {
    "disjoint supports": (HALF, HALF.flip(-1)),
    "p equal to q": (SOME, SOME),
    "q a permutation of p": (SOME, SOME.flip(-1)),
    "one-hot p": (one_hot(1, 2, 3, 0), SOME),
    "one-hot q": (SOME, one_hot(1, 2, 3, 0)),
    "p and q one-hot and equal": (one_hot(1, 2, 3, 0), one_hot(1, 2, 3, 0)),
    "p and q one-hot, sometimes equal": (one_hot(1, 2, 3, 0), one_hot(1, 0, 3, 2)),
    "q with fewer tokens than p": (SOME, HALF),
    "p with fewer tokens than q": (HALF, SOME),
}


def largest(Q):
    """What argmax drafting draws from: all of q on its largest."""
    return torch.eye(Q.shape[-1], dtype=torch.float64)[Q.argmax(-1)]


FILTERED = {name: chains(4, seed=3, **settings) for name, settings in FILTERS.items()}
DRAFTS = FILTERED | {f"{name}, argmax": (P, largest(Q)) for name, (P, Q) in FILTERED.items()} | SPECIAL


@pytest.mark.parametrize("one_round", [rejection_law, block_law, match_law])
@pytest.mark.parametrize(("size", "K"), [(2, 0), (2, 1), (2, 4), (3, 2), (3, 3), (4, 1), (4, 2)])
def test_every_exact_rule_emits_the_law_of_the_target_over_one_round_and_two(one_round, size, K):
    assert_exact(*chains(size, seed=size), K, one_round)


@pytest.mark.parametrize("pair", DRAFTS.values(), ids=DRAFTS)
def test_every_exact_rule_is_exact_under_every_filter_and_whatever_the_draft_is(pair):
    assert_exact(*pair, 3)
    assert_exact(*pair, 3, block_law)
    assert_exact(*pair, 2, match_law, limit=6)


@pytest.mark.parametrize("pair", [chains(4, seed=5), *SPECIAL.values()], ids=["random", *SPECIAL])
def test_a_uniform_of_exactly_zero_is_as_good_as_any_other(pair):
    assert_exact(*pair, 3, low=0.0)
    assert_exact(*pair, 2, block_law, low=0.0)


def test_the_published_example_of_block_verification_keeps_eleven_ninths_where_rejection_keeps_ten():
    """Sun et al. 2024, section 2: two tokens, whatever the text p(a) = 1/3 and q(a) = 2/3, K = 2."""
    P, Q = torch.tensor([[1 / 3, 2 / 3]] * 2, dtype=torch.float64), torch.tensor([[2 / 3, 1 / 3]] * 2, dtype=torch.float64)
    assert tokens_a_round(rejection_law(P, Q, 0, 2)) - 1 == pytest.approx(10 / 9, abs=1e-12)
    assert tokens_a_round(block_law(P, Q, 0, 2)) - 1 == pytest.approx(11 / 9, abs=1e-12)


CASES = {f"random {seed}": chains(3, seed=seed) for seed in range(12)} | SPECIAL


@pytest.mark.parametrize("pair", CASES.values(), ids=CASES)
def test_block_verification_never_keeps_fewer_tokens_than_rejection(pair):
    P, Q = pair
    for q, K, s in product((Q, largest(Q)), range(4), range(len(P))):
        by_token, by_block = (tokens_a_round(law(P, q, s, K)) for law in (rejection_law, block_law))
        assert by_block >= by_token - 1e-12
        if q is not Q:
            # of a one-hot q no ratio is above 1: nothing makes up for one below
            assert by_block == pytest.approx(by_token, abs=1e-12)


def as_drawn(Q):
    return Q


def distances(one_round, K=3, drafts=as_drawn, **how):
    """TV between the law of K + 1 tokens, written by one round and then by the target, and the target's own: of the twelve random
    chains, after each of their tokens. `drafts`: what a block is drawn from, given the draft's softmax."""
    return [tv for P, Q in list(CASES.values())[:12] for tv in distances_of(one_round, P, drafts(Q), K, **how)]


def distances_of(one_round, P, Q, K=3, **how):
    laws = [one_round(P, Q, s, K, **how) for s in range(len(P))]
    return [float(np.abs(follow(laws, P, s, 1, K + 1) - alone(P, s, K + 1)).sum() / 2) for s in range(len(P))]


MEDUSA = {"epsilon": 0.09, "delta": 0.3}
INEXACT_LAWS = {
    "typical; the correction is the argmax": (
        typical_law,
        MEDUSA | {"last": largest},
    ),  # as Medusa's code does it, where nothing is drawn
    "typical; the correction is drawn from p": (typical_law, MEDUSA),
    "threshold, θ = 0.9": (rejection_law, {"theta": 0.9}),
    "threshold, θ = 0.5": (rejection_law, {"theta": 0.5}),
}


def test_each_inexact_rule_is_as_far_from_the_target_as_is_claimed_by_drawn_drafts_and_by_argmax_drafts():
    assert [one.name for one in INEXACT] == list(INEXACT_LAWS)
    for one in INEXACT:
        law, how = INEXACT_LAWS[one.name]
        for drafts, claimed in ((as_drawn, one.sample), (largest, one.argmax)):
            tv = distances(law, drafts=drafts, **how)
            assert [round(sum(tv) / len(tv), 2), round(max(tv), 2)] == list(claimed or ()), (one.name, drafts.__name__)


def test_with_argmax_drafts_a_threshold_accepts_with_the_chance_of_sglangs_rule_which_has_no_q():
    """min(1, p(x)/θ), then p without x."""
    (P, Q), theta = CASES["random 1"], 0.5
    for s in range(len(P)):
        x = int(Q[s].argmax())
        law = rejection_law(P, largest(Q), s, 1, theta=theta)
        chance = min(1.0, float(P[s, x]) / theta)
        rest = P[s].numpy() * (np.arange(len(P)) != x)
        assert np.allclose(law[1].sum(axis=1)[x], chance) and np.allclose(law[0], (1 - chance) * rest / rest.sum())


def test_where_the_draft_is_the_target_a_threshold_bends_nothing_and_typical_acceptance_still_does():
    """As docs/rules.md says."""
    P, _ = CASES["random 0"]
    assert max(distances_of(rejection_law, P, P, theta=0.5)) < 1e-12
    assert max(distances_of(typical_law, P, P, **MEDUSA)) > 0.01


def test_the_number_of_drafts_may_change_from_round_to_round():
    P, Q = chains(3, seed=4)
    for first, second in ((4, 1), (0, 3), (2, 0), (1, 4)):
        laws = {K: [rejection_law(P, Q, s, K) for s in range(3)] for K in (first, second)}
        for s in range(3):  # one round of `first`, then one of `second`, laid out as a round of its own
            n = first + second + 2
            then = np.stack([follow(laws[second], P, t, 1, n) for t in range(3)])
            total = np.zeros((3,) * n)
            for one in laws[first][s]:
                joint = one[(...,) + (None,) * n] * then
                total += joint.sum(axis=tuple(range(n, joint.ndim)))
            assert np.abs(total - alone(P, s, n)).max() < 1e-12


# Token number i of a text follows chain i mod 2, so a cache that is one position off changes the law. p in quarters, q in
# halves, each residual certain: drafts on a grid of 2, verdicts of 2 (p/q is 0, 1/2 or at least 1), the last token of 4.

PAIRS = {
    2: (
        Markov([[1 / 4, 3 / 4], [1 / 2, 1 / 2]], [[1, 0], [3 / 4, 1 / 4]], name="target"),
        Markov([[1 / 2, 1 / 2], [0, 1]], [[1 / 2, 1 / 2], [1 / 2, 1 / 2]], name="draft"),
    ),
    3: (
        Markov(
            [[1 / 4, 1 / 4, 1 / 2], [0, 1 / 2, 1 / 2], [1 / 2, 1 / 4, 1 / 4]],
            [[3 / 4, 0, 1 / 4], [1 / 4, 1 / 2, 1 / 4], [0, 0, 1]],
            name="target",
        ),
        Markov(
            [[1 / 2, 1 / 2, 0], [1 / 2, 0, 1 / 2], [0, 1 / 2, 1 / 2]],
            [[1 / 2, 0, 1 / 2], [1 / 2, 1 / 2, 0], [1 / 2, 0, 1 / 2]],
            name="draft",
        ),
    ),
}
HALVES = {  # p in halves too, so that `match`, which draws from p at every position, has a small grid
    2: Markov([[1 / 2, 1 / 2], [1, 0]], [[0, 1], [1 / 2, 1 / 2]], name="target"),
    3: Markov(
        [[1 / 2, 0, 1 / 2], [0, 1 / 2, 1 / 2], [1, 0, 0]], [[1 / 2, 1 / 2, 0], [1 / 2, 0, 1 / 2], [0, 1, 0]], name="target"
    ),
}


def grid(verifier, last):
    """Cells of the 2k + 1 uniforms of a round: k drafts, then k verdicts and the last token, or k + 1 draws from p."""
    return lambda n: [2] * (n // 2) + ([2] * (n // 2) + [last] if verifier == "rejection" else [last] * (n // 2 + 1))


def law_alone(model, prompt, n, eos=()):
    """The law of n tokens after `prompt`, or fewer if one of `eos` ends them: {ids: probability}."""
    law = {(): 1.0}
    for _ in range(n):
        longer = {}
        for ids, weight in law.items():
            if ids and ids[-1] in eos:
                longer[ids] = longer.get(ids, 0) + weight
                continue
            text = [*prompt, *ids]
            for x, chance in enumerate(model.chains[len(text) % len(model.chains), text[-1]].tolist()):
                if chance:
                    longer[*ids, x] = weight * chance
        law = longer
    return law


def law_of_decode(monkeypatch, cells, prompt, n, target, draft, rounds_at_most=None, **settings):
    """The law of the first n tokens of `decode()`: the average over every way its uniforms can fall. If the run is stopped
    after `rounds_at_most` rounds, what is missing is written by the target alone."""
    chances = Chances(cells)
    monkeypatch.setattr(specviz.engine.decode, "Uniforms", lambda seed, device: chances)
    text = settings.pop("text", FakeText())

    def once():
        target.sequences.clear(), draft.sequences.clear()
        left = iter(range(rounds_at_most + 1)) if rounds_at_most else None
        stop = lambda: left is not None and next(left) == rounds_at_most  # noqa: E731
        return run(target, draft, prompt, text, cancel=stop, observe=False, **settings)

    weights, runs = {}, 0
    for weight, events in chances.every(once):
        runs += 1
        key = tuple(tokens(events)[:n]), finished(events).reason == "eos"
        weights[key] = weights.get(key, 0) + weight
    law = {}
    for (ids, ended), weight in weights.items():
        for rest, chance in law_alone(target, [*prompt, *ids], 0 if ended else n - len(ids)).items():
            law[ids + rest] = law.get(ids + rest, 0) + weight * chance
    return law, runs


def assert_same_law(law, expected):
    assert abs(sum(law.values()) - 1) < 1e-12
    for ids in law.keys() | expected.keys():
        assert abs(law.get(ids, 0) - expected.get(ids, 0)) < 1e-12, ids


@pytest.mark.slow
@pytest.mark.parametrize(("size", "K", "prompt"), [(2, 1, [0]), (3, 1, [1, 2]), (2, 2, [0]), *later([(3, 2, [1, 2])])], ids=str)
def test_decode_is_exact_over_two_rounds_by_rejection(monkeypatch, size, K, prompt):
    n = 2 * (K + 1)
    law, runs = law_of_decode(monkeypatch, grid("rejection", 4), prompt, n, *PAIRS[size], 2, K=K, max_new_tokens=n)
    assert runs == (2 ** (2 * K) * 4) ** 2
    assert_same_law(law, law_alone(PAIRS[size][0], prompt, n))


@pytest.mark.parametrize("K", [1, 2])
@pytest.mark.parametrize("size", [2, 3])
def test_decode_is_exact_over_two_rounds_by_match(monkeypatch, size, K):
    n, target, draft = 2 * (K + 1), HALVES[size], PAIRS[size][1]
    law, _ = law_of_decode(monkeypatch, grid("match", 2), [0], n, target, draft, 2, K=K, max_new_tokens=n, verifier="match")
    assert_same_law(law, law_alone(target, [0], n))


def test_vanilla_decoding_is_exact(monkeypatch):
    target = PAIRS[3][0]
    law, runs = law_of_decode(monkeypatch, lambda n: [4] * n, [2], 4, target, target, K=0, max_new_tokens=4)
    assert runs == 4**4
    assert_same_law(law, law_alone(target, [2], 4))


@pytest.mark.parametrize("verifier", ["rejection", "match"])
def test_decode_is_exact_when_a_token_ends_the_text_and_up_to_the_length_limit_where_blocks_get_shorter(monkeypatch, verifier):
    target, draft = (PAIRS[3][0], PAIRS[3][1]) if verifier == "rejection" else (HALVES[3], PAIRS[3][1])
    cells = grid(verifier, 4 if verifier == "rejection" else 2)
    text = FakeText("abc", eos="c")
    law, _ = law_of_decode(monkeypatch, cells, [0], 3, target, draft, K=2, max_new_tokens=3, verifier=verifier, text=text)
    assert_same_law(law, law_alone(target, [0], 3, eos=text.eos))
    assert any(len(ids) < 3 for ids in law)


def test_decode_is_exact_when_the_draft_runs_out_of_context(monkeypatch):
    target, draft = PAIRS[2][0], Markov(*PAIRS[2][1].chains, context=2)
    law, _ = law_of_decode(monkeypatch, grid("rejection", 4), [0], 4, target, draft, 2, K=2, max_new_tokens=6)
    assert_same_law(law, law_alone(target, [0], 4))


@pytest.mark.parametrize("missing", [1, -1])
def test_decode_is_exact_when_the_draft_has_another_vocabulary(monkeypatch, missing):
    target = PAIRS[3][0]
    if missing == 1:  # the draft lacks token 2, and so never says it
        draft = Markov(*PAIRS[2][1].chains, name="small draft")
    else:  # it knows a token that the target does not; without it, q is the pair's own
        wide = torch.zeros(2, 4, 4, dtype=torch.float64)
        wide[:, :3, :3], wide[:, 3, 3], wide[:, :3, 3] = PAIRS[3][1].chains / 2, 1.0, 1 / 2
        draft = Markov(*wide, name="wide draft")
    cells = lambda n: [2] * (n // 2) + [4] * (n // 2) + [12]  # noqa: E731
    law, _ = law_of_decode(monkeypatch, cells, [0], 2, target, draft, K=1, max_new_tokens=2)
    assert_same_law(law, law_alone(target, [0], 2))
