"""Ids ↔ text: encode a prompt, name one token, stream the text of many.

tokenizer = own_tokenizer(Path("assets/models/fable"))    # None: ask transformers

A tokenizer.json is read by the package `tokenizers`, with its special tokens and its chat template. One token is named by what it
adds after another token, so that spaces are kept; bytes that are no whole character are shown as bytes. Running text comes from
`tokenizers`' DecodeStream, which waits until a character is whole.
"""

import json
from collections.abc import Hashable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

from tokenizers import AddedToken
from tokenizers.decoders import DecodeStream

from ..request import PROMPT_LIMIT
from ..trace.events import Token
from .template import render

REPLACEMENT = "\ufffd"  # what a decoder writes for bytes that are no character


class PromptError(ValueError):
    """The prompt cannot be decoded from; the message says why and gives both lengths where lengths are the matter."""


def check_length(text: str) -> None:
    """Refuse a text by its characters, before a tokenizer works on it. Raises PromptError."""
    if len(text) > PROMPT_LIMIT:
        raise PromptError(f"the text has {len(text):,} characters; at most {PROMPT_LIMIT:,} are tokenised")


class Text(Hashable, Protocol):
    """What the engine asks of a tokenizer."""

    eos: frozenset[int]
    chat: bool

    def encode(self, prompt: str) -> list[int]: ...

    def token(self, id: int) -> Token: ...

    def characters(self, id: int) -> str:
        """What a token adds to a text; '' of one that is special or unused, or whose bytes are no whole characters."""
        ...

    def stream(self, prompt: list[int]) -> "Stream": ...


class Stream(Protocol):
    def push(self, id: int) -> str:
        """The text that `id` adds; '' while a character is incomplete."""
        ...


class TokenizerText:
    """`Text` over a fast tokenizer, of transformers or our own (`own_tokenizer`). `eos`: ids that end a run; `chat`: a prompt
    is what a user says to an instruct model, and goes through its chat template."""

    def __init__(self, tokenizer, eos: frozenset[int], chat: bool = False):
        self.tokenizer, self.eos, self.chat = tokenizer, eos, chat
        self.backend = tokenizer.backend_tokenizer
        self._known: dict[int, Token] = {}

    def encode(self, prompt: str) -> list[int]:
        """Ids of the prompt after exactly one beginning-of-sequence id, where the tokenizer has one. Raises PromptError."""
        check_length(prompt)
        if self.chat:
            return self._chat_ids(prompt)
        encoding = self._encoded(prompt, "the prompt", add_special_tokens=True)
        added = encoding.special_tokens_mask  # 1 for what the template put there; at the end that would end the text
        ids = encoding.ids[: len(added) - added[::-1].index(0) if 0 in added else 0]
        bos = self.tokenizer.bos_token_id
        if bos is not None and (not ids or ids[0] != bos):
            ids = [bos, *ids]
        if not ids:
            raise PromptError("the prompt is empty, and this tokenizer has no beginning-of-sequence token to start from")
        return ids

    def encode_continuation(self, words: str) -> list[int]:
        """Ids of what goes on after a text: no token is put before it. Raises PromptError."""
        check_length(words)
        return self._encoded(words, "this", add_special_tokens=False).ids

    def _encoded(self, text: str, what: str, add_special_tokens: bool):
        try:
            return self.backend.encode(text, add_special_tokens=add_special_tokens)
        except (UnicodeError, TypeError) as error:  # half of a surrogate pair is no text
            raise PromptError(f"{what} is not valid Unicode text: {error}") from None

    def _chat_ids(self, prompt: str) -> list[int]:
        """Ids of the chat template with `prompt` in it. The template writes the beginning-of-sequence token itself, or has none:
        nothing is put before it, or it would stand there twice."""
        try:
            text = self.tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
            )
        except Exception as error:  # a template is a program of the checkpoint
            raise PromptError(
                f"the chat template cannot be used with this prompt: {' '.join(str(error).split())[:200]}"
            ) from None
        check_length(text)
        return self._encoded(text, "the prompt", add_special_tokens=False).ids

    def token(self, id: int) -> Token:
        known = self._known.get(id)
        if known is None:
            known = self._known[id] = self._name(id)
        return known

    def characters(self, id: int) -> str:
        token = self.token(id)
        return "" if token.partial or id in self._special or self.backend.id_to_token(id) is None else token.text

    def stream(self, prompt: list[int]) -> "TokenizerStream":
        return TokenizerStream(self.backend, prompt, self._anchor[0])

    def _name(self, id: int) -> Token:
        raw = self.backend.id_to_token(id)
        if raw is None:  # a padded vocabulary has more logits than the tokenizer has tokens
            return Token(id, f"⟨unused {id}⟩")
        if id in self._special:
            return Token(id, raw)
        anchor, before = self._anchor
        text = self.backend.decode([anchor, id], skip_special_tokens=False)
        text = text[len(before) :] if text.startswith(before) else self.backend.decode([id], skip_special_tokens=False)
        if REPLACEMENT in text and REPLACEMENT not in raw:
            data = _bytes(raw)
            if REPLACEMENT in data.decode(errors="replace").replace(REPLACEMENT, "", data.count(REPLACEMENT.encode())):
                return Token(id, f"⟨{data.hex(' ').upper()}⟩", partial=True)
        return Token(id, text)

    @cached_property
    def _special(self) -> frozenset[int]:
        return frozenset(self.backend.get_added_tokens_decoder())

    @cached_property
    def _anchor(self) -> tuple[int, str]:
        """A plain token and its text: what a token adds after it includes its leading space."""
        id = self.backend.encode("a", add_special_tokens=False).ids[-1]
        return id, self.backend.decode([id], skip_special_tokens=False)


