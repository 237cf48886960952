"""The race as a component of somebody else's Gradio app: ten lines, and nothing of our page."""

import gradio as gr
from playwright.sync_api import expect

import specviz
from specviz.config import ASSETS
from specviz.page.keep.recorded import load

from .person import lane


def app():
    with gr.Blocks() as demo:
        gr.Markdown("# Somebody else's app")
        race = specviz.Race(specviz.read(ASSETS / "traces" / "opening.jsonl.gz"))
        again = gr.Button("Another run", elem_id="again")
        again.click(lambda: load("hot"), None, race)
    return demo


def test_an_app_of_somebody_else_places_a_race_and_gives_it_another_run(page):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    demo = app()
    _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    page.goto(url)
    expect(lane(page, "speculative")).to_contain_text("Once upon a time", timeout=60_000)
    expect(page.locator(".sv-story")).to_have_count(0)  # nobody asked for one there
    page.locator(".sv-play").click()
    page.locator(".sv-lane[data-lane=speculative] [data-role=rejected]").first.click()
    expect(page.locator(".sv-inspector-head")).to_contain_text("rejected")
    expect(page.get_by_text("p and q at this position")).to_be_visible()
    prompt = load("hot").header.prompt[:20]
    page.locator("#again").click()
    expect(lane(page, "vanilla")).to_contain_text(prompt)
    demo.close(verbose=False)
    assert errors == []
