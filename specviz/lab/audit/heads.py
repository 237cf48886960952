"""Heads that read the target's features, from the formulas of their papers: plain PyTorch over the whole text, nothing cached.

DeepSeek-V3 §2.2 (mtp), Li et al. 2025, arXiv 2503.01840 §3.1 (fused), and Hui et al. 2026, arXiv 2602.01469 (fused, with a mask); rotations as the papers write them, entries i and i + size/2 of a head turning together.
"""

import torch
import torch.nn.functional as F

from .checkpoint import AuditError, Checkpoint, gguf_files


def mtp(checkpoint: Checkpoint, w: dict[str, torch.Tensor]):
    """(states, text, block) → the logits that each token of the block is drawn by. Lane j takes what lane j − 1 made; after the
    last module comes that one again."""
    c, model = checkpoint.config, checkpoint.model
    deepseek = f"model.layers.{c.num_hidden_layers}.eh_proj.weight" in w
    if not deepseek and "model.mtp_layers.0.input_proj.weight" not in w:
        raise AuditError("these weights have no multi-token heads with the names that DeepSeek or MiMo use")
    names = ("enorm", "hnorm", "eh_proj", "shared_head.norm") if deepseek else MIMO_NAMES
    token, hidden, join, norm = (f"{{}}{name}.weight" for name in names)
    at = [f"model.layers.{i}." if deepseek else f"model.mtp_layers.{i}." for i in range(c.num_hidden_layers + 99)]
    at = [prefix for prefix in at if join.format(prefix) in w]

    def rows(states, text, block):
        h, both, logits = states[-1][: len(text) - 1], [*text, *block], []
        for j in range(len(block)):
            here = at[min(j, len(at) - 1)]
            t = rms(embed(model, both[j + 1 : j + 1 + len(h)]), w[token.format(here)], c.rms_norm_eps)
            g = rms(h, w[hidden.format(here)], c.rms_norm_eps)
            x = torch.cat([t, g] if deepseek else [g, t], -1) @ w[join.format(here)].T
            h = layer(w, here, c, x, rms(x, w[f"{here}input_layernorm.weight"], c.rms_norm_eps))
            out = rms(h[-1], w[norm.format(here)], c.rms_norm_eps)
            head = w.get(f"{here}shared_head.head.weight")
            logits.append(model.lm_head(out) if head is None else head @ out)
        return logits

    return rows


MIMO_NAMES = ("token_layernorm", "hidden_layernorm", "input_proj", "final_layernorm")


def eagle3(checkpoint: Checkpoint, w: dict[str, torch.Tensor], config):
    """Likewise. g = fc·[low; middle; high] of the target's features; a = layer([norm emb(t(i + 1)); norm g(i)]) + g; where the target
    has not been, a stands for g. Heads may have more layers after that one. Or, of weights with a mask_hidden, fc·mask_hidden and the mask token do, and one pass gives all rows.
    `config`: the head's own, or the target's."""
    c, model = config or checkpoint.config, checkpoint.model
    if "fc.weight" not in w:
        raise AuditError("these weights have no head over the target's features: fc.weight is missing")
    parallel = "mask_hidden" in w
    mask = getattr(c, "ptd_token_id", getattr(c, "pard_token", None))
    if parallel and mask is None:
        raise AuditError("these weights draft a block in one pass, but their config names no mask token: ptd_token_id is missing")
    taps = _fused_layers(config, checkpoint.config.num_hidden_layers)

    first = "layers.0." if "layers.0.hidden_norm.weight" in w else "midlayer."
    later = [at for i in range(1, len(w)) if f"{(at := f'layers.{i}.')}input_layernorm.weight" in w]

    def layer_outputs(g, tokens):
        t = rms(embed(model, tokens[: len(g)]), w[f"{first}input_layernorm.weight"], c.rms_norm_eps)
        x = layer(w, first, c, g, torch.cat([t, rms(g, w[f"{first}hidden_norm.weight"], c.rms_norm_eps)], -1))
        for at in later:
            x = layer(w, at, c, x, rms(x, w[f"{at}input_layernorm.weight"], c.rms_norm_eps))
        return x

    def features(states, text):
        return torch.cat([states[i][: len(text) - 1] for i in taps], -1) @ w["fc.weight"].T

    def rows(states, text, block):
        g, logits = features(states, text), []
        for _ in block:
            a = layer_outputs(g, [*text, *block][1:])[-1]
            logits.append(over_target_vocabulary(head_logits(a)))
            g = torch.cat([g, a[None]])
        return logits

    def parallel_rows(states, text, block):
        later = len(block) - 1
        feature = w["mask_hidden"].view(1, -1) @ w["fc.weight"].T
        a = layer_outputs(torch.cat([features(states, text), feature.expand(later, -1)]), [*text, *[mask] * later][1:])
        rows = [head_logits(row) for row in a[-len(block) :]]
        if "link_embed.weight" in w:  # what each token adds to the logits of the next
            rows[1:] = [
                row + w["link_lm_head.weight"] @ w["link_embed.weight"][x] for row, x in zip(rows[1:], block, strict=False)
            ]
        return [*map(over_target_vocabulary, rows)]

    def head_logits(a):
        """Logits of the head's own vocabulary, which may be the target's."""
        out = rms(a, w["norm.weight"], c.rms_norm_eps)
        if "lm_head.weight" in w:
            return w["lm_head.weight"] @ out
        if "d2t" not in w:
            return model.lm_head(out)
        if gguf_files(checkpoint.folder):  # a run decodes these rows of a file's blocks to bfloat16
            return model.lm_head.weight[target_ids()].bfloat16().float() @ out
        return model.lm_head(out)[target_ids()]

    def target_ids():
        """In the target's vocabulary of what the head's own has: d2t says how far its ids are shifted."""
        n = len(w.get("lm_head.weight", w.get("d2t", ())))
        return torch.arange(n) + w.get("d2t", torch.zeros(n, dtype=torch.long)).long()

    def over_target_vocabulary(logits):
        """Over the target's vocabulary: what the head's own lacks is impossible."""
        if "lm_head.weight" not in w and "d2t" not in w:
            return logits
        return torch.full((checkpoint.vocabulary,), float("-inf")).index_copy_(0, target_ids(), logits)

    return parallel_rows if parallel else rows


