"""The page as a whole, built without a model and without a browser."""

import re

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
