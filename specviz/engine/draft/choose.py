"""A name → a target with a drafter: every way to draft, by the name that the command line and the app use.

set_up("fable", "eagle")            a way to draft that belongs to the target
set_up("fable", "fable-small")      a model: bundled name, folder, or hub id
set_up("meta-llama/Llama-3.1-8B-Instruct", "eagle:some/EAGLE3-head")
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...drafters import DRAFT_NAMES, DRAFTERS
from ..model import Model, ModelError
from ..models import assistant
from ..models.load import (
    BUNDLED,
    Placement,
    config_fields,
    display_name,
    is_gguf,
    load_config,
    load_weights,
    model_path,
    weight_files,
)
from ..models.pair import Pair, load_draft, load_pair
from ..sampling import stored_array, to_float32
from ..text import TokenizerText
from .base import Drafter
from .block import BlockHead
from .eagle import Eagle, unknown_keys
from .model import EarlyExit, SmallModel
from .mtp import MTP
from .tables import Bigram, NGram, Random

HEADS: dict[str, type[Eagle]] = {head.kind: head for head in (Eagle, BlockHead)}


@dataclass(frozen=True, slots=True)
class Setup:
    """What runs: `drafter` is None for vanilla decoding alone."""

    target: Model
    drafter: Drafter | None
    text: TokenizerText


def set_up(
    target: str, draft: str | None, device="cpu", dtype: str | None = None, chat: bool = False, placement: Placement = ""
) -> Setup:
    """Load a target and what drafts for it. Raises ModelError with the reason if they do not fit, before anything runs.

    `placement`: how a target that one device does not hold lies on several (models/load.py)."""
    kind, _, which = (draft or "").partition(":")
    pair = load_pair(target, None if kind in DRAFT_NAMES else draft, device, dtype, chat, placement)
    if pair.draft is not None:
        return Setup(pair.target, SmallModel(pair.draft), pair.text)
    return Setup(pair.target, with_kind(pair.target, kind, which) if draft else None, pair.text)


def drafter_for(pair: Pair, draft: str, device="cpu", dtype: str | None = None) -> Drafter:
    """What `set_up` does for `draft`, for a target that is loaded already."""
    kind, _, which = draft.partition(":")
    if kind in DRAFT_NAMES:
        return with_kind(pair.target, kind, which)
    return SmallModel(load_draft(pair, draft, device, dtype))


def with_kind(target: Model, kind: str, which: str = "") -> Drafter:
    """A drafter of `DRAFT_NAMES` for a target that is loaded."""
    if which and not DRAFTERS[kind].colon:
        raise ModelError(f"{kind}:{which}: nothing follows the colon of {kind}")
    match kind:
        case "oracle":
            return SmallModel(target)
        case "random":
            return Random(target.vocabulary)
        case "lookup":
            return NGram(target.vocabulary)
        case "early-exit":
            if which and not which.isdecimal():
                raise ModelError(f"early-exit:{which}: what follows the colon is the number of layers, as in early-exit:3")
            return EarlyExit(target, int(which) if which else max(1, target.info.layers // 4))
    folder, name = _folder(target, kind, which)
    drafter = _of_weights(target, kind, which, folder, name)
    drafter.info = replace(drafter.info, weights=weight_files(folder, name))
    return drafter


def _of_weights(target: Model, kind: str, which: str, folder: Path, name: str) -> Drafter:
    weights = load_weights(folder, name)
    if kind == "bigram":
        return _bigram(weights, display_name(name), target)
    if kind == "mtp":
        own = which or name != target.source
        return MTP(target, weights if own else _heads_only(weights, target), display_name(name))
    if not (folder / "config.json").is_file():
        return HEADS[kind](target, weights, display_name(name))
    head = HEADS[kind](target, weights, display_name(name), load_config(folder, name))
    head.info = replace(head.info, note=unknown_keys(config_fields(folder)))
    return head


def _folder(target: Model, kind: str, which: str) -> tuple[Path, str]:
    """Where the head or the table is: as named, or bundled for this target, or, for multi-token heads, in its own checkpoint."""
    name = which or f"{target.source.rsplit('-', 1)[0]}-{kind}"
    if which and "/" not in which and (BUNDLED / which).is_dir():
        return BUNDLED / which, which
    if which:
        return model_path(which), which
    if name in heads(target.source):
        return BUNDLED / name, name
    if kind == "mtp" and not is_gguf(place := model_path(target.source)):
        return place, target.source
    own = ", ".join(name.rsplit("-", 1)[1] for name in heads(target.source))
    there = f", only with {own}" if own else ""
    raise ModelError(f"{target.info.name} comes with no {kind}{there}: name a folder or a hub id, as in {kind}:owner/name")


def heads(source: str) -> list[str]:
    """Names of the bundled folders of heads and tables, `{source}-{kind}`, for a target that was asked for as `source`."""
    if source not in {assistant.KEY, *(path.name for path in BUNDLED.iterdir())}:
        return []
    start = f"{source.rsplit('-', 1)[0]}-"
    return [start + kind for kind in DRAFT_NAMES if (BUNDLED / (start + kind)).is_dir()]


def _heads_only(weights, target: Model):
    last = target.info.layers
    return {
        key: tensor
        for key, tensor in weights.items()
        if key.startswith("model.mtp_layers.") or (key.startswith("model.layers.") and int(key.split(".")[2]) >= last)
    }


def _bigram(weights, name: str, target: Model) -> Bigram:
    table_info, count = (stored_array(weights.get(key, np.zeros(0))) for key in ("next", "count"))
    if table_info.shape != count.shape or table_info.ndim != 2 or not table_info.size or len(table_info) != target.vocabulary:
        raise ModelError(f"{name} is no bigram table of {target.vocabulary} tokens: it needs `next` and `count`, a row each")
    count = to_float32(count)
    if table_info.min() < 0 or table_info.max() >= target.vocabulary or not (count >= 0).all() or np.isinf(count).any():
        raise ModelError(f"{name}: a bigram table holds ids from 0 to {target.vocabulary - 1} and counts from 0")
    return Bigram(table_info, count, name)
