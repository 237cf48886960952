import hashlib
import importlib.util
import json
import os
import subprocess
import sys

import pytest

from scripts.build_wasm import MODULES, OUT, ROOT, digest

ABOUT = json.loads((OUT / "specviz.json").read_text("utf-8"))
LINKER = importlib.util.find_spec("ziglang")


def test_the_modules_are_made_from_the_sources_as_they_are():
    assert ABOUT["sources"] == digest(), "make them again: python -m scripts.build_wasm (it needs ziglang)"


@pytest.mark.parametrize("file", MODULES)
def test_a_module_is_the_one_that_was_made(file):
    assert hashlib.sha256((OUT / file).read_bytes()).hexdigest() == ABOUT["modules"][file]


@pytest.mark.full
@pytest.mark.skipif(not LINKER, reason="the linker comes with ziglang, which is not here")
def test_another_build_gives_the_same_bytes(tmp_path):
    ours = os.environ | {"PYTHONHASHSEED": "4"}  # whatever order sets of names have there
    subprocess.run([sys.executable, "-m", "scripts.build_wasm", "--out", str(tmp_path)], cwd=ROOT, check=True, env=ours)
    again = json.loads((tmp_path / "specviz.json").read_text("utf-8"))
    if again["tools"] != ABOUT["tools"]:
        pytest.skip(f"made by {ABOUT['tools']}, here are {again['tools']}")
    assert again == ABOUT
