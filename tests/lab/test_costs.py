"""A pass over many texts at once is each text's own, and a cost curve says what was timed and where."""

import json

import pytest
import torch

from scripts.gpu import shapes
from specviz.lab import costs

from ..tiny_shapes import built


@torch.inference_mode()
@pytest.mark.parametrize("name", shapes.TINY)
def test_a_pass_over_a_batch_is_the_engines_at_one_text_and_each_texts_own_at_several(name):
    target, _ = built(name)
    texts = torch.randint(target.vocabulary, (3, 30), generator=torch.Generator().manual_seed(1))
    for rows in (texts[:1], texts):
        batch = costs.Batch(target, len(rows), 40)
        batch.fill(rows[:, :20])
        for n in (1, 4, 10):  # nothing is kept, so each finds the same
            logits = batch.forward(rows[:, 20 : 20 + n])
            for row, found in zip(rows.tolist(), logits, strict=True):
                sequence = target.sequence(40)
                sequence.append(row[:20], keep=1)
                assert torch.allclose(*map(torch.as_tensor, (found, sequence.append(row[20 : 20 + n]))), atol=1e-3, rtol=1e-4)


def test_a_cost_curve_names_what_was_timed_and_where(tmp_path):
    target, _ = built()
    curve = costs.curve(target, 10, batches=(1, 3), blocks=(1, 2, 5), repeats=1)
    path = costs.save([curve], tmp_path / "new", "some-gpu")
    said = json.loads(path.read_text())
    assert path.name == "some-gpu.json" and said["device"] and said["unit"] == "ms"
    assert said["curves"][0]["batches"] == [1, 3] and said["curves"][0]["blocks"] == [1, 2, 5]
    assert [len(row) for row in said["curves"][0]["ms"]] == [3, 3] and min(map(min, said["curves"][0]["ms"])) > 0
