"""Writes what documents share with the page: tables of docs/rules.md, and docs/glossary.md.

python -m scripts.made_docs              # writes them
python -m scripts.made_docs --check      # says which are old, and exits with 1
"""

import re
import sys
from pathlib import Path

from specviz.picture.claims import engines_table, inexact_table
from specviz.picture.glossary import glossary_page

DOCS = Path(__file__).parents[1] / "docs"
TABLES = {"engines": engines_table, "inexact": inexact_table}
"""By the name in a comment of the document: what stands after it, to the next such comment."""


def made() -> dict[Path, str]:
    """Each document as it should be."""
    rules = DOCS / "rules.md"
    text = rules.read_text("utf-8")
    for name, table in TABLES.items():
        begin, end = f"<!-- made: {name} -->\n\n", f"\n\n<!-- end: {name} -->"
        text = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: begin + table() + end, text, flags=re.DOTALL)  # noqa: B023
    return {rules: text, DOCS / "glossary.md": glossary_page()}


def main(arguments: list[str]) -> int:
    old = [path for path, text in made().items() if not path.exists() or path.read_text("utf-8") != text]
    for path, text in made().items():
        if path in old and "--check" not in arguments:
            path.write_text(text, "utf-8")
        print(f"{path.name}: {'old' if path in old else 'as it should be'}")
    return 1 if old and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
