"""Multi-token heads, EAGLE heads and block heads for reader.py, by the formulas of docs/trace.md; attention and MLP are modules of transformers."""

import copy
import math

import torch


def features(model, text):
    """The input of each layer [n − 1, width], and what leaves the last norm, where the target has passed."""
    return [each[0] for each in model(torch.tensor([text[:-1]]), output_hidden_states=True).hidden_states]


@torch.inference_mode()
def mtp(target, weights, text, block, V):
    layers = target.config.num_hidden_layers
    deepseek = f"model.layers.{layers}.eh_proj.weight" in weights
    token, hidden, join, norm = (
        ("enorm", "hnorm", "eh_proj", "shared_head.norm")
        if deepseek
        else ("token_layernorm", "hidden_layernorm", "input_proj", "final_layernorm")
    )
    at = [f"model.layers.{layers + i}." if deepseek else f"model.mtp_layers.{i}." for i in range(99)]
    at = [prefix for prefix in at if f"{prefix}{join}.weight" in weights]
    h, ids, found = features(target, text)[-1], torch.tensor([*text, *block]), []
    for j in range(len(block)):
        w = Part(target, weights, at[min(j, len(at) - 1)])
        t, g = w.rms(w.embedding(ids[j + 1 : j + 1 + len(h)]), token), w.rms(h, hidden)
        x = torch.cat([t, g] if deepseek else [g, t], -1) @ w[f"{join}.weight"].T
        h = w.layer(x, w.rms(x, "input_layernorm"))
        own = w.get("shared_head.head.weight")
        out = w.rms(h[-1], norm)
        found.append(target.lm_head(out) if own is None else own @ out)
    return torch.stack(found)


@torch.inference_mode()
def eagle(target, weights, text, block, V):
    w, g = Part(target, weights, ""), fused(target, weights, text)
    ids, found = torch.tensor([*text, *block]), []
    for _ in block:
        a = midlayer(target, weights, ids, g)[-1]
        found.append(head(target, weights, w.rms(a, "norm"), V))
        g = torch.cat([g, a[None]])
    return torch.stack(found)


@torch.inference_mode()
def block(target, weights, text, drafted, V, mask):
    w, k = Part(target, weights, ""), len(drafted)
    feature = weights["mask_hidden"].float().view(1, -1) @ w["fc.weight"].T
    g = torch.cat([fused(target, weights, text), feature.expand(k - 1, -1)])
    a = midlayer(target, weights, torch.tensor([*text, *[mask] * (k - 1)]), g)[-k:]
    rows = torch.stack([head(target, weights, w.rms(row, "norm"), V) for row in a])
    if "link_embed.weight" in weights:
        more = w["link_embed.weight"][drafted[:-1]] @ w["link_lm_head.weight"].T
        known = torch.arange(more.shape[1]) + weights.get("d2t", torch.zeros(more.shape[1], dtype=torch.long))
        rows[1:, known] += more
    return rows


def fused(target, weights, text):
    states, layers = features(target, text), target.config.num_hidden_layers
    return torch.cat([states[i] for i in (2, layers // 2, layers - 3)], -1) @ Part(target, weights, "")["fc.weight"].T


def midlayer(target, weights, ids, g):
    inner = Part(target, weights, next(key.removesuffix("hidden_norm.weight") for key in weights if "hidden_norm" in key))
    t = inner.rms(inner.embedding(ids[1 : len(g) + 1]), "input_layernorm")
    x = inner.layer(g, torch.cat([t, inner.rms(g, "hidden_norm")], -1))
    for i in range(1, sum("o_proj" in key for key in weights)):
        inner = Part(target, weights, f"layers.{i}.")
        x = inner.layer(x, inner.rms(x, "input_layernorm"))
    return x


def head(target, weights, out, V):
    if "lm_head.weight" not in weights:
        return target.lm_head(out)
    own = weights["lm_head.weight"].float() @ out
    row = torch.full((V,), -math.inf)
    row[torch.arange(len(own)) + weights["d2t"]] = own
    return row


class Part:
    """The weights below `at`."""

    def __init__(self, target, weights, at):
        self.target, self.weights, self.at = target, weights, at
        self.embedding = target.get_input_embeddings()

    def __getitem__(self, name):
        return self.weights[self.at + name].float()

    def get(self, name):
        return self[name] if self.at + name in self.weights else None

    def rms(self, x, name):
        eps = self.target.config.rms_norm_eps
        return self[f"{name}.weight"] * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()

    def layer(self, x, y):
        """x + attention(y), and the MLP on top: a layer of the target with these weights; x [n, width]."""
        layer, n = copy.deepcopy(self.target.model.layers[0]), len(x)
        for name, module in layer.named_modules():
            if isinstance(module, torch.nn.Linear):
                module.weight, module.bias = (self.parameter(f"{name}.{part}") for part in ("weight", "bias"))
        turns = self.target.model.rotary_emb(x[None], torch.arange(n)[None])
        mask = torch.full((n, n), -math.inf).triu(1)[None, None]
        x = x + layer.self_attn(hidden_states=y[None], position_embeddings=turns, attention_mask=mask)[0][0]
        return x + layer.mlp(self.rms(x, "post_attention_layernorm"))

    def parameter(self, name):
        found = self.get(name)
        return None if found is None else torch.nn.Parameter(found, requires_grad=False)
