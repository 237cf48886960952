"""The path that CUDA graphs need, on a CPU: a cache that stands still gives what the ordinary one gives, and caches are leased.

Graphs themselves need a device; `recorded` stands in for one: like a graph it owns its inputs and overwrites its outputs.
"""

import gc
from dataclasses import replace
from functools import cache

import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine.backends.pytorch import backend as static
from specviz.engine.backends.pytorch import graphs
from specviz.engine.backends.pytorch.backend import MAX_GRAPHED_ROWS, MIN_CACHE_POSITIONS, CachePool, PyTorch, padded_size
from specviz.engine.backends.pytorch.graphs import Graphs
from specviz.engine.decode import decode
from specviz.engine.draft.choose import Setup
from specviz.engine.draft.model import SmallModel
from specviz.engine.models.llama import Llama
from specviz.engine.race import lanes, warm_up

from .... import tiny, tiny_heads
from ....fake_device import GraphDevice
from ....fakes import FakeText, around_proposals, finished, tokens
from ....products import every
from ....tiny import CLOSE, OURS, hf, reference, some_ids
from ..test_models import assert_close

pytestmark = pytest.mark.usefixtures("as_on_a_device")
TEXT = FakeText([chr(0x100 + i) for i in range(97)])


def recorded(function, inputs):
    own, keys = tuple(x.clone() for x in inputs), []
    out = tuple(x.clone() for x in function(*own))

    def replay(*inputs):
        keys.append(len(inputs))
        for mine, x in zip(own, inputs, strict=True):
            assert mine.shape == x.shape
            mine.copy_(x)
        for old, new in zip(out, function(*own), strict=True):
            old.copy_(new)
        return out

    return replay


def refused(function, inputs):
    raise RuntimeError("operation not permitted\nwhen stream is capturing")


WAYS = {"no graphs": None, "graphs": recorded, "graphs that fail": refused}
EITHER = pytest.mark.parametrize(  # the quick loop goes the way that a device goes
    "record", [pytest.param(way, id=name, marks=[pytest.mark.slow] * (name != "graphs")) for name, way in WAYS.items()]
)


def still(model, record=None):
    """Our forward pass of a transformers model, on caches that stand still."""
    own = Llama(model.config, tiny.weights(model), "tiny", compiled=False)
    own.backend.pool = CachePool(record)
    return own


@EITHER
@pytest.mark.parametrize("name", OURS)
def test_blocks_of_every_length_rolled_back_give_the_logits_of_transformers(name, record):
    model, ids = hf(name), some_ids(90)
    sequence = still(model, record).sequence(100)
    assert_close(sequence.append(ids[:40], keep=1), reference(model, ids[:40])[-1:])
    for n in (1, 5, 1, MAX_GRAPHED_ROWS, MAX_GRAPHED_ROWS + 1, 2, 5):
        wrong = sequence.length
        sequence.append(some_ids(n, seed=n))
        sequence.rollback(wrong)
        assert_close(sequence.append(ids[wrong : wrong + n]), reference(model, ids[: wrong + n])[-n:])


def small(target):
    """A draft on a cache like the target's."""
    return SmallModel(
        still(hf("llama"), target.backend.pool.record) if isinstance(target.backend, PyTorch) else tiny.own(hf("llama"))
    )


DRAFTERS = tiny_heads.drafters(tiny_heads.model("llama", 0)) | {"small": small}


def config_of(name: str, temperature: float) -> DecodeConfig:
    return DecodeConfig(K=3 if name != "none" else 0, temperature=temperature, max_new_tokens=20, seed=5)


@cache
def ordinarily(name: str, temperature: float, length: int) -> list[int]:
    """What a run after a prompt of `length` writes with the ordinary cache."""
    target = tiny.own(tiny_heads.model("llama", 0))
    return tokens(list(decode(target, DRAFTERS[name](target), some_ids(length), config_of(name, temperature), TEXT)))


@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize("name", ["small", "oracle", "early exit", "mtp", "eagle", "block"])
def test_a_whole_block_is_drafted_by_one_replay(name, temperature):
    replays, of_a_block = [], []

    def counting(function, inputs):
        replay = recorded(function, inputs)
        return lambda *inputs: replays.append(1) or replay(*inputs)

    def watched(propose, *arguments):
        before, block = len(replays), propose(*arguments)
        of_a_block.append((len(replays) - before, len(block.ids)))
        return block

    target = still(tiny_heads.model("llama", 0), counting)
    config = DecodeConfig(K=5, temperature=temperature, max_new_tokens=30, seed=5)
    list(decode(target, around_proposals(DRAFTERS[name](target), watched), some_ids(9), config, TEXT))
    assert len(of_a_block) > 1 and {replays for replays, _ in of_a_block} == {1} and of_a_block[0][1] == 5


