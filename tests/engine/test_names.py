"""The functions of the browser's engine (assets/engine) bear the names of Python's: who mends one finds the other by searching."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "assets" / "engine"
PASS = ("engine/backends/compiled.py", "engine/compiled/forward.py", "engine/sampling.py")
PYTHON = {  # in which files of specviz/ the functions of a script are looked for
    "costs.js": ("engine/race.py", "lab/costs.py"),
    "decode.js": ("engine/decode.py", "engine/machine.py"),
    "draft.js": ("engine/draft/*.py", "engine/backends/compiled.py"),
    "events.js": ("engine/events.py", "engine/compiled/verdict.py"),
    "lab.js": ("lab/classroom.py", "lab/luck.py", "lab/measure.py", "lab/sweep.py"),
    "load.js": ("engine/draft/choose.py", "engine/models/load.py"),
    "model.js": ("engine/model.py", "engine/models/llama.py", *PASS),
    "race.js": ("engine/race.py",),
    "text.js": ("engine/text.py",),
    "verify.js": ("engine/verify.py", "engine/sampling.py", "engine/compiled/rows.py", "acceptance.py"),
    "weights.js": ("engine/model.py", "engine/models/checkpoint.py", *PASS),
}  # fmt: skip
OF_A_BROWSER = {
    "assistant.js": "weights that come in parts",
    "compiled.js": "numpy's arrays, and calls of a WebAssembly module",
    "engine.js": "a worker, and files without a disk",
    "thread.js": "a worker that is a thread of passes",
    "twister.js": "numpy's and Python's random numbers",
    "worker.js": "messages of a page",
}
ONLY_HERE = {  # functions that only a browser needs, by the reason
    "costs.js": {"batches, for a coarse clock": "timePass", "a run that would take minutes is refused": "costsOf"},
    "decode.js": {"of a coarse clock": "resolution", "Stopwatch.__call__": "now"},
    "draft.js": {"an attribute there, a layer of the backend": "fuse", "parts of Eagle.__init__": "ownHead ofCheckpoint"},
    "events.js": {"a sum there": "rest", "a half of positions_from": "draftedPosition undraftedPosition"},
    "lab.js": {"fields of Sweep": "sweepSummary"},
    "load.js": {
        "files are fetched": "ConnectionError makeFetch fetchWhole pieceReader",
        "the page keeps what it has loaded": "ModelCache open _once text", "memory is not collected": "_allOrNothing",
        "a case of _of_weights": "_loadEagle", "the library tokenizers reads files": "_loadText",
        "the library json reads files": "json",
    },
    "model.js": {
        "Llama._load": "ofCheckpoint", "a slice of an array there": "draftIds tapInputs",
        "an index of an array there": "scatterColumns",
    },
    "race.js": {"of a coarse clock": "isQuiet averagedPhases", "dataclasses.replace": "withSoftmax"},
    "text.js": {
        "a call of the library tokenizers": "decode", "its mask of special tokens is not here": "_promptIds",
        "its DecodeStream is not here": "_restart _step byteCount",
    },
    "verify.js": {
        "Sampler.__call__": "fillRows", "a half of filtered_scores": "keepLargest keepMass",
        "Verifier.__call__": "verify", "Rejection.verify": "verifyByRejection", "Match.verify": "verifyByMatch",
        "an array there": "rowsOf",
    },
    "weights.js": {
        "the library safetensors checks it": "tensorOf", "Weights.__contains__": "has",
        "a line of Llama._load": "finish", "a part of pack": "panels", "PackedTable.__call__": "unpack",
    },
}  # fmt: skip
FUNCTION = re.compile(
    r"^(?:export )?(?:async )?(?:function\*? |class |const (?=\w+ = (?:async )?\())(\w+)"
    r"|^  (?:static |async |get |set |\*)*(?!constructor\b|for\b|if\b|while\b|switch\b)(\w+)\(.*\{$",
    re.MULTILINE,
)


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().strip("_")


def script_functions(text: str) -> set[str]:
    """Names of the functions, classes and methods of a script that biome has formatted; what is inside of a function is left out."""
    return {name for names in FUNCTION.findall(text) for name in names if name}


def python_functions(files: list[Path]) -> set[str]:
    """The same of Python in snake_case, and `x_of` for the class method `X.of`."""
    names = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(snake_case(node.name))
            if isinstance(node, ast.ClassDef) and any(getattr(part, "name", "") == "of" for part in node.body):
                names.add(f"{snake_case(node.name)}_of")
    return names


def test_each_script_of_the_engine_has_its_files_in_python_or_a_reason_to_have_none():
    assert {file.name for file in SCRIPTS.glob("*.js")} == PYTHON.keys() | OF_A_BROWSER.keys()


@pytest.mark.parametrize("script", PYTHON)
def test_the_functions_of_a_script_have_the_names_that_python_has(script):
    files = [file for pattern in PYTHON[script] for file in (ROOT / "specviz").glob(pattern)]
    there = python_functions(files)
    unknown = {name for name in script_functions((SCRIPTS / script).read_text("utf-8")) if snake_case(name) not in there}
    here = {name for names in ONLY_HERE.get(script, {}).values() for name in names.split()}
    assert unknown == here, "a name that Python has not, or a reason that nobody needs"


def test_a_function_under_a_name_of_its_own_is_seen():
    text = """
export async function* oneWay(a) {
const other = (/** @type {number} */ n) => n;
export class Third extends Other {
  static async _fourth({ a }, b) {
    for (const x of y) {
  *fifth() {
"""
    assert script_functions(text) == {"oneWay", "other", "Third", "_fourth", "fifth"}
