"""Processes that share a target: the others do what the first says and nothing else, and one trace is written, the one that one
process would write. The transport is torch's; here messages lie in a list, but where two processes are really started."""

import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from transformers.utils import logging

from specviz.config import ConfigError
from specviz.engine.backends.base import ModelError
from specviz.engine.backends.ranks import END, LOAD, Ranks, SharedError, TPLeader
from specviz.engine.models.load import BUNDLED
from specviz.trace.file import read

from ... import tiny
from ...tiny import hf, some_ids

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def loud():
    """Those who follow are silenced, here only for the test."""
    bar, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    yield
    logging.set_verbosity(level)
    (logging.enable_progress_bar if bar else logging.disable_progress_bar)()


class ScriptedRanks(Ranks):
    """The first process, whose words are written down, or another one, which reads them. `reasons`: what others could not do."""

    def __init__(self, rank: int = 0, size: int = 2, words=None, reasons: dict[int, str] | None = None):
        super().__init__(rank, size)
        self.words, self.reasons = [] if words is None else list(words), reasons or {}

    def broadcast(self, numbers):
        if not self.is_leader:
            assert numbers.shape == self.words[0].shape
            return self.words.pop(0)
        self.words.append(numbers.clone())
        return numbers

    def sum(self, numbers):
        for rank, why in self.reasons.items():
            line = why.encode()
            numbers[rank, : len(line)] = torch.tensor(list(line), dtype=torch.uint8)
        return numbers


class Noted(tiny.Recorded):
    """A model that notes all it is fed, and is complete enough to be led."""

    def __init__(self, model, fail_after=None):
        super().__init__(model, fail_after)
        self.source = model.source

    def sequence(self, capacity):
        sequence = super().sequence(capacity)
        sequence.capacity, sequence.slow_reason = sequence.inner.capacity, sequence.inner.slow_reason
        return sequence


def test_the_others_make_the_passes_of_the_first_whatever_it_appends_rolls_back_and_drops():
    first, chance = ScriptedRanks(), random.Random(0)
    lead, logits, texts = Noted(tiny.hub(hf("llama"))), [], 0
    with first.lead():
        model = TPLeader(lead, first)
        alive = []
        for _ in range(60):
            if len(alive) < 2:
                alive.append(model.sequence(40))
                texts += 1
            sequence = chance.choice(alive)
            sequence.rollback(chance.randint(0, sequence.length))
            n = chance.choice([1, 2, 3, 4, 6])  # five ids would look like an order
            if sequence.length + n > 40:
                alive.remove(sequence)
                del sequence
                continue
            logits.append(sequence.append(some_ids(n, seed=len(logits)), keep=chance.choice([None, 1])))
            if chance.random() < 0.2:
                alive.remove(sequence)
            del sequence
    assert texts > 4 and {int(order[0]) for order in first.words if order.shape == (5,)} == {0, 1, END}
    other = Noted(tiny.hub(hf("llama")))
    model_of_the_other = iter([other])
    follower = ScriptedRanks(1, words=[torch.tensor([LOAD, 0, 0, 0, 0]), *first.words])
    follower.follow(lambda: next(model_of_the_other))
    assert follower.words == []
    assert len(other.log) == len(lead.log) == len(logits)
    for (ours, got, _), (theirs, expected, _) in zip(other.log, lead.log, strict=True):
        assert ours == theirs and torch.equal(got, expected)


def test_the_others_end_with_the_first_but_not_in_the_middle_of_a_pass_which_torchrun_ends():
    first = ScriptedRanks()
    with pytest.raises(ZeroDivisionError), first.lead():
        raise ZeroDivisionError
    assert [order[0] for order in first.words] == [END]
    first = ScriptedRanks()
    with pytest.raises(RuntimeError, match="planted"), first.lead():
        TPLeader(Noted(tiny.hub(hf("llama")), fail_after=0), first).sequence(4).append([1])
    assert END not in [int(order[0]) for order in first.words]


def refuse():
    raise ModelError("the file is broken")


def test_what_one_process_cannot_do_all_of_them_raise_and_the_first_ones_reason_counts():
    assert ScriptedRanks().make_everywhere(lambda: 5) == 5
    for ranks, make, reason in (
        (ScriptedRanks(), refuse, "^the file is broken$"),
        (ScriptedRanks(reasons={1: "no such file, здесь"}), lambda: 5, "^process 2 of 2: no such file, здесь$"),
        (ScriptedRanks(reasons={1: "no such file"}), refuse, "^the file is broken$"),
        (ScriptedRanks(1, reasons={0: "the file is broken"}), refuse, "^the file is broken$"),
    ):
        ranks.broken = True
        with pytest.raises(SharedError, match=reason):
            ranks.make_everywhere(make)
        assert not ranks.broken  # all of them are back where they listen


