"""The control of a setting, made from its field (config.py), and when it is there."""

from collections.abc import Mapping

import gradio as gr
from gradio.components import Component

from ...config import CONFLICTING, SETTINGS, SettingInfo, options_beside
from ...words import page as words
from ..component import QUICK

OF_RULES = [name for name, setting in SETTINGS.items() if setting.rule]
"""The settings that belong to a rule."""
BAR = ("K", "temperature", "top_p", "max_new_tokens", "seed")
"""A link always carries them."""
SLIDERS = {"K": 16, "temperature": 2.0, "max_new_tokens": 512}
"""What is set most, and how far its slider goes: a link, a run or a hand may set more, and the slider then goes so far."""
_RULES = ("verifier", *OF_RULES, "drafting")
_NUMBERS = ("top_p", "top_k", "seed")
_LAST = [name for name in dict.fromkeys(("confidence", *SETTINGS)) if name not in (*SLIDERS, *_RULES, *_NUMBERS)]
EXCLUDED = [name for name in CONFLICTING if name not in (*SLIDERS, "drafting")]
"""The settings whose controls others shut. A slider keeps what gradio would forget of it (`setting_control`)."""
ROWS = (tuple(SLIDERS), _NUMBERS, _RULES, tuple(sorted(_LAST, key=lambda name: SETTINGS[name].kind is bool)))
"""The settings: those in sight, and behind *More* all others."""


class SettingSlider(gr.Slider):
    """To a page it is gradio's. Here any value is taken: gradio's own check has no sentence for an empty field, and knows another end than
    the page where a link set it for a session."""

    is_template = True

    def preprocess(self, payload):
        return payload


def setting_control(setting: SettingInfo, start: Mapping, **look) -> Component:
    """By its kind, with its value of `start`. A number has no bounds of its own: what is out of bounds is refused in words."""
    look |= {"value": start[setting.key], "label": setting.label, "elem_id": setting.key.replace("_", "-")}
    if setting.rule or setting.beside:
        look["visible"] = is_visible(setting, start)
    if setting.choices:
        return gr.Dropdown([(label, value) for value, label in setting.choices.items()], **look)
    if setting.kind is bool:
        return gr.Checkbox(**look)
    if setting.kind is tuple:
        return gr.Textbox(lines=2, **look | {"elem_id": f"{look['elem_id']}-strings"})
    if setting.pattern:
        return gr.Textbox(**look)
    if setting.name in SLIDERS:
        look |= slider_update(setting, look["value"])
        return SettingSlider(minimum=0 if setting.or_zero else setting.low, step=setting.step or 1, buttons=[], **look)
    return gr.Number(step=setting.step or 1, **look)


def slider_update(setting: SettingInfo, value: object) -> dict:
    """Its value, which may be no number (an empty field), and how far it goes."""
    return {"value": value, "maximum": max(SLIDERS[setting.name], value if isinstance(value, int | float) else 0)}


def info_of(setting: SettingInfo) -> str | None:
    """What stands under the name of its field."""
    if setting.rule or setting.beside:
        return setting.span
    if setting.name in words.INFOS:
        return words.INFOS[setting.name]
    return setting.help if setting.name in ROWS[-1] and setting.kind is not bool else None


def is_visible(setting: SettingInfo, values: Mapping) -> bool:
    """Whether its control is there: with its rule, with the setting that it stands beside, or while it is on, as a link may say."""
    if setting.rule:
        return values["verifier"] == setting.rule
    if not setting.beside:
        return True
    other = SETTINGS[setting.beside]
    return values[other.key] != other.default or values[setting.key] != setting.default


def wire_settings(components: Mapping[str, Component]) -> None:
    """`components`: the controls by key. Some come and go as another one changes."""

    def update_rules(verifier: str):
        return [gr.update(visible=is_visible(SETTINGS[name], {"verifier": verifier})) for name in OF_RULES]

    components["verifier"].change(
        update_rules, components["verifier"], [components[SETTINGS[name].key] for name in OF_RULES], **QUICK
    )
    for setting in SETTINGS.values():
        if setting.beside:
            _wire_flag(setting, components[SETTINGS[setting.beside].key], components[setting.key])
    for name in SLIDERS:
        slider = components[SETTINGS[name].key]
        # gradio takes what is typed beyond its end for its end, and says nothing: Run says what is out of bounds
        slider.input(
            None, slider, slider, js=f"value => specviz.sliderUpdate('{slider.elem_id}', {SLIDERS[name]}, value)", **QUICK
        )
    beside = [components[SETTINGS[name].key] for name in CONFLICTING]

    def exclude(*values):
        return [gr.update(**one) for one in exclusions(dict(zip(CONFLICTING, values, strict=True))).values()]

    excluded = [components[SETTINGS[name].key] for name in EXCLUDED]
    gr.on([one.change for one in beside], exclude, beside, excluded, **QUICK)


def exclusions(values: Mapping) -> dict[str, dict]:
    """For each of EXCLUDED beside the `values` of CONFLICTING: what leaves it no other value shuts its control, and its field says why."""
    looks = {}
    for name in EXCLUDED:
        options, bound = options_beside(name, values)
        free = any(value != values[name] for value in options)
        info, why = info_of(SETTINGS[name]), f"{bound[:1].upper()}{bound[1:]}."
        looks[name] = {"interactive": free, "info": (f"{info} {why}" if info and free else why) if bound else info}
    return looks


def _wire_flag(setting: SettingInfo, flag: Component, own: Component) -> None:
    def update_beside(on: bool, value: object):
        return gr.update(visible=is_visible(setting, {SETTINGS[setting.beside].key: on, setting.key: value}))

    flag.change(update_beside, [flag, own], own, **QUICK)
