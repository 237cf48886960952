"""What documents name exists: links, files, commands; and one version stands everywhere."""

import json
import re
import tomllib
from pathlib import Path

import yaml

from specviz import __version__
from specviz.__main__ import app

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))
COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "docs").glob("*.ipynb"),
    ROOT / "assets/models/README.md",
]


def test_citation_package_and_changelog_are_of_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    newest = re.search(
        r"^## \[([\d.]+)\] - (unreleased|\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert project["version"] == citation["version"] == newest[1] == __version__
    assert project["license"] == citation["license"]


def test_every_file_that_a_document_or_the_code_names_by_its_path_is_there():
    sources = [*(ROOT / "docs").glob("*.md"), *(ROOT / "specviz").rglob("*.py")]
    named = r"(?<![\w/.:])(?:docs|scripts|specviz|tests)/[\w/]+\.(?:py|md)\b"
    paths = {path for text in sources for path in re.findall(named, text.read_text("utf-8"))}
    paths |= set(re.findall(r"`([\w/.-]+/|[\w/.-]+\.(?:py|js|md|txt))`", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    assert len(paths) > 20 and [p for p in paths if not (ROOT / p).exists() and not (ROOT / "specviz" / p).exists()] == []


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


def test_no_document_installs_another_project_of_that_name():
    """specviz on PyPI is a tool for astronomers."""
    assert [path for path in DOCUMENTS if re.search(r"(pip|tool) install specviz\b", path.read_text("utf-8"))] == []


def test_every_command_that_a_document_runs_exists():
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        code = "\n".join([*re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE), *re.findall(r"`([^`\n]+)`", text)])
        assert set(re.findall(r"^specviz ([a-z][\w-]*)", code, re.MULTILINE)) <= COMMANDS, path.name
        assert set(re.findall(r"^make ([a-z][\w-]*)", code, re.MULTILINE)) <= TARGETS, path.name
