"""The package: what `import specviz` gives; built and installed as a stranger has it, started from an empty folder without a network."""

import doctest
import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.metadata import RawMetadata, parse_email
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import specviz
from specviz.page.keep.recorded import load
from specviz.trace.file import read
from specviz.words import page as words
from specviz.words import picture

from .test_documents import required


def test_the_example_of_the_package_runs_as_it_is_written(no_network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testmod(specviz)
    assert done.attempted >= 5 and done.failed == 0
    assert (tmp_path / "run.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("name", specviz.__all__)
def test_every_public_name_is_there_and_listed_and_has_a_docstring(name):
    value = getattr(specviz, name)
    assert value.__name__ == name and value.__doc__
    assert name in dir(specviz)


ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def of_a_stranger(test):
    return pytest.mark.full(pytest.mark.timeout(400)(test))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    """Built by what the tests' environment holds, which needs no network."""
    folder = tmp_path_factory.mktemp("dist")
    how = ["--no-deps", "--no-build-isolation", "--no-index", "-w"]
    build = [sys.executable, "-m", "pip", "wheel", str(ROOT), *how, str(folder)]
    subprocess.run(build, check=True, capture_output=True, cwd=folder)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def metadata(wheel) -> RawMetadata:
    with ZipFile(wheel) as file:
        [name] = [name for name in file.namelist() if name.endswith(".dist-info/METADATA")]
        return parse_email(file.read(name))[0]


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """Run `specviz` with these words, as installed, from an empty folder → the process, its folder."""
    place = tmp_path_factory.mktemp("installed")
    here, home, environment = place / "here", place / "home", place / "environment"
    here.mkdir()
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    variables = {"base": str(environment), "platbase": str(environment)}
    scripts, packages = (Path(sysconfig.get_path(name, "venv", variables)) for name in ("scripts", "purelib"))
    python = scripts / Path(sys.executable).name
    install = ["-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    # what it depends on is looked up in the environment of the tests, after its own
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    nowhere = "http://127.0.0.1:9"  # a port where nobody listens
    cut = {"HF_HUB_OFFLINE": "1", "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "NO_PROXY": "127.0.0.1,localhost"}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GRADIO", "HF_"))}
    env = {**inherited, **cut, "HOME": str(home), "USERPROFILE": str(home), "PYTHONUNBUFFERED": "1", "SPECVIZ_THREADS": "1"}

    def start(*words):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "encoding": "utf-8"}
        return subprocess.Popen([scripts / "specviz", *words], cwd=here, env=env, **pipes)

    start.here = here
    return start


@of_a_stranger
def test_it_holds_the_package_and_its_assets_and_nothing_else(wheel):
    with ZipFile(wheel) as file:
        files = set(file.namelist())
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "specviz").rglob("*.py")}
    assets = {f"specviz/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "assets").rglob("*") if path.is_file()}
    assert here <= files and assets <= files
    name, version = PROJECT["project"]["name"].replace("-", "_"), PROJECT["project"]["version"]
    assert {path.split("/")[0] for path in files} == {"specviz", f"{name}-{version}.dist-info"}
    assert {"specviz/assets/models/fable/config.json", "specviz/assets/traces/opening.jsonl.gz"} <= files
    assert not [name for name in files if re.search(r"(^|/)(tests?|docs|scripts|node_modules|__pycache__)/|/test_", name)]
    assert wheel.stat().st_size < 55e6


@of_a_stranger
def test_it_asks_for_what_the_requirements_ask_for(metadata):
    requirements = [Requirement(line) for line in metadata["requires_dist"]]
    assert names([one for one in requirements if "extra ==" not in str(one.marker)]) == names(
        required("requirements.txt").values()
    )
    for name in ("test", "zero", "mcp", "accelerate"):
        extra = [one for one in requirements if f'extra == "{name}"' in str(one.marker)]
        assert names(extra) == names(required(f"requirements-{name}.txt").values()), name
    assert metadata["requires_python"] == ">=3.11"


def names(requirements) -> dict:
    return {canonicalize_name(one.name): one.specifier for one in requirements}


@of_a_stranger
def test_its_description_is_the_readme_without_what_a_space_reads(metadata):
    text = metadata["description"]
    assert metadata["description_content_type"] == "text/markdown"
    assert text.lstrip().startswith("# specviz") and "sdk_version" not in text
    assert text.strip() == (ROOT / "README.md").read_text("utf-8").split("\n---\n", 1)[1].strip()


@of_a_stranger
def test_installed_it_records_a_trace_from_an_empty_folder(installed):
    with installed("trace", "--prompt", "Once upon a time", "--max-new-tokens", "8", "--out", "run.jsonl") as run:
        output, _ = run.communicate(timeout=120)
    assert run.returncode == 0, output
    assert read(installed.here / "run.jsonl").speculative[-1].tokens == 8
    assert [path.name for path in installed.here.iterdir()] == ["run.jsonl"]


@of_a_stranger
def test_installed_it_serves_the_page_from_an_empty_folder(installed, free_port):
    with installed("app", "--port", str(free_port)) as run:
        try:
            page = fetched(f"http://127.0.0.1:{free_port}/", run)
        finally:
            run.terminate()
            run.communicate(timeout=60)
    assert f'"title":"{picture.TITLE}"' in page and f'"label":"{words.LEARN}"' in page
    assert json.dumps(load("opening").header.prompt) in page


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def fetched(address: str, run: subprocess.Popen) -> str:
    """The page, as soon as there is one; what the process said, if it ends before."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + 240
    while time.monotonic() < until:
        if run.poll() is not None:
            pytest.fail("it ended: " + run.stdout.read())
        try:
            with direct.open(address, timeout=60) as answer:
                return answer.read().decode()
        except OSError:
            time.sleep(0.2)
    pytest.fail("no page within four minutes")
