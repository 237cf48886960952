"""The bundled mixture of experts: how it is made of a dense model, what it writes, and which experts its passes read."""

import json

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from scripts import picture_data, train_experts
from scripts.train_experts import clusters, to_mixture
from scripts.train_target import fresh, shape
from specviz.page.keep import recorded
from specviz.page.learn.chapters.busy import experts as shown

RECORDED = json.loads(picture_data.EXPERTS.read_text("utf-8"))


def dense(inner: int) -> LlamaForCausalLM:
    model = fresh(shape(2, 32, 2, 61, inner)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn(weight.shape))
    return model


# How it is made.


def test_clusters_are_of_one_size_and_every_row_is_in_one():
    rows = torch.nn.functional.normalize(torch.randn(48, 8), dim=-1)
    members, centres = clusters(rows, 6)
    assert members.shape == (6, 8) and sorted(members.flatten().tolist()) == list(range(48))
    assert centres.norm(dim=-1) == pytest.approx(torch.ones(6))


def test_a_mixture_that_uses_all_experts_equally_is_the_dense_model_that_it_was_made_of(monkeypatch):
    monkeypatch.setattr(train_experts, "EXPERTS_PER_TOKEN", train_experts.EXPERTS)
    model, ids = dense(train_experts.SHARED + train_experts.WHOLE * train_experts.EXPERTS), torch.randint(0, 61, (2, 20))
    mixture = to_mixture(model, ids).eval()
    with torch.no_grad():
        for layer in mixture.model.layers:
            layer.mlp.gate.weight.zero_()
        assert (mixture(ids).logits - model(ids).logits).abs().max() < 1e-4


def test_neurons_that_fill_no_expert_are_the_least_active_ones():
    model, ids = dense(train_experts.SHARED + train_experts.WHOLE * train_experts.EXPERTS + 5), torch.randint(0, 61, (2, 20))
    with torch.no_grad():
        for layer in model.model.layers:
            layer.mlp.down_proj.weight[:, :5] = 0.0
    weights = [layer.mlp.experts.gate_up_proj.flatten(0, 1) for layer in to_mixture(model, ids).model.layers]
    for layer, rows in zip(model.model.layers, weights, strict=True):
        there = (layer.mlp.gate_proj.weight[:, None] == rows).all(-1).any(1)
        assert there.tolist() == [False] * 5 + [True] * (len(there) - 5)


# What its passes read.


def test_a_union_is_every_expert_that_any_token_of_a_block_uses():
    experts_of_tokens = np.random.default_rng(0).permuted(np.tile(np.arange(6), (2, 9, 1)), axis=-1)[..., :2]
    union = picture_data.unions(picture_data.uses_of(experts_of_tokens, 6), 3)
    assert union.tolist() == [[len(set(layer[i : i + 3].flatten())) for i in range(7)] for layer in experts_of_tokens]


def test_the_chapter_shows_the_formula_and_the_bytes_of_what_was_counted():
    blocks, recorded = shown()["blocks"], RECORDED["blocks"]
    assert [block["union"] for block in blocks] == [block["union"] for block in recorded]
    assert [block["formula"] for block in blocks[:3]] == pytest.approx([4, 7, 9.25])
    experts_read = 4 * RECORDED["bytes"]["expert"]
    assert blocks[1]["v"] == pytest.approx(
        1 + experts_read * (blocks[1]["union"] - 4) / (RECORDED["bytes"]["rest"] + 4 * experts_read)
    )


def test_neighbours_share_more_experts_than_tokens_of_random_places_and_those_more_than_the_formula():
    for block in shown()["blocks"][1:]:
        assert 4 < block["low"] <= block["union"] <= block["high"] < 16
        assert block["union"] < block["apart"] < block["formula"]


def test_the_block_that_is_shown_is_a_pass_of_the_recorded_run():
    block = RECORDED["block"]
    drafted = recorded.load("experts").speculative[1 + block["round"]].drafted
    assert block["tokens"][1:] == [each.token.text for each in drafted]
    assert np.shape(block["chosen"]) == (4, len(block["tokens"]), 4)
    assert all(len(set(experts_of_token)) == 4 for layer in block["chosen"] for experts_of_token in layer)


def test_without_the_counts_the_chapter_has_no_such_picture(tmp_path):
    assert shown(tmp_path / "none.json") is None


@pytest.mark.full
def test_the_router_chooses_what_was_counted():
    model = picture_data.load_mixture()
    counts, block = picture_data.expert_counts(model), picture_data.expert_block(model)
    assert {**counts, "bytes": picture_data.bytes_of(model), "block": block}.items() <= RECORDED.items()
