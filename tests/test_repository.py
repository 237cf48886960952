"""What stands beside the code names things that exist: the workflow, the hooks, the citation, the changelog, the page for contributors."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from specviz.__main__ import app

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))
COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}
JOBS = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_every_command_of_the_workflow_exists():
    lines = [shlex.split(step["run"], comments=True, posix=False) for step in STEPS if "run" in step]
    made = {words[1] for words in lines if words[0] == "make"}
    run = {words[3] for words in lines if words[1:3] == ["-m", "specviz"]}
    assert {"check", "test"} <= made <= TARGETS
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
    assert len(HOOKS) == len(tools) == len(recipe.splitlines()) - 1  # the first line installs
    assert {hook["language"] for hook in HOOKS} == {"system"}, "versions stand in one place"


def test_citation_package_and_changelog_are_of_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    newest = re.search(
        r"^## \[([\d.]+)\] - (unreleased|\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert project["version"] == citation["version"] == newest[1]
    assert project["license"] == citation["license"]


def test_the_page_for_contributors_is_one_page():
    lines = CONTRIBUTING.splitlines()
    assert len(lines) <= 45 and max(map(len, lines)) <= 130


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/.-]+/|[\w/.-]+\.(?:py|js|md|txt))`", CONTRIBUTING))))
def test_every_file_that_it_names_is_there(path):
    assert (ROOT / path).exists() or (ROOT / "specviz" / path).exists()
