"""Greedy lanes that wrote different texts are explained in a sentence; all others need none."""

from dataclasses import replace

from specviz.trace.file import dumps, loads
from specviz.trace.parting import parting

from ..fake_trace import fake_trace


def greedy(**header):
    trace = fake_trace("Once", temperature=0.0)
    return replace(trace, header=replace(trace.header, **header))


def cut(trace, lane: str, engine: str = "transformers", dtype: str = "bfloat16"):
    """The lane without its last round, as if a stop string had ended it."""
    events = getattr(trace, lane)
    end = replace(events[-1], reason="stop")
    header = replace(trace.header, engine=engine, target=replace(trace.header.target, dtype=dtype))
    return replace(trace, header=header, **{lane: (*events[:-2], end)})


def other(trace, dtype: str):
    """The vanilla lane with another last token."""
    [*events, last, end] = trace.vanilla
    token = last.emitted[0].token
    changed = replace(last, emitted=(replace(last.emitted[0], token=replace(token, id=token.id + 1, text="other")),))
    header = replace(trace.header, target=replace(trace.header.target, dtype=dtype))
    return replace(trace, header=header, vanilla=(*events, changed, end))


def test_lanes_that_wrote_the_same_or_were_sampled_need_no_sentence():
    assert parting(greedy()) == "" and parting(fake_trace("Once")) == ""
    assert parting(replace(greedy(), vanilla=())) == ""


def test_lanes_of_different_length_say_which_went_on_and_why():
    said = parting(cut(greedy(), "vanilla"))
    assert (
        "The speculative text goes on for 1 token" in said and "ended by stop" in said and "misses one that ends inside" in said
    )
    assert "stop string" not in parting(cut(greedy(), "vanilla", engine="specviz"))
    assert parting(cut(greedy(), "speculative")).startswith("The vanilla text goes on for")


def test_lanes_that_part_say_where_and_what_their_precision_has_to_do_with_it():
    assert "differ from token" in parting(
        other(greedy(), "bfloat16")
    ) and "In bfloat16 two logits are often almost equal" in parting(other(greedy(), "bfloat16"))
    assert "sums in another order" in parting(other(greedy(), "float32"))


def test_a_trace_of_ours_has_no_departures_and_its_bytes_do_not_name_them():
    trace = fake_trace("Once")
    assert b"departures" not in dumps(trace) and loads(dumps(trace)) == trace
