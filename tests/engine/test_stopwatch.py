"""Phases of a round on a device are timed by events, and nothing waits in between."""

import pytest
import torch

from specviz.engine.machine import Recording, Stopwatch

from ..fake_device import Device, round_on


def test_phases_on_a_device_are_timed_without_waiting_between_them_and_add_up_to_the_round(monkeypatch):
    device = Device(monkeypatch)
    clock = Stopwatch(lambda: device.now, torch.device("cuda"))
    phases = round_on(device, clock)
    assert phases == pytest.approx((2.1, 4.0, 0.3, 0.5, 0.0)) and sum(phases) == pytest.approx(device.now * 1e3)


@pytest.mark.parametrize("look", [0.0007, 0.03])
def test_what_is_looked_at_on_the_device_takes_no_time_of_the_phases(monkeypatch, look):
    """The host waits for it together with the decision."""
    device = Device(monkeypatch)
    clock = Stopwatch(lambda: device.now, torch.device("cuda"))
    for _ in range(2):  # the second round begins anew
        before = device.now
        phases = round_on(device, clock, look)
        assert phases == pytest.approx((2.1, 4.0, 0.3, 0.5, look * 1e3))
        assert sum(phases) == pytest.approx((device.now - before) * 1e3)


def test_the_recording_of_graphs_is_in_no_phase(monkeypatch):
    device = Device(monkeypatch)
    clock = Stopwatch(lambda: device.now, torch.device("cuda"))
    before, work = Recording.seconds, device.work

    def slow(seconds, launch=0.0):
        device.wait()
        device.now += 3.0
        Recording.seconds += 3.0
        work(seconds, launch)

    device.work = slow
    try:
        assert round_on(device, clock) == pytest.approx((2.1, 4.1, 0.4, 0.5, 0.0))
        assert round_on(device, clock, 0.0007) == pytest.approx((2.1, 4.1, 0.4, 0.5, 0.8))
    finally:
        Recording.seconds = before
