"""What `make bench` leaves out, and what it reads of llama.cpp's own tool."""

import json
from types import SimpleNamespace

from scripts.bench import ATTEMPTS, LONG_TURNS, LeftOut, prefills, tree_round
from scripts.llamacpp import Speculation, read
from scripts.peer import Timed, Whole
from scripts.result import json_line


def test_a_disturbed_run_is_made_again_and_counted():
    left_out, shares = LeftOut(), iter([0.5, 0.8, 0.99])
    assert left_out("vanilla", lambda: Whole(1.0, 1, next(shares))).had == 0.99
    assert (left_out.runs, left_out.again["vanilla"], left_out.disturbed) == (1, 2, 0)


def test_a_run_that_nothing_disturbed_or_whose_clock_says_nothing_stands():
    left_out = LeftOut()
    for had in (1.0, None):
        assert left_out("peer", lambda had=had: Whole(1.0, 1, had)).had == had
    assert left_out.again.total() == left_out.disturbed == 0


def test_where_the_machine_is_never_quiet_the_last_run_stands_and_is_counted_as_disturbed():
    left_out = LeftOut()
    assert left_out("slow rounds", lambda: Whole(1.0, 1, 1.0, stalled=0.5)).stalled == 0.5
    assert left_out.again.total() == ATTEMPTS - 1 and left_out.disturbed == 1
    assert "1 of 1 stand disturbed" in str(left_out)


def test_a_clock_says_how_long_and_how_much_of_it_its_thread_worked():
    with Timed() as clock:
        sum(range(300_000))
    whole = clock.whole(3)
    assert whole.tokens == 3 and whole.wall > 0 and (whole.had is None or 0 < whole.had < 1.5)


TOLD = """<0><462><470>

<0><462><470><451><427>

encoded    3 tokens in    0.009 seconds, speed:  333.333 t/s
decoded   49 tokens in    0.174 seconds, speed:  281.609 t/s

n_draft   = 4
n_predict = 49
n_drafted = 26
n_accept  = 23
"""


def test_llama_cpp_s_tool_says_what_it_drafted_what_it_wrote_and_how_long_it_took():
    found, written = read(TOLD.split("\n\n", 1)[1], 3)
    assert found == Speculation(174.0, 49, 26, 23) and written == [451, 427]
    assert found.pace == 174 / 49


def test_prefills_are_made_by_turns_and_as_long_as_the_model_has_room_for():
    lengths, asked = [], []
    sequence = SimpleNamespace(append=lambda ids, keep: lengths.append(len(ids)))
    model = SimpleNamespace(context=600, vocabulary=9, sequence=lambda capacity: sequence)
    peer = SimpleNamespace(prefill=lambda ids: asked.append(len(ids)) or 1e9)
    found = prefills(model, {"float32": peer, "bfloat16": peer})
    assert {*found} == {("float32", 500), ("bfloat16", 500)} and all(
        low <= median <= high for median, low, high in found.values()
    )
    assert lengths == [500] * (LONG_TURNS + 1) and asked == [500] * 2 * (LONG_TURNS + 1)


def test_what_was_not_measured_is_null():
    tree = tree_round(SimpleNamespace(drafter=SimpleNamespace()), [], None)
    assert json.loads(json_line({"tree": tree, "n": 3, "x": 1 / 3, "name": "a"})) == {
        "tree": None,
        "n": 3,
        "x": 0.3333,
        "name": "a",
    }
