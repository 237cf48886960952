"""Greedy lanes that wrote different texts are explained in a sentence; all others need none."""

from dataclasses import replace

import pytest

from specviz.trace.divergence import divergence_note
from specviz.trace.events import Token
from specviz.trace.file import dumps, loads
from specviz.trace.header import Trace

from ..fake_trace import fake_trace

GREEDY = fake_trace("Once", temperature=0.0)


def cut(lane: str, engine: str = "transformers") -> Trace:
    """GREEDY with a lane that lacks its last round, as if a stop string had ended it."""
    *events, _, end = getattr(GREEDY, lane)
    return replace(GREEDY, header=replace(GREEDY.header, engine=engine), **{lane: (*events, replace(end, reason="stop"))})


def other(dtype: str) -> Trace:
    """GREEDY in this precision, with another last token in the vanilla lane."""
    [*events, last, end] = GREEDY.vanilla
    changed = replace(last, emitted=(replace(last.emitted[0], token=Token(99, "other")),))
    header = replace(GREEDY.header, target=replace(GREEDY.header.target, dtype=dtype))
    return replace(GREEDY, header=header, vanilla=(*events, changed, end))


@pytest.mark.parametrize("trace", [GREEDY, fake_trace("Once"), replace(GREEDY, vanilla=())], ids=["same", "sampled", "one lane"])
def test_lanes_that_wrote_the_same_or_were_sampled_need_no_sentence(trace):
    assert divergence_note(trace) == ""


@pytest.mark.parametrize(
    ("trace", "says", "omits"),
    [
        (cut("vanilla"), ["The speculative text goes on for 1 token", "ended by stop", "misses one that ends inside"], "\n"),
        (cut("vanilla", engine="specviz"), ["The speculative text goes on for 1 token"], "stop string"),
        (cut("speculative"), ["The vanilla text goes on for"], "speculative text"),
        (other("bfloat16"), ["differ from token", "In bfloat16 two logits are often almost equal"], "another order"),
        (other("float32"), ["differ from token", "sums in another order"], "bfloat16"),
    ],
)  # fmt: skip
def test_lanes_that_part_say_where_and_why(trace, says, omits):
    sentence = divergence_note(trace)
    assert all(part in sentence for part in says) and omits not in sentence


def test_a_trace_of_ours_has_no_departures_and_its_bytes_do_not_name_them():
    assert b"departures" not in dumps(GREEDY) and loads(dumps(GREEDY)) == GREEDY
