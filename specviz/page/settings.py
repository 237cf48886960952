"""What decides a run, by the names that the controls, a link and a recorded run share, and how it becomes a `DecodeConfig`."""

from collections.abc import Mapping
from dataclasses import replace

from ..config import CHARACTERS, SETTINGS, STRINGS, DecodeConfig
from ..drafters import DRAFTERS
from ..trace.events import Header
from . import words
from .engine import Engine

DEFAULT = DecodeConfig(temperature=0.8, max_new_tokens=96)
STRINGS_TEXT = STRINGS * (CHARACTERS + 2)  # characters of all, one a line: what is longer has too many, or one that is too long
NAMES = ("prompt", "models", "drafter", *(setting.key for setting in SETTINGS.values()))
"""What a link or a recorded run calls the controls, in the order of `Controls.inputs`."""


def values_of(config: DecodeConfig) -> dict:
    """The settings as controls and links hold them: by their keys, strings one a line. A value of saved runs alone is left out."""
    values = {one.key: getattr(config, name) for name, one in SETTINGS.items() if getattr(config, name) not in one.saved}
    return {key: "\n".join(value) if isinstance(value, tuple) else value for key, value in values.items()}


def default_values(engine: Engine, models: str | None = None) -> dict:
    """What stands in the controls when nothing else is said, of `models` or of those that come first."""
    models = models or engine.models()[0]
    prompt = next(iter(examples(chats(engine, models)).values()))
    return {"prompt": prompt, "models": models, "drafter": engine.drafters(models)[0], **values_of(DEFAULT)}


def lesson_models(engine: Engine) -> str:
    """What lessons speak of, and links that name no models: the bundled ones, or those that come first."""
    keys = engine.models()
    return words.BUNDLED if words.BUNDLED in keys else keys[0]


def chats(engine: Engine, models: str) -> bool:
    """Whether prompts of `models` are what a user says to them."""
    return getattr(engine, "chats", lambda _: False)(models)


def examples(chat: bool) -> Mapping[str, str]:
    """Prompts by the names of their buttons."""
    return words.QUESTIONS if chat else dict(zip(words.EXAMPLE_NAMES, words.EXAMPLES, strict=True))


def read_settings(values: Mapping) -> DecodeConfig:
    """What the visitor chose, by keys; what is not among `values` is the page's own. Raises ConfigError for what is out of bounds.

    What belongs to another rule than the one that is picked is out of sight, and left out. Fields hand over 4 as 4.0; 4.5 is left
    for the check."""
    verifier = values.get("verifier", DEFAULT.verifier)
    fields = {}
    for name, setting in SETTINGS.items():
        if setting.key not in values or setting.rule not in (None, verifier):
            continue
        value = values[setting.key]
        if setting.kind is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is None and setting.kind is tuple:
            value = ()
        elif setting.kind is tuple and isinstance(value, str) and len(value) <= STRINGS_TEXT:
            value = tuple(line for line in value.splitlines() if line)
        fields[name] = value
    return replace(DEFAULT, **fields)


def settings_of(header: Header, engine: Engine) -> dict:
    """The settings that made a run, as a link would carry them. A trace names models, not choices: of its target the one that is here,
    else the bundled ones."""
    keys = {words.TARGETS.get(key, key): key for key in reversed(engine.models())}
    models = keys.get(header.target.name, lesson_models(engine))
    drafter = _drafter(header)
    settings = {"prompt": header.prompt, "models": models, **values_of(header.config)}
    return {**settings, "drafter": drafter} if drafter in engine.drafters(models) else settings


def _drafter(header: Header) -> str | None:
    if header.draft is None:
        return None
    by_family = {one.family: one.picture_name for one in DRAFTERS.values() if one.family}
    # an older trace, or another engine's drafter, names none
    kind = header.drafter or by_family.get(header.draft.family, "model")
    keys = [key for key, one in DRAFTERS.items() if one.kind == kind]
    return next((key for key in keys if header.draft.name.endswith(f"-{key}")), keys[0] if keys else None)


def drafter_choices(keys: list[str]) -> list[tuple[str, str]]:
    """Ways to draft as a list shows them: words, key."""
    return [(DRAFTERS[key].label if key in DRAFTERS else key, key) for key in keys]
