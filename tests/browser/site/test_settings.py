"""What the site can be set to has the names, the order and the places that it has in the app: beside the prompt, and folded."""

from playwright.sync_api import Page, expect

from specviz.config import SETTINGS
from specviz.page import words
from specviz.site.engine import APP_SETTINGS, SETTINGS_HERE

from ...products import every
from .conftest import decode, says


def ids(settings) -> list[str]:
    return [f"{one.key.replace('_', '-')}{'-strings' if one.kind is tuple else ''}" for one in settings.values()]


IDS = ["prompt", "drafter", "run", "stop", *ids(SETTINGS)]
NEAR, WIDE = 60.0, 1440  # px: one has a wider button beside them
STORED = "() => Object.entries(localStorage).find(([name]) => name.endsWith('settings'))?.[1] ?? ''"
# what is seen of them, in the order of the page: its name, where it begins and how wide it is
PLACES = """(ids) => [...document.querySelectorAll("#watch [id]")]
  .filter((node) => ids.includes(node.id) && node.checkVisibility())
  .map((node) => {
    const { left, width } = node.getBoundingClientRect();
    return [node.id, node.innerText.split("\\n")[0].trim(), left, width];
  })"""


def places(page: Page, address: str, unfolded: bool, settings) -> list:
    """Of all that is to be seen, once it is."""
    page.goto(address)
    expect(page.locator(".sv-lanes")).to_be_visible()
    fold = page.locator("#more").get_by_text(words.MORE, exact=True)
    expect(page.locator("#verifier")).to_be_hidden()
    if unfolded:
        fold.click()
        page.locator("#further").click()
        expect(page.locator("#verifier")).to_be_visible()
    count = 2 + unfolded * (1 + sum(not (one.rule or one.beside) for one in settings.values()))
    page.wait_for_function(f"([ids, count]) => ({PLACES})(ids).length === count", arg=[IDS, count])
    there = page.evaluate(PLACES, IDS)
    page.evaluate("localStorage.clear()")  # it would be unfolded at the next visit
    return there


@every(together=1, wide=[WIDE, 390], unfolded=[True, False])
def test_settings_have_the_names_the_order_and_the_places_that_they_have_in_the_app(watched, app, site, wide, unfolded):
    watched.emulate_media(reduced_motion="reduce")
    watched.set_viewport_size({"width": wide, "height": 900})
    theirs = [one for one in places(watched, f"{app}/?recorded=hot", unfolded, SETTINGS) if one[0] not in ids(APP_SETTINGS)]
    ours = places(watched, f"{site}?recorded=hot", unfolded, SETTINGS_HERE)
    assert [(key, name) for key, name, *_ in ours] == [(key, name) for key, name, *_ in theirs]
    assert [key for key, *_ in ours][:2] == ["prompt", "run"]  # Stop is seen while something is decoded
    placed = {"K", "temperature", "length", "drafter"}
    far = [(a, b) for a, b in zip(ours, theirs, strict=True) if a[0] in placed and max(abs(x - y) for x, y in zip(a[2:], b[2:], strict=True)) > NEAR]  # fmt: skip
    assert far == []


def test_what_was_changed_and_unfolded_is_so_at_the_next_visit_and_a_reload_in_the_lab_keeps_it(visit):
    page = visit()
    expect(page.locator(".sv-lanes")).to_be_visible()
    assert page.evaluate(STORED) == ""
    page.reload()
    says(page, "A recorded run")
    expect(page.locator("#temperature")).to_be_hidden()
    page.fill("#prompt textarea", "Two birds")
    page.locator("#more summary").click()
    page.fill("#temperature input", "0.3")
    page.locator("#temperature input").blur()
    assert page.evaluate(STORED) == '"prompt=Two+birds&temperature=0.3"'
    page.wait_for_function("() => Object.keys(localStorage).some((name) => name.includes('unfolded'))")
    page = visit("?lab=mistakes")
    expect(page.get_by_role("navigation", name="Panels of the Lab")).to_be_visible()
    page.get_by_role("tab", name="Watch").click()
    expect(page.locator("#prompt textarea")).to_have_value("Two birds")
    expect(page.locator("#temperature")).to_be_visible()
    assert page.evaluate(STORED) == '"prompt=Two+birds&temperature=0.3"'


def test_what_a_link_set_is_not_kept_even_where_it_was_run(visit):
    page = visit("?prompt=Two+birds&length=4")
    says(page, "The link filled in")
    decode(page)
    assert page.evaluate(STORED) == ""
