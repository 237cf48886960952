"""The stylesheets of `assets/`, as text: what belongs to one panel stands in its folder, what panels share in `shared`.

sheets(*HANDOUT)        # all rules of these folders, in order
style(*HANDOUT)         # the same after the palette: what a style element holds
"""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from ..config import ASSETS
from . import palette

# folder: its sheets in order, since of two rules of equal weight the later one holds; `*`: the sheets of the folders in it, a chapter's or a
# panel's each, which name only what is their own
SHEETS = {
    "shared": "measures base tokens glossary",
    "figures": "tables bars uscale chart",
    "chart": "marks",
    "fields": "fields words causes",
    "page": "gradio frame tabs status controls menu dialog",
    "plot": "plot",
    "watch": "race headline lanes text player phases legend timeline inspector whatif numbers projector",
    "story": "story",
    "play": "game",
    "keep": "shelf link_status drop history",
    "round": "round nodes mask caches",
    "learn": "chapter question stage foot text map rows * projector",
    "record": "record decision",
    "poll": "phones",
    "lab": "frame panels *",
    "join": "join",
    "handout": "handout figure",
    "print": "pack sheet",
    "site": "frame controls embed",
}
PAGE = ("shared", "figures", "chart", "fields", "page", "watch", "round", "plot", "story", "keep")
RACE = ("shared", "figures", "watch", "round", "plot")  # in a page of somebody else's
HANDOUT = ("shared", "figures", "watch", "round", "handout")
RECORD = ("shared", "figures", "fields", "record", "handout")
LEARN, LAB = ("learn", "play", "poll"), ("lab", "poll")  # when their tabs are first opened; "record" with the first record
PLAY = ("play",)  # when somebody drafts in the story
JOIN = ("shared", "fields", "join")  # on which phones join a room
PRINT = ("shared", "print")
SITE = (
    "shared",
    "figures",
    "chart",
    "fields",
    "page",
    "watch",
    "round",
    "plot",
    "story",
    "play",
    "keep",
    "learn",
    "handout",
    "site",
)
CLASS = r"\.([a-z][\w-]*)"
ROLE = r'(?:data-role|data-series|type)="([\w-]+)"'
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def files(*folders: str) -> list[Path]:
    """The sheets of these folders, in order."""
    names = [(ASSETS / folder, "*/*" if name == "*" else name) for folder in folders for name in SHEETS[folder].split()]
    return [path for folder, name in names for path in sorted(folder.glob(f"{name}.css"))]


def sheets(*folders: str) -> str:
    """Joined, without comments and the blanks before a line."""
    text = "\n".join(path.read_text("utf-8") for path in files(*folders))
    return "\n".join(line.strip() for line in COMMENT.sub("", text).splitlines() if line.strip())


@cache
def style(*folders: str) -> str:
    return f"\n{palette.css()}\n{sheets(*folders)}\n"


def without_unused(css: str, script: str) -> str:
    """What a page that is all made by one script needs of its rules: those of classes, roles and kinds of fields that the script
    names, and the variables that they use."""

    def needed(rule: re.Match) -> str:
        kinds = (set(re.findall(pattern, rule[1])) - {"dark"} for pattern in (CLASS, ROLE))
        return rule[0] if all(not kind or any(is_named(word) for word in kind) for kind in kinds) else ""

    def is_named(word: str) -> bool:
        return bool(re.search(rf"(?<![\w-]){word}(?![\w-])", script))

    rules = r"[^{}]*"
    rules_in_rules = rf"(?:[^{{}}]|\{{{rules}\}})*"
    for inside in (rf"(?:[^{{}}]|\{{{rules_in_rules}\}})*", rules_in_rules, rules):
        css = re.sub(rf"([^{{}}]+)\{{{inside}\}}", needed, css)
    while css != (left := _without_unused(css)):
        css = left
    return re.sub(r"(?<=[;{}])\n", "", re.sub(r"[^{}\n]+\{\s*\}\n?", "", css))


def _without_unused(css: str) -> str:
    """Without the variables that nothing takes."""
    used = set(re.findall(r"var\((--[\w-]+)", css))
    return re.sub(r"\s*(--[\w-]+):[^;{}]*;", lambda rule: rule[0] if rule[1] in used else "", css)


@cache
def csp_hash(text: str) -> str:
    """How the policy of a page names the one style or script that it holds: by its hash."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
