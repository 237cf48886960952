"""On a CUDA device: runs are exact in fp32, passes replayed from real graphs are the ordinary ones, a round makes the host wait once."""

import gc
import threading
import warnings
from dataclasses import replace

import pytest
import torch

from scripts.gpu import shapes
from scripts.gpu.limits import host_gap
from scripts.gpu.scripted import NumberText, Scripted, proposals, written
from scripts.prompts import HARD_TO_ENCODE
from specviz.config import DecodeConfig, rule_of
from specviz.engine.backends.pytorch.backend import MAX_GRAPHED_ROWS, CachePool, StaticStack
from specviz.engine.backends.pytorch.graphs import Graphs
from specviz.engine.decode import decode
from specviz.engine.draft.choose import drafter_for
from specviz.engine.draft.model import SmallModel
from specviz.engine.models.llama import Llama, LlamaSequence
from specviz.engine.models.pair import load_pair
from specviz.engine.sampling import draw
from specviz.engine.tensors import decide
from specviz.engine.verify import VerifyResult, unpack_result
from specviz.lab import costs
from specviz.rules import RULES
from specviz.trace.events import Round

from .. import tiny, tiny_heads
from ..engine.test_identity import DRAFT, LENGTHS, TARGET
from ..engine.test_one_transfer import MODEL, PROMPT, TEXT, assert_close, config_of, listed
from ..fakes import FakeText, finished, rounds, tokens
from ..tiny import OURS, hf, reference, some_ids

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
                unpack_result(
                    decide(ids.to(at), q.to(at) if k else None, p.to(at), u[k:].to(at), rule)[0].numpy(force=True), k, rule
                )
                for at in (cuda, "cpu")
            )
            assert sums(there) == pytest.approx(sums(here), rel=1e-5)
            there, here = (replace(result, ratios=None, shown=None) for result in (there, here))
            assert there == here  # what is gathered is exact, what is drawn is the same


def sums(result: VerifyResult) -> list[float]:
    """What block verification adds up, which a device does in another order."""
    joint, chance, mass = result.ratios or ([], [], None)
    return [*joint, *chance, mass or 0.0]


LETTERS = FakeText([chr(0x100 + i) for i in range(97)])
CLOSE = 5e-4  # of logits of size 1 to 10: sums in another order than on a CPU


def refused(function, inputs):
    raise RuntimeError("no graphs were asked for")


def on(device, model, dtype=torch.float32, graphs=True) -> Llama:
    own = Llama(model.config, tiny.weights(model), "tiny", device, dtype)
    if not graphs:
        own.backend.pool = CachePool(refused)
    return own


@pytest.mark.parametrize("name", OURS)
def test_replayed_blocks_give_the_logits_of_transformers(cuda, name):
    model, ids = hf(name), some_ids(90)
    sequence = on(cuda, model).sequence(100)
    assert isinstance(sequence.stack, StaticStack)
    assert_logits_close(sequence.append(ids[:40], keep=1), reference(model, ids[:40])[-1:])
    for n in (1, 5, 1, MAX_GRAPHED_ROWS, MAX_GRAPHED_ROWS + 1, 2, 5, 1):
        length = sequence.length
        sequence.append(some_ids(n, seed=n))
        sequence.rollback(length)
        assert_logits_close(sequence.append(ids[length : length + n]), reference(model, ids[: length + n])[-n:])
    assert sequence.slow_reason == ""


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_in_half_precision_replayed_passes_are_as_close_to_fp32_as_the_ordinary_ones(cuda, dtype):
    model, ids = hf("llama, grouped queries"), some_ids(60)
    expected = reference(model, ids)
    errors = []
    for graphs in (True, False):
        sequence = on(cuda, model, dtype, graphs).sequence(100)
        parts = [sequence.append(ids[:30]), *(sequence.append(ids[i : i + 5]) for i in range(30, 60, 5))]
        errors.append((torch.cat(parts).float().cpu() - expected).abs().mean())
    assert errors[0] < 1.5 * errors[1] and errors[0] < 0.1


def assert_logits_close(logits, expected):
    assert logits.shape == expected.shape and (logits.cpu() - expected).abs().max() <= CLOSE


HEADS = tiny_heads.drafters(tiny_heads.model("llama", 0))


