"""The kernels that decoding runs on a GPU (backends/pytorch/kernels.py) compute what PyTorch computes: on a GPU where there is one, else by
Triton's interpreter (conftest.py asks for it).

The interpreter's product of bfloat16 is wrong, so bfloat16 is compared on a device only; there also before the kernels are used at
all (fused.not_fused_reason)."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine.backends.pytorch import fused as choice
from specviz.engine.backends.pytorch.fused import choose_parts, not_fused_reason, self_test
from specviz.engine.backends.pytorch.modules import Branches, Norm, TorchParts
from specviz.engine.decode import decode
from specviz.engine.draft.eagle import Eagle
from specviz.engine.draft.model import SmallModel
from specviz.engine.model import Shape, Tree
from specviz.engine.models.llama import Llama

from .... import tiny, tiny_heads
from ....fakes import FakeText, finished, tokens
from ....products import every, some
from ....tiny import CLOSE, hf, reference, some_ids

if not find_spec("triton"):
    pytest.skip(
        "no Triton for this system: on Linux PyTorch for CUDA or requirements-test.txt brings it", allow_module_level=True
    )

from specviz.engine.backends.pytorch import kernels

TEXT = FakeText([chr(0x100 + i) for i in range(97)])
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
DTYPES = [torch.float32, torch.float16] + [torch.bfloat16] * (DEVICE.type == "cuda")
SHAPES = {
    "heads of 8 that share 2 keys": Shape("llama", 48, 6, 2, 8, 80, 1e-5),
    "queries and keys normalised": Shape("qwen3", 96, 6, 2, 16, 160, 1e-6),
    "a size that is no power of two, a key for every query": Shape("llama", 40, 4, 4, 10, 64, 1e-5),
    "heads of 128, one key for all": Shape("llama", 256, 5, 1, 128, 1100, 1e-5),
}


def normal(*size):
    return torch.randn(*size).to(DEVICE)


def turns(positions, size):
    """A rotation by any angles."""
    return torch.polar(torch.ones(positions, 1, size // 2), torch.randn(positions, 1, size // 2)).to(DEVICE)


def attended(way, qkv, qk_norm, cache, start, on=0, tree=None):
    """Of one block of one text, whose qkv stays as it is."""
    place = way.positions(torch.tensor([start], device=DEVICE), on, len(qkv), cache.shape[2], torch.float32, tree)
    return way.attention(qkv.clone(), qk_norm, cache, place)


def assert_attended_alike(shape, n: int, bound: int, end: int, *place):
    """The last n of `end` positions, in a cache of `bound`."""
    torch.manual_seed(end * 31 + n)
    rotation, cache = turns(bound, shape.size), normal(2, shape.kv_heads, bound, shape.size)
    cache[:, :, end:] = 1e4  # whatever lies past the end is not looked at
    qkv, weight = normal(n, (shape.heads + 2 * shape.kv_heads) * shape.size), normal(shape.heads + shape.kv_heads, shape.size)
    qk_norm, results = Norm(weight, shape.size, shape.eps) if shape.family == "qwen3" else None, []
    for way in TorchParts(shape, rotation), kernels.FusedParts(shape, rotation):
        mine = cache.clone()
        results.append((attended(way, qkv, qk_norm, mine, *place), mine))
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other, atol=2e-5, rtol=1e-4)


@pytest.mark.slow
@every(together=1, name=SHAPES, dtype=DTYPES)
def test_they_agree_with_pytorch_and_so_they_are_used(name, dtype):
    assert self_test(kernels.FusedParts, SHAPES[name], DEVICE, dtype) == ""


@pytest.mark.slow
@every(name=SHAPES, at=[(1, 0), (1, 64), (1, 1089), (5, 60), (17, 0), (17, 1089)])
def test_blocks_at_any_place_of_the_cache_are_attended_as_pytorch_does(name, at):
    """At the edges of pieces, over more pieces than are joined at once, in a cache that ends inside a piece."""
    n, length = at
    start = max(0, length - 2)
    assert_attended_alike(SHAPES[name], n, 1106, length + n, start, length - start)


@pytest.mark.slow
@every(name=SHAPES, length=[0, 62, 300])
def test_rows_of_a_tree_are_attended_as_pytorch_does(name, length):
    """Over the edge of a piece; the first rows of the tree were appended before."""
    whole = Tree()
    whole.add([-1, 0, 0, 1, 2, 4, -1])
    sees = torch.zeros(5, 7, dtype=torch.bool)
    for m in range(5):
        sees[m, whole.path(m + 2)] = True
    tree = Branches(torch.tensor(whole.depths[2:], device=DEVICE), sees.to(DEVICE))
    assert_attended_alike(SHAPES[name], 5, 400, length + 7, length + 2, 0, tree)


def test_a_row_is_the_same_alone_and_beside_others_in_a_short_cache_and_a_long_one():
    """What keeps greedy speculative decoding on the text of vanilla decoding, as far as attention goes. The bits are asked of a device: the
    interpreter multiplies by numpy, whose sums depend on the shape of the whole product."""
    shape = SHAPES["heads of 8 that share 2 keys"]
    way, cache, qkv = kernels.FusedParts(shape, turns(400, 8)), normal(2, 2, 400, 8), normal(5, 80)
    together = attended(way, qkv, None, cache.clone(), 100)
    for bound in (400, 128):
        mine = cache[:, :, :bound].clone()
        alone = torch.cat([attended(way, qkv[i : i + 1], None, mine, 100, i) for i in range(5)])
        assert torch.equal(alone, together) if DEVICE.type == "cuda" else torch.allclose(alone, together, atol=1e-6)


@pytest.mark.full
@pytest.mark.parametrize("texts", [1, 3])
def test_texts_side_by_side_do_not_see_each_other(texts):
    shape = SHAPES["queries and keys normalised"]
    way, weight, cache = kernels.FusedParts(shape, turns(200, 16)), Norm(normal(8, 16), 16, 1e-6), normal(2, texts, 2, 200, 16)
    qkv, place = normal(texts, 4, 160), way.positions(torch.tensor([130], device=DEVICE), 0, 4, 200, torch.float32)
    whole = cache.flatten(1, 2).clone()
    together = way.attention(qkv.flatten(0, 1).clone(), weight, whole, place).view(texts, 4, -1)
    for i in range(texts):
        mine = cache[:, i].clone()
        assert torch.allclose(attended(way, qkv[i], weight, mine, 130), together[i], atol=1e-6)
        assert torch.equal(mine, whole.view(2, texts, 2, 200, 16)[:, i])


@pytest.fixture
def still(monkeypatch):
    """A model on standing caches whose layers run through the kernels."""
    monkeypatch.setattr(
        "specviz.engine.backends.pytorch.backend.choose_parts", lambda shape, rotation, dtype: kernels.FusedParts(shape, rotation)
    )

    def make(model):
        return Llama(model.config, tiny.weights(model), "tiny", DEVICE, compiled=False)

    return make


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["llama, grouped queries", "qwen3", "qwen2"], "qwen3"))
def test_a_model_gives_the_logits_of_transformers_through_them(still, name):
    model, ids = hf(name), some_ids(70)
    sequence, expected = still(model).sequence(100), reference(model, ids)
    logits = [sequence.append(ids[:60], keep=1), sequence.append(ids[60:61]).clone()]
    sequence.append(some_ids(4, seed=1))
    sequence.rollback(61)
    logits.append(sequence.append(ids[61:]))
    assert (torch.cat(logits).cpu() - expected[59:]).abs().max() <= 5 * CLOSE


@pytest.mark.full
@pytest.mark.parametrize(
    ("head", "temperature"), [pytest.param(False, 0.8, id="small model, sampled"), pytest.param(True, 0, id="EAGLE head, greedy")]
)
def test_a_run_through_them_writes_what_it_writes_without(still, head, temperature):
    model, config = tiny_heads.model("llama", 0), DecodeConfig(K=2, temperature=temperature, max_new_tokens=4, seed=5)

    def run(make):
        target = make(model)
        drafter = Eagle(target, tiny_heads.eagle(model.config), "head") if head else SmallModel(make(hf("llama")))
        return list(decode(target, drafter, some_ids(9), config, TEXT))

    def ordinary(model):
        return Llama(model.config, tiny.weights(model), "tiny", DEVICE)

    expected, ours = run(ordinary), run(still)
    assert tokens(ours) == tokens(expected) and finished(ours).accepted == finished(expected).accepted


@pytest.mark.full
@pytest.mark.parametrize("capability", [80, 90], ids=["A100", "H100"])
def test_they_compile_for_gpus_that_are_not_here_and_fit_into_their_registers(capability, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"} | {"TRITON_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "tests.compile_kernels", str(capability)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[4])
    assert done.returncode == 0, done.stderr[-2000:]
    uses = [json.loads(line) for line in done.stdout.splitlines()]
    assert {m["kernel"] for m in uses} == {"_norm", "_keep", "_attend", "_join", "_gate"} and len(uses) == 3 * 5 * 6
    assert [m for m in uses if m["stack"]] == []  # what does not fit into registers is read from memory again and again
    assert max(m["shared"] for m in uses) <= 99 * 1024  # what smaller GPUs of these generations have


def test_kernels_that_fail_or_differ_are_not_used_and_the_reason_is_kept(monkeypatch):
    shape = SHAPES["heads of 8 that share 2 keys"]

    class Broken(kernels.FusedParts):
        def swiglu(self, gate_up):
            raise RuntimeError("no compiler\nfound")

    class Wrong(kernels.FusedParts):
        def norm(self, norm, x):
            return super().norm(Norm(norm.weight * 1.2, norm.size, norm.eps), x)

    class Careless(kernels.FusedParts):
        def attention(self, qkv, qk_norm, cache, positions):
            return super().attention(qkv, qk_norm, cache.clone(), positions)  # nothing is kept

    assert self_test(Broken, shape, DEVICE, torch.float32) == "no compiler found"
    assert self_test(Wrong, shape, DEVICE, torch.float32) == "a norm over 1 positions differs"
    assert self_test(Careless, shape, DEVICE, torch.float32) == "the cache over 1 positions differs"
    assert "not cpu" in not_fused_reason(shape, torch.device("cpu"), torch.float32)
    assert type(choose_parts(shape, turns(8, 8).cpu(), torch.float32)) is TorchParts
    monkeypatch.setattr(choice, "_kernels", lambda: None)
    assert not_fused_reason.__wrapped__(shape, torch.device("cuda"), torch.float32) == "Triton is not installed"
    monkeypatch.setattr(choice, "_kernels", lambda: Broken)
    monkeypatch.setattr(choice, "_difference", lambda make, shape, device, dtype: f"{make.__name__} differs on a {device.type}")
    assert not_fused_reason.__wrapped__(shape, torch.device("cuda"), torch.float32) == "Broken differs on a cuda"
    monkeypatch.setattr(choice, "not_fused_reason", lambda shape, device, dtype: "")
    assert type(choose_parts(shape, turns(8, 8), torch.float32)) is Broken
