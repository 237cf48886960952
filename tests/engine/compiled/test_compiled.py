"""The compiled pass: the numbers of the plain one, and the same bits for a row alone, in a block, in any cache, on any threads.

That it gives transformers' logits is tested with the plain one (../test_models.py)."""

import numpy as np
import pytest
import torch

from specviz.engine.backends import compiled
from specviz.engine.backends.compiled import CompiledStack
from specviz.engine.compiled.registers import CACHE_LINE
from specviz.engine.models.llama import MAX_PASS, Llama
from specviz.engine.models.load import load_model

from ... import tiny
from ...tiny import CLOSE, OURS, hf, some_ids

pytestmark = pytest.mark.usefixtures("with_tensors")
FAMILY = ("fable", "fable-large", "fable-small")
MODELS = [*OURS, *FAMILY]


def model(name: str) -> Llama:
    return load_model(name) if name in FAMILY else tiny.own(hf(name))


@pytest.fixture
def ours(request) -> Llama:
    return model(request.param)


EVERY = pytest.mark.parametrize("ours", MODELS, indirect=True)


def ids_of(ours: Llama, n: int) -> list[int]:
    return some_ids(n, vocabulary=ours.vocabulary)


def one_by_one(ours: Llama, ids: list[int], capacity: int) -> torch.Tensor:
    sequence = ours.sequence(capacity)
    return torch.cat([sequence.append([id]) for id in ids])


@EVERY
def test_a_cpu_runs_it_compiled_and_says_nothing_of_it(ours):
    assert isinstance(ours.sequence(8).stack, CompiledStack)
    assert ours.info.why == "" and ours.info.forward == "own"


@EVERY
def test_logits_are_the_same_bits_alone_and_in_a_block_in_a_short_cache_and_a_long_one(ours):
    ids = ids_of(ours, 40)
    alone = one_by_one(ours, ids, 40)
    for n in (2, 3, 4, 5, 6, 7, 9, 13, 17, 18, 40):
        sequence = ours.sequence(200)
        blocks = [sequence.append(ids[i : i + n]) for i in range(0, len(ids), n)]
        assert torch.equal(torch.cat(blocks), alone), f"blocks of {n}"


@EVERY
def test_what_a_pass_reads_and_writes_begins_at_a_cache_line(ours):
    stack = ours.sequence(8).stack
    arrays = (*stack.scratch, *stack.kv_cache, *stack.weights, ours.step.embed.packed, ours.step.head.matrix.packed)
    assert all(part.ctypes.data % CACHE_LINE == 0 for part in arrays if part.size)


@pytest.mark.parametrize("branches", [False, True])
def test_how_many_rows_attend_at_once_changes_no_bit(branches, monkeypatch):
    ours, ids, logits = tiny.own(hf("qwen3, grouped queries, tied head")), some_ids(40), []
    parents = [(m - 1) // 2 if m else -1 for m in range(20)] if branches else None
    for together in (1, 5, 16, 1000):
        monkeypatch.setattr(compiled, "SCORE_ROWS", together)
        sequence = ours.sequence(50)
        assert sequence.stack.scratch.scores.shape[1] <= together
        logits.append((sequence.append(ids[:20]), sequence.append(ids[20:], parents=parents)))
    for one in logits[1:]:
        assert all(torch.equal(a, b) for a, b in zip(one, logits[0], strict=True))


@EVERY
def test_logits_are_the_same_bits_after_any_rollback(ours):
    ids, sequence = ids_of(ours, 30), ours.sequence(64)
    alone = one_by_one(ours, ids, 30)
    for start, n in ((0, 20), (11, 5), (3, 17), (19, 11)):
        sequence.rollback(start)
        sequence.append(ids_of(ours, 12)[::-1])
        sequence.rollback(start)
        assert torch.equal(sequence.append(ids[start : start + n]), alone[start : start + n])


@pytest.mark.parametrize(("ours", "threads"), [(name, 2 + i % 2) for i, name in enumerate(MODELS)], indirect=["ours"])
def test_logits_are_the_same_bits_on_any_number_of_threads(ours, threads, monkeypatch):
    ids = ids_of(ours, 30)
    alone = one_by_one(ours, ids, 30)
    monkeypatch.setattr(compiled, "best_thread_count", lambda *_: threads)
    for n in (1, 5, 17):
        sequence = ours.sequence(50)
        assert sequence.stack.threads == threads <= sequence.stack.team.size
        assert torch.equal(torch.cat([sequence.append(ids[i : i + n]) for i in range(0, len(ids), n)]), alone)


@pytest.mark.parametrize("name", ["llama", "qwen3, grouped queries, tied head", "qwen2"])
@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, pytest.param(torch.float16, marks=pytest.mark.full)], ids=str
)  # it is compiled
def test_half_precision_weights_are_read_as_they_are_and_summed_in_float32(name, dtype):
    source, ids = tiny.make(hf(name).config, rounded=True), some_ids(30)
    stored = {key: w.to(dtype) for key, w in tiny.weights(source).items()}
    ours = Llama(source.config, stored, "tiny")
    kind = "uint32" if dtype == torch.bfloat16 else "uint16"
    assert ours.layers.qkv.dtype == ours.embedding.packed.dtype == kind
    expected = Llama(source.config, {key: w.float() for key, w in stored.items()}, "tiny")
    assert (ours.sequence(32).append(ids) - expected.sequence(32).append(ids)).abs().max() <= CLOSE  # widening loses nothing


