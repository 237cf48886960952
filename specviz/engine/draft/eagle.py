"""Draft with an EAGLE head: one decoder layer over the target's features and the embedding of the token that follows, run
autoregressively on what it made itself (Li et al. 2024, arXiv 2401.15077 §3). Features of a low, a middle and a high layer are
fused, as in EAGLE-3 (arXiv 2503.01840 §3.1). Of a tree each token takes the feature that the head made after its parent.

A head's position i holds what was made of the target's feature at i and of the token after it, x[i + 1]; so a text of n tokens
has n − 1 of them, and the last one drafts token n.

Read as EAGLE-3 checkpoints are written: fc [width, 3·width], or n·width where the config names n layers; midlayer., or layers.0., with
input_layernorm (token), hidden_norm (feature) and q, k, v of 2·width columns; of a head of several layers those of a Llama from layers.1.
on; norm; and, where the head's vocabulary is its own, lm_head, d2t (what to add to an id of the head's) and t2d. Without lm_head the
target's head is used: its rows that d2t names, or all. Names say how many layers there are: the config is often a copy of the target's.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..model import ForwardStep, Model, ModelError, Shape, Weights, rotation
from ..models.llama import Llama, LlamaSequence, why_not_ours
from ..sampling import BLOCK_SIZE, BLOCKS, Array, concatenate, count_numbers, shape_of, stored_array
from .base import NO_DRAFT, Block, CachedSession, DraftContext, Drafter, draft_head, forward, last_features_and_logits
from .branch import grow_tree


def needs_features(target: Model, what: str) -> Llama:
    """The target, if its features can be had; raises ModelError with the reason if not."""
    if isinstance(target, Llama):
        return target
    raise ModelError(
        f"{what} need a target that runs in our own forward pass; {target.info.name} does not: {target.info.why or target.info.family}"
    )


class Features:
    """The target's features of one text, as its passes go by: which rows are new since the last look."""

    def __init__(self, context: DraftContext, layers: tuple[int, ...]):
        self.sequence, self.layers = cast(LlamaSequence, context.target), layers  # of no other target: needs_features
        self.sequence.taps = layers
        self.length = 1  # of the text whose features were taken, and its one token that never was fed

    def new_rows(self, length: int) -> list[Array]:
        """By layer, the rows of the positions that the text gained now that it is `length` tokens long; the rows of what
        was rejected are left out."""
        gained, self.length = length - self.length, length
        return [self.sequence.tapped[layer][:gained] for layer in self.layers]


LAYER_IDS = "eagle_aux_hidden_state_layer_ids"
AS_OURS = {  # of a head's config, at the top or under `eagle_config`: what our head does
    "norm_before_residual": False,
    "norm_before_fc": False,
    "norm_output": False,
    "fc_norm": False,
    "use_mtp_layernorm": False,
    "use_aux_hidden_state": True,
    "use_input_layernorm_in_first_layer": True,
    "use_last_layernorm": True,
}
# what else may stand there: it is read, or says again what the weights say, or changes nothing
KNOWN = {LAYER_IDS} | set(
    """
    eagle_config num_aux_hidden_states target_hidden_size draft_vocab_size ptd_token_id pard_token block_size hidden_size
    intermediate_size num_attention_heads num_key_value_heads num_hidden_layers max_position_embeddings vocab_size
    rms_norm_eps hidden_act tie_word_embeddings rope_parameters rope_scaling rope_theta head_dim attention_bias mlp_bias
    sliding_window use_sliding_window max_window_layers layer_types model_type architectures dtype torch_dtype
    transformers_version bos_token_id eos_token_id pad_token_id initializer_range pretraining_tp use_cache attention_dropout
    _name_or_path speculators_model_type speculators_config speculators_version has_no_defaults_at_init embed_requires_grad
    """.split()
)


