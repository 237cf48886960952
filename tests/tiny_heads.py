"""Random heads for tiny random targets, under the names that their checkpoints have, the drafters that they make, and what they
compute, without any cache: plain torch over the whole text at once, from the formulas of the papers, with rotations as these write them.

    hf = model()                                        # six layers, so that an EAGLE head fits
    rows = mtp_logits(hf, mtp(hf.config), text, block)  # row i: the logits that token i of the block is drawn by
    drafter = drafters(hf)["mtp"](tiny.own(hf))
"""

from functools import cache

import torch
import torch.nn.functional as F

from specviz.engine.draft.block import BlockHead
from specviz.engine.draft.eagle import Eagle
from specviz.engine.draft.model import EarlyExit, SmallModel
from specviz.engine.draft.mtp import MTP
from specviz.engine.draft.tables import Bigram, NGram, Random
from specviz.engine.models.llama import Llama

from . import tiny

LAYERS = 6


@cache
def model(shape: str = "llama", seed: int = 0, **change):
    """A transformers model of six layers; shared, not to be changed."""
    return tiny.make(tiny.config(shape, num_hidden_layers=LAYERS, **change), seed)


class Draw:
    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)

    def matrix(self, rows: int, columns: int) -> torch.Tensor:
        return torch.randn(rows, columns, generator=self.generator) * columns**-0.5

    def norm(self, size: int) -> torch.Tensor:
        return torch.rand(size, generator=self.generator) + 0.5

    def layer(self, config, at: str, columns: int, norms: tuple[str, ...]) -> dict[str, torch.Tensor]:
        """A decoder layer whose q, k and v take `columns`, with the biases and norms of the config's family."""
        width, size = config.hidden_size, head_size(config)
        rows = {"q": config.num_attention_heads * size, "k": config.num_key_value_heads * size}
        rows["v"] = rows["k"]
        weights = {f"{at}{norm}.weight": self.norm(width) for norm in norms}
        for part, n in rows.items():
            weights[f"{at}self_attn.{part}_proj.weight"] = self.matrix(n, columns)
            if config.model_type == "qwen2":
                weights[f"{at}self_attn.{part}_proj.bias"] = self.norm(n)
            if config.model_type == "qwen3" and part != "v":
                weights[f"{at}self_attn.{part}_norm.weight"] = self.norm(size)
        weights[f"{at}self_attn.o_proj.weight"] = self.matrix(width, rows["q"])
        for part in ("gate", "up"):
            weights[f"{at}mlp.{part}_proj.weight"] = self.matrix(config.intermediate_size, width)
        return weights | {f"{at}mlp.down_proj.weight": self.matrix(width, config.intermediate_size)}


def mtp(config, modules: int = 3, mimo: bool = False) -> dict[str, torch.Tensor]:
    """Multi-token heads by DeepSeek's names, or by MiMo's."""
    draw, width, weights = Draw(3), config.hidden_size, {}
    for j in range(modules):
        at, (token, hidden, join, norm) = parts(config, j, mimo)
        weights |= draw.layer(config, at, width, ("input_layernorm", "post_attention_layernorm"))
        weights |= {f"{at}{name}.weight": draw.norm(width) for name in (token, hidden, norm)}
        weights[f"{at}{join}.weight"] = draw.matrix(width, 2 * width)
    return weights


def parts(config, j: int, mimo: bool) -> tuple[str, tuple[str, ...]]:
    if mimo:
        return f"model.mtp_layers.{j}.", ("token_layernorm", "hidden_layernorm", "input_proj", "final_layernorm")
    return f"model.layers.{config.num_hidden_layers + j}.", ("enorm", "hnorm", "eh_proj", "shared_head.norm")


def eagle(config, ids: list[int] | None = None, layers: int = 1, seed: int = 4, fused: int = 3) -> dict[str, torch.Tensor]:
    """An EAGLE-3 head; `ids`: those of the target's vocabulary that its own head knows, in order. One of several layers counts them all.
    `fused`: of how many layers of the target it takes features."""
    draw, width, plain = Draw(seed), config.hidden_size, plain_llama(config)
    first = "midlayer." if layers == 1 else "layers.0."
    weights = draw.layer(plain, first, 2 * width, ("input_layernorm", "hidden_norm", "post_attention_layernorm"))
    for i in range(1, layers):
        weights |= draw.layer(plain, f"layers.{i}.", width, ("input_layernorm", "post_attention_layernorm"))
    weights |= {"fc.weight": draw.matrix(width, fused * width), "norm.weight": draw.norm(width)}
    if ids is not None:
        known = torch.tensor(ids)
        weights |= {"lm_head.weight": 3 * draw.matrix(len(ids), width), "d2t": known - torch.arange(len(ids))}
        weights["t2d"] = torch.isin(torch.arange(config.vocab_size), known)
    return weights


