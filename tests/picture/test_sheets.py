"""Modules become one script: in the order of need, without what only a reader needs; whatever is not understood is refused. And the
stylesheets: all are sent, and a hand-out gets only what it needs.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from specviz.config import ASSETS
from specviz.page.look import script
from specviz.picture import palette
from specviz.picture.replay import handout
from specviz.picture.sheets import COMMENT, HANDOUT, SHEETS, BundleError, bundle, files, sheets, without_unused
from specviz.site.build import copies
from tests.fake_trace import fake_trace

FILES = sorted(ASSETS.rglob("*.css"))


def text(*paths) -> str:
    return COMMENT.sub("", "\n".join(path.read_text("utf-8") for path in paths))


def classes(css: str) -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^{}]*\}", "", css)))


def test_every_stylesheet_has_its_place_and_is_sent_without_comments_and_nothing_ends_its_element():
    assert sorted(files(*SHEETS)) == FILES
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
        ":root {\n--a: 1px;\n--b: var(--a);\n--c: 2px;\n}\n.here {\nmargin: var(--b);\n}\n.gone {\nmargin: var(--c);\n}\n"
        "body {\nmargin: 0;\n}\n"
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
    # what a script sets: columns, a shade, a share, where the lanes are
    by_script = {"--n", "--level", "--votes", "--sv-lanes-height", "--sv-lanes-top"}
    assert used <= ours | set(re.findall(r"(--[\w-]+):", palette.css())) | by_script


node = pytest.mark.skipif(not shutil.which("node"), reason="what a script does is asked of node, which is not here")


def write_scripts(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".js")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def run(code: str):
    done = subprocess.run(["node", "-e", f"console.log(JSON.stringify({code}))"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@node
def test_each_file_runs_once_after_what_it_needs_and_sees_only_what_it_imports(tmp_path):
    write_scripts(
        tmp_path,
        entry='import { once, twice as two } from "./part/sum.js";\nexport { once } from "./part/sum.js";\n'
        "const hidden = 3;\nexport const found = [two(hidden), once(1), typeof counted];\n",
        part__sum='import {\n  add,\n} from "../add.js";\nexport function once(x) {\n  return add(x, 0);\n}\n'
        "export const twice = (x) => add(x, x);\n",
        add="const counted = [];\nexport const add = (a, b) => counted.push(a, b) && a + b;\nexport class Sum {}\n"
        "export async function later() {}\n",
    )
    assert run(bundle("entry.js", tmp_path) + ".found") == [6, 1, "undefined"]
    assert run(f"Object.keys({bundle('entry.js', tmp_path)}).sort()") == ["found", "once"]
    assert run(f"Object.isFrozen({bundle('entry.js', tmp_path)})") is True
    assert bundle("entry.js", tmp_path).count(".push(") == 1


@node
def test_a_file_of_two_scripts_of_a_page_runs_once_and_is_sent_once(tmp_path):
    write_scripts(
        tmp_path,
        page='import { add } from "./state.js";\nexport const first = add(1);\n',
        site='import { add } from "./state.js";\nexport const first = add(5);\n',
        late='import { seen } from "./own.js";\nimport { add } from "./state.js";\nexport const all = add(seen);\n',
        own='import { add } from "./state.js";\nexport const seen = add(2).length;\n',
        state="const some = [];\nexport const add = (x) => some.push(x) && some;\n",
    )
    first = bundle("page.js", tmp_path)
    for late in bundle("late.js", tmp_path), bundle("late.js", tmp_path, after=("page.js",)):
        assert run(f"[{first}.first, {late}.all]") == [[1, 2, 2], [1, 2, 2]]
    late = bundle("late.js", tmp_path, after=("page.js", "site.js"))
    assert "push" in bundle("late.js", tmp_path) and "push" not in late and ".length" in late


@pytest.mark.parametrize("entry", ["lab/tab.js", "learn/tab.js", "player/inspector.js", "record/place.js", "keep/late.js"])
def test_what_a_page_sends_later_holds_nothing_that_stands_there_already(entry):
    pages = ("page.js", "site/open.js") if entry == "lab/tab.js" else ("page.js",)
    later = bundle(entry, after=pages)
    assert len(later) < len(bundle(entry)) and '"tooltip"' not in later
    assert all('"tooltip"' in bundle(page) for page in pages)


@node
def test_comments_types_and_indentation_are_left_out_and_text_is_not(tmp_path):
    text = r"""
        // first
        export const a = /** @type {number} */ (1); // why
        /**
         * Long
         */
        /** @type {string} */
        export const b = "  // no * comment /*  ";
        export const c = `  ${a} ${2}`;
    """
    text = "\n".join(line[8:] for line in text.splitlines())
    code = bundle("entry.js", write_scripts(tmp_path, entry=text))
    assert not re.search(r"first|Long|@type", code) and not re.search(r"^\s", code, re.MULTILINE)
    assert run(code) == {"a": 1, "b": "  // no * comment /*  ", "c": "  1 2"}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('import thing from "./other.js";', "form of import"),
        ('import * as thing from "./other.js";', "form of import"),
        ('import "./other.js";', "form of import"),
        ('const thing = await import("./other.js");', "form of import"),
        ("const here = import.meta.url;", "form of import"),
        ("export default 3;", "form of import"),
        ("export { thing };", "form of import"),
        ("export let thing = 3;", "form of import"),
        ('import { thing } from "other";', "form of import"),
        ('import { missing } from "./other.js";', "exports no missing"),
        ('export { missing } from "./other.js";', "exports no missing"),
        ('import { thing } from "./nothing.js";', "is no file"),
        ('import { thing } from "../outside.js";', "is no file"),
        ('import { thing } from "./back.js";', "back.js:1: ./entry.js imports this file"),
        ('import { own } from "./entry.js";', "imports this file"),
        ('const text = "</SCRIPT>";', "would end the script"),
        ("const less = 1 < !--own;", "would end the script"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_file_and_line(tmp_path, line, what):
    root = tmp_path / "assets"
    root.mkdir()
    write_scripts(tmp_path, outside="export const thing = 1;\n")
    write_scripts(root, other="export const thing = 1;\n", back='import { own } from "./entry.js";\nexport const thing = own;\n')
    write_scripts(
        root, entry=f'// first\nimport {{\n  thing as known,\n}} from "./other.js";\nexport const own = known;\n{line}\n'
    )
    with pytest.raises(BundleError, match=re.escape(what)) as refused:
        bundle("entry.js", root)
    place = "back.js:1:" if "back" in line else "entry.js:6:"
    assert place in str(refused.value)


def test_what_the_site_gives_out_file_by_file_imports_nothing_else():
    paths = {path.resolve() for path in copies().values()}
    scripts = [path for path in paths if path.suffix == ".js"]
    needed = {
        (path.parent / name).resolve()
        for path in scripts
        for name in re.findall(r'^(?:import|export|\}).* from "(\.[^"]+)"', path.read_text("utf-8"), re.MULTILINE)
    }
    assert len(needed) > 20 and needed <= paths


def test_a_function_that_the_page_prints_keeps_its_lines_and_what_is_said_of_them():
    lines = bundle("lab/tab.js", after=("page.js",)).splitlines()
    assert "const y = chance.pick(p);" in lines and any("// ✗ " in line for line in lines)


@node
def test_the_page_s_script_runs_and_nothing_can_replace_it():
    code = f"globalThis.window = globalThis; {script()}; try {{ 'use strict'; window.specviz = 1; }} catch {{}} "
    code += "console.log(typeof specviz.setVocabulary)"
    # read, since it is longer than an argument may be
    done = subprocess.run(["node", "-"], input=code, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "function"
