"""The bundled pair in fp32: greedy speculative decoding writes what the target writes alone, token for token, and what
transformers' own `generate` writes; by both forward passes. And the invariants that make it so."""

from functools import cache

import pytest
import torch

from scripts.prompts import HARD_TO_ENCODE
from specviz.config import DecodeConfig
from specviz.engine.backends.hub import HubModel
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import Pair, load_pair
from specviz.trace.events import Finished, Round

from .. import tiny
from ..fakes import tokens
from ..products import some

TARGET, DRAFT = "fable", "fable-small"
NEW = 40
LENGTHS = (3, 6, 10)  # ids of a prompt; few lengths, so that the oracle can run a batch without padding


@cache
def theirs(name: str):
    return tiny.loaded(BUNDLED / name)


@cache
def pair(forward: str) -> Pair:
    ours = load_pair(TARGET, DRAFT)
    if forward == "own":
        return ours
    return Pair(HubModel(theirs(TARGET), TARGET), HubModel(theirs(DRAFT), DRAFT), ours.text)


@cache
def prompts() -> list[list[int]]:
    encode = pair("own").text.encode
    ids_of_prompts = [encode(text)[: LENGTHS[i % 3]] for i, text in enumerate(HARD_TO_ENCODE)]
    assert [len(ids) for ids in ids_of_prompts] == [LENGTHS[i % 3] for i in range(len(ids_of_prompts))]
    return ids_of_prompts


@cache
def generated() -> dict[int, list[int]]:
    """What transformers' greedy `generate` writes after every prompt, up to the end-of-sequence id."""
    ids_by_prompt = {}
    for length in LENGTHS:
        which = [i for i, ids in enumerate(prompts()) if len(ids) == length]
        batch = torch.tensor([prompts()[i] for i in which])
        out = theirs(TARGET).generate(batch, attention_mask=torch.ones_like(batch), do_sample=False, max_new_tokens=NEW)
        for i, row in zip(which, out[:, length:].tolist(), strict=True):
            ids_by_prompt[i] = row[: row.index(0) + 1] if 0 in row else row
    return ids_by_prompt


def run(forward: str, prompt: list[int], draft: bool | None = True, **settings) -> list:
    models = pair(forward)
    config = DecodeConfig(**{"temperature": 0, "max_new_tokens": NEW, **settings})
    drafter = SmallModel(models.draft if draft else models.target) if config.K else None
    return list(decode(models.target, drafter, prompt, config, models.text))


# half of them, every length among these; all of them by `make test-all`
PROMPT = pytest.mark.parametrize("i", some(range(len(HARD_TO_ENCODE)), *range(0, len(HARD_TO_ENCODE), 2)))
BOTH = pytest.mark.parametrize("forward", ["own", "transformers"])


@PROMPT
def test_greedy_speculative_is_greedy_vanilla_is_generate_by_our_forward_pass(i):
    vanilla = tokens(run("own", prompts()[i], K=0))
    speculative = tokens(run("own", prompts()[i], K=1 + i % 6))
    assert speculative == vanilla == generated()[i]


@pytest.mark.slow
@PROMPT
def test_greedy_speculative_is_generate_by_the_forward_pass_of_transformers(i):
    assert tokens(run("transformers", prompts()[i], K=1 + (i + 3) % 6)) == generated()[i]


def test_a_draft_by_transformers_serves_a_target_by_ours():
    ours, hub = pair("own"), pair("transformers")
    config = DecodeConfig(K=4, temperature=0, max_new_tokens=NEW)
    for target, draft in ((ours.target, hub.draft), (hub.target, ours.draft)):
        assert tokens(decode(target, SmallModel(draft), prompts()[5], config, ours.text)) == generated()[5]


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    "how", [{"temperature": 0}, {"temperature": 1.0}, {"temperature": 0.8, "top_p": 0.9, "top_k": 50}], ids=str
)
def test_a_draft_that_is_the_target_has_everything_accepted(forward, how, K=4):
    """Also what fails if the draft's cache is not fed its last token after a fully accepted block."""
    _, *rounds, end = run(forward, prompts()[1], draft=False, K=K, ignore_eos=True, **how)
    assert all(len(event.emitted) == K + 1 for event in rounds) and isinstance(end, Finished)
    assert (end.tokens, end.rounds, end.accepted) == (NEW, NEW // (K + 1), end.drafted)


@BOTH
def test_the_same_seed_draws_the_same_tokens_and_another_seed_does_not(forward):
    first, again, other = (
        tokens(run(forward, prompts()[0], K=3, temperature=1.0, seed=seed, max_new_tokens=20, ignore_eos=True))
        for seed in (7, 7, 8)
    )
    assert first == again != other


def test_both_forward_passes_draw_the_same_tokens_from_the_same_seed():
    """In fp32 their p differ by some 1e-6, so a uniform all but never falls between."""
    ours, hub = (
        tokens(run(forward, prompts()[3], K=4, temperature=0.9, top_p=0.95, seed=3)) for forward in ("own", "transformers")
    )
    assert ours == hub


@BOTH
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_in_every_round_cached_logits_are_those_of_the_whole_text_at_once(forward, temperature):
    models = pair(forward)
    target, draft = tiny.Recorded(models.target), tiny.Recorded(models.draft)
    config = DecodeConfig(K=4, temperature=temperature, max_new_tokens=20, ignore_eos=True, seed=1)
    events = list(decode(target, SmallModel(draft), prompts()[2], config, models.text))
    rounds = [event for event in events if isinstance(event, Round)]
    assert any(event.drafted and event.drafted[-1].verdict != "accepted" for event in rounds)  # something was rolled back
    assert len(target.log) == 1 + len(rounds)
    for model, name in ((target, TARGET), (draft, DRAFT)):
        for text, logits, _ in model.log:
            expected = tiny.reference(theirs(name), text)[-len(logits) :]
            assert (logits - expected).abs().max() <= 2e-4
