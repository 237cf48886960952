"""What the engine of the site has (assets/engine): it drafts chains.

A browser is bound by arithmetic: a pass over five tokens takes 2.6 to 3.7 times as long as one over a token (make bench-site). So nothing that
drafts many tokens for one pass can pay there, and the app alone has it.

DRAFTERS_HERE["eagle"].label
"""

from ..config import SETTINGS, SettingInfo
from ..drafters import DRAFTERS, DrafterInfo
from ..rules import RULES

TARGET = "fable"
DRAFTERS_HERE: dict[str, DrafterInfo] = {
    key: DRAFTERS[key] for key in ("small", "large", "lookup", "early-exit", "eagle", "oracle", "random")
}
RULES_HERE = ("rejection", "match")
_APP_SETTINGS = ("survival", "tree", "children", "nodes", "grammar")


def _is_here(setting: SettingInfo) -> bool:
    return setting.name not in _APP_SETTINGS and setting.rule in (None, *RULES_HERE)


def _as_here(setting: SettingInfo) -> SettingInfo:
    """With no rule among its choices that the app alone has."""
    if setting.name != "verifier":
        return setting
    choices = {rule: label for rule, label in setting.choices.items() if rule in RULES_HERE}
    return setting._replace(choices=choices, help=f"{', '.join(RULES_HERE)}.")


SETTINGS_HERE: dict[str, SettingInfo] = {name: _as_here(one) for name, one in SETTINGS.items() if _is_here(one)}
"""Of each setting that the site has what is said of it there, by the name of its field."""

APP_DRAFTERS = {key: one for key, one in DRAFTERS.items() if key not in DRAFTERS_HERE}
APP_RULES = {name: rule for name, rule in RULES.items() if name not in RULES_HERE}
APP_SETTINGS = {name: one for name, one in SETTINGS.items() if name not in SETTINGS_HERE}
"""What the app alone has."""


def weights_of(drafter: str) -> str | None:
    """The bundled model whose weights a way to draft has; None where it has none of its own."""
    one = DRAFTERS_HERE[drafter]
    return (one.bundled if one.kind == "model" else f"{TARGET}-{drafter}") if one.weights else None


MODELS = {TARGET, *filter(None, map(weights_of, DRAFTERS_HERE))}
"""The models that the site has a use for."""
