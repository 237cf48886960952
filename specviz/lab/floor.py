"""The memory limit: how long one token must take, since every weight and every cached position is read for it.

floor_ms(read_bytes(config, parameters, 2, context), copy_bandwidth(device))
"""

import time
from itertools import pairwise
from statistics import median

import torch


def read_bytes(config, parameters: int, size: int, positions: int) -> int:
    """Bytes read for one token by a model of `config`, `parameters` in all, each of `size` bytes, that holds `positions`.

    Of the embedding one row is read, unless it is the head as well; of keys and values all positions are."""
    table = 0 if config.tie_word_embeddings else config.vocab_size * config.hidden_size
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    cached = 2 * config.num_hidden_layers * config.num_key_value_heads * head * positions
    return (parameters - table + cached) * size


def copy_bandwidth(device: torch.device, size: int = 2 * 2**30, repeats: int = 20) -> float:
    """Bytes a second of a copy of `size` bytes within `device`, read and written both counted; the median."""
    source = torch.empty(size, dtype=torch.uint8, device=device).random_()
    target = torch.empty_like(source)
    if device.type == "cuda":  # between marks on the device: the host's call is not part of a copy
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(repeats + 4)]
        for mark in marks[:-1]:
            mark.record()
            target.copy_(source)
        marks[-1].record()
        marks[-1].synchronize()
        times = [a.elapsed_time(b) / 1e3 for a, b in pairwise(marks)]
    else:
        times = []
        for _ in range(repeats + 3):
            start = time.perf_counter()
            target.copy_(source)
            times.append(time.perf_counter() - start)
    return 2 * size / median(times[3:])  # the first ones touch the memory


def floor_ms(bytes: int, bandwidth: float) -> float:
    return bytes / bandwidth * 1e3
