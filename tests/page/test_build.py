"""The page as a whole, built without a model and without a browser."""

from specviz.page.build import build

from ..browser.fake_engine import FakeEngine
from ..fake_trace import fake_trace


def test_none_of_the_pages_own_events_is_an_endpoint_for_others():
    page = build(FakeEngine(), fake_trace())
    assert page.get_api_info()["named_endpoints"] == {}
    assert {event.api_visibility for event in page.fns.values()} == {"private"}
