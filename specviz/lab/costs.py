"""What passes cost. Over n new tokens of one text: the measurement under a chapter of Learn, and under v of the speedup formula.

times = block_times(model)
times.ms[8] / times.ms[1]

Cost curves t(B, n): what a pass over n new tokens of each of B texts takes. The data of "when not to use it": a busy GPU has
no idle arithmetic to give, so the larger B is, the more a block of n costs.

The engine decodes one text. `Batch` is for timing: the engine's own pass over B·n rows, attention over B separate caches. It leaves
out what a serving engine adds: texts of different lengths (here all are as long), pages of cache, scheduling, sampling.

for found in loads(target, draft): found.as_json()      # one batch after the other: the Lab's panel Load of one's own machine
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from statistics import median

import numpy as np

from ..engine import machine
from ..engine.arrays import Array, Device
from ..engine.backends.base import Model, ModelError
from ..engine.backends.layers import MAX_PASS
from ..engine.models.llama import Llama
from ..engine.stopwatch import THREAD
from ..request import never
from ..trace.disturbed import passes_disturbed
from .measure import RunStopped, timing_alone

BATCHES, BLOCKS = (1, 2, 4, 8, 16, 32, 64), tuple(range(1, 17))
LAB_BATCHES, LAB_BLOCKS, LAB_REPEATS = BATCHES[:5], BLOCKS[:9], 5
CONTEXT = 128  # positions that every text of the bundled pair holds
SIZES, REPEATS, ATTEMPTS = (1, 2, 4, 8, 16), 15, 3  # of a block, of each, and of all before a busy machine is given up on


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """`ms`: new tokens in a pass → median milliseconds of the pass, after `context` cached positions. `target` with its
    `parameters` of `dtype` and `size` (trace/header.py), `device` and `threads` say of what and where. `disturbed`: something else had the machine each time."""

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
    counted. What was disturbed is measured again. `processor`: seconds for which the calling thread had one. Raises ModelError where the model has no room for `context` and the largest block."""
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
    """B texts of one length under one model, in one static KV cache (backends/pytorch/static.py). A pass writes its n positions after those
    that are held and does not keep them, so that the next one finds the same."""

    def __init__(self, model: Llama, batch: int, capacity: int):
        self.model, self.batch, self.cache = model, batch, None
        self.by_torch = not hasattr(model.backend, "own_threads")
        bound = min(capacity, model.context)
        if self.by_torch:
            from ..engine.backends.pytorch.static import StaticCache, padded_size

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
    blocks, chance, rows = tuple(blocks), random.Random(0), []
    for size in batches:
        places = context + max(blocks)
        texts = Batch(model, size, places)
        ids: Array = np.array([[chance.randrange(model.vocabulary) for _ in range(places)] for _ in range(size)])
        if texts.by_torch:
            ids = model.backend.ids(ids.tolist())
        with machine.torch_threads(None):
            texts.fill(ids[:, :context])
            rows.append([_median_pass_ms(texts, ids[:, context : context + n], repeats, stop) for n in blocks])
        del texts
    return {"model": model.info.name, "dtype": model.info.dtype, "context": context, "batches": list(batches), "blocks": list(blocks), "ms": rows}  # fmt: skip


def _median_pass_ms(texts: Batch, ids: Array, repeats: int, stop: Callable[[], bool]) -> float:
    graphs, device = None, texts.model.device
    if device.type == "cuda":
        from ..engine.backends.pytorch.graphs import Graphs

        graphs = Graphs()
    run_pass = (lambda: graphs("pass", texts.forward, ids)) if graphs else (lambda: texts.forward(ids))
    times = []
    for i in range(repeats + 2):
        if stop():
            raise RunStopped
        machine.TIMED_RUN.give_way()
        synchronize(device)
        start = time.perf_counter()
        run_pass()
        synchronize(device)
        if i >= 2:
            times.append((time.perf_counter() - start) * 1e3)
    if graphs and graphs.failed:
        raise RuntimeError(f"no graph of a pass over {tuple(ids.shape)} tokens: {graphs.failed}")
    return median(times)


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
    """`target_ms`: by batch, then by tokens of each text from 1 on; `draft_ms`: by batch, of one token of each."""

    done: int
    of: int
    device: str
    target: str
    draft: str
    context: int
    batches: tuple[int, ...] = ()
    target_ms: tuple[tuple[float, ...], ...] = ()
    draft_ms: tuple[float, ...] = ()

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
    with timing_alone():
        for size in batches:
            try:
                [passes] = cost_curve(target, context, [size], blocks, repeats, stop)["ms"]
                [[draft_ms]] = cost_curve(draft, context, [size], [1], repeats, stop)["ms"]
            except RunStopped:
                return
            target_ms, all_draft_ms = (*measured.target_ms, tuple(passes)), (*measured.draft_ms, draft_ms)
            batches_done = *measured.batches, size
            measured = replace(measured, done=len(batches_done), batches=batches_done, target_ms=target_ms, draft_ms=all_draft_ms)
            yield measured
