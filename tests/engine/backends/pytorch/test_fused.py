"""Why our own kernels are not used is said in words that help."""

from subprocess import CalledProcessError

import pytest
import torch

from specviz.engine.backends.pytorch import fused
from specviz.engine.backends.pytorch.fused import self_test
from specviz.engine.backends.pytorch.modules import TorchParts
from specviz.engine.model import Shape

from .... import fake_device

CPU = torch.device("cpu")
SHAPE = Shape("llama", 48, 4, 4, 12, 80, 1e-5)


class Ours(TorchParts):
    """The same numbers."""


@pytest.mark.parametrize(
    ("ours", "reason"), [(30.0, ""), (40.9, ""), (55.0, "they take 55 µs a layer where PyTorch's take 40"), (None, "")]
)
def test_kernels_that_are_slower_on_this_card_than_pytorchs_are_not_used_and_the_figures_are_said(ours, reason):
    pace = {TorchParts: 40.0, Ours: ours}
    assert self_test(Ours, SHAPE, CPU, torch.float32, lambda way, *_: pace[way]) == reason


def test_they_are_timed_as_decoding_replays_them(monkeypatch):
    clock = fake_device.Device(monkeypatch)
    device = fake_device.GraphDevice(monkeypatch)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: setattr(device, "waited", True))
    replay = device.replay
    monkeypatch.setattr(device, "replay", lambda graph: (clock.work(30e-6), replay(graph)))
    assert fused._pace(TorchParts, SHAPE, CPU, torch.float32) == pytest.approx(30.0) and device.replays == 23


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CalledProcessError(1, ["/usr/bin/gcc", "/tmp/tmpx/main.c", "-O3", "-shared"]), "the headers of Python"),
        (RuntimeError("Failed to find C compiler. Please specify via CC environment variable."), "the headers of Python"),
        (RuntimeError("out of resource:\nshared memory"), "out of resource: shared memory"),
    ],
)
def test_where_triton_cannot_compile_its_launcher_the_reason_is_what_to_install(error, reason):
    def make(*_):
        raise error

    assert reason in self_test(make, SHAPE, CPU, torch.float32)
