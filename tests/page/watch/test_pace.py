"""What is told of a run while it goes on: never often, and its rounds only where it takes long."""

import json
from itertools import pairwise
from types import SimpleNamespace

from specviz.page.watch.pace import EVERY, LIVE, SENT, Pace
from specviz.trace.events import Round
from tests.fake_trace import fake_trace

from ...fakes import Clock

TRACE = fake_trace(max_new_tokens=48)


def step(lane, tokens, of, event=None, again=0):
    return SimpleNamespace(lane=lane, tokens=tokens, of=of, event=event, again=again)


def play(each: float, longest: float | None = None):
    """The status lines of TRACE, whose rounds take `each` second; the pace itself, too."""
    clock = Clock()
    pace, lines = Pace(longest, clock), []
    for lane in ("vanilla", "speculative"):
        written = 0
        for event in getattr(TRACE, lane):
            written += len(getattr(event, "emitted", ()))
            if told := pace.status_line(step(lane, written, 48, event), 48):
                lines.append((clock.now, json.loads(told)))
            clock.now += each
    return lines, pace


def texts(lane):
    """What each round of a lane is told as."""
    for round_ in (event for event in lane if isinstance(event, Round)):
        yield from (d.verdict for d in round_.drafted)
        yield from (e.role for e in round_.emitted if e.role != "accepted")


def test_a_short_run_is_told_in_numbers_only():
    lines, _ = play(each=LIVE / 200)
    assert lines and not any("live" in told or "left" in told for _, told in lines)


def test_lines_are_apart():
    lines, _ = play(each=0.01)
    times = [at for at, _ in lines]
    assert all(b - a >= EVERY - 1e-9 for a, b in pairwise(times))


def test_a_long_run_is_told_round_by_round_without_a_gap():
    lines, _ = play(each=0.5)
    drawn = {"vanilla": [], "speculative": []}
    for _, told in lines:
        for lane, part in told.get("live", {}).items():
            assert part["from"] <= len(drawn[lane])
            drawn[lane][part["from"] :] = part["spans"]
    for lane, spans in drawn.items():
        assert [role for role, _ in spans] == list(texts(getattr(TRACE, lane)))
    assert "".join(text for _, text in drawn["vanilla"]).startswith(TRACE.vanilla[-1].text[:30])


def test_a_page_that_misses_a_line_shows_no_gap():
    lines, _ = play(each=0.5)
    had = 0
    for i, (_, told) in enumerate(lines):
        part = told.get("live", {}).get("vanilla")
        if part and i % 2:  # every second one is lost
            assert part["from"] <= had
            had = part["from"] + len(part["spans"])
    assert had


def test_what_is_told_at_once_is_bounded():
    clock = Clock()
    pace = Pace(None, clock)
    rounds = [event for event in TRACE.speculative if isinstance(event, Round)]
    for i in range(SENT):
        pace.status_line(step("speculative", 4 * i, 4096, rounds[i % len(rounds)]), 4096)
        clock.now += EVERY / 100
    clock.now += LIVE
    told = json.loads(pace.status_line(step("speculative", 1600, 4096), 4096))["live"]["speculative"]
    assert len(told["spans"]) == SENT and told["from"] > 0


def test_the_time_left_counts_both_lanes_by_the_pace_of_the_one_under_way():
    lines, _ = play(each=1.0)
    vanilla = next(told for at, told in lines if told["lane"] == "vanilla" and told["tokens"] == 24 and "left" in told)
    assert vanilla["left"] == 72  # 24 tokens in 24 s, 24 + 48 to come
    last = [told for _, told in lines if told["lane"] == "speculative"][-1]
    assert last["left"] == 1


def test_a_run_is_late_once_it_has_decoded_for_as_long_as_it_may():
    clock = Clock()
    pace = Pace(longest=3, clock=clock)
    clock.now = 100  # waiting and loading are not decoding
    assert not pace.late
    pace.status_line(step("vanilla", 1, 48), 48)
    clock.now += 2.9
    assert not pace.late
    clock.now += 0.1
    assert pace.late and pace.cut
