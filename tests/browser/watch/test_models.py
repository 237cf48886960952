"""A person chooses models and how tokens are drafted: with a fake engine, with an assistant (a tiny model here), with the real one."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from specviz.drafters import DRAFTERS
from specviz.words import page as words

from ..conftest import launched, listening
from ..fake_engine import PUBLIC
from ..person import choose, lane, more, put, reach, run, tokens, within_reach


def note(page):
    return page.locator("#drafter-note")


def test_a_drafter_and_a_public_pair_are_explained_without_a_trip_to_the_server_and_run(visit, engine):
    more(visit)
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["small"].label)
    expect(note(visit)).to_have_text(DRAFTERS["small"].sentence)
    calls = []
    visit.wait_for_function("performance.getEntriesByType('resource').some(e => e.name.includes('/run/predict'))")  # at the load
    with listening(visit, request=lambda r: r.method == "POST" and calls.append(r.url)):
        for key in ("eagle", "lookup"):
            choose(visit, "drafter", DRAFTERS[key].label)
            expect(note(visit)).to_have_text(DRAFTERS[key].sentence)
    assert calls == []
    run(visit, "Copied from above")
    assert engine.asked_for("Copied from above")[0] == "lookup"
    choose(visit, "drafter", "homemade")  # which has no words
    expect(note(visit)).to_be_empty()
    run(visit, "Made at home")
    assert engine.asked_for("Made at home")[0] == "homemade"
    choose(visit, "models", PUBLIC)  # a public pair says what it needs, and in one line that it cannot be fetched
    expect(visit.locator("#models-note")).to_contain_text("3.7 GB of bfloat16 weights, licence Apache-2.0.")
    expect(visit.locator("#models-note")).to_contain_text("accept the licence")
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["eagle"].label)  # what can draft for it
    expect(note(visit)).to_have_text(DRAFTERS["eagle"].sentence)
    visit.locator("#run").click()
    expect(visit.locator(".sv-status")).to_contain_text("could not be fetched from the hub: no network")
    choose(visit, "drafter", DRAFTERS["lookup"].label)
    run(visit, "Fetched")
    assert engine.asked_for("Fetched")[0] == "lookup"
    choose(visit, "models", "story")
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["small"].label)
    run(visit, "Bundled again")


def test_what_a_rule_asks_for_is_there_while_the_rule_is_picked_and_what_is_set_runs(visit, app, engine):
    visit.goto(f"{app}/?verifier=threshold&theta=0.8&prompt=Threshold")
    expect(visit.locator(".sv-status")).to_contain_text("Press Run")
    visit.locator("#run").click()
    expect(lane(visit, "speculative")).to_be_visible()
    assert engine.asked_for("Threshold")[1].confidence == 0
    more(visit)
    visit.locator("#further").click()
    fields = {name: visit.locator(f"#{name} input[type=number]") for name in ("epsilon", "delta", "theta", "survival")}
    seen = lambda *names: [expect(field).to_be_visible(visible=name in names) for name, field in fields.items()]  # noqa: E731
    expect(fields["theta"]).to_have_value("0.8")
    seen("theta")
    choose(visit, "verifier", "typical")
    seen("epsilon", "delta")
    put(visit, "epsilon", 2)
    visit.locator("#run").click()
    expect(visit.locator(".sv-status")).to_contain_text("“ε of typical acceptance” is 2; it must be a number from 0.0 to 1.0")
    choose(visit, "verifier", "rejection")
    seen()
    choose(visit, "verifier", "typical")
    seen("epsilon", "delta")
    expect(fields["epsilon"]).to_have_value("2")
    put(visit, "epsilon", 0.2)
    put(visit, "confidence", 0.35)
    seen("epsilon", "delta", "survival")
    put(visit, "survival", 0.3)
    run(visit, "Typical")
    _, config = engine.asked_for("Typical")
    assert (config.verifier, config.epsilon, config.theta) == ("typical", 0.2, 0.5)
    assert (config.survival, config.confidence) == (0.3, 0.35)
    expect(lane(visit, "speculative").locator("header .sv-note")).to_contain_text("story-draft drafts up to 3 tokens")


def loads_models(test):
    return pytest.mark.slow(pytest.mark.timeout(600, method="thread")(test))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
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
    reach(page, ".gallery-item")
    return page.locator(".gallery-item:visible")


@loads_models
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


@loads_models
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


@loads_models
def test_a_link_that_names_no_models_means_the_family_that_was_alone_when_it_was_made(watched, address):
    watched.goto(f"{address}/?prompt=Once+upon+a+time&length=6")
    expect(watched.locator(".sv-status")).to_contain_text("Press Run.")
    watched.locator("#run").click()
    expect(lane(watched, "vanilla").locator("[data-role=prompt]").nth(1)).to_have_text("Once")
    more(watched)
    expect(watched.locator("#models input")).to_have_value(re.compile("fable"))


ROOT = Path(__file__).resolve().parents[3]
PROMPT = "Once upon a time, there was a little cat who"


@pytest.fixture(scope="module")
def served():
    """The address of app.py in a process of its own, offline."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "app.py", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as app:
        lines = []
        for line in app.stdout:
            lines.append(line)
            if "Running on" in line:
                break
        else:
            pytest.fail("the app did not start: " + "".join(lines))
        assert lines[-1] == words.RUNNING.format(address=f"http://127.0.0.1:{port}") + "\n"
        yield f"http://127.0.0.1:{port}"
        app.terminate()


