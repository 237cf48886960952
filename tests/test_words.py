"""Every sentence that code names is in words/*.toml, what is there is named, and another language may leave out what it likes."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import tomlkit

from specviz import rules, words
from specviz.config import ASSETS, SAID, SETTINGS
from specviz.picture.replay import BROWSER, BROWSER_RECORD
from specviz.picture.sheets import SCRIPT_COMMENT
from specviz.rules import ALL

from .test_layers import ROOT

PYTHON = [path for folder in ("specviz", "scripts", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
KEYED_BY_DATA = {"RECORDED", "QUESTIONS", "SOURCES", "TERMS", "FORMATS"}  # by names of files, of buttons, of terms


def rooms_of(tree: ast.AST) -> dict[str, words.Room]:
    """What a file calls the rooms that it imports."""
    imports = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] == "words"
    ]
    names = [one for node in imports for one in node.names if one.name in words.ROOMS]
    return {one.asname or one.name: getattr(words, one.name) for one in names}


def named(tree: ast.AST, rooms: dict[str, words.Room]):
    """Of each `room.TABLE["key"]` and `room.TABLE`: the room, its key, and the key in it or what that begins with; None without one."""
    keys = {id(node.value): node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr.isupper()
            and isinstance(node.value, ast.Name)
            and node.value.id in rooms
        ):
            key = keys.get(id(node))
            first = key.values[0] if isinstance(key, ast.JoinedStr) else key
            text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
            yield rooms[node.value.id], node.attr, text, isinstance(key, ast.JoinedStr)


@pytest.mark.parametrize("folder", ["specviz", "scripts", "tests"])
def test_every_key_that_python_names_has_words(folder):
    missing, count = [], 0
    for path in (path for path in PYTHON if path.relative_to(ROOT).parts[0] == folder):
        tree = ast.parse(path.read_text("utf-8"))
        for room, name, key, begins in named(tree, rooms_of(tree)):
            table = vars(room).get(name)
            there = (
                table is not None
                if key is None
                else key in (table or ()) or (begins and any(one.startswith(key) for one in table or ()))
            )
            missing += [] if there else [f"{path.name}: {name}" + (f"[{key!r}]" if key else "")]
            count += 1
    assert count > 10 and missing == []


def leaves(key: str, value: object):
    return [leaf for one, inside in value.items() for leaf in leaves(one, inside)] if isinstance(value, dict) else [key]


def spelled(path: Path) -> str:
    """The attributes and arguments of a file, and its texts but for docstrings."""
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [repr(one.value) for one in nodes if isinstance(one, ast.Constant) and id(one) not in docstrings]
    return "\n".join([*texts, *(str(getattr(one, "attr", getattr(one, "arg", ""))) for one in nodes)])


def test_no_sentence_is_left_that_nobody_names():
    """A script names a key, or begins or ends one with a part that it knows. No comment, docstring or test names one."""
    python = "\n".join(map(spelled, (path for path in PYTHON if path.relative_to(ROOT).parts[0] != "tests")))
    code = "\n".join([python, *(SCRIPT_COMMENT.sub("", path.read_text("utf-8")) for path in ASSETS.rglob("*.js"))])
    whole = set(re.findall(r"[A-Za-z_][\w-]*", code))
    begun = set(re.findall(r"""(?<=[`"'])([a-z]\w*_(?=["']|\$?\{)|[a-z]\w{3,}(?=\$?\{))""", code))
    ends = set(re.findall(r"""(?<=[}`"'])_\w+""", code))
    rooms = {name: getattr(words, name) for name in words.ROOMS}
    keys = {name for room in rooms.values() for name in vars(room)} | {*BROWSER, *BROWSER_RECORD}
    keys -= {f"{key}_{name}" for name, rule in ALL.items() for key in rule.words}  # the key and the rule are both parts
    tables = [table for name, room in rooms.items() if name != "picture" for table in vars(room).items()]
    keys |= {leaf for name, table in tables if name not in KEYED_BY_DATA for leaf in leaves(name, table)}
    known = whole | {key for key in keys if any(map(key.startswith, begun)) or any(map(key.endswith, ends))}
    assert len(keys) > 900 and sorted(keys - known) == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """words/ with a room of English and a language of its own, whose cache is not the real one's."""
    (tmp_path / "room.toml").write_text('A = "one {n}"\nB = "two"\nL = ["x", "y"]\n[T]\nx = "x"\ny = "y"\n', "utf-8")
    (tmp_path / "qq").mkdir()
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    monkeypatch.setattr(words, "ROOMS", ("room",))
    monkeypatch.setattr(words, "LANGUAGE", "qq")
    words._room.cache_clear()
    yield tmp_path / "qq" / "room.toml"
    words._room.cache_clear()


