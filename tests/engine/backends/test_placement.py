"""A target spread over several devices says where it lies and gives the logits that it gives on one; what cannot be spread is one line."""

from importlib.util import find_spec

import pytest
import torch
from transformers import AutoModelForCausalLM

from specviz.config import DecodeConfig
from specviz.engine.draft.choose import set_up
from specviz.engine.models import load as placement
from specviz.engine.models.load import load_folder
from specviz.engine.race import race

from ... import tiny
from ...tiny import CLOSE, hf, reference, some_ids

ACCELERATE = pytest.mark.skipif(
    not find_spec("accelerate"), reason="a device map is accelerate's: pip install -r requirements-accelerate.txt"
)
HALVES = {"model.layers.0": "cpu", "model.rotary_emb": "cpu"}
HALVES |= dict.fromkeys(("model.embed_tokens", "model.layers.1", "model.norm", "lm_head"), "disk")


@pytest.fixture
def there(monkeypatch):
    """As where accelerate is installed."""
    monkeypatch.setattr(placement, "find_spec", lambda name: name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny Llama with a tokenizer, which our own forward pass would run."""
    tokenizer = tiny.byte_level()
    model = tiny.make(tiny.config("llama", vocab_size=len(tokenizer)))
    return tiny.save(tmp_path_factory.mktemp("spread") / "target", model, tokenizer)


def test_the_device_map_is_handed_on_and_the_model_says_where_its_weights_lie(there, folder, monkeypatch):
    device_maps = []
    load = AutoModelForCausalLM.from_pretrained

    def from_pretrained(path, device_map, **how):
        device_maps.append(device_map)
        model, info = load(path, **how)
        model.hf_device_map = {"": 0, "model.layers.1": "cpu"}
        return model, info

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", from_pretrained)
    model = load_folder(folder, "m", placement="sequential")
    assert device_maps == ["sequential"]
    assert model.info.forward == "transformers" and model.info.weights[0].name == "model.safetensors"
    rest, second = model.info.why.removeprefix("weights on ").split(", ")
    assert rest.startswith("cpu (") and second.startswith("cuda:0 (") and rest.endswith(" %)")
    shares = [int(part.split("(")[1].split(" ")[0]) for part in (rest, second)]
    assert 0 < shares[0] < shares[1] and 99 <= sum(shares) <= 101
    assert model.sequence(8).slow_reason == f"{model.info.why}; transformers passes through them, kernel by kernel"


@ACCELERATE
@pytest.mark.parametrize("name", ["llama", "llama, tied head"])
def test_half_of_it_on_a_disk_it_gives_the_logits_of_the_whole_also_after_a_rollback(tmp_path, name):
    source, ids = hf(name), some_ids(20)
    model = load_folder(tiny.save(tmp_path / "m", source), "m", placement=HALVES)
    whole = load_folder(tmp_path / "m", "m")
    assert whole.info.forward == "own" and model.info.forward == "transformers"
    assert model.info.parameters == whole.info.parameters
    assert "cpu (" in model.info.why and "disk (" in model.info.why
    sequence, expected = model.sequence(32), reference(source, ids)
    assert (sequence.append(ids[:12]) - expected[:12]).abs().max() <= CLOSE
    sequence.append(some_ids(5, seed=1))
    sequence.rollback(12)
    assert (sequence.append(ids[12:]) - expected[12:]).abs().max() <= CLOSE
    assert sequence.length == 20


@ACCELERATE
def test_a_race_of_a_target_that_is_spread_writes_what_our_own_pass_writes(folder):
    def tokens(**how):
        config = DecodeConfig(K=3, max_new_tokens=20, temperature=0, ignore_eos=True)
        *_, trace = race(set_up(str(folder), "lookup", **how), "the cat ate the hat and the cat", config)
        lanes = ([e.token.id for event in lane[1:-1] for e in event.emitted] for lane in (trace.vanilla, trace.speculative))
        return trace.header.target, trace.speculative[-1].processor_ms, *lanes

    info, rests, *spread_lanes = tokens(placement=HALVES)
    own, works, *lanes = tokens()
    assert spread_lanes == lanes and len(lanes[0]) == 20
    assert (own.forward, own.why.startswith("weights")) == ("own", False)
    assert info.why.startswith("weights on cpu (")
    assert works and rests is None  # a thread that waits for the disk says nothing of how busy the machine is


@ACCELERATE
def test_what_fits_on_one_device_is_laid_there_and_says_so(folder):
    model = load_folder(folder, "m", placement="auto")
    assert (model.info.forward, model.info.why) == ("transformers", f"weights on {model.device} (100 %)")
    if not torch.cuda.is_available():
        assert model.device.type == "cpu"
