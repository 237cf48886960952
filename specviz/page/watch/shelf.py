"""The shelf between the settings and the race: recorded runs and files to open, and the ways to keep or pass on what is shown."""

import json
from dataclasses import dataclass
from urllib.parse import parse_qsl

import gradio as gr

from ...config import SETTINGS, DecodeConfig
from ...trace.header import Trace
from .. import words
from ..component import QUICK, component
from ..keep import recorded
from ..keep.files import Files, files, told_of_drop
from ..keep.links import PROMPT_LIMIT, read_link
from ..keep.pictures import file_button, save_rounds
from ..keep.recorded import load
from ..settings import NAMES, lesson_models, settings_of, values_of
from ..status import status_text
from .controls import Controls, menu, updates
from .screen import Screen, nothing, show
from .screen import recorded as drawn_recorded
from .setting import BAR

LONGEST_LINK = 8000  # characters: what every browser, server and proxy on the way takes
LONGEST_KEPT = 100_000  # characters of a query that a browser keeps: any prompt, written as percent signs
OFF = {setting.key: values_of(DecodeConfig())[setting.key] for name, setting in SETTINGS.items() if name not in BAR}
"""Left out of a link, as the default: what is off is off in every version, and ε, δ and θ are those that docs/rules.md speaks of."""


@dataclass(frozen=True)
class Shelf:
    listed: gr.Dropdown
    back: gr.Button
    files: Files
    copy: gr.Button
    here: gr.Button | None
    said: gr.HTML


