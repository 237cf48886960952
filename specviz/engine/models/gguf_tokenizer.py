"""The tokenizer that a GGUF file describes, as `tokenizers` builds it: how text is cut stands in the file by name only.

What each name means: llama.cpp's src/llama-vocab.cpp, and the tokenizer.json of the models that have it.
"""

from typing import Any

from .gguf_file import GGUFError
from .tokenizer import Tokenizer

CONTROL, USER_DEFINED = 3, 4  # of a token's type
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
DEFAULT = (
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    "[0-9][0-9][0-9]",
)
CUTS = {  # pre-tokenizer: (patterns in turn, or how digits stand alone, or nothing for GPT-2's own; the beginning token unless the file says)
    "default": (DEFAULT, False),  # llama.cpp's for a file that names none
    "gpt-2": (None, False),
    "smollm": ("digits", False),
    "llama-bpe": (LLAMA3, True),
    "llama3": (LLAMA3, True),
    "llama-v3": (LLAMA3, True),
    "qwen2": (QWEN2, False),
    "deepseek-r1-qwen": (QWEN2, False),
}
NFC = ("qwen2", "deepseek-r1-qwen")
ENDS = {  # tokens by which llama.cpp ends a turn, whatever the file calls its end
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<|call|>", "<|calls|>", "<|flush|>", "<|endoftext|>",
    "<|end_of_text|>", "<end_of_turn>", "<end_of_utterance>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "</s>",
}  # fmt: skip


def end_ids(metadata: dict[str, Any]) -> set[int]:
    """The ids that end a turn: the file's own, and tokens of `ENDS` that its chat template writes: public files often name another."""
    ids = {id for part in ("eos", "eot", "eom") if type(id := metadata.get(f"tokenizer.ggml.{part}_token_id")) is int}
    tokens, template = metadata.get("tokenizer.ggml.tokens"), metadata.get("tokenizer.chat_template")
    if isinstance(tokens, list) and isinstance(template, str):
        ids |= {id for id, token in enumerate(tokens) if token in ENDS and token in template}
    return ids


def tokenizer(metadata: dict[str, Any]) -> Tokenizer:
    """A tokenizer from a file's `metadata`. Raises GGUFError for a kind that is not built."""
    fields = {key.removeprefix("tokenizer.ggml."): value for key, value in metadata.items() if key.startswith("tokenizer.ggml.")}
    tokens = fields.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, str) for token in tokens):
        raise GGUFError("it holds no tokens")
    match fields.get("model"):
        case "gpt2":
            backend, begins = _byte_level(fields, tokens)
        case "llama":
            backend, begins = _sentencepiece(fields, tokens), True
        case other:
            raise GGUFError(f"its tokenizer is of the kind {str(other)[:40]}; gpt2 and llama are read")
    _add_special(backend, fields, tokens)

    def special_token(part: str) -> str | None:
        id = fields.get(f"{part}_token_id")
        return tokens[id] if type(id) is int and 0 <= id < len(tokens) else None

    begins = bool(fields.get("add_bos_token", begins))
    ids = {"eos_token": special_token("eos"), "unk_token": special_token("unknown"), "pad_token": special_token("padding")}
    template = metadata.get("tokenizer.chat_template")
    return Tokenizer(
        backend, {"bos_token": special_token("bos") if begins else None, **ids}, template if isinstance(template, str) else None
    )


def _byte_level(fields: dict[str, Any], tokens: list[str]):
    """BPE over the bytes of a text, and whether a text begins with the beginning token unless the file says."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    if (pre := fields.get("pre") or "default") not in CUTS:
        raise GGUFError(f"its tokenizer splits text by {str(pre)[:40]}, which is not read ({', '.join(CUTS)} are)")
    pattern, begins = CUTS[pre]
    merges = [tuple(merge.split(" ", 1)) for merge in fields.get("merges", ())]
    ids = {token: id for id, token in reversed([*enumerate(tokens)])}
    whole = pattern is LLAMA3  # a piece that is a token of its own stays one
    backend = Tokenizer(models.BPE(vocab=ids, merges=merges, ignore_merges=whole))
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern in (None, "digits"))
    if pattern == "digits":
        first: Any = [pre_tokenizers.Digits(individual_digits=True)]
    else:
        patterns = pattern if isinstance(pattern, tuple) else [pattern] if pattern else []
        first = [pre_tokenizers.Split(Regex(each), "isolated") for each in patterns]
    backend.pre_tokenizer = pre_tokenizers.Sequence([*first, level])
    backend.decoder = decoders.ByteLevel()
    if pre in NFC:
        backend.normalizer = normalizers.NFC()
    return backend, begins


def _sentencepiece(fields: dict[str, Any], tokens: list[str]):
    """BPE as SentencePiece makes it: of two neighbours those are merged first whose whole has the best score; what has no token is bytes."""
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers.tokenization_utils_base import generate_merges

    scores = fields.get("scores")
    if not isinstance(scores, list) or len(scores) != len(tokens):
        raise GGUFError("it holds no score for each of its tokens")
    ids = {token: id for id, token in reversed([*enumerate(tokens)])}
    unknown = fields.get("unknown_token_id", 0)
    backend = Tokenizer(
        models.BPE(
            vocab=ids, merges=generate_merges(ids, dict(zip(tokens, scores, strict=True))), unk_token=tokens[unknown],
            fuse_unk=True, byte_fallback=True,
        )
    )  # fmt: skip
    prefix = fields.get("add_space_prefix", True)
    space = normalizers.Replace(" ", "▁")
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), space]) if prefix else space
    ends = [decoders.Strip(" ", 1, 0)] if prefix else []
    backend.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *ends])
    return backend


def _add_special(backend, fields: dict[str, Any], tokens: list[str]) -> None:
    """Tokens that no text is cut through."""
    from tokenizers import AddedToken

    kinds = fields.get("token_type")
    for id, kind in enumerate(kinds if isinstance(kinds, list) else ()):
        if id < len(tokens) and kind in (CONTROL, USER_DEFINED):
            token = AddedToken(tokens[id], normalized=False, special=kind == CONTROL)
            (backend.add_special_tokens if kind == CONTROL else backend.add_tokens)([token])
