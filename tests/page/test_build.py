"""The page as a whole, built without a model and without a browser."""

import re
from importlib import import_module

import pytest

from specviz.config import ASSETS, SETTINGS
from specviz.page.build import build
from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapters import CHAPTERS

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


@pytest.mark.parametrize(
    ("listed", "tab", "home", "kind"),
    [(CHAPTERS, "learn", "specviz.page.learn.chapters", "picture"), (PANELS, "lab", "specviz.page.lab.panels", "panel")],
    ids=["chapters", "panels"],
)
def test_a_chapter_and_a_panel_is_a_file_of_its_name_at_a_place_of_its_own_and_drawn_by_its_own_script(listed, tab, home, kind):
    assert [one.place for one in listed] == sorted({one.place for one in listed})
    scripts = {path.parent.name: path.read_text("utf-8") for path in (ASSETS / tab).glob(f"*/{kind}.js")}
    assert scripts.keys() == {one.key for one in listed}
    for one in listed:
        module = import_module(f"{home}.{one.key}")
        assert one is (module.CHAPTER if kind == "picture" else module.PANEL)
        assert re.findall(rf'^add{kind.title()}\("(\w+)", \w+\);$', scripts[one.key], re.MULTILINE) == [one.key]
