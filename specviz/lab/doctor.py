"""What this machine is and how fast each bundled model is on it: python -m specviz doctor."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from ..engine import machine
from ..engine.backends.base import Model, ModelError
from ..engine.compiled.compiler import cache_dir
from ..engine.models.llama import not_compiled_reason
from ..engine.models.load import load_model, present
from .costs import block_times

PACKAGES = ("gradio", "tokenizers", "numpy", "numba")
CONTEXT, REPEATS = 32, 20
ABSENT = "not installed"


def rows() -> Iterator[tuple[str, str]]:
    """What is looked at, and what was found: device, threads, versions, then the models, each with a timed forward."""
    machine.set_threads()
    device, about = machine.device(), machine.describe_machine()
    yield "device", about.device
    if about.note:
        yield "", about.note
    yield "threads", str(about.threads)
    yield "python", about.python
    yield "torch", about.torch
    yield "transformers", about.transformers
    if device.type == "cpu":
        yield "forward pass", _compiler_note(not_compiled_reason(device, "float32"))
    if device.type == "cuda":
        import torch

        if (cards := torch.cuda.device_count()) > 1:
            yield "cards", f"{cards}; a run uses the first, unless a target is spread over several (docs/deploy.md)"
    for package in PACKAGES:
        yield package, _version(package)
    spreads = _version("accelerate")
    yield ("accelerate", spreads if spreads != ABSENT else f"{ABSENT}; only a target that is spread over devices needs it")
    if not present():
        yield "models", "none: assets/models is empty, so the checkout or the package is not complete"
    for name in present():
        try:
            model = load_model(name, device)
        except ModelError as error:
            yield name, f"cannot be used: {error}"
            continue
        info = model.info
        size = f"{info.family}, {info.layers} × {info.width}, {info.parameters / 1e6:.1f} M parameters, {info.dtype}"
        why = f" ({info.why})" if info.why else ""
        one = f"one token {block_times(model, (1,), CONTEXT, REPEATS).ms[1]:.2f} ms (median of {REPEATS}){_thread_note(model)}"
        yield name, f"{size}, {info.forward} forward{why}, {one}"


def _compiler_note(reason: str) -> str:
    if reason:
        return f"by PyTorch, several times slower: {reason}"
    from ..engine.compiled.threads import FUTEX
    from ..engine.compiled.tile import BITS

    asleep = "in the system (futex)" if FUTEX else "by a lock of Python"
    where = "kept for the next start" if cache_dir() else "and again at every start: there is no folder to keep it in"
    return f"compiled for this processor, {BITS // 32} numbers at once, {where}; idle threads sleep {asleep}"


def _thread_note(model: Model) -> str:
    """How many threads make a pass, which was measured when the first was made."""
    threads = getattr(getattr(model.sequence(1), "stack", None), "threads", 0)
    return f" on {threads} thread{'s' * (threads > 1)}" if threads else ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ABSENT
