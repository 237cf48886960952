"""What cannot be watched in a vLLM, or would go wrong there without a word, is refused in one line or mended."""

import json
import sys

import pytest
import torch
from safetensors.torch import save

from specviz.drafters import DRAFTERS
from specviz.vllm.process import SERVE

sys.path.append(str(SERVE.parent))  # as in vLLM's environment, where specviz is not
import specviz_mend as mend


def test_every_way_to_draft_that_is_watched_has_words_of_ours():
    assert sorted(mend.METHODS) == sorted(method for one in DRAFTERS.values() for method in one.vllm)


def test_another_version_is_refused_and_the_one_to_install_is_named():
    mend.check_version("0.32.1")
    mend.check_version("0.33.0")  # read, not run: each name that is watched is there, with its arguments
    for version in ("0.31.0", "0.34.0", "1.0.0", "0.3.2", "0.320.0"):
        with pytest.raises(mend.VllmError, match=rf"vLLM {version} was not tried.*install vllm==0\.32\.0"):
            mend.check_version(version)


def test_the_second_model_runner_is_refused_and_the_variable_is_named():
    mend.check_environment({"VLLM_USE_V2_MODEL_RUNNER": "0"})
    with pytest.raises(mend.VllmError, match="VLLM_USE_V2_MODEL_RUNNER, or set it to 0"):
        mend.check_environment({"VLLM_USE_V2_MODEL_RUNNER": "1"})


def test_a_runner_without_a_name_that_is_watched_is_told_by_that_name():
    class Second:
        execute_model = propose_draft_token_ids = None

    assert mend.missing_in(Second()) == "_sample"


@pytest.mark.parametrize("way", ["block", "synthetic", "fly"])
def test_a_verifier_that_is_ignored_or_not_recorded_is_refused(tmp_path, way):
    request = {"method": "ngram", "K": 3, "speculative": {"rejection_sample_method": way}}
    with pytest.raises(mend.VllmError, match=f"rejection_sample_method '{way}' is not the rule that is recorded"):
        mend.speculative(request, tmp_path)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"method": "medusa", "K": 3}, "'medusa' is not a drafting method that specviz records"),
        ({"method": "draft_model", "K": 3}, "draft_model needs a draft"),
    ],
)
def test_what_cannot_draft_is_refused_and_says_what_to_do(tmp_path, options, reason):
    with pytest.raises(mend.VllmError, match=reason):
        mend.speculative(options, tmp_path)


def test_options_say_how_to_draft(tmp_path):
    assert mend.speculative({"method": "ngram", "K": 0}, tmp_path) is None
    assert mend.speculative({"method": "ngram", "K": 3}, tmp_path)["prompt_lookup_max"] == 4
    small = {"method": "draft_model", "draft": "owner/small", "K": 3}
    assert mend.speculative(small, tmp_path)["draft_sample_method"] == "probabilistic"
    assert mend.speculative(small | {"drafting": "argmax"}, tmp_path)["draft_sample_method"] == "greedy"


@pytest.mark.parametrize(("stated", "real"), [(1, 1), (12, 1), (12, 4), (4, 4)])
def test_a_head_is_read_with_the_layers_that_its_weights_have_and_its_folder_stays_as_it_was(tmp_path, stated, real):
    head, copies = tmp_path / "head", tmp_path / "copies"
    head.mkdir(), copies.mkdir()
    (head / "config.json").write_text(json.dumps({"num_hidden_layers": stated, "hidden_size": 8}))
    layers = {f"layers.{i}.input_layernorm.weight": torch.ones(2) for i in range(1, real)}
    weights = save({"midlayer.input_layernorm.weight": torch.ones(2)} | layers)
    (head / "model.safetensors").write_bytes(weights)
    config = mend.speculative({"method": "eagle3", "draft": str(head), "K": 3}, copies)
    read = json.loads((mend.Path(config["model"]) / "config.json").read_text())
    assert read == {"num_hidden_layers": real, "hidden_size": 8}
    assert (mend.Path(config["model"]) / "model.safetensors").read_bytes() == weights
    assert (config["model"] == str(head)) == (stated == real)
    assert json.loads((head / "config.json").read_text())["num_hidden_layers"] == stated


def test_what_a_request_asks_for_reaches_each_of_its_drafted_tokens():
    temperatures, ends = torch.tensor([0.8, 0.0, 0.5]), torch.tensor([2, 3, 6])
    assert mend.repeat_for_tokens(temperatures, ends, 6, replace_from=0, replace_to=1).tolist() == pytest.approx(
        [0.8, 0.8, 1, 0.5, 0.5, 0.5]
    )
    top_k = mend.repeat_for_tokens(torch.tensor([5, 7, 9], dtype=torch.int32), ends, 6)
    assert top_k.tolist() == [5, 5, 7, 9, 9, 9] and top_k.dtype == torch.int32
