"""A pass over many texts at once is each text's own, and a cost curve says what was timed and where; what is stopped keeps the
batches that are whole. What a pass over n new tokens costs is measured on a fake model with a fake clock."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import get_ident

import pytest
import torch

from scripts.gpu import shapes
from specviz.engine import machine
from specviz.engine.model import ModelError
from specviz.lab import costs
from specviz.lab.costs import block_times, loads

from ..fakes import Markov


def built(name: str = "tiny-llama"):
    """The tiny one of a public shape with its small draft, both of random weights."""
    shape = shapes.TINY[name]
    return shapes.build(name, shape.target), shapes.build(shape.draft_name, shape.draft, seed=1)


@torch.inference_mode()
@pytest.mark.parametrize("name", shapes.TINY)
def test_a_pass_over_a_batch_is_the_engines_at_one_text_and_each_texts_own_at_several(name):
    target, _ = built(name)
    texts = torch.randint(target.vocabulary, (3, 30), generator=torch.Generator().manual_seed(1))
    for rows in (texts[:1], texts):
        batch = costs.Batch(target, len(rows), 40)
        batch.fill(rows[:, :20])
        for n in (1, 4, 10):  # nothing is kept, so each finds the same
            logits = batch.forward(rows[:, 20 : 20 + n])
            for row, batched in zip(rows.tolist(), logits, strict=True):
                sequence = target.sequence(40)
                sequence.append(row[:20], keep=1)
                assert torch.allclose(*map(torch.as_tensor, (batched, sequence.append(row[20 : 20 + n]))), atol=1e-3, rtol=1e-4)


def test_a_cost_curve_names_what_was_timed_and_where(tmp_path):
    target, _ = built()
    curve = costs.cost_curve(target, 10, batches=(1, 3), blocks=(1, 2, 5), repeats=1)
    path = costs.save_curves([curve], tmp_path / "new", "some-gpu")
    file = json.loads(path.read_text())
    assert path.name == "some-gpu.json" and file["device"] and file["unit"] == "ms"
    assert file["curves"][0]["batches"] == [1, 3] and file["curves"][0]["blocks"] == [1, 2, 5]
    assert [len(row) for row in file["curves"][0]["ms"]] == [3, 3] and min(map(min, file["curves"][0]["ms"])) > 0


def test_each_batch_gives_a_row_and_stopped_between_two_passes_there_is_what_was_measured():
    target, draft = built()
    passes = iter(range(100))
    *_, measured = loads(target, draft, (1, 2, 4), (1, 2, 3), 1, lambda: next(passes) >= 2 * 12)  # 4 sizes, 3 passes each
    assert measured.batches == (1, 2) and (measured.done, measured.of) == (2, 3)
    assert [len(row) for row in measured.target_ms] == [3, 3] and len(measured.draft_ms) == 2
    assert measured.as_json()["target"] == target.info.name and min(map(min, measured.target_ms)) > 0


@pytest.mark.parametrize(("shares", "disturbed"), [((1, 1), False), ((1, 0.5), True), ((0.5, 1), True)])
def test_a_batch_whose_thread_lacked_a_processor_is_told_but_no_wait_between_passes_and_no_change_of_thread(
    monkeypatch, shares, disturbed
):
    now = Counter()  # seconds: of the clock, and of each thread's processor

    def forward(texts, ids, keep=False):
        now["clock"] += 1
        now[get_ident()] += shares[texts.batch - 1]

    monkeypatch.setattr(costs.Batch, "forward", forward)
    monkeypatch.setattr(time, "perf_counter", lambda: now["clock"])
    monkeypatch.setattr(costs, "THREAD", lambda: now[get_ident()])
    monkeypatch.setattr(machine.TIMED_RUN, "give_way", lambda: now.update(clock=10))
    with closing(loads(*built(), (1, 2), (1,), 1)) as measuring, ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        second.submit(lambda: now.update({get_ident(): 1000})).result()
        *_, measured = (thread.submit(next, measuring).result() for thread in (first, second))
    assert measured.disturbed is disturbed


class Slow(Markov):
    """Each append takes 1 ms and 1/4 ms a token on its own clock; the first few of a fresh machine take much longer."""

    def __init__(self, **settings):
        super().__init__(torch.full((5, 5), 0.2), **settings)
        self.now, self.calls = 0.0, 0

    def rows(self, past, n):
        self.calls += 1
        self.now += 1e-3 + 0.25e-3 * n + (1.0 if self.calls <= 6 else 0.0)
        return super().rows(past, n)


def test_each_size_is_timed_alone_at_the_same_context_and_the_warm_up_is_left_out():
    model = Slow(context=64)
    times = block_times(model, sizes=(1, 2, 4, 8, 16), context=40, repeats=3, clock=lambda: model.now, processor=None)
    assert times.ms == {n: pytest.approx(1 + 0.25 * n) for n in (1, 2, 4, 8, 16)}
    assert (times.context, times.target) == (40, model.info.name)
    assert (times.parameters, times.dtype) == (model.info.parameters, model.info.dtype)
    fed = model.sequences[0].fed
    assert [len(ids) for ids in fed] == [40] + [1, 2, 4, 8, 16] * 4
    assert model.sequences[0].length == 40


def test_a_measurement_beside_other_programs_is_made_again_and_at_last_says_that_it_was_disturbed():
    calm = Slow(context=64)
    whole = {"sizes": (1, 8), "context": 40, "repeats": 5, "clock": lambda: calm.now}
    assert not block_times(calm, **whole, processor=lambda: calm.now).disturbed
    half = block_times(calm, **whole, processor=lambda: calm.now / 2)  # another program had the processor half of the time
    assert half.disturbed and half.ms[8] == pytest.approx(3.0)
    once, late = Slow(context=64), Slow.rows
    once.rows = lambda past, n: [setattr(once, "now", once.now + (9e-3 if 10 < once.calls < 14 else 0)), late(once, past, n)][1]
    again = block_times(once, **whole | {"clock": lambda: once.now}, processor=None)
    assert not again.disturbed and once.calls > 2 * 2 * 6  # the second measurement was quiet


def test_a_model_without_room_is_refused():
    with pytest.raises(ModelError, match="no room for 60 and a block of 16"):
        block_times(Slow(context=64), context=60)


@pytest.mark.slow
def test_the_bundled_target_is_measured_by_the_apps_engine():
    from specviz.local import LocalEngine

    times = LocalEngine().block_times()
    assert list(times.ms) == [1, 2, 4, 8, 16] and all(ms > 0 for ms in times.ms.values())
    assert times.ms[16] < 16 * times.ms[1]  # the weights are read once for all of them
