"""transformers' caches that do not keep every position: windows, chunks, states, positions that change with a text's length.

Against the logits of the whole text without any cache, however it is cut into blocks and however far it is rolled back."""

import random
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

import pytest
import torch
from transformers import cache_utils

from specviz.engine.backends import hub as hub_cache
from specviz.engine.backends.hub import HubModel

from ...families import FAMILIES, WINDOW
from ...tiny import CLOSE, reference, some_ids

WINDOWS = [name for name, family in FAMILIES.items() if family.holds == "window"]
STATES = [name for name, family in FAMILIES.items() if family.holds == "state"]
USUAL = ("gemma3", "mistral, window", "llama4", "qwen3.5", "lfm2", "mamba")  # one of each way to keep less than all
EACH = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in USUAL else [pytest.mark.full]) for name in [*WINDOWS, *STATES]]
)
LONG = 5 * WINDOW


def test_the_oldest_transformers_that_we_ask_for_has_no_dummy_layer_and_is_enough(monkeypatch):
    cuttable = hub_cache.CUTTABLE - {getattr(cache_utils, "DummyLayer", None)}
    monkeypatch.delattr(cache_utils, "DummyLayer", raising=False)
    spec = spec_from_file_location("specviz.engine.backends.older", hub_cache.__file__)
    older = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, older)  # where dataclasses look for their names
    spec.loader.exec_module(older)
    assert cuttable == older.CUTTABLE


@cache
def tiny_model(name):
    return FAMILIES[name].make()


@pytest.fixture(autouse=True)
def windows_that_keep_a_short_block(monkeypatch):
    """Beside the window: so that a short text outgrows what is kept."""
    monkeypatch.setattr(hub_cache, "MAX_ROWS", 8)
    monkeypatch.setattr("specviz.engine.backends.hub.MAX_ROWS", 8)


def assert_close(logits, expected):
    assert logits.shape == expected.shape and (logits - expected).abs().max() <= CLOSE * 10


@EACH
def test_blocks_past_the_window_and_rejections_across_its_edge_give_the_logits_of_the_whole(name):
    model, chance, text = tiny_model(name), random.Random(1), some_ids(5)
    sequence = HubModel(model, name).sequence(LONG + 9)
    sequence.append(text, keep=1)
    while len(text) < LONG:
        block = [chance.randrange(97) for _ in range(chance.randint(1, 6))]
        assert_close(sequence.append(block), reference(model, [*text, *block])[-len(block) :])
        text += block[: chance.randint(1, len(block))]
        sequence.rollback(len(text))
        assert sequence.length == len(text)


@EACH
def test_several_appends_of_one_token_are_taken_back_together(name):
    """As a draft model appends."""
    model, text = tiny_model(name), some_ids(LONG)
    sequence = HubModel(model, name).sequence(LONG + 9)
    sequence.append(text[:-6])
    for id in (1, 2, 3, 4):
        sequence.append([id])
    sequence.rollback(LONG - 4)
    assert_close(sequence.append(text[-4:])[-1:], reference(model, [*text[:-6], 1, 2, *text[-4:]])[-1:])


@EACH
def test_a_text_can_be_rolled_back_to_any_length(name):
    model, text = tiny_model(name), some_ids(LONG)
    sequence = HubModel(model, name).sequence(LONG)
    sequence.append(text)
    for length in (LONG - 1, LONG - WINDOW - 12, 3, 0):
        sequence.rollback(length)
        assert_close(sequence.append(text[length : length + 2]), reference(model, text[: length + 2])[length:])


@pytest.mark.parametrize("name", [n for n in WINDOWS if n in USUAL])
def test_a_window_keeps_no_more_than_its_positions_and_a_block(name):
    sequence = HubModel(tiny_model(name), name).sequence(200)
    sequence.append(some_ids(100))
    for _ in range(4):
        sequence.append(some_ids(6))
        sequence.rollback(sequence.length - 4)
    sizes = [layer.keys.shape[-2] for layer in sequence.cache.layers if layer.is_sliding]
    assert sizes and max(sizes) <= WINDOW + 8


@pytest.mark.parametrize("name", [n for n in WINDOWS if n in USUAL])
def test_a_tree_past_the_window_gives_each_path_the_logits_that_it_has_alone(name):
    model, text = tiny_model(name), some_ids(60)
    hub = HubModel(model, name)
    assert hub.no_trees == ""
    sequence = hub.sequence(100)
    sequence.append(text)
    first = sequence.append([1, 2, 3], parents=[-1, 0, 0])
    assert_close(first[2:], reference(model, [*text, 1, 3])[-1:])
    below = sequence.append([4, 5, 6], parents=[2, 3, 4])
    assert_close(below[2:], reference(model, [*text, 1, 3, 4, 5, 6])[-1:])
    sequence.keep([0, 2, 3])
    assert_close(sequence.append([7, 8]), reference(model, [*text, 1, 3, 4, 7, 8])[-2:])


def test_a_state_is_put_back_and_what_was_kept_is_fed_again():
    hub = HubModel(tiny_model("qwen3.5"), "qwen3.5")
    assert (hub.info.state_layers, hub.info.window) == (1, None)
    sequence = hub.sequence(40)
    sequence.append(some_ids(10))
    sequence.append(some_ids(5))
    sequence.rollback(12)
    assert sequence.replayed.positions == 2 and sequence.replayed.seconds > 0
    for id in (1, 2, 3):
        sequence.append([id])
    sequence.rollback(14)  # there a copy was made: nothing is fed
    assert sequence.replayed.positions == 2
    with pytest.raises(ValueError, match="a state cannot branch"):
        sequence.append([1, 2], parents=[-1, -1])


def test_of_a_model_that_takes_one_token_a_pass_a_block_is_fed_so_and_that_is_said():
    hub = HubModel(tiny_model("mamba"), "mamba")
    assert hub.one_by_one and "a pass takes one token" in hub.slow_reason
    assert not HubModel(tiny_model("mamba2"), "mamba2").one_by_one


def test_positions_that_change_with_the_length_of_a_text_are_those_of_a_text_of_that_length():
    """Phi-3's longrope: past 64 tokens every position is rotated by other factors, so all before is fed again."""
    model, text = tiny_model("phi3, longrope"), some_ids(80)
    short, long = reference(model, text[:64]), reference(model, text)
    sequence = HubModel(model, "phi3").sequence(90)
    sequence.append(text[:60])
    assert_close(sequence.append(text[60:70]), torch.cat([short[60:], reference(model, text[:70])[64:]]))
    sequence.rollback(62)
    assert_close(sequence.append(text[62:64]), short[62:])
    assert_close(sequence.append(text[64:]), long[64:])
    sequence.rollback(70)
    assert_close(sequence.append(text[70:]), long[70:])


def test_where_generate_itself_mixes_both_factors_a_text_ends_before_that():
    hub = HubModel(tiny_model("llama, longrope"), "llama")
    assert hub.context == 64 and "past 64 tokens, so a text ends there" in hub.info.why
