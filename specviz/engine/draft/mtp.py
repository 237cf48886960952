"""Draft with multi-token heads: sequential modules on the target's hidden state (DeepSeek-V3 report, arXiv 2412.19437 §2.2;
Gloeckle et al. 2024 for the idea of training more than one token ahead).

Module j takes the hidden state that module j − 1 made at a position (the target's, after its last norm, for the first one) and
the token j ahead, and gives the one after that. They share the target's embedding and head. In a block longer than there are
modules the last one runs again on what it made itself, as serving engines do with checkpoints of a single module.

Two ways to write them are read, from a folder of their own or from the target's checkpoint:
DeepSeek's names   model.layers.{L + j}. enorm hnorm eh_proj [token, hidden] … shared_head.norm
MiMo's names       model.mtp_layers.{j}. token_layernorm hidden_layernorm input_proj [hidden, token] … final_layernorm
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from ..models.base import Model, ModelError, check_append
from ..models.layers import Entry
from ..models.llama import Llama
from ..models.static import GRAPHED, Standing
from .base import NOTHING, Block, Growing, Start
from .heads import Features, in_blocks, needs_features


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
    entry: Entry
    layers: Sequence  # the one, as what runs it takes it
    head: Callable

    def inputs(self, hidden: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        """hidden and token embeddings [n, width] → what the layer takes [n, width]."""
        return self.entry(hidden, tokens)[0]

    def logits(self, out: torch.Tensor) -> torch.Tensor:
        """What left the layer [n, width] → [1, V] after the last of them."""
        return self.head(out[-1:])


class MTP:
    """Heads for the target `model` from a state dict. Raises ModelError if there are none, or they do not fit."""

    def __init__(self, model: Model, weights: dict[str, torch.Tensor], name: str):
        self.target = target = needs_features(model, "multi-token heads")
        parts, shape, way = target.weights(weights, name), target.shape, target.way
        first = {DEEPSEEK: target.info.layers, MIMO: 0}
        names = next((n for n in first if f"{n.at.format(first[n])}{n.join}.weight" in parts), None)
        if names is None:
            ours = name == target.info.name
            whose = "comes with no multi-token heads" if ours else f"has no multi-token heads for {target.info.name}"
            raise ModelError(
                f"{name} {whose}: none begins at layer {target.info.layers}, as DeepSeek names them, or as MiMo does"
            )
        self.modules: list[Module] = []
        at = names.at.format(first[names])
        while f"{at}{names.join}.weight" in parts:
            stored, again = (parts.tensors.get(f"{at}{part}.weight") for part in (names.embedding, names.head))
            if stored is not None and not target.embedding.holds(stored):
                raise ModelError(f"{name}: {at}{names.embedding} differs from the target's embedding, which these heads share")
            matrix = target.head.matrix
            if again is not None and not matrix.holds(again):
                matrix = way.Linear(parts.take(f"{at}{names.head}.weight", target.vocabulary, shape.width))
            norms = [shape.norm(parts, f"{at}{norm}.weight") for norm in (names.token_norm, names.hidden_norm)]
            join = parts.take(f"{at}{names.join}.weight", shape.width, 2 * shape.width)
            if not names.token_first:
                join = join.roll(shape.width, 1)  # its columns
            module = Module(
                entry=way.Entry(*norms, way.Linear(join)),
                layers=way.lay([shape.layer(parts, at)], 1),
                head=way.Head(shape.norm(parts, f"{at}{names.norm}.weight"), matrix),
            )
            self.modules.append(module)
            at = names.at.format(first[names] + len(self.modules))
        count = len(self.modules)
        own = sum(w.numel() for w in weights.values())
        self.info = replace(target.info, name=name, family="multi-token heads", layers=count, parameters=own)

    def begin(self, start: Start) -> "MTPDrafting":
        return MTPDrafting(self, start)


class Lane:
    """One module's run: its cache, and the hidden states that it takes, from position `base` on."""

    def __init__(self, target: Llama, module: Module, stack):
        self.target, self.module, self.stack = target, module, stack
        self.inputs = torch.empty(0, target.shape.width, dtype=target.dtype, device=target.device)
        self.base = 0

    @property
    def waiting(self) -> torch.Tensor:
        """The hidden states that it has not taken yet."""
        return self.inputs[self.stack.length - self.base :]

    def feed(self, until: int, tokens: list[int]) -> torch.Tensor:
        """Take the positions up to `until`, `tokens` being those that they take; return what comes out [n, width]."""
        hidden = self.waiting[: until - self.stack.length]
        return in_blocks(self.stack, self.module.inputs(hidden, self.target.embed(tokens)))

    def draft(self, tokens: list[int], plainly: tuple[int, bool, float], u: torch.Tensor | None):
        """`feed` all that waits and draw a token, in one compiled call: its id, q [1, V] or None, what comes out."""
        target, module = self.target, self.module
        [id], q = self.stack.draft(target.embed, module.head, tokens, 1, None, *plainly, u, self.waiting, module.entry)
        return id, q, self.stack.left

    def cut(self, length: int, end: int) -> None:
        """Forget the positions from `length` on, and the hidden states but those from there to `end`."""
        self.stack.rollback(length)
        self.inputs, self.base = self.inputs[length - self.base : end - self.base], length