def test_another_language_says_in_english_what_it_leaves_out(folder, monkeypatch):
    folder.write_text('A = "eins {n}"\n[T]\ny = "ypsilon"\n', "utf-8")
    room = words.room
    assert (room.A, room.B, room.T) == ("eins {n}", "two", {"x": "x", "y": "ypsilon"})
    monkeypatch.setattr(words, "LANGUAGE", "")
    words._room.cache_clear()
    assert words.room.A == "one {n}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('C = "three"', "room has no 'C' in English"),
        ('T = "t"', "room.T must be a table"),
        ('A = "eins {m}"', "room.A fills in 'm', which English does not"),
        ("A = eins", "room.toml cannot be read: "),
        ('L = ["x"]', "room.L has 1 items; it must have 2 as in English"),
        ('L = ["x", 2]', "room.L[1] must be a text as in English"),
        ('L = ["x", "{m}"]', "room.L[1] fills in 'm'"),
        ("", "SPECVIZ_LANGUAGE is 'qq'; it must be a folder with files like those of "),
    ],
)
def test_a_language_that_does_not_fit_is_refused_by_the_key(folder, text, says):
    if text:
        folder.write_text(text, "utf-8")
    with pytest.raises(words.WordsError, match=re.escape(says)):
        _ = words.room


def test_a_file_that_is_no_room_is_named_and_a_folder_may_lie_anywhere(folder, monkeypatch):
    folder.write_text('B = "zwei"', "utf-8")
    monkeypatch.chdir(folder.parents[1])
    monkeypatch.setattr(words, "FOLDER", folder.parents[1])
    monkeypatch.setattr(words, "LANGUAGE", "./qq")
    assert words.room.B == "zwei"
    words._room.cache_clear()
    folder.with_name("rooms.toml").write_text('B = "zwei"', "utf-8")
    with pytest.raises(words.WordsError, match=re.escape("rooms.toml is none of room.toml, settings.toml, rules.toml")):
        _ = words.room


def marked(value: object) -> object:
    """Every sentence between « and ». A mark in it stays at its place."""
    if isinstance(value, Mapping):
        return {key: marked(one) for key, one in value.items()}
    return (
        [marked(one) for one in value] if isinstance(value, list | tuple) else f"«{value}»" if isinstance(value, str) else value
    )


@pytest.fixture(scope="module")
def marked_language(tmp_path_factory) -> Path:
    """A folder in which every sentence of the page is marked."""
    folder = tmp_path_factory.mktemp("qq")
    rooms: dict[str, dict] = {name: tomllib.loads((words.FOLDER / f"{name}.toml").read_text("utf-8")) for name in words.ROOMS}
    rooms["settings"] = {name: {part: said for part in SAID if (said := getattr(one, part))} for name, one in SETTINGS.items()}
    rooms["rules"] = {
        name: {part: said for part in (*rules.SAID, "terms") if (said := getattr(rule, part))} for name, rule in ALL.items()
    }
    for name, room in rooms.items():
        (folder / f"{name}.toml").write_text(tomlkit.dumps(marked(room)), "utf-8")
    return folder


UNMARKED = r"""
import json, re
from specviz.page.build import build
from specviz.page.lab.tab import contents
from specviz.page.learn.tab import learn_bundle
from specviz.page.look import head
from specviz.picture.replay import document, vocabulary
from specviz.site.data import site_data
from tests.browser.fake_engine import FakeEngine

ENGLISH = re.compile(  # of Gradio, code, refusals, prompts, names, papers
    r"\.(api_info|html_template|source_)|^(learn|lab)\.(script|style)|settings\[\]\.bound|recorded\[\]\.prompt|costs\.target"
)
marked, unmarked = [], []

def read(value, at):
    if isinstance(value, dict):
        for key, one in value.items():
            read(one, f"{at}.{key}")
    elif isinstance(value, (list, tuple)):
        for one in value:
            read(one, f"{at}[]")
    elif isinstance(value, str) and re.search("[a-z]{3} [a-z]{2}", value) and not ENGLISH.search(at):
        (marked if "«" in value else unmarked).append(value)

page = build(FakeEngine()).config["components"]
parts = {"vocabulary": vocabulary(), "site": site_data(), "learn": json.loads(learn_bundle()), "lab": contents(), "page": page}
for name, part in parts.items():
    before = len(marked)
    read(part, name)
    assert len(marked) > before + 20, name
print(json.dumps(unmarked))
print(re.findall('document.documentElement.lang = "(.+)"', head()), re.findall('<html lang="(.+)">', document("", "", "", "")))
"""


@pytest.mark.slow
def test_what_a_page_says_in_another_language_is_all_of_that_language(marked_language):
    run = subprocess.run(
        [sys.executable, "-c", UNMARKED],
        env=os.environ | {words.VARIABLE: str(marked_language)},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    unmarked, tags = run.stdout.splitlines()
    assert (json.loads(unmarked), tags) == ([], f"['{marked_language.name}'] ['{marked_language.name}']")


def test_a_language_that_is_not_there_is_one_line():
    command, environment = [sys.executable, "-m", "specviz", "--version"], os.environ | {words.VARIABLE: "klingon"}
    run = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 2 and run.stderr.startswith("specviz: SPECVIZ_LANGUAGE is 'klingon'") and run.stderr.count("\n") == 1


def test_a_room_that_is_not_there_is_named():
    with pytest.raises(ImportError, match="attic"):
        from specviz.words import attic  # noqa: F401
