"""Any `AutoModelForCausalLM` over transformers' DynamicCache: what runs a model that our own forward pass does not fit.

What its caches keep of a text, layer by layer, and how they are put back to an earlier length:

layer       keeps                                   put back by
full        keys and values of every position       a cut
window      those of the last positions             a cut, as far as they reach; else the text is fed again
state       numbers that every token changes        a copy from before the block, and its kept tokens fed again
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from inspect import signature
from typing import Any

import torch
from transformers import DynamicCache, cache_utils

from ...trace.events import ModelInfo
from ..machine import device_seconds
from ..model import MAX_ROWS, Capabilities, Model, ModelError, TreeCache, check_append, one_line, rope_parameters

WINDOW = cache_utils.DynamicSlidingWindowLayer
NAMES = "DynamicLayer", "DynamicIndexedLayer", "DummyLayer"  # transformers 5.17 has no DummyLayer yet
CUTTABLE = {WINDOW, *(getattr(cache_utils, name) for name in NAMES if hasattr(cache_utils, name))}
MASKED_KINDS = ("full_attention", "sliding_attention", "chunked_attention")
RECOMPUTES = ("phi3", "phimoe", "phi4_multimodal")  # whose generate() feeds a text again where it outgrows the short factors


@dataclass(slots=True)
class Replay:
    """What it has cost so far that a cache cannot be cut: `positions` that were fed again, `seconds` for that and for copies."""

    positions: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LayerKinds:
    """Of a model's layers: `own_cache`, the class of its cache where it takes no other (MiniMax); `windows`, of each
    kind of attention, None where it has none; `chunked`, whether a window begins anew at its multiples (Llama 4); `state_layers`:
    how many keep a state that cannot be cut."""

    config: Any
    own_cache: Any
    windows: dict[str, int | None]
    chunked: bool
    state_layers: int

    @classmethod
    def of(cls, model) -> "LayerKinds":
        config, layers = model.config.get_text_config(), DynamicCache(config=model.config).layers
        names = getattr(config, "layer_types", None) or ["full_attention"] * len(layers)
        members = vars(import_module(type(model).__module__)).values()
        own_cache = [
            kind for kind in members if isinstance(kind, type) and issubclass(kind, DynamicCache) and kind is not DynamicCache
        ]
        windows = [getattr(layer, "sliding_window", None) for layer in layers]
        cuttable = (
            type(layer) in CUTTABLE and not (own_cache and name == "linear_attention")
            for layer, name in zip(layers, names, strict=False)
        )
        return cls(
            config,
            own_cache[0] if own_cache else None,
            # a layer that reads another's keys keeps none, and has no window here
            {
                n: max((w for m, w in zip(names, windows, strict=False) if m == n and w), default=None)
                for n in names
                if n in MASKED_KINDS
            },
            "chunked_attention" in names,
            sum(not cut for cut in cuttable),
        )

    @property
    def window(self) -> int | None:
        """The smallest, None where every layer keeps all positions."""
        return min((reach for reach in self.windows.values() if reach), default=None)

    @property
    def held_positions(self) -> int | None:
        """Positions that each layer keeps at least, where some let go of any: also a tree's last row finds its window whole."""
        return None if self.state_layers or not self.window else self.window + MAX_ROWS - 1

    def cache(self) -> DynamicCache:
        """An empty one. Its windows keep what they have let go of until they are cut, so that a block can be taken back."""
        if self.own_cache:
            return self.own_cache()
        cache = DynamicCache(config=self.config)
        for layer in cache.layers if not self.state_layers else ():
            if isinstance(layer, WINDOW):
                layer.sliding_window += MAX_ROWS  # the mask is of the model's own window
                layer.activate_past_recording()
        return cache


def longrope_switch(config) -> int | None:
    """The longest text whose positions are rotated by the short factors; one that is longer has all its positions rotated by others."""
    rope = rope_parameters(config)
    for parameters in (rope, *(value for value in rope.values() if isinstance(value, dict))):
        if parameters.get("rope_type") == "longrope":
            at = parameters.get("original_max_position_embeddings") or getattr(config, "original_max_position_embeddings", None)
            return at if at and at < config.max_position_embeddings else None
    return None


def is_filled(cache: DynamicCache) -> bool:
    values = [value for part in (cache, *cache.layers) for value in vars(part).values()]
    return any(
        isinstance(one, torch.Tensor) for value in values for one in (value.values() if isinstance(value, dict) else [value])
    )


def snapshot(cache: DynamicCache) -> tuple[dict, list[dict]]:
    """All that a cache holds. Keys and values are never changed in place, so those are no copies."""
    own_cache = {name: list(value) for name, value in vars(cache).items() if isinstance(value, list) and name != "layers"}
    return own_cache, [{name: _copy(name, value) for name, value in vars(layer).items()} for layer in cache.layers]


