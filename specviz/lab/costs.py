"""What passes cost. Over n new tokens of one text: the measurement under a chapter of Learn, and under v of the speedup formula.

times = block_times(model)
times.ms[8] / times.ms[1]

Cost curves t(B, n): what a pass over n new tokens of each of B texts takes. The data of "when not to use it": a busy GPU has
no idle arithmetic to give, so the larger B is, the more a block of n costs.

The engine decodes one text. `Batch` is for timing: the engine's own pass over B·n rows, attention over B separate caches. It leaves
out what a serving engine adds: texts of different lengths (here all are as long), pages of cache, scheduling, sampling.

for found in loads(target, draft): found.as_json()      # one batch after the other: the Lab's panel Load of one's own machine
machine_rows()                                          # what this machine is and what a pass costs: python -m specviz doctor
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import numpy as np

from ..engine import machine
from ..engine.compiled.compiler import cache_dir
from ..engine.machine import THREAD
from ..engine.model import MAX_PASS, Model, ModelError
from ..engine.models.llama import Llama, not_compiled_reason
from ..engine.models.load import load_model, present
from ..engine.sampling import Array, Device
from ..request import never
from ..trace.disturbed import MIN_SHARE, passes_disturbed
from .measure import RunStopped, timing_alone

BATCHES, BLOCKS = (1, 2, 4, 8, 16, 32, 64), tuple(range(1, 17))
LAB_BATCHES, LAB_BLOCKS, LAB_REPEATS = BATCHES[:5], BLOCKS[:9], 5
CONTEXT = 128  # positions that every text of the bundled pair holds
SIZES, REPEATS, ATTEMPTS = (1, 2, 4, 8, 16), 15, 3  # of a block, of each, and of all before a busy machine is given up on


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """`ms`: new tokens in a pass → median milliseconds of the pass, after `context` cached positions. `target` with its
    `parameters` of `dtype` and `size` (trace/events.py), `device` and `threads` say of what and where.
    `disturbed`: by something else, at each attempt."""

    target: str
    parameters: int
    dtype: str
    size: int
    device: str
    threads: int
    context: int
    ms: dict[int, float]
    disturbed: bool = False


def block_times(
    model: Model,
    sizes: tuple[int, ...] = SIZES,
    context: int = CONTEXT,
    repeats: int = REPEATS,
    clock: Callable[[], float] = time.perf_counter,
    processor: Callable[[], float] | None = THREAD,
) -> BlockTimes:
    """Time one append of each size, rolled back each time. Alone on the machine, or the times say nothing.

    The sizes take turns, so that whatever disturbs the machine meanwhile meets them all; the first turn warms up and is not
    counted. What was disturbed is measured again. `processor`: seconds for which the calling thread had one. Raises ModelError
    where the model has no room for `context` and the largest block."""
    if context + max(sizes) > model.context:
        raise ModelError(f"{model.info.name} holds {model.context} positions: no room for {context} and a block of {max(sizes)}")
    chance = random.Random(0)
    ids = [chance.randrange(model.vocabulary) for _ in range(context + max(sizes))]
    processor = processor if model.device.type == "cpu" else None
    with machine.torch_threads(None):
        sequence = model.sequence(context + max(sizes))
        sequence.append(ids[:context], keep=1)
        for _ in range(ATTEMPTS):
            times_ms: dict[int, list[float]] = {n: [] for n in sizes}
            processor_ms = 0.0
            for turn in range(repeats + 1):
                for n in sizes:
                    synchronize(model.device)
                    start, processor_start = clock(), processor() if processor else 0.0
                    sequence.append(ids[context : context + n])
                    synchronize(model.device)
                    if turn:
                        times_ms[n].append((clock() - start) * 1e3)
                        processor_ms += (processor() - processor_start) * 1e3 if processor else 0.0
                    sequence.rollback(context)
            if not (disturbed := passes_disturbed(times_ms, processor_ms if processor else None)):
                break
    info, where = model.info, machine.describe_machine()
    ms = {n: median(times) for n, times in times_ms.items()}
    return BlockTimes(info.name, info.parameters, info.dtype, info.size, where.device, where.threads, context, ms, disturbed)


def synchronize(device: Device) -> None:
    """Until it has done all that it was given."""
    if device.type == "cuda":
        import torch

        torch.cuda.synchronize(device)


class Batch:
    """B texts of one length under one model, in one static KV cache (backends/pytorch/backend.py). A pass writes its n positions
    after those that are held and does not keep them, so that the next one finds the same."""

    def __init__(self, model: Llama, batch: int, capacity: int):
        self.model, self.batch, self.cache = model, batch, None
        self.by_torch = model.capabilities.torch_threads
        bound = min(capacity, model.context)
        if self.by_torch:
            from ..engine.backends.pytorch.backend import StaticCache, padded_size

            bound = min(padded_size(bound), model.context)
            self.cache = StaticCache(model.layers, model.shape, model.rope, bound, model.device, model.dtype, None, batch)
        else:
            self.stack = model.backend.stack(model.layers, model.shape, model.rope, bound, model.step.head, batch)

    def fill(self, ids: Array) -> None:
        """Hold ids [B, n]."""
        width = max(1, MAX_PASS // self.batch)
        for i in range(0, ids.shape[1], width):
            self.forward(ids[:, i : i + width], keep=True)

    def forward(self, ids: Array, keep: bool = False) -> Array:
        """ids [B, n] → logits [B, n, V]. `keep`: what they left in the caches too."""
        model, flat = self.model, ids.reshape(-1)
        if self.cache:
            logits = model.step.head(self.cache.run_layers(model.step.embed(flat)))
            self.cache.start += ids.shape[1] * keep
        else:
            before = self.stack.length
            logits = self.stack.logits(model.step, flat.tolist(), len(flat), {})
            self.stack.rollback(self.stack.length if keep else before)
        return logits.reshape(*ids.shape, -1)


def cost_curve(
    model: Llama,
    context: int,
    batches: Iterable[int] = BATCHES,
    blocks: Iterable[int] = BLOCKS,
    repeats: int = 20,
    stop: Callable[[], bool] = never,
) -> dict:
    """Median ms by batch (rows) and block (columns), after `context` positions. Passes are replayed from graphs where there are
    any, as the engine's are. Raises RunStopped once `stop` says so, which is asked between passes."""
    blocks = tuple(blocks)
    rows = [[median(ms) for ms, _ in _pass_times(model, context, size, blocks, repeats, stop)] for size in batches]
    about = {"model": model.info.name, "dtype": model.info.dtype, "context": context}
    return about | {"batches": list(batches), "blocks": list(blocks), "ms": rows}


