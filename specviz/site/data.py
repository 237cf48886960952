"""What the site's script is given: the records of settings, drafters, chapters, panels and recorded runs, the words of the page, and the
contract of traces, made from the dataclasses and the settings themselves.

All of it is the app's: a change there is a change here. Plain values, in JSON's own types.

What the engine of the site has (assets/engine): it drafts chains. A browser is bound by arithmetic: a pass over five tokens takes 2.6 to
3.7 times as long as one over a token (make bench-site). So nothing that drafts many tokens for one pass can pay there, and the app alone
has it.
"""

import json
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from types import SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..config import ASSETS, CHARACTERS, SETTINGS, STRINGS, DecodeConfig, SettingInfo
from ..drafters import DRAFTERS, DrafterInfo
from ..page.classroom.messages import BOUNDS
from ..page.keep import recorded
from ..page.lab import tab
from ..page.lab.panels import PANELS
from ..page.learn import lesson
from ..page.learn.chapters import CHAPTERS
from ..page.settings import DEFAULT, PROMPT_LIMIT, values_of
from ..page.watch.setting import BAR, ROWS, info_of
from ..page.watch.shelf import LINK_CHARACTERS, QUERY_CHARACTERS
from ..picture.replay import vocabulary
from ..rules import RULES
from ..trace import file
from ..trace.events import Finished, Header, Prefill, Round
from ..trace.grammar import LONG_TEXTS, MAX_CHARS, RANGE, WHOLE
from ..words import classroom, lab, page
from ..words import site as words

TARGET = "fable"
DRAFTERS_HERE: dict[str, DrafterInfo] = {
    key: DRAFTERS[key] for key in ("small", "large", "lookup", "early-exit", "eagle", "oracle", "random")
}
RULES_HERE = ("rejection", "match")
BROWSER_SETTINGS = "K temperature top_k top_p max_new_tokens stop seed ignore_eos verifier confidence drafting".split()
SETTINGS_HERE: dict[str, SettingInfo] = {name: SETTINGS[name] for name in BROWSER_SETTINGS}
_choices = {rule: label for rule, label in SETTINGS["verifier"].choices.items() if rule in RULES_HERE}
SETTINGS_HERE["verifier"] = SETTINGS["verifier"]._replace(choices=_choices, help=f"{', '.join(RULES_HERE)}.")
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


Shapes = dict[str, list]


def contract() -> dict:
    """What `readTrace` is given."""
    shapes: Shapes = {}
    for kind in (Header, Prefill, Round, Finished):
        _record(kind, shapes)
    limits = {"file": file.FILE_LIMIT, "line": file.LINE_LIMIT, "lines": file.LINES_LIMIT}
    return {"shapes": shapes, "limits": limits}


def _record(kind: Any, shapes: Shapes) -> str:
    name = kind.__name__
    if name not in shapes:
        shapes[name] = shape_fields = []
        hints = get_type_hints(kind)
        for f in fields(kind):
            info = SETTINGS.get(f.name) if kind is DecodeConfig else None
            bound = RANGE.get(kind, {}).get(f.name, (0, WHOLE))
            shape = _type(hints[f.name], bound, LONG_TEXTS.get(kind, {}).get(f.name, MAX_CHARS), shapes)
            if info and info.kind in (int, float):
                shape |= {"low": info.low, "high": info.high, "zero": info.or_zero}
            elif info and info.choices:
                shape = {"is": "one", "of": [*info.choices, *info.saved]}
            shape_fields.append([f.name, shape, *([] if f.default is MISSING else [f.default])])
    return name


def _type(hint: Any, bound: tuple[float, float], most: float, shapes: Shapes) -> dict:
    kind, inside = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return _type(inside[0], bound, most, shapes) | {"null": True}
    if kind is Literal:
        return {"is": "one", "of": list(inside)}
    if kind is tuple:
        return {"is": "list", "of": _type(inside[0], bound, most, shapes)}
    if is_dataclass(hint):
        return {"is": "record", "name": _record(hint, shapes)}
    if hint is bool:
        return {"is": "bool"}
    if hint is str:
        return {"is": "text", "most": _finite(most)}
    low, high = bound
    return {"is": {int: "int", float: "float"}[hint], "low": low, "high": _finite(high)}