def _fused_layers(config, layers: int) -> list[int]:
    """Whose inputs are fused: `eagle_aux_hidden_state_layer_ids` names inputs, and outputs where it stands in `eagle_config`."""
    key = "eagle_aux_hidden_state_layer_ids"
    if inputs := getattr(config, key, None):
        return inputs
    outputs = (getattr(config, "eagle_config", None) or {}).get(key)
    return [id + 1 for id in outputs] if outputs else [2, layers // 2, layers - 3]


def embed(model, ids: list[int]) -> torch.Tensor:
    return model.get_input_embeddings()(torch.tensor(ids))


def rms(x, weight, eps):
    return weight * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def rotate(x, config):
    """x [n, heads, size]: at position m pair i turns by m·frequency(i)."""
    n, size, rope = len(x), x.shape[-1], config.rope_parameters
    if rope.get("rope_type", "default") == "default":
        frequency, factor = rope["rope_theta"] ** (-torch.arange(0, size, 2).double() / size), 1.0
    else:
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        frequency, factor = ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, "cpu")
    angle = torch.outer(torch.arange(n).double(), frequency.double())[:, None]
    a, b = x.double().chunk(2, -1)
    return (factor * torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)).float()


def layer(w, at, c, x, normed):
    """x [n, width] after one decoder layer whose attention takes `normed`."""
    size = getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads
    n, shared = len(x), c.num_attention_heads // c.num_key_value_heads

    def project(part):
        projected = normed @ w[f"{at}self_attn.{part}_proj.weight"].T + w.get(f"{at}self_attn.{part}_proj.bias", 0)
        projected = projected.view(n, -1, size)
        if f"{at}self_attn.{part}_norm.weight" in w:
            projected = rms(projected, w[f"{at}self_attn.{part}_norm.weight"], c.rms_norm_eps)
        if part != "v":
            projected = rotate(projected, c)
        return projected if part == "q" else projected.repeat_interleave(shared, 1)

    scores = torch.einsum("ihd,jhd->hij", project("q"), project("k")) / size**0.5
    scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    attended = torch.einsum("hij,jhd->ihd", scores.softmax(-1), project("v")).reshape(n, -1)
    x = x + attended @ w[f"{at}self_attn.o_proj.weight"].T
    m = rms(x, w[f"{at}post_attention_layernorm.weight"], c.rms_norm_eps)
    inner = F.silu(m @ w[f"{at}mlp.gate_proj.weight"].T) * (m @ w[f"{at}mlp.up_proj.weight"].T)
    return x + inner @ w[f"{at}mlp.down_proj.weight"].T
