"""Both lanes of one prompt by vLLM: the same engine, its drafter at rest and then at work, warmed up alike, one after the other.

for step in race(server, prepared, "Once upon a time", config): …       # Progress, Progress, …, Trace
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import prod
from pathlib import Path

from safetensors import safe_open

from ..config import DecodeConfig
from ..drafters import DRAFTERS, DrafterInfo
from ..engine import machine
from ..engine.model import ModelError
from ..engine.models.load import BUNDLED, display_name, model_path, weight_files
from ..engine.models.pair import eos_ids, load_tokenizer
from ..engine.race import Progress
from ..engine.text import TokenizerText
from ..trace.events import LANES, Header, Lane, Machine, ModelInfo, Trace
from . import rounds
from .process import Server, ServerError, check_settings

ENGINE = "vLLM"
WARM_UP_TOKENS = 16
NO_MODEL = {"family": "", "layers": 0, "width": 0, "vocabulary": 0, "dtype": "none"}  # of a model that was never loaded
METHODS = {method: key for key, one in DRAFTERS.items() for method in one.vllm}
"""What vLLM calls a way to draft → its key in drafters.py."""
NGRAM = "ngram"  # it drafts without weights
HEADS = {method: key for method, key in METHODS.items() if DRAFTERS[key].colon}
"""Heads with a folder of their own: what vLLM calls them → their key, by which the bundled target has one."""


@dataclass(frozen=True, slots=True)
class PreparedPair:
    """Folders of a target and of what drafts for it (None: nothing with weights), how, and the target's text."""

    target: Path
    name: str
    method: str
    draft: Path | None
    draft_name: str
    text: TokenizerText


def prepare(target: str, draft: str, method: str | None = None, chat: bool = False) -> PreparedPair:
    """`draft`: a folder, bundled name or hub id, one of HEADS of the bundled target by its key, or lookup. `method`: as vLLM
    calls it, where what the draft's config says is not enough. Raises ModelError."""
    folder = model_path(target)
    tokenizer = load_tokenizer(folder, target)
    if chat and not tokenizer.chat_template:
        raise ModelError(f"{target} has no chat template, so it can only continue a text")
    text = TokenizerText(tokenizer, eos_ids(folder, tokenizer, target), chat)
    if method == NGRAM or (not method and draft in (NGRAM, "lookup")):
        return PreparedPair(folder, display_name(target), NGRAM, None, "lookup", text)
    own = BUNDLED / f"{target}-{draft}"
    place = own if draft in HEADS.values() and own.is_dir() else model_path(draft)
    name = own.name if place == own else display_name(draft)
    return PreparedPair(folder, display_name(target), method or _method(place), place, name, text)


def _method(draft: Path) -> str:
    try:
        names = " ".join(json.loads((draft / "config.json").read_text("utf-8")).get("architectures") or ())
    except (OSError, ValueError, AttributeError, TypeError):
        raise ModelError(f"{draft.name} has no readable config.json") from None
    return max((method for method in HEADS if method in names.lower()), key=len, default="draft_model")


def process_options(
    prepared: PreparedPair, K: int, drafting: str = "sample", options: dict | None = None, speculative: dict | None = None
) -> dict:
    """What a process is started with (child/serve.py)."""
    return {
        "target": str(prepared.target),
        "method": prepared.method,
        "draft": None if prepared.draft is None else str(prepared.draft),
        "K": K,
        "drafting": drafting,
        "options": options or {},
        "speculative": speculative or {},
    }


def race(server: Server, prepared: PreparedPair, prompt: str, config: DecodeConfig) -> Iterator[Progress | Trace]:
    """Raises ConfigError, PromptError or ServerError. Starts the server, where it does not run."""
    check_settings(config)
    ids = prepared.text.encode(prompt)
    lanes: dict[Lane, rounds.EngineLane] = {}
    server.start()
    about = server.about
    if len(ids) >= about["context"]:
        raise ServerError(f"the prompt has {len(ids)} tokens; the target's context has only {about['context']}")
    of = min(config.max_new_tokens, about["context"] - len(ids))
    with machine.TIMED_RUN, machine.no_garbage():
        for lane in LANES:
            for _ in server.run(_request(ids, config, lane, prepared, warm=True)):
                pass
        for lane in LANES:
            own = replace(config, K=config.K if lane == "speculative" else 0)
            lanes[lane] = built = rounds.EngineLane(ids, own, prepared.text, about["context"], prepared.method == NGRAM)
            for message in server.run(_request(ids, config, lane, prepared), lambda done=built: done.is_over):
                if "step" in message:
                    event = built.add(message)
                    yield Progress(lane, built.tokens, of, event=event)
                else:
                    built.end()
    yield Trace(_header(prepared, prompt, config, about), lanes["vanilla"].events, lanes["speculative"].events)


def _request(ids: list[int], config: DecodeConfig, lane: str, prepared: PreparedPair, warm: bool = False) -> dict:
    return {
        "prompt": ids,
        "drafts": lane == "speculative" and config.K > 0,
        "tokens": WARM_UP_TOKENS if warm else config.max_new_tokens,
        **{name: getattr(config, name) for name in ("K", "temperature", "top_k", "top_p", "seed")},
        "eos": [] if warm or config.ignore_eos else sorted(prepared.text.eos),
    }


def _header(prepared: PreparedPair, prompt: str, config: DecodeConfig, about: dict) -> Header:
    several = [f"tensor parallel {ranks}"] if (ranks := about["tensor_parallel"]) > 1 else []
    versions = (about[name] for name in ("python", "torch", "transformers"))
    known = _drafter_info(prepared)
    return Header(
        prompt=prompt,
        config=config,
        target=replace(_info(prepared.name, prepared.target, about["target"]), context=about["context"]),
        draft=_drafter(prepared, about) if config.K else None,
        machine=Machine(", ".join([about["device"], *several]), about["threads"], *versions),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        drafter=known.kind if known and config.K else None,
        eos=tuple(sorted(prepared.text.eos)),
        chat=prepared.text.chat,
        engine=ENGINE,
        engine_version=about["version"],
        exact=config.exact,
    )


def _drafter_info(prepared: PreparedPair) -> DrafterInfo | None:
    """What is said of this way to draft; None of one that vLLM has and we have no words for."""
    return DRAFTERS.get(METHODS.get(prepared.method, ""))


def _drafter(prepared: PreparedPair, about: dict) -> ModelInfo:
    """Of a rule what the target has of it."""
    shape = about.get("draft") or NO_MODEL | {"vocabulary": (about["target"])["vocabulary"]}
    known = _drafter_info(prepared)
    family = (known and known.family) or shape["family"]
    if prepared.draft is None:
        return ModelInfo(prepared.draft_name, family, 0, 0, shape["vocabulary"], 0, "none", "none")
    info = _info(prepared.draft_name, prepared.draft, shape)
    return replace(info, family=family, layers=1 if prepared.method in HEADS else info.layers)


def _info(name: str, folder: Path, shape: dict) -> ModelInfo:
    return ModelInfo(name=name, **shape, parameters=sum(_sizes(folder)), forward="other", weights=weight_files(folder, name))


def _sizes(folder: Path) -> Iterator[int]:
    """Numbers in each tensor of a folder, from the heads of its files. Raises ModelError where there are none."""
    for file in weight_files(folder, folder.name):
        with safe_open(folder / file.name, "pt") as tensors:
            names = list(tensors.keys())  # it is no dict
            yield from (prod(tensors.get_slice(name).get_shape()) for name in names)