@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize("name", ["none", "small", "oracle", "early exit", "mtp", "eagle"])
def test_a_run_from_graphs_writes_what_it_writes_without_and_a_second_one_records_nothing(cuda, name, temperature):
    config = DecodeConfig(K=3 if name != "none" else 0, temperature=temperature, max_new_tokens=24, seed=5)
    model = tiny_heads.model("llama", 0)
    runs = {}
    for graphs in (True, False):
        target = on(cuda, model, graphs=graphs)
        drafter = HEADS[name](target)
        if name == "small":
            drafter.model.backend.pool = target.backend.pool  # of graphs, or of none
        runs[graphs] = target, drafter
    for prompt in (some_ids(1), some_ids(9), some_ids(600)):
        ordinary = tokens(list(decode(*runs[False], prompt, config, LETTERS)))
        for again in (False, True):
            events = list(decode(*runs[True], prompt, config, LETTERS))
            end = finished(events)
            assert tokens(events) == ordinary and end.eager == ""
            if not again:
                assert end.capture_ms > 0
            elif name != "oracle":  # which has two caches of one kind, and they may change places
                assert end.capture_ms == 0
            gc.collect()  # its cache goes back


def test_a_block_of_a_small_model_is_one_graph_and_one_transfer(cuda):
    target, draft = on(cuda, hf("llama")), on(cuda, hf("llama, tied head"))
    config = DecodeConfig(K=4, temperature=0, max_new_tokens=40)
    for _ in range(2):
        events = list(decode(target, SmallModel(draft), some_ids(9), config, LETTERS, observe=False))
        gc.collect()
    keys = {key for waiting in draft.backend.pool.free.values() for standing in waiting for key in standing.graphs.ready}
    assert any(key[0] == "draft" and key[2] == 4 for key in keys)
    assert any(len(r.drafted) == 4 for r in rounds(events))


def test_a_recording_that_is_refused_runs_as_it_is_and_spoils_nothing_after_it(cuda):
    graphs, stream = Graphs(), torch.cuda.current_stream()
    refused = lambda x: x * float(x.sum())  # looks at a value, which a recording may not  # noqa: E731
    for value in (2.0, 3.0):
        assert graphs("looks", refused, torch.full((2,), value, device=cuda)).tolist() == [2 * value * value] * 2
    assert graphs.failed
    assert torch.cuda.current_stream() == stream  # and not the one that was recorded on
    after = Graphs()
    for value in (2.0, 3.0):
        assert after("fine", lambda x: (x * 2,), torch.full((2,), value, device=cuda))[0].tolist() == [2 * value] * 2
    assert after.failed == ""


def test_a_run_whose_passes_cannot_be_recorded_says_so_and_writes_the_same(cuda, monkeypatch):
    config, prompt = DecodeConfig(K=3, temperature=0, max_new_tokens=20), some_ids(8)
    whole = tokens(list(decode(target := on(cuda, hf("llama")), SmallModel(target), prompt, config, LETTERS)))

    def refuse(*_, **__):
        raise RuntimeError("no memory for a graph")

    monkeypatch.setattr(torch.cuda, "CUDAGraph", refuse)
    target = on(cuda, hf("llama"))
    events = list(decode(target, SmallModel(target), prompt, config, LETTERS))
    assert tokens(events) == whole and finished(events).eager == "no memory for a graph"


def test_graphs_that_share_a_pool_of_memory_do_not_disturb_each_other(cuda):
    target = on(cuda, hf("llama"))
    a, b, ids = target.sequence(100), target.sequence(200), some_ids(40)
    expected = reference(hf("llama"), ids)
    for n in (1, 4, 2, 1):  # recorded in turns, replayed in turns
        for sequence in (a, b):
            length = sequence.length
            assert_logits_close(sequence.append(ids[length : length + n]), expected[length : length + n])


def test_what_a_graph_gave_outlasts_the_replay_of_one_that_was_recorded_before_it(cuda):
    """They share a pool: the later one may lie where the earlier one works."""
    replays, x = Graphs(), torch.arange(4096.0, device=cuda)
    before = lambda x: replays("before", lambda x: (x * 2).cumsum(0).exp().sum(0, keepdim=True), x)  # noqa: E731
    after = lambda x: replays("after", lambda x: (x + 1, x * 3), x)  # noqa: E731
    before(x), after(x)
    for shift in (1.0, 2.0):
        outputs = after(x + shift)
        before(x)
        assert torch.equal(outputs[0], x + shift + 1) and torch.equal(outputs[1], (x + shift) * 3)


