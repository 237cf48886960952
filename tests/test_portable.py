"""No text of the app is read or written in whatever encoding the system has: on Windows that is cp1252, which knows no α."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = [ROOT / "app.py", *sorted((ROOT / "specviz").rglob("*.py"))]
OF_BYTES = ("archive", "opener")  # what a zip file and an address open is read as bytes
PLACES = {"read_text": 0, "write_text": 1}  # where an encoding may stand without its name


def unsaid(source: str) -> list[int]:
    """Lines that open, read or write a text and do not say how it is encoded."""
    lines = []
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == "open":
            modes = [
                ast.unparse(each) for each in [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]
            ]
            owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            has_encoding = owner in OF_BYTES or any(mode.strip("'") in ("rb", "wb", "ab", "xb") for mode in modes)
        else:
            has_encoding = name not in PLACES or len(call.args) > PLACES[name]
        if not has_encoding and "encoding" not in {word.arg for word in call.keywords}:
            lines.append(call.lineno)
    return lines


def test_every_text_that_is_read_or_written_says_its_encoding():
    by_file = {path.relative_to(ROOT).as_posix(): unsaid(path.read_text("utf-8")) for path in FILES}
    assert {path: lines for path, lines in by_file.items() if lines} == {}
