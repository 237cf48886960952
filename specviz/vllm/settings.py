"""Which settings vLLM has, and what becomes of the others: they are refused, since it would ignore them. And options of its own."""

import json
from typing import Any

from ..config import SETTINGS, ConfigError, DecodeConfig
from ..rules import RULES

SUPPORTED_SETTINGS = ("K", "temperature", "top_k", "top_p", "max_new_tokens", "stop", "seed", "ignore_eos", "drafting")


def check_settings(config: DecodeConfig) -> None:
    """Raises ConfigError for a setting that vLLM has not. It verifies by rejection, so what belongs to another rule decides nothing."""
    same = config.exact and not RULES[config.verifier].exact  # as rejection: at temperature 0, or with its own setting at 1
    for name, setting in SETTINGS.items():
        if name in SUPPORTED_SETTINGS or setting.rule or (name == "verifier" and same):
            continue
        if getattr(config, name) != setting.default:
            raise ConfigError(name, getattr(config, name), f"{setting.default!r} with vLLM")


def options(lines: list[str]) -> dict[str, Any]:
    """`["max_model_len=512", "dtype=bfloat16"]` → values as JSON has them, else text. Raises ConfigError."""
    arguments: dict[str, Any] = {}
    for each in lines:
        name, equals, value = each.partition("=")
        if not equals or not name.isidentifier():
            raise ConfigError("option", each, "NAME=VALUE with the name of an engine argument of vLLM, such as max_model_len=512")
        try:
            arguments[name] = json.loads(value)
        except ValueError:
            arguments[name] = value
    return arguments
