"""Draft with multi-token heads: sequential modules on the target's hidden state (DeepSeek-V3 report, arXiv 2412.19437 §2.2;
Gloeckle et al. 2024 for the idea of training more than one token ahead).

Module j takes the hidden state that module j − 1 made at a position (the target's, after its last norm, for the first one) and
the token j ahead, and gives the one after that. They share the target's embedding and head. In a block longer than there are
modules the last one runs again on what it made itself, as serving engines do with checkpoints of a single module.

Two ways to write them are read, from a folder of their own or from the target's checkpoint:
DeepSeek's names   model.layers.{L + j}. enorm hnorm eh_proj [token, hidden] … shared_head.norm
MiMo's names       model.mtp_layers.{j}. token_layernorm hidden_layernorm input_proj [hidden, token] … final_layernorm
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..model import ForwardStep, Model, ModelError
from ..sampling import Array, concatenate, count_numbers
from .base import NO_DRAFT, Block, CachedSession, DraftContext, Drafter, draft_modules, forward
from .branch import grow_tree
from .eagle import Features, needs_features


@dataclass(frozen=True, slots=True)
class Names:
    """How a family of checkpoints names the parts of a module. `token_first`: the order in which its `join` takes its two inputs."""

    at: str
    token_norm: str
    hidden_norm: str
    join: str
    norm: str
    token_first: bool
    embedding: str = ""  # where copies of the target's embedding and of its head are stored again
    head: str = ""


DEEPSEEK = Names("model.layers.{}.", "enorm", "hnorm", "eh_proj", "shared_head.norm", True, "embed_tokens", "shared_head.head")
MIMO = Names("model.mtp_layers.{}.", "token_layernorm", "hidden_layernorm", "input_proj", "final_layernorm", False)


@dataclass(frozen=True, slots=True)
class Module:
    """One head: its step, and its one layer as the target's backend holds it."""

    step: ForwardStep
    layers: Sequence


class MTP(Drafter):
    """Heads for the target `model` from a state dict. Raises ModelError if there are none, or they do not fit."""

    kind = "mtp"
    branches = True

    def __init__(self, model: Model, weights: dict[str, Array], name: str):
        self.target = target = needs_features(model, "multi-token heads")
        parts, shape, backend = target.weights(weights, name), target.shape, target.backend
        first = {DEEPSEEK: target.info.layers, MIMO: 0}
        names = next((n for n in first if f"{n.at.format(first[n])}{n.join}.weight" in parts), None)
        if names is None:
            ours = name == target.info.name
            whose = "comes with no multi-token heads" if ours else f"has no multi-token heads for {target.info.name}"
            raise ModelError(f"{name} {whose}: no weight has a name that DeepSeek or MiMo use for layer {target.info.layers}")
        self.modules: list[Module] = []
        at = names.at.format(first[names])
        while f"{at}{names.join}.weight" in parts:
            stored, again = (parts.tensors.get(f"{at}{part}.weight") for part in (names.embedding, names.head))
            if stored is not None and not target.embedding.equals(stored):
                raise ModelError(f"{name}: {at}{names.embedding} differs from the target's embedding, which these heads share")
            matrix = target.step.head.matrix
            if again is not None and not matrix.equals(again):
                matrix = backend.Linear(parts.take(f"{at}{names.head}.weight", target.vocabulary, shape.width))
            norms = [shape.norm(parts, f"{at}{norm}.weight") for norm in (names.token_norm, names.hidden_norm)]
            join = parts.take(f"{at}{names.join}.weight", shape.width, 2 * shape.width)
            if not names.token_first:
                join = concatenate([join[:, shape.width :], join[:, : shape.width]], 1)
            head = backend.Head(shape.norm(parts, f"{at}{names.norm}.weight"), matrix)
            step = ForwardStep(target.step.embed, head, backend.Entry(*norms, backend.Linear(join)))
            module = Module(step, backend.pack_layers([shape.layer(parts, at)], 1))
            self.modules.append(module)
            at = names.at.format(first[names] + len(self.modules))
        count = len(self.modules)
        own = count_numbers(weights)
        self.info = replace(target.info, name=name, family="multi-token heads", layers=count, parameters=own, size=0)

    def begin(self, context: DraftContext) -> "MTPSession":
        return MTPSession(self, context)


