"""A target, a draft and the one tokenizer they share; and public pairs that can be picked where there is a network: what each
needs, and how it is run.

Sizes are of the weights in the dtype named, target and draft together; a run needs a little more. Nothing is fetched before
somebody picks one, and then safetensors only. A gated model needs its licence accepted on the hub, and a login.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from ...drafters import DRAFT_NAMES
from ..model import Model, ModelError, one_line
from ..text import TokenizerText, own_tokenizer
from . import assistant
from .checkpoint import check_template, check_tokenizer
from .gguf import open_gguf
from .load import Placement, is_gguf, load_config, load_folder, model_path

SAMPLE = (
    "Once upon a time, in 1984, Zoë's café sold 3.50 € tea.\n\n"
    'def f(x):\n\treturn {"a": x**2}  # 100%\n    Straße, naïve, 北京, नमस्ते, العربية, 👩‍🚀 …  two  spaces <b>&amp;</b>'
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Models that can be run together. `draft` is None for vanilla decoding alone."""

    target: Model
    draft: Model | None
    text: TokenizerText


def load_pair(
    target: str, draft: str | None, device="cpu", dtype: str | None = None, chat: bool = False, placement: Placement = ""
) -> Pair:
    """Load two models by name (bundled, folder or hub id) and check that they belong together. Raises ModelError.

    `chat`: prompts go through the target's chat template, as those of the assistant always do. `placement`: how the target alone
    lies on several devices."""
    target_folder, draft_folder = model_path(target), None if draft is None else model_path(draft, DRAFT_NAMES)
    tokenizer = load_tokenizer(target_folder, target)
    chat = chat or target == assistant.KEY
    if chat and not tokenizer.chat_template:
        raise ModelError(f"{target} has no chat template: it continues a text as it is")
    if chat:
        check_template(tokenizer.get_chat_template(), tokenizer.special_tokens_map, target)
    note = _checked_eos_difference(tokenizer, target, draft_folder, draft) if draft and draft_folder else ""
    text = TokenizerText(tokenizer, eos_ids(target_folder, tokenizer, target), chat)
    # the draft first: what is spread takes what is left
    drafts = _with_note(load_folder(draft_folder, draft, device, dtype), note) if draft and draft_folder else None
    return Pair(load_folder(target_folder, target, device, dtype, placement), drafts, text)


def load_draft(pair: Pair, name: str, device="cpu", dtype: str | None = None) -> Model:
    """A draft model for a target that is loaded. Raises ModelError if their tokenizers are not one."""
    folder = model_path(name, DRAFT_NAMES)
    note = _checked_eos_difference(pair.text.tokenizer, pair.target.info.name, folder, name)
    return _with_note(load_folder(folder, name, device, dtype), note)


def _with_note(draft: Model, note: str) -> Model:
    draft.info = replace(draft.info, note=note)
    return draft


def _checked_eos_difference(tokenizer, target: str, folder: Path, draft: str) -> str:
    """`eos_difference` of a draft whose tokenizer is the target's. Raises ModelError if it is not."""
    own = load_tokenizer(folder, draft)
    if reason := mismatch(tokenizer, own):
        raise ModelError(f"{draft} cannot draft for {target}: {reason}")
    return eos_difference(tokenizer, own)


def load_tokenizer(folder: Path, name: str):
    if is_gguf(folder):
        return open_gguf(folder).tokenizer()
    check_tokenizer(folder, name)
    try:
        if own := own_tokenizer(folder):
            return own
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:  # whatever a broken file makes a library raise
        raise ModelError(f"{name} has no tokenizer that can be read: {one_line(error)}") from None
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(f"{name} has no tokenizer.json, which text is streamed with")
    return tokenizer


def mismatch(target, draft) -> str | None:
    """Why two tokenizers are not one, or None if they are.

    What counts is that the same text becomes the same ids. How texts begin and end does not count (`eos_difference`), and neither
    do sizes: padded vocabularies differ within a family (Qwen: 151,936 and 152,064 logits, one tokenizer)."""
    a, b = (t.backend_tokenizer.encode(SAMPLE, add_special_tokens=False).ids for t in (target, draft))
    if a != b:
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        return f"their tokenizers differ: a sample text has {len(a)} and {len(b)} tokens, the first difference at token {at + 1}"
    ours, other = (tok.backend_tokenizer.get_vocab(with_added_tokens=True) for tok in (target, draft))
    different = [token for token in ours.keys() & other.keys() if ours[token] != other[token]]
    if different:  # a sample cannot show every token
        token = min(different, key=ours.get)
        return f"their tokenizers differ: {token} is {ours[token]} and {other[token]}"
    return None