def _finite(bound: float) -> float | None:
    return bound if isfinite(bound) else None


OPENING = "opening"
MODEL_FOLDER = ASSETS / "models"
GPU_COSTS = ASSETS / "costs" / "nvidia-h100-80gb-hbm3.json"
MAX_EMBED_CHARACTERS = 200_000  # characters of a frame's address: what browsers take is ten times more
DECODES = ("luck", "sweep")  # panels whose Run decodes in the browser
FETCHING = {"luck": "empty", "sweep": "empty", "classroom": "nothing"}  # what a panel says before models are fetched for it
WITHOUT = {"classroom": {"room": ""}}  # what needs a server is not offered
KINDS = {int: "int", float: "float", bool: "bool", str: "str", tuple: "tuple"}


def site_data() -> dict:
    return {
        "known": vocabulary(),
        "words": page_words(),
        "status": page.STATUS,
        "link": page.LINK | page.LINK_READ,
        "drop": page.DROP,
        "history": page.HISTORY | {"goes": words.PROMPT_STAYS},
        "settings": [setting_record(one) for one in SETTINGS_HERE.values()],
        "absent": absent(),
        "bar": list(BAR),
        "rows": [[name for name in row if name in SETTINGS_HERE] for row in ROWS],
        "drafters": drafters(),
        "target": {"name": TARGET, "bytes": model_bytes(TARGET)},
        "examples": list(zip(page.EXAMPLE_NAMES, page.EXAMPLES, strict=True)),
        "recorded": [
            {"name": name, "title": title, "sentence": sentence, "prompt": recorded.header(name).prompt}
            for name, (title, sentence) in page.RECORDED.items()
            if name in recorded.names()
        ],
        "opening": {"name": OPENING},
        "lesson": lesson.for_browser(room=False),
        "people": people(),
        "chapters": [chapter.settings for chapter in CHAPTERS],
        "panels": [panel.key for panel in PANELS],
        "contract": contract(),
        "costs": costs(),
        "limits": {"prompt": PROMPT_LIMIT, "link": LINK_CHARACTERS, "kept": QUERY_CHARACTERS, "line": MAX_EMBED_CHARACTERS},
    }


def page_words() -> dict[str, str]:
    """The words of the page around a run, by the names that the site's script has for them."""
    return {
        "prompt": page.PROMPT,
        "placeholder": page.PROMPT_PLACEHOLDER,
        "drafter": page.DRAFTER,
        "further": page.FURTHER,
        "recorded_list": page.RECORDED_LIST,
        "recorded_shown": page.RECORDED_SHOWN,
        "recorded_first": page.RECORDED_FIRST,
        "pictured": page.PICTURED,
        "settings_kept": page.SETTINGS_KEPT,
        "chapter_read": page.CHAPTER_READ,
        "back_to_chapter": page.BACK_TO_CHAPTER,
        "value": page.LINK_VALUE,
        "unknown": page.LINK_UNKNOWN,
        "one_of": page.LINK_ONE_OF,
        "prompt_bound": page.LINK_PROMPT,
        "partly": page.LINK_PARTLY,
        "more": page.LINK_MORE,
        "empty": page.EMPTY,
        "taken": lab.CELL_SET,
        "opening": lab.OPENING,
        "open": page.OPEN,
        "dropped": page.DROPPED,
        "file_opened": page.FILE_OPENED,
        "refused": page.FILE_REFUSED,
        **words.SITE_WORDS,
    }


