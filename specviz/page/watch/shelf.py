"""The shelf between the settings and the race: recorded runs and files to open, and the ways to keep or pass on what is shown."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from urllib.parse import parse_qsl

import gradio as gr

from ...config import SETTINGS, DecodeConfig
from ...trace.events import Trace
from ...words import page as words
from ..component import QUICK, component
from ..engine import Engine
from ..keep import recorded
from ..keep.files import Files, file_button, files, wire_saves
from ..settings import NAMES, PROMPT_LIMIT, examples, lesson_models, read_link, settings_of, values_of
from ..status import status_text
from .controls import Controls, menu, updates
from .run import Screen, empty_screen, message_only, render_recorded
from .setting import BAR

LINK_CHARACTERS = 8000  # characters: what every browser, server and proxy on the way takes
QUERY_CHARACTERS = 100_000  # characters of a query that a browser keeps: any prompt, written as percent signs
DEFAULTS = {setting.key: values_of(DecodeConfig())[setting.key] for name, setting in SETTINGS.items() if name not in BAR}
"""Left out of a link, as the default: what is off is off in every version, and ε, δ and θ are those that docs/rules.md speaks of."""


@dataclass(frozen=True)
class Shelf:
    recorded_list: gr.Dropdown
    back: gr.Button
    files: Files
    copy: gr.Button
    here: gr.Button | None
    link_status: gr.HTML


def shelf(trace: Trace | None, menu_of_examples: gr.Row, site_address: str = "") -> Shelf:
    """`menu_of_examples` gets the list of recorded runs; `site_address`: where the site is, on which the visitor's own browser decodes;
    without it nobody is led there."""
    with menu_of_examples:
        choices = [(words.RECORDED_NONE, ""), *((recorded.title(name), name) for name in recorded.names())]
        recorded_list = gr.Dropdown(
            choices,
            value=next((name for name in recorded.names() if trace and recorded.header(name) == trace.header), ""),
            label=words.RECORDED_LIST,
            container=False,
            filterable=False,
            interactive=True,
            min_width=0,
            elem_id="recorded",
        )
    with gr.Row(elem_classes="sv-shelf"):
        back = gr.Button(words.RECORDED_BACK, size="sm", visible=False, min_width=0, elem_id="back", elem_classes="sv-file")
        with menu("share", words.SHARE):
            buttons = files()
            file_button("counts", words.COUNTS)  # the panel of a record listens to it
            copy = file_button("copy-link", words.COPY_LINK)
            here = file_button("decode-here", words.DECODE_HERE) if site_address else None
    mount = 'specviz.linkStatus({ element, props, watch, linked: (kept) => trigger("linked", { kept }) })'
    link_status = component("said", mount, '<div class="sv-said" role="status" aria-live="polite"></div>', "{}", words=words.LINK)
    return Shelf(recorded_list, back, buttons, copy, here, link_status)


def wire_shelf(controls: Controls, own: Shelf, screen: Screen) -> None:
    plain = {**DEFAULTS, "models": lesson_models(controls.engine)}
    # what a visitor set is kept in the browser; not what an example, a chapter, a link or a recorded run set
    keep = _script("keepSettings", NAMES, controls.start, QUERY_CHARACTERS)
    _wire_recorded(controls, own, screen)
    wire_saves(own.files.saves, screen.status)
    copy = _script("copyLink", NAMES, plain, LINK_CHARACTERS)
    own.copy.click(None, [*controls.inputs, own.recorded_list], own.link_status, js=copy, **QUICK)
    if own.here is not None:  # on the site, beside this page: what runs there costs this server nothing
        own.here.click(None, controls.inputs, own.link_status, js=_script("decodeHere", NAMES, plain, LINK_CHARACTERS), **QUICK)
    gr.on([one.input for one in controls.inputs], None, controls.inputs, js=keep, **QUICK)
    controls.run.click(None, controls.inputs, js=_script("keepTyped", NAMES, controls.start, QUERY_CHARACTERS), **QUICK)
    controls.models_event.then(None, controls.inputs, js=keep, **QUICK)
    refused = status_text("refused", message=words.DROPPED)  # of what was dropped and is not one file
    own.files.drop.dropped(lambda: refused, None, screen.status, **QUICK)
    own.link_status.linked(_address_event(controls, screen), None, [*controls.inputs, *screen.outputs], **QUICK)


def _wire_recorded(controls: Controls, own: Shelf, screen: Screen) -> None:
    mine = gr.State(None)  # what the visitor had set
    last_fill = gr.State(None)  # what stood there before a recorded run, and what it set

    def choose_recorded(name, mine, last_fill, *values):
        """The controls say what made the run; what they said before can be had back."""
        if not name:
            return status_text("idle"), mine, last_fill, gr.skip(), *[gr.skip()] * len(values)
        values = controls.by_names(values)
        before = {name: value if short_enough(value) else controls.start[name] for name, value in values.items()}
        if has_changed(before, last_fill or [controls.start]):
            mine = before
        settings = settings_of(recorded.header(name), controls.engine)
        return (
            status_text("waiting"),
            mine,
            [before, {**before, **settings}],
            gr.update(visible=bool(mine)),
            *updates(settings, controls),
        )

    def draw_recorded(name):
        if not name:
            return message_only(status_text("idle"))
        title, sentence = words.RECORDED[name]
        message = status_text("recorded", message=words.RECORDED_SHOWN.format(title=title, sentence=sentence))
        return screen.update(message, render_recorded(name), name)

    def restore_settings(mine):
        sentence = words.RECORDED_PUT_BACK if mine else words.SETTINGS_FORGOTTEN
        return status_text("idle", message=sentence), None, None, gr.update(visible=False), *updates(mine or {}, controls)

    outputs = [screen.status, mine, last_fill, own.back, *controls.inputs]
    inputs = [own.recorded_list, mine, last_fill, *controls.inputs]
    choice = own.recorded_list.input(choose_recorded, inputs, outputs, **QUICK)
    choice.then(draw_recorded, own.recorded_list, screen.outputs, **QUICK)
    prompt, models = controls.by_name["prompt"], controls.by_name["models"]
    play = f"(...chosen) => specviz.playExample({json.dumps(_examples(controls.engine))}, ...chosen)"
    chosen = controls.examples.click(None, [controls.examples, models], [prompt, own.recorded_list], js=play, **QUICK)
    then = chosen.then(_if_recorded(choose_recorded), inputs, outputs, **QUICK)
    then.then(_if_recorded(draw_recorded), own.recorded_list, screen.outputs, **QUICK)
    own.back.click(restore_settings, mine, outputs, **QUICK)


def _if_recorded(handler: Callable) -> Callable:
    """Of an example that has no recorded run of the models nothing changes here: it is decoded, and its status is the run's."""

    @wraps(handler)
    def skip_unless_recorded(name, *values):
        return handler(name, *values) if name else gr.skip()

    return skip_unless_recorded


