"""The page as a whole, built without a model and without a browser."""

from specviz.page.build import build

from ..browser.fake_engine import FakeEngine
from ..fake_trace import fake_trace


def test_one_endpoint_is_for_others_and_none_is_by_accident():
    page = build(FakeEngine(), fake_trace())
    assert set(page.get_api_info()["named_endpoints"]) == {"/race"}
    assert [event.api_name for event in page.fns.values() if event.api_visibility != "private"] == ["race"]
