"""A GGUF file as transformers alone reads it, written as a folder that the auditor redoes a run from.

with folder_of_gguf(Path("model.gguf")) as folder: ...     # in the folder for temporary files, gone at the end

Of the tokenizer transformers reads words and merges. How SmolLM2 cuts a text, and a file that does not say it, it does not know, nor which
tokens of a chat end a turn: that is said here.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Regex, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from .checkpoint import AuditError, error_line

END_TOKENS = ("eos", "eot", "eom")
TURN_ENDS = (  # which llama.cpp knows by name: those that the chat template writes end a text
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<|call|>", "<|calls|>", "<|flush|>", "<|endoftext|>",
    "<|end_of_text|>", "<end_of_turn>", "<end_of_utterance>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "</s>",
)  # fmt: skip
UNSAID_CUTS = (  # llama.cpp's, in turn, for a file that names no way to cut a text
    r"[\p{P}\$\+<=>\^~\|]+", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)", r"\p{N}+", "[0-9][0-9][0-9]",
)  # fmt: skip
DIGIT_PRE_TOKENIZERS = ("smollm",)  # names of ways to cut a text where every digit stands alone
DTYPES = {0: torch.float32, 1: torch.float16}  # types of numbers in which a run keeps a file's matrices; any other in bfloat16
BLOCK_DTYPES = ("Q4_1", "Q8_0")  # or, where the trace names one of these, none is rounded


@contextmanager
def folder_of_gguf(file: Path, dtype: str = "") -> Iterator[Path]:
    """`dtype`: of the model, as a trace says it. Raises AuditError if transformers cannot read it."""
    with tempfile.TemporaryDirectory(prefix="specviz-audit-") as place:
        folder = Path(place)
        try:
            _write_checkpoint(file, folder, dtype)
        except Exception as error:  # whatever a broken file makes a library raise
            raise AuditError(f"{file.name} cannot be read by transformers ({error_line(error)})") from None
        (folder / file.name).symlink_to(file.resolve())  # the trace says its sum
        yield folder


def _write_checkpoint(file: Path, folder: Path, dtype: str) -> None:
    from gguf import GGUFReader

    reader = GGUFReader(file)
    fields = {key: field.contents() for key, field in reader.fields.items() if len(field.data) == 1}
    kinds = {int(tensor.tensor_type) for tensor in reader.tensors if len(tensor.shape) > 1}
    stored_dtype = DTYPES.get(*kinds, torch.bfloat16) if len(kinds) == 1 else torch.bfloat16
    if dtype in BLOCK_DTYPES:
        stored_dtype = torch.float32
    config = AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    ends = {fields.get(f"tokenizer.ggml.{end}_token_id") for end in END_TOKENS} - {None}
    written = fields.get("tokenizer.chat_template", "")
    config.eos_token_id = sorted(
        ends | {id for token, id in tokenizer.get_vocab().items() if token in TURN_ENDS and token in written}
    )
    cut, byte_level = fields.get("tokenizer.ggml.pre") or "default", fields.get("tokenizer.ggml.model") == "gpt2"
    if cut in DIGIT_PRE_TOKENIZERS:
        alone = pre_tokenizers.Digits(individual_digits=True)
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence([alone, pre_tokenizers.ByteLevel(False)])
    elif cut == "default" and byte_level:
        parts = [pre_tokenizers.Split(Regex(part), "isolated") for part in UNSAID_CUTS]
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [*parts, pre_tokenizers.ByteLevel(False, use_regex=False)]
        )
    if not fields.get("tokenizer.ggml.add_bos_token", not byte_level or cut not in ("smollm", "qwen2", "gpt-2", "default")):
        tokenizer.bos_token = None
    with torch.device("meta"):  # from_pretrained of a GGUF file asks for accelerate, what it reads the file by does not
        empty = AutoModelForCausalLM.from_config(config)
    stored = load_gguf_checkpoint(file, return_tensors=True, model_to_load=empty)["tensors"]
    save_file(
        {key: tensor.to(stored_dtype).contiguous() for key, tensor in stored.items()},
        folder / "model.safetensors",
        {"format": "pt"},
    )
    for part in (config, GenerationConfig.from_model_config(config), tokenizer):
        part.save_pretrained(folder)
