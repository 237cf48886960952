"""What a call of generate() was asked for, of which models, as a trace's header says it; and what of it no trace can say."""

from typing import Any

import transformers

from ...trace.events import Kind, ModelInfo
from ..models.load import display_name

MAX_TOKENS = 4096  # tokens that a trace holds

KINDS: dict[
    str, tuple[Kind | None, str, str]
] = {  # a candidate generator → how it drafts, what it is called, its family (drafters.py)
    "PromptLookupCandidateGenerator": ("lookup", "prompt lookup", "n-gram"),
    "MTPCandidateGenerator": ("mtp", "own heads", "multi-token heads"),
}
SAMPLING_SETTINGS = ("temperature", "top_k", "top_p")
WARPERS = {"TemperatureLogitsWarper", "TopKLogitsWarper", "TopPLogitsWarper"}  # what these make
PROCESSOR_SETTINGS = {  # a processor of transformers → the setting that makes it
    "MinPLogitsWarper": "min_p", "TypicalLogitsWarper": "typical_p", "EpsilonLogitsWarper": "epsilon_cutoff", "EtaLogitsWarper": "eta_cutoff",
    "TopHLogitsWarper": "top_h", "RepetitionPenaltyLogitsProcessor": "repetition_penalty",
    "NoRepeatNGramLogitsProcessor": "no_repeat_ngram_size", "MinLengthLogitsProcessor": "min_length",
    "MinNewTokensLengthLogitsProcessor": "min_new_tokens",
}  # fmt: skip
ARGMAX_GENERATORS = {"SinglePositionMultiTokenCandidateGenerator"}  # drafts its most likely token, and gives its softmax as q
# the log of the chance that sampled drafts are all the most likely ones, below which they were not sampled
UNLIKELY_LOG_CHANCE = -20.0


class WatchError(ValueError):
    """What was generated cannot be drawn; one sentence says why."""


def tokenizer_of(model: Any) -> Any:
    """The tokenizer that lies where the model was read from. WatchError if there is none."""
    name = model.config._name_or_path
    try:
        return transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except Exception:  # many types: nothing there, no network, no name
        raise WatchError("no tokenizer was found beside the model: give it, watching(model, tokenizer)") from None


def refusal_reason(model: Any, config: Any) -> str:
    """Why what `config` asks for cannot be drawn, or ''."""
    if model.config.is_encoder_decoder:
        return "an encoder-decoder does not continue a text: it is not drawn"
    for name in ("num_beams", "num_return_sequences"):
        if (getattr(config, name, None) or 1) > 1:
            return f"{name} is {getattr(config, name)}: one text at a time is drawn, without beams"
    if config.guidance_scale not in (None, 1):
        return f"guidance_scale is {config.guidance_scale}: the target runs twice per token, which a trace cannot hold"
    return ""


def samples_alike(a: Any, b: Any) -> bool:
    names = ("do_sample", *(SAMPLING_SETTINGS if a.do_sample else ()), "repetition_penalty", "max_length")
    return all(getattr(a, name) == getattr(b, name) for name in names)


def extra_processors(processor_list: Any, config: Any) -> tuple[str, ...]:
    """What p passes besides temperature, top-k and top-p, in its order; `processor_list`: transformers' LogitsProcessorList."""
    reasons = []
    for processor in processor_list:
        name = type(processor).__name__
        if not type(processor).__module__.startswith("transformers."):
            reasons.append(f"p passes a processor of your own, {name}")
        elif name not in WARPERS:
            setting = PROCESSOR_SETTINGS.get(name)
            reasons.append(f"p passes {f'{setting} = {getattr(config, setting, None)}' if setting else name}")
    return tuple(reasons)


def eos_ids(config: Any) -> frozenset[int]:
    ids = None if config is None else config.eos_token_id
    return frozenset() if ids is None else frozenset(ids if isinstance(ids, list) else [ids])


def max_new_tokens(config: Any, prompt: int) -> int:
    return max(1, config.max_length - prompt)


def drafter_info(model: Any, assistant: Any, generator: Any, config: Any) -> tuple[ModelInfo, Kind | None]:
    """What drafted, by the candidate `generator` that transformers made."""
    target, name = model_info(model), type(generator).__name__
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
    return model_info(assistant), "oracle" if assistant is model else "model"


def model_info(model: Any) -> ModelInfo:
    config = model.config.get_text_config()
    head = getattr(model.get_output_embeddings(), "weight", None)  # of an assistant with another tokenizer it was replaced
    return ModelInfo(
        name=display_name(model.config._name_or_path or type(model).__name__),
        family=model.config.model_type,
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        vocabulary=config.vocab_size if head is None else head.shape[0],
        parameters=sum(p.numel() for p in model.parameters()),
        dtype=str(model.dtype).removeprefix("torch."),
        forward="transformers",
        context=getattr(config, "max_position_embeddings", None),
    )
