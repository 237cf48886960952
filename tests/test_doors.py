"""What README, docs/ and --help show, run in an environment of requirements.txt alone; else the reason why it is not run here.

python -m pytest -n0 --full tests/test_doors.py     # makes the environment, which takes minutes; SPECVIZ_DOOR=PYTHON is one that is there
"""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.server import served
from specviz.engine.models import assistant
from specviz.engine.models.load import BUNDLED

from . import tiny, tiny_gguf

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "tests" / "trace" / "records" / "examples"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
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
    "tests have it": ("python -m scripts.load", "python -m scripts.made_docs"),
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
    **{f"make {name}": f"python -m scripts.{name.replace('-', '_')} --help"
       for name in ("bench", "bench-drafters", "bench-lab", "bench-gpu", "costs")},
}  # fmt: skip
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
    for path in DOCUMENTS:
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
    """A folder with what the commands of the documents name."""
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
