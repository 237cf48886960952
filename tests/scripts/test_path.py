"""What a run passes is counted: functions of specviz alone, and apart those that one of them calls."""

from scripts.path import passed
from specviz.acceptance import best_K, expected_speedup


def test_functions_of_the_package_are_counted_once_and_those_inside_one_of_them_apart():
    def run():
        expected_speedup(2.0, 1, 0.1)
        best_K(0.7, 0.1, limit=2)
        best_K(0.7, 0.1, limit=3)

    all_of_them, inside = passed(run, "best_K")
    assert {file for file, _ in all_of_them} == {"acceptance.py"}
    names = {name.partition(".")[0] for _, name in inside}
    assert names == {"best_K", "expected_tokens", "expected_speedup"}
    assert passed(lambda: expected_speedup(2.0, 1, 0.1), "best_K") == ({("acceptance.py", "expected_speedup")}, set())