def test_two_runs_at_the_same_time_do_not_share_a_cache(cuda):
    target, config = on(cuda, hf("llama")), DecodeConfig(K=3, temperature=0, max_new_tokens=30)
    prompts = [some_ids(9, seed) for seed in range(4)]
    alone = [tokens(list(decode(target, SmallModel(target), p, config, LETTERS))) for p in prompts]
    runs, events_of = [decode(target, SmallModel(target), p, config, LETTERS) for p in prompts], [[] for _ in prompts]
    while any(runs):  # a round of each in turn
        for i, run in enumerate(runs):
            if run is not None and (event := next(run, None)) is not None:
                events_of[i].append(event)
            else:
                runs[i] = None
    assert [tokens(events) for events in events_of] == alone
    texts, threads = {}, []
    for i, prompt in enumerate(prompts):

        def write(i=i, prompt=prompt):
            texts[i] = tokens(list(decode(target, SmallModel(target), prompt, config, LETTERS)))

        threads.append(threading.Thread(target=write))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [texts[i] for i in range(len(prompts))] == alone


def test_the_host_gap_of_a_scripted_run_is_a_part_of_it(cuda):
    shape = shapes.TINY["tiny-llama"]
    target, draft = (shapes.build("tiny", config, cuda) for config in (shape.target, shape.draft))
    ids = written(target, [1, 2, 3], 60)
    config = DecodeConfig(K=4, temperature=0, max_new_tokens=60)
    drafter = Scripted(SmallModel(draft), proposals(ids, target.vocabulary, 0.8, cuda))

    def run(clock):
        return decode(target, drafter, [1, 2, 3], config, NumberText(), observe=False, clock=clock)

    for _ in run(lambda: 0.0):
        pass
    gc.collect()
    assert 0 < host_gap(run, cuda) < 1


def test_a_cost_curve_is_timed_from_graphs(cuda):
    target = shapes.build("tiny", shapes.TINY["tiny-qwen3"].target, cuda)
    curve = costs.cost_curve(target, 24, batches=(1, 4), blocks=(1, 4), repeats=3)
    assert min(map(min, curve["ms"])) > 0


RULE = pytest.mark.parametrize("rule", ["greedy", "rejection", "match"])
DRAFTERS = tiny_heads.drafters(MODEL)


def run(target, drafter, config, observe=True):
    yield from decode(target, drafter, list(PROMPT), config, TEXT, observe=observe)


def warm(*args):
    """A run whose recordings are made, and its cache back on the shelf."""
    events = list(run(*args))
    gc.collect()
    return events


@RULE
@pytest.mark.parametrize("observe", [True, False])
@pytest.mark.parametrize("name", ["none", "small", "early exit", "eagle"])
def test_a_round_makes_the_host_wait_for_one_transfer(cuda, name, observe, rule):
    target = on(cuda, MODEL)
    drafter, config = DRAFTERS[name](target), config_of(rule, name)
    warm(target, drafter, config, observe)
    waits, before = [], torch.cuda.get_sync_debug_mode()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for event in run(target, drafter, config, observe):
                if isinstance(event, Round):
                    waits.append(sum("synchronizing CUDA operation" in str(w.message) for w in caught))
                caught.clear()
                torch.cuda.set_sync_debug_mode("warn")  # once the prompt is in
    finally:
        torch.cuda.set_sync_debug_mode(before)
    assert waits == [1] * len(waits) and len(waits) > 3


@RULE
@pytest.mark.parametrize("name", ["none", "small", "early exit", "eagle", "lookup"])
def test_a_run_from_graphs_says_what_it_says_when_decided_value_by_value(cuda, monkeypatch, name, rule):
    target = on(cuda, MODEL)
    drafter, config = DRAFTERS[name](target), config_of(rule, name)
    runs = [warm(target, drafter, config) for _ in range(2)]
    assert all(finished(events).eager == "" for events in runs)
    monkeypatch.setattr(LlamaSequence, "replay", None)
    expected = warm(target, drafter and listed(drafter), config)
    for events in runs:
        assert_close(events, expected)


def test_what_is_looked_at_is_timed_as_observing_and_phases_add_up_without_it(cuda):
    shape = shapes.TINY["tiny-llama"].target
    target, draft = (shapes.build("tiny", shape, cuda, seed=i) for i in (0, 1))
    config = DecodeConfig(K=4, temperature=1, max_new_tokens=80)
    for observe in (True, False, True, False):  # what is recorded is recorded in the first two
        events = list(decode(target, SmallModel(draft), [1, 2, 3], config, NumberText(), observe=observe))
        gc.collect()
        for t in (r.times for r in rounds(events)):
            assert min(t.draft, t.verify, t.rest, t.observe) > 0 and t.decide > -0.05  # an event's clock is not the host's
        assert finished(events).decode_ms == pytest.approx(sum(r.times.timed for r in rounds(events)))
