"""Public shapes with random weights: as large as their names say, computed as transformers does, writing what no rounding changes."""

import pytest
import torch

from scripts.gpu import shapes
from scripts.gpu.scripted import NumberText
from specviz.engine.decode import decode

from ... import tiny
from ...fakes import tokens
from ...tiny_shapes import PROMPT, built, greedy, parameters


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", shapes.TINY)
def test_random_weights_write_a_text_that_no_rounding_changes(name, dtype):
    """After t comes t + 1, by blocks as by single tokens: what a script needs."""
    target, draft = built(name, dtype)
    vanilla = tokens(list(decode(target, None, PROMPT, greedy(0, 60), NumberText())))
    assert vanilla == [(PROMPT[-1] + 1 + i) % target.vocabulary for i in range(60)]
    assert tokens(list(decode(target, draft, PROMPT, greedy(5, 60), NumberText()))) == vanilla


@torch.inference_mode()
@pytest.mark.parametrize("name", shapes.TINY)
def test_transformers_computes_the_same_from_the_same_weights(name):
    target, _ = built(name)
    theirs = shapes.peer(name, torch.device("cpu"), torch.float32, tiny=True)
    expected = tiny.reference(theirs, PROMPT)
    assert (target.sequence(20).append(PROMPT) - expected).abs().max() < 1e-3 * expected.abs().max()


@pytest.mark.parametrize("name", shapes.PUBLIC)
def test_public_shapes_have_the_parameters_that_their_names_say(name):
    billions = {"Llama-3-8B": 8.03, "Llama-3.2-1B": 1.236, "Qwen3-8B": 8.19, "Qwen3-0.6B": 0.596}
    shape = shapes.PUBLIC[name]
    for part, config in {name: shape.target, **shape.drafts}.items():
        if part in billions:
            assert parameters(config) / 1e9 == pytest.approx(billions[part], abs=0.006)
    four = shape.drafts["4 layers"]
    assert (four.num_hidden_layers, four.hidden_size, four.vocab_size) == (4, 1024, shape.target.vocab_size)
