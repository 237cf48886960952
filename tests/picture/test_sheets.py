"""The stylesheets: all are sent, and a hand-out gets only what it needs."""

import re

from specviz.config import ASSETS
from specviz.picture import palette
from specviz.picture.handout import handout
from specviz.picture.sheets import COMMENT, HANDOUT, SHEETS, files, sheets, without_unused
from tests.fake_trace import fake_trace

FILES = sorted(ASSETS.rglob("*.css"))


def text(*paths) -> str:
    return COMMENT.sub("", "\n".join(path.read_text("utf-8") for path in paths))


def classes(css: str) -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^{}]*\}", "", css)))


def test_every_stylesheet_has_its_place_in_the_order():
    assert sorted(files(*SHEETS)) == FILES


def test_rules_are_sent_without_comments_and_nothing_ends_their_element():
    css = sheets(*SHEETS)
    assert "/*" not in css and "\n " not in css and "</" not in css
    assert sorted(css.split()) == sorted(text(*FILES).split())


def test_a_hand_out_gets_no_rule_for_what_it_does_not_have():
    file = handout(fake_trace())
    assert f"\n{sheets(*HANDOUT)}\n" in file
    rest = re.sub(r"<style>.*?</style>", "", file, flags=re.DOTALL)
    assert {name for name in classes(sheets(*HANDOUT)) if not re.search(rf"(?<![\w-]){name}(?![\w-])", rest)} <= {"dark"}


def test_a_page_of_one_script_holds_the_rules_of_what_it_names_and_no_others():
    rules = (
        ":root {\n--a: 1px;\n--b: var(--a);\n--c: 2px;\n}\n.here {\nmargin: var(--b);\n}\n.gone {\nmargin: var(--c);\n}\nbody {\nmargin: 0;\n}\n"
        '.here[data-role="kept"] {\nmargin: 0;\n}\n.here[data-role="lost"] {\nmargin: 0;\n}\n.gone {\n& .here {\nmargin: 0;\n}\n}\n'
    )
    left = without_unused(rules, 'el("p.here", { "data-role": "kept" })')
    assert "--a" in left and "--b" in left and "--c" not in left
    assert ".here {" in left and "body {" in left and "kept" in left
    assert "gone" not in left and "lost" not in left


def test_every_variable_that_is_used_is_set():
    everything = text(*FILES)
    used = set(re.findall(r"var\((--[\w-]+)", everything))
    ours = set(re.findall(r"(--[\w-]+):", everything))
    assert used <= ours | set(re.findall(r"(--[\w-]+):", palette.css())) | {
        "--n",
        "--level",
        "--votes",
        "--sv-lanes-height",
        "--sv-lanes-top",
    }  # what a script sets: columns, a shade, a share, where the lanes are
