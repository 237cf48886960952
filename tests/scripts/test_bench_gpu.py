"""The whole of `make bench-gpu` runs on a CPU with tiny shapes, and says so where there is no GPU to measure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.gpu import shapes
from specviz.page.learn.chapters.busy import busy

ROOT = Path(__file__).parents[2]


@pytest.mark.full
@pytest.mark.timeout(400)
def test_the_whole_benchmark_runs_on_a_cpu_with_tiny_shapes(tmp_path):
    ran = bench("--tiny", "--minutes", "0", "--out", str(tmp_path))
    assert ran.returncode == 0, ran.stderr[-2000:]
    figures = json.loads(ran.stdout.splitlines()[-1])
    wanted = (
        "vanilla_vs_floor measured_vs_predicted_min vanilla_vs_generate speculative_vs_assisted host_gap observing_slowdown gpu"
    )
    assert set(wanted.split()) <= set(figures)
    assert figures["gpu"] is None and figures["host_gap"] is None and figures["tiny"] is True
    assert figures["synthetic_same_text"] is True and figures["identical_fp32"] == 2
    assert all(figures[key] > 0 for key in wanted.split()[:4])
    [results] = tmp_path.glob("tiny-*.json")
    assert set(json.loads(results.read_text())["sections"]) == {"identity", "bundled", "synthetic", "costs"}
    (tmp_path / "costs").mkdir()
    [curves] = tmp_path.glob("tiny.json")
    [chart] = busy(curves.rename(tmp_path / "costs/tiny.json").parent)  # and draws these
    assert chart["batches"] == [1, 2, 4] and shapes.SYNTHETIC in chart["target"]


@pytest.mark.full
def test_without_a_gpu_one_sentence_says_so_and_nothing_is_written():
    ran = bench("costs", CUDA_VISIBLE_DEVICES="")  # on a machine with a device it is hidden
    assert ran.returncode == 2 and ran.stdout == ""
    assert "no CUDA device" in ran.stderr and "--tiny" in ran.stderr


def bench(*arguments, **environment):
    command = [sys.executable, "-m", "scripts.bench_gpu", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=390)