def a_recorded_run_stands_on_the_page_before_anything_is_pressed(watched):
    prompt = watched.locator("#prompt textarea").input_value()
    for name in ("vanilla", "speculative"):
        expect(lane(watched, name)).to_contain_text(prompt.split(" ")[-1])
    expect(watched.locator(".sv-at")).to_contain_text("Press Play.")
    expect(tokens(watched, "drafted").first).to_be_visible()
    expect(tokens(watched, "rejected")).to_have_count(0)
    watched.locator(".sv-play").focus()
    watched.keyboard.press("End")
    expect(watched.locator(".sv-verdict")).to_contain_text("as fast as without a draft")
    for role in ("accepted", "rejected", "corrected", "bonus"):
        expect(tokens(watched, role).first).to_be_visible()


def a_prompt_is_decoded_by_both_lanes_of_a_real_pair_and_a_token_is_inspected(watched):
    put(watched, "length", 60)
    watched.locator("#prompt textarea").fill(PROMPT)
    watched.locator("#run").click()
    for name in ("vanilla", "speculative"):
        prompt = lane(watched, name).locator("[data-role=prompt]")
        expect(prompt.last).to_have_text("who")
        expect(lane(watched, name)).to_contain_text("ended: length limit")  # its rate is not shown beside a busy program
    assert tokens(watched, "plain", "vanilla").count() > 20
    assert tokens(watched, "accepted").count() > 5 and tokens(watched, "rejected").count() > 2
    tokens(watched, "rejected").first.click()
    box = watched.locator(".sv-inspector")
    expect(box.locator(".sv-sentence")).to_contain_text("is the correction, drawn from the residual")
    expect(box.locator(".sv-u-mark")).to_contain_text("u = 0.")
    expect(box).to_contain_text("β = Σ min(p, q) = 0.")
    expect(box.locator(".sv-fill[data-series=shared]").first).to_be_visible()
    expect(box.locator(".sv-landed")).to_be_visible()


def another_way_to_draft_is_chosen_and_greedy_lanes_write_the_same_text(watched):
    choose(watched, "drafter", "Prompt lookup")
    put(watched, "temperature", 0)
    put(watched, "length", 40)
    watched.locator("#prompt textarea").fill("The cat sat. The dog sat. The cat sat. The dog")
    watched.locator("#run").click()
    expect(lane(watched, "speculative")).to_contain_text("copied from the text")
    expect(watched.locator(".sv-numbers")).to_contain_text("no model")
    assert tokens(watched, "rejected").count() + tokens(watched, "accepted").count() > 0
    expect(watched.locator(".sv-texts")).to_contain_text("Both lanes wrote the same")


def a_text_is_held_to_a_grammar_and_one_that_allows_no_token_says_so(watched):
    grammar = within_reach(watched, "#grammar :is(input, textarea)")
    grammar.fill(r'\{"name": "[a-z]{2,8}", "age": [0-9]{1,2}\}')
    grammar.press("Tab")
    watched.locator("#prompt textarea").fill("Tim is three.")
    watched.locator("#run").click()
    expect(lane(watched, "vanilla")).to_contain_text(re.compile(r'three\.\{"name": "[a-z]{2,8}", "age": \d{1,2}\}'))
    expect(watched.locator("#race")).to_contain_text(re.compile(r"makes [1-9]\d* of \d+ drafted tokens void\. It forces [1-9]"))
    void = watched.locator("[data-lane=speculative] .sv-token[data-void]")
    void.first.click()
    expect(watched.locator(".sv-inspector .sv-sentence")).to_contain_text("is void: the grammar forbids it here.")
    grammar = within_reach(watched, "#grammar :is(input, textarea)")
    grammar.fill("Hi☃")
    grammar.press("Tab")
    watched.locator("#run").click()
    expect(watched.locator("#status")).to_contain_text("The grammar allows no token of this vocabulary after 2 characters, “Hi”")
    expect(void.first).to_be_visible()  # of the run before


JOBS = [
    a_recorded_run_stands_on_the_page_before_anything_is_pressed,
    a_prompt_is_decoded_by_both_lanes_of_a_real_pair_and_a_token_is_inspected,
    another_way_to_draft_is_chosen_and_greedy_lanes_write_the_same_text,
    a_text_is_held_to_a_grammar_and_one_that_allows_no_token_says_so,
]


def test_the_main_job_is_done_each_time_on_a_page_of_its_own(watched, served, subtests):
    """One test: each process that runs some of it would start a program."""
    watched.emulate_media(reduced_motion="reduce")
    for job in JOBS:
        with subtests.test(job=job.__name__):
            watched.goto(served)
            job(watched)
            expect(watched.locator("#run")).to_be_enabled()  # who leaves before a run's stream has ended cuts it off
