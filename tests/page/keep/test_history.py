"""The runs of a visit: each once, the last ones only, whole again when they are asked for."""

import json
import zlib
from base64 import b64encode
from functools import reduce

import pytest

from specviz.config import SETTINGS
from specviz.page.keep import history
from specviz.page.keep.history import LIMIT, find, keep, lines, restored, with_run
from specviz.trace.clock import within
from specviz.trace.file import dumps, loads
from tests.fake_trace import fake_trace
from tests.view import call, view


def kept(prompt="Once upon a time", source="run", **settings):
    trace = fake_trace(prompt, **settings)
    return keep(dumps(trace), source)


def test_a_run_comes_back_whole():
    run = kept("Kept")
    assert find((run,), run.id) is run and loads(zlib.decompress(run.data)) == fake_trace("Kept")
    assert find((run,), "other") is None and find((run,), None) is None and find((), run.id) is None


def test_the_same_run_is_listed_once_and_the_oldest_goes():
    runs = with_run((), kept("first"))
    assert with_run(runs, kept("first")) == runs and with_run(runs, None) == runs
    for i in range(LIMIT):
        runs = with_run(runs, kept(f"run {i}", max_new_tokens=3))
    assert [loads(zlib.decompress(run.data)).header.prompt for run in runs] == [f"run {i}" for i in range(LIMIT)]


def test_recorded_runs_that_are_opened_push_out_recorded_ones_and_none_of_ones_own():
    own = tuple(kept(f"own {i}", max_new_tokens=3) for i in range(LIMIT - 1))
    runs = own
    for i in range(LIMIT):
        recording = kept(f"recorded {i}", "recorded", max_new_tokens=3)
        runs = with_run(runs, recording)
    assert runs == (*own, recording)
    full = with_run(runs, kept("own, the last", max_new_tokens=3))
    assert [run.source for run in full] == ["run"] * LIMIT
    assert with_run(full, kept("recorded", "recorded", max_new_tokens=3)) == full


def test_few_large_runs_are_kept_rather_than_many(monkeypatch):
    runs = [kept(f"run {i}") for i in range(3)]
    monkeypatch.setattr(history, "BYTES", len(runs[1].data) + len(runs[2].data))
    assert with_run(runs[:2], runs[2]) == tuple(runs[1:])
    monkeypatch.setattr(history, "BYTES", 1)
    assert with_run(runs[:2], runs[2]) == (runs[2],)  # the one that is shown stays


def test_a_line_says_the_numbers_that_the_screen_says():
    shown = view(fake_trace("Once upon a time", K=4, temperature=0.5))
    named = [{"name": name, "rule": setting.rule} for name, setting in SETTINGS.items()]
    line = call("keep/line.js", "lineOf", shown, "7", "run", named)
    assert line["numbers"]["speedup"] == shown["comparison"]["speedup"]
    assert line["numbers"]["alpha"] == shown["lanes"]["speculative"]["numbers"]["alpha"]
    assert (line["settings"]["K"], line["settings"]["temperature"], line["settings"]["draft"]) == (4, 0.5, "story-draft")


def packed(run):
    """A run as a browser keeps it."""
    return json.loads(lines((run,), (run,)))["added"][0]


def test_what_a_browser_kept_comes_back_before_the_runs_of_this_visit():
    first, second, third = (kept(name, max_new_tokens=5) for name in ("first", "second", "third"))
    before = restored([packed(first), packed(second)])
    assert reduce(with_run, (third,), before) == (first, second, third)
    assert reduce(with_run, (second,), before) == (first, second)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "text",
        [7, None, {}],
        [{"data": "?", "source": "run"}],
        [{"data": b64encode(b"not packed").decode(), "source": "run"}],
        [{"data": b64encode(zlib.compress(b"not a trace")).decode(), "source": "run"}],
        [{"data": b64encode(zlib.compress(bytes(2**26))).decode(), "source": "run"}],  # 64 MB of zeros in 64 kB
        [{**packed(kept()), "source": "<script>"}],
        [{**packed(kept()), "data": "A" * (history.BYTES + 1)}],
    ],
    ids=lambda sent: str(sent)[:24],
)
def test_what_is_no_run_is_left_out(sent):
    assert restored(sent) == ()


def test_what_a_browser_brings_back_is_unpacked_up_to_a_bound_for_all_runs_together(monkeypatch):
    runs = [kept(f"run {i}") for i in range(3)]
    brought = [{"data": b64encode(run.data).decode(), "source": "run"} for run in runs]
    sizes = [len(zlib.decompress(run.data)) for run in runs]
    assert len(restored(brought)) == 3
    monkeypatch.setattr(history, "UNPACKED", sum(sizes[:2]))
    assert [run.id for run in restored(brought)] == [run.id for run in runs[:2]]


def test_when_there_is_no_more_time_the_runs_that_were_read_come_back():
    brought = [{"data": b64encode(kept(f"run {i}").data).decode(), "source": "run"} for i in range(3)]
    lines_of_one = dumps(fake_trace("run 0")).count(b"\n")
    asked = iter(range(10_000))
    with within(lambda: next(asked) > lines_of_one):
        assert len(restored(brought)) == 1
