"""What a token must read from memory, and the copy that says how fast that can be."""

import pytest
import torch

from scripts.gpu import floor, shapes

from ...tiny_shapes import LLAMA, built, parameters


def test_what_a_token_must_read_is_all_weights_but_the_embedding_and_every_cached_position():
    config, tied = LLAMA.target, LLAMA.drafts["tiny-draft"]
    target, draft = built()
    cached = 2 * 6 * 2 * 16 * 100
    assert floor.read_bytes(config, target.info.parameters, 2, 100) == 2 * (target.info.parameters - 512 * 96 + cached)
    assert floor.read_bytes(tied, draft.info.parameters, 4, 0) == 4 * draft.info.parameters
    weights = parameters(shapes.PUBLIC["Llama-3-8B"].target)
    assert floor.read_bytes(shapes.PUBLIC["Llama-3-8B"].target, weights, 2, 0) / 1e9 == pytest.approx(15.01, abs=0.01)
    assert floor.floor_ms(15_010_000_000, 4.0e12) == pytest.approx(3.75, abs=0.01)


def test_the_copy_that_the_floor_is_measured_by_counts_bytes_read_and_written(monkeypatch):
    ticks = iter(i * 0.25 for i in range(100))
    monkeypatch.setattr(floor.time, "perf_counter", lambda: next(ticks))
    assert floor.copy_bandwidth(torch.device("cpu"), 1000, repeats=5) == 2 * 1000 / 0.25