_PassTimes = tuple[list[float], float]  # ms of each pass by the clock, and of all by the processor of the thread that made them


def _pass_times(
    model: Llama, context: int, size: int, blocks: Sequence[int], repeats: int, stop: Callable[[], bool]
) -> list[_PassTimes]:
    """Of passes over each of `blocks`, of a batch of `size`. The blocks take turns, so that whatever disturbs the machine meanwhile meets
    them all; the first two turns warm up and are not counted."""
    chance, places, device, processor = random.Random(0), context + max(blocks), model.device, THREAD or float  # float() is 0
    texts = Batch(model, size, places)
    ids: Array = np.array([[chance.randrange(model.vocabulary) for _ in range(places)] for _ in range(size)])
    if texts.by_torch:
        ids = model.backend.ids(ids.tolist())
    passes, times, seconds = [], [list[float]() for _ in blocks], [0.0 for _ in blocks]
    for n in blocks:
        one = partial(texts.forward, ids[:, context : context + n])
        if device.type == "cuda":
            from ..engine.backends.pytorch.graphs import Graphs

            one = partial(Graphs(), "pass", texts.forward, *one.args)
        passes.append(one)
    with machine.torch_threads(None):
        texts.fill(ids[:, :context])
        for turn in range(repeats + 2):
            for i, run_pass in enumerate(passes):
                if stop():
                    raise RunStopped
                machine.TIMED_RUN.give_way()
                synchronize(device)
                start, processor_start = time.perf_counter(), processor()
                run_pass()
                synchronize(device)
                if turn >= 2:
                    times[i].append((time.perf_counter() - start) * 1e3)
                    seconds[i] += processor() - processor_start
    for one in passes:
        if getattr(one.func, "failed", ""):
            raise RuntimeError(f"no graph of a pass over {tuple(one.args[-1].shape)} tokens: {one.func.failed}")
    return list(zip(times, (1e3 * one for one in seconds), strict=True))


