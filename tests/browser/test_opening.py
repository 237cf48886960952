"""A recorded run stands on the page before anything is pressed."""

import pytest
from playwright.sync_api import expect

from specviz.trace import read
from tests.fake_trace import fake_trace

from .fake_engine import FakeEngine
from .person import lane, run, save, tokens

pytestmark = pytest.mark.browser


def test_a_recorded_run_is_shown_at_once_and_a_new_one_replaces_it(watched, tmp_path):
    from specviz.ui.build import build, launch_settings

    blocks = build(FakeEngine(), opening=fake_trace("Recorded story"))
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings())
    try:
        watched.emulate_media(reduced_motion="reduce")
        watched.goto(url)
        expect(tokens(watched, "prompt").first).to_have_text("Recorded")
        expect(watched.locator("#timeline .bars .point").first).to_be_attached()
        assert watched.evaluate("scrollY") == 0
        assert read(save(watched, tmp_path)).header.prompt == "Recorded story"
        run(watched, "New story")
        expect(lane(watched, "vanilla")).to_contain_text("New story")
    finally:
        blocks.close(verbose=False)
