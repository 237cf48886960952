"""The control of a setting, made from its field (config.py), and when it is there."""

from collections.abc import Mapping

import gradio as gr
from gradio.components import Component

from ...config import SETTINGS, SettingInfo
from .screen import QUICK

OF_RULES = [name for name, setting in SETTINGS.items() if setting.rule]
"""The settings that belong to a rule."""


def control(setting: SettingInfo, start: Mapping, **look) -> Component:
    """By its kind, with its value of `start`. A number has no bounds of its own: what is out of bounds is refused in words, never changed
    in silence as a slider would."""
    look |= {"value": start[setting.key], "label": setting.label, "elem_id": setting.key.replace("_", "-")}
    if setting.rule or setting.beside:
        look["visible"] = seen(setting, start)
    if setting.choices:
        return gr.Dropdown([(label, value) for value, label in setting.choices.items()], **look)
    if setting.kind is bool:
        return gr.Checkbox(**look)
    if setting.kind is tuple:
        return gr.Textbox(lines=2, **look | {"elem_id": f"{look['elem_id']}-strings"})
    if setting.pattern:
        return gr.Textbox(**look)
    return gr.Number(step=setting.step or 1, **look)


def seen(setting: SettingInfo, values: Mapping) -> bool:
    """Whether its control is there: with its rule, with the setting that it stands beside, or while it is on, as a link may say."""
    if setting.rule:
        return values["verifier"] == setting.rule
    if not setting.beside:
        return True
    other = SETTINGS[setting.beside]
    return values[other.key] != other.default or values[setting.key] != setting.default


def wire_settings(made: Mapping[str, Component]) -> None:
    """`made`: the controls by key. Some come and go as another one changes."""

    def of_rules(verifier: str):
        return [gr.update(visible=seen(SETTINGS[name], {"verifier": verifier})) for name in OF_RULES]

    made["verifier"].change(of_rules, made["verifier"], [made[SETTINGS[name].key] for name in OF_RULES], **QUICK)
    for setting in SETTINGS.values():
        if setting.beside:
            _wire_flag(setting, made[SETTINGS[setting.beside].key], made[setting.key])


def _wire_flag(setting: SettingInfo, flag: Component, own: Component) -> None:
    def beside(on: bool, value: object):
        return gr.update(visible=seen(setting, {SETTINGS[setting.beside].key: on, setting.key: value}))

    flag.change(beside, [flag, own], own, **QUICK)
