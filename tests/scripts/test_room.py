"""A room of players is timed as phones would find it: every guess of every round, through the page that is served."""

from scripts.room import told, votes

from ..browser.fake_engine import FakeEngine


def test_every_guess_of_every_round_is_timed():
    found = votes(players=4, rounds=2, spread=0.1, engine=FakeEngine())
    assert (found["players"], found["rounds"], found["votes"]) == (4, 2, 8)
    assert 0 < found["p50_vote_ms"] <= found["p95_vote_ms"]


def test_what_nineteen_of_twenty_do_not_exceed_is_said():
    found = told(1, 100, {"guess": [float(ms) for ms in range(1, 101)], "look": [5.0, 5.0]})
    assert found["p50_vote_ms"] == 50.5 and 95 <= found["p95_vote_ms"] <= 97 and found["p95_look_ms"] == 5
