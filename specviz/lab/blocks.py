"""What a pass over n new tokens costs: the measurement under a chapter of Learn, and under v of the speedup formula.

times = block_times(model)
times.ms[8] / times.ms[1]
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from ..engine import machine
from ..engine.arrays import Device
from ..engine.backends.base import Model, ModelError
from ..engine.stopwatch import THREAD
from ..trace.disturbed import passes_disturbed

SIZES = (1, 2, 4, 8, 16)
CONTEXT, REPEATS = 128, 15
TRIES = 3  # measurements, before a busy machine is given up on


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
    clock: Callable[[], float] = perf_counter,
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
        for _ in range(TRIES):
            taken: dict[int, list[float]] = {n: [] for n in sizes}
            had = 0.0
            for turn in range(repeats + 1):
                for n in sizes:
                    wait(model.device)
                    start, worked = clock(), processor() if processor else 0.0
                    sequence.append(ids[context : context + n])
                    wait(model.device)
                    if turn:
                        taken[n].append((clock() - start) * 1e3)
                        had += (processor() - worked) * 1e3 if processor else 0.0
                    sequence.rollback(context)
            if not (disturbed := passes_disturbed(taken, had if processor else None)):
                break
    info, where = model.info, machine.describe()
    ms = {n: median(times) for n, times in taken.items()}
    return BlockTimes(info.name, info.parameters, info.dtype, info.size, where.device, where.threads, context, ms, disturbed)


def wait(device: Device) -> None:
    """Until it has done all that it was given."""
    if device.type == "cuda":
        import torch

        torch.cuda.synchronize(device)