def _examples(engine: Engine) -> dict[str, dict]:
    """By the word on its button each example's prompt and, by models, its first recorded run: the list that stands there may still be
    that of the models before."""
    runs: dict[str, dict[str, str]] = {}
    for name in recorded.names():
        settings = settings_of(recorded.header(name), engine)
        runs.setdefault(settings["prompt"], {}).setdefault(settings["models"], name)
    texts = examples(chat=False) | examples(chat=True)
    return {label: {"text": text, "runs": runs.get(text, {})} for label, text in texts.items()}


def short_enough(value: object) -> bool:
    """Whether a session may keep a visitor's value: a control holds no more, but a program may send anything."""
    return isinstance(value, int | float | None) or (isinstance(value, str) and len(value) <= PROMPT_LIMIT)


def has_changed(values: dict, known: list[dict]) -> bool:
    """Whether a visitor set any of the `values`: one that is in none of the `known` settings. Of fields that a run has just filled
    in some may still hold what they held before."""
    return any(all(value != settings[name] for settings in known) for name, value in values.items())


def _address_event(controls: Controls, screen: Screen):
    def read_address(request: gr.Request, event: gr.EventData):
        """What the address asks for, or what this browser kept of the last visit. Drawn out of turn: whoever loads a page takes the
        machine's time anyway."""
        query = str(getattr(event, "kept", ""))[:QUERY_CHARACTERS]
        # settings only are kept, no recorded run; they are read as strictly as a link
        params = {name: value for name, value in parse_qsl(query) if name in NAMES} if query else request.query_params
        home = lesson_models(controls.engine)
        others = home != controls.start["models"] and "recorded" not in params
        if not query and others and any(name in NAMES for name in params):
            params = {"models": home, **params}  # a link that names none was made where there were no others
        link = read_link(params, controls.engine)
        run_settings = settings_of(recorded.header(link.recorded), controls.engine) if link.recorded else {}
        settings = run_settings | link.settings
        if not (settings or link.problems):
            update = message_only(gr.skip())
        elif query:
            update = message_only(link_message(link, words.SETTINGS_KEPT))
        elif link.recorded and settings == run_settings:
            title, sentence = words.RECORDED[link.recorded]
            message = link_message(link, words.RECORDED_SHOWN.format(title=title, sentence=sentence))
            update = screen.update(message, render_recorded(link.recorded), link.recorded)
        else:
            sentence = (
                f"{words.LINK_READ[link.filled]} {words.LINK_READ['press']}"  # a class that opens a link is no class of runs
            )
            update = empty_screen(link_message(link, sentence))
        return [*updates(settings, controls), *update]

    return read_address


def link_message(link, sentence: str) -> str:
    """The status line: what was left out, or else what came of it."""
    return status_text("refused", message=link.sentence) if link.problems else status_text("linked", message=sentence)


def _script(function: str, *arguments: object) -> str:
    """A call of the page's script with what the controls hold."""
    return f"(...values) => specviz.{function}({', '.join(map(json.dumps, arguments))}, values)"
