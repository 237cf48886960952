"""Models for reader.py: logits of whole texts by transformers, and what drafts without a model."""

import math
from functools import lru_cache

import torch
from transformers import AutoModelForCausalLM


@lru_cache(2)
def model(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


@torch.inference_mode()
def logits(model, ids, layers=None):
    """[n, V] of a whole text; by the first layers only, through norm and head."""
    found = model(torch.tensor([ids]), output_hidden_states=layers is not None)
    return (found.logits if layers is None else model.lm_head(model.model.norm(found.hidden_states[layers])))[0]


def fit(rows, V):
    return torch.nn.functional.pad(rows, (0, V - rows.shape[-1]), value=-math.inf)


def entropy(p):
    return float(-(p[p > 0] * p[p > 0].log()).sum())


def lookup(text, k):
    for n in (4, 3, 2, 1):
        for end in range(len(text) - 1, n - 1, -1) if n <= len(text) else ():
            if text[end - n : end] == text[-n:]:
                found = list(text)
                for i in range(end, end + k):
                    found.append(found[i])
                return found[len(text) :]
    return []


def copies(text, depth, widths, full):
    """The nodes of a tree of continuations, as paths; `full`: so many at most, None where `widths` bound the children by level."""
    made, children, places = set(), {}, 0
    for n in (4, 3, 2, 1):
        for end in range(len(text) - 1, n - 1, -1) if n <= len(text) else ():
            if text[end - n : end] != text[-n:] or places == 1000:
                continue
            places, going, path = places + 1, list(text), ()
            for d in range(depth):
                going.append(going[end + d])
                path, parent = (*path, going[-1]), path
                if path in made:
                    continue
                if len(made) == full if full else children.get(parent, 0) == widths[d]:
                    break
                made.add(path)
                children[parent] = children.get(parent, 0) + 1
    return [list(path) for path in made]
