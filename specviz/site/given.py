"""What the site's script is given: the records of settings, drafters, chapters, panels and recorded runs, and the words of the page.

All of it is the app's: a change there is a change here. Plain values, in JSON's own types.
"""

import json
from types import SimpleNamespace
from typing import Any

from ..config import ASSETS, CHARACTERS, CONFLICTS, DEPTH, NODES, SETTINGS, STRINGS, SettingInfo
from ..drafters import DRAFTERS
from ..page import words as page
from ..page.classroom import words as classroom
from ..page.classroom.asked import MOST, PROMPT, WORDS
from ..page.keep import files, recorded
from ..page.keep.links import PROMPT_LIMIT
from ..page.keep.pictures import ROUNDS
from ..page.lab import tab
from ..page.lab import words as lab
from ..page.lab.panels import PANELS
from ..page.learn import lesson
from ..page.learn.chapters import CHAPTERS
from ..page.settings import DEFAULT, values_of
from ..page.watch.setting import BAR, ROWS, info_of
from ..page.watch.shelf import LONGEST_KEPT, LONGEST_LINK
from ..picture.replay import known
from . import words
from .shapes import contract

TARGET, OPENING = "fable", "opening"
MODELS = ASSETS / "models"
GPU = ASSETS / "costs" / "nvidia-h100-80gb-hbm3.json"
LONGEST_LINE = 200_000  # characters of a frame's address: what browsers take is ten times more
DECODES = ("luck", "sweep")  # panels whose Run decodes in the browser
FETCHING = {"luck": "empty", "sweep": "empty", "classroom": "nothing"}  # what a panel says before models are fetched for it
WITHOUT = {"classroom": {"room": ""}}  # what needs a server is not offered
KINDS = {int: "int", float: "float", bool: "bool", str: "str", tuple: "tuple"}