def shelf(shown: Trace | None, examples: gr.Row, elsewhere: str = "") -> Shelf:
    """`examples`: the menu that gets the list of recorded runs; `elsewhere`: where the site is, on which the visitor's own browser decodes;
    without it nobody is led there."""
    with examples:
        choices = [(words.RECORDED_NONE, ""), *((recorded.title(name), name) for name in recorded.names())]
        listed = gr.Dropdown(
            choices,
            value=next((name for name in recorded.names() if load(name) is shown), ""),
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
            kept = files(shown)
            copy = file_button("copy-link", words.COPY_LINK)
            here = file_button("decode-here", words.DECODE_HERE) if elsewhere else None
    mount = 'specviz.linkStatus({ element, props, watch, linked: (kept) => trigger("linked", { kept }) })'
    said = component("said", mount, '<div class="sv-said" role="status" aria-live="polite"></div>', "{}", words=words.LINK)
    return Shelf(listed, back, kept, copy, here, said)


def wire_shelf(controls: Controls, own: Shelf, screen: Screen) -> None:
    _recorded(controls, own, screen)
    save_rounds(own.files.rounds, screen.status)
    own.copy.click(None, [*controls.inputs, own.listed], own.said, js=_copy(controls), **QUICK)
    if own.here is not None:
        own.here.click(None, controls.inputs, js=_here(controls), **QUICK)
    gr.on([one.input for one in controls.inputs], None, controls.inputs, js=_kept(controls), **QUICK)
    controls.run.click(None, controls.inputs, js=_kept(controls, "keepTyped"), **QUICK)
    controls.picked.then(None, controls.inputs, js=_kept(controls), **QUICK)
    own.files.drop.dropped(told_of_drop, None, screen.status, **QUICK)
    screen.remembered(own.said.linked(_follow(controls), None, [*controls.inputs, *screen.outputs], **QUICK))


def _recorded(controls: Controls, own: Shelf, screen: Screen) -> None:
    mine = gr.State(None)  # what the visitor had set
    filled = gr.State(None)  # what stood there before a recorded run, and what it set

    def choose(name, mine, filled, *values):
        """The controls say what made the run; what they said before can be had back."""
        if not name:
            return status_text("idle"), mine, filled, gr.skip(), *[gr.skip()] * len(values)
        before = {name: value if short_enough(value) else controls.start[name] for name, value in controls.named(values).items()}
        if has_changed(before, filled or [controls.start]):
            mine = before
        settings = settings_of(load(name), controls.engine)
        return (
            status_text("waiting"),
            mine,
            [before, {**before, **settings}],
            gr.update(visible=bool(mine)),
            *updates(settings, controls),
        )

    def draw(name):
        if not name:
            return next(show(status_text("idle"), None))
        title, sentence = words.RECORDED[name]
        message = status_text("recorded", message=words.RECORDED_SHOWN.format(title=title, sentence=sentence))
        return next(show(message, drawn_recorded(name), name))

    def put_back(mine):
        sentence = words.RECORDED_PUT_BACK if mine else words.SETTINGS_FORGOTTEN
        return status_text("idle", message=sentence), None, None, gr.update(visible=False), *updates(mine or {}, controls)

    changed = [screen.status, mine, filled, own.back, *controls.inputs]
    chosen = own.listed.input(choose, [own.listed, mine, filled, *controls.inputs], changed, **QUICK)
    screen.remembered(chosen.then(draw, own.listed, screen.outputs, **QUICK))
    own.back.click(put_back, mine, changed, **QUICK)


def short_enough(value: object) -> bool:
    """Whether a session may keep a visitor's value: a control holds no more, but a program may send anything."""
    return isinstance(value, int | float | None) or (isinstance(value, str) and len(value) <= PROMPT_LIMIT)


def has_changed(values: dict, known: list[dict]) -> bool:
    """Whether a visitor set any of the `values`: one that is in none of the `known` settings. Of fields that a run has just filled
    in some may still hold what they held before."""
    return any(all(value != settings[name] for settings in known) for name, value in values.items())


def _follow(controls: Controls):
    def follow(request: gr.Request, event: gr.EventData):
        """What the address asks for, or what this browser kept of the last visit. Drawn out of turn: whoever loads a page takes the
        machine's time anyway."""
        kept = str(getattr(event, "kept", ""))[:LONGEST_KEPT]
        # settings only are kept, no recorded run; they are read as strictly as a link
        params = {name: value for name, value in parse_qsl(kept) if name in NAMES} if kept else request.query_params
        home = lesson_models(controls.engine)
        others = home != controls.start["models"] and "recorded" not in params
        if not kept and others and any(name in NAMES for name in params):
            params = {"models": home, **params}  # a link that names none was made where there were no others
        link = read_link(params, controls.engine)
        made = settings_of(load(link.recorded), controls.engine) if link.recorded else {}
        settings = made | link.settings
        if not (settings or link.problems):
            drawn = show(gr.skip(), None)
        elif kept:
            drawn = show(_told(link, "linked", words.SETTINGS_KEPT), None)
        elif link.recorded and settings == made:
            title, sentence = words.RECORDED[link.recorded]
            told = _told(link, "linked", words.RECORDED_SHOWN.format(title=title, sentence=sentence))
            drawn = show(told, drawn_recorded(link.recorded), link.recorded)
        else:
            here = controls.engine.needs(settings.get("models", controls.start["models"])) is None
            drawn = iter([nothing(_told(link, "decode" if here else "linked", words.LINK_READ))])
        return [*updates(settings, controls), *next(drawn)]

    return follow


def _told(link, state: str, sentence: str) -> str:
    """The status line: what was left out, or else what came of it; `decode` presses Run, as the sender did."""
    return status_text("refused", message=link.sentence) if link.problems else status_text(state, message=sentence)


def _kept(controls: Controls, keeps: str = "keepSettings") -> str:
    """What a visitor set is kept in the browser; not what an example, a chapter, a link or a recorded run set."""
    return f"(...values) => specviz.{keeps}({json.dumps(NAMES)}, {json.dumps(controls.start)}, {LONGEST_KEPT}, values)"


def _here(controls: Controls) -> str:
    """The same prompt and settings on the site, beside this page: what runs there costs this server nothing."""
    plain = {**OFF, "models": lesson_models(controls.engine)}
    return f"(...values) => specviz.decodeHere({json.dumps(NAMES)}, {json.dumps(plain)}, values)"


def _copy(controls: Controls) -> str:
    plain = {**OFF, "models": lesson_models(controls.engine)}
    return f"(...values) => specviz.copyLink({json.dumps(NAMES)}, {json.dumps(plain)}, {LONGEST_LINK}, values)"
