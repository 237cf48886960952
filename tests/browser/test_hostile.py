"""Text from anybody is drawn as text wherever it comes out: prompts, tokens, names in traces, file names, parameters of a link."""

import csv
import io
from dataclasses import replace
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from specviz.trace.file import dumps
from tests.fake_trace import HOSTILE, fake_trace

from ..products import some
from .person import drag, fits, lane, let_go, run, save

IMG = "<img src=x onerror=alert(1)>"
TEXTS = [
    IMG,
    "</script><script>alert(1)</script>",
    "${1+1}",
    "{{value}}",
    "`${value}`",
    "@children",
    "\u202egnp.exe",
    "<!--",
    "=HYPERLINK(1)",
]
WHERE = [".sv-race", ".sv-detail", "#history", ".sv-status", "#timeline", ".sv-said", "#drafter-note"]


def nothing_became_markup(page):
    """No element, no attribute and no template came out of a text: `watched` also fails on any dialog, request or script error."""
    markup = "img, script:not([src]):not([type]), iframe, object, b, [onerror], [onclick], [onload]"
    for place in WHERE:
        expect(page.locator(place).locator(markup)).to_have_count(0)


def with_names(text):
    """A trace whose every name is `text`."""
    trace = fake_trace(f"Named {text}", hostile=True)
    target, draft, machine = trace.header.target, trace.header.draft, trace.header.machine
    names = {"target": replace(target, name=text, dtype=text), "draft": replace(draft, name=text)}
    return replace(trace, header=replace(trace.header, **names, machine=replace(machine, device=text, torch=text)))


def test_a_prompt_is_text_on_the_page_in_its_history_and_in_its_table(still, subtests, tmp_path):
    for i in range(0, len(TEXTS), 3):  # three in one prompt
        text = "".join(TEXTS[i : i + 3])
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
