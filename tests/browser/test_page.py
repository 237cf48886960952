"""The page around the race: stopping, mistakes, widths, refused scripts; and text from anybody, drawn as text."""

import csv
import io
from dataclasses import replace
from itertools import pairwise
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from specviz.page.guard.front import hosts_of
from specviz.picture.replay import BROWSER
from specviz.trace.file import dumps
from specviz.words import page as words

from ..fake_trace import HOSTILE, fake_trace
from ..products import some
from .conftest import launched, opened
from .person import drag, fits, lane, late, let_go, more, put, reach, run, save, status, tokens, within_reach


def test_an_example_runs_when_it_is_chosen_and_neither_examples_nor_the_masthead_are_covered(still):
    chips = reach(still, ".gallery-item")
    for width in (390, 1000, 1280, 1440):
        still.set_viewport_size({"width": width, "height": 900})
        assert chips.evaluate_all("l => l.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)") == [], width
        boxes = chips.evaluate_all("l => l.map((e) => e.getBoundingClientRect().toJSON())")
        assert len(boxes) > 3 and all(box["left"] >= 0 and box["right"] <= width for box in boxes), width
        assert all(above["bottom"] <= below["top"] + 1 for above, below in pairwise(boxes)), width
    chips.filter(has_text="Python").click()
    expect(still.locator("#prompt textarea")).to_have_value('if __name__ == "__main__":')
    expect(tokens(still, "prompt").first).to_have_text("if")
    still.set_viewport_size({"width": 320, "height": 700})
    letters = "e => { const own = document.createRange(); own.selectNodeContents(e); return own.getBoundingClientRect().right }"
    assert still.locator("#masthead h1").evaluate(letters) <= still.get_by_role("tab", name="Watch").bounding_box()["x"]
    for width in (1024, 1280, 1366, 1440):
        still.set_viewport_size({"width": width, "height": 768})
        text, tab = still.locator("#masthead p").bounding_box(), still.get_by_role("tab", name="Watch").bounding_box()
        assert text["x"] + text["width"] <= tab["x"] or text["y"] + text["height"] <= tab["y"], width


def test_what_is_shared_is_in_sight_in_its_menu_whether_the_settings_are_folded_or_not(still):
    for unfold in (lambda page: None, more):
        unfold(still)
        for width in (390, 1000, 1440):
            still.set_viewport_size({"width": width, "height": 900})
            for _ in range(3):  # once it was seen closed again just then, under load: a hand presses again
                reach(still, "#copy-link")
                if box := still.locator("#share-menu").bounding_box():
                    break
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, width


def test_progress_is_shown_and_stop_draws_what_there_is_and_says_what_there_is_not(still):
    expect(still.locator(".sv-invitation")).to_contain_text("Press Run")
    still.locator("#prompt textarea").fill("slow context")
    still.locator("#run").click()
    expect(still.locator("#run")).to_be_disabled()
    expect(tokens(still, "prompt", "vanilla")).to_have_text("slow context")  # nobody is told to press Run
    expect(status(still)).to_contain_text("of 50 tokens. 96 were asked for; the context has room for no more.")
    expect(still.locator("[role=progressbar]")).to_be_visible()
    expect(status(still)).to_contain_text("With a draft: 12 of 50 tokens")
    still.locator("#stop").click()
    expect(status(still)).to_contain_text("Stopped.")
    expect(lane(still, "speculative").locator(".sv-done")).to_have_text("stopped by you")
    expect(lane(still, "speculative").locator(".sv-counter")).to_contain_text("target passes 3")
    expect(still.locator("#stop")).to_be_disabled()
    expect(still.locator("#run")).to_be_enabled()
    still.locator("#prompt textarea").fill("slow first lane")
    still.locator("#run").click()
    expect(status(still)).to_contain_text("Without a draft: ")
    still.locator("#stop").click()
    expect(lane(still, "speculative")).to_contain_text("This lane did not begin.")
    expect(still.locator(".sv-verdict")).to_have_text("There is no speedup: not both lanes decoded.")
    expect(tokens(still, "plain", "vanilla").first).to_be_visible()
    expect(still.locator(".sv-why")).to_have_text(BROWSER["missing_lane"])
    expect(still.locator(".sv-figure[data-figure=f_speedup] strong")).to_have_text("–")
    assert not any(word in still.locator(".sv-numbers").inner_text() for word in ("undefined", "NaN", "null", "[object"))
    run(still, "After the stop")


