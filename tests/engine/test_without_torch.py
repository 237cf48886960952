"""The bundled family runs on a CPU without PyTorch and transformers: neither is imported, and their numbers are the same."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoTokenizer
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper
from transformers.utils.chat_template_utils import render_jinja_template

from specviz.engine.model import Shape, rope_parameters
from specviz.engine.models.checkpoint import own_config
from specviz.engine.models.llama import why_not_ours
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import SAMPLE
from specviz.engine.sampling import Filters, filtered_scores, is_finite, stored_array, to_float32, to_type, twister_words
from specviz.engine.template import render
from specviz.engine.tensors import probabilities
from specviz.engine.text import own_tokenizer
from specviz.local import HYBRID, MIXTURE

MODELS = sorted(path.parent for path in BUNDLED.glob("fable*/tokenizer.json"))
CONFIGS = sorted(path.parent for path in BUNDLED.glob("*/config.json") if path.parent.name not in (HYBRID, MIXTURE))
RUNS = """
import sys
from specviz import race, set_up
sys.modules["specviz.engine.race"].WARM_UP_SECONDS = sys.modules["specviz.engine.race"].REPEAT_SECONDS = 0.0
for drafts, settings in (
    (("fable-small", "lookup", "bigram", "random", "early-exit", "oracle"), {"K": 3}),
    (("mtp", "eagle", "block"), {"K": 4, "temperature": 0}),
    (("fable-small",), {"K": 3, "top_k": 9, "top_p": 0.9, "verifier": "typical"}),
    (("fable-small", "eagle", "mtp", "lookup"), {"K": 3, "tree": "static"}),
    (("fable-small",), {"K": 3, "tree": "dynamic", "drafting": "argmax"}),
):
    for draft in drafts:
        *_, trace = race(set_up("fable", draft), "Once upon a time", max_new_tokens=6, ignore_eos=True, **settings)
        assert trace.speculative[-1].tokens == 6
        assert not {"torch", "transformers"} & set(sys.modules), (draft, settings)
