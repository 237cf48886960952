"""transformers as the peer that our times are held against, set so that it does the same work."""

import time
from typing import NamedTuple

import torch

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.models.load import find


class Whole(NamedTuple):
    """A call of transformers: ms and tokens; it says no more."""

    wall: float
    tokens: int


class Peer:
    """transformers on the weights of a bundled pair."""

    def __init__(self, target: str, draft: str):
        from transformers import AutoModelForCausalLM, logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        dtype = torch.float32 if machine.device().type == "cpu" else "auto"
        load = AutoModelForCausalLM.from_pretrained
        self.target, self.draft = (load(find(n), dtype=dtype).eval().to(machine.device()) for n in (target, draft))
        for model in (self.target, self.draft):
            model.generation_config.eos_token_id = None  # the same length for everyone

    def __call__(self, ids, config: DecodeConfig) -> Whole:
        how = {"do_sample": False} if config.greedy else {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0}
        if config.K:
            how |= assist(self.draft, config.K)
        torch.manual_seed(config.seed)
        prompt = torch.tensor([ids], device=self.target.device)
        start = time.perf_counter()
        out = self.target.generate(prompt, max_new_tokens=config.max_new_tokens, pad_token_id=0, **how)
        wall = (time.perf_counter() - start) * 1e3
        return Whole(wall, out.shape[1] - len(ids))


def assist(draft, K: int) -> dict:
    """What `generate` is told so that `draft` drafts K tokens in every round; by itself it would choose how many, and when to stop."""
    plan = draft.generation_config
    plan.num_assistant_tokens, plan.num_assistant_tokens_schedule, plan.assistant_confidence_threshold = K, "constant", 0.0
    return {"assistant_model": draft}