def test_a_cache_goes_back_when_its_run_is_over_and_no_two_runs_share_one():
    target = still(hf("llama"))
    a, b = target.sequence(50), target.sequence(50)
    assert a.stack.cache is not b.stack.cache
    first = a.stack.cache
    a.append(some_ids(5))
    del a
    gc.collect()
    c = target.sequence(60)
    assert c.stack.cache is first and c.length == 0
    assert target.sequence(MIN_CACHE_POSITIONS + 1).stack.cache is not first  # another size


def test_a_run_that_fails_gives_its_cache_back():
    target = still(hf("llama"))
    config = DecodeConfig(K=0, max_new_tokens=8)

    def broken(*_, **__):
        raise RuntimeError("device is gone")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("specviz.engine.models.llama.LlamaSequence.append", broken)
        with pytest.raises(RuntimeError, match="device is gone"):
            list(decode(target, None, some_ids(4), config, TEXT))
    gc.collect()
    assert [len(waiting) for waiting in target.backend.pool.free.values()] == [1]


def test_a_shape_is_recorded_once_and_replayed_by_later_runs():
    shapes = []

    def record(function, inputs):
        shapes.append(tuple(x.shape for x in inputs))
        return recorded(function, inputs)

    target = still(hf("llama"), record)
    for _ in range(3):
        sequence = target.sequence(50)
        for n in (1, 4, 1, 4, MAX_GRAPHED_ROWS + 1):  # a prefill is not recorded: no two are alike
            sequence.append(some_ids(n))
        del sequence
        gc.collect()
    assert shapes == [((1,),), ((4,),)]  # from ids to logits


def test_what_attends_may_hand_over_a_part_of_padded_heads(monkeypatch):
    """PyTorch does so on a GPU where a head's size is no multiple of eight."""
    attends = torch.nn.functional.scaled_dot_product_attention

    def padded(*args, **kwargs):
        out = attends(*args, **kwargs)
        return torch.nn.functional.pad(out, (0, 8))[..., : out.shape[-1]]

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", padded)
    model, ids = hf("llama, grouped queries"), some_ids(30)
    assert (still(model).sequence(50).append(ids) - reference(model, ids)).abs().max() <= CLOSE


def test_a_graph_that_makes_room_dies_one_whose_recording_failed_does_not_and_its_pool_is_held_by_another(monkeypatch):
    device = GraphDevice(monkeypatch)
    monkeypatch.setattr(graphs, "MAX_GRAPHS", 2)
    replays, one = Graphs(graphs.on_device), torch.tensor([1.0])
    for key in range(5):
        assert replays(key, lambda x: x + 1, one).item() == 2.0
    gc.collect()
    assert len(device.graphs) == 2 + 1 and len(device.died) == 3  # two that are replayed, and a tiny one
    replays("looks", lambda x: x * float(x.sum()), one)
    gc.collect()
    assert len(graphs._kept_graphs) == 2 and len(device.died) == 4  # the failed one made room for none, but was asked for last
    assert device.pools == 1


@pytest.mark.parametrize("name", ["small", "eagle"])
def test_a_run_finds_recorded_what_its_warm_up_recorded(name):
    """In caches of its own size, and what is looked at too: else recording would fall into the first lanes that are timed."""
    target = still(tiny_heads.model("llama", 0), recorded)
    setup, ids = Setup(target, DRAFTERS[name](target), TEXT), some_ids(73)
    config = replace(config_of(name, 0.8), max_new_tokens=100, ignore_eos=True)
    pools = {id(pool): pool for pool in (target.backend.pool, getattr(setup.drafter, "model", target).backend.pool)}.values()

    def waiting():
        gc.collect()  # caches go back
        some = [(one.capacity, one.graphs.replays) for pool in pools for free in pool.free.values() for one in free]
        return {(size, key) for size, ready in some for key in ready}

    warm_up(setup, ids, config)
    before = waiting()
    assert len(before) > 6
    list(lanes(setup, ids, config, lambda: False))
    fed = {key[1] for _, key in before if key[0] == "draft"}
    # blocks that the end of the text cuts short, and what a head is fed after rounds that kept as many
    for _, key in waiting() - before:
        if key[0] == "draft" and key[1] not in fed:
            continue
        kind, length = (key[0], key[2 if key[0] == "draft" else 1]) if isinstance(key[0], str) else ("forward", key[0])
        assert 0 < length < config.K + (kind in ("logits", "forward")), key


