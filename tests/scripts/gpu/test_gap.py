"""How long a device waits for the host, by a clock of our own."""

import pytest
import torch

from scripts.gpu import gap
from scripts.gpu.scripted import NumberText
from specviz.engine.decode import decode
from specviz.engine.stopwatch import Stopwatch
from specviz.trace.events import Round

from ...fake_device import Device, round_on
from ...tiny_shapes import PROMPT, built, greedy


def test_the_host_gap_is_what_the_device_waits_for_the_host(monkeypatch):
    device = Device(monkeypatch)
    monkeypatch.setattr(gap.time, "perf_counter", lambda: device.now)
    target, draft = built()
    real = list(decode(target, draft, PROMPT, greedy(2, 12), NumberText(), observe=False))

    def run(clock):
        clock = clock if isinstance(clock, Stopwatch) else Stopwatch(clock, torch.device("cuda"))
        for event in real:
            if isinstance(event, Round):
                round_on(device, clock)
                device.now += 0.0001  # between rounds
            yield event

    rounds = sum(isinstance(event, Round) for event in real)
    assert rounds > 2
    busy, launch, after = 2 + 4 + 0.3, 0.1, 0.5 + 0.1
    assert gap.host_gap(run, torch.device("cuda")) == pytest.approx(1 - busy / (busy + launch + after))
    assert gap.host_gap(run, torch.device("cpu")) is None
