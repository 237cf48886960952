"""Cost curves t(B, n): what a pass over n new tokens of each of B texts takes. The data of "when not to use it": a busy GPU has
no idle arithmetic to give, so the larger B is, the more a block of n costs.

The engine decodes one text. `Batch` is for timing: the engine's own pass over B·n rows, attention over B separate caches. It leaves
out what a serving engine adds: texts of different lengths (here all are as long), pages of cache, scheduling, sampling.
"""

import json
import random
import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from statistics import median

import numpy as np

from ..engine import machine
from ..engine.arrays import Array
from ..engine.backends.layers import MAX_PASS
from ..engine.models.llama import Llama
from .blocks import wait

BATCHES, BLOCKS = (1, 2, 4, 8, 16, 32, 64), tuple(range(1, 17))
CONTEXT = 128  # positions that every text of the bundled pair holds


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


def curve(
    model: Llama, context: int, batches: Iterable[int] = BATCHES, blocks: Iterable[int] = BLOCKS, repeats: int = 20
) -> dict:
    """Median ms by batch (rows) and block (columns), after `context` positions. Passes are replayed from graphs where there are
    any, as the engine's are."""
    blocks, chance, rows = tuple(blocks), random.Random(0), []
    for size in batches:
        places = context + max(blocks)
        texts = Batch(model, size, places)
        ids: Array = np.array([[chance.randrange(model.vocabulary) for _ in range(places)] for _ in range(size)])
        if texts.by_torch:
            ids = model.backend.ids(ids.tolist())
        with machine.torch_threads(None):
            texts.fill(ids[:, :context])
            rows.append([_time(texts, ids[:, context : context + n], repeats) for n in blocks])
        del texts
    return {"model": model.info.name, "dtype": model.info.dtype, "context": context, "batches": list(batches), "blocks": list(blocks), "ms": rows}  # fmt: skip


def _time(texts: Batch, ids: Array, repeats: int) -> float:
    graphs, device = None, texts.model.device
    if device.type == "cuda":
        from ..engine.backends.pytorch.graphs import Graphs

        graphs = Graphs()
    once = (lambda: graphs("pass", texts.forward, ids)) if graphs else (lambda: texts.forward(ids))
    times = []
    for i in range(repeats + 2):
        wait(device)
        start = time.perf_counter()
        once()
        wait(device)
        if i >= 2:
            times.append((time.perf_counter() - start) * 1e3)
    if graphs and graphs.failed:
        raise RuntimeError(f"no graph of a pass over {tuple(ids.shape)} tokens: {graphs.failed}")
    return median(times)


def save(curves: list[dict], folder: Path, name: str) -> Path:
    """What was measured, with the hardware named, as folder/{name}.json."""
    about = machine.describe()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    file = {"device": about.device, "torch": about.torch, "date": date.today().isoformat(), "unit": "ms", "curves": curves}
    path.write_text(json.dumps(file, indent=1) + "\n", "utf-8")
    return path
