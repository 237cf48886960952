"""The scripts and stylesheets of `assets/`, as text.

    bundle("page.js")       # an expression: what the entry exports, frozen
    bundle("learn/tab.js", after=("page.js",))          # for a page that holds page.js: sends nothing again
    sheets(*HANDOUT)        # all rules of these folders, in order
    style(*HANDOUT)         # the same after the palette: what a style element holds

ES modules become one script, from an entry along its imports, each file in a function of its own, what it needs before it. A file runs
once on a page, in whichever script it first stands: a state of two scripts, such as the box of an explained term, is one.

No build step makes the page, so a few forms are understood and every other is refused with its file and line:
`import { a, b as c } from "./x.js"`, the same with `export`, and `export` before a function, a const or a class. The script is
sent without comments and blanks.

A sheet that belongs to one panel stands in its folder, what panels share in `shared`.
"""

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path

from rjsmin import jsmin

from ..config import ASSETS
from . import palette

LINKS = re.compile(r'^(import|export) \{([^{}]*)\} from "(\.\.?/[\w./-]+)";$', re.MULTILINE)
EXPORTS = re.compile(r"^export (?=(?:async function|function\*?|const|class) ([\w$]+))", re.MULTILINE)
OTHER_LINKS = re.compile(r"^\s*(?:import|export)\b|\bimport\s*[(.]", re.MULTILINE)
SCRIPT_COMMENT = re.compile(r"^\s*//[^\n]*|/\*[\s\S]*?\*/", re.MULTILINE)
SHOWN = ("lab/mistakes/rules.js", "lab/mistakes/own.js")  # whose functions are printed on the page: their lines stay
LATE = ("learn/tab.js", "lab/tab.js", "player/inspector.js", "record/place.js", "play/game.js", "keep/late.js")
FIRST = {"page.js": LATE, "site/open.js": LATE[1:2]}
"""By entry: the scripts that may come to its page later. What they hold too is kept for them."""
PAGE_FILES = '(globalThis[Symbol.for("specviz")] ??= {})'
"""What a page holds: what each file exports, by its path."""
SHARED = re.compile(r"(?<=^const \$m)(?P<at>\d+) = \$all\[\S+\] \?\?= ")
MARKUP = re.compile(r"<\s*/script|<\s*!\s*--", re.IGNORECASE)  # without blanks: would end the script, or change how it is read


class BundleError(ValueError):
    """What a file of `assets/` says and the page could not be sent."""

    def __init__(self, file: Path, what: str, line: int):
        super().__init__(f"{file.parent.name}/{file.name}:{line + 1}: {what}")


@cache
def bundle(entry: str, root: Path = ASSETS, after: tuple[str, ...] = (), alone: bool = False) -> str:
    """`after`: entries, one of which is on the page before. What all of these hold is taken from there. `alone`: no other script
    comes to its page, so it keeps nothing for one."""
    root = root.resolve()
    here = frozenset.intersection(*(frozenset(_files(other, root)) for other in after)) if after else frozenset()
    done = _files(entry, root, here)
    last = _name(done, root / entry)
    late = FIRST.get(entry, ()) if root == ASSETS.resolve() else ()
    shared = frozenset[Path]().union(*(_files(other, root) for other in late)) if late else frozenset[Path](() if alone else done)
    parts = (part if file in shared else SHARED.sub(r"\g<at> = ", part) for file, (part, _) in done.items() if part)
    begin = ["(() => {", '"use strict";', *([f"const $all = {PAGE_FILES};"] if shared else [])]
    return "\n".join([*begin, *parts, f"return Object.freeze({last});\n}})()"])


def as_global(name: str, entry: str, after: tuple[str, ...] = ()) -> str:
    """The script after which what the entry exports is `window.NAME`, which nothing can replace."""
    return f'Object.defineProperty(window, "{name}", {{ value: {bundle(entry, after=after)} }});'


def _files(entry: str, root: Path, here: frozenset[Path] = frozenset()) -> dict[Path, tuple[str, tuple[str, ...]]]:
    """All files of an entry in their order: file → its part of the script, and what it exports. `here`: those that the page has."""
    done: dict[Path, tuple[str, tuple[str, ...]]] = {}  # a file's place is its number
    _add((root / entry).resolve(), root, done, here, ())
    return done


