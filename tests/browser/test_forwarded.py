"""A page whose scripts the server refuses says what to do: opened under a name that it does not know, or in a frame that makes it nobody's."""

import pytest
from playwright.sync_api import expect

from specviz.page.guard.front import hosts_of

from .conftest import launched


@pytest.fixture(scope="module")
def guarded():
    with launched(hosts=hosts_of("127.0.0.1")) as url:
        yield url


def test_a_port_that_is_forwarded_under_another_name_says_how_to_start_the_server(page, guarded):
    def forward(route):
        """As a forwarder that asks for this machine, whatever the browser asked for."""
        here = route.request.url.replace("http://shown.example/", guarded)
        route.fulfill(response=route.fetch(url=here, headers=route.request.headers | {"host": guarded.split("/")[2]}))

    page.route("http://shown.example/**", forward)
    page.goto("http://shown.example/")
    notice = page.locator("#sv-notice")
    expect(notice).to_contain_text("opened as shown.example")
    expect(notice).to_contain_text("GRADIO_ROOT_PATH=http://shown.example and with the option --hostname shown.example")


def test_in_a_sandboxed_frame_it_says_what_the_frame_needs(page, guarded):
    page.goto(f"{guarded}healthz")
    page.evaluate(
        "url => { const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts'; frame.src = url; document.body.append(frame); }",
        guarded,
    )
    expect(page.frame_locator("iframe").locator("#sv-notice")).to_contain_text("allow-same-origin")


def test_where_all_is_well_it_says_nothing(page, guarded):
    page.goto(guarded)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(page.locator("#sv-notice")).to_have_count(0)
