"""What stands on the first screen, counted in the page, and how far things jump on it: for scripts/bench_ui.py and the browser tests."""

from playwright.sync_api import Page

COUNT = """() => {
  const sees = (e) => !e.closest("[aria-hidden=true], .sv-unseen") && e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const within = (a, b) => a.bottom > b.top && a.top < b.bottom && a.right > b.left && a.left < b.right;
  const screen = { top: 0, left: 0, right: innerWidth, bottom: innerHeight };
  const shown = (box, e) => {
    const lane = e.closest(".sv-text");
    return box.width > 0 && box.height > 0 && within(box, screen) && (!lane || within(box, lane.getBoundingClientRect()));
  };
  const count = (text) => text.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
  const FIELDS = "input:not([type=range], [type=radio], [type=checkbox]), textarea, select";
  const here = (selector) => [...document.querySelectorAll(selector)].filter((e) => sees(e) && shown(e.getBoundingClientRect(), e));
  const controls = here(`a[href], button, input, select, textarea, summary, [role=tab], [role=slider], [tabindex="0"]`);
  let words = 0;
  for (const field of here(FIELDS)) words += count(field.selectedOptions?.[0]?.text ?? field.value);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const inside = node.parentElement;
    if (inside.closest("script, style, noscript, select, textarea") || !sees(inside)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if ([...range.getClientRects()].some((box) => shown(box, inside))) words += count(node.textContent);
  }
  return { controls: controls.length, words, named: controls.map((e) => e.id || e.className || e.localName) };
}"""
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts.push(one.value);
  }).observe({ type: "layout-shift", buffered: false });
}"""


def count(page: Page) -> dict:
    """`controls`: what a hand or the Tab key can act on, a lane's text as one; `words`: all that can be read, in fields and lanes too;
    `named`: the controls. Of what is in sight and nowhere cut off."""
    return page.evaluate(COUNT)


def watch_shifts(page: Page) -> None:
    """From now on layout shifts that follow no hand are kept; `shifts` gives them."""
    page.evaluate(SHIFTS)


def shifts(page: Page) -> list[float]:
    """The scores of the layout shifts since `watch_shifts` (web.dev/cls): share of the screen that moved × how far."""
    return page.evaluate("window.shifts")