class TokenizerStream:
    """The text of a run, piece by piece, as it continues `prompt`."""

    def __init__(self, backend, prompt: list[int], anchor: int):
        self.backend, self.anchor = backend, anchor
        waits = backend.decode(list(prompt), skip_special_tokens=True).endswith(REPLACEMENT)  # else it would be said again
        self.decoder = DecodeStream(ids=[*prompt, anchor] if waits else list(prompt), skip_special_tokens=True)

    def push(self, id: int) -> str:
        try:
            return self.decoder.step(self.backend, id) or ""
        except Exception:  # a stray byte made the decoder take back text that it had given: go on after it
            self.decoder = DecodeStream(ids=[self.anchor], skip_special_tokens=True)
            return REPLACEMENT + (self.decoder.step(self.backend, id) or "")


def _bytes(raw: str) -> bytes:
    """The bytes of a token as vocabularies write them: <0xE2> (byte fallback) or the byte-level alphabet of GPT-2."""
    if raw.startswith("<0x") and raw.endswith(">"):
        return bytes.fromhex(raw[3:-1])
    alphabet = _alphabet()
    return b"".join(bytes([alphabet[c]]) if c in alphabet else c.encode() for c in raw)


@cache
def _alphabet() -> dict[str, int]:
    """GPT-2's letters for bytes: those that can be seen stand for themselves, the others for what comes after the first 256."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + i): byte for i, byte in enumerate(hidden)}


CLASSES = ("TokenizersBackend", "PreTrainedTokenizerFast")  # of which transformers takes tokenizer.json as it is
SPECIAL = ("bos_token", "eos_token", "unk_token", "pad_token")
KNOWN = {*SPECIAL, "backend", "tokenizer_class", "model_max_length", "clean_up_tokenization_spaces", "chat_template"}
BESIDE = ("chat_template.jinja", "special_tokens_map.json", "added_tokens.json", "additional_chat_templates")


class Tokenizer:
    """`backend_tokenizer` is that of the package; `special` names a beginning, an end and what else it has."""

    is_fast = True

    def __init__(self, backend, special: dict[str, str | None], chat_template: str | None = None):
        self.backend_tokenizer, self.chat_template = backend, chat_template
        self.special_tokens_map = {kind: token for kind, token in special.items() if token is not None}
        backend.add_special_tokens(
            [AddedToken(token, normalized=False, special=True) for token in dict.fromkeys(self.special_tokens_map.values())]
        )
        self.bos_token, self.eos_token = special.get("bos_token"), special.get("eos_token")

    @property
    def bos_token_id(self) -> int | None:
        return self._id(self.bos_token)

    @property
    def eos_token_id(self) -> int | None:
        return self._id(self.eos_token)

    def __len__(self) -> int:
        return self.backend_tokenizer.get_vocab_size(with_added_tokens=True)

    def get_chat_template(self) -> str | None:
        return self.chat_template

    def apply_chat_template(
        self, messages: list[dict[str, str]], tokenize: bool = False, add_generation_prompt: bool = True
    ) -> str:
        """The text of a conversation. Raises what the template raises."""
        return render(self.chat_template or "", messages, self.special_tokens_map, add_generation_prompt)

    def _id(self, token: str | None) -> int | None:
        return None if token is None else self.backend_tokenizer.token_to_id(token)


def own_tokenizer(folder: Path) -> Tokenizer | None:
    """The tokenizer of a checkpoint's folder; None for what transformers has to read. Raises ValueError and OSError for a broken file."""
    from tokenizers import Tokenizer as Backend

    file, beside = folder / "tokenizer.json", folder / "tokenizer_config.json"
    if not (file.is_file() and beside.is_file()) or any((folder / name).exists() for name in BESIDE):
        return None
    config: dict[str, Any] = json.loads(beside.read_text("utf-8"))
    texts = {*SPECIAL, "chat_template"} & config.keys()
    if (
        config.get("tokenizer_class") not in CLASSES
        or config.keys() - KNOWN
        or not all(isinstance(config[name], str) for name in texts)
    ):
        return None
    return Tokenizer(Backend.from_file(str(file)), {name: config.get(name) for name in SPECIAL}, config.get("chat_template"))
