"""Runs of the engine to be redone: small random models, each way to draft, each rule."""

import copy
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import save_file

from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.pair import load_pair
from specviz.engine.race import race
from specviz.rules import RULES
from specviz.trace.events import Round, Trace
from specviz.trace.file import dumps, loads

from ... import tiny, tiny_heads

PROMPT = "Once upon a time there was"
WAYS = {
    "greedy": {"temperature": 0},
    "sampled": {"temperature": 1.2},
    "filtered": {"temperature": 0.8, "top_k": 20, "top_p": 0.9},
    "match": {"verifier": "match", "top_p": 0.95},
    "confidence": {"confidence": 0.1, "K": 6},
    "survival": {"survival": 0.02, "K": 6},
    "one at a time": {"K": 1, "temperature": 0.7},
    "argmax": {"drafting": "argmax", "top_p": 0.98},
    "argmax, as a block": {"drafting": "argmax", "verifier": "block"},
    "block": {"verifier": "block", "K": 5},
    "threshold": {"verifier": "threshold", "theta": 0.4},
    "typical": {"verifier": "typical", "epsilon": 0.05},
}
WAYS |= {rule: {"verifier": rule} for rule in RULES if all(way.get("verifier", "rejection") != rule for way in WAYS.values())}

STATIC = {"tree": "static", "children": "2-2-1", "K": 3}
TREES = {
    "sampled": STATIC,
    "chosen": STATIC | {"drafting": "argmax"},
    "match": STATIC | {"verifier": "match"},
    "filtered": STATIC | {"top_k": 8, "temperature": 0.8},
    "threshold": STATIC | {"verifier": "threshold"},
    "greedy": STATIC | {"temperature": 0},
    "dynamic": {"tree": "dynamic", "K": 3, "nodes": 7, "drafting": "argmax"},
    "filtered dynamic": {"tree": "dynamic", "K": 4, "nodes": 12, "drafting": "argmax", "top_k": 6, "top_p": 0.9},
    "greedy dynamic": {"tree": "dynamic", "K": 3, "nodes": 7, "temperature": 0},
}


def save_models(base: Path) -> Path:
    """A target of six layers with a drafter of each kind that has weights, and drafts of other shapes; all random and tiny."""
    tokenizer = tiny.byte_level()
    size = {"vocab_size": len(tokenizer)}
    model = tiny_heads.model("llama", **size)
    tiny.save(base / "target", model, tokenizer)
    tiny.save(base / "near", noisy(model), tokenizer)
    tiny.save(base / "draft", tiny.make(tiny.config("qwen3", **size), 1), tokenizer)
    tiny.save(base / "short", tiny.make(tiny.config("llama", max_position_embeddings=40, **size), 2), tokenizer)
    tiny.save(base / "padded", tiny.make(tiny.config("llama", vocab_size=len(tokenizer) + 9), 3), tokenizer)
    tiny.save(base / "cut", tiny.make(tiny.config("gpt2", vocab_size=len(tokenizer) - 5), 4), tokenizer)
    heads = {
        "heads": tiny_heads.mtp(model.config, modules=2),
        "mimo": tiny_heads.mtp(model.config, mimo=True),
        "eagle": tiny_heads.eagle(model.config),
        "block": tiny_heads.block(model.config),
        "deep": tiny_heads.block(model.config, layers=3),
        "named": tiny_heads.eagle(model.config, fused=2),
        "shifted": tiny_heads.eagle(model.config, ids=list(range(0, size["vocab_size"], 2))),
    }
    heads["rows"] = {key: weight for key, weight in heads["shifted"].items() if key != "lm_head.weight"}
    for name, weights in heads.items():
        (base / name).mkdir()
        save_file(weights, base / name / "model.safetensors")
        config = json.loads((base / "target" / "config.json").read_text()) | {"ptd_token_id": 1}
        if name == "named":  # as the library speculators writes it, with something that is not read
            config = {"speculators_model_type": "eagle3", "transformer_layer_config": config, "mup_scale": 1.0}
            config["eagle_aux_hidden_state_layer_ids"] = [1, 4]
        (base / name / "config.json").write_text(json.dumps(config))
    generator = torch.Generator().manual_seed(0)
    table = torch.stack([torch.randperm(size["vocab_size"], generator=generator)[:8] for _ in range(size["vocab_size"])])
    (base / "bigram").mkdir()
    counts = torch.randint(1, 99, table.shape, generator=generator).bfloat16()
    save_file({"next": table.short(), "count": counts}, base / "bigram" / "model.safetensors")
    (base / "bigram" / "config.json").write_text("{}")
    return base


