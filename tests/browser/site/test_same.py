"""The app and the site show the same run, chapter and panel the same: every text at the same place, and the pixels but for a few."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from specviz.page import words

from ...products import every
from ..person import seek

pytestmark = pytest.mark.browser
APART = 2.0  # px by which a text may stand elsewhere
OTHER = 0.02  # share of the picture that may look otherwise
COARSE = 4  # px: a place may begin between two pixels, and letters are then drawn otherwise
# own texts of what is seen, with their boxes from the corner of the whole
LOOK = """(root) => {
  const { left, top } = root.getBoundingClientRect();
  const found = [];
  for (const node of root.querySelectorAll("*")) {
    const own = [...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.textContent.trim()).join(" ").trim();
    if (!own || !node.checkVisibility({ visibilityProperty: true }) || node.closest(LEFT_OUT)) continue;
    const box = node.getBoundingClientRect();
    found.push([own, box.left - left, box.top - top, box.width, box.height]);
  }
  return found;
}"""
SHOWN = {
    "Watch": ("recorded=lookup", ".sv-lanes", None),
    "a round in the inspector": ("recorded=creative", ".sv-inspector", ".sv-lane[data-lane=speculative] [data-role=rejected]"),
    "a chapter": ("chapter=5", ".lrn-picture", None),
    "a panel": ("lab=mistakes", "#lab-mistakes .lab-picture", None),
}


def look(page: Page, address: str, selector: str, press: str | None):
    page.goto(address)
    if name := re.search(r"recorded=(\w+)", address):
        expect(page.locator("#status")).to_contain_text(words.RECORDED[name[1]][0])
        seek(page, 1e9)
    place = page.locator(selector).first
    if press:
        expect(page.locator(press).first).to_be_visible()
        page.locator(press).first.click()
    expect(place).to_be_visible()
    page.evaluate("document.fonts.ready")
    page.mouse.move(0, 0)
    texts = place.evaluate(LOOK.replace("LEFT_OUT", '"#timeline"'))
    return texts, Image.open(io.BytesIO(place.screenshot(animations="disabled"))).convert("RGB")


def differing(one: Image.Image, other: Image.Image) -> float:
    """The share that looks otherwise, moved up or down by what is left of a pixel; all of it where the sizes differ."""
    if max(abs(a - b) for a, b in zip(one.size, other.size, strict=True)) > APART:
        return 1.0
    return min(_shifted(one, other, by) for by in (-1, 0, 1))


def _shifted(one: Image.Image, other: Image.Image, by: int) -> float:
    size = [(min(sizes) - 2) // COARSE for sizes in zip(one.size, other.size, strict=True)]
    wide, high = (COARSE * side for side in size)
    boxes = (one, (0, 1, wide, 1 + high)), (other, (0, 1 + by, wide, 1 + by + high))
    a, b = (np.asarray(image.crop(box).resize(size, Image.Resampling.BOX), np.int16) for image, box in boxes)
    return float((abs(a - b).max(-1) > 48).mean())


@every(together=1, what=SHOWN, wide=[1440, 390], theme=["light", "dark"])
def test_the_site_shows_what_the_app_shows(watched, app, site, what, wide, theme):
    query, selector, press = SHOWN[what]
    watched.emulate_media(reduced_motion="reduce", color_scheme=theme)
    # so high that lanes need not fit into what settings leave of a screen, which are arranged otherwise
    watched.set_viewport_size({"width": wide, "height": 2400 if wide > 800 else 844})
    theirs, picture = look(watched, f"{app}/?{query}&__theme={theme}", selector, press)
    ours, own = look(watched, f"{site}?{query}&theme={theme}", selector, press)
    assert [text for text, *_ in ours] == [text for text, *_ in theirs]
    far = [(text, a, b) for (text, *a), (_, *b) in zip(ours, theirs, strict=True) if max(map(abs, np.subtract(a, b))) > APART]
    assert far == [], "\n".join(map(str, far))
    assert differing(own, picture) <= OTHER
