"""What a checkpoint says of itself, asked before anything of it is loaded: a number that no model has ends in an allocation, in minutes or in
a library's error, and a chat template is a program.

check_config(folder, name)             # ModelError, with the field and its bound
check_tokenizer(folder, name)
check_template(template, special, name)

A template is tried in a process of its own (template.py), which can be ended.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...trace.file import short
from ..backends.base import ModelError, one_line

MAX_CONFIG_BYTES = 16 * 2**20  # bytes of a config: ten times what a list of all labels takes
MAX_COUNT = 2**24  # positions, and what else a model has many of: no table of a model that is known has as many rows
COUNTS = {  # what a model needs at least one of, under the names of several families
    *("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "max_sequence_length"),
    *("vocab_size", "hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    *("num_attention_heads", "n_head", "n_heads", "num_heads", "head_dim"),
}
OWN_CODE = "{name} cannot be loaded: {file} asks for code of the checkpoint to be run, which is never done here"
SPECULATORS = "speculators_model_type"  # in the config of a head as the library speculators writes it
ALIKE = {"mimo": "qwen2"}  # model types that transformers runs by code of the checkpoint, and what their layers are
TRIED = Path(__file__).with_name("template.py")
TEMPLATE_TIMEOUT_S = 60.0  # seconds by the clock, where others have the processors


def check_config(folder: Path, name: str) -> None:
    """Raises ModelError for a config.json that cannot be read, holds a size that is out of bounds, or needs code of its own to be run."""
    config = _object(folder / "config.json", name, "config")
    for path, field, value in _fields(config):
        if field in COUNTS and isinstance(value, int) and not isinstance(value, bool) and not 1 <= value <= MAX_COUNT:
            raise ModelError(
                f"{name} cannot be loaded: {path} in its config.json is {short(value)}; it must be from 1 to {MAX_COUNT:,}"
            )
    if SPECULATORS in config:
        raise ModelError(f"{name} is a head in the speculators format, no model: name it after a colon, as in eagle:{name}")
    if config.get("auto_map"):
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        if config.get("model_type") not in {*CONFIG_MAPPING.keys(), *ALIKE}:
            raise ModelError(OWN_CODE.format(name=name, file="config.json"))


def check_tokenizer(folder: Path, name: str) -> None:
    """The same of a tokenizer_config.json, beside a config.json that is right."""
    check_config(folder, name)
    file = folder / "tokenizer_config.json"
    config = _object(file, name, "tokenizer") if file.is_file() else {}
    if config.get("auto_map"):
        from transformers.models.auto.tokenization_auto import tokenizer_class_from_name

        kind = config.get("tokenizer_class")
        if not isinstance(kind, str) or tokenizer_class_from_name(kind) is None:
            raise ModelError(OWN_CODE.format(name=name, file=file.name))


def _object(file: Path, name: str, what: str) -> dict:
    try:
        if file.stat().st_size > MAX_CONFIG_BYTES:
            raise ValueError(f"{file.name} has more than {MAX_CONFIG_BYTES // 2**20} MiB")
        value = json.loads(file.read_text("utf-8"))
        if not isinstance(value, dict):
            raise ValueError(f"{file.name} is no object of JSON")
        return value
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{name} has no {what} that can be read: {one_line(error)}") from None


def _fields(config: dict, before: str = "") -> Iterator[tuple[str, str, Any]]:
    """(path, name, value) of each field, of those inside others, too."""
    for field, value in config.items():
        path = f"{before}{field}"[-80:]
        yield path, field, value
        if isinstance(value, dict):
            yield from _fields(value, f"{path}.")


def check_template(template: str, special: dict[str, str], name: str) -> None:
    """Raises ModelError for a chat template that takes too long, too much memory, or something that its sandbox does not let it have."""
    request = json.dumps({"template": template, "special": special})
    try:
        run = subprocess.run(
            [sys.executable, "-P", str(TRIED)],
            input=request,
            capture_output=True,
            timeout=TEMPLATE_TIMEOUT_S,
            text=True,
            encoding="utf-8",
        )
        problem = " ".join(run.stdout.split()) if not run.returncode else "it takes more time or memory than a template may take"
    except subprocess.TimeoutExpired:
        problem = "it takes more time than a template may take"
    if problem:
        raise ModelError(f"{name} has a chat template that cannot be used: {problem[:300]}")