def noisy(model):
    """The target with some noise in its weights: now and then accepted, now and then not."""
    near, generator = copy.deepcopy(model), torch.Generator().manual_seed(5)
    for weight in near.parameters():
        weight.data += 0.1 * weight.std() * torch.randn(weight.shape, generator=generator)
    return near


DRAFTS = {
    "a model that is near the target": "near",
    "a model": "draft",
    "a model of a short context": "short",
    "a model of a padded vocabulary": "padded",
    "a model that lacks some ids": "cut",
    "DeepSeek's heads": "mtp:heads",
    "MiMo's heads": "mtp:mimo",
    "an EAGLE head": "eagle:eagle",
    "an EAGLE head of its own vocabulary": "eagle:shifted",
    "an EAGLE head that drafts some rows of the target's": "eagle:rows",
    "an EAGLE head that names its layers": "eagle:named",
    "a block head": "block:block",
    "a block head of three layers": "block:deep",
    "a table": "bigram:bigram",
    "first layers": "early-exit:2",
    "copies": "lookup",
    "the target": "oracle",
    "anything": "random",
}
BRANCHING = ["lookup", "early-exit:2", "mtp:heads", "eagle:eagle", "bigram:bigram"]


def path_of(folder: Path, draft: str) -> str:
    kind, colon, name = draft.rpartition(":")
    return f"{kind}{colon}{folder / name}" if (folder / name).is_dir() else draft


cached_pair = cache(load_pair)


@cache
def setup_of(target: str, draft: str) -> Setup:
    """A target with what drafts for it, each loaded once for all of its runs."""
    pair = cached_pair(target, None)
    return Setup(pair.target, drafter_for(pair, draft), pair.text)


@cache
def run_trace(folder: Path, draft: str, **how) -> Trace:
    """A whole race, written and read again; the same one is run once."""
    setup = setup_of(str(folder / "target"), path_of(folder, draft))
    *_, trace = race(setup, PROMPT, **({"K": 4, "max_new_tokens": 28, "ignore_eos": True, "seed": 7} | how))
    return loads(dumps(trace))


def mixed_round_index(lane) -> int:
    """Where in a lane a round stands in which one token was accepted, one rejected, and one left unexamined."""
    ends = ["rejected", "unexamined"]
    return next(i for i, r in enumerate(lane) if verdicts(r)[:1] == ["accepted"] and verdicts(r)[-2:] == ends)


def verdicts(event) -> list[str]:
    return [d.verdict for d in event.drafted] if isinstance(event, Round) else []


@cache
def mixed_trace(folder: Path, way: str = "sampled") -> Trace:
    """A run with such a round; one that a test may change."""
    for seed in range(40):
        trace = run_trace(folder, "near", seed=seed, **WAYS[way])
        try:
            mixed_round_index(trace.speculative)
            return trace
        except StopIteration:
            continue
    raise AssertionError("no seed gives such a run")


def set_at(value, path, new):
    """`value` with what stands at `path`, names and indices, replaced by `new`, or by what `new` makes of it."""
    if not path:
        return new(value) if callable(new) else new
    first, *rest = path
    if isinstance(first, int):
        at = range(len(value))[first]
        return (*value[:at], set_at(value[at], rest, new), *value[at + 1 :])
    return replace(value, **{first: set_at(getattr(value, first), rest, new)})