def fused_layers(layers: int, config=None) -> tuple[int, ...]:
    """Whose inputs are fused: the layers that the head's config names, at the top by their inputs (vLLM's way), under `eagle_config`
    by their outputs (SGLang's); else the layer after the second, the middle one, and the third from last (EAGLE-3's code)."""
    named, inner = getattr(config, LAYER_IDS, None), _inner(getattr(config, "eagle_config", None)).get(LAYER_IDS)
    if not named and isinstance(inner, list):
        named = [id + 1 if type(id) is int else id for id in inner]
    return (*(named if isinstance(named, list | tuple) else [named]),) if named else (2, layers // 2, layers - 3)


def _inner(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def refuse_unread(config, name: str) -> None:
    """Raises ModelError for what a head's config asks for and ours does not do."""
    inner = _inner(getattr(config, "eagle_config", None))
    for key, ours in AS_OURS.items():
        if (value := inner.get(key, getattr(config, key, ours))) not in (ours, None):
            raise ModelError(f"{name} cannot draft here: its config says {key} {str(value)[:40]}, which is not read")


def unknown_keys(fields: dict[str, Any]) -> str:
    """What is to be known of a head whose config says more than is read; empty if it does not."""
    names = fields.keys() | _inner(fields.get("eagle_config")).keys()
    unknown = sorted(name[:60] for name in names - {*AS_OURS, *KNOWN})
    return f"its config names what is not read: {', '.join(unknown[:8])}" if unknown else ""


def layer_names(weights: Weights) -> list[str]:
    """What the names of each layer begin with; the first takes tokens and features."""
    names = ["layers.0." if "layers.0.hidden_norm.weight" in weights else "midlayer."]
    while f"layers.{len(names)}.input_layernorm.weight" in weights:
        names.append(f"layers.{len(names)}.")
    return names


def block_bytes(count: int) -> int:
    """Of so many numbers in blocks of 8 bits."""
    return count * BLOCKS["Q8_0"].itemsize // BLOCK_SIZE


class Eagle(Drafter):
    """A head for the target `model` from a state dict. Raises ModelError if it does not fit."""

    kind = "eagle"
    branches = True

    def __init__(self, model: Model, weights: dict[str, Array], name: str, config=None):
        """`config`: the head's, as transformers reads it; its layer is shaped and rotated as the target's if None."""
        self.target = target = needs_features(model, "EAGLE heads")
        layers, width = target.info.layers, target.shape.width
        if layers < 6:
            raise ModelError(f"EAGLE heads fuse three layers of a target of 6 or more; {target.info.name} has {layers}")
        parts = target.weights(weights, name)
        if target.info.arithmetic and all(shape_of(part)[1] % BLOCK_SIZE == 0 for part in weights.values() if part.ndim > 1):
            parts.dtype = "Q8_0"  # a head of 16 bits over a target of 4 would read half as much as that
        if "fc.weight" not in parts:
            raise ModelError(f"{name} is no EAGLE-3 head: the checkpoint lacks fc.weight")
        refuse_unread(config, name)
        self.taps = taps = fused_layers(layers, config)
        if not all(type(id) is int and 0 <= id < layers for id in taps):
            raise ModelError(f"{name} fuses layers {str(taps)[:60]}; {target.info.name} has layers 0 to {layers - 1}")
        if config and (reason := why_not_ours(config)):
            raise ModelError(f"{name}: our forward pass does not do {reason}")
        self.shape = replace(Shape.of(config) if config else target.shape, family="llama")
        if self.shape.width != width:
            raise ModelError(f"{name} is {self.shape.width} wide and {target.info.name} {width}: it is the head of another model")
        backend = target.backend
        self.rope = backend.rope_cache(rotation(config, target.context)) if config else target.rope
        if (fused := parts.size("fc.weight", -1) / width) != len(taps):
            why = f"not {len(taps)}: its config must name them ({LAYER_IDS})"
            raise ModelError(f"{name} fuses {fused:g} layers of {width} numbers (fc.weight), {why}")
        self.fuse = backend.Linear(parts.take("fc.weight", width, len(taps) * width))
        names = layer_names(parts)
        entry = backend.Entry(self.shape.norm(parts, f"{names[0]}input_layernorm.weight"))
        first = self.shape.layer(parts, names[0], norm="hidden_norm", columns=2 * width)
        self.layers = backend.pack_layers([first, *(self.shape.layer(parts, at) for at in names[1:])], len(names))
        norm, matrix, columns = self.shape.norm(parts, "norm.weight"), target.step.head.matrix, None
        own_head = "lm_head.weight" in parts
        if own_head or "d2t" in parts:
            shift = parts.tensors.pop("d2t", None)
            rows = parts.size("lm_head.weight", 0) if own_head else len(shift) if shift is not None and shift.ndim == 1 else 0
            own = backend.Linear(parts.take("lm_head.weight", rows, width)) if own_head else None
            shift = np.zeros(rows, np.int64) if shift is None else stored_array(shift).astype(np.int64)
            columns = np.arange(rows) + shift if shift.shape == (rows,) else np.array([-1])
            if not rows or columns[0] < 0 or columns[-1] >= target.vocabulary or (np.diff(columns) < 1).any():
                raise ModelError(f"{name}: d2t does not map its {rows} tokens, in order, into the target's {target.vocabulary}")
            if own is not None:
                matrix = own
            else:
                held = parts.dtype if target.info.arithmetic else target.info.dtype
                matrix = backend.Linear(backend.convert(backend.Table(matrix)(columns.tolist()), held))
            columns = backend.index_array(columns.tolist())
        self.step = ForwardStep(
            target.step.embed, backend.Head(norm, matrix), entry, columns=columns, vocabulary=target.vocabulary
        )
        for known in "t2d", "d2t", "embed_tokens.weight":  # t2d says again what d2t says; the embedding is the target's
            parts.tensors.pop(known, None)
        if parts.tensors:
            raise ModelError(f"{name}: the checkpoint holds {next(iter(parts.tensors))}, which our EAGLE head would leave out")
        count = count_numbers(weights)
        self.info = replace(target.info, name=name, family="EAGLE head", layers=len(names), parameters=count, size=0)
        if target.info.arithmetic:
            arithmetic, size = (target.info.arithmetic, block_bytes(count)) if parts.dtype in BLOCKS else ("", 0)
            self.info = replace(self.info, dtype=parts.dtype, size=size, arithmetic=arithmetic)

    def begin(self, context: DraftContext) -> "EagleSession":
        return EagleSession(self, context)


class EagleSession(CachedSession):
    """The cache holds true positions, made of the target's features, then within a block those made of the head's own; the
    latter are rolled back, and made again of features once the target has verified."""

    def __init__(self, eagle: Eagle, context: DraftContext):
        backend = eagle.target.backend
        super().__init__(context, backend.stack(eagle.layers, eagle.shape, eagle.rope, context.capacity, eagle.step.head))
        self.eagle, self.features = eagle, Features(context, eagle.taps)
        self.open = self.fused = backend.no_features(eagle.shape.width)

    def prefill(self, tokens: list[int]) -> None:
        if not tokens:
            return
        self._append_features(len(tokens) + 1)
        if len(tokens) > 1:
            forward(self.cache, *self.eagle.step.inputs(tokens[1:], self.fused[:-1]))
            self.fused = self.fused[-1:]

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        if len(tokens) < 2:
            return NO_DRAFT  # nothing was fed to the target yet, so there is no feature to start from
        feed = tokens[self.cache.length + 1 :]
        block = draft_head(self.context, self.cache, self.eagle.step, feed, k, u, self.fused)
        self.forwards += len(block.ids)
        return block

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        if len(tokens) < 2:
            return NO_DRAFT
        feed, features, step = tokens[self.cache.length + 1 :], self.fused, self.eagle.step
        # features after the text, then after each token that is fed
        features_fed, first = last_features_and_logits(self.cache, step, feed, features, 1)

        def level(ids: list[int], parents: list[int]) -> Array:
            nonlocal features_fed
            self.forwards += 1
            before = features_fed[[parent + 1 for parent in parents]]
            out, logits = last_features_and_logits(self.cache, step, ids, before, len(ids), parents)
            features_fed = concatenate([features_fed, out])
            return logits

        self.forwards += 1
        return grow_tree(self.context, depth, u, first, level)

    def observe(self, tokens: list[int]) -> None:
        true = min(self.cache.length, max(0, self.features.length - 1))
        self.fused = self.fused[len(self.fused) - (self.features.length - 1 - true) :]
        self.cache.rollback(true)
        self._append_features(len(tokens))

    def _append_features(self, length: int) -> None:
        """The fused features of the positions that a text of `length` tokens has gained, and after them those of places that are `open`."""
        gained = self.features.new_rows(length)
        self.features_with_open = concatenate([self.fused, self.eagle.fuse(concatenate(gained, -1)), self.open])
        self.fused = self.features_with_open[: len(self.features_with_open) - len(self.open)]
