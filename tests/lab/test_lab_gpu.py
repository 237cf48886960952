"""What is measured on a GPU, shown on a CPU: scripted acceptance, public shapes, the memory floor, cost curves, clocks by events,
and that the whole of `make bench-gpu` runs."""

import gzip
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from scripts.bench_gpu import compared, figures
from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.base import Start
from specviz.engine.draft.eagle import Eagle
from specviz.engine.models import watch
from specviz.engine.models.graphs import Graphs
from specviz.engine.models.static import Shelf
from specviz.engine.models.watch import Watch
from specviz.lab import costs, floor, gap, shapes
from specviz.lab.measure import Run, measure
from specviz.lab.scripted import Numbers, Script, Scripted
from specviz.page import words
from specviz.page.learn.busy import busy
from specviz.trace import file as trace
from specviz.trace.events import Round

from .. import tiny
from ..fakes import finished, tokens

ROOT = Path(__file__).parents[2]
PROMPT = list(range(40, 52))
NEW = 240
LLAMA = shapes.TINY["tiny-llama"]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    yield from tiny.one_thread()


def built(name="tiny-llama", dtype=torch.float32, still=False):
    """A target with its small draft; on caches that stand still, whose drafts are chained."""
    shape = shapes.TINY[name]
    target = shapes.build(name, shape.target, dtype=dtype)
    draft = shapes.drafter("tiny-draft", shape.drafts["tiny-draft"], target, shape.target)
    if still:
        target.shelf, draft.model.shelf = Shelf(), Shelf()
    return target, draft


def greedy(K, new=NEW):
    return DecodeConfig(K=K, temperature=0, max_new_tokens=new, ignore_eos=True)


@pytest.mark.parametrize("still", [False, True], ids=["drawn on the host", "chained on the device"])
@pytest.mark.parametrize("alpha", [0.5, 0.7, 0.9])
def test_a_script_is_accepted_as_often_as_it_says_and_the_text_is_the_targets(alpha, still):
    target, draft = built(still=still)
    script = Script.of(target, PROMPT, NEW)
    events = list(decode(target, Scripted(draft, script, alpha, seed=3), PROMPT, greedy(4), Numbers(), observe=False))
    end = finished(events)
    assert PROMPT + tokens(events) == script.ids
    spread = math.sqrt(alpha * (1 - alpha) / end.tested)
    assert abs(end.accepted / end.tested - alpha) < 3.5 * spread
    assert 0 < end.accepted < end.tested


@pytest.mark.parametrize("still", [False, True])
def test_a_scripted_drafter_makes_the_passes_of_the_real_one(still):
    target, draft = built(still=still)
    script = Script.of(target, PROMPT, 40)
    start = Start(lambda logits: logits, target.vocabulary, len(script.ids))
    ours, real = (d.begin(start) for d in (Scripted(draft, script, 0.5), draft))
    for drafting in (ours, real):
        drafting.prefill(PROMPT[:-1])
    mine, its = (d.propose(PROMPT, 5, None).ids for d in (ours, real))
    assert isinstance(mine, torch.Tensor) == isinstance(its, torch.Tensor) == still
    said = Scripted(draft, script, 0.5).said[len(PROMPT) : len(PROMPT) + 5].tolist()
    assert list(mine) == said != list(its)
    assert (ours.forwards, ours.length) == (real.forwards, real.length) == (5, len(PROMPT) - 1 + 5)


def test_a_scripted_run_is_named_synthetic_and_samples_nothing():
    target, draft = built()
    script = Script.of(target, PROMPT, 20)
    scripted = Scripted(draft, script, 0.7)
    assert scripted.info.family == "synthetic" and scripted.info.name.startswith("scripted at α = 0.7, at the cost of tiny-draft")
    assert shapes.SYNTHETIC in scripted.info.name and shapes.SYNTHETIC in target.info.name
    with pytest.raises(ValueError, match="greedy"):
        list(decode(target, scripted, PROMPT, DecodeConfig(K=2, max_new_tokens=8), Numbers()))
    with pytest.raises(ValueError, match="32 tokens, the text may have"):
        list(decode(target, scripted, PROMPT, greedy(2, 60), Numbers()))