def restore(cache: DynamicCache, copy: tuple[dict, list[dict]]) -> None:
    own_cache, layers = copy
    vars(cache).update(own_cache)
    for layer, held_positions in zip(cache.layers, layers, strict=True):
        vars(layer).update(held_positions)


def _copy(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy("", part) for key, part in value.items()}
    return value.clone() if isinstance(value, torch.Tensor) and name not in ("keys", "values") else value


PROBE_TOKENS = 24  # tokens of a text by which a model is tried
TOLERANCE = {torch.float32: 1e-3, torch.float16: 0.05}  # of two logits of one row, where the largest is 1; other types .2


class HubModel(Model):
    """A transformers causal language model, in evaluation mode, never changed. `source`: what it was asked for by, where that is not
    its `name`; `why`: why our own forward pass does not run it; `device`: where ids go in and logits come out, if that is not where
    its first weights lie; `location`: where all of them lie. Raises ModelError if it cannot roll back."""

    def __init__(self, model, name: str, source: str = "", why: str = "", device: torch.device | None = None, location: str = ""):
        config = model.config.get_text_config()
        if config.is_encoder_decoder:
            raise ModelError(f"{name} has an encoder-decoder: its cache cannot be rolled back")
        self.model, self.device, self.source = model.eval(), device or model.device, source or name
        self.capabilities = Capabilities(torch_threads=True, waits=bool(location))
        through = "transformers passes through {}, kernel by kernel"
        # said where it is the reason that a run is slow: a host launches nothing
        self.slow_reason = (
            f"{location}; {through.format('them')}" if location else through.format("it") if self.device.type != "cpu" else ""
        )
        self.vocabulary = model.get_output_embeddings().weight.shape[0]
        self.context = getattr(config, "max_position_embeddings", None) or 2048
        self.layer_kinds, self.switch = LayerKinds.of(model), longrope_switch(config)
        if self.switch and config.model_type not in RECOMPUTES:
            self.context, text = self.switch, f"its positions are rotated by other factors past {self.switch} tokens"
            why = f"{why}; {text}, so a text ends there" if why else f"{text}, so a text ends there"
            self.switch = None
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
            window=self.layer_kinds.window,
            state_layers=self.layer_kinds.state_layers,
        )
        parameters = signature(model.forward).parameters
        # the first is the name of all since transformers 5.24
        self.cache_name = next((name for name in ("cache", "cache_params") if name in parameters), "past_key_values")
        self.takes_positions, self.takes_keep, self.one_by_one = (
            "position_ids" in parameters,
            "logits_to_keep" in parameters,
            False,
        )
        self._check(name)

    @torch.inference_mode()
    def _check(self, name: str) -> None:
        """Refuse a model whose logits after a text vary: tried with two short texts in turn, one of them cut and gone on with."""
        ids = torch.arange(1, PROBE_TOKENS + 1, device=self.device) % self.vocabulary
        other = torch.cat([ids[:-2], ids[:2]])
        fails = "cannot make a pass"
        try:
            shortest_cut, changed = (self.model(tokens[None], use_cache=False).logits[0] for tokens in (ids, other))
            if self._differs(changed[:-2], shortest_cut[:-2]):
                raise ModelError(f"{name} looks ahead: its logits after a token change with the tokens that follow")
            fails = "does not take a cache"
            exact = self.model.dtype == torch.float32
            # a state that is forgotten may change little of a short text, and to take single tokens is never wrong
            share = (0.1 if exact else 0.25) if self.layer_kinds.state_layers else 1.0
            self.one_by_one = self._differs(self._logits_in_parts(ids, other), shortest_cut, share)
            again = self.one_by_one and self._differs(self._logits_in_parts(ids, other), shortest_cut, share if exact else 1.0)
        except (ModelError, torch.OutOfMemoryError, MemoryError):
            raise
        except Exception as error:  # whatever the code of a family raises
            raise ModelError(f"{name} {fails}: {one_line(error)}") from None
        if again:
            raise ModelError(f"{name} gives other logits after a text in its cache than after the same text fed at once")
        if self.one_by_one:
            reason = "a pass takes one token: a longer one forgets the text before it"
            self.slow_reason = f"{self.slow_reason}; {reason}" if self.slow_reason else reason

    def _logits_in_parts(self, ids: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """Logits of a text that is cut inside a block, and then goes on by single tokens, beside another text. Raises ModelError."""
        text, beside = HubSequence(self, PROBE_TOKENS + 2), HubSequence(self, PROBE_TOKENS)
        logits = [text.append(ids[:-4])]
        if not is_filled(text.cache):
            raise ModelError(f"{self.info.name} does not use a cache: every token would need the whole text again")
        beside.append(other[3:])
        logits.append(text.append(other[-4:])[:2])
        text.rollback(PROBE_TOKENS - 2)
        return torch.cat([*logits, text.append(ids[-2:-1]), text.append(ids[-1:])])

    def _differs(self, logits: torch.Tensor, right: torch.Tensor, share: float = 1.0) -> bool:
        """Whether logits are further from the `right` ones than a `share` of what sums in another order may be."""
        far = (logits.float() - right.float()).abs().max() / right.float().abs().max().clamp(min=1e-9)
        return not far <= share * TOLERANCE.get(self.model.dtype, 0.2)

    @cached_property
    def no_trees(self) -> str:
        """Why a block cannot branch under this model; empty if it can. Tried: each row of a small tree has its path's logits."""
        if self.layer_kinds.state_layers or self.switch:
            return "a state cannot branch" if self.layer_kinds.state_layers else f"its positions change past {self.switch} tokens"
        ids, parents, rows = [1, 2, 3, 4, 5], [-1, 0, 0, 2, 1], [0, 2, 3]
        tree, alone = HubSequence(self, 16), HubSequence(self, 16)
        try:
            tree.append([6, 7]), alone.append([6, 7])
            branched = tree.append_tree([i % self.vocabulary for i in ids], parents)[rows]
            chain = alone.append([ids[row] % self.vocabulary for row in rows])
        except (TypeError, ValueError, RuntimeError, IndexError) as error:
            return one_line(error)
        return "it attends to all that is before a token" if self._differs(branched, chain) else ""

    def masks(self, visible: torch.Tensor, at: torch.Tensor) -> Any:
        """What n rows see [n, length + n], which stand at positions `at` [length + n] with all that is before them: as a mask to
        be added, [1, 1, n, m]. Where layers differ, one for each kind, over the m positions that it holds."""
        least, n = torch.finfo(self.model.dtype).min, len(visible)

        def mask(reach: int | None) -> torch.Tensor:
            near, offset = visible, 0
            if reach:
                ago = at[-n:, None] - at
                near = near & (at[-n:, None] // reach == at // reach if self.layer_kinds.chunked else ago < reach)
                offset = max(0, len(at) - n - (reach + MAX_ROWS) + 1)
            added = torch.zeros(near.shape, dtype=self.model.dtype).masked_fill(~near, least)
            return added[None, None, :, offset:].to(self.device)

        masks = {name: mask(reach) for name, reach in (self.layer_kinds.windows or {"": None}).items()}
        return masks if len(masks) > 1 else next(iter(masks.values()))

    def forward(self, ids: torch.Tensor, at: int, cache, keep: int, **more) -> torch.Tensor:
        """Logits [min(keep, n), V] of ids [n] from position `at` on, which some models cannot count themselves."""
        if self.takes_positions:
            more = {"position_ids": torch.arange(at, at + len(ids), device=self.device)[None], **more}
        if self.takes_keep:
            more["logits_to_keep"] = keep
        return self.model(ids[None], use_cache=True, **{self.cache_name: cache}, **more).logits[0, -keep:]

    def sequence(self, capacity: int) -> "HubSequence":
        return HubSequence(self, min(capacity, self.context))


def _parameters(model) -> int:
    """A tied matrix counts once, also where its two names are of two tensors because it lies on a disk."""
    tied = getattr(model, "all_tied_weights_keys", {})
    return sum({tied.get(name, name): weight.numel() for name, weight in model.named_parameters()}.values())


class HubSequence(TreeCache):
    """One text's cache. `replayed`: what it has cost so far that it cannot always be cut."""

    def __init__(self, owner: HubModel, capacity: int):
        super().__init__()
        self.owner, self.model, self.device, self.slow_reason = owner, owner.model, owner.device, owner.slow_reason
        self.capacity, self.switch = capacity, owner.switch or owner.context
        self.replayed = Replay()
        self.ids = torch.empty(0, dtype=torch.long, device=self.device)  # the text: to feed it again
        self._clear()

    def _clear(self) -> None:
        self.cache, self.length = self.owner.layer_kinds.cache(), 0
        self.shortest_cut = 0  # the shortest text, but the empty one, that a cut leaves: windows keep no more
        self.snapshots: list[tuple[int, Any]] = []  # of states: how long the text was then, and what they were

    @torch.inference_mode()
    def append(self, ids, keep: int | None = None, parents=None) -> torch.Tensor:
        check_append(len(ids), self.length, self.capacity)
        self.tree.check(len(ids), parents)
        if parents is not None:
            if why := self.owner.no_trees:
                raise ValueError(f"{self.owner.info.name} takes no block that branches: {why}")
            return self.append_tree(ids, parents, keep)
        ids = torch.as_tensor(ids, device=self.device)
        keep = len(ids) if keep is None else min(keep, len(ids))
        short = self.switch - self.length
        if not 0 <= short < len(ids):
            return self._pass(ids, keep)
        # what outgrows the short factors is rotated by others from its first position on: generate() feeds all of it again
        logits, began, n = [], self.length, len(ids) - short
        if keep > n and short:
            logits, ids = [self._pass(ids[:short], keep - n)], ids[short:]
        with self._replay_timer(self.length):
            text = torch.cat([self.ids[: self.length], ids])
            self._clear()
            logits.append(self._pass(text, min(keep, n)))
        self.append_start = began
        return torch.cat(logits)

    def append_tree(self, ids, parents, keep: int | None = None) -> torch.Tensor:
        """By a mask over all positions, [1, 1, n, length + n], as transformers' attention takes one; of layers that have a window
        another, over those that they hold."""
        text_length, first, n = self.text_length, len(self.tree), len(ids)
        self.tree.add(parents)
        at = text_length + torch.tensor(self.tree.depths)
        visible = torch.zeros(n, self.length + n, dtype=torch.bool)
        visible[:, :text_length] = True
        for m in range(n):
            visible[m, [text_length + row for row in self.tree.path(first + m)]] = True
        mask = self.owner.masks(visible, torch.cat([torch.arange(text_length), at]))
        ids, keep = torch.as_tensor(ids, device=self.device), n if keep is None else min(keep, n)
        return self._pass(ids, keep, attention_mask=mask, position_ids=at[None, first:].to(self.device))

    @torch.inference_mode()
    def _pass(self, ids: torch.Tensor, keep: int, **more) -> torch.Tensor:
        """Logits [keep, V] of the last of `ids`, in one pass where the model takes them so."""
        began, size = self.length, 1 if self.owner.one_by_one and self.length else len(ids)
        logits = []
        for piece in ids.split(size):
            if self.owner.layer_kinds.state_layers and self.length:
                with self._replay_timer(0):
                    self.snapshots.append((self.length, snapshot(self.cache)))
            logits.append(self.owner.forward(piece, self.length, self.cache, keep, **more))
            self.ids = torch.cat([self.ids[: self.length], piece])
            self.grow(len(piece))
        self.append_start = began
        if not began:
            self._crop_cache(self.length)
        return logits[0] if len(logits) == 1 else torch.cat(logits)[-keep:]

    @contextmanager
    def _replay_timer(self, positions: int) -> Iterator[None]:
        """What is done here is done because a cache cannot be cut."""
        start = device_seconds(self.device)
        yield
        self.replayed.positions += positions
        self.replayed.seconds += device_seconds(self.device) - start

    @torch.inference_mode()
    def _gather(self, text_length: int, path) -> None:
        rows = torch.tensor([text_length + row for row in path])
        self.ids[text_length : text_length + len(path)] = self.ids[rows.to(self.device)]
        layers: list[Any] = self.cache.layers
        for layer in layers:
            for part in (layer.keys, layer.values) if layer.keys is not None else ():
                offset = self.length - part.shape[-2]
                part[:, :, text_length - offset : text_length - offset + len(path)] = part.index_select(
                    2, (rows - offset).to(part.device)
                )

    @torch.inference_mode()
    def _crop(self, length: int) -> None:
        if not length:
            self._clear()
        elif self.owner.layer_kinds.state_layers:
            self._restore(length)
        elif length < self.shortest_cut or length <= self.switch < self.length:
            self._refeed(0, length)
        else:
            self._crop_cache(length)

    def _crop_cache(self, length: int) -> None:
        window = self.owner.layer_kinds.held_positions
        if length < self.length or window:
            self.cache.crop(length - self.length)  # a negative count removes that many; windows let go of what they need no more
        self.shortest_cut = length if window and length > window else 0

    def _restore(self, length: int) -> None:
        """States as they were after `length` tokens. The text is settled there: copies of before are let go of."""
        if length < self.length:
            at, copy = next((each for each in reversed(self.snapshots) if each[0] <= length), (0, None))
            with self._replay_timer(0):
                if copy:
                    restore(self.cache, copy)
            self._refeed(at, length)
        self.snapshots = []

    def _refeed(self, start: int, length: int) -> None:
        """The text from position `held_positions` on, up to which the cache is right."""
        with self._replay_timer(length - start):
            if not start:
                self._clear()
            self.length, began = start, self.append_start
            if length > start:
                self._pass(self.ids[start:length], 1)
            self.append_start = began
