"""The trace that tests draw from is true to itself."""

import pytest

from .fake_trace import fake_trace, rounds


@pytest.mark.parametrize("seed", range(5))
def test_the_fake_trace_keeps_its_own_rules(seed):
    trace = fake_trace(seed=seed)
    for r in rounds(trace.speculative):
        for d in r.drafted:
            assert d.ratio == pytest.approx(d.p / d.q)
            if d.verdict != "unexamined":
                assert (d.u < d.ratio) == (d.verdict == "accepted")
                assert sum(e.p for e in d.position.entries) + d.position.p_rest == pytest.approx(1)
        if r.residual:
            rejected = next(d for d in r.drafted if d.verdict == "rejected")
            assert r.residual.mass == pytest.approx(1 - rejected.position.beta)
            assert sum(e.probability for e in r.residual.entries) + r.residual.rest == pytest.approx(1)
    finished = trace.speculative[-1]
    assert finished.tokens == sum(len(r.emitted) for r in rounds(trace.speculative))
