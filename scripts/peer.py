"""transformers as the peer that our times are held against, set so that it does the same work."""

import time
from typing import NamedTuple

import torch

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.machine import THREAD
from specviz.engine.models.gguf import open_gguf
from specviz.engine.models.load import is_gguf, load_config, model_path
from specviz.engine.sampling import to_float32


class Whole(NamedTuple):
    """A call of a peer: ms and tokens, and the share of the ms for which its thread had a processor; it says no more."""

    wall: float
    tokens: int
    processor_share: float | None = None
    stalled: float = 0.0


class Timed:
    """Clocks what stands inside it."""

    def __enter__(self):
        self.start, self.worked = time.perf_counter(), THREAD and THREAD()
        return self

    def __exit__(self, *_):
        seconds = time.perf_counter() - self.start
        self.ms, self.had = seconds * 1e3, (THREAD() - self.worked) / seconds if THREAD else None

    def whole(self, tokens: int) -> Whole:
        return Whole(self.ms, tokens, self.had)


class Peer:
    """transformers on the weights of a target, which `draft` assists: a model, or None for its own prompt lookup."""

    def __init__(self, target: str, draft: str | None, dtype: torch.dtype = torch.float32):
        from transformers import AutoModelForCausalLM, logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        kind = dtype if machine.device().type == "cpu" else "auto"

        def load(name: str):
            place = model_path(name)
            if not is_gguf(place):
                return AutoModelForCausalLM.from_pretrained(place, dtype=kind).eval().to(machine.device())
            # transformers reads such a file only beside accelerate, which nobody needs for our own passes
            model = AutoModelForCausalLM.from_config(load_config(place, name, whole=True))
            weights = {key: torch.from_numpy(to_float32(weight)) for key, weight in open_gguf(place).weights().items()}
            model.load_state_dict(weights, strict=False)
            model.tie_weights()
            return model.to(dtype).eval().to(machine.device())

        self.target, self.draft = (name and load(name) for name in (target, draft))
        for model in filter(None, (self.target, self.draft)):
            model.generation_config.eos_token_id = None  # the same length for everyone

    def __call__(self, ids, config: DecodeConfig) -> Whole:
        how = {"do_sample": False} if config.greedy else {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0}
        if config.K:
            how |= assist(self.draft, config.K) if self.draft else {"prompt_lookup_num_tokens": config.K}
        torch.manual_seed(config.seed)
        prompt = torch.tensor([ids], device=self.target.device)
        with Timed() as clock:
            out = self.target.generate(prompt, max_new_tokens=config.max_new_tokens, pad_token_id=0, **how)
        return clock.whole(out.shape[1] - len(ids))

    @torch.inference_mode()
    def prefill(self, ids: list[int]) -> float:
        """ms of a pass over a prompt, with the logits of its last token."""
        prompt = torch.tensor([ids], device=self.target.device)
        with Timed() as clock:
            self.target(prompt, logits_to_keep=1)
        return clock.ms


def assist(draft, K: int) -> dict:
    """What `generate` is told so that `draft` drafts K tokens in every round; by itself it would choose how many, and when to stop."""
    plan = draft.generation_config
    plan.num_assistant_tokens, plan.num_assistant_tokens_schedule, plan.assistant_confidence_threshold = K, "constant", 0.0
    return {"assistant_model": draft}
