"""The page as a whole, built without a model and without a browser."""

import re

import gradio as gr

from specviz.config import SETTINGS
from specviz.page.build import build

from ..browser.fake_engine import FakeEngine
from ..fake_trace import fake_trace
from ..test_layers import ROOT


def test_one_endpoint_is_for_others_and_none_is_by_accident():
    page = build(FakeEngine(), fake_trace())
    assert set(page.get_api_info()["named_endpoints"]) == {"/race"}
    assert [event.api_name for event in page.fns.values() if event.api_visibility != "private"] == ["race"]


def test_what_the_page_calls_of_its_script_is_there():
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "specviz" / "page").rglob("*.py"))
    calls = set(re.findall(r"\bspecviz\.([a-z]\w*)\(", sources))
    lists = re.findall(r"export \{(.*?)\}", (ROOT / "assets" / "page.js").read_text("utf-8"), re.DOTALL)
    exports = set(re.findall(r"(\w+)(?=,|\s*$)", "\n".join(lists), re.MULTILINE))
    assert {"race", "keepUnfolded", "openTab"} <= calls <= exports


def test_every_setting_has_a_control():
    ids = {one["props"].get("elem_id") for one in build(FakeEngine()).get_config_file()["components"]}
    assert {f"{one.key.replace('_', '-')}{'-strings' if one.kind is tuple else ''}" for one in SETTINGS.values()} <= ids


def test_an_example_that_the_models_have_no_recorded_run_of_leaves_the_status_to_the_run():
    """The list's own “none” ends what was shown; behind an example it came after the run had begun."""
    events = build(FakeEngine()).fns
    after_example = [one for one in events.values() if one.name == "choose_recorded" and one.trigger_after is not None]
    after_example += [one for one in events.values() if one.trigger_after in {first._id for first in after_example}]
    assert len(after_example) >= 2
    for event in after_example:
        assert event.fn("", *[None] * (len(event.inputs) - 1)) == gr.skip()