@pytest.mark.parametrize("name", OURS)
def test_what_leaves_each_layer_is_what_the_plain_pass_has_there(name):
    source, ids = hf(name), some_ids(25)
    both = []
    for own in (True, False):
        sequence = Llama(source.config, tiny.weights(source), "tiny", compiled=own).sequence(40)
        sequence.taps = (0, 1, 2)
        sequence.append(ids[:20])
        first = dict(sequence.tapped)
        sequence.append(ids[20:])
        both.append([*first.values(), *sequence.tapped.values()])
    for ours, plain in zip(*both, strict=True):
        assert ours.shape == plain.shape and (torch.as_tensor(ours) - plain).abs().max() <= 10 * CLOSE


def test_a_tap_is_not_overwritten_by_the_next_pass():
    sequence = tiny.own(hf("llama")).sequence(40)
    sequence.taps = (0, 2)
    sequence.append(some_ids(5))
    copies = {layer: rows.copy() for layer, rows in sequence.tapped.items()}
    before = dict(sequence.tapped)
    sequence.append(some_ids(5, seed=1))
    assert all(np.array_equal(before[layer], copies[layer]) for layer in copies)


def test_left_early_it_gives_the_head_of_that_layer_and_the_whole_is_as_before():
    ours, ids = load_model("fable"), some_ids(12, vocabulary=4096)
    sequence, plain = ours.sequence(40), ours.sequence(40)
    sequence.append(ids[:8])
    early = sequence.append(ids[8:], until=6)
    sequence.rollback(8)
    plain.taps = (6,)
    plain.append(ids[:8])
    expected = plain.append(ids[8:])
    torch.testing.assert_close(early, torch.as_tensor(ours.step.head(plain.tapped[6])), atol=1e-5, rtol=1e-5)
    assert torch.equal(sequence.append(ids[8:]), expected)


@pytest.mark.parametrize("name", ["llama", "fable"])
def test_a_long_prefill_in_pieces_leaves_the_same_bits(name):
    ours = model(name)
    ids = ids_of(ours, MAX_PASS + 40)
    sequence = ours.sequence(len(ids) + 1)
    last = sequence.append(ids, keep=1)
    other = ours.sequence(len(ids) + 9)
    for i in range(0, len(ids), 97):
        logits = other.append(ids[i : i + 97])
    assert torch.equal(logits[-1:], last)


def test_a_text_of_more_than_it_has_seen_is_attended_to_by_its_own_positions_only():
    """Scores of positions that are not there are worked out and thrown away: nothing of them may come through."""
    ours, ids = tiny.own(hf("llama")), some_ids(33)
    sequence, clean = ours.sequence(64), ours.sequence(64)
    sequence.stack.kv_cache.keys[:] = float("nan")
    sequence.stack.kv_cache.values[:, :, :, :, 33:] = float("nan")
    assert torch.equal(sequence.append(ids), clean.append(ids))


def test_numbers_that_are_no_numbers_come_through_as_such():
    source = tiny.make(tiny.config("llama"))
    weights = tiny.weights(source)
    weights["model.layers.0.mlp.up_proj.weight"] = weights["model.layers.0.mlp.up_proj.weight"].clone()
    weights["model.layers.0.mlp.up_proj.weight"][0, 0] = float("nan")
    assert Llama(source.config, weights, "tiny").sequence(8).append([1, 2, 3]).isnan().all()


@pytest.mark.parametrize(("ours", "threads"), [(name, 1 + i % 2) for i, name in enumerate(MODELS)], indirect=["ours"])
def test_a_row_whose_logits_nobody_asks_for_leaves_the_same_keys_and_values(ours, threads, monkeypatch):
    monkeypatch.setattr(compiled, "best_thread_count", lambda *_: threads)
    ids, passes = ids_of(ours, 30), []
    for keep in (None, 3, 1, 0):
        sequence = ours.sequence(50)
        for room in sequence.stack.scratch:  # what was left in memory
            room.fill(float("nan"))
        first = sequence.append(ids[:25], keep=keep)
        passes.append((first, sequence.append(ids[25:]), *sequence.stack.kv_cache))
    (first, then, keys, values), *others = passes
    for some, after, *cache in others:
        assert torch.equal(some, first[25 - len(some) :]) and torch.equal(after, then)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(cache, (keys, values), strict=True))


def test_what_leaves_the_last_layer_is_of_all_rows_where_it_is_asked_for():
    ours, ids, taps = load_model("fable"), some_ids(12, vocabulary=4096), []
    for keep in (None, 1):
        sequence = ours.sequence(40)
        sequence.taps = (ours.info.layers,)
        sequence.append(ids, keep=keep)
        taps.append(sequence.tapped[ours.info.layers])
    assert np.array_equal(*taps)
