"""Whole rounds of every drafter, rule and filter over tensors that claim to be on a GPU (fake_device.py): nothing mixes devices, and the
host waits for a value once a round and where that is meant."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.backends.hub import HubModel
from specviz.engine.backends.pytorch.backend import CachePool
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.draft.tables import Bigram
from specviz.engine.models.llama import Llama
from specviz.trace.events import Finished, Round

from .. import tiny, tiny_heads
from ..fake_device import CUDA, pretended
from ..fakes import FakeText
from ..products import later

VOCABULARY, TEXT = 97, FakeText([chr(0x100 + i) for i in range(97)])
PROMPT = [3, 4, 1, 1, 5, 3, 4, 1]  # what a transfer gives is 1, and a lookup finds it
MODEL = tiny_heads.model("llama", 0)
CONFIG, WEIGHTS = MODEL.config, tiny.weights(MODEL)


def there(weights) -> dict[str, torch.Tensor]:
    """Of these shapes; what maps a head's vocabulary holds values that are looked at when it is loaded, on the host."""
    id_maps = {key: torch.zeros(x.shape, dtype=x.dtype) for key, x in weights.items() if key in ("d2t", "t2d")}
    return {key: torch.empty(x.shape, device="cuda") for key, x in weights.items()} | id_maps


def model() -> Llama:
    own = Llama(CONFIG, there(WEIGHTS), "tiny", CUDA)
    own.backend.pool = CachePool(lambda function, inputs: function)
    return own


def table(target):
    return Bigram(*(np.zeros((VOCABULARY, 5), kind) for kind in (np.int64, np.float32)))


DRAFTERS = tiny_heads.drafters(MODEL, there) | {"small": lambda target: SmallModel(model()), "bigram": table}
RULES = {
    "greedy": {"temperature": 0, "max_new_tokens": 6},  # where all of a block is kept
    "rejection": {},
    "filters": {"temperature": 0.8, "top_k": 40, "top_p": 0.9},
    "match": {"verifier": "match", "top_p": 0.9},
    "block": {"verifier": "block"},
    "typical": {"verifier": "typical"},
    "argmax": {"drafting": "argmax", "verifier": "threshold"},
}


def run(patch, name, observe=True, prompt=PROMPT, **how):
    """The looks of each round, what was given to the device, and the last event."""
    config = DecodeConfig(**({"K": 0 if name == "none" else 3, "max_new_tokens": 4, "ignore_eos": True} | how))
    with pretended(patch) as device:
        target = model()
        drafter, looks = DRAFTERS[name](target), []
        device.looks.clear()
        for event in decode(target, drafter, list(prompt), config, TEXT, observe=observe):
            if isinstance(event, Round):
                looks.append(Counter(device.looks))
            device.looks.clear()
    return looks, device.operations, event


# what decides does not depend on who drafted, nor does what drafts on the rule, but for greedy, sampled and argmax drafts
EVERY = [(name, "greedy") for name in DRAFTERS if name != "oracle"] + [("small", rule) for rule in RULES if rule != "greedy"]
EVERY += [("block", "argmax"), ("random", "filters"), ("bigram", "filters")]
MORE = [
    (name, rule)
    for name in DRAFTERS
    for rule in ("filters", "argmax")
    if name not in ("none", "oracle") and (name, rule) not in EVERY
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule"), [*EVERY, *later(MORE)])
def test_a_round_stays_on_its_device_and_waits_once(monkeypatch, name, rule):
    looks, _, end = run(monkeypatch, name, **RULES[rule])
    assert len(looks) > 1
    waits = name == "bigram" or (name == "random" and rule != "greedy")  # for each token that they draw
    for look in looks:
        assert look.pop("tolist") == 1
        assert {kind for kind, times in look.items() if times} <= ({"__int__"} if waits else set())
    assert isinstance(end, Finished) and end.eager == ("every drafted token is waited for" if waits else "")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule"), [("none", "greedy"), ("small", "block"), ("eagle", "filters")])
def test_where_nobody_looks_it_waits_once_too(monkeypatch, name, rule):
    looks, _, _ = run(monkeypatch, name, observe=False, **RULES[rule])
    assert all(look == {"tolist": 1} for look in looks) and len(looks) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"), [*product(("small", "mtp"), [{"confidence": 0.4}]), *product(("early exit", "eagle"), [{"survival": 0.2}])]
)
def test_a_block_that_may_end_early_waits_for_each_token_and_the_run_says_so(monkeypatch, name, how):
    looks, _, end = run(monkeypatch, name, **how)
    assert all(look["__int__"] and look["__float__"] for look in looks[:-1]), "in the last there is room for no draft"
    assert end.eager == "since a block may end early, every drafted token is waited for"


@pytest.mark.slow
def test_a_prompt_of_one_token_and_one_that_is_prefilled_in_blocks_stay_there_too(monkeypatch):
    for name, prompt in (("small", [3]), ("mtp", [3]), ("eagle", [3, 1] * 300)):
        looks, _, _ = run(monkeypatch, name, prompt=prompt)
        assert looks[-1] == {"tolist": 1}


def test_nothing_is_sorted_unless_a_filter_asks_and_then_one_row_at_a_time(monkeypatch):
    (_, plain, _), (_, filtered, _) = (run(monkeypatch, "small", max_new_tokens=1, K=1, **how) for how in ({}, {"top_p": 0.9}))
    assert plain["aten::sort"] == 0 < filtered["aten::sort"]
    (_, longer, _) = run(monkeypatch, "small", max_new_tokens=2, K=1, top_p=0.9)
    assert longer["aten::sort"] > 2 * filtered["aten::sort"]  # a row of the draft, then two of the target, each by itself


def test_a_model_that_transformers_runs_stays_there_and_the_run_says_that_it_is_slow(monkeypatch):
    # what it asks of a family it asks by numbers, and a device that is pretended has none
    monkeypatch.setattr(HubModel, "_check", lambda self, name: setattr(self, "one_by_one", False))
    with pretended(monkeypatch):
        with torch.device("cuda"):
            gpt2 = AutoModelForCausalLM.from_config(tiny.config("gpt2"), attn_implementation="eager")
        config, target = DecodeConfig(K=0, max_new_tokens=4), HubModel(gpt2, "gpt2", why="model type gpt2")
        *_, end = decode(target, None, [3, 4], config, TEXT, observe=False)
    assert end.eager == "transformers passes through it, kernel by kernel"
    assert machine.device().type == "cpu"  # where nothing is pretended
