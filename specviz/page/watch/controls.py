"""The prompt and the settings of a run, as they stand on the page."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import gradio as gr

from ...config import bounds
from ...trace.header import Trace
from .. import words
from ..engine import Engine
from ..settings import NAMES, OF_RULE, first, named, settings_of
from .screen import QUICK


@dataclass(frozen=True)
class Controls:
    """The panel's components. `settings` is what a run is given, in the order of `settings.read`; `start` what they say at first."""

    engine: Engine
    start: dict
    prompt: gr.Textbox
    run: gr.Button
    stop: gr.Button
    models: gr.Dropdown
    drafter: gr.Dropdown
    settings: list

    @property
    def inputs(self) -> list:
        """All that decides a run, in the order of NAMES."""
        return [self.prompt, self.models, self.drafter, *self.settings]


def controls(engine: Engine, shown: Trace | None = None) -> Controls:
    """`shown`: the run that is on the page first; the controls say what made it."""
    start = first(engine) | (settings_of(shown, engine) if shown else {})
    chips = _chips()
    with gr.Row(equal_height=True, elem_classes="sv-ask"):
        prompt = gr.Textbox(
            start["prompt"],
            label=words.PROMPT,
            placeholder=words.PROMPT_PLACEHOLDER,
            lines=1,
            max_lines=6,
            elem_id="prompt",
            scale=6,
        )
        with gr.Column(scale=1, min_width=140, elem_classes="sv-buttons"):
            run = gr.Button(words.RUN, variant="primary", elem_id="run")
            stop = gr.Button(words.STOP, variant="secondary", elem_id="stop", interactive=False)
    for chip, text in zip(chips, words.EXAMPLES, strict=True):
        # The text is set in the page itself: no trip to the server for a chip.
        chip.click(None, outputs=prompt, js=f"() => {json.dumps(text)}", api_visibility="private", queue=False)
    with gr.Row(elem_classes="sv-settings"):
        drafter, note = _drafter(engine.drafters(), start["drafter"])
        # Fields without bounds of their own: what is out of bounds is refused in words, never changed in silence as a slider would.
        k = gr.Number(start["K"], label=words.K, elem_id="K", min_width=110)
        temperature = gr.Number(start["temperature"], step=0.1, label=words.TEMPERATURE, elem_id="temperature", min_width=90)
        top_p = gr.Number(start["top_p"], step=0.05, label=words.TOP_P, elem_id="top-p", min_width=80)
        length = gr.Number(start["length"], label=words.LENGTH, elem_id="length", min_width=120)
        seed = gr.Number(start["seed"], label=words.SEED, elem_id="seed", min_width=90)
    with gr.Accordion(words.MORE, open=False, elem_classes="sv-more"):
        models = _models(engine, drafter, note)
        with gr.Row():
            top_k = gr.Number(start["top_k"], label=words.TOP_K, elem_id="top-k")
            stops = gr.Textbox(start["stop"], label=words.STOP_STRINGS, lines=2, elem_id="stop-strings")
        with gr.Row():
            drafting = gr.Dropdown(
                words.DRAFTINGS, value=start["drafting"], label=words.DRAFTING, filterable=False, elem_id="drafting"
            )
            verifier = gr.Dropdown(words.VERIFIERS, value=start["verifier"], label=words.VERIFIER, elem_id="verifier")
            of_rule = _of_rule(verifier, start)
        with gr.Row():
            confidence = gr.Number(
                start["confidence"], step=0.05, label=words.CONFIDENCE, info=words.CONFIDENCE_INFO, elem_id="confidence"
            )
            with gr.Column(elem_classes="sv-checks"):
                adaptive = gr.Checkbox(start["adaptive"], label=words.ADAPTIVE, elem_id="adaptive")
                ignore_eos = gr.Checkbox(start["ignore_eos"], label=words.IGNORE_EOS, elem_id="ignore-eos")
            survival = _survival(adaptive, start)
    settings = [k, temperature, top_p, length, seed, top_k, stops, verifier, ignore_eos, confidence, adaptive, drafting]
    settings += [*of_rule, survival]
    return Controls(engine, start, prompt, run, stop, models, drafter, settings)


def _chips() -> list[gr.Button]:
    """A button for each of words.EXAMPLES. They stand before the prompt, beside its name where there is room."""
    with gr.Row(elem_classes="sv-chips"):
        return [gr.Button(name, size="sm", elem_classes="sv-chip", min_width=0) for name in words.EXAMPLE_NAMES]


