"""Any `AutoModelForCausalLM` over transformers' DynamicCache: what runs a model that our own forward pass does not fit."""

from functools import cached_property
from typing import Any

import torch
from transformers import DynamicCache

from ...trace.header import ModelInfo
from .base import ModelError, check_append, one_line
from .tree import Branching

CLOSE = {torch.float32: 1e-3, torch.float16: 0.05}  # of two logits of one row, where the largest is 1; other types .2


class HubModel:
    """A transformers causal language model, in evaluation mode, never changed. `source`: what it was asked for by, where that is not
    its `name`; `why`: why our own forward pass does not run it; `device`: where ids go in and logits come out, if that is not where
    its first weights lie; `spread`: where all of them lie (spread.py). Raises ModelError if it cannot roll back."""

    def __init__(self, model, name: str, source: str = "", why: str = "", device: torch.device | None = None, spread: str = ""):
        config = model.config.get_text_config()
        kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
        if config.is_encoder_decoder or not kinds <= {"full_attention", "sliding_attention"}:
            kinds.discard("full_attention")
            what = "an encoder-decoder" if config.is_encoder_decoder else f"layers of type {', '.join(sorted(kinds))}"
            raise ModelError(f"{name} has {what}: its cache cannot be rolled back")
        self.model, self.device, self.source = model.eval(), device or model.device, source or name
        self.waits = bool(spread)  # for a disk, a card, a process: that the thread rests meanwhile is no sign of a busy machine
        through = "transformers passes through {}, kernel by kernel"
        # said where it is the reason that a run is slow: a host launches nothing
        self.slow_reason = (
            f"{spread}; {through.format('them')}" if spread else through.format("it") if self.device.type != "cpu" else ""
        )
        self.vocabulary = model.get_output_embeddings().weight.shape[0]
        self.context = getattr(config, "max_position_embeddings", None) or 2048
        window = getattr(config, "sliding_window", None)
        if window and ("sliding_attention" in kinds or getattr(config, "use_sliding_window", True)):
            self.context = min(self.context, window - 1)  # below that all is exact
            full = f"its window of {window} positions cannot be rolled back once it is full, so a text ends before that"
            why = f"{why}; {full}" if why else full
        self.info = ModelInfo(
            name=name,
            family=config.model_type,
            layers=config.num_hidden_layers,
            width=config.hidden_size,
            vocabulary=self.vocabulary,
            parameters=_parameters(model),
            dtype=str(model.dtype).removeprefix("torch."),
            forward="transformers",
            why=why,
        )

        self._check(name)

    @torch.inference_mode()
    def _check(self, name: str) -> None:
        """Refuse a model that takes a cache and does not use it (XLNet, the first GPT): its cached logits would be wrong."""
        cache = DynamicCache(config=self.model.config)
        try:
            self.model(torch.zeros(1, 2, dtype=torch.long, device=self.device), past_key_values=cache, use_cache=True)
        except (TypeError, AttributeError) as error:
            raise ModelError(f"{name} does not take a cache: {error}") from None
        if cache.get_seq_length() != 2:
            raise ModelError(f"{name} does not use a cache: every token would need the whole text again")

    @cached_property
    def no_trees(self) -> str:
        """Why a block cannot branch under this model; empty if it can. Tried: of a small tree each row has the logits that its path has alone."""
        ids, parents, rows = [1, 2, 3, 4, 5], [-1, 0, 0, 2, 1], [0, 2, 3]
        tree, alone = HubSequence(self, 16), HubSequence(self, 16)
        try:
            tree.append([6, 7]), alone.append([6, 7])
            branched = tree.append_tree([i % self.vocabulary for i in ids], parents)[rows].float()
            chain = alone.append([ids[row] % self.vocabulary for row in rows]).float()
        except (TypeError, ValueError, RuntimeError, IndexError) as error:
            return one_line(error)
        far = (branched - chain).abs().max() / chain.abs().max().clamp(min=1e-9)
        return "" if far <= CLOSE.get(self.model.dtype, 0.2) else "it attends to all that is before a token"

    def sequence(self, capacity: int) -> "HubSequence":
        return HubSequence(self, min(capacity, self.context))


def _parameters(model) -> int:
    """A tied matrix counts once, also where its two names are of two tensors because it lies on a disk."""
    tied = getattr(model, "all_tied_weights_keys", {})
    return sum({tied.get(name, name): weight.numel() for name, weight in model.named_parameters()}.values())


class HubSequence(Branching):
    """One text's DynamicCache."""

    def __init__(self, owner: HubModel, capacity: int):
        super().__init__()
        self.owner, self.model, self.device, self.slow_reason = owner, owner.model, owner.device, owner.slow_reason
        self.capacity = capacity
        self.cache = DynamicCache(config=owner.model.config)

    @torch.inference_mode()
    def append(self, ids, keep: int | None = None, parents=None) -> torch.Tensor:
        check_append(len(ids), self.length, self.capacity)
        self.tree.check(len(ids), parents)
        if parents is not None:
            if why := self.owner.no_trees:
                raise ValueError(f"{self.owner.info.name} takes no block that branches: {why}")
            return self.append_tree(ids, parents, keep)
        return self._pass(ids, keep)

    def append_tree(self, ids, parents, keep: int | None = None) -> torch.Tensor:
        """By a mask over all positions, [1, 1, n, length + n], as transformers' attention takes one."""
        settled, first = self.settled, len(self.tree)
        self.tree.add(parents)
        mask = torch.full((1, 1, len(ids), self.length + len(ids)), torch.finfo(self.model.dtype).min, dtype=self.model.dtype)
        mask[..., :settled] = 0
        for m in range(len(ids)):
            mask[0, 0, m, [settled + row for row in self.tree.path(first + m)]] = 0
        at = settled + torch.tensor(self.tree.depths[first:], device=self.device)
        return self._pass(ids, keep, attention_mask=mask.to(self.device), position_ids=at[None])

    @torch.inference_mode()
    def _pass(self, ids, keep: int | None, **more) -> torch.Tensor:
        ids = torch.as_tensor(ids, device=self.device)[None]
        keep = ids.shape[1] if keep is None else min(keep, ids.shape[1])
        out = self.model(ids, past_key_values=self.cache, use_cache=True, logits_to_keep=keep, **more)
        self.grow(ids.shape[1])
        return out.logits[0]

    @torch.inference_mode()
    def _gather(self, settled: int, path) -> None:
        layers: list[Any] = self.cache.layers
        for layer in layers:
            for part in (layer.keys, layer.values):
                rows = torch.tensor([settled + row for row in path], device=part.device)
                part[:, :, settled : settled + len(path)] = part.index_select(2, rows)

    def _crop(self, length: int) -> None:
        if length < self.length:
            self.cache.crop(length - self.length)  # a negative count removes that many