def block(config, ids: list[int] | None = None, rank: int = 4, layers: int = 1) -> dict[str, torch.Tensor]:
    """A P-EAGLE head: an EAGLE-3 head with a feature for the places that are open; with a link of that `rank`, unless it is 0."""
    draw, weights = Draw(6), eagle(config, ids, layers, seed=5)
    weights["mask_hidden"] = draw.matrix(1, 3 * config.hidden_size) * 10
    if rank:
        weights["link_embed.weight"] = draw.matrix(config.vocab_size, rank)
        weights["link_lm_head.weight"] = draw.matrix(len(ids or range(config.vocab_size)), rank)
    return weights


MASK = 1


def block_config(config):
    """What a block head's folder says beside its weights: a plain Llama's, and which token stands at an open place."""
    plain = plain_llama(config)
    plain.ptd_token_id = MASK
    return plain


def head_row(hf, w, out):
    """Logits by the target's head, or by that of the head's own vocabulary."""
    if "lm_head.weight" not in w:
        return hf.lm_head(out)
    row = torch.full((hf.config.vocab_size,), float("-inf"))
    row[torch.nonzero(w["t2d"])[:, 0]] = w["lm_head.weight"] @ out
    return row


def plain_llama(config):
    """The config with no bias and no norm of queries and keys: an EAGLE head's layer is Llama's whatever its target is."""
    plain = tiny.LlamaConfig(**{**config.to_dict(), "model_type": "llama", "architectures": None})
    plain.head_dim = head_size(config)
    return plain


def head_size(config) -> int:
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def drafters(hf, moved=lambda weights: weights) -> dict:
    """By name, what makes a drafter for a target that runs `hf`; the small model agrees with it now and then. `moved`: where weights go."""
    config, size = hf.config, hf.config.vocab_size
    return {
        "none": lambda target: None,
        "small": lambda target: SmallModel(Llama(config, tiny.other_weights(hf), "draft", target.device)),
        "oracle": SmallModel,
        "lookup": lambda target: NGram(size),
        "bigram": lambda target: followers(size),
        "random": lambda target: Random(size),
        "early exit": lambda target: EarlyExit(target, 4),
        "mtp": lambda target: MTP(target, moved(mtp(config)), "heads"),
        "eagle": lambda target: Eagle(target, moved(eagle(config)), "head"),
        "block": lambda target: BlockHead(target, moved(block(config)), "head", block_config(config)),
    }


def followers(size: int) -> Bigram:
    chance = torch.Generator().manual_seed(0)
    return Bigram(torch.randint(size, (size, 5), generator=chance), torch.rand(size, 5, generator=chance))


def rms(x, weight, eps):
    return weight * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def rotate(x, base):
    """x [n, heads, size]: entries i and i + size/2 of position m turn by m·base^(−2i/size)."""
    n, _, size = x.shape
    angle = torch.outer(torch.arange(n).double(), base ** (-torch.arange(0, size, 2).double() / size))[:, None]
    a, b = x.double().chunk(2, -1)
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1).float()


def layer(w, at, config, x, normed):
    """x [n, width] after one decoder layer whose attention takes `normed`."""
    n, size, eps = len(x), head_size(config), config.rms_norm_eps
    heads, shared = config.num_attention_heads, config.num_attention_heads // config.num_key_value_heads

    def project(part):
        flat = normed @ w[f"{at}self_attn.{part}_proj.weight"].T + w.get(f"{at}self_attn.{part}_proj.bias", 0)
        rows = flat.view(n, -1, size)
        if f"{at}self_attn.{part}_norm.weight" in w:
            rows = rms(rows, w[f"{at}self_attn.{part}_norm.weight"], eps)
        if part != "v":
            rows = rotate(rows, config.rope_parameters["rope_theta"])
        return rows if part == "q" else rows.repeat_interleave(shared, 1)

    scores = torch.einsum("ihd,jhd->hij", project("q"), project("k")) / size**0.5
    scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    attended = torch.einsum("hij,jhd->ihd", scores.softmax(-1), project("v")).reshape(n, heads * size)
    x = x + attended @ w[f"{at}self_attn.o_proj.weight"].T
    m = rms(x, w[f"{at}post_attention_layernorm.weight"], eps)
    inner = F.silu(m @ w[f"{at}mlp.gate_proj.weight"].T) * (m @ w[f"{at}mlp.up_proj.weight"].T)
    return x + inner @ w[f"{at}mlp.down_proj.weight"].T


