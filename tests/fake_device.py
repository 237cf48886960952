"""A GPU's clock on a CPU: work takes its time after it was given, events are reached when the device is, and time is what a test says."""

import pytest
import torch


class Device:
    """A device on which work takes time after it was given. `now` is the host's clock in seconds; `free`: when the device is."""

    def __init__(self, monkeypatch):
        self.now = self.free = 0.0
        device = self

        class Event:
            def __init__(self, enable_timing=False):
                self.timing = enable_timing

            def record(self, stream=None):
                self.at = max(device.now, device.free)

            def synchronize(self):
                device.now = max(device.now, self.at)

            def elapsed_time(self, other):
                assert self.timing and other.timing and device.now >= other.at, "asked before it was reached"
                return (other.at - self.at) * 1e3

        monkeypatch.setattr(torch.cuda, "Event", Event)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda: None)
        monkeypatch.setattr(torch.cuda, "synchronize", lambda _=None: pytest.fail("waits for what other threads gave, too"))
        monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: self.work(cycles / 2e9))

    def work(self, seconds, launch=0.0):
        """Give it work of so many seconds; the host is busy for `launch` with that."""
        self.now += launch
        self.free = max(self.now, self.free) + seconds

    def wait(self):
        self.now = max(self.now, self.free)


def round_on(device, clock, look=0.0):
    """What `decode` does in a round: a block is drafted, verified, decided; looked at, if `look` is what that takes the device."""
    clock.start()
    device.work(0.002, launch=0.0001)
    clock.lap()
    device.work(0.004, launch=0.0001)
    clock.lap()
    device.work(0.0003, launch=0.0001)
    clock.lap()
    if look:
        device.work(look, launch=0.0001)
        clock.lap()
    device.wait()  # for the transfer
    clock.end()
    device.now += 0.0005
    clock.end()
    return clock.phases()
