"""The bundled hybrid, the first of whose two layers keeps a state: its greedy text is generate()'s at every K, though a state cannot be cut."""

from functools import cache

import pytest
import torch

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.small import SmallModel
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import Pair, load_pair
from specviz.local import HYBRID
from specviz.trace.events import Round

from ..fakes import tokens
from ..products import some
from ..tiny import loaded

NEW = 64
PROMPT = "Once upon a time, there was a little dog named"


@cache
def pair() -> Pair:
    return load_pair(HYBRID, "fable-small")


@cache
def generated() -> list[int]:
    """What transformers' greedy `generate` writes."""
    prompt = pair().text.encode(PROMPT)
    ids = torch.tensor([prompt])
    out = loaded(BUNDLED / HYBRID).generate(
        ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=NEW, eos_token_id=None
    )
    return out[0].tolist()[len(prompt) :]


@pytest.mark.parametrize("K", some(range(1, 9), 4))
def test_a_greedy_text_of_the_hybrid_is_what_generate_writes(K):
    models, config = pair(), DecodeConfig(K=K, temperature=0, max_new_tokens=NEW, ignore_eos=True)
    events = list(decode(models.target, SmallModel(models.draft), models.text.encode(PROMPT), config, models.text))
    assert tokens(events) == generated()
    caches = [event.target_cache for event in events if isinstance(event, Round)]
    assert any(cache.replayed for cache in caches)
    assert all(cache.replayed == (cache.after - cache.before if cache.after < cache.peak else 0) for cache in caches)