def _add(file: Path, root: Path, done: dict, here: frozenset[Path], above: tuple[Path, ...]) -> None:
    """Append the file after all that it needs. `above`: the files that are waiting for it."""
    text = file.read_text("utf-8")
    exported = [match[1] for match in EXPORTS.finditer(text)]
    exports = dict(zip(exported, exported, strict=True))  # exported name → the name it has inside

    def link(match: re.Match) -> str:
        way, names, path = match.groups()
        other = (file.parent / path).resolve()
        if root not in other.parents or not other.is_file():
            raise BundleError(file, f"{path} is no file of {root.name}/", _line(text, match.start()))
        if other in (*above, file):
            raise BundleError(file, f"{path} imports this file, by itself or by others", _line(text, match.start()))
        if other not in done:
            _add(other, root, done, here, (*above, file))
        pairs = [_pair(name) for name in names.split(",") if name.strip()]
        for name, own in pairs:
            if name not in done[other][1]:
                raise BundleError(file, f"{path} exports no {name}", _line(text, match.start()))
            if way == "export":
                exports[own] = f"{_name(done, other)}.{name}"
        lines = "\n" * match[0].count("\n")  # so that what is refused further down has its line
        if way == "export":
            return lines
        return f"const {{ {', '.join(f'{name}: {own}' if name != own else name for name, own in pairs)} }} = {_name(done, other)};{lines}"

    text = EXPORTS.sub("", LINKS.sub(link, text))
    code = SCRIPT_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    if match := OTHER_LINKS.search(code):
        raise BundleError(file, "this form of import or export is not understood", _line(code, match.end()))
    shown = file.relative_to(root).as_posix() in SHOWN
    if match := MARKUP.search(text):
        raise BundleError(file, "would end the script that it is part of", _line(text, match.end()))
    text = "\n".join(line.strip() for line in code.splitlines() if line.strip()) if shown else jsmin(text)
    at = f"$all[{json.dumps(file.relative_to(root).as_posix())}]"
    done[file] = "", tuple(exports)  # its name is its place
    if not exports:  # nothing can be asked of it
        part = "" if file in here else "\n".join(["(() => {", text, "})();"])
    elif file in here:
        part = f"const {_name(done, file)} = {at};"
    else:
        returned = ", ".join(f"{name}: {inside}" if name != inside else name for name, inside in exports.items())
        part = "\n".join([f"const {_name(done, file)} = {at} ??= (() => {{", text, f"return {{ {returned} }};", "})();"])
    done[file] = part, tuple(exports)


def _name(done: dict, file: Path) -> str:
    return f"$m{list(done).index(file)}"


def _pair(name: str) -> tuple[str, str]:
    """`a` → (a, a); `b as c` → (b, c)."""
    first, _, second = name.strip().partition(" as ")
    return first, second or first


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at)


# folder: its sheets in order, since of two rules of equal weight the later one holds
SHEETS = {
    "shared": "base",
    "figures": "figures",
    "chart": "marks",
    "fields": "fields",
    "page": "page",
    "plot": "plot",
    "player": "race lane screen inspector numbers round",
    "story": "story",
    "play": "game",
    "keep": "keep",
    "learn": "learn chapters projector",
    "record": "record",
    "poll": "phones",
    "lab": "lab classroom",
    "join": "join",
    "handout": "handout",
    "print": "print",
    "site": "site",
}
_SHOWN = ("shared", "figures", "chart", "fields", "page", "player", "plot", "story")
PAGE = (*_SHOWN, "keep")
ELSEWHERE = ("shared", "figures", "chart", "fields", "player", "plot")  # in a page of somebody else's
HANDOUT = ("shared", "figures", "player", "handout")
RECORD = ("shared", "figures", "fields", "record", "handout")
LEARN, LAB = ("learn", "play", "poll"), ("lab", "poll")  # when their tabs are first opened; "record" with the first record
PLAY = ("play",)  # when somebody drafts in the story
JOIN = ("shared", "fields", "join")  # on which phones join a room
PRINT = ("shared", "print")
SITE = (*_SHOWN, "play", "keep", "learn", "handout", "site")
CLASS = r"\.([a-z][\w-]*)"
ROLE = r'(?:data-role|data-series|type)="([\w-]+)"'
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def files(*folders: str) -> list[Path]:
    """The sheets of these folders, in order."""
    return [ASSETS / folder / f"{name}.css" for folder in folders for name in SHEETS[folder].split()]


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
