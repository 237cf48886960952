"""The main job, as `make run` starts it: the real engine, the bundled pair, a person and a prompt."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from specviz.page import words

from ..person import choose, lane, put, tokens, within_reach

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
    expect(box.locator(".sv-sentence")).to_contain_text("takes its place, drawn from the residual")
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
    expect(watched.locator("#status")).to_contain_text("the grammar allows no token of this vocabulary after 2 characters, “Hi”")
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
