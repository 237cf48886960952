"""Imports point one way only: the ground, then trace, then engine and picture side by side, then page and lab, then what joins them.

A file may import what stands before it in its own wing, and of other wings those that its own may know. A new file or folder
needs a place in the table; that is the moment to ask which wing it belongs to.
"""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "specviz"
TORCH = "torch transformers tokenizers safetensors huggingface_hub numpy gguf jinja2"

# wing: (the wings it may import, the libraries it may import beside the standard library, its files and folders in order)
WINGS = {
    "ground": ("", "numpy", "words acceptance rules drafters automaton config request"),
    "trace": ("ground", "pydantic", "events tree disturbed grammar file records"),
    "engine": (
        "ground trace",
        TORCH,
        "template text compiled tensors sampling machine model backends models draft verify events decode race generate browser",
    ),
    "picture": ("ground trace", "rjsmin", "palette sheets replay record frame"),
    "page": (
        "ground trace picture",
        "gradio fastapi starlette uvicorn segno",
        "words engine queue guard component status look gradio_patches compress keep settings watch classroom learn lab calls build serve",
    ),
    "site": ("ground trace picture page", "starlette", "data build"),
    "lab": ("ground trace engine", f"{TORCH} regex", ""),
    "vllm": ("ground trace engine", "safetensors", "process rounds race child"),
    "top": ("ground trace engine picture page site lab vllm", "typer rich torch spaces", "local zero __init__ commands __main__"),
}
TRITON = "specviz/engine/backends/pytorch/kernels.py"  # the one file that needs it
CPU = "specviz/engine/compiled"  # the folder that is compiled
CHILD = "specviz/vllm/child"  # runs in another environment, where specviz is not
HOMES = {name: wing for wing in ("ground", "top") for name in WINGS[wing][2].split()}


def place(module: str) -> tuple[str, str]:
    """specviz.engine.draft.model → (engine, draft); specviz.config → (ground, config); specviz → (top, __init__)."""
    first, second = [*module.split(".")[1:], "", ""][:2]
    return (HOMES[first or "__init__"], first or "__init__") if (first or "__init__") in HOMES else (first, second)


@cache
def imports(path: Path) -> set[str]:
    """Full names of what the file imports, anywhere in it: at the top, in a function, under TYPE_CHECKING."""
    names, package = set(), list(path.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*base, *([node.module] if node.module else [])])
            # `from .. import words` names a module, `from ..words import TITLE` what is in one
            whole = base.split(".")[0] == "specviz" and (ROOT / base.replace(".", "/")).is_dir()
            names |= {f"{base}.{alias.name}" for alias in node.names} if whole else {base}
    return names


def backward(path: Path) -> list[str]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    file = "/".join(parts[1:])
    wing, here = place(".".join(parts).removesuffix(".__init__"))
    wings, libraries, order = WINGS.get(wing, ("", "", ""))
    order = order.split()
    if wing not in WINGS or (order and here not in ("", *order)):
        return [f"{file}.py has no place in the table of layers"]
    allowed = {*libraries.split(), *sys.stdlib_module_names, *(["triton"] if path == ROOT / TRITON else [])}
    allowed |= {"numba", "llvmlite"} if path.parent == ROOT / CPU else set()
    if path.parent == ROOT / CHILD:
        beside = {f.stem for f in path.parent.glob("*.py")}
        wings, allowed = "", {*sys.stdlib_module_names, "torch", "transformers", "vllm", "arctic_inference", *beside}
    wrong = []
    for name in sorted(imports(path)):
        there, what = place(name) if name.split(".")[0] == "specviz" else ("", "")
        if there == wing:
            forward = not order or what in ("", *order[: order.index(here) + 1])
        else:
            forward = there in wings.split() if there else name.split(".")[0] in allowed
        if not forward:
            wrong.append(f"{file} imports {name if there else 'the library ' + name.split('.')[0]}")
    return wrong


FILES = sorted(PACKAGE.rglob("*.py"))


def test_no_arrow_runs_backwards_and_no_two_files_import_each_other_not_even_around_a_corner():
    assert [arrow for path in FILES for arrow in backward(path)] == []
    known = {name(path) for path in FILES}
    assert circle({name(path): imports(path) & known for path in FILES}) == []


