"""One name is one thing: no two public classes of the package share theirs."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHARED = {"Entry"}  # of the engine, which is yet to be renamed


def homes(folder: Path) -> dict[str, list[str]]:
    """By the name of a public class: the files that have one."""
    by_name = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            # one that extends the class of its name is that thing on a device
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not extends(node.name, node):
                by_name[node.name].append(path.relative_to(folder).as_posix())
    return by_name


def extends(name: str, node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Attribute) and base.attr == name for base in node.bases)


def test_no_two_public_classes_share_a_name():
    twice = {name: files for name, files in homes(ROOT / "specviz").items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in SHARED} == {}
    assert set(twice) == SHARED  # a name that is one thing again leaves the list
