"""What stands beside the code names things that exist: the workflow, the hooks, the citation, the changelog, the documents."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from specviz import __version__
from specviz.__main__ import app

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))
COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}
JOBS = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "docs").glob("*.ipynb"),
    ROOT / "assets/models/README.md",
]


def test_every_command_of_the_workflow_exists():
    lines = [shlex.split(step["run"], comments=True, posix=False) for step in STEPS if "run" in step]
    targets = {words[1] for words in lines if words[0] == "make"}
    run = {words[3] for words in lines if words[1:3] == ["-m", "specviz"]}
    assert {"check", "test"} <= targets <= TARGETS
    assert {"doctor", "trace"} == run <= COMMANDS
    others = [step["run"] for step in STEPS if "run" in step and "-m specviz" not in step["run"] and "make" not in step["run"]]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [line for line in others if line.removesuffix(" -c constraints.txt").removeprefix("python -m ") not in readme] == []


def test_the_workflow_runs_on_three_systems_with_the_oldest_python_that_is_supported():
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"].removeprefix(">=")
    assert {job["runs-on"].split("-")[0] for job in JOBS.values()} == {"ubuntu", "macos", "windows"}
    assert oldest in JOBS["linux"]["strategy"]["matrix"]["python"]


def test_actions_are_of_a_fixed_major_version():
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used and all(re.fullmatch(r"actions/[\w-]+@v\d+", name) for name in used)


def test_a_hook_runs_what_make_check_runs_and_none_is_missing():
    [recipe] = re.findall(r"^check:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    tools = {"ruff check", "ruff format --check", "mypy", "biome check --error-on-warnings", "tsc --project"}
    for tool in tools:
        assert tool in recipe and any(tool in hook["entry"] for hook in HOOKS), tool
    assert len(HOOKS) == len(tools) == len(re.findall(r"-m (?:ruff|mypy)\b|node_modules/\.bin/", recipe))
    assert {hook["language"] for hook in HOOKS} == {"system"}, "versions stand in one place"


def test_citation_package_and_changelog_are_of_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    newest = re.search(
        r"^## \[([\d.]+)\] - (unreleased|\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert project["version"] == citation["version"] == newest[1] == __version__
    assert project["license"] == citation["license"]


def test_the_page_for_contributors_is_one_page():
    lines = CONTRIBUTING.splitlines()
    assert len(lines) <= 60 and max(map(len, lines)) <= 130


def test_every_file_that_it_names_is_there():
    paths = set(re.findall(r"`([\w/.-]+/|[\w/.-]+\.(?:py|js|md|txt))`", CONTRIBUTING))
    assert paths and {path for path in paths if not (ROOT / path).exists() and not (ROOT / "specviz" / path).exists()} == set()


def test_every_file_that_a_document_or_the_code_names_by_its_path_is_there():
    texts = [
        CONTRIBUTING,
        *(path.read_text("utf-8") for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "specviz").rglob("*.py")]),
    ]
    paths = {
        path for text in texts for path in re.findall(r"(?<![\w/.:])(?:docs|scripts|specviz|tests)/[\w/]+\.(?:py|md)\b", text)
    }
    assert len(paths) > 20 and sorted(path for path in paths if not (ROOT / path).exists()) == []


def prose(path: Path) -> str:
    """A document's Markdown, without fenced code."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        text = "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def links(path: Path) -> list[tuple[str, str]]:
    """The file and the heading that each link of a document within the repository names."""
    targets_of_links = re.findall(r"\]\(([^)\s]*)\)", prose(path))
    return [(link.partition("#")[0], link.partition("#")[2]) for link in targets_of_links if "://" not in link]


def anchors(path: Path) -> set[str]:
    """The headings of a document as a link names them."""
    heads = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_link_of_a_document_goes_somewhere():
    for path in DOCUMENTS:
        for link, heading in links(path):
            there = path.parent / link if link else path
            assert there.exists(), f"{path.name}: {link}"
            assert not heading or heading in anchors(there), f"{path.name}: {link}#{heading}"


def test_the_pictures_that_are_kept_are_those_that_a_document_shows():
    link_paths = {(path.parent / link).resolve() for path in DOCUMENTS for link, _ in links(path) if link}
    assert set((ROOT / "docs/screenshots").iterdir()) <= link_paths


def test_no_document_installs_another_project_of_that_name():
    """specviz on PyPI is a tool for astronomers."""
    assert [path for path in DOCUMENTS if re.search(r"(pip|tool) install specviz\b", path.read_text("utf-8"))] == []


@pytest.mark.parametrize(("name", "most"), [("README.md", 100), ("docs/decisions.md", 280)])
def test_what_a_newcomer_reads_is_short(name, most):
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= most


def test_every_command_that_a_document_runs_exists():
    groups = {group.name for group in app.registered_groups}
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        code = "\n".join([*re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE), *re.findall(r"`([^`\n]+)`", text)])
        assert set(re.findall(r"^specviz ([a-z][\w-]*)", code, re.MULTILINE)) <= COMMANDS | groups, path.name
        assert set(re.findall(r"^make ([a-z][\w-]*)", code, re.MULTILINE)) <= TARGETS, path.name
