"""The site: what the app shows, with the same settings at the same places, from files alone; and beside the app."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from specviz.config import SETTINGS
from specviz.page.keep import recorded
from specviz.page.learn.chapters import CHAPTERS
from specviz.site.build import AT, routes
from specviz.site.data import APP_SETTINGS, SETTINGS_HERE
from specviz.words import page as words

from ...products import every, some
from ..conftest import RETURNING, files_of, launched
from ..fake_engine import FakeEngine
from ..person import late, objections, reach
from .conftest import decode, first_visit, follow, says


def test_the_first_run_moves_before_anything_is_pressed(watched, site):
    watched.goto(site)
    expect(watched.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=accepted]").first).to_be_visible()
    says(watched, "A recorded run")
    assert watched.evaluate("scrollY") == 0


def test_a_menu_opens_at_the_first_press_however_late_the_first_run_is(browser, site):
    with first_visit(browser, site, service_workers="block") as page:
        page.add_init_script(RETURNING)
        with late(page, "**/*.jsonl*"):
            page.goto(site, wait_until="commit")
            expect(reach(page, ".sv-chip").first).to_be_visible()
            expect(page.locator(".sv-lane")).to_have_count(0)
        says(page, "A recorded run")
        expect(page.locator(".sv-chip").first).to_be_visible()


@pytest.mark.parametrize(
    "names", some([[*recorded.names()], [*recorded.names()][::5]], [*recorded.names()][::5]), ids=["all", "some"]
)
def test_recorded_runs_are_shown_and_say_what_made_them(visit, names):
    page = visit()
    for name in names:
        reach(page, "#recorded").select_option(name)
        says(page, words.RECORDED[name][1][:40])
        header = recorded.load(name).header
        assert page.locator("#prompt textarea").input_value() == header.prompt
        assert page.locator("#seed input").input_value() == str(header.config.seed)


def test_every_chapter_opens_by_its_address_and_fills_in_watch(visit):
    page = visit("?chapter=1")
    for n, chapter in enumerate(CHAPTERS, 1):
        expect(page.locator("#lrn-title")).to_have_text(chapter.title)
        assert f"chapter={n}" in page.url
        if n < len(CHAPTERS):
            page.get_by_role("button", name="Next").click()
    page.goto(page.url.replace(f"chapter={n}", "chapter=5"))
    page.get_by_role("button", name="Try it in Watch").click()
    says(page, "Chapter 5 filled in")
    for key, value in CHAPTERS[4].settings.items():
        assert page.locator(f"#{key} :is(input, textarea, select)").input_value() == value


@pytest.mark.parametrize("name", some(["Student's sheet", "To print"]))
def test_sheets_open_in_a_tab_of_their_own_as_they_are_printed(visit, context, name):
    page = visit("?chapter=5")
    with context.expect_page() as opened:
        page.locator(".lrn-foot").get_by_role("button", name=name).click()
    sheet = opened.value
    expect(sheet.locator("h1").first).to_be_visible()
    assert sheet.evaluate("() => document.styleSheets.length") == 1


def test_a_link_fills_in_the_page_what_it_cannot_is_named_and_nothing_is_kept_of_it_even_where_it_was_run(visit):
    page = visit("?prompt=A+fox&K=5&seed=9&length=0&colour=red")
    says(page, "Not all of the link was used")
    says(page, "“Length in tokens” is 0; it must be a whole number from 1 to 4096")
    assert page.locator("#prompt textarea").input_value() == "A fox"
    assert page.locator("#K input").input_value() == "5"
    top, *over = (page.locator(name).bounding_box()["y"] for name in ("#masthead", "#begin", "#examples"))
    assert min(over) > top  # on the line of the prompt's name, under the title
    page = visit("?recorded=hot")
    says(page, "Temperature 1.5")
    page = visit("?prompt=Two+birds&length=4")
    says(page, "The link filled in")
    decode(page)
    assert page.evaluate(STORED) == ""


def test_tabs_go_by_arrows_and_none_is_wider_than_a_phone_and_the_page_can_be_left_by_tab(watched, visit):
    watched.set_viewport_size({"width": 390, "height": 844})
    page = visit()
    page.locator("#watch-button").focus()
    pictures = {"watch": ".sv-lanes", "learn-tab": ".lrn-picture", "lab-tab": ".lab-picture svg"}
    for way, tab in (("Right", "learn-tab"), ("Left", "watch"), ("Left", "lab-tab"), ("Right", "watch")):
        page.keyboard.press(f"Arrow{way}")
        expect(page.locator(f"#{tab}-button")).to_be_focused()
        expect(page.locator(pictures[tab]).first).to_be_visible()
        page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#watch') !== null")
    expect(visit("?lab=load").locator("#lab-load svg").first).to_be_visible()  # which needs no server


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_axe_has_nothing_to_object_to(visit, theme):
    page = visit(f"?theme={theme}")
    expect(page.locator(".sv-lanes")).to_be_visible()
    page.locator("#more").evaluate("node => { node.open = true }")
    for tab, picture in (("watch", ".sv-lanes"), ("learn-tab", ".lrn-picture"), ("lab-tab", ".lab-picture svg")):
        page.locator(f"#{tab}-button").click()
        expect(page.locator(picture).first).to_be_visible()
        assert objections(page) == []


@pytest.mark.parametrize("file", ["index.html", "embed.html"])
def test_the_policy_names_scripts_and_styles_by_their_hashes_and_no_other_address(folder, file):
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', (folder / file).read_text("utf-8"))
    sources_of = {name: set(sources) for name, *sources in (part.split() for part in policy.split(";"))}
    assert sources_of.pop("default-src") == sources_of.pop("base-uri") == sources_of.pop("form-action") == {"'none'"}
    scripts, styles = (sources_of.pop(f"{kind}-src") for kind in ("script", "style"))
    assert "'wasm-unsafe-eval'" in scripts and all(one[:8] == "'sha256-" for one in (scripts | styles) - {"'wasm-unsafe-eval'"})
    assert sources_of == {"connect-src": {"'self'"}, "worker-src": {"'self'"}, "img-src": {"'self'", "data:", "blob:"}}


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
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a[0] in placed]
    far = [(a, b) for a, b in pairs if max(abs(x - y) for x, y in zip(a[2:], b[2:], strict=True)) > NEAR]
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


@pytest.fixture(scope="module")
def both():
    engine = FakeEngine()
    with launched(engine, elsewhere=AT, routes_beside=routes()) as url:
        yield url, engine


def test_a_visitor_of_the_app_can_have_the_run_decoded_in_the_browser(watched, both, context):
    address, engine = both
    watched.goto(address)
    watched.locator("#prompt textarea").fill("Two birds")
    watched.get_by_role("button", name="Settings").click()
    watched.locator("#length input[type=number]").fill("8")
    watched.locator("#length input[type=number]").blur()
    with context.expect_page() as opened:
        reach(watched, "#decode-here").click()
    site = opened.value
    says(site, "The link filled in")
    assert site.locator("#prompt textarea").input_value() == "Two birds"
    decode(site)
    assert not hasattr(engine, "asked")  # the server decoded nothing
    assert watched.request.get(f"{address}{AT}models/../../README.md").status == 404


ROOT = Path(__file__).parents[3]
DEPLOY = (ROOT / "docs" / "deploy.md").read_text("utf-8")
HOSTS = ("A static Space", "Pages")
WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def lines(place: str) -> list[str]:
    [block] = re.findall(rf"^## {place}\n+```sh\n(.*?)```", DEPLOY, re.MULTILINE | re.DOTALL)
    return block.splitlines()


@pytest.mark.parametrize("place", HOSTS)
def test_it_takes_five_lines_at_most_and_only_the_last_needs_a_network(place):
    pushes = [" push " in line for line in lines(place)]
    assert len(pushes) <= 5 and pushes == [False] * (len(pushes) - 1) + [True]


@pytest.mark.parametrize("place", HOSTS)
@pytest.mark.skipif(not shutil.which("git"), reason="the lines that are tried run git, which is not here")
def test_where_no_site_was_made_the_lines_commit_nothing(tmp_path, place):
    """They stand in a repository's folder, and end in a push that overwrites."""
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "changed").touch()
    script = "\n".join(["git init", *lines(place)[:-1], "git rev-list --all --count"]).replace("python -m specviz", "false")
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": f"{tmp_path}", "GIT_CONFIG_NOSYSTEM": "1"}
    where = {"cwd": tmp_path / "repository", "env": path | WHO}
    done = subprocess.run(["sh", "-c", script], **where, capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines()[-1] == "0" and not (tmp_path / "site").exists()


@pytest.mark.parametrize("place", some(HOSTS, "Pages"))
@pytest.mark.skipif(not shutil.which("git"), reason="the lines that are tried run git, which is not here")
def test_the_lines_make_a_site_that_decodes_below_the_name_of_a_repository(watched, tmp_path, place):
    site = tmp_path / "host" / "name"
    script = "\n".join(["set -e", f"cd {ROOT}", *lines(place)[:-1]]).replace("../site", str(site))
    if not shutil.which("git-lfs"):
        script = re.sub(r" && git -C \S+ lfs .*", "", script)
    script = script.replace("python -m", f"{sys.executable} -m")
    path = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": f"{tmp_path}",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(["sh", "-c", script], env=path | WHO, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    committed = subprocess.run(["git", "ls-files"], cwd=site, env=path, capture_output=True, text=True, check=True).stdout.split()
    assert {"index.html", "README.md", ".nojekyll", "engine/specviz.wasm", "traces/opening.jsonl.gz"} <= set(committed)
    card = (site / "README.md").read_text("utf-8")
    assert ("](https://huggingface.co/spaces/NAME/specviz)" in card) == (place == "A static Space")
    with files_of(site.parent) as address:
        watched.emulate_media(reduced_motion="reduce")
        follow(watched, f"{address}name/")
        decode(watched)