def test_a_run_that_cannot_be_says_why_and_nothing_is_lost(moving, subtests):
    button, prompt = moving.locator("#run"), moving.locator("#prompt textarea")
    for typed, says in (("   ", "The prompt is empty"), ("broken", "The run failed: RuntimeError: device is gone")):
        prompt.fill(typed)
        button.click()
        expect(status(moving)).to_contain_text(says)
        expect(button).to_be_enabled()
        expect(moving.locator(".sv-invitation")).to_be_visible()
    prompt.evaluate("e => { e.value = 'cut \\ud83d here'; e.dispatchEvent(new Event('input', { bubbles: true })) }")
    button.click()
    expect(status(moving)).to_have_text(words.PROMPT_HALF)  # half an emoji
    run(moving, "Kept story")
    for field, value, says in (
        ("K", "50", "“Drafted tokens, K” is 50; it must be a whole number from 0 to 32."),
        ("top-p", "", "“Top-p” is empty; it must be a number from 0.01 to 1.0."),
    ):
        with subtests.test(field=field, value=value):
            if field == "K":
                within_reach(moving, "#K input[type=number]").fill(value)
                expect(moving.locator("#K input[type=range]")).to_have_attribute("max", value)
            put(moving, field, value)
            button.click()
            expect(status(moving)).to_contain_text(says)
            expect(tokens(moving, "prompt").first).to_have_text("Kept")
            expect(prompt).to_have_value("Kept story")
            put(moving, field, 1)
    prompt.fill("bad one")
    button.focus()
    moving.keyboard.press("Enter")
    expect(status(moving)).to_contain_text("at most 512")
    expect(button).to_be_focused()
    expect(moving.locator(".sv-earlier")).to_be_visible()
    expect(moving.locator(".sv-play")).to_have_text("Play")
    for part in (".sv-lanes", ".sv-inspector", ".sv-numbers"):
        assert float(moving.locator(part).evaluate("e => getComputedStyle(e).opacity")) < 0.6
    prompt.fill("Mended story")
    prompt.press("Shift+Enter")
    prompt.type("in two lines")
    expect(prompt).to_have_value("Mended story\nin two lines")
    prompt.press("Enter")
    expect(tokens(moving, "prompt").first).to_have_text("Mended")
    expect(status(moving)).to_have_text("")
    expect(moving.locator(".sv-earlier")).to_be_hidden()
    assert moving.locator(".sv-lanes").evaluate("e => getComputedStyle(e).opacity") == "1"


def test_a_slider_that_a_link_moved_takes_more_and_less_as_any_other(still, app):
    still.goto(f"{app}?K=20&temperature=3&prompt=Linked")
    for name, value, end in (("K", "25", "25"), ("temperature", "4", "4")):
        field = within_reach(still, f"#{name} input[type=number]")
        expect(field).to_have_value("20" if name == "K" else "3")
        field.fill(value)
        expect(still.locator(f"#{name} [type=range]")).to_have_attribute("max", end)
    still.locator("#run").click()
    expect(lane(still, "vanilla")).to_contain_text("Linked")
    expect(still.locator(".sv-settings-line")).to_contain_text("K = 25 · temperature 4")
    within_reach(still, "#K input[type=number]").fill("3")
    expect(still.locator("#K [type=range]")).to_have_attribute("max", "16")


def test_run_by_keys_leads_to_the_player(still):
    still.locator("#prompt textarea").fill("Focus kept")
    still.locator("#run").focus()
    still.keyboard.press("Enter")
    expect(still.locator("#stop")).to_be_disabled()
    expect(still.locator(".sv-play")).to_be_focused()


