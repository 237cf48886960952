"""A small random model run both ways before anything is run compiled: what a processor or a compiler gets wrong is seen here."""

from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Trial:
    """The config of a model that is run both ways."""

    model_type: str = "llama"
    hidden_act: str = "silu"
    vocab_size: int = 40
    hidden_size: int = 64
    intermediate_size: int = 96
    num_hidden_layers: int = 1
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 16
    max_position_embeddings: int = 64
    rms_norm_eps: float = 1e-6
    rope_theta: float = 1e4
    tie_word_embeddings: bool = True


@torch.inference_mode()
def difference(model: Callable) -> str:
    """Where passes of a small model differ, compiled and plain; empty if they do not. `model` as llama.Llama is made."""
    config = Trial()
    width, inner, chance = config.hidden_size, config.intermediate_size, torch.Generator().manual_seed(0)
    queries, keys = config.num_attention_heads * config.head_dim, config.num_key_value_heads * config.head_dim
    sizes = {"self_attn.q_proj": (queries, width), "self_attn.o_proj": (width, queries), "mlp.down_proj": (width, inner)}
    sizes |= {f"mlp.{part}_proj": (inner, width) for part in ("gate", "up")}
    sizes |= {f"self_attn.{part}_proj": (keys, width) for part in "kv"}
    weights = {
        f"model.layers.0.{part}.weight": torch.randn(size, generator=chance) * size[1] ** -0.5 for part, size in sizes.items()
    }
    weights["model.embed_tokens.weight"] = torch.randn(config.vocab_size, width, generator=chance)
    norms = "layers.0.input_layernorm", "layers.0.post_attention_layernorm", "norm"
    weights |= {f"model.{norm}.weight": torch.rand(width, generator=chance) for norm in norms}
    found, wanted = [], []
    for compiled in (True, False):
        made = model(config, {key: w.bfloat16() for key, w in weights.items()}, "a trial", compiled=compiled)
        sequence = made.sequence(40)
        rows = [sequence.append([*range(i, i + n)]) for i, n in ((0, 9), (9, 1), (10, 5))]
        hidden = made.stack(made.layers, 9).forward(weights["model.embed_tokens.weight"][:3])
        found.append(torch.cat([*(row.flatten() for row in rows), hidden.flatten()]))
        logits = rows[-1]
        if compiled:
            ids, _ = sequence.draft([int(logits[-1].argmax())], 3, config.vocab_size, False, 1.0, None, None)
            wanted = [ids, *_decided(logits)]
    ours, plain = found
    sequence.rollback(15)
    ids, last = [], int(logits[-1].argmax())
    for _ in range(3):
        ids.append(last := int(sequence.append([last])[-1].argmax()))
    if not torch.allclose(ours, plain, atol=1e-3, rtol=1e-3) or wanted[0] != ids:
        return "compiled passes differ from plain ones"
    return "" if all(wanted[1:]) else "compiled decisions differ from plain ones"


def _decided(logits: torch.Tensor) -> list[bool]:
    """Whether what rows.py makes of logits [n, V] is what PyTorch makes of them."""
    from . import rows

    p, chance = logits.softmax(-1), torch.full((len(logits),), 0.5, dtype=torch.float64)
    ours, best = rows.softmax(logits, 1.0), logits.argmax(-1).tolist()
    after = p.cumsum(-1, dtype=torch.float64)
    ids = rows.draw(p, chance)
    accepted, *_ = rows.decide(logits, best[:-1], ours[:-1], chance, 1.0, 1.0, False)
    return [
        torch.allclose(ours, p, atol=1e-5),
        rows.argmax(logits) == best,
        torch.equal(ids, (after <= 0.5 * after[:, -1:]).sum(-1)),
        accepted == len(best) - 1,
    ]
