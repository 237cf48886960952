"""What documents, a Space and a container name exists: links, files, commands, versions; and what is shown runs, or has the reason why not.

python -m pytest -n0 --full tests/test_documents.py # makes the environment, in minutes; SPECVIZ_DOOR=PYTHON is one that is there
"""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from scripts.server import served
from specviz import __version__
from specviz.__main__ import app
from specviz.config import ConfigError
from specviz.engine.models import assistant
from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import PUBLIC
from specviz.site.build import space_readme
from specviz.trace.file import FILE_LIMIT

from . import tiny, tiny_gguf

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))
COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/*.ipynb"), ROOT / "assets/models/README.md"]


def test_citation_package_and_changelog_are_of_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## \[([\d.]+)\] - (unreleased|\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert project["version"] == citation["version"] == newest[1] == __version__
    assert project["license"] == citation["license"]


def test_every_file_that_a_document_or_the_code_names_by_its_path_is_there():
    sources = [*(ROOT / "docs").glob("*.md"), *(ROOT / "specviz").rglob("*.py")]
    named = r"(?<![\w/.:])(?:docs|scripts|specviz|tests)/[\w/]+\.(?:py|md)\b"
    paths = {path for text in sources for path in re.findall(named, text.read_text("utf-8"))}
    paths |= set(re.findall(r"`([\w/.-]+/|[\w/.-]+\.(?:py|js|md|txt))`", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    assert len(paths) > 20 and [p for p in paths if not (ROOT / p).exists() and not (ROOT / "specviz" / p).exists()] == []


def test_the_tour_of_a_round_names_files_and_what_to_read_in_each():
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \|$", (ROOT / "docs/round.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 25
    for file, names in rows:
        text = (ROOT / file).read_text("utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"(?:def|class|function\*?|const) {name}\b", text), f"{file} has no {name}"


def prose(path: Path) -> str:
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        text = "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def links(path: Path) -> list[tuple[str, str]]:
    """The file and the heading that each link of a document within the repository names."""
    targets_of_links = re.findall(r"\]\(([^)\s]*)\)", prose(path))
    return [(link.partition("#")[0], link.partition("#")[2]) for link in targets_of_links if "://" not in link]


def anchors(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_link_of_a_document_goes_somewhere():
    for path in DOCUMENTS:
        for link, heading in links(path):
            there = path.parent / link if link else path
            assert there.exists(), f"{path.name}: {link}"
            assert not heading or heading in anchors(there), f"{path.name}: {link}#{heading}"


def test_every_command_that_a_document_runs_exists_and_none_installs_another_project_of_that_name():
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        code = "\n".join([*re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE), *re.findall(r"`([^`\n]+)`", text)])
        assert set(re.findall(r"^specviz ([a-z][\w-]*)", code, re.MULTILINE)) <= COMMANDS, path.name
        assert set(re.findall(r"^make ([a-z][\w-]*)", code, re.MULTILINE)) <= TARGETS, path.name
        assert not re.search(r"(pip|tool) install specviz\b", text), path.name  # on PyPI that is a tool for astronomers


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
    assert {"cross-origin-embedder-policy", "cross-origin-opener-policy"} == front["custom_headers"].keys()
    assert {front["colorFrom"], front["colorTo"]} <= set(COLOURS) and len(front["short_description"]) <= 60
    assert "](https://a.org/spaces/b)" in space_readme("https://a.org/spaces/b") and "](" not in space_readme("")
    for address in ("javascript:alert(1)", "a.org", "https://a.org) [x](b", "https://a.org\n"):
        with pytest.raises(ConfigError, match="address"):
            space_readme(address)


EXAMPLES = ROOT / "tests" / "trace" / "records" / "examples"
SHOWING = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = re.compile(r"(\.venv/bin/)?(python3? (-m )?\S|specviz [a-z]|make |pip |uv |docker |git |mkdir |cp )")
NOT_HERE = {  # why a command is not run here, by how it begins
    "the network": ("specviz fetch", "python -m specviz fetch", "python -m venv", "pip", "uv"),
    "it publishes": ("git", "cp"),
    "docker": ("docker",),
    "a card, and requirements-accelerate.txt": ("specviz app --device-map", "specviz trace --device-map"),
    "vLLM, in an environment of its own": ("specviz record-vllm", "make test-vllm"),
    "requirements-test.txt": ("make test", "make test-all", "make bench-ui", "make bench-site", "python -m tests."),
    "requirements-mcp.txt": ("specviz app --mcp",),
    "minutes of work": (
        "python -m scripts.bench_clocks",
        "mkdir",
        "make traces",
        "python -m scripts.train_",
        "python -m scripts.traces",
        "python -m scripts.picture_data",
    ),
    "tests have it": ("python -m scripts.load", "python -m scripts.made_docs", "python -m scripts.path"),
    "Python's own": ("python -m http.server",),
}
INSTEAD = {  # what is run in place of a command; of what takes minutes, that it begins
    "specviz import FILE": "specviz import server.log",
    "specviz audit": "specviz audit run.jsonl",
    "specviz app": "specviz app --port PORT",
    "python -m specviz": "specviz app --port PORT",
    "python app.py": "python app.py --port PORT",
    "make run": "python app.py --port PORT",
    "make site": "specviz site --out site",
    "make train": "python -m scripts.train_family --help",
    **{
        f"make {name}": f"python -m scripts.{name.replace('-', '_')} --help"
        for name in ("bench", "bench-drafters", "bench-lab", "bench-gpu", "costs")
    },
}
AS_SHOWN = ("specviz", "python -m specviz site", "python -m specviz doctor")
DOORS = {start: (why, "") for why, starts in NOT_HERE.items() for start in starts}
DOORS |= {start: ("", what) for start, what in INSTEAD.items()} | dict.fromkeys(AS_SHOWN, ("", ""))
BESIDE = [  # what the default target of a checkout does, once the assistant was fetched
    "specviz trace --target smollm2 --prompt Hello -k 2 --tokens 8 --out answer.jsonl",
    "specviz compare --target smollm2 --prompt Hello --tokens 8",
    f"specviz audit {ROOT / 'assets' / 'traces' / 'answer-sums.jsonl.gz'}",
]


def commands() -> list[str]:
    """Each once, as a document shows it, without a path to Python and without what is said of it."""
    lines = []
    for path in SHOWING:
        text = path.read_text("utf-8")
        lines += [part for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for part in re.split(r"\n|&&", block)]
        lines += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    plain = [re.sub(r"\s#.*|\\$", "", line).strip() for line in lines]
    plain = [line.removeprefix(".venv/bin/").replace("python3 ", "python ").replace("vllm-env/bin/pip", "pip") for line in plain]
    return [*dict.fromkeys(line for line in plain if SHOWN.match(line))]


def door(command: str) -> tuple[str, str] | None:
    """(why it is not run, what is run in its place), by the longest beginning of the table; None where that has none."""
    starts = [start for start in DOORS if re.match(re.escape(start) + (r"" if start[-1] in "._" else r"(?![\w-])"), command)]
    return DOORS[max(starts, key=len)] if starts else None


def runs() -> list[str]:
    """What is run, each once, audits last: they redo what others wrote."""
    doors = {command: door(command) for command in commands()}
    kept = dict.fromkeys(one[1] or command for command, one in doors.items() if one and not one[0])
    return sorted([*kept, *BESIDE], key=lambda command: "audit" in command)


def test_each_command_that_documents_and_the_help_show_is_run_or_has_its_reason():
    assert [command for command in commands() if door(command) is None] == []
    out = subprocess.run([sys.executable, "-m", "specviz", "--help"], capture_output=True, text=True, cwd=ROOT).stdout
    listed = re.findall(r"^│ ([a-z-]+)  ", out.partition("Commands")[2], re.M)
    assert listed and [name for name in listed if not any(re.search(rf"specviz {name}\b", line) for line in commands())] == []


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> str:
    """Of an environment as `make run` makes it: what requirements.txt names, and nothing else that was asked for."""
    if there := os.environ.get("SPECVIZ_DOOR"):
        return there
    folder = tmp_path_factory.mktemp("door")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    more = shlex.split(os.environ.get("SPECVIZ_PIP_ARGS", ""))
    files = ["-r", ROOT / "requirements.txt", "-c", ROOT / "constraints.txt"]
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", *files, *more], check=True)
    return str(folder / "bin" / "python")


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("desk") / "here"
    for name, model in {"my-model": "fable", "build/heads/my-model-eagle": "fable-eagle"}.items():
        shutil.copytree(BUNDLED / model, folder / name)
    about = folder / "my-model" / "tokenizer_config.json"
    about.write_text(json.dumps(json.loads(about.read_text("utf-8")) | {"chat_template": "{{ messages[0]['content'] }}"}))
    for name in ("log", "metrics_before", "metrics_after"):
        example = EXAMPLES / f"vllm_0.32_{name}.txt"
        shutil.copy(example, folder / ("server.log" if name == "log" else f"{name.removeprefix('metrics_')}.txt"))
    (folder / "counts.json").write_text('{"steps": 400, "drafted": 1200, "accepted": 720, "K": 3}')
    sizes = {**tiny_gguf.SIZES, "vocab_size": 400, "head_dim": 64, "max_position_embeddings": 512}
    tiny_gguf.write(folder, tiny.make(tiny.config("smollm", **sizes)), "Q8_0", "model.gguf")
    return folder


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("command", runs())
def test_a_command_of_a_document_runs_where_requirements_txt_alone_is_installed(python, desk, command):
    if ("smollm2" in command or "answer-sums" in command) and not (assistant.folder() / assistant.FILE).is_file():
        pytest.skip("the assistant is not on this machine: specviz fetch")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = shlex.split(command.replace("PORT", str(port)).replace("app.py", str(ROOT / "app.py")))
    words = [python, *(["-m", *words] if words[0] == "specviz" else words[1:])]
    env = {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", assistant.SWITCH: ""}
    if "--port" in command:
        with served("-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])", *words, port=port, **env):
            return
    run = subprocess.run(words, cwd=desk, env=os.environ | env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert run.returncode == 0 and "Traceback" not in run.stderr, run.stdout[-2000:] + run.stderr[-2000:]