class MTPDrafting:
    """Lane j runs module j, or the last one. A position is true where the tokens that made it belong to the text, which in lane j are those
    before n − 1 − j of a text of n tokens; the others took drafted tokens and are rolled back."""

    def __init__(self, mtp: MTP, start: Start):
        self.mtp, self.start, self.target = mtp, start, mtp.target
        self.features = Features(start, (mtp.target.info.layers,))
        modules = (mtp.modules + mtp.modules[-1:] * start.most)[: max(1, start.most)]
        stacks = mtp.target.lanes([module.layers for module in modules], start.capacity)
        self.lanes = [Lane(mtp.target, module, stack) for module, stack in zip(modules, stacks, strict=True)]
        self.forwards = 0

    @property
    def length(self) -> int:
        return self.lanes[0].stack.length

    @property
    def eager(self) -> str:
        stack = self.lanes[0].stack  # the graphs and kernels of all lanes are the same
        return stack.eager or ("" if self.start.stays(stack) else self.start.waits)

    def prefill(self, tokens: list[int]) -> None:
        if tokens:
            self._take(len(tokens) + 1)
            for j in range(min(len(self.lanes), len(tokens) - 1)):
                self._feed(j, len(tokens) - 1 - j, tokens)

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        k = min(k, len(self.lanes))
        if len(tokens) < 2 or not k:
            return NOTHING  # nothing was fed to the target yet, so there is no feature to start from
        taken = min(lane.stack.length + j + 1 for j, lane in enumerate(self.lanes[:k]))  # of the text, by all that draft now
        first = self.lanes[0].stack
        if self.start.stays(first) and len(tokens) - 1 - self.lanes[k - 1].stack.length <= GRAPHED:
            return self._chain(first.standing, tokens, taken, k, u)
        written = tokens[taken:]
        if hasattr(first, "draft") and self.start.plainly:  # where passes are compiled
            return self._draft(written, taken, k, u, self.start.plainly)
        growing = Growing(self.start, k, u)
        while growing.open:
            j = len(growing.ids)
            out, module = self._feed(j, len(tokens) - 1, written, taken), self.lanes[j].module
            written = [*written, growing.draw(module.logits(out))]
            self.forwards += 1
        return growing.block()

    def _draft(self, written: list[int], taken: int, k: int, u: torch.Tensor | None, plainly: tuple[int, bool, float]) -> Block:
        """k lanes, each in one call. `written`: the text from `taken` on."""
        ids: list[int] = []
        rows: list[torch.Tensor] = []
        for j, lane in enumerate(self.lanes[:k]):
            feed = [*written, *ids][lane.stack.length + j + 1 - taken :]
            id, q, out = lane.draft(feed, plainly, None if u is None else u[j : j + 1])
            ids.append(id)
            rows += [] if q is None else [q]
            self._hand(j, out)
        self.forwards += k
        return Block(ids, torch.cat(rows) if rows else None)

    def _chain(self, standing: Standing, tokens: list[int], taken: int, k: int, u: torch.Tensor | None) -> Block:
        """All k lanes in one launch, after which no id has left the device."""
        lanes, end, target, (pick, picked) = self.lanes[:k], len(tokens) - 1, self.target, self.start.picks()
        modules, given, feeds = [lane.module for lane in lanes], [lane.waiting for lane in lanes], []
        first = lanes[0].stack
        for j, stack in enumerate(lane.stack for lane in lanes):
            check_append(end - stack.length, stack.length, stack.capacity)
            # where in the text and where in the cache, and how many
            feeds.append((j + 1 + stack.length - taken, stack.length - first.length, end - stack.length))

        def whole(written, *given):  # holds nothing of the run: a recording outlives it
            given, u, degrees = (given[:k], *given[k:]) if len(given) > k else (given, None, None)
            ids: list[torch.Tensor] = []
            rows: list[torch.Tensor] = []
            outs: list[torch.Tensor] = []
            for j, (module, (text, on, n)) in enumerate(zip(modules, feeds, strict=True)):
                hidden = torch.cat([given[j], outs[-1]]) if outs else given[j]
                outs.append(standing.through(module.inputs(hidden, target.embed(written[text : text + n])), on, lane=j))
                id, q = pick(module.logits(outs[-1]), u[j : j + 1] if u is not None else None, degrees)
                ids.append(id)
                rows.append(q)
                written = torch.cat([written, id])
            return (torch.cat(ids), *outs) if u is None else (torch.cat(ids), *outs, torch.cat(rows))

        standing.start.fill_(first.length)
        key = "lanes", picked, tuple(feeds), len(tokens) - taken, u is None
        ids, *outs = standing.replayed(
            key, whole, target.ids(tokens[taken:]), *given, *self.start.chance(None if u is None else u[:k])
        )
        q = None if u is None else outs.pop()
        for j, (lane, out) in enumerate(zip(lanes, outs, strict=True)):
            lane.stack.length = end
            self._hand(j, out)
        self.forwards += k
        return Block(ids, q)

    def observe(self, tokens: list[int]) -> None:
        before, end = self.features.length, len(tokens) - 1
        self._take(len(tokens))
        for j, lane in enumerate(self.lanes):
            true = min(lane.stack.length, max(0, before - 1 - j))
            lane.cut(true, end)
            end = true

    def _take(self, length: int) -> None:
        """The target's hidden states of the positions that a text of `length` tokens has gained."""
        [gained] = self.features.new(length)
        self.lanes[0].inputs = torch.cat([self.lanes[0].inputs, self.target.norm(gained)])

    def _feed(self, j: int, until: int, tokens: list[int], taken: int = 0) -> torch.Tensor:
        """Feed lane j the positions up to `until`, and hand what comes out to the lane after it. `tokens`: the text from `taken` on."""
        lane = self.lanes[j]
        out = lane.feed(until, tokens[lane.stack.length + j + 1 - taken : until + j + 1 - taken])
        self._hand(j, out)
        return out

    def _hand(self, j: int, out: torch.Tensor) -> None:
        """What came out of lane j to the lane after it."""
        if j + 1 < len(self.lanes):
            after = self.lanes[j + 1]
            after.inputs = torch.cat([after.inputs, out])
