"""Everything that drafts for a finished target, trained on its own distributions: one pass of the target a batch, and each
student learns from it what the target would say (cross entropy against p, at temperature 1).

small, large   independent models, distilled (Hinton et al. 2015; Leviathan et al. 2022 §5 names distillation as the way up)
mtp            modules on the target's hidden state (DeepSeek-V3 report §2.2), the target frozen
eagle          one layer over fused features, run on its own output for STEPS steps while it learns (EAGLE-3 §3.2)
block          the same layer, with a learned feature at the places of a block that are still open (P-EAGLE: one pass a block)
bigram         counts, no training
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRMSNorm, apply_rotary_pos_emb

from specviz.engine.draft.eagle import fused_layers

from .train_loop import train
from .train_target import half, states
from .train_text import OTHER, SHARES, Texts

STEPS = 3  # of an EAGLE head over its own output
# of a block: places, share of a batch's positions that one begins at, weight of a place beside the one before, rank of its link
PLACES, STARTS, LATER, RANK = 8, 1 / 16, 0.8, 32
MODULES, AGAIN = 2, 2  # multi-token heads, and how often the last of them learns to run on its own output
MASK = 0  # the token that stands at an open place: the one that ends a text, which no block follows
OWN = 1024  # tokens of a block head's own vocabulary: the most frequent (EAGLE-3's d2t; FR-Spec, arXiv 2502.14856)
FOLLOWERS = 24  # kept of each token in the bigram table


def agree(logits: torch.Tensor, p: torch.Tensor, counts: torch.Tensor | None = None) -> torch.Tensor:
    """Mean cross entropy of q = softmax(logits) against p; both [B, N, V]. `counts` [B, N]: which positions count."""
    losses = each(logits, p)
    return losses.mean() if counts is None else (losses * counts).sum() / counts.sum().clamp(min=1)


def each(logits: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """The cross entropy of every row; both [·, V]."""
    return -(p * logits.float().log_softmax(-1)).sum(-1)


def _losses(name: str, guesses, p: torch.Tensor, counts: torch.Tensor | None) -> dict[str, torch.Tensor]:
    """Of the `guesses` of each step (Heads.guesses)."""
    return {
        f"{name}{s + 1}": agree(logits, p[:, rows + 1 + s], None if counts is None else counts[:, rows + 1 + s])
        for s, (rows, logits) in enumerate(guesses)
    }


def pulling(loss: torch.Tensor, weight: float) -> torch.Tensor:
    """The same number, whose gradient counts `weight` times."""
    return loss.detach() + weight * (loss - loss.detach())


class Heads(nn.Module):
    """Multi-token modules, by DeepSeek's names once they are saved."""

    def __init__(self, target: LlamaForCausalLM, modules: int = MODULES):
        super().__init__()
        c, self.target = target.config, [target]  # in a list: not a submodule, so not trained and not saved
        self.modules_ = nn.ModuleList(
            nn.ModuleDict(
                {
                    "enorm": LlamaRMSNorm(c.hidden_size, c.rms_norm_eps),
                    "hnorm": LlamaRMSNorm(c.hidden_size, c.rms_norm_eps),
                    "eh_proj": nn.Linear(2 * c.hidden_size, c.hidden_size, bias=False),
                    "layer": LlamaDecoderLayer(c, 0),
                    "norm": LlamaRMSNorm(c.hidden_size, c.rms_norm_eps),
                }
            )
            for _ in range(modules)
        )

    def losses(self, ids: torch.Tensor, x, p: torch.Tensor, counts: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
        """ids [B, N]; x: the target's states by layer; p [B, N, V]: row i is for token i + 1; counts [B, N]: which rows count."""
        return _losses("mtp", self.guesses(ids, x, len(self.modules_) + AGAIN), p, counts)

    def guesses(self, ids: torch.Tensor, x, steps: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Of each step the positions `rows` [m] and the logits there [B, m, V]: row i of step s is for token i + s + 2."""
        inner = self.target[0].model
        hidden, everywhere = inner.norm(x[self.target[0].config.num_hidden_layers]), torch.arange(ids.shape[1], device=ids.device)
        for j in range(1, steps + 1):
            m, rows = self.modules_[min(j, len(self.modules_)) - 1], everywhere[:-j]  # positions that have a token j ahead
            joined = torch.cat([m["enorm"](inner.embed_tokens(ids[:, j:])), m["hnorm"](hidden[:, rows])], -1)
            turn = inner.rotary_emb(joined, rows[None])
            hidden = m["layer"](m["eh_proj"](joined), attention_mask=None, position_embeddings=turn)
            yield rows, self.target[0].lm_head(m["norm"](hidden))

    def tensors(self) -> dict[str, torch.Tensor]:
        layers, tensors = self.target[0].config.num_hidden_layers, {}
        for name, tensor in self.state_dict().items():
            _, j, part, rest = name.split(".", 3)
            at = f"model.layers.{layers + int(j)}."
            tensors[at + {"layer": "", "norm": "shared_head.norm."}.get(part, part + ".") + rest] = tensor
        return tensors

    def about(self) -> dict:
        """What its config says beside the target's."""
        return {"num_nextn_predict_layers": len(self.modules_)}


class EagleHead(nn.Module):
    """One decoder layer over [token embedding, feature], by EAGLE-3's names. `known` [n]: the ids that it drafts, ascending, by rows of the
    target's head; `inner`: the width of its feed-forward part, the target's if None."""

    def __init__(self, target: LlamaForCausalLM, known: torch.Tensor | None = None, inner: int | None = None):
        super().__init__()
        c = self.config = copy.deepcopy(target.config)
        c.intermediate_size = inner or c.intermediate_size
        rows = target.lm_head.weight.detach() if known is None else target.lm_head.weight.detach()[known]
        self.target, self.known, self.rows = [target], known, [rows]  # in lists: not submodules, so not trained and not saved
        self.taps = fused_layers(c.num_hidden_layers)
        self.fc = nn.Linear(3 * c.hidden_size, c.hidden_size, bias=False)
        layer = LlamaDecoderLayer(c, 0)
        for part in "qkv":
            old = getattr(layer.self_attn, f"{part}_proj")
            setattr(layer.self_attn, f"{part}_proj", nn.Linear(2 * c.hidden_size, old.out_features, bias=False))
        layer.hidden_norm = LlamaRMSNorm(c.hidden_size, c.rms_norm_eps)
        self.midlayer, self.norm = layer, LlamaRMSNorm(c.hidden_size, c.rms_norm_eps)

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x) @ self.rows[0].to(x.dtype).T

    def losses(self, ids, x, p, counts: torch.Tensor | None = None, share: float = 1.0) -> dict[str, torch.Tensor]:
        """As for Heads, p of the ids that are known. Step s stands s positions further on and sees true positions before it, then its own;
        from the second on a `share` of the positions is enough."""
        losses = {}
        for s, (rows, hidden) in enumerate(self.roll_out(ids, x, STEPS, share)):
            truth = p[:, rows + 1 + s]
            if counts is not None:  # nothing is asked of the others
                mask = counts[:, rows + 1 + s] > 0
                hidden, truth = hidden[mask], truth[mask]
            losses[f"eagle{s + 1}"] = agree(self.logits(hidden), truth)
        return losses

    def guesses(self, ids, x, steps: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """As of Heads, the logits of the ids that are known."""
        return ((rows, self.logits(hidden)) for rows, hidden in self.roll_out(ids, x, steps))

    def roll_out(self, ids: torch.Tensor, x, steps: int, share: float = 1.0) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Of each step the positions `rows` [m] and what leaves the layer there [B, m, width]: row i of step s is for token i + s + 2."""
        inner = self.target[0].model
        hidden = self.fc(torch.cat([x[i] for i in self.taps], -1))[:, :-1]
        n, keys, values = hidden.shape[1], list[torch.Tensor](), list[torch.Tensor]()
        rows = torch.arange(n, device=ids.device)
        for s in range(steps):
            if s == 1 and share < 1:
                rows = torch.randperm(n - steps + 1, device=ids.device)[: max(1, int(share * n))].sort().values
                hidden = hidden[:, rows]
            rows = rows[rows < n - s]
            tokens = inner.embed_tokens(ids[:, rows + 1 + s])  # what stands at position i + s takes token i + s + 1
            turn = inner.rotary_emb(hidden, (rows + s)[None])
            hidden = self._layer(hidden[:, : len(rows)], tokens, turn, keys, values, s, rows)
            yield rows, hidden

    def _layer(self, x, tokens, turn, keys, values, s, rows):
        q, k, v = self._heads(x, tokens, turn)
        keys.append(k), values.append(v)
        m, n, scale = len(rows), keys[0].shape[2], self.midlayer.self_attn.head_dim**-0.5
        # row i, at position i + s: true positions up to i, then one position of each step that led here
        visible = torch.arange(n, device=x.device) <= rows[:, None]
        scores = [(q @ keys[0].transpose(2, 3) * scale).masked_fill(~visible, float("-inf"))]
        scores += [(q * keys[t][:, :, :m]).sum(-1, keepdim=True) * scale for t in range(1, s + 1)]
        weights = torch.cat(scores, -1).float().softmax(-1).to(q.dtype)
        out = weights[..., :n] @ values[0]
        for t in range(1, s + 1):
            out = out + weights[..., n + t - 1 : n + t] * values[t][:, :, :m]
        return self._left(x, out)

    def _heads(self, x, tokens, turn):
        """Queries, keys and values [B, heads, n, size] of features x and the embeddings of the tokens that follow them."""
        layer, attention = self.midlayer, self.midlayer.self_attn
        both = torch.cat([layer.input_layernorm(tokens), layer.hidden_norm(x)], -1)
        q, k, v = (
            projection(both).unflatten(-1, (-1, attention.head_dim)).transpose(1, 2)
            for projection in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        q, k = apply_rotary_pos_emb(q, k, *turn)
        group = self.config.num_attention_heads // self.config.num_key_value_heads
        return q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)

    def _left(self, x, out):
        """What leaves the layer, by what attention found."""
        x = x + self.midlayer.self_attn.o_proj(out.transpose(1, 2).flatten(2))
        return x + self.midlayer.mlp(self.midlayer.post_attention_layernorm(x))

    def tensors(self) -> dict[str, torch.Tensor]:
        """As saved. A head of a vocabulary of its own says by d2t which rows of the target's head it takes."""
        saved = dict(self.state_dict())
        return saved if self.known is None else saved | {"d2t": (self.known.cpu() - torch.arange(len(self.known))).int()}

    def about(self) -> dict:
        own = {} if self.known is None else {"draft_vocab_size": len(self.known)}
        return {"architectures": ["LlamaForCausalLMEagle3"], "intermediate_size": self.config.intermediate_size} | own


class BlockHead(EagleHead):
    """An EAGLE head that makes a block in one pass, by P-EAGLE's names. Place 0 stands where a true feature is; each later place takes
    MASK and a learned feature, and sees the text and the places before it. The link says what the token before adds to the logits of a
    place, a product of rank RANK (DSpark)."""

    def __init__(
        self, target: LlamaForCausalLM, known: torch.Tensor | None = None, inner: int | None = None, places: int = PLACES
    ):
        super().__init__(target, known, inner)
        c, self.places = target.config, places
        self.mask_hidden = nn.Parameter(torch.randn(1, 3 * c.hidden_size) * 0.02)
        self.link_embed, self.link_lm_head = nn.Embedding(c.vocab_size, RANK), nn.Linear(RANK, len(self.rows[0]), bias=False)
        nn.init.zeros_(self.link_lm_head.weight)

    def losses(self, ids, x, p, counts: torch.Tensor | None = None) -> dict[str, torch.Tensor]:  # type: ignore[override]
        losses = _losses("block", self.guesses(ids, x, self.places), p, counts)
        return {name: pulling(loss, LATER**j) for j, (name, loss) in enumerate(losses.items())}

    def guesses(self, ids, x, steps: int, share: float = STARTS) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """As for an EAGLE head, the places of a block. One begins at a `share` of the positions."""
        inner = self.target[0].model
        features = self.fc(torch.cat([x[i] for i in self.taps], -1))[:, :-1]
        (b, n, _), keys, values = features.shape, list[torch.Tensor](), list[torch.Tensor]()
        everywhere = torch.arange(n, device=ids.device)
        turn = inner.rotary_emb(features, everywhere[None])
        hidden = self._layer(features, inner.embed_tokens(ids[:, 1:]), turn, keys, values, 0, everywhere)
        yield everywhere, self.logits(hidden)
        # some positions at which a block begins, and its later places [A, J]
        later = torch.arange(1, steps, device=ids.device)
        starts = torch.randperm(n - steps, device=ids.device)[: max(1, int(n * share))]
        at = starts[:, None] + later
        x = self.fc(self.mask_hidden).expand(b, at.numel(), -1)
        tokens = inner.embed_tokens(torch.full((b, at.numel()), MASK, device=ids.device))
        q, k, v = self._heads(x, tokens, inner.rotary_emb(features, at.reshape(1, -1)))
        which = torch.arange(len(starts), device=ids.device).repeat_interleave(len(later))
        text, own = everywhere <= starts[which, None], (which[:, None] == which) & (at.reshape(-1, 1) >= at.reshape(-1))
        visible = torch.cat([text, own], 1)
        out = scaled_dot_product_attention(q, torch.cat([keys[0], k], 2), torch.cat([values[0], v], 2), attn_mask=visible)
        logits = self.logits(self._left(x, out)).view(b, len(starts), len(later), -1)
        logits = logits + self.link_lm_head(self.link_embed(ids[:, at + 1]))
        for j in range(len(later)):
            yield starts, logits[:, :, j]

    def keep(self, known: torch.Tensor) -> None:
        """From now on it drafts these ids [n] alone, ascending, where it has learned with all."""
        self.known, self.rows = known, [self.rows[0][known]]
        self.link_lm_head.weight = nn.Parameter(self.link_lm_head.weight.detach()[known])

    def about(self) -> dict:
        return super().about() | {"ptd_token_id": MASK, "block_size": self.places}


class Student(nn.Module):
    """An independent model that is distilled."""

    def __init__(self, model: LlamaForCausalLM, name: str):
        super().__init__()
        self.model, self.name = model, name

    def losses(self, ids, x, p) -> dict[str, torch.Tensor]:
        return {self.name: agree(self.model(ids).logits, p)}


def train_drafters(
    target: LlamaForCausalLM, students: dict[str, nn.Module], texts: Texts, folder: Path, minutes: float, device, rows, length, lr
) -> dict:
    """Train them together: the target's pass is shared, nothing else is. Returns the figures of the card."""
    target.requires_grad_(False).eval()
    everyone = nn.ModuleDict(students)

    def target_outputs(ids):
        with torch.no_grad(), half(device):
            x = states(target, ids)
            return x, target.lm_head(target.model.norm(x[-1])).float().softmax(-1)

    def all_losses(ids):
        x, p = target_outputs(ids)
        with half(device):
            return {key: loss for student in everyone.values() for key, loss in student.losses(ids, x, p).items()}

    @torch.inference_mode()
    def held_out():
        """Cross entropy against the target's distributions; its own entropy is the least there can be."""
        return {k: float(v) for k, v in all_losses(texts.windows("tinystories", length, rows).to(device)).items()}

    return train(
        " and ".join(students),
        everyone,
        lambda chance, _: all_losses(texts.batch(rows, length, chance).to(device)),
        held_out if "tinystories" in texts.held_out else dict,
        folder,
        minutes,
        lr,
    )


def counts_of(texts: Texts, vocabulary: int, pairs: bool = False) -> np.ndarray:
    """How often each token stands in the training text, [V], or each pair of tokens, [V·V]; the sets weighted as they are in training."""
    counts = np.zeros(vocabulary ** (1 + pairs), np.float32)
    for name, stream in texts.train.items():
        ids = stream[:-1] * vocabulary + stream[1:] if pairs else stream
        counts += (np.bincount(ids, minlength=len(counts)) * (SHARES.get(name, OTHER) * 1e6 / len(stream))).astype(np.float32)
    return counts


def bigram(texts: Texts, vocabulary: int) -> dict[str, torch.Tensor]:
    """What followed each token most often: next and count, [V, FOLLOWERS]."""
    counts = torch.from_numpy(counts_of(texts, vocabulary, pairs=True)).view(vocabulary, vocabulary)
    count, after = counts.topk(min(FOLLOWERS, vocabulary))
    return {"next": after.to(torch.int16 if vocabulary <= 32768 else torch.int32), "count": count.bfloat16()}


def frequent(counts: np.ndarray, n: int = OWN) -> torch.Tensor:
    """The ids [n] of the tokens that are most frequent by counts [V], ascending."""
    return torch.from_numpy(np.sort(np.argsort(-counts, kind="stable")[:n]))


def save_head(folder: Path, head: Heads | EagleHead) -> None:
    """By the names of its kind's checkpoints."""
    save(folder, head.tensors(), head.target[0].config, **head.about())


def save(folder: Path, tensors: dict[str, torch.Tensor], config: LlamaConfig, **about) -> None:
    """In bfloat16, with the target's config and what else is to be known."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {k: v.bfloat16().contiguous() if v.is_floating_point() else v.contiguous() for k, v in tensors.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    about = json.loads(config.to_json_string()) | {"dtype": "bfloat16"} | about
    (folder / "config.json").write_text(json.dumps(about, indent=2) + "\n")
