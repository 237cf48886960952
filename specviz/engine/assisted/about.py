"""What a call of generate() was asked for, of which models, as a trace's header says it; and what of it no trace can say."""

from datetime import UTC, datetime
from typing import Any

import transformers

from ...config import ConfigError, DecodeConfig
from ...trace.header import Header, Kind, ModelInfo
from .. import machine
from ..models.load import called
from ..text import TokenizerText

LONGEST = 4096  # tokens that a trace holds

KINDS: dict[
    str, tuple[Kind | None, str, str]
] = {  # a candidate generator → how it drafts, what it is called, its family (drafters.py)
    "PromptLookupCandidateGenerator": ("lookup", "prompt lookup", "n-gram"),
    "MTPCandidateGenerator": ("mtp", "own heads", "multi-token heads"),
}
SAID = ("temperature", "top_k", "top_p")
WARPERS = {"TemperatureLogitsWarper", "TopKLogitsWarper", "TopPLogitsWarper"}  # what SAID makes
SETTINGS = {  # a processor of transformers → the setting that makes it
    "MinPLogitsWarper": "min_p", "TypicalLogitsWarper": "typical_p", "EpsilonLogitsWarper": "epsilon_cutoff", "EtaLogitsWarper": "eta_cutoff",
    "TopHLogitsWarper": "top_h", "RepetitionPenaltyLogitsProcessor": "repetition_penalty",
    "NoRepeatNGramLogitsProcessor": "no_repeat_ngram_size", "MinLengthLogitsProcessor": "min_length",
    "MinNewTokensLengthLogitsProcessor": "min_new_tokens",
}  # fmt: skip
ARGMAX = {"SinglePositionMultiTokenCandidateGenerator"}  # drafts its most likely token, and gives its softmax as q
UNLIKELY = -20.0  # the log of the chance that sampled drafts are all the most likely ones, below which they were not sampled


class WatchError(ValueError):
    """What was generated cannot be drawn; one sentence says why."""


def tokenizer_of(model: Any) -> Any:
    """The tokenizer that lies where the model was read from. WatchError if there is none."""
    name = model.config._name_or_path
    try:
        return transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except Exception:  # many types: nothing there, no network, no name
        raise WatchError("no tokenizer was found beside the model: give it, watching(model, tokenizer)") from None


def refused(model: Any, config: Any) -> str:
    """Why what `config` asks for cannot be drawn, or ''."""
    if model.config.is_encoder_decoder:
        return "an encoder-decoder does not continue a text: it is not drawn"
    for name in ("num_beams", "num_return_sequences"):
        if (getattr(config, name, None) or 1) > 1:
            return f"{name} is {getattr(config, name)}: one text at a time is drawn, without beams"
    if config.guidance_scale not in (None, 1):
        return f"guidance_scale is {config.guidance_scale}: the target runs twice per token, which a trace cannot hold"
    return ""


def same(a: Any, b: Any) -> bool:
    """Whether two calls were asked to draw alike."""
    names = ("do_sample", *(SAID if a.do_sample else ()), "repetition_penalty", "max_length")
    return all(getattr(a, name) == getattr(b, name) for name in names)


def processors(made: Any, config: Any) -> tuple[str, ...]:
    """What p passes besides temperature, top-k and top-p, in its order; `made`: transformers' LogitsProcessorList."""
    reasons = []
    for processor in made:
        name = type(processor).__name__
        if not type(processor).__module__.startswith("transformers."):
            reasons.append(f"p passes a processor of your own, {name}")
        elif name not in WARPERS:
            setting = SETTINGS.get(name)
            reasons.append(f"p passes {f'{setting} = {getattr(config, setting, None)}' if setting else name}")
    return tuple(reasons)


def eos(config: Any) -> frozenset[int]:
    ids = None if config is None else config.eos_token_id
    return frozenset() if ids is None else frozenset(ids if isinstance(ids, list) else [ids])


def length(config: Any, prompt: int) -> int:
    """Tokens that may be written."""
    return max(1, config.max_length - prompt)


def header(
    model: Any,
    config: Any,
    prompt: tuple[int, ...],
    text: TokenizerText,
    most: int,
    match: bool,
    confidence: float,
    draft: tuple[ModelInfo | None, Kind | None],
    shaped: tuple[str, ...] = (),
    inexact: tuple[str, ...] = (),
) -> Header:
    """`shaped`: what else p passes; `inexact`: why the text does not follow the target's distribution. `most`: the longest block that was drafted; `match`: the target drew too, and had to draw the same; `confidence`: below it an
    assistant ended its block; `draft`: what drafted. WatchError if a setting is out of the bounds of a trace."""
    sampled = config.do_sample
    try:
        settings = DecodeConfig(
            K=most,
            temperature=float(1.0 if config.temperature is None else config.temperature) if sampled else 0.0,
            top_k=int(config.top_k or 0) if sampled else 0,
            top_p=float(1.0 if config.top_p is None else config.top_p) if sampled else 1.0,
            max_new_tokens=min(length(config, len(prompt)), LONGEST),
            ignore_eos=not eos(config),
            verifier="match" if match else "rejection",
            confidence=confidence,
        )
    except ConfigError as error:
        raise WatchError(f"this cannot be drawn: {error}") from None
    return Header(
        prompt=text.backend.decode(list(prompt), skip_special_tokens=True),
        config=settings,
        target=info(model),
        draft=draft[0],
        machine=machine.describe(model.device),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        drafter=draft[1],
        eos=tuple(sorted(eos(config))),
        engine="transformers",
        engine_version=transformers.__version__,
        exact=settings.exact and not inexact,
        departures=(*shaped, *inexact),
    )


def drafter(model: Any, assistant: Any, generator: Any, config: Any) -> tuple[ModelInfo, Kind | None]:
    """What drafted, by the candidate `generator` that transformers made."""
    target, name = info(model), type(generator).__name__
    if name in KINDS:
        kind, label, family = KINDS[name]
        none = ModelInfo(
            label, family, 0, target.width, target.vocabulary, 0, target.dtype, "none" if kind == "lookup" else "transformers"
        )
        return none, kind
    early = config.assistant_early_exit
    if early is not None:
        own = ModelInfo(
            f"first {early} layers", target.family, early, target.width, target.vocabulary, 0, target.dtype, "transformers"
        )
        return own, "early-exit"
    assistant = getattr(generator, "assistant_model", None) or assistant
    if assistant is None:  # a way to draft that is newer than this
        return ModelInfo(name, name, 0, target.width, target.vocabulary, 0, target.dtype, "none"), None
    return info(assistant), "oracle" if assistant is model else "model"


def info(model: Any) -> ModelInfo:
    config = model.config.get_text_config()
    head = getattr(model.get_output_embeddings(), "weight", None)  # of an assistant with another tokenizer it was replaced
    return ModelInfo(
        name=called(model.config._name_or_path or type(model).__name__),
        family=model.config.model_type,
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        vocabulary=config.vocab_size if head is None else head.shape[0],
        parameters=sum(p.numel() for p in model.parameters()),
        dtype=str(model.dtype).removeprefix("torch."),
        forward="transformers",
        context=getattr(config, "max_position_embeddings", None),
    )