def setting_record(one: SettingInfo) -> dict:
    own = ("name", "key", "label", "low", "high", "or_zero", "step", "pattern", "bound", "span", "help", "saved")
    default = "\n".join(one.default) if one.kind is tuple else one.default
    more = {"info": info_of(one) or "", "kind": KINDS[one.kind], "choices": dict(one.choices), "default": default}
    bounds = {"start": values_of(DEFAULT)[one.key], "strings": STRINGS, "characters": CHARACTERS}
    return {name: getattr(one, name) for name in own} | more | bounds


def absent() -> dict:
    """What a link, a run or a saved setting of the app may ask for and the site has not, by the names that they have for it. `quiet`: it
    decides nothing without another one of these."""
    return {
        "settings": [
            {
                "name": name,
                "key": one.key,
                "label": one.label,
                "default": one.default,
                "quiet": bool(one.rule or one.beside == "tree"),
            }
            for name, one in APP_SETTINGS.items()
        ],
        "drafters": [{"key": key, "label": one.label, "kind": one.picture_name} for key, one in APP_DRAFTERS.items()],
        "rules": [{"key": name, "label": words.RULE.format(name=name)} for name in APP_RULES],
    }


def drafters() -> list[dict]:
    """The ways to draft for the bundled target, with the bytes that each fetches beside it."""
    return [
        {
            "key": key,
            "label": one.label,
            "sentence": one.sentence,
            "kind": one.picture_name,
            "draft": one.bundled,
            "bytes": model_bytes(weights) if (weights := weights_of(key)) else 0,
        }
        for key, one in DRAFTERS_HERE.items()
    ]


def costs() -> dict:
    """Passes of a large target and a small draft over 1, 2, … tokens of one text, in ms, as measured on the recorded GPU."""
    file = json.loads(GPU_COSTS.read_text("utf-8"))
    target, draft = file["curves"][:2]
    return {"device": file["device"], "target": target["model"], "ms": target["ms"][0], "draft_ms": draft["ms"][0][0]}


def model_bytes(model: str) -> int:
    """The bytes of a model's files, without its description for people."""
    return sum(path.stat().st_size for path in (MODEL_FOLDER / model).iterdir() if path.suffix != ".md")


def lab_data() -> dict:
    """The Lab: what its frame is sent, what its panels ask of a server that is the same for all, and what the decoder says."""
    nothing: Any = SimpleNamespace(load=recorded.load)
    questions = [
        ask for panel in PANELS if (panel.alone or panel.key in DECODES) and panel.serves for ask in panel.serves(nothing)
    ]
    answers = {ask.__name__: ask("") for ask in questions}
    contents = tab.contents()
    # what experiments may fetch at first: the target and all that drafts for it
    most = model_bytes(TARGET) + sum(one["bytes"] for one in drafters())
    fetches = words.SITE_WORDS["come"].format(megabytes=f"{most / 1e6:.0f}")
    absent_words = [*(f"drafter_{key}" for key in APP_DRAFTERS), *(f"verifier_{name}" for name in APP_RULES), *APP_SETTINGS]
    for panel in contents["panels"]:
        key = panel["key"]
        panel["absent"] = absent_words
        panel["runs"] = key in DECODES
        if key in FETCHING:
            note = f"{panel['words'][FETCHING[key]]} {fetches}"
            panel["words"] = panel["words"] | {FETCHING[key]: note} | WITHOUT.get(key, {})
    return {
        "sent": contents,
        "answers": {name: text for name, text in answers.items() if text},
        "luck": json.loads((ASSETS / "lab" / "luck" / "sentences.json").read_text("utf-8")),
    }


def people() -> dict[str, Any]:
    """The bounds of people who draft, and what is refused of them, in one sentence each."""
    tables = {"empty": classroom.EMPTY, "long": classroom.TOO_LONG}
    sentences = {f"{kind}_{name}": table[name] for kind, table in tables.items() for name in ("prompt", "words")}
    return sentences | BOUNDS | {"many": classroom.TOO_MANY_TOKENS}