def test_a_page_that_is_loaded_again_in_mid_run_has_what_was_typed_and_the_run_if_the_server_has_it(still, app):
    prompt = still.locator("#prompt textarea")
    still.goto(f"{app}/?prompt=slow+link")
    expect(status(still)).to_contain_text("The link filled in the prompt.")
    prompt.press("End")
    prompt.press_sequentially(" and typed")
    still.locator("#run").click()
    expect(status(still)).to_contain_text("Without a draft")
    for _ in range(2):
        still.reload()
        expect(status(still)).to_have_text(words.STATUS["resumed"])
        expect(prompt).to_have_value("slow link and typed")
    still.locator("#stop").click()
    expect(status(still)).to_contain_text("Stopped.")
    expect(tokens(still, "prompt", "vanilla").first).to_have_text("slow")
    expect(still.locator("#run")).to_be_enabled()
    still.evaluate("sessionStorage.setItem('specviz.running /', '\"of a server that was ended\"')")
    still.reload()
    expect(status(still)).to_have_text(words.STATUS["lost"])
    expect(prompt).to_have_value("slow link and typed")


def test_two_visitors_take_turns(still, app, browser):
    still.locator("#prompt textarea").fill("slow story")
    still.locator("#run").click()
    expect(status(still)).to_contain_text("Without a draft")
    with browser.new_page() as other:  # of a browser of its own, which keeps nothing of the first one's settings
        opened(other, app)
        other.locator("#prompt textarea").fill("patient story")
        other.locator("#run").click()
        expect(status(other)).to_contain_text("Waiting: 1 before yours")
        status(other).get_by_role("button", name="recorded runs").click()  # what needs no turn
        expect(other.locator("#examples-menu")).to_be_visible()
        other.keyboard.press("Escape")
        status(other).get_by_role("button", name="Learn").click()
        expect(other.locator("#learn")).to_be_visible()
        other.get_by_role("tab", name="Watch").click()
        still.locator("#stop").click()
        expect(tokens(other, "prompt").first).to_have_text("patient")


def test_an_idle_page_requests_no_frames_a_ticked_box_looks_ticked_and_the_page_fits_its_width(still):
    run(still)
    tokens(still, "rejected").first.click()
    expect(still.locator("#timeline [data-round]").first).to_be_attached()
    count = """async () => { let n = 0; const own = requestAnimationFrame;
        window.requestAnimationFrame = f => { n += 1; return own.call(window, f); };
        await new Promise(done => setTimeout(done, 1000)); window.requestAnimationFrame = own; return n; }"""
    while still.evaluate(count):  # gradio's own beginnings take some seconds
        pass
    box = still.get_by_label("show struck guesses")
    box.uncheck()
    assert box.evaluate("e => getComputedStyle(e).appearance") == "auto"  # the system draws it: gradio's has a tick without a box
    empty = box.screenshot()
    box.check()
    still.mouse.move(0, 0)
    assert box.screenshot() != empty
    box.uncheck()
    for width in (390, 768, 1440, 1920):
        still.set_viewport_size({"width": width, "height": 844})
        if width == 1440:  # on a wide screen it lies over a lane
            still.get_by_role("button", name="Close the inspector").click()
        still.wait_for_function(
            "document.documentElement.scrollWidth <= innerWidth"
        )  # the timeline is drawn again a moment later
        left, right = (lane(still, name).bounding_box() for name in ("vanilla", "speculative"))
        if width <= 768:
            assert right["y"] >= left["y"] + left["height"]
        else:
            assert right["x"] >= left["x"] + left["width"]
            # measured at one moment: the field of the prompt takes a frame to find its height
            tops = "() => new Set([...document.querySelectorAll('.sv-lane')].map((e) => e.getBoundingClientRect().top)).size"
            assert still.evaluate(tops) == 1
        assert still.evaluate(OUTSIDE) == [], width
        assert still.locator("#race").evaluate(OVERLAPS) == [], width


OUTSIDE = """() => [...document.querySelectorAll('.gradio-container button, .gradio-container input, #race *')].filter(e => {
    const r = e.getBoundingClientRect(); return r.width && (r.right > innerWidth + 1 || r.left < -1)
        && !e.closest('#timeline, .sv-text, .sv-bar-name') }).map(e => e.outerHTML.slice(0, 80))"""


