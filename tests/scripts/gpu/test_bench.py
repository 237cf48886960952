"""What fits on a card and into the time is measured, and what does not is said at the end: the benchmark of a GPU never runs out of either."""

import json
import weakref
from types import SimpleNamespace

import pytest
import torch

from scripts.gpu import bundled, shapes
from scripts.gpu.bench import Bench
from scripts.gpu.figures import figures, observing
from specviz.lab.measure import Run
from specviz.local import DRAFTERS

CARDS = {16: 15.8, 24: 25.3, 48: 51.0, 80: 85.0}  # GB that such a card says it has


def on_a_card(tmp_path, memory=85.0, **how) -> Bench:
    return Bench(False, tmp_path, torch.bfloat16, memory=memory, **how)


@pytest.mark.parametrize(("size", "target", "peers"), [(16, "Llama-3.2-3B", False), (24, "Llama-3-8B", False), (48, "Llama-3-8B", True), (80, "Llama-3-8B", True)])  # fmt: skip
def test_shapes_are_chosen_that_fit_on_the_card(tmp_path, size, target, peers):
    bench = on_a_card(tmp_path, CARDS[size])
    shape = bench.shapes[bench.main]
    draft = shape.drafts["Llama-3.2-1B"]
    assert bench.main == target and bench.holds(shape.target, draft)
    assert bench.holds(shape.target, draft, shape.target, draft) == peers
    assert shapes.gigabytes(torch.bfloat16, shape.target, draft) < CARDS[size]


def test_what_there_is_no_memory_for_is_skipped_and_told_and_the_rest_goes_on(tmp_path, capsys):
    bench = on_a_card(tmp_path)
    for what in ("one", "two"):
        with bench.step(what, "kind") as there_is_time:
            assert there_is_time
            if what == "one":
                raise torch.OutOfMemoryError("CUDA out of memory")
            bench.keep("section", what, [1])
    bench.last_line()
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["skipped"] == ["one: no memory"] and said["target"] == "Llama-3-8B"
    assert json.loads(bench.path.read_text())["sections"] == {"section": {"two": [1]}}


def test_a_section_ends_with_its_part_of_the_time_and_a_step_takes_as_long_as_the_one_before(tmp_path):
    now = [0.0]
    bench = on_a_card(tmp_path, seconds=100.0, clock=lambda: now[0])
    bench.share(0.5)
    done = []
    for i in range(5):
        with bench.step(f"step {i}", "kind", seconds=20) as there_is_time:
            if there_is_time:
                now[0] += 15
                done.append(i)
    assert done == [0, 1, 2] and bench.skipped == ["step 3: no time", "step 4: no time"]
    bench.share(1.0)
    with bench.step("the next section", "other", seconds=20) as there_is_time:
        assert there_is_time


def test_where_time_runs_out_every_drafter_of_the_family_has_been_timed_with_some_k(tmp_path, monkeypatch, capsys):
    now, columns = [0.0], [key for key in bundled.COLUMNS.split() if key != "K"]

    def row(bench, pair, key, ours, peer, K, *_):
        now[0] += 9 if peer else 3
        return {"drafter": key, "K": K} | dict.fromkeys(columns)

    monkeypatch.setattr(bundled, "_row", row)
    monkeypatch.setattr(bundled, "_peer", lambda draft: object() if draft.startswith("fable") else None)
    bench = on_a_card(tmp_path, seconds=100.0, clock=lambda: now[0])
    bundled.bundled(SimpleNamespace(obj=bench))
    kept = json.loads(bench.path.read_text())["sections"]["bundled"]
    assert kept.keys() == DRAFTERS.keys() and all(4 in [row["K"] for row in rows] for rows in kept.values())
    assert len(kept["small"]) > 1 and bench.skipped and now[0] <= 100
    assert "K = 4" not in str(bench.skipped)


def test_without_a_limit_nothing_is_skipped(tmp_path):
    with on_a_card(tmp_path).step("long", "kind", seconds=1e9) as there_is_time:
        assert there_is_time


def test_what_observing_costs_is_in_its_figure():
    def run(ids, observe):
        one = {"wall": 130.0 if observe else 100.0, "decode": 100.0}  # decoding alone leaves out the look
        return Run(ids=tuple(range(10)), rounds=10, drafted=0, tested=0, accepted=0, forwards=0, draft=0.0, verify=0.0, betas=(), blocks=0, first_accepted=0, **one)  # fmt: skip

    seen = observing(run, [[1], [2]])
    assert seen == pytest.approx(1.3)
    assert figures({"bundled": {"small": [{"speedup": 1.0, "observing": seen}]}}, "T", 1024)["observing_slowdown"] == seen


@pytest.mark.parametrize("name", shapes.PUBLIC | shapes.SMALLER)
def test_a_shape_is_as_large_as_is_counted(name):
    from ...tiny_shapes import parameters

    for config in (shapes.SMALLER | shapes.PUBLIC)[name].drafts.values():
        if config:
            assert shapes.parameters(config) == parameters(config)
    config = (shapes.SMALLER | shapes.PUBLIC)[name].target
    assert shapes.parameters(config) == parameters(config)


def test_weights_are_made_and_handed_on_one_at_a_time(monkeypatch):
    """Of a checkpoint as large as half the card no second one may be there."""
    alive, most = [], 0
    real = shapes.Chance.matrix

    def matrix(self, rows, columns, gain=1.0):
        nonlocal most
        made = real(self, rows, columns, gain)
        alive.append(weakref.ref(made))
        most = max(most, sum(one() is not None for one in alive))
        return made

    monkeypatch.setattr(shapes.Chance, "matrix", matrix)
    shapes.peer.cache_clear()
    shapes.peer("tiny-llama", torch.device("cpu"), torch.float32, tiny=True)
    shapes.peer.cache_clear()
    layer = 7  # matrices of one
    assert most <= 1 + 2 * layer < len(alive)
