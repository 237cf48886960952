"""What the site gives of a run as files: a hand-out, as the app gives it, and the timeline as a picture. The browser makes them."""

import io
import json
import re
from dataclasses import replace

import pytest
from PIL import Image
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep import recorded
from specviz.picture.handout import handout, left_open
from specviz.trace.file import dumps
from tests.fake_trace import fake_trace
from tests.view import call

from ...products import some
from ..person import reach
from ..test_hostile import named

pytestmark = pytest.mark.browser
DATA = re.compile(r'(?<=id="sv-data">).*?(?=</script>)', re.DOTALL)
HOSTILE = "</script><img src=x onerror=alert(1)>$& $1 {when}"


def given(page, name: str) -> bytes:
    with page.expect_download() as download:
        reach(page, f"#{name}").click()
    assert download.value.suggested_filename.startswith("specviz-")
    return download.value.path().read_bytes()


def test_a_run_of_the_history_says_the_machine_was_busy_only_where_it_was(visit):
    page = visit()
    for name, share, said in (("alone", 1, re.compile(r"×")), ("crowded", 0.5, "machine busy")):
        trace = fake_trace(f"A fox {name}")
        *rounds, end = trace.vanilla
        open_file(page, replace(trace, vanilla=(*rounds, replace(end, processor_ms=share * end.decode_ms))))
        line = page.locator("#history tr[data-id]").filter(has_text=name)
        expect(line.locator("[data-name=speedup]")).to_have_text(said)


def open_file(page, trace) -> None:
    file = {"name": "x.jsonl", "mimeType": "text/plain", "buffer": dumps(trace)}
    page.locator("#watch input[type=file]").set_input_files(file)
    expect(page.locator("#status")).to_contain_text("The run of the file is shown")


def test_the_file_without_a_run_is_left_open_at_three_places():
    before, *between, after = left_open()
    assert before.endswith("<title>") and after.startswith("</script>") and len(between) == 2


@pytest.mark.parametrize("name", some(["lookup", "hot"]))
def test_the_hand_out_is_the_one_that_the_app_gives(visit, name):
    page = visit(f"?recorded={name}")
    expect(page.locator("#status")).to_contain_text(words.RECORDED[name][0])
    ours, theirs = given(page, "handout").decode(), handout(recorded.load(name))
    assert DATA.sub("", ours) == DATA.sub("", theirs)
    [mine], [other] = (map(json.loads, DATA.findall(text)) for text in (ours, theirs))
    shown = [call("picture/replay.js", "readPicture", json.dumps(one.pop("run"))) for one in (mine, other)]
    assert shown[0] == shown[1] and mine == other


def test_a_hand_out_of_hostile_text_is_opened_from_a_mail_and_all_of_it_is_text(visit, context, tmp_path):
    page = visit()
    open_file(page, named(HOSTILE))
    path = tmp_path / "handout.html"
    path.write_bytes(given(page, "handout"))
    wrong = []
    context.set_offline(True)
    reader = context.new_page()
    reader.on("pageerror", lambda error: wrong.append(str(error)))
    reader.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    reader.on("request", lambda one: None if one.url == path.as_uri() else wrong.append(one.url))
    reader.goto(path.as_uri())
    expect(reader.locator(".sv-numbers")).to_contain_text(HOSTILE)
    expect(reader.locator("script")).to_have_count(2)
    expect(reader.locator("img, [onerror]")).to_have_count(0)
    assert reader.title() == f"specviz: Named {HOSTILE}" and wrong == []


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_a_picture_for_slides_has_the_colours_of_the_page(visit, theme):
    page = visit(f"?recorded=lookup&theme={theme}")
    expect(page.locator("#status")).to_contain_text("Prompt lookup")
    with Image.open(io.BytesIO(given(page, "picture-png"))) as image:
        assert image.size == (2400, 600)
        colours = image.convert("RGB").getcolors(2**24)
    ground = max(colours)[1]
    assert min(ground) > 240 if theme == "light" else max(ground) < 60
    keys = page.locator("#timeline .sv-key").evaluate_all(
        "all => all.map((one) => getComputedStyle(one, '::before').backgroundColor)"
    )
    drawn = {colour for _, colour in colours}
    assert {tuple(map(int, re.findall(r"\d+", one)[:3])) for one in keys} <= drawn
