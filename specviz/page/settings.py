"""What decides a run, by the names that the controls, a link and a recorded run share; of the controls watch/run.py reads it.

A link carries a prompt and settings as query parameters, and may name a recorded run: /?prompt=Once+upon&K=4&drafter=lookup

    link = read_link(request.query_params, engine)      # strict: link.settings, link.recorded, and in words what was left out

Its values come from anybody. Each is checked by itself against config.py; one that does not pass is left out and named.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import gradio as gr

from ..config import SETTINGS, ConfigError, DecodeConfig, SettingInfo
from ..drafters import DRAFTERS
from ..picture.replay import short
from ..trace.events import Header
from ..words import page as words
from .engine import Engine
from .keep import recorded
from .status import status_text

TARGETS = {"smollm2": "SmolLM2-135M-Instruct"}  # what a trace calls those of a key, where that is not the key
DEFAULT = DecodeConfig(temperature=0.8, max_new_tokens=96)
NAMES = ("prompt", "models", "drafter", *(setting.key for setting in SETTINGS.values()))
"""What a link or a recorded run calls the controls, in the order of `Controls.inputs`."""


def values_of(config: DecodeConfig) -> dict:
    """The settings as controls and links hold them: by their keys, strings one a line. A value of saved runs alone is left out."""
    values = {one.key: getattr(config, name) for name, one in SETTINGS.items() if getattr(config, name) not in one.saved}
    return {key: "\n".join(value) if isinstance(value, tuple) else value for key, value in values.items()}


def default_values(engine: Engine, models: str | None = None) -> dict:
    """What stands in the controls when nothing else is said, of `models` or of those that come first."""
    models = models or engine.models()[0]
    prompt = next(iter(examples(engine.chats(models)).values()))
    return {"prompt": prompt, "models": models, "drafter": engine.drafters(models)[0], **values_of(DEFAULT)}


def lesson_models(engine: Engine) -> str:
    """What lessons speak of, and links that name no models: the bundled ones, or those that come first."""
    keys = engine.models()
    return recorded.BUNDLED if recorded.BUNDLED in keys else keys[0]


def examples(chat: bool) -> Mapping[str, str]:
    """Prompts by the names of their buttons."""
    return words.QUESTIONS if chat else dict(zip(words.EXAMPLE_NAMES, words.EXAMPLES, strict=True))


def settings_of(header: Header, engine: Engine) -> dict:
    """The settings that made a run, as a link would carry them. A trace names models, not choices: of its target the one that is here,
    else the bundled ones."""
    keys = {TARGETS.get(key, key): key for key in reversed(engine.models())}
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


# Links -----------------------------------------------------------------------------------------------------------------

PROMPT_LIMIT = 20_000  # characters: more than any pair's context takes
PROBLEMS_SHOWN, NAMES_SHOWN = 4, 10
NUMBERS = {int: re.compile(r"-?[0-9]{1,12}"), float: re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,12})?")}
YES, NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
NO_SETTING = re.compile(r"__.*|view|chapter|lab(_.*)?|utm_.*|fbclid|gclid|session_hash")
"""Names of Gradio, of a tab, and what others append; the page's scripts have the same (assets/player/page.js)."""
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
        if NO_SETTING.fullmatch(name):
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
        left = len(known) - NAMES_SHOWN
        names = known if left <= 1 else [*known[:NAMES_SHOWN], words.LINK_MORE.format(count=left)]
        raise ValueError(_bad_value(label, text, words.LINK_ONE_OF.format(names=", ".join(names))))
    return text


def tab_of_address(tab: str, parameter: str, values: Collection[str], bound: str) -> Callable:
    """Selects `tab` where the address has one of these values, as `?chapter=5` is in Learn; of any other the status line says the bound."""

    def select_tab(request: gr.Request):
        value = request.query_params.get(parameter)
        if value is None or value in values:
            return gr.skip() if value is None else gr.Tabs(selected=tab), gr.skip()
        problems = _bad_value(parameter, value, bound)
        return gr.skip(), status_text("refused", message=words.LINK_PARTLY.format(problems=problems))

    return select_tab


def _bad_value(label: str, value, bound: str) -> str:
    text = value if isinstance(value, str) else ", ".join(value) if isinstance(value, tuple) else str(value)
    return words.LINK_VALUE.format(field=label, value=short(text, 40) or words.EMPTY, bound=bound)