def test_what_all_could_not_do_leaves_the_others_listening_and_what_went_wrong_in_one_alone_ends_it():
    def agreed():
        raise SharedError("the file is broken")

    orders = [torch.tensor([LOAD, 0, 0, 0, 0]), torch.tensor([END, 0, 0, 0, 0])]
    ScriptedRanks(1, words=orders).follow(agreed)
    with pytest.raises(RuntimeError, match=r"^process 2 of 2: the file is broken$"):
        ScriptedRanks(1, words=orders).follow(refuse)


def test_as_many_as_torchrun_started_are_asked_for_or_the_command_is_said(monkeypatch):
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    with pytest.raises(ConfigError, match=r"tensor_parallel is 2; .* here 1: torchrun --nproc-per-node 2 -m specviz trace …"):
        Ranks.join(2)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(ConfigError, match=r"tensor_parallel is 2; .* here 4"):
        Ranks.join(2)


def test_more_processes_than_cards_are_refused(monkeypatch):
    for name, value in {"TORCHELASTIC_RUN_ID": "none", "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "4"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(
        ConfigError, match="tensor_parallel is 4; it must be at most one process per card: there are 4 processes and 2 cards"
    ):
        Ranks.join(4)


TWICE = """
import os, sys
from pathlib import Path
from specviz import __main__ as cli
from specviz.commands.saving import save
from specviz.engine import race
from specviz.engine.backends.hub import HubSequence

race.WARM_UP_SECONDS, race.REPEAT_SECONDS = 0.05, 0.0
once, append = race.race, HubSequence.append

def twice(setup, prompt, config):
    *_, trace = once(setup, prompt, config)
    save(trace, Path("two.jsonl"))
    yield from once(setup, "", config)  # of which the first id is 0

def planted(sequence, ids, keep=None, parents=None):
    if os.environ["RANK"] == "1" and ids == [0]:
        raise RuntimeError("the planted failure")
    return append(sequence, ids, keep, parents)

race.race, HubSequence.append = twice, planted
cli.main("trace", *sys.argv[1:], "--out", "failed.jsonl")
"""


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.skipif(
    not find_spec("accelerate"), reason="transformers needs accelerate for it: pip install -r requirements-accelerate.txt"
)
def test_two_processes_write_one_trace_of_the_tokens_of_one_and_where_one_of_them_fails_none(tmp_path):
    """Really started, by torchrun, over gloo: once as it should be, and once with a failure in the second process."""
    from specviz.__main__ import main

    (tmp_path / "target").symlink_to(BUNDLED / "fable")
    words = ["--prompt", "Once upon a time", "--temperature", "0", "--max-new-tokens", "12", "--target", str(tmp_path / "target")]
    with pytest.raises(SystemExit) as end:
        main("trace", *words, "--out", str(tmp_path / "one.jsonl"))
    assert not end.value.code
    script = tmp_path / "twice.py"
    script.write_text(TWICE)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    env = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "SPECVIZ_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    words += ["--tensor-parallel", "2"]
    done = subprocess.run([*torchrun, *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode, done.stderr
    one, two = read(tmp_path / "one.jsonl"), read(tmp_path / "two.jsonl")
    for lane in ("vanilla", "speculative"):
        rounds, alone = getattr(two, lane)[1:-1], getattr(one, lane)[1:-1]
        assert [[e.token.id for e in r.emitted] for r in rounds] == [[e.token.id for e in r.emitted] for r in alone]
        assert [r.target_cache for r in rounds] == [r.target_cache for r in alone]
    assert two.header.target.why == "layers shared by 2 processes" and one.header.target.forward == "own"
    assert two.vanilla[-1].processor_ms is None  # it waits for the other process, and says nothing of how busy the machine is
    assert two.header.target.parameters == one.header.target.parameters
    assert done.stderr.count("saved ") == done.stderr.count("Loading weights:   0%") == 1  # the first speaks, and nobody else
    assert "the planted failure" in done.stderr
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == ["one.jsonl", "two.jsonl"]
