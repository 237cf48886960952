"""Models as transformers alone loads and runs them: whole texts at once, without any cache."""

import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.utils import logging

from ...config import ASSETS
from ...trace.header import ModelInfo
from ...trace.strict import short
from .ledger import Ledger

DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
# layers that keep no state
ATTENTION = ("full_attention", "sliding_attention", "chunked_attention", "indexed_attention", "moe", "mlp")
BATCH_LOGITS = 1 << 25  # logits of a batch at most: 128 MB


class AuditError(ValueError):
    """What an audit needs is not there; the message says what."""


def error_line(error: Exception) -> str:
    """What a library says of something broken."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


@contextmanager
def audit_errors(file: Path) -> Iterator[None]:
    """Raises AuditError for whatever a broken file makes a library raise."""
    try:
        yield
    except Exception as error:
        raise AuditError(f"{file.parent.name}/{file.name} cannot be read ({error_line(error)})") from None


class Tensors(dict[str, torch.Tensor]):
    """Weights by their names. Raises AuditError for one that is asked for and is not there."""

    def __missing__(self, key: str) -> torch.Tensor:
        raise AuditError(f"these weights lack {key}")


def folder_of(name: str, place: str | None = None) -> Path:
    """`place`: a bundled name, a folder, or a hub id, which is fetched: what a user gave. Without it the `name` in the trace, which may only
    be a bundled one: a trace may come from anybody."""
    bundled = {folder.name: folder for folder in (ASSETS / "models").iterdir() if folder.is_dir()}
    if folder := bundled.get(place or name):
        return folder
    if not place:
        raise AuditError(
            f"the trace names {short(name)}, which is no model of those bundled: give its folder or hub id with --target or --draft"
        )
    if (folder := Path(place).expanduser()).is_dir():
        return folder
    if place.count("/") != 1:
        raise AuditError(f"there is no model {place!r}: give its folder or hub id with --target or --draft")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(place, allow_patterns=["*.safetensors", "*.json", "*.model", "*.txt"]))
    except Exception as error:  # many types, and texts of many lines: one thing to say
        raise AuditError(f"{place} could not be fetched from the hub ({type(error).__name__})") from None


def config_of(folder: Path) -> Any:
    """Nothing that a checkpoint brings is run, and nobody is asked whether it may be."""
    return AutoConfig.from_pretrained(folder, trust_remote_code=False)


def head_config(folder: Path) -> Any:
    """Of a head; one that the library speculators wrote has its layer's config inside its own."""
    stated = json.loads((folder / "config.json").read_text("utf-8"))
    layer = stated.pop("transformer_layer_config", None)
    if layer is None:
        return config_of(folder)
    config = AutoConfig.for_model(**layer)
    for key in stated.keys() - {"architectures", "model_type"}:
        setattr(config, "ptd_token_id" if key == "mask_token_id" else key, stated[key])
    return config


def tensors(folder: Path) -> Tensors:
    """All weights of a folder, as float32."""
    tensors = Tensors()
    for file in sorted(folder.glob("*.safetensors")):
        with audit_errors(file):
            tensors.update(load_file(file))
    tensors.update({key: tensor.float() for key, tensor in tensors.items() if tensor.is_floating_point()})
    return tensors


def stored_types(folder: Path) -> set[str]:
    """Of which types the matrices of a folder are."""
    return {dtype for dtype, shape in _headers(folder).values() if len(shape) > 1}


def count_numbers(folder: Path, name: str = "") -> int:
    """Numbers in the tensors whose name holds `name`; of a table's `count` those above 0."""
    if name == "count":
        return int((tensors(folder)["count"] > 0).sum())
    return sum(math.prod(shape) for key, (_, shape) in _headers(folder).items() if name in key)