def given() -> dict:
    return {
        "known": known(),
        "words": said(),
        "status": page.STATUS,
        "link": page.LINK,
        "drop": page.DROP,
        "history": page.HISTORY,
        "files": {name: file for name, (_, file) in files.KINDS.items()} | {"rounds": ROUNDS},
        "settings": [setting(one) for one in SETTINGS.values()],
        "bar": list(BAR),
        "rows": [list(row) for row in ROWS],
        "drafters": drafters(),
        "target": {"name": TARGET, "bytes": weight(TARGET)},
        "examples": list(zip(page.EXAMPLE_NAMES, page.EXAMPLES, strict=True)),
        "recorded": [
            {"name": name, "title": title, "sentence": sentence}
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
        "deepest": DEPTH,
        "widest": NODES,
        "limits": {"prompt": PROMPT_LIMIT, "link": LONGEST_LINK, "kept": LONGEST_KEPT, "line": LONGEST_LINE},
    }


def said() -> dict[str, str]:
    """The words of the page around a run, by the names that the site's script has for them."""
    return {
        "prompt": page.PROMPT,
        "placeholder": page.PROMPT_PLACEHOLDER,
        "drafter": page.DRAFTER,
        "recorded_list": page.RECORDED_LIST,
        "recorded_shown": page.RECORDED_SHOWN,
        "recorded_first": page.RECORDED_FIRST,
        "pictured": page.PICTURED,
        "settings_kept": page.SETTINGS_KEPT,
        "link_read": page.LINK_READ,
        "chapter_read": page.CHAPTER_READ,
        "back_to_chapter": page.BACK_TO_CHAPTER,
        "value": page.LINK_VALUE,
        "unknown": page.LINK_UNKNOWN,
        "one_of": page.LINK_ONE_OF,
        "prompt_bound": page.LINK_PROMPT,
        "partly": page.LINK_PARTLY,
        "more": page.LINK_MORE,
        "empty": page.EMPTY,
        "taken": lab.TAKEN,
        "opening": lab.OPENING,
        "open": page.OPEN,
        "dropped": page.DROPPED,
        "file_opened": page.FILE_OPENED,
        "refused": page.FILE_REFUSED,
        **CONFLICTS,
        **words.SAID,
    }


def setting(one: SettingInfo) -> dict:
    """The record of a setting, with the value that the page begins with."""
    own = ("name", "key", "label", "low", "high", "or_zero", "step", "pattern", "bound", "span", "help", "rule")
    beside = one.beside and SETTINGS[one.beside].key
    default = "\n".join(one.default) if one.kind is tuple else one.default
    more = {
        "info": info_of(one) or "",
        "kind": KINDS[one.kind],
        "choices": dict(one.choices),
        "default": default,
        "start": values_of(DEFAULT)[one.key],
    }
    return {name: getattr(one, name) for name in own} | more | {"beside": beside, "strings": STRINGS, "characters": CHARACTERS}


def drafters() -> list[dict]:
    """The ways to draft for the bundled target, with the bytes that each fetches beside it."""
    return [
        {
            "key": key,
            "label": one.label,
            "sentence": one.sentence,
            "drawn": one.drawn,
            "draft": one.bundled,
            "bytes": sum(weight(name) for name in (one.bundled, f"{TARGET}-{key}") if (MODELS / name).is_dir())
            if one.weights
            else 0,
        }
        for key, one in DRAFTERS.items()
        if one.bundled
    ]


def costs() -> dict:
    """Passes of a large target and a small draft over 1, 2, … tokens of one text, in ms, as measured on the recorded GPU."""
    told = json.loads(GPU.read_text("utf-8"))
    target, draft = told["curves"][:2]
    return {"device": told["device"], "target": target["model"], "ms": target["ms"][0], "draft_ms": draft["ms"][0][0]}


def weight(model: str) -> int:
    """The bytes of a model's files, without its description for people."""
    return sum(path.stat().st_size for path in (MODELS / model).iterdir() if path.suffix != ".md")


def panels() -> dict:
    """The Lab: what its frame is sent, what its panels ask of a server that is the same for everybody, and the sentences of what decodes."""
    nothing: Any = SimpleNamespace(load=recorded.load)
    asked = [ask for panel in PANELS if (panel.alone or panel.key in DECODES) and panel.serves for ask in panel.serves(nothing)]
    answers = {ask.__name__: ask("") for ask in asked}
    sent = tab.contents()
    here = {f"drafter_{one['key']}" for one in drafters()}
    for panel in sent["panels"]:
        key = panel["key"]
        said = {name: word for name, word in panel["words"].items() if name in here or not name.startswith("drafter_")}
        panel["words"] = said
        panel["runs"] = key in DECODES
        if key in FETCHING:
            panel["words"] = said | {FETCHING[key]: f"{said[FETCHING[key]]} {fetched()}"} | WITHOUT.get(key, {})
    return {
        "sent": sent,
        "answers": {name: text for name, text in answers.items() if text},
        "luck": json.loads((ASSETS / "lab" / "luck" / "said.json").read_text("utf-8")),
    }


def fetched() -> str:
    """What experiments may fetch at first: the target and all that drafts for it."""
    most = weight(TARGET) + sum(one["bytes"] for one in drafters())
    return words.FETCHES.format(megabytes=f"{most / 1e6:.0f}")


def people() -> dict[str, Any]:
    """The bounds of people who draft, and what is refused of them, in one sentence each."""
    by_name = {name: classroom.EMPTY[name] for name in ("prompt", "words")}
    long = {name: classroom.TOO_LONG[name] for name in ("prompt", "words")}
    kinds = {f"empty_{name}": text for name, text in by_name.items()} | {f"long_{name}": text for name, text in long.items()}
    bounds = {"most": MOST, "prompt_most": PROMPT, "words_most": WORDS}
    return kinds | bounds | {"many": classroom.TOO_MANY_TOKENS}
