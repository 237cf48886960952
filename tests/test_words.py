"""Every sentence that code names is in words/*.toml, what is there is named, and another language may leave out what it likes."""

import ast
import json
import re
import shutil
from pathlib import Path

import pytest

from specviz import words
from specviz.config import ASSETS
from specviz.page import look
from specviz.page.compress import CompressedPage
from specviz.picture.replay import BROWSER, BROWSER_RECORD
from specviz.picture.sheets import SCRIPT_COMMENT
from specviz.rules import ALL, RULES

from .loop import run
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
    keys = {name for room in words.load().values() for name in vars(room)} | {*BROWSER, *BROWSER_RECORD}
    keys -= {f"{key}_{name}" for name, rule in ALL.items() for key in rule.words}  # the key and the rule are both parts
    tables = [table for name, room in words.load().items() if name != "picture" for table in vars(room).items()]
    keys |= {leaf for name, table in tables if name not in KEYED_BY_DATA for leaf in leaves(name, table)}
    known = whole | {key for key in keys if any(map(key.startswith, begun)) or any(map(key.endswith, ends))}
    assert len(keys) > 900 and sorted(keys - known) == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """words/ with a room of English and a language of its own, whose cache is not the real one's."""
    (tmp_path / "room.toml").write_text('A = "one {n}"\nB = "two"\n[T]\nx = "x"\ny = "y"\n', "utf-8")
    (tmp_path / "qq").mkdir()
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    monkeypatch.setattr(words, "ROOMS", ("room",))
    words._room.cache_clear()
    yield tmp_path / "qq" / "room.toml"
    words._room.cache_clear()


def test_another_language_says_in_english_what_it_leaves_out(folder):
    folder.write_text('A = "eins {n}"\n[T]\ny = "ypsilon"\n', "utf-8")
    room = words.load("qq")["room"]
    assert (room.A, room.B, room.T) == ("eins {n}", "two", {"x": "x", "y": "ypsilon"})
    assert words.load()["room"].A == "one {n}" and words.languages() == ("en", "qq")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('C = "three"', "room has no 'C' in English"),
        ('T = "t"', "room.T must be a dict"),
        ('A = "eins {m}"', "room.A fills in 'm', which English does not"),
    ],
)
def test_a_language_that_does_not_fit_is_refused_by_the_key(folder, text, says):
    folder.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=re.escape(says)):
        words.load("qq")


def marked(value: object) -> object:
    """Every sentence between « and ». A mark in it stays at its place."""
    if isinstance(value, dict):
        return {key: marked(one) for key, one in value.items()}
    return [marked(one) for one in value] if isinstance(value, list) else f"«{value}»" if isinstance(value, str) else value


def toml(table: dict, path: tuple[str, ...] = ()) -> str:
    own = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if not isinstance(value, dict)]
    inside = [toml(value, (*path, key)) for key, value in table.items() if isinstance(value, dict)]
    return "\n".join([*([f"[{'.'.join(path)}]"] if path else []), *own, *inside])


@pytest.fixture
def marked_language(tmp_path, monkeypatch):
    """qq, in which every sentence that scripts draw a run with is marked."""
    (tmp_path / "qq").mkdir()
    for name, room in words.load().items():
        shutil.copy(words.FOLDER / f"{name}.toml", tmp_path)
        if name in ("picture", "glossary", "drafters"):
            (tmp_path / "qq" / f"{name}.toml").write_text(toml(marked(vars(room))), "utf-8")
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    words._room.cache_clear()
    yield "qq"
    words._room.cache_clear()


def page_in(query: bytes) -> dict:
    """What the page's scripts are told before they draw."""

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": f"<head></head><script>\n{look.script()}\n</script>".encode()})

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": "/", "method": "GET", "headers": [], "query_string": query}
    run(CompressedPage(app)(scope, None, send))
    page = b"".join(one.get("body", b"") for one in sent).decode()
    return json.loads(page.split("specviz.setVocabulary(")[-1].split(");\n</script>")[0])


def test_a_page_in_another_language_has_every_word_of_its_scripts_in_it(marked_language):
    of_rules = {f"{key}_{name}" for name, rule in ALL.items() for key in rule.words} | {f"rule_{name}" for name in ALL}
    known = page_in(b"lang=qq&prompt=x")
    assert {key for key, text in known["words"].items() if not text.startswith("«")} <= of_rules
    assert all(role["word"].startswith("«") for role in known["roles"].values())
    own = {name for rule in RULES.values() for name, *_ in rule.terms}
    assert all(one["says"].startswith("«") for one in known["terms"] if one["name"] not in own)
    assert page_in(b"lang=xx") == page_in(b"lang=") == page_in(b"prompt=x") and page_in(b"")["words"] == BROWSER


def test_a_language_or_a_room_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=re.escape("no words in '../../etc': there are en")):
        words.load("../../etc")
    with pytest.raises(ImportError, match="attic"):
        from specviz.words import attic  # noqa: F401
