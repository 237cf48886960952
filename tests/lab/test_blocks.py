"""What a pass over n new tokens costs, measured on a fake model with a fake clock."""

import pytest
import torch

from specviz.engine.backends.base import ModelError
from specviz.lab.blocks import block_times

from ..fakes import Markov


class Slow(Markov):
    """Each append takes 1 ms and 1/4 ms a token on its own clock; the first few of a fresh machine take much longer."""

    def __init__(self, **settings):
        super().__init__(torch.full((5, 5), 0.2), **settings)
        self.now, self.calls = 0.0, 0

    def rows(self, held, n):
        self.calls += 1
        self.now += 1e-3 + 0.25e-3 * n + (1.0 if self.calls <= 6 else 0.0)
        return super().rows(held, n)


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
    once.rows = lambda held, n: [setattr(once, "now", once.now + (9e-3 if 10 < once.calls < 14 else 0)), late(once, held, n)][1]
    again = block_times(once, **whole | {"clock": lambda: once.now}, processor=None)
    assert not again.disturbed and once.calls > 2 * 2 * 6  # the second measurement was quiet


def test_a_model_without_room_is_refused():
    with pytest.raises(ModelError, match="no room for 60 and a block of 16"):
        block_times(Slow(context=64), context=60)


@pytest.mark.slow
def test_the_bundled_target_is_measured_by_the_apps_engine():
    from specviz.local import LocalEngine

    times = LocalEngine().block_times()
    assert list(times.ms) == [1, 2, 4, 8, 16]
    assert all(ms > 0 for ms in times.ms.values())
    assert times.ms[16] < 16 * times.ms[1]  # the weights are read once for all of them