def name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def circle(arrows: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_triton_is_imported_by_its_kernels_only_and_nothing_waits_for_them_to_be_there():
    users = {path for path in FILES if any(name.split(".")[0] == "triton" for name in imports(path))}
    assert users == {ROOT / TRITON}
    importers = {path.stem for path in FILES if "specviz.engine.backends.pytorch.kernels" in imports(path)}
    assert importers == {"fused"}


@pytest.mark.slow
def test_numba_is_imported_by_the_compiled_pass_only_which_nothing_waits_for():
    users = {path.parent for path in FILES if any(name.split(".")[0] in ("numba", "llvmlite") for name in imports(path))}
    assert users == {ROOT / CPU}
    code = "import specviz.engine.models.llama, specviz.engine.decode, sys; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_gradio_is_imported_by_the_page_and_the_app_only():
    others = [ROOT / "app.py", *(ROOT / "scripts").rglob("*.py")]
    named = {path: {name.split(".")[0] for name in imports(path)} for path in others}
    users = {path.relative_to(ROOT).parts[0] for path in others if named[path] & {"gradio", "starlette"}}
    assert users <= {"app.py"}


def test_code_that_is_run_imports_no_test():
    """`python -c` of a script too, as far as it is written in one piece."""
    for path in (ROOT / "app.py", *FILES, *(ROOT / "scripts").rglob("*.py")):
        assert not {name.split(".")[0] for name in imports(path)} & {"tests", "pytest"}, path
        assert not re.search(r"^(from|import) tests\b", path.read_text("utf-8"), re.MULTILINE), path


def test_the_auditor_shares_no_code_with_what_it_audits():
    known = {name(path) for path in FILES}
    for path in (PACKAGE / "lab" / "audit").glob("*.py"):
        ours = imports(path) & known
        mine = "specviz.lab.audit.", "specviz.trace."
        assert all(each.startswith(mine) or each in ("specviz.config", "specviz.drafters") for each in ours), path


def test_what_runs_in_the_environment_of_vllm_needs_nothing_of_ours():
    for path in (ROOT / CHILD).glob("*.py"):
        assert not [each for each in imports(path) if each.split(".")[0] == "specviz"], path


def modules_of(*wings: str) -> list[str]:
    """The modules of these wings whose files exist now."""
    return sorted(name(path) for path in FILES if place(name(path))[0] in wings)


@pytest.mark.parametrize(
    ("modules", "kept_out"),
    [
        (["specviz"], "torch transformers gradio numpy pydantic typer"),
        (["specviz.trace.file", "specviz.picture.frame"], "torch transformers gradio numpy IPython"),  # read, show
        (modules_of("ground", "trace"), "torch transformers gradio numpy pydantic"),
        (modules_of("picture"), "torch transformers gradio numpy"),
        (["specviz.lab.audit.audit"], "specviz.engine"),
        pytest.param(modules_of("page"), "torch transformers", marks=pytest.mark.slow),
        pytest.param(modules_of("engine", "lab", "top"), "gradio", marks=pytest.mark.slow),
    ],
    ids=["the package", "read and show", "ground and trace", "picture", "auditor", "page", "engine and top"],
)
def test_importing_a_wing_does_not_bring_in_another(modules, kept_out):
    assert modules, "no file to import"
    imported = [
        name for name in modules if not name.endswith(("__main__", ".zero"))
    ]  # which stands on `spaces`, and that on gradio
    code = f"import sys, {', '.join(imported)}; print([name for name in {kept_out.split()} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


READERS = [ROOT / "app.py", *sorted((ROOT / "specviz").rglob("*.py"))]
OF_BYTES = ("archive", "opener")  # what a zip file and an address open is read as bytes
PLACES = {"read_text": 0, "write_text": 1}  # where an encoding may stand without its name


def unsaid(source: str) -> list[int]:
    """Lines that open, read or write a text and do not say how it is encoded."""
    lines = []
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == "open":
            modes = [ast.unparse(one) for one in [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]]
            owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            has_encoding = owner in OF_BYTES or any(mode.strip("'") in ("rb", "wb", "ab", "xb") for mode in modes)
        else:
            has_encoding = name not in PLACES or len(call.args) > PLACES[name]
        if not has_encoding and "encoding" not in {word.arg for word in call.keywords}:
            lines.append(call.lineno)
    return lines


def test_every_text_that_is_read_or_written_says_its_encoding():
    by_file = {path.relative_to(ROOT).as_posix(): unsaid(path.read_text("utf-8")) for path in READERS}
    assert {path: lines for path, lines in by_file.items() if lines} == {}
