"""Writes what documents share with the page and with the benchmark files: tables of docs/ and of the model card, and
docs/glossary.md. For scripts it writes the keys of words and the fields of traces, as types, and the list of rules.

python -m scripts.made_docs
"""

import json
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from textwrap import wrap

from specviz.config import ASSETS
from specviz.page.lab.panels import PANELS
from specviz.page.learn.lesson import for_browser
from specviz.picture.replay import BROWSER, BROWSER_RECORD
from specviz.rules import ALL, Rule
from specviz.site.data import SETTINGS_HERE, contract
from specviz.words import classroom

from . import figures, tables

DOCS = Path(__file__).parents[1] / "docs"
NO_BREAK = "\N{NO-BREAK SPACE}"  # what is one word where lines are filled
KEYS = """// Made from the words of Python by `python -m scripts.made_docs`: a key that is misspelt fails in `make check`.

/** The keys of WORDS (player/words.js). */
export type WordKey =
  {words};

/** The keys of PAGE (learn/lesson.js). */
export type LearnKey =
  {learn};

/** The keys of the words of a panel of the Lab, whichever. */
export type PanelKey =
  {panels};

/** The keys of the words of the game (play/game.js), but for its texts. */
export type GameKey =
  {game};

/** A key as it stands in a script; `Key` is never a key where no word can have it, and any text where it is data alone. */
export type Checked<Key extends string> = string extends Key
  ? Key
  : Key extends WordKey
    ? Key
    : Record<never, never> extends Record<Key, 1>
      ? [Extract<WordKey, Key>] extends [never]
        ? never
        : Key
      : never;

/** What these are not, `make check` fails at: no key. */
type NoKey<Key extends never> = Key;
export type Misspelt = NoKey<Checked<"not_exakt"> | Checked<`verdikt_${{string}}`>>;
"""
TABLES = {
    DOCS / "rules.md": {
        "rules": tables.rules_table,
        "walks": tables.walks_table,
        "trees": figures.trees_table,
        "engines": tables.engines_table,
        "inexact": tables.inexact_table,
        "rounds": figures.rounds_table,
    },
    DOCS / "trace.md": {
        "verdicts": tables.verdicts_table,
        "caches": tables.caches_table,
        "logits": tables.logits_table,
        "settings": tables.settings_list,
        "reasons": tables.reasons_table,
    },
    DOCS / "records.md": {"formats": tables.formats_table},
    DOCS / "measure.md": {
        "cpu": figures.cpu_table,
        "assistant": figures.assistant_cpu_table,
        "in blocks": figures.assistant_in_blocks_table,
    },
    DOCS / "benchmarks" / "README.md": {"gpu": figures.gpu_table},
    ASSETS / "models" / "README.md": {
        "drafters": figures.drafters_table,
        "blocks": figures.blocks_table,
        "assistant": figures.assistant_table,
    },
}
"""Of each document, by the name in a comment: what stands after it, to the next such comment."""


def documents() -> dict[Path, str]:
    """Each document as it should be. Raises ValueError where one has no place for a table."""
    texts = {path: path.read_text("utf-8") for path in TABLES}
    for path, made in TABLES.items():
        for name, table in made.items():
            begin, end = f"<!-- made: {name} -->\n\n", f"\n\n<!-- end: {name} -->"
            pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
            texts[path], places = re.subn(pattern, lambda _: begin + table() + end, texts[path], flags=re.DOTALL)  # noqa: B023
            if places != 1:
                raise ValueError(f"{path.name} has {places} places for the table {name!r}; it must have one, {begin!r} … {end!r}")
    scripts = {"shared/keys.d.ts": word_keys(), "trace/fields.d.ts": trace_fields(), "rules/all.js": browser_rules()}
    return texts | {DOCS / "glossary.md": tables.glossary_page()} | {ASSETS / name: text for name, text in scripts.items()}


def word_keys() -> str:
    """TypeScript: the keys of words, and a type that lets a key pass if it is one of them or, where a part of it comes from data,
    can be one."""
    return KEYS.format(
        words=_union(BROWSER | BROWSER_RECORD),
        learn=_union(for_browser()["page"]),
        panels=_union(chain.from_iterable(panel.words for panel in PANELS)),
        game=_union(classroom.GAME.keys() - {"texts"}),
    )


def _union(keys: Iterable[str]) -> str:
    return _filled(" | ".join(f'"{key}"' for key in sorted(set(keys))))


def _filled(text: str) -> str:
    """In lines of 118 characters."""
    lines = wrap(text, 116, break_long_words=False, break_on_hyphens=False)
    return "\n  ".join(lines).replace(NO_BREAK, " ")


def trace_fields() -> str:
    """TypeScript: the records of a trace, with the fields and the values that its strict reader takes."""
    records = []
    for name, fields in contract()["shapes"].items():
        tag = [f'event: "{name.lower()}";'] if name in ("Prefill", "Round", "Finished") else []
        parts = [*tag, *(f"{field}: {_typescript(shape)};".replace(" ", NO_BREAK) for field, shape, *_ in fields)]
        records.append(f"export interface {name} {{\n  {_filled(' '.join(parts))}\n}}")
    head = "// Made from the dataclasses of specviz/trace/ and specviz/config.py by `python -m scripts.made_docs`."
    here = f"/** What the browser's engine reads of a run's settings. */\nexport type SettingHere =\n  {_union(SETTINGS_HERE)};"
    return "\n\n".join([head, *records, here]) + "\n"


def _typescript(shape: dict) -> str:
    kind = shape["is"]
    simple = {"text": "string", "bool": "boolean", "int": "number", "float": "number"}
    if kind == "one":
        text = " | ".join("null" if value is None else f'"{value}"' for value in shape["of"])
    elif kind == "list":
        inside = _typescript(shape["of"])
        text = f"({inside})[]" if " " in inside else f"{inside}[]"
    else:
        text = shape["name"] if kind == "record" else simple[kind]
    return f"{text} | null" if shape.get("null") else text


def browser_rules() -> str:
    """JavaScript: of each rule its record in Python as far as a browser reads it, and the contradictions that its file in
    assets/rules finds, or that of the rule that it is made of."""
    usual = {name: getattr(Rule, name) for name in ("draws_each", "tests_u", "from_residual", "whole_block", "tests_softmax")}
    files = {
        name: next((base.name for base in rule.__mro__ if (ASSETS / "rules" / f"{vars(base).get('name')}.js").exists()), None)
        for name, rule in ALL.items()
    }
    if lacking := [name for name, rule in ALL.items() if "contradictions" in vars(rule) and files[name] != name]:
        raise SystemExit(
            f"assets/rules lacks {lacking[0]}.js: Python finds contradictions to this rule, and a browser would find others"
        )
    head = f"""// Made from specviz/rules by `python -m scripts.made_docs`: the record of each rule, with the form in its file here.

{"".join(f'import {{ {name} }} from "./{name}.js";' + chr(10) for name in sorted({file for file in files.values() if file}))}
/** @import {{ Rule }} from "./types.js" */

const BASE = {{ {_script(usual)} }};

/** @type {{Record<string, Rule>}} */
export const RULES = {{
"""
    lines = []
    for name, rule in ALL.items():
        own = {key: getattr(rule, key) for key, value in usual.items() if getattr(rule, key) != value}
        form = f", ...{files[name]}" if files[name] else ""
        lines.append(f"  {name}: {{ ...BASE, {_script({'exact': rule.exact} | own)}{form} }},\n")
    return head + "".join(lines) + "};\n"


def _script(record: dict[str, bool | str]) -> str:
    return ", ".join(f"{name}: {json.dumps(value)}" for name, value in record.items())


def main() -> None:
    for path, text in documents().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"{path.name} is new")


if __name__ == "__main__":
    main()
