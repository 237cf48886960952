"""The page with an assistant, which is a tiny model here, and without: what it offers, and how a run of it reads."""

import re

import pytest
from playwright.sync_api import expect

from specviz.page import words

from ..conftest import launched
from ..person import choose, lane, more, put, reach

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600, method="thread")]  # models are loaded


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of an app whose cache holds an assistant."""
    from specviz import local
    from specviz.engine.compiled import compiler
    from specviz.engine.models import assistant
    from specviz.page.keep.recorded import load, opening
    from tests import tiny, tiny_gguf

    compiler.cache_dir()  # what is compiled stays where it is
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPECVIZ_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("SPECVIZ_FETCH", raising=False)
        patch.setattr(local, "heads", lambda source: [])  # those of the project are for a wider model
        sizes = {**tiny_gguf.SIZES, "vocab_size": 400, "head_dim": 64, "num_hidden_layers": 6, "rms_norm_eps": 1e-5}
        tiny_gguf.write(assistant.folder(), tiny.make(tiny.config("smollm", **sizes)), "Q4_1", assistant.FILE)
        engine = local.LocalEngine()
        engine.warm()
        with launched(engine, load(opening(engine.models()[0]))) as url:
            yield url.rstrip("/")
        for cached in (local._cached_target, local._cached_drafter):
            cached.cache_clear()


def ask(page, prompt, **fields):
    for name, value in fields.items():
        put(page, name, value)
    page.locator("#prompt textarea").fill(prompt)
    page.locator("#run").click()
    expect(page.locator("[data-live]")).to_have_count(0)
    page.get_by_label("show control and template tokens").check()
    expect(lane(page, "vanilla").locator(".sv-fold").first).to_be_visible()
    expect(page.locator("#run")).to_be_enabled()


def chips(page):
    """The examples that are offered, in their menu, which is opened: a press on one closes it."""
    reach(page, ".sv-chip")
    return page.locator(".sv-chip:visible")


def test_it_comes_first_with_its_examples_which_follow_the_models_that_are_picked(watched, address):
    watched.goto(address)
    expect(watched.locator("#prompt textarea")).to_have_value(re.compile("capital of Norway"))
    expect(chips(watched)).to_have_text(list(words.QUESTIONS))
    chips(watched).first.click()
    expect(watched.locator("#prompt textarea")).to_have_value("What's the square root of 7?")
    expect(watched.locator(".sv-status")).to_contain_text(words.RECORDED["question"][0])  # its recorded run plays
    more(watched)
    expect(watched.locator("#models input")).to_have_value(re.compile("SmolLM2-135M-Instruct"))
    expect(watched.locator("#models-note")).to_contain_text("often wrong")
    choose(watched, "models", "fable, in the repository")
    expect(watched.locator("#drafter input")).to_have_value("Small model")
    expect(watched.locator("#prompt textarea")).to_have_attribute("placeholder", re.compile("beginning of a story"))
    expect(chips(watched)).to_have_text(list(words.EXAMPLE_NAMES))


def test_the_tokens_of_its_template_are_folded_and_a_switch_shades_what_was_hard(watched, address):
    watched.emulate_media(reduced_motion="reduce")
    watched.goto(address)
    ask(watched, "Why 7? 🦊", length=8)
    text = lane(watched, "vanilla").locator(".sv-text")
    before, after = text.locator(".sv-fold").all()
    expect(before).to_have_text(re.compile(r"^\d+ template tokens$"))
    expect(text.get_by_text("<|im_start|>").first).to_be_hidden()
    expect(text.locator("[data-role=prompt]:visible").first).to_have_text("Wh")
    before.click()
    expect(before).to_have_attribute("aria-expanded", "true")
    expect(text.get_by_text("<|im_start|>").first).to_be_visible()
    after.focus()
    watched.keyboard.press("Enter")
    expect(after).to_have_attribute("aria-expanded", "true")
    expect(watched.locator(".sv-hardness")).to_be_hidden()
    watched.get_by_label("show easy and hard tokens").check()
    expect(watched.locator(".sv-hardness")).to_be_visible()
    expect(watched.locator(".sv-hardness li")).to_have_count(5)
    levels = text.locator(".sv-token[data-hard]").evaluate_all("all => all.map(one => one.dataset.hard)")
    assert len(levels) == 8 and set(levels) <= set("01234")
    shades = text.locator(".sv-token[data-hard]").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert len(set(zip(levels, shades, strict=True))) == len(set(levels))
    ask(watched, "Why 7?", length=8, temperature=0)  # p is one token's: the shade is that of the target's logits
    expect(watched.locator(".sv-hardness")).to_contain_text("before temperature")
    expect(lane(watched, "speculative").locator(".sv-text .sv-token[data-hard]").first).to_be_attached()


def test_a_link_that_names_no_models_means_the_family_that_was_alone_when_it_was_made(watched, address):
    watched.goto(f"{address}/?prompt=Once+upon+a+time&length=6")
    expect(watched.locator(".sv-status")).to_contain_text("Press Run.")
    watched.locator("#run").click()
    expect(lane(watched, "vanilla").locator("[data-role=prompt]").nth(1)).to_have_text("Once")
    more(watched)
    expect(watched.locator("#models input")).to_have_value(re.compile("fable"))
