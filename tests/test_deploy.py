"""What a Space and a container are built from: files that are there, versions that such a place takes, commands that exist."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from specviz.config import ConfigError
from specviz.engine.models.public import PUBLIC
from specviz.site.build import space_readme
from specviz.trace.file import FILE_LIMIT

ROOT = Path(__file__).parent.parent
MEASURE = (ROOT / "docs" / "measure.md").read_text("utf-8")
DEPLOY = (ROOT / "docs/deploy.md").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
FRONT = yaml.safe_load((ROOT / "README.md").read_text("utf-8").split("---\n")[1])
TORCH = ("2.8.0", "2.9.1", "2.10.0", "2.11.0")  # of ZeroGPU, August 2026
COLOURS = ("red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray")
MEGABYTES = 10**6


def required(name: str) -> dict[str, Requirement]:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines()]
    return {one.name: one for one in map(Requirement, filter(None, lines))}


def instructions(kind: str) -> list[str]:
    """What follows each `kind` in the Dockerfile; a line that ends in \\ goes on."""
    lines = DOCKERFILE.replace("\\\n", " ").splitlines()
    return [" ".join(line.split()[1:]) for line in lines if line.startswith(kind + " ")]


def test_the_front_matter_is_one_that_a_space_takes():
    assert FRONT["sdk"] == "gradio" and (ROOT / FRONT["app_file"]).is_file()
    assert FRONT["python_version"] == "3.12", "a string: 3.10 would be the number 3.1"
    assert required("requirements.txt")["gradio"].specifier.contains(FRONT["sdk_version"])
    assert FRONT["sdk_version"] in (ROOT / "constraints.txt").read_text("utf-8")
    assert {FRONT["colorFrom"], FRONT["colorTo"]} <= set(COLOURS) and len(FRONT["short_description"]) <= 60


def test_what_zerogpu_installs_is_what_everybody_does_with_a_torch_that_it_lists_and_its_package():
    ours, theirs = required("requirements.txt"), required("requirements-zero.txt")
    assert set(theirs) == set(ours) | {"spaces"}
    assert {name for name in ours if ours[name].specifier != theirs[name].specifier} == {"torch"}
    [pinned] = theirs["torch"].specifier
    assert pinned.operator == "==" and pinned.version in TORCH and ours["torch"].specifier.contains(pinned.version)


def test_no_file_is_larger_than_a_space_takes_without_extra_storage():
    files = [path for folder in ("assets", "docs", "specviz") for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert [path for path in files if path.stat().st_size > 10 * MEGABYTES] == []


def test_everything_that_the_dockerfile_copies_is_there_and_nothing_else_is_sent_to_it():
    copied = [word for line in instructions("COPY") for word in shlex.split(line)[:-1]]
    assert all((ROOT / path).exists() for path in copied)
    ignored = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert ignored[0] == "*" and {line[1:] for line in ignored if line.startswith("!")} == set(copied)


def test_it_runs_the_page_as_a_user_without_rights_and_says_whether_it_is_well():
    kinds = [line.split()[0] for line in DOCKERFILE.splitlines() if re.match(r"[A-Z]+ ", line)]
    assert kinds[0] == "FROM" and "3.12" in instructions("FROM")[0]
    assert kinds.index("USER") < kinds.index("CMD") and instructions("USER") == ["visitor"]
    assert not any(kind in kinds[kinds.index("USER") :] for kind in ("COPY", "ADD")), "what it copies belongs to root"
    assert instructions("CMD") == ['["python", "app.py"]'] and instructions("EXPOSE") == ["7860"]
    [health] = instructions("HEALTHCHECK")
    code = yaml.safe_load(health[health.index("CMD") + 4 :])
    compile(code[2], "the health check", "exec")
    assert "/healthz" in code[2], "the page itself is slow when many come, and answers 200 while it closes"
    assert "-c constraints.txt" in DOCKERFILE and "GRADIO_SERVER_NAME=0.0.0.0" in DOCKERFILE


def test_the_pairs_that_are_listed_are_those_that_are_offered():
    listed = re.findall(r"^\| `([^`]+)` \| `([^`]+)`(, with `--chat`)? \| ([\d.]+) \| (.+) \|$", MEASURE, re.MULTILINE)
    offered = [
        (one.target, one.draft, ", with `--chat`" if one.chat else "", str(one.gigabytes), one.licence + ", gated" * one.gated)
        for one in PUBLIC
    ]
    assert listed == offered


def test_a_proxy_lets_through_what_a_visitor_may_open():
    [size] = re.findall(r"client_max_body_size (\d+)m;", DEPLOY)
    assert int(size) * 2**20 >= FILE_LIMIT


def test_the_card_of_a_static_space_is_one_and_links_the_app_that_is_named():
    front = yaml.safe_load(space_readme("").split("---\n")[1])
    assert front["sdk"] == "static" and front["app_file"] == "index.html"
    assert {front["colorFrom"], front["colorTo"]} <= set(COLOURS) and len(front["short_description"]) <= 60
    assert "](https://a.org/spaces/b)" in space_readme("https://a.org/spaces/b") and "](" not in space_readme("")
    for address in ("javascript:alert(1)", "a.org", "https://a.org) [x](b", "https://a.org\n"):
        with pytest.raises(ConfigError, match="address"):
            space_readme(address)
