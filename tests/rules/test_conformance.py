"""What every rule must be, asked of each rule in `RULES`: its forms decide alike, its trace says why, and it is exact if it says so.

A new rule is tested by being listed."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from specviz.config import DecodeConfig, rule_of
from specviz.engine.compiled import rows
from specviz.engine.draft.model import SmallModel
from specviz.engine.sampling import draw
from specviz.engine.tensors import decide
from specviz.engine.verify import JointRatios, unpack_result
from specviz.rules import RULES, Rule
from specviz.rules.rejection import Rejection
from specviz.trace import grammar
from tests.by_rule import verify
from tests.fakes import Markov, random_chain, rounds, run

EACH = pytest.mark.parametrize("rule", [rule_of(DecodeConfig(verifier=name)) for name in RULES], ids=list(RULES))
SIZE = 5


def distributions(n: int, seed: int) -> torch.Tensor:
    """[n, SIZE], some entries 0."""
    random = torch.Generator().manual_seed(seed)
    p = torch.rand(n, SIZE, generator=random) * (torch.rand(n, SIZE, generator=random) > 0.3)
    p[:, 0] += 0.1
    return p / p.sum(-1, keepdim=True)


def case(k: int, seed: int, argmax: bool = False):
    """x, q, p, u of a block of k; every third has q = p, and some u are 0 or the largest below 1."""
    random = torch.Generator().manual_seed(seed)
    p, q = distributions(k + 1, seed), distributions(k, seed + 1000)
    q = p[:k].clone() if seed % 3 == 0 else q
    q = torch.eye(SIZE)[q.argmax(-1)] if argmax and k else q
    u = torch.rand(k + 1, generator=random, dtype=torch.float64)
    u[seed % (k + 1)] = (0.0, 1 - 2**-53)[seed % 2]
    x = draw(q, torch.rand(k, generator=random, dtype=torch.float64)) if k else torch.tensor([], dtype=torch.long)
    return x, q if k else None, p, u


def readable(rule: Rule, x, q, p, u):
    verdict = verify(rule, x, q, p, draw(p, u).tolist() if rule.draws_each else u[:-1].tolist())
    return verdict, verdict.token if rule.draws_each else int(draw(verdict.next_distribution[None], u[-1:]))


@EACH
@pytest.mark.parametrize("k", [0, 1, 2, 4])
@pytest.mark.parametrize("argmax", [False, True], ids=["sample", "argmax"])
def test_the_form_in_one_piece_decides_as_the_readable_one(rule, argmax, k):
    outcomes = set()
    for seed in range(60):
        x, q, p, u = case(k, seed, argmax)
        expected, token = readable(rule, x, q, p, u)
        numbers, last, then = decide(x, q, p, u, rule)
        decision = unpack_result(np.array([*numbers.tolist(), 0.25, 7.0]), k, rule)
        assert (decision.ids, decision.last, decision.u) == (x.tolist(), token, u.tolist())
        assert decision.shown.tolist() == [0.25, 7.0]
        assert (decision.accepted, decision.p_x, decision.q_x) == (expected.accepted, expected.p_x, expected.q_x)
        ratios = decision.ratios or JointRatios(None, None, None)
        for name in ("joint", "chance", "mass"):
            number, wanted = getattr(ratios, name), getattr(expected, name)
            assert number is None if wanted is None else number == pytest.approx(wanted, rel=1e-5), name
        assert last.tolist() == [token]
        assert then is None if rule.draws_each else torch.allclose(then[0], expected.next_distribution, rtol=1e-6, atol=0)
        outcomes.add(decision.accepted)
    assert outcomes == set(range(k + 1))


@EACH
def test_the_compiled_form_decides_as_the_readable_one_where_there_is_one(rule):
    if not isinstance(rule, Rejection):
        assert not hasattr(rule, "theta"), "a rule with a threshold has a compiled form"
        return
    for seed in range(60):
        x, q, p, u = case(4, seed)
        logits = p.log()
        p = torch.as_tensor(rows.softmax(logits, 1.0))  # its own last bits: else a uniform on the edge would fall to either side
        expected, token = readable(rule, x, q, p, u)
        accepted, last, p_x, q_x, _, then = rows.decide(logits, x.tolist(), q, u, 1.0, rule.theta, False)
        assert (accepted, last) == (expected.accepted, token)
        assert p_x == pytest.approx(expected.p_x, abs=1e-6) and q_x == expected.q_x
        assert torch.allclose(torch.as_tensor(then), expected.next_distribution, atol=1e-6)


def law_of_one_token(rule: Rule, p: torch.Tensor, q: torch.Tensor) -> tuple[torch.Tensor, float]:
    """By enumeration, p and q [V]: the law of the token at one drafted position, and the chance that the drafted token stays."""
    law, stays, both = torch.zeros_like(p), 0.0, torch.stack([p, p])
    for x in q.nonzero()[:, 0].tolist():
        if rule.draws_each:
            ways = [([y, y], float(p[y])) for y in p.nonzero()[:, 0].tolist()]
        else:  # a verdict can only change where u passes the threshold
            edges = sorted({0.0, 1.0, min(1.0, float(p[x] / q[x]) / getattr(rule, "theta", 1.0))})
            ways = [([(low + high) / 2], high - low) for low, high in itertools.pairwise(edges)]
        for u, chance in ways:
            verdict = verify(rule, torch.tensor([x]), q[None], both, u)
            weight = float(q[x]) * chance
            stays += weight * verdict.accepted
            if verdict.accepted:
                law[x] += weight
            elif verdict.token is not None:
                law[verdict.token] += weight
            else:
                law += weight * verdict.next_distribution
    return law, stays


@EACH
def test_a_rule_is_exact_if_and_only_if_it_says_so_and_its_chance_is_the_one_by_enumeration(rule):
    apart = 0.0
    for seed in range(20):
        p, q = (row / row.sum() for row in distributions(2, seed).double())
        law, stays = law_of_one_token(rule, p, q)
        assert float(law.sum()) == pytest.approx(1, abs=1e-12)
        apart = max(apart, float((law - p).abs().sum()) / 2)
        if (chance := rule.chance(p, q)) is not None:
            assert stays == pytest.approx(float(chance), abs=1e-12)
    assert apart < 1e-12 if rule.exact else apart > 0.05


@EACH
def test_a_trace_of_it_is_true_by_its_own_words_and_a_turned_verdict_is_found(rule):
    config = DecodeConfig(verifier=rule.name, K=3, max_new_tokens=60, seed=2)
    settings = {"verifier": rule.name, "K": 3, "max_new_tokens": 60, "seed": 2}
    events = run(Markov(random_chain(SIZE, 1)), SmallModel(Markov(random_chain(SIZE, 2))), [0], **settings)
    assert list(grammar.violations("speculative", events, config)) == []
    drafted_rounds = [r for r in rounds(events) if r.drafted]
    for d in (d for r in drafted_rounds for d in r.drafted):
        assert (d.u is not None) == (rule.tests_u and (rule.whole_block or d.verdict != "unexamined"))
    if not rule.draws_each:  # under match nothing but the token itself says why it stayed
        assert any(list(rule.contradictions(replace(r, drafted=_turned(r.drafted)))) for r in drafted_rounds)


def _turned(drafted):
    """The first examined token's verdict is the other one."""
    other = {"accepted": "rejected", "rejected": "accepted"}
    return tuple(replace(d, verdict=other.get(d.verdict, d.verdict)) if i == 0 else d for i, d in enumerate(drafted))


@EACH
def test_the_inputs_are_left_as_they_were(rule):
    x, q, p, u = case(2, 7)
    copies = [t.clone() for t in (x, q, p, u)]
    readable(rule, x, q, p, u)
    decide(x, q, p, u, rule)
    assert all(torch.equal(now, before) for now, before in zip((x, q, p, u), copies, strict=True))
