"""Imports point one way only: config → models → decode → events → view → render → ui, and torch never meets gradio.

A module may import what stands before it in its own half or in SHARED, and the libraries that its row names. A new module
needs a place in the table; that is the moment to ask which half it belongs to.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "specviz"
MODELS = "torch transformers tokenizers safetensors huggingface_hub numpy"

# module or package: the libraries it may import beside the standard library; from left to right
SHARED = {"config": "", "events": "", "acceptance": "", "rules": "", "strict": "pydantic", "trace": ""}
ENGINE = dict.fromkeys(
    ["sampling", "verify", "text", "models", "draft", "observe", "decode", "divergence", "machine", "race", "lab", "local"],
    MODELS,
)
ENGINE["models"] += " triton"
SCREEN = {"account": "", "view": "", "render": "plotly", "ui": "gradio"}
TOP = {"__init__": "", "__main__": "typer rich"}  # the public names and the command line: any engine module, no screen


def place(module: str) -> str:
    """specviz.draft.small → draft; specviz → __init__."""
    return [*module.split("."), "__init__"][1]


def imports(path: Path, root: Path = ROOT) -> set[str]:
    """Full names of what the file imports, anywhere in it: at the top, in a function, under TYPE_CHECKING."""
    found, package = set(), list(path.relative_to(root).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*base, *([node.module] if node.module else [])])
            # `from .. import view` names a module, `from ..view import picture` what is in one
            found |= {f"{base}.{alias.name}" for alias in node.names} if base == "specviz" else {base}
    return found


def backward(path: Path, root: Path = ROOT) -> list[str]:
    """What the file imports and may not, as sentences."""
    parts = path.relative_to(root).with_suffix("").parts
    file, here = "/".join(parts[1:]), parts[1]
    half = next((half for half in (SHARED, ENGINE, SCREEN, TOP) if here in half), None)
    if half is None:
        return [f"{path.name} has no place in the table of layers"]
    if half is TOP:
        modules = {*SHARED, *ENGINE, *TOP}
    else:
        names = list(half)
        modules = {*(SHARED if half is not SHARED else ()), *names[: names.index(here) + 1]}
    libraries = {*half[here].split(), *sys.stdlib_module_names}
    wrong = []
    for name in sorted(imports(path, root)):
        top = name.split(".")[0]
        if top == "specviz" and place(name) not in modules:
            wrong.append(f"{file} imports {name}")
        elif top != "specviz" and top not in libraries:
            wrong.append(f"{file} imports the library {top}")
    return wrong


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).with_suffix("").as_posix())
def test_no_arrow_runs_backwards(path):
    assert backward(path) == []


def test_triton_is_imported_by_its_kernels_only_and_nothing_waits_for_them_to_be_there():
    users = {path for path in FILES if any(name.split(".")[0] == "triton" for name in imports(path))}
    assert users == {PACKAGE / "models/kernels.py"}
    importers = {path for path in FILES if "specviz.models.kernels" in imports(path)}
    assert importers == {PACKAGE / "models/parts.py"}


def test_gradio_is_imported_by_the_ui_and_the_app_only():
    others = [ROOT / "app.py", *(ROOT / "scripts").rglob("*.py")]
    users = {path.relative_to(ROOT).parts[0] for path in others if any(name.split(".")[0] == "gradio" for name in imports(path))}
    assert users <= {"app.py"}


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("decode.py", "import gradio as gr", "decode imports the library gradio"),
        ("models/own.py", "import plotly.graph_objects", "models/own imports the library plotly"),
        ("draft/x.py", "from ..decode import decode", "draft/x imports specviz.decode"),
        ("draft/x.py", "def f():\n    from .. import decode", "draft/x imports specviz.decode"),
        ("decode.py", "from . import view", "decode imports specviz.view"),
        ("decode.py", "import specviz.ui.build", "decode imports specviz.ui.build"),
        ("render/x.py", "if 1:\n    import torch", "render/x imports the library torch"),
        ("render/x.py", "from ..ui.words import TITLE", "render/x imports specviz.ui.words"),
        ("render/x.py", "import gradio", "render/x imports the library gradio"),
        ("ui/x.py", "from specviz.race import race", "ui/x imports specviz.race"),
        ("ui/x.py", "from .. import race", "ui/x imports specviz.race"),
        ("ui/x.py", "from specviz import load_pair", "ui/x imports specviz.load_pair"),
        ("view.py", "from .models.pair import load_pair", "view imports specviz.models.pair"),
        ("view.py", "import numpy", "view imports the library numpy"),
        ("trace.py", "import pydantic", "trace imports the library pydantic"),
        ("events.py", "from .trace import Trace", "events imports specviz.trace"),
        ("config.py", "import torch.nn", "config imports the library torch"),
        ("new.py", "import sys", "new.py has no place in the table of layers"),
    ],
)
def test_a_planted_backward_arrow_is_found(tmp_path, file, line, complaint):
    path = tmp_path / "specviz" / file
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n")
    assert backward(path, tmp_path) == [complaint]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("ui/x.py", "import gradio\nfrom ..render import palette\nfrom . import words\nfrom ..trace import Trace"),
        (
            "decode.py",
            "import torch\nfrom .draft.small import SmallModel\nfrom . import observe as see\nfrom .events import Round",
        ),
    ],
)
def test_a_forward_arrow_is_not(tmp_path, file, line):
    path = tmp_path / "specviz" / file
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n")
    assert backward(path, tmp_path) == []


def modules_of(*halves: dict) -> list[str]:
    """The modules of these halves whose files exist now."""
    rows = {name for half in halves for name in half}
    dotted = (".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in FILES)
    return sorted(name for name in dotted if place(name) in rows)


@pytest.mark.parametrize(
    ("modules", "kept_out"),
    [
        (modules_of(SHARED, {"view": ""}), "torch transformers gradio plotly numpy pydantic"),
        (modules_of({"render": ""}), "torch transformers gradio"),
        (modules_of({"ui": ""}), "torch transformers"),
        (modules_of(ENGINE, TOP), "gradio plotly"),
    ],
    ids=["shared", "render", "ui", "engine"],
)
def test_importing_a_half_does_not_bring_in_the_other(modules, kept_out):
    assert modules, "no file to import"
    imported = [name for name in modules if not name.endswith("__main__")]
    code = f"import sys, {', '.join(imported)}; print([name for name in {kept_out.split()} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr
