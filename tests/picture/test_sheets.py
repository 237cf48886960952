"""The stylesheets: all are sent, the hand-out gets only what it needs, and colours, sizes and distances come from one place each."""

import re

import pytest
from PIL.ImageColor import colormap

from specviz.config import ASSETS
from specviz.picture import palette
from specviz.picture.handout import handout
from specviz.picture.sheets import (
    COMMENT,
    HANDOUT,
    JOIN,
    LAB,
    LEARN,
    PAGE,
    PLAY,
    PRINT,
    SHEETS,
    SITE,
    files,
    sheets,
    without_unused,
)
from tests.fake_trace import fake_trace

FILES = sorted(ASSETS.rglob("*.css"))
MEASURES = [path for path in FILES if path.stem == "measures"]
RULES = [path for path in FILES if path not in MEASURES]
ROOM = re.compile(r"\(width|\(height")


def text(*paths) -> str:
    return COMMENT.sub("", "\n".join(path.read_text("utf-8") for path in paths))


def values(css: str, properties: str = "[a-z-]+") -> list[str]:
    """What these properties are set to."""
    return re.findall(rf"(?<![\w-])(?:{properties}):\s*([^;{{}}]+);", css)


def classes(css: str) -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^{}]*\}", "", css)))


# ---- what is sent ----


def test_every_stylesheet_has_its_place_in_the_order():
    assert sorted(files(*SHEETS)) == FILES


def test_every_folder_is_sent_to_the_page_at_once_or_later_to_a_phone_a_hand_out_a_printer_or_the_site():
    assert {*PAGE, *PLAY, *LEARN, *LAB, *JOIN, *HANDOUT, *PRINT, *SITE} == set(SHEETS)
    assert set(SHEETS) - set(PAGE) == {"learn", "lab", "join", "record", "handout", "play", "poll", "print", "site"}


def test_rules_are_sent_without_comments_and_nothing_ends_their_element():
    css = sheets(*SHEETS)
    assert "/*" not in css and "\n " not in css and "</" not in css
    assert sorted(css.split()) == sorted(text(*FILES).split())


def test_a_hand_out_gets_no_rule_for_what_it_does_not_have():
    file = handout(fake_trace())
    assert f"\n{sheets(*HANDOUT)}\n" in file
    rest = re.sub(r"<style>.*?</style>", "", file, flags=re.DOTALL)
    assert {name for name in classes(sheets(*HANDOUT)) if not re.search(rf"(?<![\w-]){name}(?![\w-])", rest)} <= {"dark"}


def test_every_class_that_has_a_rule_is_given_to_something():
    givers = [path for folder, kind in ((ASSETS, "*.js"), (ASSETS.parent / "specviz", "*.py")) for path in folder.rglob(kind)]
    words = set(re.findall(r"[\w-]+", "\n".join(path.read_text("utf-8") for path in givers)))
    own = {name for name in classes(text(*FILES)) if name.startswith(("sv-", "lrn-", "lab-", "brk-", "ppl-", "ph-"))}
    # a name is written out, or its last part is added to the others
    assert {name for name in own if not words & {name, f"{name.rpartition('-')[0]}-"}} == set()


def test_a_page_of_one_script_holds_the_rules_of_what_it_names_and_no_others():
    rules = (
        ":root {\n--a: 1px;\n--b: var(--a);\n--c: 2px;\n}\n.here {\nmargin: var(--b);\n}\n.gone {\nmargin: var(--c);\n}\nbody {\nmargin: 0;\n}\n"
        '.here[data-role="kept"] {\nmargin: 0;\n}\n.here[data-role="lost"] {\nmargin: 0;\n}\n.gone {\n& .here {\nmargin: 0;\n}\n}\n'
    )
    left = without_unused(rules, 'el("p.here", { "data-role": "kept" })')
    assert "--a" in left and "--b" in left and "--c" not in left
    assert ".here {" in left and "body {" in left and "kept" in left
    assert "gone" not in left and "lost" not in left


# ---- colours, sizes and distances ----


def test_no_colour_is_named():
    css = "\n".join(values(re.sub(r"var\([^()]*\)|\"[^\"]*\"", "", text(*FILES)), "[a-z-]+|--[a-z-]+"))
    assert re.findall(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(", css, re.IGNORECASE) == []
    assert set(re.findall(r"[a-z]+", css.lower())) & set(colormap) == set()


def test_every_variable_that_is_used_is_set_and_every_measure_is_used():
    everything = text(*FILES)
    used = set(re.findall(r"var\((--[\w-]+)", everything))
    ours = set(re.findall(r"(--[\w-]+):", everything))
    assert used <= ours | set(re.findall(r"(--[\w-]+):", palette.css())) | {
        "--n",
        "--level",
        "--votes",
    }  # what a script sets: columns, a shade, a share
    assert set(re.findall(r"(--[\w-]+):", text(*MEASURES))) <= used


@pytest.mark.parametrize(
    ("properties", "scale"),
    [
        ("font-size", "text"),
        ("(?:padding|margin)(?:-[a-z]+)?|(?:row-|column-)?gap", "space"),
        ("border-radius", "radius"),
        ("(?:max-|min-)?width", "width"),
        ("transition|animation", "tint|fade|grow"),
        ("font|font-family", "sans|mono"),
    ],
    ids=("text", "space", "radius", "width", "time", "font"),
)
def test_a_measure_that_has_a_name_is_called_by_it(properties, scale):
    measures = {path.parent.name: re.findall(rf"--\w+-(?:{scale})[\w-]*: ([^;]+);", text(path)) for path in MEASURES}
    assert any(measures.values())
    repeats = set()
    for path in RULES:
        css = " ".join(values(text(path), properties))
        known = [value for folder in ("shared", path.parent.name) for value in measures.get(folder, ())]
        repeats |= {(path.name, value) for value in known if re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", css)}
    assert repeats == set()


def test_nothing_changes_at_a_width_or_height_that_is_not_in_the_list():
    listed = re.findall(r"^ +(\d+)  \w", (ASSETS / "shared" / "measures.css").read_text("utf-8"), re.MULTILINE)
    queries = [query for query in re.findall(r"@(?:media|container)([^{]+)\{", text(*FILES)) if ROOM.search(query)]
    assert set(re.findall(r"(\d+)px", " ".join(queries))) == set(listed) and len(listed) == len(set(listed))
    assert re.findall(r"\d(?!\d*px)\w*", re.sub(r"\d+px", "", " ".join(queries))) == []


def test_a_sheet_is_short_and_says_what_it_is_for():
    for path in FILES:
        lines = path.read_text("utf-8").splitlines()
        assert (len(lines) <= 200, max(map(len, lines)) <= 120, lines[0][:2]) == (True, True, "/*"), path.name
