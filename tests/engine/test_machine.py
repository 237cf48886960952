"""Which device is chosen, and what is said where that is not the one that a person meant."""

import warnings

import pytest
import torch

from specviz.config import ConfigError
from specviz.engine import machine
from specviz.engine.model import ModelError
from specviz.engine.models.load import load_folder
from specviz.engine.sampling import Device
from specviz.lab import costs

from .. import tiny

CUDA, CPU = Device("cuda"), Device("cpu")
OLD = "CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).\nPlease update your GPU driver"
NO_KERNEL = "CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be reported later"


@pytest.fixture(autouse=True)
def asked_afresh(monkeypatch):
    monkeypatch.delenv("SPECVIZ_DEVICE", raising=False)
    for one in (machine.device, machine.why_no_gpu, machine.dtype):
        one.cache_clear()
    yield
    for one in (machine.device, machine.why_no_gpu, machine.dtype):
        one.cache_clear()


def gpu(monkeypatch, available=True, warned="", fails=None, capability=(9, 0)):
    """A machine of which torch says this."""

    def is_available():
        if warned:
            warnings.warn(warned, stacklevel=1)
        return available

    def ones(*_, **__):
        if fails:
            raise fails
        return torch.tensor([1.0, 1.0])

    monkeypatch.setattr(torch.cuda, "is_available", is_available)
    monkeypatch.setattr(torch, "ones", ones)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda *_: "a card")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda *_: capability)


def test_a_gpu_that_runs_a_kernel_is_used_and_there_is_nothing_to_say(monkeypatch):
    gpu(monkeypatch)
    assert machine.device() == CUDA and machine.describe_machine().note == ""


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (
            {"available": False, "warned": OLD},
            "torch cannot use the GPU: CUDA initialization: The NVIDIA driver on your system is too old",
        ),
        ({"fails": RuntimeError(NO_KERNEL)}, "the GPU ran no kernel: CUDA error: no kernel image is available"),
    ],
    ids=["a driver that is too old", "an architecture that the build lacks"],
)
def test_a_gpu_that_cannot_be_used_is_said_in_the_trace_and_by_the_doctor(monkeypatch, how, reason):
    gpu(monkeypatch, **how)
    assert machine.device() == CPU
    note = machine.describe_machine().note
    assert note.startswith(reason) and "\n" not in note
    monkeypatch.setattr(costs, "present", list)
    assert ("", note) in list(costs.machine_rows())
    monkeypatch.setenv("SPECVIZ_DEVICE", "cuda")  # asked for, it is refused with the reason
    machine.device.cache_clear()
    with pytest.raises(ConfigError, match=reason[:30]):
        machine.device()


def test_where_there_is_no_gpu_nothing_is_said(monkeypatch):
    gpu(monkeypatch, available=False)
    monkeypatch.setattr(machine, "DRIVER", "/no/such/file")
    assert machine.device() == CPU and machine.describe_machine().note == ""


def test_a_build_without_cuda_beside_a_driver_is_said(monkeypatch, tmp_path):
    gpu(monkeypatch, available=False)
    monkeypatch.setattr(torch.version, "cuda", None)
    (tmp_path / "version").touch()
    monkeypatch.setattr(machine, "DRIVER", str(tmp_path / "version"))
    assert "is built without CUDA" in machine.describe_machine().note


@pytest.mark.parametrize("name", ["cuda:1", "mps", "meta", "cuda:-1", "gpu"])
def test_other_devices_are_refused_with_what_to_do(monkeypatch, name):
    gpu(monkeypatch)
    monkeypatch.setenv("SPECVIZ_DEVICE", name)
    with pytest.raises(ConfigError, match="it must be cpu or cuda") as raised:
        machine.device()
    assert ("CUDA_VISIBLE_DEVICES=1" in str(raised.value)) == (name == "cuda:1")


def test_the_first_gpu_may_be_named(monkeypatch):
    gpu(monkeypatch)
    monkeypatch.setenv("SPECVIZ_DEVICE", "cuda:0")
    assert machine.device() == CUDA


@pytest.mark.parametrize(("capability", "dtype"), [((7, 5), "float16"), ((8, 0), "bfloat16"), ((12, 0), "bfloat16")])
def test_a_card_that_multiplies_in_float16_only_gets_such_weights_and_the_trace_says_so(monkeypatch, capability, dtype):
    gpu(monkeypatch, capability=capability)
    assert machine.half_precision("bfloat16", CUDA) == dtype
    assert machine.half_precision("bfloat16", CPU) == "bfloat16" and machine.half_precision("float32", CUDA) == "float32"
    assert ("float16" in machine.describe_machine().note) == (dtype == "float16")
    monkeypatch.setenv("SPECVIZ_DTYPE", "bfloat16")  # who asks for it gets it
    machine.dtype.cache_clear()
    assert machine.device_note() == ""


def test_what_torch_keeps_for_later_counts_as_free(monkeypatch):
    gpu(monkeypatch)
    reserved = [12e9]
    monkeypatch.setattr(torch.cuda, "empty_cache", reserved.clear)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda *_: (24e9 - sum(reserved), 24e9))
    assert machine.free_gigabytes() == 24.0


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_a_card_that_is_full_is_one_line(monkeypatch, tmp_path, kind):
    folder = tiny.save(tmp_path / "m", tiny.hf(kind), tiny.byte_level())

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nGPU 0 has …")

    monkeypatch.setattr(torch.nn.Module, "to", full)
    monkeypatch.setattr("specviz.engine.model.Weights.take", full)
    monkeypatch.setattr("specviz.engine.models.load.without_heads", full if kind == "llama" else lambda weights, _: weights)
    with pytest.raises(ModelError, match=r"^m does not fit in memory: choose a smaller model"):
        load_folder(folder, "m")


@pytest.mark.parametrize("count", ["0", "1025", "two"])
def test_a_count_of_threads_that_cannot_be_is_refused(monkeypatch, count):
    monkeypatch.setenv("SPECVIZ_THREADS", count)
    with pytest.raises(ConfigError, match="SPECVIZ_THREADS"):
        machine.set_threads()
