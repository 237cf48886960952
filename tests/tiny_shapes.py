"""The tiny ones of the public shapes (scripts/gpu/shapes.py), built with random weights, and what is asked of them."""

import torch

from scripts.gpu import shapes
from specviz.config import DecodeConfig

PROMPT = list(range(40, 52))
NEW = 240
LLAMA = shapes.TINY["tiny-llama"]


def built(name="tiny-llama", dtype=torch.float32, still=False):
    """A target with its small draft; on caches that stand still, whose drafts are chained."""
    shape = shapes.TINY[name]
    target = shapes.build(name, shape.target, dtype=dtype, compiled=False if still else None)
    draft = shapes.drafter("tiny-draft", shape.drafts["tiny-draft"], target, shape.target)
    return target, draft


def greedy(K, new=NEW):
    return DecodeConfig(K=K, temperature=0, max_new_tokens=new, ignore_eos=True)


def parameters(config) -> int:
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    return sum(p.numel() for p in model.parameters())