def _drafter(keys: list[str], first: str) -> tuple[gr.Dropdown, gr.Markdown]:
    """How to draft, and under it a sentence about what is chosen. The sentence changes in the page itself."""
    sentences = {key: sentence for key, (_, sentence) in words.DRAFTERS.items()}
    picker = gr.Dropdown(named(keys), value=first, label=words.DRAFTER, filterable=False, elem_id="drafter")
    note = gr.Markdown(sentences.get(first, ""), elem_id="drafter-note")
    picker.change(None, picker, note, js=f"key => ({json.dumps(sentences)})[key] ?? ''", api_visibility="private", queue=False)
    return picker, note


def _of_rule(verifier: gr.Dropdown, start: dict) -> list[gr.Number]:
    """What a verifier asks for beside p and q: there while that verifier is picked."""

    def there(picked: str):
        return [gr.update(visible=picked == rule) for rule in OF_RULE.values()]

    fields = [
        gr.Number(
            start[name],
            step=0.01,
            label=words.FIELDS[name],
            info=_bounds(name),
            visible=start["verifier"] == rule,
            elem_id=name,
        )
        for name, rule in OF_RULE.items()
    ]
    verifier.change(there, verifier, fields, **QUICK)
    return fields


def _survival(adaptive: gr.Checkbox, start: dict) -> gr.Number:
    """The budget that ends a block: there while K is adaptive, or while it is on, as a link may say (`updates`)."""

    def there(adaptive: bool, survival: float | None):
        return gr.update(visible=adaptive or survival != 0)

    shown = start["adaptive"] or start["survival"] != 0
    info = _bounds("survival")
    field = gr.Number(start["survival"], step=0.05, label=words.SURVIVAL, info=info, visible=shown, elem_id="survival")
    adaptive.change(there, [adaptive, field], field, **QUICK)
    return field


def _bounds(name: str) -> str:
    low, high = bounds(name)
    return words.FROM_TO.format(low=f"{low:g}", high=f"{high:g}")


def _models(engine: Engine, drafter: gr.Dropdown, note: gr.Markdown) -> gr.Dropdown:
    """The bundled models, or a public pair; what may draft follows."""
    keys = engine.models()

    def pick(key: str):
        drafters = engine.drafters(key)
        sentence = words.DRAFTERS.get(drafters[0], ("", ""))[1]
        return gr.update(choices=named(drafters), value=drafters[0]), sentence

    picker = gr.Dropdown(
        [(words.BUNDLED.format(name=key) if _bundled(engine, key) else key, key) for key in keys],
        value=keys[0],
        label=words.MODELS,
        info=words.MODELS_INFO,
        filterable=False,
        elem_id="models",
    )
    told = gr.Markdown(_told(engine, keys[0]), elem_id="models-note")
    # The drafters follow what a person picks; a link or a recorded run sets them itself.
    picker.input(pick, picker, [drafter, note], show_progress="hidden", api_visibility="private")
    picker.change(lambda key: _told(engine, key), picker, told, show_progress="hidden", api_visibility="private")
    return picker


def _served(key: str) -> bool:
    return key.startswith(words.SERVED.format(name=""))


def _bundled(engine: Engine, key: str) -> bool:
    return engine.needs(key) is None and not _served(key)


def _told(engine: Engine, key: str) -> str:
    needs = engine.needs(key)
    if needs is None:
        return words.SERVED_IS if _served(key) else words.NEEDS_NOTHING
    gate = words.NEEDS_LOGIN if needs.gated else ""
    return words.NEEDS.format(gigabytes=needs.gigabytes, dtype=needs.dtype, licence=needs.licence) + gate


def updates(settings: Mapping, controls: Controls) -> list:
    """For each of `controls.inputs` what sets it, or leaves it as it is. `settings` were read by `keep.links`, or made a run."""
    changed = {name: gr.update(value=value) for name, value in settings.items()}
    if settings.get("survival"):
        changed["survival"] = gr.update(value=settings["survival"], visible=True)
    if "models" in settings:
        keys = controls.engine.drafters(settings["models"])
        changed["drafter"] = gr.update(choices=named(keys), value=settings.get("drafter", keys[0]))
    return [changed.get(name, gr.skip()) for name in NAMES]
