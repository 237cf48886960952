"""A run that the server's guard refuses, after it had a place among those who wait."""

import pytest
from playwright.sync_api import expect

from specviz.page import words

from ..person import run

pytestmark = pytest.mark.browser


def test_a_run_that_never_reached_the_queue_is_over_and_the_next_one_runs(page, app):
    page.emulate_media(reduced_motion="reduce")
    page.goto(app)
    expect(page.locator(".sv-invitation")).to_be_visible()
    page.route("**/queue/join**", lambda route: route.fulfill(status=503, json={"detail": words.QUEUE_FULL}))
    page.locator("#prompt textarea").fill("Once upon")
    page.locator("#run").click()
    expect(page.locator("#status")).to_contain_text(words.RUN_NOT_TAKEN, timeout=20_000)
    expect(page.locator("#stop")).to_be_disabled()
    page.unroute("**/queue/join**")
    run(page, "Once upon")