@torch.inference_mode()
def states(hf, ids: list[int]) -> list[torch.Tensor]:
    """By transformers: what goes into each layer at each position [n, width], and last what leaves the last norm."""
    return [state[0] for state in hf(torch.tensor([ids]), use_cache=False, output_hidden_states=True).hidden_states]


@torch.inference_mode()
def mtp_logits(hf, w, text, block, mimo=False):
    """DeepSeek-V3 §2.2: h'ʲ(i) = M·[norm h^(j−1)(i); norm emb(t(i + j))], hʲ = layer(h'ʲ), logits head(norm hʲ(i)); h⁰ the target's.
    After the last of three modules comes that one again."""
    c, h, both, rows = hf.config, states(hf, text[:-1])[-1], [*text, *block], []
    for j in range(1, len(block) + 1):
        at, (token, hidden, join, norm) = parts(c, min(j, 3) - 1, mimo)
        t = rms(hf.model.embed_tokens(torch.tensor(both[j : j + len(h)])), w[f"{at}{token}.weight"], c.rms_norm_eps)
        g = rms(h, w[f"{at}{hidden}.weight"], c.rms_norm_eps)
        x = torch.cat([g, t] if mimo else [t, g], -1) @ w[f"{at}{join}.weight"].T
        h = layer(w, at, c, x, rms(x, w[f"{at}input_layernorm.weight"], c.rms_norm_eps))
        rows.append(hf.lm_head(rms(h[-1], w[f"{at}{norm}.weight"], c.rms_norm_eps)))
    return rows


def head_layers(hf, w, c, g, ids):
    """All layers of an EAGLE head: the first takes the norms of features g and of the tokens after them."""
    [first] = [key.removesuffix("hidden_norm.weight") for key in w if key.endswith("hidden_norm.weight")]
    t = rms(hf.model.embed_tokens(torch.tensor(ids)), w[f"{first}input_layernorm.weight"], c.rms_norm_eps)
    x = layer(w, first, c, g, torch.cat([t, rms(g, w[f"{first}hidden_norm.weight"], c.rms_norm_eps)], -1))
    for at in (f"layers.{i}." for i in range(1, sum(key.endswith("o_proj.weight") for key in w))):
        x = layer(w, at, c, x, rms(x, w[f"{at}input_layernorm.weight"], c.rms_norm_eps))
    return x


@torch.inference_mode()
def eagle_logits(hf, w, text, block, config=None, taps=(2, LAYERS // 2, LAYERS - 3)):
    """EAGLE-3 §3.1: g = fc·[low; middle; high] of the target; a = layer([norm emb(t(i + 1)); norm g(i)]) + g; where the target
    has not been, a stands for g."""
    c, s, both, rows = config or plain_llama(hf.config), states(hf, text[:-1]), [*text, *block], []
    g = torch.cat([s[layer] for layer in taps], -1) @ w["fc.weight"].T
    for _ in block:
        a = head_layers(hf, w, c, g, both[1 : len(g) + 1])[-1]
        out = rms(a, w["norm.weight"], c.rms_norm_eps)
        rows.append(head_row(hf, w, out))
        g = torch.cat([g, a[None]])
    return rows


@torch.inference_mode()
def block_logits(hf, w, text, block):
    """P-EAGLE: as EAGLE, but where the target has not been fc·mask_hidden stands for g and MASK for the token; one pass."""
    c, s, k = plain_llama(hf.config), states(hf, text[:-1]), len(block)
    g = torch.cat([s[2], s[LAYERS // 2], s[LAYERS - 3]], -1) @ w["fc.weight"].T
    g = torch.cat([g, (w["mask_hidden"] @ w["fc.weight"].T).expand(k - 1, -1)])
    a = head_layers(hf, w, c, g, [*text[1:], *[MASK] * (k - 1)])[-k:]
    rows = [head_row(hf, w, rms(row, w["norm.weight"], c.rms_norm_eps)) for row in a]
    if "link_embed.weight" in w:
        more = w["link_lm_head.weight"] @ w["link_embed.weight"][[*block]].T
        known = torch.arange(len(more)) + w.get("d2t", torch.zeros(len(more), dtype=torch.long))
        for row, column in zip(rows[1:], more.T, strict=False):
            row[known] += column
    return rows


@torch.inference_mode()
def exit_logits(hf, layers, text, block):
    """The last norm and the head on what leaves the first `layers` layers; all of them: the target itself."""
    hidden = states(hf, [*text, *block[:-1]])[layers][len(text) - 1 :] if block else []
    return [hf.lm_head(state if layers == LAYERS else hf.model.norm(state)) for state in hidden]
