"""The site beside the app: from the same server, with the same prompt and settings, decoded by the visitor's own browser."""

import pytest

from specviz.site.serve import AT, routes

from ..conftest import launched
from ..fake_engine import FakeEngine
from ..person import reach
from .conftest import decode, says


@pytest.fixture(scope="module")
def both():
    """The address of an app with the site beside it, and its engine."""
    engine = FakeEngine()
    with launched(engine, elsewhere=AT, routes_beside=routes()) as url:
        yield url, engine


def test_a_visitor_of_the_app_can_have_the_run_decoded_in_the_browser(watched, both, context):
    address, engine = both
    watched.goto(address)
    watched.locator("#prompt textarea").fill("Two birds")
    watched.get_by_role("button", name="Settings").click()
    watched.locator("#length input[type=number]").fill("8")
    watched.locator("#length input[type=number]").blur()
    with context.expect_page() as opened:
        reach(watched, "#decode-here").click()
    site = opened.value
    says(site, "The link filled in")
    assert site.locator("#prompt textarea").input_value() == "Two birds"
    decode(site)
    assert not hasattr(engine, "asked")  # the server decoded nothing
    assert watched.request.get(f"{address}{AT}models/../../README.md").status == 404
