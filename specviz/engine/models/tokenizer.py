"""A tokenizer.json with its special tokens and its chat template, by the package `tokenizers`: what our own models need of a
tokenizer, under the names that a fast tokenizer of transformers has.

tokenizer = own_tokenizer(Path("assets/models/fable"))    # None: ask transformers
"""

import json
from pathlib import Path
from typing import Any

from tokenizers import AddedToken

from .template import render

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
