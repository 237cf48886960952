"""What the site gives of a run as files: a hand-out, as the app gives it, and the timeline as a picture. The browser makes them."""

import json
import re
from dataclasses import replace

import pytest
from PIL import Image
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep import recorded
from specviz.picture.handout import handout, page_parts
from specviz.trace.file import dumps
from tests.fake_trace import fake_trace
from tests.view import call

from ...products import some
from ..person import save
from ..test_hostile import with_names
from .conftest import open_file, says

DATA = re.compile(r'(?<=id="sv-data">).*?(?=</script>)', re.DOTALL)
HOSTILE = "</script><img src=x onerror=alert(1)>$& $1 {when}"


def test_a_run_of_the_history_says_the_machine_was_busy_only_where_it_was(visit):
    page = visit()
    for name, share, speedup in (("alone", 1, re.compile(r"×")), ("crowded", 0.5, "machine busy")):
        trace = fake_trace(f"A fox {name}")
        *rounds, end = trace.vanilla
        open_file(page, dumps(replace(trace, vanilla=(*rounds, replace(end, processor_ms=share * end.decode_ms)))))
        line = page.locator("#history tr[data-id]").filter(has_text=name)
        expect(line.locator("[data-name=speedup]")).to_have_text(speedup)


def test_the_file_without_a_run_is_left_open_at_three_places():
    before, *between, after = page_parts()
    assert before.endswith("<title>") and after.startswith("</script>") and len(between) == 2


@pytest.mark.parametrize("name", some(["lookup", "hot"]))
def test_the_hand_out_is_the_one_that_the_app_gives(visit, tmp_path, name):
    page = visit(f"?recorded={name}")
    says(page, words.RECORDED[name][0])
    ours, theirs = save(page, tmp_path, "handout").read_text("utf-8"), handout(recorded.load(name))
    assert DATA.sub("", ours) == DATA.sub("", theirs)
    [mine], [other] = (map(json.loads, DATA.findall(text)) for text in (ours, theirs))
    pictures = [call("picture/replay.js", "readPicture", json.dumps(one.pop("run"))) for one in (mine, other)]
    assert pictures[0] == pictures[1] and mine == other


def test_a_hand_out_of_hostile_text_is_opened_from_a_mail_and_all_of_it_is_text(visit, reading, tmp_path):
    page = visit()
    open_file(page, dumps(with_names(HOSTILE)))
    reader = reading(path=save(page, tmp_path, "handout"))
    expect(reader.locator(".sv-numbers")).to_contain_text(HOSTILE)
    expect(reader.locator("script")).to_have_count(2)
    expect(reader.locator("img, [onerror]")).to_have_count(0)
    assert reader.title() == f"specviz: Named {HOSTILE}"


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_a_picture_for_slides_has_the_colours_of_the_page(visit, tmp_path, theme):
    page = visit(f"?recorded=lookup&theme={theme}")
    says(page, "Prompt lookup")
    with Image.open(save(page, tmp_path, "save-picture")) as image:
        assert image.size == (2400, 600)
        colours = image.convert("RGB").getcolors(2**24)
    ground = max(colours)[1]
    assert min(ground) > 240 if theme == "light" else max(ground) < 60
    keys = page.locator("#timeline .sv-key").evaluate_all(
        "all => all.map((one) => getComputedStyle(one, '::before').backgroundColor)"
    )
    assert {tuple(map(int, re.findall(r"\d+", one)[:3])) for one in keys} <= {colour for _, colour in colours}


def test_a_plot_is_drawn_under_the_policy_of_the_site(visit):
    page = visit()
    page.get_by_role("button", name="Plot acceptance").click()
    expect(page.locator(".sv-plot .bars .point").first).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".sv-play").focus()
    page.keyboard.press("End")
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()
    page.get_by_role("button", name="Plot p and q").click()
    page.get_by_role("button", name="Logarithmic").click()
    page.locator(".sv-plot .bars .point").first.hover(force=True)
    expect(page.locator(".sv-plot .hovertext")).to_contain_text("q = 0.")
