"""A setting that is added to `DecodeConfig` is everywhere at once: nothing else is written for it.

In a process of its own, which reads config.py with five fields more, one of each kind.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
NEW = """
    patience: float = field(default=0.0, metadata=_labels("How long to wait", "Seconds to wait.", low=0.0, high=9.0, note="0 for off"))
    pauses: int = field(default=2, metadata=_labels("How many pauses", "Pauses a run.", low=0, high=4, key="breaks", beside="quiet"))
    quiet: bool = field(default=False, metadata=_labels("Say nothing", "Say nothing."))
    mood: str = field(default="calm", metadata=_labels("Mood", "calm or wild.", choices={"calm": "calm: at rest", "wild": "wild: not"}))
    names: tuple[str, ...] = field(default=(), metadata=_labels("Names, one a line", "Who it is for."))
"""
SCRIPT = """
import json, sys
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path

import specviz

path = Path(specviz.__file__).parent / "config.py"
sys.modules["specviz.config"] = config = module_from_spec(spec_from_file_location("specviz.config", path))
there = "    def __post_init__"
exec(compile(path.read_text("utf-8").replace(there, NEW + "\\n" + there, 1), str(path), "exec"), vars(config))

from specviz.__main__ import app
from specviz.page.build import build
from specviz.page.calls import arguments
from specviz.page.keep.links import read_link
from specviz.page.settings import read_settings, values_of
from specviz.page.words import HISTORY
from specviz.trace.file import dumps, loads
from tests.browser.fake_engine import FakeEngine
from tests.fake_trace import fake_trace

page = build(FakeEngine()).get_config_file()
controls = {}
for one in page["components"]:
    if one["props"].get("label"):
        controls[one["props"]["label"]] = [one["type"], one["props"].get("elem_id"), one["props"].get("visible")]
taken = {name: sentence for name, (_, _, sentence) in arguments().items()}
options = {command.name: list(signature(command.callback).parameters) for command in app.registered_commands}
chosen = config.DecodeConfig(patience=3.0, pauses=4, quiet=True, mood="wild", names=("Ann", "Bo"))
link = read_link({"patience": "3", "breaks": "4", "quiet": "yes", "mood": "wild", "names": "Ann\\nBo"}, FakeEngine())
wrong = read_link({"patience": "10", "breaks": "x", "mood": "sad"}, FakeEngine())
print(json.dumps({
    "controls": controls,
    "taken": taken,
    "options": options,
    "values": values_of(chosen),
    "link": link.settings,
    "problems": wrong.problems,
    "travels": read_settings(values_of(chosen)) == chosen == read_settings(values_of(chosen) | link.settings),
    "saved": loads(dumps(fake_trace(config=chosen))).header.config == chosen,
    "history": {name: HISTORY[name] for name in ("patience", "pauses", "names")},
}))
"""


@pytest.fixture(scope="module")
def found() -> dict:
    code = f"NEW = {NEW!r}\n{SCRIPT}"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.splitlines()[-1])


def test_it_has_a_control_of_its_kind_on_the_page(found):
    assert found["controls"]["How long to wait"] == ["number", "patience", True]
    assert found["controls"]["Say nothing"] == ["checkbox", "quiet", True]
    assert found["controls"]["How many pauses"] == ["number", "breaks", False]  # there while its flag is set
    assert found["controls"]["Mood"] == ["dropdown", "mood", True]
    assert found["controls"]["Names, one a line"] == ["textbox", "names-strings", True]


def test_it_is_an_option_of_the_commands_that_decode_here_and_not_of_the_one_that_vllm_decodes_for(found):
    new = {"patience", "pauses", "quiet", "mood", "names"}
    assert new <= set(found["options"]["trace"]) and new <= set(found["options"]["compare"])
    assert not new & set(found["options"]["record-vllm"])


def test_it_is_an_argument_of_the_endpoint(found):
    assert list(found["taken"])[-5:] == ["patience", "breaks", "quiet", "mood", "names"]
    assert found["taken"]["patience"] == "Seconds to wait. From 0 to 9 (0 for off)."
    assert found["taken"]["names"] == "Who it is for. One a line."


def test_a_link_carries_it_and_a_wrong_value_is_named(found):
    own = {"patience": 3.0, "breaks": 4, "quiet": True, "mood": "wild", "names": "Ann\nBo"}
    assert found["link"] == own and own.items() <= found["values"].items()
    assert [said.partition(";")[0] for said in found["problems"]] == [
        "“How long to wait” is 10.0",
        "“How many pauses” is x",
        "“Mood” is sad",
    ]


def test_it_travels_to_a_run_and_into_a_saved_trace_and_back(found):
    assert found["travels"] and found["saved"]
    assert found["history"] == {"patience": "how long to wait", "pauses": "how many pauses", "names": "names, one a line"}
