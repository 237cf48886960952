"""Luck and Sweep over the bundled family itself, as a visitor uses them: what is drawn, said, saved and set in Watch is one thing."""

import csv
import os
import re
from statistics import median

import pytest
from playwright.sync_api import expect

from .test_luck import field, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # models are loaded, and some forty runs are timed
PROMPT = "Once upon a time, there was a dog"


@pytest.fixture(scope="module")
def measuring():
    """The address of the app with the engine that it is served with."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from specviz.local import LocalEngine
    from specviz.page.build import build, launch_settings

    engine = LocalEngine()
    blocks = build(engine)
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings(engine))
    yield url.rstrip("/")
    blocks.close(verbose=False)


def table(box, folder):
    """The rows that CSV saves, by the names of their columns."""
    with box.page.expect_download() as download:
        box.get_by_role("button", name="CSV").click()
    download.value.save_as(folder / "saved.csv")
    return list(csv.DictReader((folder / "saved.csv").read_text("utf-8-sig").splitlines()))


def values(rows, name):
    return [float(row[name]) for row in rows]


def test_what_was_measured_is_what_is_drawn_said_saved_and_set_in_watch(watched, measuring, tmp_path):
    box = opened(watched, measuring, "luck", f"&lab_seeds=4&lab_seed=5&lab_length=16&lab_K=3&lab_prompt={PROMPT}")
    agrees_with_its_dots(box, tmp_path)
    watched.get_by_role("button", name="Sweep").click()
    box = watched.locator("#lab-sweep")
    for name in ("Large model", "Bigram", "Early exit", "Multi-token", "EAGLE", "Block head"):
        box.get_by_role("checkbox", name=re.compile(name)).uncheck()
    for word, value in {"Prompt": PROMPT, "K": "1, 3", "Runs per cell": "10", "Tokens per run": "16", "First seed": "5"}.items():
        field(box, word).fill(value)
    agrees_with_its_map(box, tmp_path)
    box.get_by_role("button", name="Small model, K = 3").click()
    watched.get_by_role("button", name="Settings").click()
    expect(watched.locator("#drafter input")).to_have_value(re.compile("Small model"))
    for name, value in {"K": "3", "temperature": "0.8", "seed": "5"}.items():
        expect(watched.locator(f"#{name} input[type=number]")).to_have_value(value)
    expect(watched.locator("#prompt textarea")).to_have_value(PROMPT)


def agrees_with_its_dots(box, folder):
    run = box.get_by_role("button", name="Measure here", exact=True)
    run.click()
    expect(box.locator("tbody tr").last).to_contain_text(re.compile(r"one seed, \d times"))
    expect(run).to_be_enabled()
    rows = table(box, folder)
    seeds, again = [[row for row in rows if row["again"] == of] for of in "01"]
    assert [row["seed"] for row in seeds] == ["5", "6", "7", "8"] and [row["seed"] for row in again] == ["5"] * 3
    assert all(0 <= alpha <= 1 for alpha in values(rows, "alpha"))
    assert all(1 <= tokens <= 4 for tokens in values(rows, "tokens per round"))  # K + 1 at most
    for name in ("alpha", "tokens per round"):  # they follow from the seed; the clock is in the speedup alone
        assert set(values(again, name)) == {values(seeds, name)[0]}
    assert len(set(values(seeds, "alpha"))) == 4
    assert all((row["speedup"] == "") is (row["busy"] == "1") for row in rows)  # of a disturbed run no time is told
    timed = [row for row in [*seeds, seeds[0], *again] if row["busy"] == "0"]
    titles = box.locator(".sv-chart-dot title").all_text_contents()
    assert sorted(titles[: len(timed)]) == sorted(f"seed {row['seed']}: {float(row['speedup']):.2f}" for row in timed)
    if len(timed) == 8:
        middle = median(values(seeds, "speedup"))
        expect(box.locator(".lab-sentence")).to_contain_text(f"4 seeds: the median speedup is {middle:.2f} ")
        expect(box.locator("tbody tr").first).to_contain_text(f"{middle:.2f}")
    else:
        expect(box.locator(".lab-sentence")).to_contain_text("The machine was busy")


def agrees_with_its_map(box, folder):
    """Stopped once every cell was run."""
    run = box.get_by_role("button", name="Measure here", exact=True)
    run.click()
    expect(box.locator(".lab-cell")).to_have_count(4)
    box.get_by_role("button", name="Stop", exact=True).click()
    expect(box.locator(".lab-told")).to_contain_text("Stopped")
    expect(run).to_be_enabled()
    rows = table(box, folder)
    assert {(row["drafter"], row["K"]) for row in rows} == {(name, K) for name in ("small", "lookup") for K in "13"}
    assert 4 <= sum(values(rows, "runs")) < 40
    names = {"small": "Small model", "lookup": "Prompt lookup"}
    for row in rows:
        cell = box.get_by_role("button", name=f"{names[row['drafter']]}, K = {row['K']}, temperature 0.8")
        expect(cell).to_have_attribute("aria-label", re.compile(f"okens per round {float(row['tokens per round']):.2f}"))
        expect(cell.locator("[data-kind=value], [data-kind=unknown]")).to_have_text(
            f"{float(row['speedup']):.2f}" if row["speedup"] else "busy"
        )
    if all(row["speedup"] for row in rows):
        best = max(rows, key=lambda row: float(row["speedup"]))
        expect(box.locator(".lab-sentence")).to_contain_text(f"{names[best['drafter']]} at K = {best['K']}, temperature 0.8")
    else:
        expect(box.locator(".lab-sentence")).to_contain_text("no fastest cell is named")