def test_a_recording_that_fails_is_said_in_the_trace_and_no_result_changes():
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=8)
    ends = [
        finished(list(decode(still(hf("llama"), record), None, some_ids(4), config, TEXT)))
        for record in (None, recorded, refused)
    ]
    assert [end.eager for end in ends] == ["", "", "operation not permitted when stream is capturing"]
    assert len({end.text for end in ends}) == 1


@pytest.mark.parametrize("name", ["small", "mtp", "eagle"])
def test_a_recording_that_fails_for_the_drafter_alone_is_said_too(name):
    class Picky(CachePool):
        def lease(self, layers, *rest):
            self.record = recorded if layers is target.layers else refused
            return super().lease(layers, *rest)

    target = still(tiny_heads.model("llama", 0), recorded)
    drafter = SmallModel(still(hf("llama"), refused)) if name == "small" else DRAFTERS[name](target)
    target.backend.pool = Picky()
    events = list(decode(target, drafter, some_ids(4), DecodeConfig(K=2, temperature=0, max_new_tokens=8), TEXT))
    assert finished(events).eager == "operation not permitted when stream is capturing"


def test_where_the_kernels_for_the_device_cannot_be_used_the_trace_says_why(monkeypatch):
    """On a CPU there are none, and nothing is said."""
    target, config = still(hf("llama"), recorded), DecodeConfig(K=0, max_new_tokens=2)
    assert finished(list(decode(target, None, some_ids(4), config, TEXT))).eager == ""
    gc.collect()
    [[cache]] = [waiting for waiting in target.backend.pool.free.values() if waiting]
    monkeypatch.setattr(static, "not_fused_reason", lambda *_: "a norm over 1 positions differs")
    cache.kernels_unused = static._kernels_unused(target.shape, torch.device("cuda"), torch.float32)
    reason = finished(list(decode(target, None, some_ids(4), config, TEXT))).eager
    assert reason == "the kernels for this device are not used: a norm over 1 positions differs"


@pytest.mark.slow
@every(name=["none", "small", "oracle", "early exit", "mtp", "eagle", "block"], temperature=[0, 0.8])
def test_graphs_that_share_forgetful_memory_write_what_is_written_without_them(name, temperature, monkeypatch):
    """graphs.on_device itself, on a device that is made up (fake_device.py)."""
    alone = {length: ordinarily(name, temperature, length) for length in (9, 1)}
    device, target = GraphDevice(monkeypatch), still(tiny_heads.model("llama", 0), graphs.on_device)
    drafter = DRAFTERS[name](target)
    for length, expected in alone.items():
        for _ in range(2):
            events = list(decode(target, drafter, some_ids(length), config_of(name, temperature), TEXT))
            assert tokens(events) == expected and finished(events).eager == ""
            gc.collect()
    assert device.replays > 40


@pytest.mark.parametrize(
    ("capacity", "size"),
    [
        (1, MIN_CACHE_POSITIONS),
        (MIN_CACHE_POSITIONS, MIN_CACHE_POSITIONS),
        (MIN_CACHE_POSITIONS + 1, 2 * MIN_CACHE_POSITIONS),
        (1000, 1024),
        (1025, 1536),
        (4160, 4608),
    ],
)
def test_caches_come_in_few_sizes(capacity, size):
    assert padded_size(capacity) == size


def test_recordings_share_a_pool_and_one_that_is_refused_leaves_stream_and_pool_to_nobody(monkeypatch):
    device = GraphDevice(monkeypatch)
    one, value, streams = Graphs(graphs.on_device), torch.tensor([3.0]), []

    def fine(x):
        streams.append(device.stream)
        return (x * 2,)

    assert one("a", fine, value)[0].item() == one("b", fine, value)[0].item() == 6.0 and device.pools == 1
    assert streams == ["main", "main", "main", "aside 0"] * 2
    assert one("looks", lambda x: (x * float(x.sum()),), value)[0].item() == 9.0 and "not permitted" in one.failed
    assert device.stream == "main"
    assert one("c", fine, value)[0].item() == 6.0 and device.pools == 2
    assert one("c", fine, torch.tensor([5.0]))[0].item() == 10.0 and one.replays["c"] is not fine
