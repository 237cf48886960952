"""What is told of a run while it goes on: never often, and its rounds only where it takes long."""

import json
from itertools import pairwise
from types import SimpleNamespace

from specviz.page.watch.pace import LINE_SECONDS, LINE_TOKENS, Pace
from specviz.trace.events import Round
from tests.fake_trace import fake_trace

from ...fakes import Clock

TRACE = fake_trace(max_new_tokens=48)


def step(lane, tokens, of, event=None, again=0):
    return SimpleNamespace(lane=lane, tokens=tokens, of=of, event=event, again=again)


def play(each: float, chat: bool = False):
    """The status lines of TRACE, whose rounds take `each` second; the pace itself, too."""
    clock = Clock()
    pace, lines = Pace(clock, chat), []
    for lane in ("vanilla", "speculative"):
        tokens = 0
        for event in getattr(TRACE, lane):
            tokens += len(getattr(event, "emitted", ()))
            if line := pace.status_line(step(lane, tokens, 48, event), 48):
                lines.append((clock.now, json.loads(line)))
            clock.now += each
    return lines, pace


def texts(lane):
    """What each round of a lane is told as."""
    for round_ in (event for event in lane if isinstance(event, Round)):
        yield from (d.verdict for d in round_.drafted)
        yield from (e.role for e in round_.emitted if e.role != "accepted")


def test_of_a_short_run_nobody_says_how_long_it_takes_but_its_rounds_are_told_from_the_first_line():
    lines, _ = play(each=0.01)
    assert lines and not any("left" in status for _, status in lines)
    assert all(status["live"]["vanilla"]["spans"] for _, status in lines if status["lane"] == "vanilla")


def test_what_is_answered_begins_on_a_line_of_its_own():
    lines, _ = play(each=0.1, chat=True)
    assert lines[0][1]["live"]["vanilla"]["spans"][:2] == [["prompt", "\n"], ["plain", TRACE.vanilla[1].emitted[0].token.text]]


def test_lines_are_apart():
    lines, _ = play(each=0.01)
    times = [at for at, _ in lines]
    assert all(b - a >= LINE_SECONDS - 1e-9 for a, b in pairwise(times))


def test_a_long_run_is_told_round_by_round_without_a_gap():
    lines, _ = play(each=0.5)
    spans_by_lane = {"vanilla": [], "speculative": []}
    for _, status in lines:
        for lane, part in status.get("live", {}).items():
            assert part["from"] <= len(spans_by_lane[lane])
            spans_by_lane[lane][part["from"] :] = part["spans"]
    for lane, spans in spans_by_lane.items():
        assert [role for role, _ in spans] == list(texts(getattr(TRACE, lane)))
    assert "".join(text for _, text in spans_by_lane["vanilla"]).startswith(TRACE.vanilla[-1].text[:30])


def test_a_page_that_misses_a_line_shows_no_gap():
    lines, _ = play(each=0.5)
    had = 0
    for i, (_, status) in enumerate(lines):
        part = status.get("live", {}).get("vanilla")
        if part and i % 2:  # every second one is lost
            assert part["from"] <= had
            had = part["from"] + len(part["spans"])
    assert had


def test_what_is_told_at_once_is_bounded():
    clock = Clock()
    pace = Pace(clock)
    rounds = [event for event in TRACE.speculative if isinstance(event, Round)]
    for i in range(LINE_TOKENS):
        pace.status_line(step("speculative", 4 * i, 4096, rounds[i % len(rounds)]), 4096)
        clock.now += LINE_SECONDS / 100
    clock.now += LINE_SECONDS
    status = json.loads(pace.status_line(step("speculative", 1600, 4096), 4096))["live"]["speculative"]
    assert len(status["spans"]) == LINE_TOKENS and status["from"] > 0


def test_the_time_left_counts_both_lanes_by_the_pace_of_the_one_under_way():
    lines, _ = play(each=1.0)
    vanilla = next(status for at, status in lines if status["lane"] == "vanilla" and status["tokens"] == 24 and "left" in status)
    assert vanilla["left"] == 72  # 24 tokens in 24 s, 24 + 48 to come
    last = [status for _, status in lines if status["lane"] == "speculative"][-1]
    assert last["left"] == 1
