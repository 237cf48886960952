"""A link carries a prompt and settings as query parameters, and may name a recorded run: /?prompt=Once+upon&K=4&drafter=lookup

    link = read_link(request.query_params, engine)      # strict: link.settings, link.recorded, and in words what was left out

The values come from anybody. Each is checked by itself against config.py; one that does not pass is left out and named.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...config import SETTINGS, ConfigError, SettingInfo
from ...picture.words import short
from .. import words
from ..engine import Engine
from . import recorded

PROMPT_LIMIT = 20_000  # characters: more than any pair's context takes
PROBLEMS_SHOWN = 4
NUMBERS = {int: re.compile(r"-?[0-9]{1,12}"), float: re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,12})?")}
YES, NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
# Gradio's, the other tabs', what others append
NOT_OURS = re.compile(r"__.*|view|chapter|lab(_.*)?|utm_.*|fbclid|gclid|session_hash")
BY_KEY = {setting.key: setting for setting in SETTINGS.values()}


@dataclass(frozen=True)
class Link:
    """`settings` by NAMES of page/settings.py; `recorded` one of `recorded.names()`; `problems` in words."""

    settings: dict = field(default_factory=dict)
    recorded: str | None = None
    problems: tuple[str, ...] = ()

    @property
    def filled(self) -> str:
        """What it filled in: the key of a sentence in words.LINK_READ."""
        return "settings" if "prompt" not in self.settings else "both" if len(self.settings) > 1 else "prompt"

    @property
    def sentence(self) -> str:
        """What could not be used, as one sentence, or nothing."""
        if not self.problems:
            return ""
        left = len(self.problems) - PROBLEMS_SHOWN
        problems = [*self.problems[:PROBLEMS_SHOWN], *([words.LINK_MORE.format(count=left)] if left > 0 else [])]
        return words.LINK_PARTLY.format(problems="; ".join(problems))


def read_link(params: Mapping, engine: Engine) -> Link:
    """What `params` ask for, as far as it may be. A parameter that is not known, or out of bounds, is named in `problems`."""
    settings, run, problems = {}, None, []
    for name, value in params.items():
        if NOT_OURS.fullmatch(name):
            continue
        try:
            if name == "recorded":
                run = one_of(words.RECORDED_LIST, str(value), recorded.names())
            elif name == "prompt":
                settings[name] = _prompt(str(value))
            elif name == "models":
                settings[name] = one_of(words.MODELS, str(value), engine.models())
            elif name == "drafter":
                settings[name] = str(value)  # checked with the models, in `_with_drafter`
            elif name in BY_KEY:
                settings[name] = _setting(BY_KEY[name], str(value))
            else:
                raise ValueError(words.LINK_UNKNOWN.format(name=short(name, 40)))
        except ValueError as bad:
            problems.append(str(bad))
    return Link(_with_drafter(settings, engine, problems), run, tuple(problems))


def _with_drafter(settings: dict, engine: Engine, problems: list[str]) -> dict:
    """A drafter is one of its models: those that the link names, or the first."""
    if "drafter" not in settings:
        return settings
    models = settings.get("models", engine.models()[0])
    try:
        return {**settings, "models": models, "drafter": one_of(words.DRAFTER, settings["drafter"], engine.drafters(models))}
    except ValueError as bad:
        problems.append(str(bad))
        return {name: value for name, value in settings.items() if name != "drafter"}


def _setting(setting: SettingInfo, text: str):
    """The value of its control. A text that is no number is left for the check, which says what it must be."""
    value: object = text
    if setting.kind in NUMBERS:
        value = setting.kind(text) if NUMBERS[setting.kind].fullmatch(text) else text
    elif setting.kind is bool:
        value = text.lower() in YES if text.lower() in YES + NO else text
    elif setting.kind is tuple:
        value = tuple(line for line in text.splitlines() if line)
    try:
        checked = setting.validate(value)
    except ConfigError as error:
        raise ValueError(_bad_value(setting.label, value, error.bound)) from None
    return "\n".join(checked) if setting.kind is tuple else checked


def _prompt(text: str) -> str:
    if not text.strip() or len(text) > PROMPT_LIMIT:
        raise ValueError(_bad_value(words.PROMPT, text, words.LINK_PROMPT.format(most=f"{PROMPT_LIMIT:,}")))
    return text


def one_of(label: str, text: str, known: Sequence[str]) -> str:
    """`text`, if it is known. Raises ValueError: a sentence with the name of its control."""
    if text not in known:
        raise ValueError(_bad_value(label, text, words.LINK_ONE_OF.format(names=", ".join(known))))
    return text


def _bad_value(label: str, value, bound: str) -> str:
    text = value if isinstance(value, str) else ", ".join(value) if isinstance(value, tuple) else str(value)
    return words.LINK_VALUE.format(field=label, value=short(text, 40) or words.EMPTY, bound=bound)