# Neighbours that lie over each other; what is meant to lie over something is left out.
OVERLAPS = """race => [...race.querySelectorAll(
    `.sv-bar, .sv-moment, .sv-stepper, .sv-cache-row, .sv-cache > header, .sv-lane, .sv-lane-foot, .sv-lane-head, .sv-legend ul,
     .sv-figure summary, .sv-headline, .sv-tries, .sv-inspector, .sv-numbers`)]
  .flatMap(box => {
    const parts = [...box.children].map(e => [e, e.getBoundingClientRect()])
      .filter(([e, r]) => r.width > 1 && r.height > 1 && getComputedStyle(e).visibility !== 'hidden');
    return parts.flatMap(([a, p], i) => parts.slice(i + 1)
      .filter(([b, q]) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
        && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
      .map(([b]) => `${box.className}: ${a.className} over ${b.className}`));
  })"""


def test_a_run_that_never_reached_the_queue_is_over_and_the_next_one_runs(page, app):
    """The server's guard refuses it after it had a place among those who wait."""
    page.emulate_media(reduced_motion="reduce")
    opened(page, app)
    page.route("**/queue/join**", lambda route: route.fulfill(status=503, json={"detail": words.MEMORY_LIMIT}))
    page.locator("#prompt textarea").fill("Once upon")
    page.locator("#run").click()
    expect(page.locator("#status")).to_contain_text(words.RUN_NOT_TAKEN)
    expect(page.locator("#stop")).to_be_disabled()
    page.unroute("**/queue/join**")
    run(page, "Once upon")


def test_a_menu_opens_at_the_first_press_however_late_our_components_are(watched, opening):
    """Gradio draws its buttons before the script has come by which it mounts what is ours."""
    with late(watched, "**/assets/HTML-*.js"):
        watched.goto(opening, wait_until="commit")
        expect(reach(watched, ".gallery-item").first).to_be_visible()
        expect(lane(watched, "vanilla")).to_have_count(0)
    expect(lane(watched, "vanilla")).to_be_visible()
    expect(watched.locator(".gallery-item").first).to_be_visible()


@pytest.fixture(scope="module")
def guarded():
    with launched(hosts=hosts_of("127.0.0.1")) as url:
        yield url


def test_a_port_that_is_forwarded_under_another_name_says_how_to_start_the_server(page, guarded):
    def forward(route):
        """As a forwarder that asks for this machine, whatever the browser asked for."""
        here = route.request.url.replace("http://shown.example/", guarded)
        route.fulfill(response=route.fetch(url=here, headers=route.request.headers | {"host": guarded.split("/")[2]}))

    page.route("http://shown.example/**", forward)
    page.goto("http://shown.example/")
    notice = page.locator("#sv-notice")
    expect(notice).to_contain_text("opened as shown.example")
    expect(notice).to_contain_text("GRADIO_ROOT_PATH=http://shown.example and with the option --hostname shown.example")


def test_in_a_sandboxed_frame_it_says_what_the_frame_needs_and_where_all_is_well_nothing(page, guarded):
    page.goto(f"{guarded}healthz")
    page.evaluate(
        "url => { const frame = document.createElement('iframe'); "
        "frame.sandbox = 'allow-scripts'; frame.src = url; document.body.append(frame); }",
        guarded,
    )
    expect(page.frame_locator("iframe").locator("#sv-notice")).to_contain_text("allow-same-origin")
    page.goto(guarded)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(page.locator("#sv-notice")).to_have_count(0)


IMG = "<img src=x onerror=alert(1)>"
TEXTS = [
    IMG,
    *"""
    </script><script>alert(1)</script> ${1+1} {{value}} `${value}` @children \u202egnp.exe <!-- =HYPERLINK(1)
""".split(),
]
WHERE = [".sv-race", ".sv-detail", "#history", ".sv-status", "#timeline", ".sv-said", "#drafter-note"]


def nothing_became_markup(page):
    """No element, no attribute and no template came out of a text: `watched` also fails on any dialog, request or script error."""
    markup = "img, script:not([src]):not([type]), iframe, object, b, [onerror], [onclick], [onload]"
    for place in WHERE:
        expect(page.locator(place).locator(markup)).to_have_count(0)


def with_names(text):
    trace = fake_trace(f"Named {text}", hostile=True)
    target, draft, machine = trace.header.target, trace.header.draft, trace.header.machine
    names = {"target": replace(target, name=text, dtype=text), "draft": replace(draft, name=text)}
    return replace(trace, header=replace(trace.header, **names, machine=replace(machine, device=text, torch=text)))


