"""Writes what documents share with the page and with the benchmark files: tables of README.md and docs/, and docs/glossary.md.

python -m scripts.made_docs              # writes them
python -m scripts.made_docs --check      # says which are old, and exits with 1
"""

import re
import sys
from pathlib import Path

from specviz.picture.claims import engines_table, inexact_table
from specviz.picture.glossary import glossary_page

from .figures import cpu_table, readme_table

DOCS = Path(__file__).parents[1] / "docs"
TABLES = {
    DOCS / "rules.md": {"engines": engines_table, "inexact": inexact_table},
    DOCS / "measure.md": {"cpu": cpu_table},
    DOCS.parent / "README.md": {"figures": readme_table},
}
"""Of each document, by the name in a comment: what stands after it, to the next such comment."""


def made() -> dict[Path, str]:
    """Each document as it should be."""
    documents = {path: path.read_text("utf-8") for path in TABLES}
    for path, tables in TABLES.items():
        for name, table in tables.items():
            begin, end = f"<!-- made: {name} -->\n\n", f"\n\n<!-- end: {name} -->"
            pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
            documents[path] = re.sub(pattern, lambda _: begin + table() + end, documents[path], flags=re.DOTALL)  # noqa: B023
    return documents | {DOCS / "glossary.md": glossary_page()}


def main(arguments: list[str]) -> int:
    old = [path for path, text in made().items() if not path.exists() or path.read_text("utf-8") != text]
    for path, text in made().items():
        if path in old and "--check" not in arguments:
            path.write_text(text, "utf-8")
        print(f"{path.name}: {'old' if path in old else 'as it should be'}")
    return 1 if old and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