class ModuleRun:
    """One module's run: its KV cache, and the hidden states that it takes, from position `base` on."""

    def __init__(self, inputs: Array, step: ForwardStep, stack: Any):
        self.inputs, self.step, self.stack, self.base = inputs, step, stack, 0

    @property
    def waiting(self) -> Array:
        """The hidden states that it has not taken yet."""
        return self.inputs[self.stack.length - self.base :]

    def feed(self, until: int, tokens: list[int]) -> Array:
        """Take the positions up to `until`, `tokens` being those that they take; return what comes out [n, width]."""
        x, _ = self.step.inputs(tokens, self.waiting[: until - self.stack.length])
        return forward(self.stack, x)

    def take(self, rows: Array) -> None:
        self.inputs = concatenate([self.inputs, rows])

    def cut(self, length: int, end: int) -> None:
        """Forget the positions from `length` on, and the hidden states but those from there to `end`."""
        self.stack.rollback(length)
        self.inputs, self.base = self.inputs[length - self.base : end - self.base], length


class MTPSession(CachedSession):
    """Run j runs module j, or the last one. A position is true where the tokens that made it belong to the text, which in run j are those
    before n − 1 − j of a text of n tokens; the others took drafted tokens and are rolled back."""

    def __init__(self, mtp: MTP, context: DraftContext):
        target = mtp.target
        self.features, self.norm = Features(context, (target.info.layers,)), target.step.head.norm
        modules = (mtp.modules + mtp.modules[-1:] * context.max_block)[: max(1, context.max_block)]
        stacks = target.backend.module_stacks(
            [module.layers for module in modules], target.shape, target.rope, context.capacity, target.step.head
        )
        none = target.backend.no_features(target.shape.width)
        self.modules = [ModuleRun(none, module.step, stack) for module, stack in zip(modules, stacks, strict=True)]
        super().__init__(context, stacks[0])  # graphs and kernels of all modules are the same

    def prefill(self, tokens: list[int]) -> None:
        if tokens:
            self._append_features(len(tokens) + 1)
            for j, run in enumerate(self.modules[: len(tokens) - 1]):
                end = len(tokens) - 1 - j
                self._pass_features_on(j, run.feed(end, tokens[run.stack.length + j + 1 : end + j + 1]))

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        runs = self.modules[:k]
        if len(tokens) < 2 or not runs:
            return NO_DRAFT  # nothing was fed to the target yet, so there is no feature to start from
        start = min(run.stack.length + j + 1 for j, run in enumerate(runs))  # of the text, by all that draft now
        block = draft_modules(self.context, runs, tokens[start:], start, u, self._pass_features_on)
        self.forwards += len(block.ids)
        return block

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        """The product of the heads' top guesses (Medusa, Cai et al. 2024 §2.1.2): each head runs once, after the first guess of
        the head before it, and what it gives stands under every token of its level."""
        runs = self.modules[:depth]
        if len(tokens) < 2 or not runs:
            return NO_DRAFT
        main, at = list(tokens), 0  # the text and the first guess of each head so far

        def row() -> Array:
            nonlocal at
            run, end = runs[at], len(tokens) - 1
            out = run.feed(end, main[run.stack.length + at + 1 : end + at + 1])
            self._pass_features_on(at, out)
            self.forwards += 1
            at += 1
            return run.step.logits(out[-1:])

        def level(ids: list[int], parents: list[int]) -> Array:
            main.append(ids[0])
            return concatenate([row()] * len(ids))

        return grow_tree(self.context, depth, u, row(), level)

    def observe(self, tokens: list[int]) -> None:
        before, end = self.features.length, len(tokens) - 1
        self._append_features(len(tokens))
        for j, run in enumerate(self.modules):
            true = min(run.stack.length, max(0, before - 1 - j))
            run.cut(true, end)
            end = true

    def _append_features(self, length: int) -> None:
        """The target's hidden states of the positions that a text of `length` tokens has gained."""
        [gained] = self.features.new_rows(length)
        self.modules[0].take(self.norm(gained))

    def _pass_features_on(self, j: int, out: Array) -> None:
        """What came out of module j to the module after it."""
        if j + 1 < len(self.modules):
            self.modules[j + 1].take(out)
