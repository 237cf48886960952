"""The prompt and the settings of a run: where each stands on the page. What their controls are: setting.py."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from ...config import SETTINGS
from ...drafters import DRAFTERS
from ...trace.events import Trace
from ...words import page as words
from ..component import QUICK
from ..engine import Engine
from ..settings import NAMES, default_values, drafter_choices, examples, settings_of
from .setting import ROWS, SLIDERS, info_of, setting_control, slider_update, wire_settings

LOOKS = {"drafting": {"filterable": False}}
MOST_EXAMPLES = 100  # all on one page


@dataclass(frozen=True)
class Controls:
    """The panel's components. `by_name`: all that decides a run, by NAMES; `start`: what it says at first; `menu`: what holds
    `examples`, prompts, and the recorded runs; `models_event`: models were chosen, and what drafts for them is set."""

    engine: Engine
    start: dict
    run: gr.Button
    stop: gr.Button
    menu: gr.Row
    examples: gr.Dataset
    models_event: Dependency
    by_name: dict[str, Component]

    @property
    def inputs(self) -> list[Component]:
        """All that decides a run, in the order of NAMES."""
        return list(self.by_name.values())

    def by_names(self, values: Sequence) -> dict:
        """The values of `inputs` by name."""
        return dict(zip(self.by_name, values, strict=True))


def controls(engine: Engine, trace: Trace | None = None) -> Controls:
    """`trace`: the run that is on the page first; the controls say what made it, if it is one of the models that come first."""
    start, made_by = default_values(engine), settings_of(trace.header, engine) if trace else {}
    if made_by.get("models") == start["models"]:
        start |= made_by
    components: dict[str, Component] = {}

    begin = gr.Button(words.BEGIN, size="sm", elem_classes=["sv-lead", "sv-link"])
    begin.click(None, js="() => specviz.openTab('learn-tab')", api_visibility="private", queue=False)
    with menu("examples", words.EXAMPLES_MENU) as menu_of_examples:
        looks = {"type": "index", "show_label": False, "samples_per_page": MOST_EXAMPLES, "elem_classes": "sv-chips"}
        prompts = gr.Dataset(components=["textbox"], **_samples(engine, start["models"]), **looks)
    with gr.Row(equal_height=True, elem_classes="sv-ask"):
        components["prompt"] = gr.Textbox(
            start["prompt"],
            label=words.PROMPT,
            placeholder=placeholder(engine, start["models"]),
            lines=1,
            max_lines=6,
            elem_id="prompt",
            scale=6,
        )
        choices = [(words.TARGET_LABELS.get(key, key), key) for key in engine.models()]
        look = {"label": words.MODELS, "filterable": False, "elem_id": "models", "min_width": 0}
        components["models"] = gr.Dropdown(choices, value=start["models"], **look)
        with gr.Column(scale=1, min_width=140, elem_classes="sv-buttons"):
            run = gr.Button(words.RUN, variant="primary", elem_id="run")
            stop = gr.Button(words.STOP, variant="secondary", elem_id="stop", interactive=False)
            run.click(None, None, [run, stop], js="() => specviz.setRunning(true)", **QUICK)
    needs = gr.Markdown(_models_note(engine, start["models"]), elem_id="models-note")

    def add(names: Sequence[str]) -> None:
        for setting in (SETTINGS[name] for name in names):
            look = LOOKS.get(setting.name, {})
            components[setting.key] = setting_control(setting, start, info=info_of(setting), **look)

    fold = gr.Accordion(words.MORE, open=False, elem_id="more", elem_classes="sv-more")
    with fold as more, gr.Row(elem_classes="sv-sliders"):
        add(ROWS[0])
        components["drafter"], note = _drafter(engine.drafters(start["models"]), start["drafter"])
        with menu("further", words.FURTHER):
            for names in ROWS[1:]:
                add(names)
    models_event = _follow_models(engine, components, prompts, note, needs)
    wire_settings(components)
    _keep_unfolded(more)
    by_name = {name: components[name] for name in NAMES}
    return Controls(engine, start, run, stop, menu_of_examples, prompts, models_event, by_name)


def _keep_unfolded(more: gr.Accordion) -> None:
    """It stays as the visitor left it, also over a reload."""
    more.expand(None, js="() => specviz.keepUnfolded(true)", api_visibility="private", queue=False)
    more.collapse(None, js="() => specviz.keepUnfolded(false)", api_visibility="private", queue=False)
    gr.on(None, None, None, more, js="() => specviz.accordionUpdate()", api_visibility="private", queue=False)


def _samples(engine: Engine, models: str) -> dict:
    """The examples of `models` by their names."""
    texts = examples(engine.chats(models))
    return {"samples": [[text] for text in texts.values()], "sample_labels": list(texts)}


def placeholder(engine: Engine, models: str) -> str:
    return words.QUESTION_PLACEHOLDER if engine.chats(models) else words.PROMPT_PLACEHOLDER


@contextmanager
def menu(name: str, word: str) -> Iterator[gr.Row]:
    """A button, and what it opens under itself (assets/player/page.js)."""
    with gr.Row(elem_classes="sv-menu-place"):
        gr.Button(word, size="sm", min_width=0, elem_id=name, elem_classes="sv-opens")
        with gr.Row(elem_id=f"{name}-menu", elem_classes="sv-menu") as box:
            yield box


def _drafter(keys: list[str], first: str) -> tuple[gr.Dropdown, gr.Markdown]:
    """How to draft, and under it a sentence about what is chosen. The sentence changes in the page itself."""
    sentences = {key: one.sentence for key, one in DRAFTERS.items()}
    picker = gr.Dropdown(drafter_choices(keys), value=first, label=words.DRAFTER, filterable=False, elem_id="drafter")
    note = gr.Markdown(sentences.get(first, ""), elem_id="drafter-note")
    picker.change(None, picker, note, js=f"key => ({json.dumps(sentences)})[key] ?? ''", api_visibility="private", queue=False)
    return picker, note


def _follow_models(
    engine: Engine, components: dict[str, Component], prompts: gr.Dataset, note: gr.Markdown, needs: gr.Markdown
) -> Dependency:
    """What may draft, the examples, and what a pair needs follow the chosen models."""

    def update_drafters(key: str):
        drafters = engine.drafters(key)
        sentence = DRAFTERS[drafters[0]].sentence if drafters[0] in DRAFTERS else ""
        return gr.update(choices=drafter_choices(drafters), value=drafters[0]), sentence

    def update_page(key: str):
        return [_models_note(engine, key), gr.update(placeholder=placeholder(engine, key)), gr.update(**_samples(engine, key))]

    picker = components["models"]
    outputs = [needs, components["prompt"], prompts]
    # The drafters follow what a person picks; a link or a recorded run sets them itself.
    picker.change(update_page, picker, outputs, show_progress="hidden", api_visibility="private")
    return picker.input(update_drafters, picker, [components["drafter"], note], show_progress="hidden", api_visibility="private")


def _models_note(engine: Engine, key: str) -> str:
    """What a pair needs that is not here; nothing of the bundled family."""
    needs = engine.needs(key)
    if needs is None:
        return words.TARGET_IS.get(key, words.OWN_IS)
    gate = words.NEEDS_LOGIN if needs.gated else ""
    return words.NEEDS.format(gigabytes=needs.gigabytes, dtype=needs.dtype, licence=needs.licence) + gate


def updates(settings: Mapping, controls: Controls) -> list:
    """For each of `controls.inputs` what sets it, or leaves it as it is. `settings` were read by `settings.read_link`, or made a run."""
    changes = {name: gr.update(value=value) for name, value in settings.items()}
    for setting in SETTINGS.values():
        if setting.name in SLIDERS and setting.key in settings:
            changes[setting.key] = gr.update(**slider_update(setting, settings[setting.key]))
        if setting.beside and settings.get(setting.key, setting.default) != setting.default:
            changes[setting.key] = gr.update(value=settings[setting.key], visible=True)
    if "models" in settings:
        keys = controls.engine.drafters(settings["models"])
        changes["drafter"] = gr.update(choices=drafter_choices(keys), value=settings.get("drafter", keys[0]))
    return [changes.get(name, gr.skip()) for name in controls.by_name]