"""


def test_a_run_of_the_bundled_family_imports_neither_torch_nor_transformers():
    run = subprocess.run([sys.executable, "-c", RUNS], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("top_k", [0, 1, 7, 300])
@pytest.mark.parametrize("top_p", [0.05, 0.6, 0.95, 1.0])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 1.7])
def test_filters_leave_what_those_of_transformers_leave(top_k, top_p, temperature):
    logits = 3 * torch.randn(6, 257, generator=torch.Generator().manual_seed(top_k))
    logits[2, 40:] = float("-inf")
    expected = TemperatureLogitsWarper(temperature)(None, logits) if temperature != 1 else logits
    expected = TopKLogitsWarper(top_k)(None, expected) if top_k else expected
    expected = TopPLogitsWarper(top_p)(None, expected) if top_p < 1 else expected
    assert np.array_equal(filtered_scores(logits.numpy() / np.float32(temperature), Filters(top_k, top_p)), expected.numpy())
    on_device = probabilities(logits, temperature, Filters(top_k, top_p))
    assert torch.equal(on_device > 0, expected > -torch.inf) and torch.allclose(on_device, expected.softmax(-1), atol=1e-6)


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1])
def test_a_random_draft_picks_what_a_generator_of_pytorch_picked(seed):
    picked = torch.randint(4096, (9,), generator=torch.Generator().manual_seed(seed))
    assert (twister_words(seed)(9) % 4096).tolist() == picked.tolist()


@pytest.mark.parametrize("folder", CONFIGS, ids=lambda path: path.name)
def test_a_config_says_what_transformers_reads_of_it(folder):
    config = json.loads((folder / "config.json").read_text("utf-8"))
    ours, theirs = own_config(config), AutoConfig.from_pretrained(folder)
    assert ours is not None
    for reads in (why_not_ours, Shape.of, rope_parameters):
        assert reads(ours) == reads(theirs)
    for field in config.keys() - {"architectures", "transformers_version", "dtype", "torch_dtype"}:
        assert getattr(ours, field) == getattr(theirs, field), field
    assert ours.is_encoder_decoder == theirs.is_encoder_decoder and str(ours.dtype) == str(theirs.dtype).removeprefix("torch.")


WHOLE = json.loads((BUNDLED / "fable" / "config.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "change",
    [{field: None} for field in ("hidden_size", "vocab_size", "rope_parameters", "tie_word_embeddings", "hidden_act")]
    + [
        {"hidden_size": "256"},
        {"num_hidden_layers": True},
        {"rms_norm_eps": -1.0},
        {"head_dim": -64},
        {"model_type": "gpt2"},
        {"rope_parameters": {"rope_type": "llama3", "rope_theta": 1e4}},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 0}},
        {"quantization_config": {}},
        {"get_text_config": 1},
    ],
    ids=str,
)
def test_a_config_that_leaves_something_open_is_left_to_transformers(change):
    assert own_config(WHOLE | change) is None
    if change.keys() <= WHOLE.keys() - {"head_dim"}:
        assert own_config({key: value for key, value in WHOLE.items() if key not in change}) is None


@pytest.mark.parametrize("folder", MODELS, ids=lambda path: path.name)
def test_a_tokenizer_gives_what_that_of_transformers_gives(folder):
    ours, theirs = own_tokenizer(folder), AutoTokenizer.from_pretrained(folder)
    assert ours is not None
    for special in (True, False):
        one, other = (t.backend_tokenizer.encode(SAMPLE, add_special_tokens=special) for t in (ours, theirs))
        assert (one.ids, one.special_tokens_mask) == (other.ids, other.special_tokens_mask)
    for name in ("bos_token", "bos_token_id", "eos_token", "eos_token_id", "chat_template"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.backend_tokenizer.get_added_tokens_decoder().keys() == theirs.backend_tokenizer.get_added_tokens_decoder().keys()


TEMPLATES = [
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "{{- bos_token }}\n{%- set ns = namespace(n=0) %}\n{% for m in messages %}\n{% set ns.n = ns.n + 1 %}"
    "[{{ m | tojson }}] {{ ns.n }}{% break %}{% endfor %}{% generation %}é{{ tools is none }}{% endgeneration %}{{ strftime_now('%Y') }}",
    "{% if messages[0].role == 'system' %}{{ raise_exception('none') }}{% endif %}{{ messages[0].content | trim }} <b>",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_chat_template_renders_as_by_transformers(template):
    messages, special = [{"role": "user", "content": " Zoë's “tea” <3 "}], {"bos_token": "<s>"}
    [[expected], _] = render_jinja_template([messages], chat_template=template, add_generation_prompt=True, **special)
    assert render(template, messages, special) == expected


@pytest.mark.parametrize(
    "template", ["{{ ''.__class__.__mro__ }}", "{{ messages.append(1) }}", "{{ cycler.__init__.__globals__ }}"]
)
def test_a_template_that_reaches_out_of_its_sandbox_is_refused(template):
    with pytest.raises(Exception, match=r"unsafe|not safely|undefined"):
        render(template, [{"role": "user", "content": "a"}], {})


def test_half_precision_is_rounded_and_widened_as_by_pytorch():
    numbers = torch.randn(4000, generator=torch.Generator().manual_seed(0)) * torch.logspace(-30, 30, 4000)
    half = numbers.bfloat16()
    assert np.array_equal(to_type(numbers.numpy(), "bfloat16"), stored_array(half))
    assert np.array_equal(to_float32(stored_array(half)), half.float().numpy())
    small = numbers[: len(numbers) // 2]
    assert np.array_equal(to_type(small.numpy(), "float16"), small.half().numpy())
    for odd in (float("nan"), float("inf"), -float("inf")):
        half[7] = odd
        assert not is_finite(stored_array(half)) and not is_finite(half.float().numpy())
    half[7] = 3e38
    assert is_finite(stored_array(half))
