"""On a CUDA device: greedy speculative writes what vanilla writes in fp32, and no draw gives what has no probability."""

from dataclasses import replace

import pytest
import torch

from scripts.prompts import HARD_TO_ENCODE
from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.engine.result import VerifyResult, unpack_result
from specviz.engine.sampling import draw
from specviz.engine.tensors import decide
from specviz.rules import RULES, rule_of

from ..engine.test_identity import DRAFT, LENGTHS, TARGET
from ..fakes import tokens

BELOW_1 = 1 - 2**-53


@pytest.fixture(scope="module")
def pair(cuda):
    return load_pair(TARGET, None, cuda, torch.float32)


@pytest.mark.parametrize("name", [DRAFT, "eagle", "mtp", "early-exit:3", "lookup"])
def test_greedy_speculative_is_greedy_vanilla_in_fp32(cuda, pair, name):
    drafter = drafter_for(pair, name, cuda, torch.float32)
    for i in range(0, len(HARD_TO_ENCODE), 8):
        prompt = pair.text.encode(HARD_TO_ENCODE[i])[: LENGTHS[i % 3]]
        config = DecodeConfig(K=1 + i % 6, temperature=0, max_new_tokens=40)
        vanilla = tokens(list(decode(pair.target, None, prompt, replace(config, K=0), pair.text)))
        assert tokens(list(decode(pair.target, drafter, prompt, config, pair.text))) == vanilla


def test_the_same_seed_replays_the_same_run(cuda, pair):
    drafter = drafter_for(pair, DRAFT, cuda, torch.float32)
    config = DecodeConfig(K=4, temperature=1.0, max_new_tokens=40, ignore_eos=True)
    first, again, other = (
        tokens(list(decode(pair.target, drafter, pair.text.encode(HARD_TO_ENCODE[0]), replace(config, seed=seed), pair.text)))
        for seed in (7, 7, 8)
    )
    assert first == again != other


@pytest.mark.parametrize("size", [1, 5, 1000, 4099, 128256, 151936])
@pytest.mark.parametrize("rows", [1, 5, 17])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.01, 0.0])
def test_no_token_without_probability_is_drawn_whatever_the_uniform_is(cuda, size, rows, share):
    """Sums are made in parallel there, and neighbouring ones may differ by a bit where p is 0 (sampling.possible)."""
    generator = torch.Generator(cuda).manual_seed(size)
    logits = torch.randn(rows, size, generator=generator, device=cuda) * 8  # down to 1e-15: sums that must round
    hidden = torch.rand(rows, size, generator=generator, device=cuda) >= share
    hidden.scatter_(1, torch.randint(size, (rows, 1), generator=generator, device=cuda), False)  # one stays
    p = logits.masked_fill(hidden, float("-inf")).softmax(-1)
    sums = p.cumsum(-1, dtype=torch.float64)
    at = torch.randint(size, (200, rows), generator=generator, device=cuda)
    edges = [sums.gather(1, row[:, None])[:, 0] / sums[:, -1] for row in at]
    fixed = [torch.full((rows,), u, dtype=torch.float64, device=cuda) for u in (0.0, 2**-53, 0.5, 1 - 2**-24, BELOW_1)]
    for u in [*fixed, *edges, *(edge.nextafter(torch.zeros_like(edge)) for edge in edges)]:
        ids = draw(p, u.clamp(0, BELOW_1))
        assert ids.min() >= 0 and ids.max() < size
        assert (p.gather(1, ids[:, None]) > 0).all()


def test_draws_on_the_device_are_those_of_the_cpu(cuda):
    generator = torch.Generator().manual_seed(0)
    p = (torch.randn(64, 5000, generator=generator) * 3).softmax(-1)
    u = torch.rand(64, generator=generator, dtype=torch.float64)
    assert torch.equal(draw(p.to(cuda), u.to(cuda)).cpu(), draw(p, u))


def test_a_block_is_decided_on_the_device_as_on_the_cpu(cuda):
    generator = torch.Generator().manual_seed(1)
    for k in (0, 1, 4, 16):
        for rule in (rule_of(DecodeConfig(verifier=name)) for name in RULES):
            p, q = ((torch.randn(n, 500, generator=generator)).softmax(-1) for n in (k + 1, k))
            u = torch.rand(2 * k + 1, generator=generator, dtype=torch.float64)
            ids = draw(q, u[:k])
            there, here = (
                unpack_result(decide(ids.to(at), q.to(at) if k else None, p.to(at), u[k:].to(at), rule)[0].tolist(), k, rule)
                for at in (cuda, "cpu")
            )
            assert sums(there) == pytest.approx(sums(here), rel=1e-5)
            there, here = (replace(result, joint=[], chance=[], mass=None) for result in (there, here))
            assert there == here  # what is gathered is exact, what is drawn is the same


def sums(result: VerifyResult) -> list[float]:
    """What block verification adds up, which a device does in another order."""
    return [*(result.joint or []), *(result.chance or []), result.mass or 0.0]