def test_a_prompt_is_text_on_the_page_in_its_history_and_in_its_table(still, subtests, tmp_path):
    for i in range(0, len(TEXTS), 6):  # six in one prompt
        text = "".join(TEXTS[i : i + 6])
        with subtests.test(text=text):
            run(still, f"hostile{i} {text}")
            second = lane(still, "vanilla").locator("[data-role=prompt]").nth(1)
            expect(second).to_contain_text(text.split(" ")[0].lstrip("\u202e"))
            expect(still.locator("#history tr[data-id]").first).to_contain_text(text.lstrip("\u202e"))
            nothing_became_markup(still)
    run(still, "hostile =1+1" + " " * 10_000 + "end")
    expect(lane(still, "vanilla")).to_contain_text("end")
    assert fits(still)
    rows = list(csv.reader(io.StringIO(save(still, tmp_path, "rounds").read_bytes().decode().removeprefix("\ufeff"))))
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))]
    assert any(IMG in cell for cell in cells) and any(text in cell for text in HOSTILE[1:3] for cell in cells)


def test_names_in_traces_are_text_everywhere_and_so_is_what_is_quoted_of_a_file(still):
    text = f"{IMG}${{1+1}}{{{{value}}}}"
    let_go(still, drag(still, **{f"{IMG}.jsonl": dumps(with_names(text))}))
    expect(still.locator(".sv-numbers")).to_contain_text(f"target {text}")
    expect(still.locator(".sv-lane-head").nth(1)).to_contain_text(f"{text} drafts")
    expect(still.locator("#history tr[data-id] [data-name=draft]").first).to_have_text(text)
    spans = still.locator(".sv-lane[data-lane=speculative] .sv-text .sv-token")
    spans.evaluate_all("all => all.filter((_, i) => i % 7 === 0).forEach(e => e.click())")
    nothing_became_markup(still)
    let_go(still, drag(still, run=dumps(with_names("${1+1}"))))
    expect(still.locator("#history tr[data-id]")).to_have_count(2)
    expect(still.locator("#history [data-name=draft]")).to_have_text(["${1+1}", text])
    data = dumps(fake_trace("x")).replace(b'"event":"header"', f'"event":"{IMG}"'.encode(), 1)
    let_go(still, drag(still, **{f"{IMG}.jsonl": data}))
    expect(still.locator(".sv-status")).to_contain_text("The file was not opened")
    let_go(still, drag(still, **{f"{IMG}.jsonl": f'{{"format":"specviz-trace","version":"{IMG}"}}\n'.encode()}))
    expect(still.locator(".sv-status")).to_contain_text(IMG)
    nothing_became_markup(still)


LONG = [*TEXTS, " " * 10_000 + "x", "\ufdfa" * 500]


@pytest.mark.parametrize("first", some([0, 3, 6]))  # five texts a visit, each of them read by another parameter
def test_parameters_of_a_link_are_text(watched, app, first):
    texts = LONG[first : first + 5]
    names = ("K", "drafter", "verifier", "recorded", texts[0][:50])
    query = "&".join(f"{name}={quote(text[:1000])}" for name, text in zip(names, texts, strict=True))
    watched.goto(f"{app}/?prompt={quote(texts[-1])}&{query}#{quote(IMG)}")
    expect(watched.locator("#prompt textarea")).to_have_value(texts[-1])
    expect(watched.locator(".sv-status")).to_contain_text("“Drafted tokens, K” is")
    nothing_became_markup(watched)
    assert fits(watched)


QUERIES = {  # and where what of each is read
    "prompt=%ED%A0%BD": (".sv-status", "half a character"),
    "prompt=%FF%FE": (".sv-status", "half a character"),
    "prompt=a%00b": (".sv-status", "Press Run."),
    "K[]=1&K[x]=2&__proto__=1&constructor=2": (".sv-status", "there is no setting “K[]”"),
}


@pytest.mark.parametrize("query", some(QUERIES, "prompt=a%00b"))
def test_bytes_that_are_no_text_harm_nothing(watched, app, query):
    watched.goto(f"{app}/?{query}")
    place, text = QUERIES[query]
    if text == "half a character":  # a link waits for Run
        expect(watched.locator(".sv-status")).to_contain_text("Press Run.")
        watched.locator("#run").click()
    expect(watched.locator(place)).to_contain_text(text)
    expect(watched.locator("#run")).to_be_enabled()
