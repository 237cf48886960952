"""Cost curves t(B, n): what a pass over n new tokens of each of B texts takes. The data of "when not to use it": a busy GPU has
no idle arithmetic to give, so the larger B is, the more a block of n costs.

The engine decodes one text. `Batch` is for timing: the same layers and the same products over B·n rows, attention over B separate
caches. It leaves out what a serving engine adds: texts of different lengths (here all are as long), pages of cache, scheduling,
sampling. At B = 1 its logits are the engine's (tests/test_lab_gpu.py).
"""

import json
import random
import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from statistics import median

import torch
import torch.nn.functional as F

from .. import machine
from ..models.graphs import Graphs
from ..models.layers import BLOCK
from ..models.llama import Llama
from ..models.static import pieces, room, weighed

BATCHES, BLOCKS = (1, 2, 4, 8, 16, 32, 64), tuple(range(1, 17))


class Batch:
    """B texts of one length under one model, `held` positions each, in caches that stand still (models/static.py). A pass writes its
    n positions after those and does not keep them, so that the next one finds the same."""

    def __init__(self, model: Llama, batch: int, capacity: int):
        s, self.bound = model.shape, min(room(capacity), model.context)
        self.model, self.batch, self.held = model, batch, 0
        shape = len(model.layers), 2, batch * s.kv_heads, self.bound, s.size
        self.cache = torch.zeros(shape, dtype=model.dtype, device=model.device)
        self.pieces = pieces(self.bound)

    def fill(self, ids: torch.Tensor) -> None:
        """Hold ids [B, n]."""
        for part in ids.split(max(1, BLOCK // self.batch), 1):
            self.forward(part)
            self.held += part.shape[1]

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """ids [B, n] → logits [B, n, V]."""
        m, s, (batch, n), held = self.model, self.model.shape, ids.shape, self.held
        group, turned, scale = s.heads // s.kv_heads, s.heads + s.kv_heads, s.size**-0.5
        rotation = m.rotation[held : held + n]
        mask = torch.full((n, self.bound), float("-inf"), dtype=m.dtype, device=m.device).triu(held + 1).repeat(group, 1)[None]
        x = m.embedding.index_select(0, ids.reshape(-1))
        for layer, cache in zip(m.layers, self.cache, strict=True):
            heads = layer.qkv(layer.attention_norm.fused(x)).view(batch, n, -1, s.size)
            qk = heads[:, :, :turned]
            pairs = (qk if layer.qk_norm is None else layer.qk_norm.fused(qk)).float().unflatten(-1, (-1, 2))
            qk.copy_(torch.view_as_real(torch.view_as_complex(pairs) * rotation).flatten(-2))
            both = heads[:, :, s.heads :].view(batch, n, 2, s.kv_heads, s.size).permute(2, 0, 3, 1, 4)
            cache.view(2, batch, s.kv_heads, self.bound, s.size)[:, :, :, held : held + n] = both
            q = heads[:, :, : s.heads].transpose(1, 2).reshape(batch * s.kv_heads, group * n, s.size)
            chances = torch.baddbmm(mask, q, cache[0].transpose(1, 2), alpha=scale).softmax(-1)
            attended = weighed(chances, cache[1], self.pieces).view(batch, s.heads, n, s.size)
            x = layer.out.onto(attended.transpose(1, 2).reshape(batch * n, -1), x, False)
            gate, up = layer.gate_up(layer.mlp_norm.fused(x)).chunk(2, -1)
            x = layer.down.onto(F.silu(gate).mul_(up), x, False)
        return m.head(m.norm(x)).view(batch, n, -1)


@torch.inference_mode()
def curve(
    model: Llama, context: int, batches: Iterable[int] = BATCHES, blocks: Iterable[int] = BLOCKS, repeats: int = 20
) -> dict:
    """Median ms by batch (rows) and block (columns), after `context` positions. Passes are replayed from graphs where there are
    any, as the engine's are."""
    blocks, chance, rows = tuple(blocks), random.Random(0), []
    for size in batches:
        texts = Batch(model, size, context + max(blocks))
        ids = torch.tensor([[chance.randrange(model.vocabulary) for _ in range(context + max(blocks))] for _ in range(size)])
        ids = ids.to(model.device)
        texts.fill(ids[:, :context])
        rows.append([_time(texts, ids[:, context : context + n], repeats) for n in blocks])
        del texts
    return {"model": model.info.name, "dtype": model.info.dtype, "context": context, "batches": list(batches), "blocks": list(blocks), "ms": rows}  # fmt: skip


def _time(texts: Batch, ids: torch.Tensor, repeats: int) -> float:
    device = texts.model.device
    graphs = Graphs() if device.type == "cuda" else None
    once = (lambda: graphs("pass", texts.forward, ids)) if graphs else (lambda: texts.forward(ids))
    times = []
    for i in range(repeats + 2):
        if graphs:
            torch.cuda.synchronize(device)
        start = time.perf_counter()
        once()
        if graphs:
            torch.cuda.synchronize(device)
        if i >= 2:
            times.append((time.perf_counter() - start) * 1e3)
    if graphs and graphs.eager:
        raise RuntimeError(f"no graph of a pass over {tuple(ids.shape)} tokens: {graphs.eager}")
    return median(times)


def save(curves: list[dict], folder: Path, name: str) -> Path:
    """What was measured, with the hardware named, as folder/{name}.json."""
    about = machine.describe()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    said = {"device": about.device, "torch": about.torch, "date": date.today().isoformat(), "unit": "ms", "curves": curves}
    path.write_text(json.dumps(said, indent=1) + "\n")
    return path
