"""What a long measurement says meanwhile, and where it ends when its time is over."""

from itertools import count

from scripts.result import steps


def test_each_step_says_which_of_how_many_it_is_and_how_long_the_rest_takes(capsys):
    assert list(steps(["a", "b", "c"], clock=count(0, 50).__next__)) == ["a", "b", "c"]
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["1 of 3: a", "2 of 3: b, 3 min left", "3 of 3: c, 75 s left"]


def test_when_the_time_is_over_the_unit_ends_and_no_further_one_begins(capsys):
    units = [(unit, K) for unit in "xyz" for K in range(3)]
    done = list(steps(units, seconds=45, may_end=lambda cell: not cell[1], clock=count(0, 10).__next__))
    assert done == units[:6]
    assert capsys.readouterr().err.splitlines()[-1] == "the time is over: 3 of 9 are left"
