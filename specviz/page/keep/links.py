"""A link carries a prompt and settings as query parameters, and may name a recorded run: /?prompt=Once+upon&K=4&drafter=lookup

    link = read_link(request.query_params, engine)      # strict: link.settings, link.recorded, and in words what was left out

The values come from anybody. Each is checked by itself against config.py; one that does not pass is left out and named.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...config import ConfigError, DecodeConfig
from ...picture.words import short
from .. import words
from ..engine import Engine
from ..settings import OF_RULE
from . import recorded

PROMPT_LIMIT = 20_000  # characters: more than any pair's context takes
PROBLEMS_SHOWN = 4
WHOLE, REAL = re.compile(r"-?[0-9]{1,12}"), re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,12})?")
YES, NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
NOT_OURS = re.compile(
    r"__.*|view|chapter|lab(_.*)?|utm_.*|fbclid|gclid|session_hash"
)  # Gradio's, the other tabs', what others append


@dataclass(frozen=True)
class Link:
    """`settings` by `controls.NAMES`; `recorded` one of `recorded.names()`; `problems` in words."""

    settings: dict = field(default_factory=dict)
    recorded: str | None = None
    problems: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What could not be used, as one sentence, or nothing."""
        if not self.problems:
            return ""
        left = len(self.problems) - PROBLEMS_SHOWN
        shown = [*self.problems[:PROBLEMS_SHOWN], *([words.LINK_MORE.format(count=left)] if left > 0 else [])]
        return words.LINK_PARTLY.format(problems="; ".join(shown))


class _Bad(ValueError):
    """One line for the visitor about one parameter."""


def read_link(params: Mapping, engine: Engine) -> Link:
    """What `params` ask for, as far as it may be. A parameter that is not known, or out of bounds, is named in `problems`."""
    settings, run, problems = {}, None, []
    for name, value in params.items():
        if NOT_OURS.fullmatch(name):
            continue
        try:
            if name == "recorded":
                run = _one_of(words.RECORDED_LIST, str(value), recorded.names())
            elif name in READERS:
                settings[name] = READERS[name](name, str(value), settings, engine)
            else:
                raise _Bad(words.LINK_UNKNOWN.format(name=short(name, 40)))
        except _Bad as bad:
            problems.append(str(bad))
    return Link(_together(settings, engine, problems), run, tuple(problems))


def _together(settings: dict, engine: Engine, problems: list[str]) -> dict:
    """A drafter is one of its models: those that the link names, or the first."""
    if "drafter" not in settings:
        return settings
    models = settings.get("models", engine.models()[0])
    try:
        return {**settings, "models": models, "drafter": _one_of(words.DRAFTER, settings["drafter"], engine.drafters(models))}
    except _Bad as bad:
        problems.append(str(bad))
        return {name: value for name, value in settings.items() if name != "drafter"}


def _number(kind: type, pattern: re.Pattern, config_field: str) -> Callable:
    def read(_name: str, text: str, *_):
        value = kind(text) if pattern.fullmatch(text) else text
        return getattr(_checked(config_field, value), config_field)

    return read


def _checked(config_field: str, value) -> DecodeConfig:
    try:
        return DecodeConfig(**{config_field: value})
    except ConfigError as error:
        raise _Bad(_refused(words.FIELDS[config_field], value, error.bound)) from None


def _flag(label: str) -> Callable:
    def read(_name: str, text: str, *_) -> bool:
        if text.lower() not in YES + NO:
            raise _Bad(_refused(label, text, "true or false"))
        return text.lower() in YES

    return read


def _prompt(_name: str, text: str, *_) -> str:
    if not text.strip() or len(text) > PROMPT_LIMIT:
        raise _Bad(_refused(words.PROMPT, text, words.LINK_PROMPT.format(most=f"{PROMPT_LIMIT:,}")))
    return text


def _stops(_name: str, text: str, *_) -> str:
    lines = tuple(line for line in text.splitlines() if line)
    return "\n".join(_checked("stop", lines).stop)


READERS = {  # by the name of the parameter, which is the name of the control
    "prompt": _prompt,
    "models": lambda _, text, __, engine: _one_of(words.MODELS, text, engine.models()),
    "drafter": lambda _, text, *__: text,  # checked with the models, in `_together`
    "K": _number(int, WHOLE, "K"),
    "temperature": _number(float, REAL, "temperature"),
    "top_p": _number(float, REAL, "top_p"),
    "length": _number(int, WHOLE, "max_new_tokens"),
    "seed": _number(int, WHOLE, "seed"),
    "top_k": _number(int, WHOLE, "top_k"),
    "stop": _stops,
    "verifier": lambda _, text, *__: _checked("verifier", text).verifier,
    "ignore_eos": _flag(words.IGNORE_EOS),
    "confidence": _number(float, REAL, "confidence"),
    "adaptive": _flag(words.ADAPTIVE),
    **{name: _number(float, REAL, name) for name in (*OF_RULE, "survival")},
    "drafting": lambda _, text, *__: _checked("drafting", text).drafting,
}


def _one_of(label: str, text: str, known) -> str:
    if text not in known:
        raise _Bad(_refused(label, text, words.LINK_ONE_OF.format(names=", ".join(known))))
    return text


def _refused(label: str, value, bound: str) -> str:
    shown = value if isinstance(value, str) else ", ".join(value) if isinstance(value, tuple) else str(value)
    return words.LINK_VALUE.format(field=label, value=short(shown, 40) or words.EMPTY, bound=bound)