def test_proposals_are_the_text_or_anything_else_and_the_same_for_the_same_seed():
    script = Script([5, 6, 7] * 200, 10)
    assert torch.equal(script.proposals(1.0), torch.tensor(script.ids))
    wrong = script.proposals(0.0)
    assert (wrong != torch.tensor(script.ids)).all() and wrong.min() >= 0 and wrong.max() < 10
    assert len(set(wrong.tolist())) == 10
    assert torch.equal(script.proposals(0.5, 1), script.proposals(0.5, 1))
    assert not torch.equal(script.proposals(0.5, 1), script.proposals(0.5, 2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", shapes.TINY)
def test_random_weights_write_a_text_that_no_rounding_changes(name, dtype):
    """After t comes t + 1, by blocks as by single tokens: what a script needs."""
    target, draft = built(name, dtype)
    vanilla = tokens(list(decode(target, None, PROMPT, greedy(0, 60), Numbers())))
    assert vanilla == [(PROMPT[-1] + 1 + i) % target.vocabulary for i in range(60)]
    assert tokens(list(decode(target, draft, PROMPT, greedy(5, 60), Numbers()))) == vanilla


def test_an_eagle_shaped_head_drafts_and_pays():
    target, _ = built()
    head = shapes.drafter("EAGLE", None, target, LLAMA.target)
    assert isinstance(head, Eagle) and len(head.columns) == 128
    script = Script.of(target, PROMPT, 40)
    events = list(decode(target, Scripted(head, script, 0.8), PROMPT, greedy(3, 40), Numbers(), observe=False))
    assert PROMPT + tokens(events) == script.ids
    assert finished(events).draft_forwards == finished(events).drafted > 0


@torch.inference_mode()
@pytest.mark.parametrize("name", shapes.TINY)
def test_transformers_computes_the_same_from_the_same_weights(name):
    target, _ = built(name)
    theirs = shapes.peer(name, torch.device("cpu"), torch.float32, tiny=True)
    expected = tiny.reference(theirs, PROMPT)
    assert (target.sequence(20).append(PROMPT) - expected).abs().max() < 1e-3 * expected.abs().max()


@pytest.mark.parametrize("name", shapes.PUBLIC)
def test_public_shapes_have_the_parameters_that_their_names_say(name):
    billions = {"Llama-3-8B": 8.03, "Llama-3.2-1B": 1.236, "Qwen3-8B": 8.19, "Qwen3-0.6B": 0.596}
    shape = shapes.PUBLIC[name]
    for part, config in {name: shape.target, **shape.drafts}.items():
        if part in billions:
            assert _parameters(config) / 1e9 == pytest.approx(billions[part], abs=0.006)
    four = shape.drafts["4 layers"]
    assert (four.num_hidden_layers, four.hidden_size, four.vocab_size) == (4, 1024, shape.target.vocab_size)


def _parameters(config) -> int:
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    return sum(p.numel() for p in model.parameters())


def test_what_a_token_must_read_is_all_weights_but_the_embedding_and_every_cached_position():
    config, tied = LLAMA.target, LLAMA.drafts["tiny-draft"]
    target, draft = built()
    cached = 2 * 6 * 2 * 16 * 100
    assert floor.read_bytes(config, target.info.parameters, 2, 100) == 2 * (target.info.parameters - 512 * 96 + cached)
    assert floor.read_bytes(tied, draft.info.parameters, 4, 0) == 4 * draft.info.parameters
    weights = _parameters(shapes.PUBLIC["Llama-3-8B"].target)
    assert floor.read_bytes(shapes.PUBLIC["Llama-3-8B"].target, weights, 2, 0) / 1e9 == pytest.approx(15.01, abs=0.01)
    assert floor.floor_ms(15_010_000_000, 4.0e12) == pytest.approx(3.75, abs=0.01)


def test_the_copy_that_the_floor_is_measured_by_counts_bytes_read_and_written(monkeypatch):
    ticks = iter(i * 0.25 for i in range(100))
    monkeypatch.setattr(floor.time, "perf_counter", lambda: next(ticks))
    assert floor.copy_bandwidth(torch.device("cpu"), 1000, repeats=5) == 2 * 1000 / 0.25


@torch.inference_mode()
@pytest.mark.parametrize("name", shapes.TINY)
def test_a_pass_over_a_batch_is_the_engines_at_one_text_and_each_texts_own_at_several(name):
    target, _ = built(name)
    texts = torch.randint(target.vocabulary, (3, 30), generator=torch.Generator().manual_seed(1))
    for rows in (texts[:1], texts):
        batch = costs.Batch(target, len(rows), 40)
        batch.fill(rows[:, :20])
        for n in (1, 4, 10):  # nothing is kept, so each finds the same
            logits = batch.forward(rows[:, 20 : 20 + n])
            for row, found in zip(rows.tolist(), logits, strict=True):
                sequence = target.sequence(40)
                sequence.append(row[:20], keep=1)
                assert torch.allclose(found, sequence.append(row[20 : 20 + n]), atol=1e-3, rtol=1e-4)


def test_a_cost_curve_names_what_was_timed_and_where(tmp_path):
    target, _ = built()
    curve = costs.curve(target, 10, batches=(1, 3), blocks=(1, 2, 5), repeats=1)
    path = costs.save([curve], tmp_path / "new", "some-gpu")
    said = json.loads(path.read_text())
    assert path.name == "some-gpu.json" and said["device"] and said["unit"] == "ms"
    assert said["curves"][0]["batches"] == [1, 3] and said["curves"][0]["blocks"] == [1, 2, 5]
    assert [len(row) for row in said["curves"][0]["ms"]] == [3, 3] and min(map(min, said["curves"][0]["ms"])) > 0


class Device:
    """A device on which work takes time after it was given. `now` is the host's clock in seconds; `free`: when the device is."""

    def __init__(self, monkeypatch):
        self.now = self.free = 0.0
        device = self

        class Event:
            def __init__(self, enable_timing=False):
                self.timing = enable_timing

            def record(self):
                self.at = max(device.now, device.free)

            def synchronize(self):
                device.now = max(device.now, self.at)

            def elapsed_time(self, other):
                assert self.timing and other.timing and device.now >= other.at, "asked before it was reached"
                return (other.at - self.at) * 1e3

        monkeypatch.setattr(torch.cuda, "Event", Event)
        monkeypatch.setattr(torch.cuda, "synchronize", lambda _=None: pytest.fail("waits for what other threads gave, too"))
        monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: self.work(cycles / 2e9))
        monkeypatch.setattr(watch.torch.cuda, "Event", Event)

    def work(self, seconds, launch=0.0):
        """Give it work of so many seconds; the host is busy for `launch` with that."""
        self.now += launch
        self.free = max(self.now, self.free) + seconds

    def wait(self):
        self.now = max(self.now, self.free)


def round_on(device, clock, look=0.0):
    """What `decode` does in a round: a block is drafted, verified, decided; looked at, if `look` is what that takes the device."""
    clock.start()
    device.work(0.002, launch=0.0001)
    clock.lap()
    device.work(0.004, launch=0.0001)
    clock.lap()
    device.work(0.0003, launch=0.0001)
    clock.lap()
    if look:
        device.work(look, launch=0.0001)
        clock.lap()
    device.wait()  # for the transfer
    clock.end()
    device.now += 0.0005
    clock.end()
    return clock.phases()


def test_phases_on_a_device_are_timed_without_waiting_between_them_and_add_up_to_the_round(monkeypatch):
    device = Device(monkeypatch)
    clock = Watch(lambda: device.now, torch.device("cuda"))
    phases = round_on(device, clock)
    assert phases == pytest.approx((2.1, 4.0, 0.3, 0.5, 0.0))
    assert sum(phases) == pytest.approx(device.now * 1e3)


@pytest.mark.parametrize("look", [0.0007, 0.03])
def test_what_is_looked_at_on_the_device_takes_no_time_of_the_phases(monkeypatch, look):
    """The host waits for it together with the decision."""
    device = Device(monkeypatch)
    clock = Watch(lambda: device.now, torch.device("cuda"))
    for _ in range(2):  # the second round begins anew
        before = device.now
        phases = round_on(device, clock, look)
        assert phases == pytest.approx((2.1, 4.0, 0.3, 0.5, look * 1e3))
        assert sum(phases) == pytest.approx((device.now - before) * 1e3)


def test_the_recording_of_graphs_is_in_no_phase(monkeypatch):
    device = Device(monkeypatch)
    clock = Watch(lambda: device.now, torch.device("cuda"))
    before, work = Graphs.seconds, device.work

    def slow(seconds, launch=0.0):
        device.wait()
        device.now += 3.0
        Graphs.seconds += 3.0
        work(seconds, launch)

    device.work = slow
    try:
        assert round_on(device, clock) == pytest.approx((2.1, 4.1, 0.4, 0.5, 0.0))
        assert round_on(device, clock, 0.0007) == pytest.approx((2.1, 4.1, 0.4, 0.5, 0.8))
    finally:
        Graphs.seconds = before


def test_the_host_gap_is_what_the_device_waits_for_the_host(monkeypatch):
    device = Device(monkeypatch)
    monkeypatch.setattr(gap.time, "perf_counter", lambda: device.now)
    target, draft = built()
    real = list(decode(target, draft, PROMPT, greedy(2, 12), Numbers(), observe=False))

    def run(clock):
        clock = clock if isinstance(clock, Watch) else Watch(clock, torch.device("cuda"))
        for event in real:
            if isinstance(event, Round):
                round_on(device, clock)
                device.now += 0.0001  # between rounds
            yield event

    rounds = sum(isinstance(event, Round) for event in real)
    assert rounds > 2
    busy, launch, after = 2 + 4 + 0.3, 0.1, 0.5 + 0.1
    assert gap.host_gap(run, torch.device("cuda")) == pytest.approx(1 - busy / (busy + launch + after))
    assert gap.host_gap(run, torch.device("cpu")) is None


def test_predicted_speedup_is_tokens_a_round_over_what_drafting_and_verifying_cost():
    one = {"ids": tuple(range(100)), "wall": 0.0, "tested": 0, "accepted": 0, "betas": (), "blocks": 0, "first_accepted": 0}
    alone = Run(**one, decode=500.0, rounds=100, drafted=0, forwards=0, draft=0.0, verify=400.0)
    mine = Run(**one, decode=250.0, rounds=40, drafted=160, forwards=160, draft=64.0, verify=176.0)
    found = compared([alone], [mine])
    assert (found["c"], found["v"]) == pytest.approx((0.1, 1.1))
    assert found["tokens_a_round"] == 2.5 and found["speedup"] == 2.0
    assert found["predicted"] == pytest.approx(2.5 / (4 * 0.1 + 1.1))
    assert found["measured_vs_predicted"] == pytest.approx(2.0 / (2.5 / 1.5))


def test_the_figures_are_the_worst_of_what_was_measured_at_the_context_they_are_of_and_null_where_nothing_was():
    row = {
        "context": 1024,
        "K": 4,
        "measured_vs_predicted": 0.95,
        "vs_assisted": 3.0,
        "host_gap": 0.02,
        "observing": 1.01,
        "same_text": True,
    }
    base = {"context": 1024, "floor_of_measured": 0.85, "vs_generate": 2.4}
    rows = [
        row,
        row | {"measured_vs_predicted": 0.91, "host_gap": 0.025},
        row | {"K": 12, "measured_vs_predicted": 0.5, "vs_assisted": None},
    ]
    rows += [row | {"context": 128, "measured_vs_predicted": 0.1}]
    said = figures({"synthetic": {"T, d": {"vanilla": [base, base | {"context": 128, "floor_of_measured": 0.2}], "rows": rows},
                                  "other, d": {"vanilla": [], "rows": [row | {"measured_vs_predicted": 0.0, "same_text": False}]}}}, "T", 1024)  # fmt: skip
    assert said["vanilla_vs_floor"] == 0.85 and said["vanilla_vs_generate"] == 2.4
    assert said["measured_vs_predicted_min"] == 0.91 and said["host_gap"] == 0.025 and said["speculative_vs_assisted"] == 3.0
    assert set(figures({}, "T", 1024).values()) == {None}


def test_scripted_peers_say_what_the_script_says_and_count_the_same_tokens():
    from scripts.bench_gpu import scripted_peer

    target, _ = built()
    script = Script.of(target, PROMPT, 20)
    draft = shapes.peer("tiny-llama", torch.device("cpu"), torch.float32, "tiny-draft", True)
    for seed in (1, 2):  # a script replaces the one before
        said = script.proposals(0.5, seed)
        scripted_peer(draft, said)
        out = draft.generate(torch.tensor([PROMPT]), max_new_tokens=6, do_sample=False, pad_token_id=0)
        assert out[0, len(PROMPT) :].tolist() == said[len(PROMPT) : len(PROMPT) + 6].tolist()


def test_measured_runs_of_a_script_are_runs_like_any_other():
    target, draft = built()
    script = Script.of(target, PROMPT, 30)
    run = measure(target, Scripted(draft, script, 0.9), PROMPT, greedy(3, 30), Numbers())
    assert list(run.ids) == script.ids[len(PROMPT) :] and run.draft > 0 and run.forwards >= run.drafted > 0


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_whole_benchmark_runs_on_a_cpu_with_tiny_shapes(tmp_path):
    ran = bench("--tiny", "--out", str(tmp_path))
    assert ran.returncode == 0, ran.stderr[-2000:]
    said = json.loads(ran.stdout.splitlines()[-1])
    wanted = (
        "vanilla_vs_floor measured_vs_predicted_min vanilla_vs_generate speculative_vs_assisted host_gap observing_slowdown gpu"
    )
    assert set(wanted.split()) <= set(said)
    assert said["gpu"] is None and said["host_gap"] is None and said["tiny"] is True
    assert said["synthetic_same_text"] is True and said["identical_fp32"] == 2
    assert all(said[key] > 0 for key in wanted.split()[:4])
    [kept] = tmp_path.glob("tiny-*.json")
    assert set(json.loads(kept.read_text())["sections"]) == {"identity", "bundled", "synthetic", "costs", "traces"}
    recorded = trace.loads(gzip.decompress((tmp_path / "gpu-synthetic.jsonl.gz").read_bytes()))
    assert recorded.header.draft.family == "synthetic" and recorded.header.machine.device
    assert recorded.speculative[-1].tokens == 16
    assert {path.name.removesuffix(".jsonl.gz") for path in tmp_path.glob("*.gz")} <= set(words.RECORDED)  # the page lists them
    (tmp_path / "costs").mkdir()
    [curves] = tmp_path.glob("tiny.json")
    [found] = busy(curves.rename(tmp_path / "costs/tiny.json").parent)  # and draws these
    assert found["batches"] == [1, 2, 4] and shapes.SYNTHETIC in found["target"]


def test_without_a_gpu_one_sentence_says_so_and_nothing_is_written():
    ran = bench("costs", CUDA_VISIBLE_DEVICES="")  # on a machine with a device it is hidden
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr.strip().count("\n") == 0 and "no CUDA device" in ran.stderr and "--tiny" in ran.stderr


def bench(*arguments, **environment):
    command = [sys.executable, "-m", "scripts.bench_gpu", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=390)
