"""Every family of models: with speculative decoding the text is what generate() writes, and a run at T = 1 is redone by the auditor.

python -m tests.engine.test_families                    # writes docs/families.md
"""

from functools import cache
from pathlib import Path

import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine.backends.hub import HubModel
from specviz.engine.decode import decode
from specviz.engine.draft.choose import Setup
from specviz.engine.draft.model import SmallModel
from specviz.engine.model import ModelError
from specviz.engine.models.load import load_folder
from specviz.engine.models.pair import load_pair
from specviz.engine.race import race
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import load_checkpoint
from specviz.trace.events import Round

from .. import tiny
from ..fakes import FakeText
from ..families import FAMILIES, LENGTH, NOTES, ONE, SIZES, WINDOW
from ..products import some
from ..tiny import some_ids

DOCUMENT = Path(__file__).parents[2] / "docs" / "families.md"
USUAL = ("gemma3", "mistral, window", "llama4", "qwen3-next", "lfm2", "phi3, longrope")  # one of each kind; all of them at night
RIGHT = [name for name, family in FAMILIES.items() if not family.refused]
EACH = pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in USUAL else [pytest.mark.full]) for name in RIGHT])
NEW = LENGTH - 20  # past each window, its block, and what longrope changes at
TEXT = FakeText([chr(0x4E00 + i) for i in range(SIZES["vocab_size"])])


@cache
def generated(name) -> tuple[list[int], list[int], object]:
    """The prompt, what generate() writes after it, and the model."""
    model, prompt = FAMILIES[name].make(), some_ids(10, seed=5)
    options = {"max_new_tokens": NEW, "do_sample": False, "eos_token_id": None, "forced_eos_token_id": None, "pad_token_id": 0}
    with torch.inference_mode():
        ids = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, 10, dtype=torch.long), **options)
    return prompt, ids[0].tolist()[10:], model


@pytest.mark.slow
@EACH
def test_a_greedy_text_is_what_generate_writes_past_every_window_and_rejections_are_rolled_back(name):
    prompt, theirs, model = generated(name)
    target, draft = HubModel(model, name), HubModel(FAMILIES[name].make(noise=0.05), f"{name}, noisy")
    config = DecodeConfig(K=4, temperature=0, max_new_tokens=NEW, ignore_eos=True)
    rounds = [e for e in decode(target, SmallModel(draft), prompt, config, TEXT) if isinstance(e, Round)]
    ours = [each.token.id for r in rounds for each in r.emitted]
    assert len(set(ours)) > 5, "a text of a few tokens shows little"
    verdicts = {d.verdict for r in rounds for d in r.drafted}
    assert {"accepted", "rejected"} <= verdicts
    assert ours == theirs[: len(ours)] and len(ours) == min(NEW, target.context - len(prompt))
    states = target.info.state_layers
    assert (states > 0, target.info.window) == (
        FAMILIES[name].holds == "state",
        WINDOW if FAMILIES[name].holds == "window" else None,
    )
    again = sum(r.target_cache.replayed for r in rounds)
    assert (again > 0) == (states > 0 and not target.one_by_one) and target.one_by_one == (NOTES.get(name) == ONE)
    assert (sum(r.times.replay for r in rounds) > 0) == (states > 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(RIGHT, "gemma3", "lfm2", "qwen3-next"))
def test_a_run_at_temperature_1_is_redone_by_the_auditor_and_nothing_is_wrong(tmp_path, name):
    family, tokenizer = FAMILIES[name], tiny.byte_level()
    for folder, noise in ("target", 0.0), ("draft", 0.05):
        tiny.save(tmp_path / folder, family.make(noise=noise, vocab_size=len(tokenizer)), tokenizer)
    pair = load_pair(str(tmp_path / "target"), str(tmp_path / "draft"))
    setup = Setup(pair.target, SmallModel(pair.draft), pair.text)
    *_, trace = race(setup, "Once upon a time", K=3, max_new_tokens=70, ignore_eos=True, seed=3)
    load_checkpoint.cache_clear()
    ledger = audit(trace, str(tmp_path / "target"), str(tmp_path / "draft"))
    assert ledger.wrong == []
    assert ledger.checked["verdict"] > 30 and ledger.checked["target cache"]


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.refused])
def test_what_is_refused_has_its_reason_and_no_traceback(tmp_path, name):
    folder = tiny.save(tmp_path / "m", FAMILIES[name].make())
    with pytest.raises(ModelError, match=f"^m .*{FAMILIES[name].refused}"):
        load_folder(folder, "m")


def cache_table() -> str:
    """The table of the document."""
    how = {
        "": "cut",
        "window": "a window keeps its positions and a block; cut",
        "state": "state, copied before a block; kept tokens are fed again",
    }
    rows = [
        f"| {name} | {'refused' if family.refused else 'right'} | {NOTES.get(name) or how[family.holds]} |"
        for name, family in FAMILIES.items()
    ]
    return "\n".join(["| family | | its cache, or why |", "|---|---|---|", *rows]) + "\n"


def test_the_document_holds_this_table():
    assert cache_table() in DOCUMENT.read_text("utf-8"), "run: python -m tests.engine.test_families"


if __name__ == "__main__":
    text = DOCUMENT.read_text("utf-8")
    head, _, _ = text.partition("| family |")
    DOCUMENT.write_text(head + cache_table(), "utf-8")