@lru_cache(8)
def _headers(folder: Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Of each tensor its type and shape."""
    shapes = {}
    for path in sorted(folder.glob("*.safetensors")):
        with audit_errors(path), safe_open(path, "pt") as file:
            for key in file.keys():  # noqa: SIM118  # no dict
                part = file.get_slice(key)
                shapes[key] = DTYPES.get(part.get_dtype(), part.get_dtype()), tuple(part.get_shape())
    return shapes


def eos_ids(model: "Checkpoint") -> tuple[int, ...]:
    """Every id that ends a text: what tokenizer, config and generation config say together."""
    stated = [model.tokenizer.eos_token_id, model.config.get_text_config().eos_token_id]
    if (model.folder / "generation_config.json").is_file():
        stated.append(GenerationConfig.from_pretrained(model.folder).eos_token_id)
    ids = {id for each in stated for id in (each if isinstance(each, list) else [each]) if id is not None}
    return tuple(sorted(ids))


def check_weights(ledger: Ledger, stated: ModelInfo, folder: Path) -> None:
    """Whether the files are those that the trace names, and all of them. No other file is opened, whatever the trace names."""
    if stated.weights:
        ledger.equal("weights", stated.name, sorted(file.name for file in stated.weights), _files(folder))
    # a trace names no other file
    beside = {path.name: path for path in (*folder.glob("*.safetensors"), *gguf_files(folder))}
    for file in stated.weights:
        path = beside.get(file.name)
        if file.sha256 is None:
            ledger.skip(f"whether {short(file.name)} is the file of the run: the trace has no checksum of it")
        elif path is None:
            ledger.check("weights", stated.name, file.name, False, "no such file")
        else:
            with path.open("rb") as stream:  # a piece at a time: the file may be as large as the memory
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            ledger.equal("weights", f"{stated.name}, {file.name}", file.sha256, digest)


def gguf_files(folder: Path) -> list[Path]:
    """What a folder was written from (gguf.py), also under the name that Ollama gives it."""
    return sorted([*folder.glob("*.gguf"), *folder.glob("sha256-*")])


def _files(folder: Path) -> list[str]:
    """Names of the files that hold a model: the one, or those that its index lists; of what was written from a GGUF file that (gguf.py)."""
    if files := gguf_files(folder):
        return [file.name for file in files]
    if (folder / "model.safetensors").is_file():
        return ["model.safetensors"]
    index = folder / "model.safetensors.index.json"
    with audit_errors(index):
        return sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))


def _longrope_switch(config) -> int | None:
    """Tokens past which longrope rotates every position of a text by other factors."""
    rope = getattr(config, "rope_parameters", None) or {}
    first = rope.get("original_max_position_embeddings") or getattr(config, "original_max_position_embeddings", None)
    return first if rope.get("rope_type") == "longrope" and first and first < config.max_position_embeddings else None


def checkpoint(name: str, place: str | None = None) -> "Checkpoint":
    """Loaded once for a target and its draft, however many traces of them are redone. `name`, `place`: as of folder_of."""
    return load_checkpoint(place or name, folder_of(name, place))


class Checkpoint:
    """A causal language model in float32, whatever the run's precision was. Raises AuditError if transformers cannot load it."""

    def __init__(self, name: str, folder: Path):
        self.folder = folder
        logging.disable_progress_bar()
        try:
            model: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype=torch.float32, use_safetensors=True, trust_remote_code=False
            )
            self.config = config_of(folder)
        except Exception as error:  # whatever a broken checkpoint makes a library raise
            raise AuditError(f"{name} cannot be loaded by transformers ({error_line(error)})") from None
        self.model = model.eval().requires_grad_(False)
        self.vocabulary = self.model.get_output_embeddings().weight.shape[0]
        self.parameters = sum(weight.numel() for weight in self.model.parameters())  # a tied one once
        config = self.config.get_text_config()
        self.context = getattr(config, "max_position_embeddings", None) or 2048
        kinds = getattr(config, "layer_types", None) or []
        self.state_layers = sum(kind not in ATTENTION for kind in kinds)
        windowed = "sliding_attention" in kinds or (not kinds and getattr(config, "use_sliding_window", True))
        window = getattr(config, "sliding_window", None) if windowed else None
        self.window = getattr(config, "attention_chunk_size", None) if "chunked_attention" in kinds else window
        self.switch = _longrope_switch(config)
        if self.switch and config.model_type not in ("phi3", "phimoe", "phi4_multimodal"):
            self.context, self.switch = min(self.context, self.switch), None

    @cached_property
    def tokenizer(self):
        return AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)

    @torch.inference_mode()
    def logits_after(self, texts: list[list[int]], keep: list[int], layers: int | None = None) -> list[torch.Tensor]:
        """Of each text the logits [keep, V] after its last `keep` tokens; by the first `layers` only, through norm and head.

        A text that the last one begins with needs no pass of its own; others are padded on the right, where a causal model does not
        look."""
        if self.switch and any(len(text) > self.switch for text in texts):
            return [self._logits_by_length(text, n, layers) for text, n in zip(texts, keep, strict=True)]
        logits_of: dict[int, torch.Tensor] = {}
        last = len(texts) - 1
        own = [i for i, text in enumerate(texts) if i == last or text != texts[-1][: len(text)]]
        size = max(1, min(16, BATCH_LOGITS // max(1, max(map(len, texts), default=0) * self.vocabulary)))
        for batch in (own[at : at + size] for at in range(0, len(own), size)):
            longest = max(len(texts[i]) for i in batch)
            ids = torch.tensor([[*texts[i], *[0] * (longest - len(texts[i]))] for i in batch])
            out = self.model(ids, use_cache=False, output_hidden_states=layers is not None)
            logits = out.logits if layers is None else self.model.lm_head(self.model.model.norm(out.hidden_states[layers]))
            for i, rows in zip(batch, logits, strict=True):
                logits_of[i] = rows if i == last else rows[len(texts[i]) - keep[i] : len(texts[i])].clone()
        for i, text in enumerate(texts):
            if i == last or i not in logits_of:
                logits_of[i] = logits_of[last][len(text) - keep[i] : len(text)].clone()
        return [logits_of[i] for i in range(len(texts))]

    def _logits_by_length(self, text: list[int], keep: int, layers: int | None) -> torch.Tensor:
        """Of a model whose positions are others past `switch` tokens: rows of shorter texts come from a pass over no more than that."""
        short, switch, self.switch = text[: self.switch], self.switch, None
        try:
            before = min(keep, len(short) - len(text) + keep)
            parts = [self.logits_after([short], [before], layers)[0]] if before > 0 else []
            parts += [self.logits_after([text], [keep - max(0, before)], layers)[0]] if len(text) > len(short) else []
            return torch.cat(parts)
        finally:
            self.switch = switch

    @torch.inference_mode()
    def states(self, text: list[int]) -> list[torch.Tensor]:
        """What goes into each layer at each position [n, width], and last what leaves the last norm."""
        out = self.model(torch.tensor([text]), use_cache=False, output_hidden_states=True)
        return [state[0] for state in out.hidden_states]


load_checkpoint = lru_cache(2)(Checkpoint)