def eos_difference(target, draft) -> str:
    """How texts of the draft begin and end otherwise than the target's; empty if they do not. The target's count: the draft is fed
    the target's text, and what it guesses of its end is tested like any guess. So a base model may draft for an instruct model."""
    parts = []
    for kind, does in ("bos_token", "begins"), ("eos_token", "ends"):
        x, y = getattr(target, kind), getattr(draft, kind)
        if x != y:
            parts.append(f"{does} a text with {y or 'no token'}, the target with {x or 'none'}")
    return f"it {' and '.join(parts)}; the target's count" if parts else ""


def eos_ids(folder: Path, tokenizer, name: str) -> frozenset[int]:
    """Every id that ends a text: a model may name several in its generation config, its config or its tokenizer."""
    ids = [tokenizer.eos_token_id, load_config(folder, name).get_text_config().eos_token_id]
    if (folder / "generation_config.json").is_file():
        try:
            ids.append(json.loads((folder / "generation_config.json").read_text("utf-8")).get("eos_token_id"))
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            raise ModelError(f"{name} has a generation_config.json that cannot be read: {one_line(error)}") from None
    return frozenset(id for item in ids for id in (item if isinstance(item, list) else [item]) if type(id) is int)


THROUGH = "through transformers"


@dataclass(frozen=True, slots=True)
class PublicPair:
    """`draft` as `draft.choose` reads it. `chat`: prompts go through the model's chat template."""

    target: str
    draft: str
    gigabytes: float
    dtype: str
    licence: str
    gated: bool = False
    chat: bool = False
    note: str = ""

    @property
    def own(self) -> bool:
        """Whether our own forward pass runs it, which keeps weights as they are stored."""
        return self.note != THROUGH


PUBLIC = (
    PublicPair("HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-135M", 3.7, "bfloat16", "Apache-2.0"),
    PublicPair("HuggingFaceTB/SmolLM2-1.7B-Instruct", "HuggingFaceTB/SmolLM2-135M-Instruct", 3.7, "bfloat16", "Apache-2.0", chat=True),
    PublicPair("Qwen/Qwen3-4B", "Qwen/Qwen3-0.6B", 9.5, "bfloat16", "Apache-2.0", chat=True),
    PublicPair("Qwen/Qwen3-8B", "Qwen/Qwen3-0.6B", 17.9, "bfloat16", "Apache-2.0", chat=True),
    PublicPair(
        "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.2-1B-Instruct", 18.5, "bfloat16", "Llama 3.1 and 3.2", gated=True, chat=True
    ),
    PublicPair(
        "meta-llama/Llama-3.1-8B-Instruct", "eagle:yuhuili/EAGLE3-LLaMA3.1-Instruct-8B", 16.9, "bfloat16", "Llama 3.1", gated=True,
        chat=True, note="an EAGLE-3 head; refused where the head's weights are not to be had as safetensors",
    ),
    PublicPair("facebook/layerskip-llama3.2-1B", "early-exit:4", 2.5, "bfloat16", "FAIR non-commercial", gated=True, note="LayerSkip"),
    PublicPair("facebook/layerskip-llama3-8B", "early-exit:8", 16.1, "bfloat16", "FAIR non-commercial", gated=True, note="LayerSkip"),
    PublicPair("XiaomiMiMo/MiMo-7B-Base", "mtp", 15.7, "bfloat16", "MIT", note="one multi-token head in the target's checkpoint"),
    PublicPair("EleutherAI/pythia-2.8b", "EleutherAI/pythia-160m", 6.0, "float16", "Apache-2.0", note=THROUGH),
    PublicPair("openai-community/gpt2-large", "distilbert/distilgpt2", 3.4, "float32", "MIT", note=THROUGH),
)  # fmt: skip
