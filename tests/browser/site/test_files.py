"""What the site gives of a run as files, and its figures in a page of somebody else, of another origin and without isolation."""

import base64
import gzip
import json
import re
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import expect

from specviz.page.keep import recorded
from specviz.picture.replay import handout
from specviz.trace.file import dumps
from specviz.words import page as words

from ...fake_trace import fake_trace
from ...products import some
from ...view import call
from ..conftest import files_of
from ..person import press, reach, save
from ..test_page import with_names
from .conftest import open_file, says

DATA = re.compile(r'(?<=id="sv-data">).*?(?=</script>)', re.DOTALL)
HOSTILE = "</script><img src=x onerror=alert(1)>$& $1 {when}"


@pytest.mark.parametrize("name", some(["lookup", "hot"]))
def test_the_hand_out_is_the_one_that_the_app_gives(visit, tmp_path, name):
    page = visit(f"?recorded={name}")
    says(page, words.RECORDED[name][0])
    ours, theirs = save(page, tmp_path, "handout").read_text("utf-8"), handout(recorded.load(name))
    assert DATA.sub("", ours) == DATA.sub("", theirs)
    [mine], [other] = (map(json.loads, DATA.findall(text)) for text in (ours, theirs))
    pictures = [call("player/picture.js", "readPicture", json.dumps(one.pop("run"))) for one in (mine, other)]
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


HOST = """<!doctype html><html lang="en"><title>A course</title><link rel="icon" href="data:,"><body>
<script>addEventListener("message", ({ data }) => { (window.told ??= []).push(data) })</script>FRAME</body></html>"""
INSIDE = base64.urlsafe_b64encode(gzip.compress(dumps(fake_trace("A fox and a hen")), mtime=0)).decode().rstrip("=")
FIGURES = {
    "figure=race&recorded=hot": ".sv-lanes",
    "figure=round&recorded=creative&round=3": ".sv-lane[data-lane=speculative]",
    "figure=inspector&recorded=creative&round=2&token=1": ".sv-inspector h4",
    "figure=chapter&chapter=5&theme=dark": ".lrn-picture",
    "figure=panel&lab=mistakes": ".lab-picture svg",
    "figure=race&run=traces/lookup.jsonl.gz": ".sv-lanes",
    f"figure=race#trace={INSIDE}": ".sv-lanes",
}


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The address of a page of another origin, and a function that writes what is in it."""
    folder = tmp_path_factory.mktemp("host")
    with files_of(folder) as address:

        def write(frame: str) -> str:
            page = folder / f"{len(list(folder.iterdir()))}.html"  # a browser keeps the one before
            page.write_text(HOST.replace("FRAME", frame), "utf-8")
            return f"{address}{page.name}"

        yield write


@pytest.mark.parametrize("figure", some(FIGURES), ids=lambda figure: figure.partition("#")[0])
def test_a_figure_stands_alone_in_a_foreign_frame_and_tells_its_height(watched, site, host, figure):
    watched.emulate_media(reduced_motion="reduce")
    address = f"{site}embed.html?{figure}".replace("&", "&amp;")
    watched.goto(host(f'<iframe src="{address}" title="specviz" width="900" height="500"></iframe>'))
    frame = watched.frame_locator("iframe")
    expect(frame.locator(FIGURES[figure]).first).to_be_visible()
    if "chapter" in figure or "panel" in figure:
        expect(frame.locator("#race")).to_be_hidden()  # it would keep the place of its timeline
    watched.wait_for_function("(window.told ?? []).some(({ type, height }) => type === 'specviz:height' && height > 100)")
    dark = frame.locator("html").evaluate("node => node.classList.contains('dark')")
    assert dark == ("theme=dark" in figure)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("figure=cat", "There is no such figure"),
        ("figure=race&run=https%3A%2F%2Fexample.org%2Fa.jsonl", "at another site"),
        ("figure=race#trace=AAAA", "The file was not opened"),
        ("figure=round&recorded=none&round=2", "“Recorded runs” is none; it must be one of"),
        ("figure=race&run=traces/none", "could not be fetched"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_sentence(page, site, query, sentence):
    page.goto(f"{site}embed.html?{query}")
    says(page, sentence)


def test_the_line_of_embed_shows_the_run_of_the_page_or_a_panel_with_its_settings(watched, site, host, context):
    watched.emulate_media(reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.goto(f"{site}?recorded=lookup")
    says(watched, "Prompt lookup")
    for source in ("recorded=lookup", "#trace="):
        if source == "#trace=":
            open_file(watched, dumps(fake_trace("A fox and a hen")))
        reach(watched, "#embed").click()
        expect(watched.locator("#said")).to_contain_text("The line is copied")
        while source not in (line := watched.evaluate("navigator.clipboard.readText()")):
            watched.wait_for_timeout(20)
    watched.goto(host(line))
    expect(watched.frame_locator("iframe").locator(".sv-lane [data-role=prompt]").nth(1)).to_contain_text("fox")
    assert urlsplit(watched.url).port != urlsplit(site).port
    watched.goto(f"{site}?lab=mistakes&lab_seed=7")
    box = watched.locator("#lab-mistakes")
    press(box, "Embed")
    expect(box.locator(".lab-told")).to_contain_text("it shows this panel with these settings")
    watched.goto(host(watched.evaluate("navigator.clipboard.readText()")))
    frame = watched.frame_locator("iframe")
    expect(frame.locator("#lab-mistakes .lab-picture svg").first).to_be_visible()
    expect(frame.get_by_label("Seed", exact=True)).to_have_value("7")
    watched.goto(site)  # what it keeps is cleared from here, for the next visitor