def save_curves(curves: list[dict], folder: Path, name: str) -> Path:
    """What was measured, with the hardware named, as folder/{name}.json."""
    about = machine.describe_machine()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    file = {"device": about.device, "torch": about.torch, "date": date.today().isoformat(), "unit": "ms", "curves": curves}
    path.write_text(json.dumps(file, indent=1) + "\n", "utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Loads:
    """`target_ms`: by batch, then by tokens of each text from 1 on; `draft_ms`: by batch, of one token of each. `disturbed`: the thread
    that made the passes of a batch on a CPU had a processor for too little of their time (trace/disturbed.py)."""

    done: int
    of: int
    device: str
    target: str
    draft: str
    context: int
    batches: tuple[int, ...] = ()
    target_ms: tuple[tuple[float, ...], ...] = ()
    draft_ms: tuple[float, ...] = ()
    disturbed: bool = False

    def as_json(self) -> dict:
        return asdict(self)


def loads(
    target: Llama,
    draft: Llama,
    batches: tuple[int, ...] = LAB_BATCHES,
    blocks: tuple[int, ...] = LAB_BLOCKS,
    repeats: int = LAB_REPEATS,
    stop: Callable[[], bool] = never,
) -> Iterator[Loads]:
    """One `Loads` after each batch; none after `stop`, which is asked between passes."""
    context = min(CONTEXT, target.context - max(blocks))
    measured = Loads(0, len(batches), machine.describe_machine().device, target.info.name, draft.info.name, context)
    processor_tells = THREAD is not None and target.device.type == "cpu"
    with timing_alone():
        for size in batches:
            try:
                passes = _pass_times(target, context, size, blocks, repeats, stop)
                passes += _pass_times(draft, context, size, [1], repeats, stop)
            except RunStopped:
                return
            *target_ms, draft_ms = (median(ms) for ms, _ in passes)
            batches_done = *measured.batches, size
            share = sum(processor_ms for _, processor_ms in passes) / sum(sum(ms) for ms, _ in passes)
            measured = replace(
                measured,
                done=len(batches_done),
                batches=batches_done,
                target_ms=(*measured.target_ms, tuple(target_ms)),
                draft_ms=(*measured.draft_ms, draft_ms),
                disturbed=measured.disturbed or (processor_tells and share < MIN_SHARE),
            )
            yield measured


PACKAGES = ("gradio", "tokenizers", "numpy", "numba")
DOCTOR_CONTEXT, DOCTOR_REPEATS = 32, 20
ABSENT = "not installed"


def machine_rows() -> Iterator[tuple[str, str]]:
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
        ms = block_times(model, (1,), DOCTOR_CONTEXT, DOCTOR_REPEATS).ms[1]
        one = f"one token {ms:.2f} ms (median of {DOCTOR_REPEATS}){_thread_note(model)}"
        yield name, f"{size}, {info.forward} forward{why}, {one}"


def _compiler_note(reason: str) -> str:
    if reason:
        return f"by PyTorch, several times slower: {reason}"
    from ..engine.compiled.registers import BITS
    from ..engine.compiled.threads import FUTEX

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
