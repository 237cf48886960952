"""A name becomes a model or one clear line: bundled models, folders, hub ids without a network, and every broken folder."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

from specviz.engine.draft.model import EarlyExit
from specviz.engine.model import ModelError
from specviz.engine.models import load
from specviz.engine.models.load import BUNDLED, bundled, load_folder, load_model, model_path
from specviz.engine.models.pair import load_tokenizer

from ... import tiny
from ...tiny import CLOSE, hf, reference, some_ids

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture
def folder(tmp_path) -> Path:
    """A whole model, as save_pretrained writes it."""
    return tiny.save(tmp_path / "m", hf("llama"), tiny.byte_level())


def assert_same_logits(model, source):
    ids = some_ids(12)
    assert (torch.as_tensor(model.sequence(16).append(ids)) - reference(source, ids)).abs().max() <= CLOSE


def refused(folder: Path) -> str:
    """The one line that says why the folder cannot be loaded."""
    message = tiny.refusal(load_folder, folder, "m")
    assert message.startswith("m")
    return message


def test_a_model_from_a_folder_is_called_what_the_folder_is_called_and_found_again_by_where_it_is(folder):
    model = load_model(str(folder))
    assert (model.info.name, model.source) == ("m", str(folder))
    assert load_model("fable-small").source == "fable-small"


def test_a_tied_head_that_is_stored_under_the_heads_name_only_runs_in_our_own_forward_pass(tmp_path):
    source = hf("llama, tied head")
    folder = tiny.save(tmp_path / "m", source, tiny.byte_level())
    tiny.edit_weights(
        folder, lambda weights: {key.replace("model.embed_tokens", "lm_head"): tensor for key, tensor in weights.items()}
    )
    model = load_model(str(folder))
    assert (model.info.forward, model.info.why) == ("own", "")
    assert_same_logits(model, source)


def test_a_model_that_our_own_forward_pass_does_not_run_says_why(tmp_path):
    folder = tiny.save(tmp_path / "m", hf("llama"), tiny.byte_level())
    tiny.edit_weights(folder, lambda weights: weights | {"model.extra.weight": torch.ones(3)})
    model = load_model(str(folder))
    assert model.info.forward == "transformers" and "model.extra.weight" in model.info.why
    with pytest.raises(ModelError, match=r"m does not: .*model\.extra\.weight"):
        EarlyExit(model, 1)
    other = load_model(str(tiny.edit_config(tiny.save(tmp_path / "other", hf("llama"), tiny.byte_level()), hidden_act="gelu")))
    assert other.info.why == "activation gelu"


def test_bundled_weights_are_bfloat16_safetensors_and_run_by_our_own_forward_pass_in_fp32_on_a_cpu():
    for name in bundled():
        for shard in (BUNDLED / name).glob("*.safetensors"):
            with safe_open(shard, "pt") as weights:
                assert {weights.get_slice(key).get_dtype() for key in weights.keys()} == {"BF16"}  # noqa: SIM118
    assert not [path for path in BUNDLED.rglob("*") if path.suffix in (".bin", ".pt", ".pth", ".pkl", ".py")]
    model = load_model("fable-small")
    assert (model.info.forward, model.info.dtype, model.info.name) == ("own", "bfloat16", "fable-small")
    theirs = tiny.loaded(BUNDLED / "fable-small")
    assert_same_logits(model, theirs)


def test_shards_are_put_together(tmp_path):
    folder = tiny.save(tmp_path / "m", hf("llama"), max_shard_size="20KB")
    assert len(list(folder.glob("*.safetensors"))) > 3
    model = load_folder(folder, "m")
    assert model.info.forward == "own"
    assert_same_logits(model, hf("llama"))


def test_a_checkpoint_in_bfloat16_runs_in_fp32_on_a_cpu_and_in_bfloat16_when_asked(tmp_path):
    exact = tiny.make(hf("llama").config, rounded=True)
    folder = tiny.save(tmp_path / "m", exact)
    tiny.edit_weights(folder, lambda weights: {key: value.bfloat16() for key, value in weights.items()})
    tiny.edit_config(folder, dtype="bfloat16")
    model = load_folder(folder, "m")
    assert model.info.dtype == "bfloat16"  # as stored; sums are in fp32
    assert model.sequence(4).append([1]).dtype == np.float32
    assert_same_logits(model, exact)
    assert load_folder(folder, "m", dtype=torch.bfloat16).info.dtype == "bfloat16"


@pytest.mark.parametrize("name", ["model_ema.safetensors", "optimizer.safetensors", "adapter_model.safetensors"])
def test_weights_that_lie_beside_the_models_own_are_not_mixed_in(folder, name):
    """transformers reads model.safetensors, or the shards that the index names, and nothing else in the folder."""
    (tiny.save(folder.parent / "other", tiny.make(hf("llama").config, seed=1)) / "model.safetensors").rename(folder / name)
    assert_same_logits(load_folder(folder, "m"), hf("llama"))


def test_a_folder_without_a_config_or_a_tokenizer_is_refused(tmp_path):
    with pytest.raises(ModelError, match=r"holds no config\.json: it is not a model as save_pretrained writes it"):
        model_path(str(tmp_path))
    folder = tiny.save(tmp_path / "m", hf("llama"))
    with pytest.raises(ModelError, match=r"^m has no tokenizer"):
        load_tokenizer(folder, "m")


def test_weights_that_could_run_code_are_never_unpickled(folder, tmp_path):
    flag = tmp_path / "ran"

    class Planted:
        def __reduce__(self):
            return (flag.write_text, ("code ran",))

    (folder / "model.safetensors").unlink()
    for name in ("pytorch_model.bin", "model.pt"):
        (folder / name).write_bytes(pickle.dumps(Planted()))
    assert "no .safetensors weights (other formats can execute code and are not read)" in refused(folder)
    tiny.save(folder, hf("llama, bias everywhere"))  # beside safetensors they are left alone, by transformers too
    load_folder(folder, "m")
    assert not flag.exists()


PLANTED = "import pathlib\npathlib.Path({flag!r}).write_text('code ran')\n"


@pytest.mark.parametrize("kind", ["llama", "unheard_of"])
def test_code_that_a_model_brings_is_never_run(folder, tmp_path, kind):
    flag = tmp_path / "ran"
    for file in ("configuration_own.py", "modeling_own.py", "tokenization_own.py"):
        (folder / file).write_text(PLANTED.format(flag=str(flag)))
    classes = {"AutoConfig": "configuration_own.Own", "AutoModelForCausalLM": "modeling_own.Own"}
    tiny.edit_config(folder, auto_map=classes, model_type=kind, architectures=["Own"])
    about = json.loads((folder / "tokenizer_config.json").read_text())
    about |= {"auto_map": {"AutoTokenizer": ["tokenization_own.Own", "tokenization_own.Own"]}, "tokenizer_class": "Own"}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    for action in (lambda: load_folder(folder, "m"), lambda: load_tokenizer(folder, "m")):
        try:
            action()
        except ModelError as error:
            assert "\n" not in str(error)
    assert not flag.exists()
    if kind == "llama":
        assert_same_logits(load_folder(folder, "m"), hf("llama"))
    else:
        refused(folder)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_truncated_weights_are_refused(folder, part):
    path = folder / "model.safetensors"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    assert "model.safetensors" in refused(folder)


def test_an_index_does_not_reach_out_of_its_folder(tmp_path):
    folder = tiny.save(tmp_path / "m", hf("llama"), max_shard_size="20KB")
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    shard = sorted(folder.glob("*.safetensors"))[0]
    shard.rename(tmp_path / shard.name)
    index["weight_map"] = {key: name.replace(shard.name, "../" + shard.name) for key, name in index["weight_map"].items()}
    path.write_text(json.dumps(index))
    refused(folder)


@pytest.mark.parametrize("text", ["{oops", "[]", ""])
def test_a_tokenizer_that_cannot_be_read_is_refused(folder, text):
    (folder / "tokenizer.json").write_text(text)
    assert tiny.refusal(load_tokenizer, folder, "m").startswith("m ")


LONG = "x" * 300  # longer than a name of a file may be
NAMES = ("", "fable-70m", "nothing like this", "a", "a/b/c", "a b/c", "/a", "a/", "a\0b", "https://huggingface.co/a/b", LONG)


@pytest.mark.parametrize("name", [*NAMES, "~nobody-of-this-name/models"])
def test_a_name_that_is_none_is_one_clear_line_and_never_asks_the_hub(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(load, "download", lambda name: pytest.fail(f"asked the hub for {name!r}"))
    tiny.refusal(model_path, name)


def test_a_hub_id_without_a_network_is_one_clear_line_and_quick(monkeypatch):
    def down(*_, **__):
        raise ConnectionError("Max retries exceeded\nwith a long story\nof many lines")

    monkeypatch.setattr("huggingface_hub.snapshot_download", down)
    reason = "no network, no such model, or one whose licence asks for a login (ConnectionError)"
    assert tiny.refusal(load_model, "owner/name") == f"owner/name could not be fetched from the hub: {reason}"


def test_only_weights_and_text_are_fetched_from_the_hub(monkeypatch, folder):
    arguments = {}

    def fetch(name, **how):
        arguments.update(how, name=name)
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    assert_same_logits(load_model("owner/name"), hf("llama"))
    assert arguments["name"] == "owner/name"
    assert all(not pattern.endswith(("py", "bin", "pt", "*")) for pattern in arguments["allow_patterns"])


def in_8_bits(folder: Path) -> Path:
    """A checkpoint whose projections are float8, one scale for each, as DeepSeek and Qwen publish them."""
    source = tiny.make(tiny.config("qwen3", hidden_size=128, intermediate_size=128, num_key_value_heads=4, head_dim=32))

    def rounded(weights):
        tensors = {}
        for key, weight in weights.items():
            scale = weight.abs().max() / 448
            tensors |= (
                {key: (weight / scale).to(torch.float8_e4m3fn), f"{key}_scale_inv": scale.reshape(1, 1)}
                if "proj" in key
                else {key: weight.bfloat16()}
            )
        return tensors

    how = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
    return tiny.edit_config(tiny.edit_weights(tiny.save(folder, source), rounded), dtype="bfloat16", quantization_config=how)


def test_weights_of_8_bits_run_in_bfloat16_on_a_cpu_and_in_float32_as_transformers_runs_them_or_not_at_all(tmp_path):
    folder, ids = in_8_bits(tmp_path / "m"), tiny.some_ids(12)
    model = load_folder(folder, "m")
    assert model.info.dtype == "bfloat16" and "quantised weights" in model.info.why
    exact = tiny.reference(tiny.loaded(folder, torch.bfloat16), ids).float()
    assert (model.sequence(16).append(ids).float() - exact).abs().max() < 0.1 * exact.abs().max()
    try:
        model = load_folder(folder, "m", dtype=torch.float32)
    except ModelError as error:  # before transformers 5.24
        assert str(error).startswith("m cannot make a pass: ")
    else:
        assert (model.sequence(16).append(ids) - reference(tiny.loaded(folder), ids)).abs().max() <= CLOSE
