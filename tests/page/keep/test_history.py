"""The runs of a visit: each once, the last ones only, whole again when they are asked for."""

import json
import zlib
from base64 import b64encode
from functools import reduce

import pytest

from specviz.page.keep import history
from specviz.page.keep.history import LIMIT, KeptRun, RunStore, lines, packed_run, restored_runs, run_by_id, with_run
from specviz.trace.clock import stop_when
from specviz.trace.file import dumps, loads
from tests.fake_trace import fake_trace
from tests.fakes import Clock
from tests.view import call, view


def kept_run(prompt="Once upon a time", source="run", **settings):
    trace = fake_trace(prompt, **settings)
    return packed_run(dumps(trace), source)


def test_a_run_comes_back_whole():
    run = kept_run("Kept")
    assert run_by_id((run,), run.id) is run and loads(zlib.decompress(run.data)) == fake_trace("Kept")
    assert run_by_id((run,), "other") is None and run_by_id((run,), None) is None and run_by_id((), run.id) is None


def test_the_same_run_is_listed_once_and_the_oldest_goes():
    runs = with_run((), kept_run("first"))
    assert with_run(runs, kept_run("first")) == runs and with_run(runs, None) == runs
    for i in range(LIMIT):
        runs = with_run(runs, kept_run(f"run {i}", max_new_tokens=3))
    assert [loads(zlib.decompress(run.data)).header.prompt for run in runs] == [f"run {i}" for i in range(LIMIT)]


def test_recorded_runs_that_are_opened_push_out_recorded_ones_and_none_of_ones_own():
    own = tuple(kept_run(f"own {i}", max_new_tokens=3) for i in range(LIMIT - 1))
    runs = own
    for i in range(LIMIT):
        recording = kept_run(f"recorded {i}", "recorded", max_new_tokens=3)
        runs = with_run(runs, recording)
    assert runs == (*own, recording)
    full = with_run(runs, kept_run("own, the last", max_new_tokens=3))
    assert [run.source for run in full] == ["run"] * LIMIT
    assert with_run(full, kept_run("recorded", "recorded", max_new_tokens=3)) == full


def test_few_large_runs_are_kept_rather_than_many(monkeypatch):
    runs = [kept_run(f"run {i}") for i in range(3)]
    monkeypatch.setattr(history, "BYTES", len(runs[1].data) + len(runs[2].data))
    assert with_run(runs[:2], runs[2]) == tuple(runs[1:])
    monkeypatch.setattr(history, "BYTES", 1)
    assert with_run(runs[:2], runs[2]) == (runs[2],)  # the one that is shown stays


def test_a_line_says_the_numbers_that_the_screen_says():
    run_view = view(fake_trace("Once upon a time", K=4, temperature=0.5))
    line = call("keep/line.js", "lineOf", run_view, "7", "run")
    values = line["values"]
    assert values["speedup"] == run_view["comparison"]["speedup"]
    assert values["alpha"] == run_view["lanes"]["speculative"]["numbers"]["alpha"]
    assert (values["K"], values["temperature"], values["draft"]) == (4, 0.5, "story-draft")


def packed(run):
    """A run as a browser keeps it."""
    return json.loads(lines((run,), (run,)))["added"][0]


def test_what_a_browser_kept_comes_back_before_the_runs_of_this_visit():
    first, second, third = (kept_run(name, max_new_tokens=5) for name in ("first", "second", "third"))
    before = restored_runs([packed(first), packed(second)])
    assert reduce(with_run, (third,), before) == (first, second, third)
    assert reduce(with_run, (second,), before) == (first, second)


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        [7, None, {}],
        [{"data": "?", "source": "run"}],
        [{"data": b64encode(b"not packed").decode(), "source": "run"}],
        [{"data": b64encode(zlib.compress(b"not a trace")).decode(), "source": "run"}],
        [{"data": b64encode(zlib.compress(bytes(2**26))).decode(), "source": "run"}],  # 64 MB of zeros in 64 kB
        [{**packed(kept_run()), "source": "<script>"}],
        [{**packed(kept_run()), "data": "A" * (history.BYTES + 1)}],
    ],
    ids=lambda message: str(message)[:24],
)
def test_what_is_no_run_is_left_out(message):
    assert restored_runs(message) == ()


def test_what_a_browser_brings_back_is_unpacked_up_to_a_bound_for_all_runs_together(monkeypatch):
    runs = [kept_run(f"run {i}") for i in range(3)]
    entries = [{"data": b64encode(run.data).decode(), "source": "run"} for run in runs]
    sizes = [len(zlib.decompress(run.data)) for run in runs]
    assert len(restored_runs(entries)) == 3
    monkeypatch.setattr(history, "UNPACKED_BYTES", sum(sizes[:2]))
    assert [run.id for run in restored_runs(entries)] == [run.id for run in runs[:2]]


def test_when_there_is_no_more_time_the_runs_that_were_read_come_back():
    entries = [{"data": b64encode(kept_run(f"run {i}").data).decode(), "source": "run"} for i in range(3)]
    lines_of_one = dumps(fake_trace("run 0")).count(b"\n")
    ticks = iter(range(10_000))
    with stop_when(lambda: next(ticks) > lines_of_one):
        assert len(restored_runs(entries)) == 1


# ---- the runs of all sessions ----


def sized(id, size):
    return KeptRun(id, bytes(size), "run")


def test_nobody_pushes_out_anothers_runs_and_who_keeps_most_loses_the_oldest():
    store = RunStore(Clock(), most=1000)
    store.add("honest", "b", sized("own", 300))
    for n in range(205):
        store.add(f"stranger {n}", "a", sized(f"run {n}", 200))
    assert store.runs("honest") == (sized("own", 300),)
    assert not store.runs("stranger 200") and store.runs("stranger 204") and store.runs("stranger 202")


def test_a_run_of_which_there_is_room_for_one_is_kept():
    store = RunStore(Clock(), most=100)
    store.add("before", "a", sized("first", 90))
    assert store.add("visit", "b", sized("large", 200)) == (sized("large", 200),) and not store.runs("before")


def test_what_a_browser_brings_back_stands_before_what_was_run_since():
    store = RunStore(Clock())
    store.add("visit", "a", sized("new", 1))
    runs = store.add("visit", "a", sized("old", 1), sized("older", 1), before=True)
    assert [run.id for run in runs] == ["old", "older", "new"] and store.runs("visit") == runs
    store.forget("visit")
    assert store.runs("visit") == ()


def test_a_session_that_ended_keeps_nothing():
    clock = Clock()
    store = RunStore(clock)
    store.add("gone", "a", sized("run", 1))
    clock.now += history.IDLE_SECONDS + 1
    store.add("visit", "b", sized("run", 1))
    assert store.runs("gone") == () and store.runs("visit")
