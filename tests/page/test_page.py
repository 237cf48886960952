"""The page as a whole, built without a browser: what it is made of, that it is made once, what a visit is sent:
a bound on each part, a tenth above what it is."""

import asyncio
import gzip
import json
import re
from inspect import isasyncgenfunction, iscoroutinefunction
from urllib.request import Request, urlopen

import gradio as gr
import pytest
from gradio.context import Context

from specviz.config import SETTINGS
from specviz.page import look
from specviz.page.build import build
from specviz.page.compress import CACHED_PAGES, FRESH_SECONDS, CompressedPage
from specviz.page.guard.shares import once
from specviz.page.keep.recorded import load
from specviz.page.queue import TIMED
from specviz.page.watch import shelf
from specviz.picture.sheets import bundle
from specviz.words import page as words

from .. import loop
from ..browser.fake_engine import FakeEngine
from ..fake_trace import fake_trace
from ..fakes import Clock
from ..test_layers import ROOT
from .live import served


def test_one_endpoint_is_for_others_and_none_is_by_accident():
    page = build(FakeEngine(), fake_trace())
    assert set(page.get_api_info()["named_endpoints"]) == {"/race"}
    assert [event.api_name for event in page.fns.values() if event.api_visibility != "private"] == ["race"]


def test_what_the_page_calls_of_its_script_is_there():
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "specviz" / "page").rglob("*.py"))
    calls = set(re.findall(r"\bspecviz\.([a-z]\w*)\(", sources))
    lists = re.findall(r"export \{(.*?)\}", (ROOT / "assets" / "page.js").read_text("utf-8"), re.DOTALL)
    exports = set(re.findall(r"(\w+)(?=,|\s*$)", "\n".join(lists), re.MULTILINE))
    assert {"race", "keepUnfolded", "openTab"} <= calls <= exports


def test_what_waits_for_a_run_holds_no_thread():
    timed = [event.fn for event in build(FakeEngine()).fns.values() if event.concurrency_id == TIMED["concurrency_id"]]
    assert timed and all(isasyncgenfunction(one) or iscoroutinefunction(one) for one in timed)


def test_every_setting_has_a_control():
    ids = {one["props"].get("elem_id") for one in build(FakeEngine()).get_config_file()["components"]}
    assert {f"{one.key.replace('_', '-')}{'-strings' if one.kind is tuple else ''}" for one in SETTINGS.values()} <= ids


def test_an_example_that_the_models_have_no_recorded_run_of_leaves_the_status_to_the_run():
    """The list's own “none” ends what was shown; behind an example it came after the run had begun."""
    events = build(FakeEngine()).fns
    after_example = [one for one in events.values() if one.name == "choose_recorded" and one.trigger_after is not None]
    after_example += [one for one in events.values() if one.trigger_after in {first._id for first in after_example}]
    assert len(after_example) >= 2
    for event in after_example:
        assert event.fn("", *[None] * (len(event.inputs) - 1)) == gr.skip()


def test_each_example_is_known_by_the_word_on_its_button_whatever_models_are_chosen():
    examples = shelf._examples(FakeEngine())
    assert list(examples) == [*words.EXAMPLE_NAMES, *words.QUESTIONS]
    assert examples["A dog"] == {"text": words.EXAMPLES[0], "runs": {"story": "opening"}}


class Page:
    """Counts how often it is made; its answers differ by that number. `status` is what it says."""

    calls, status = 0, 200

    async def __call__(self, scope, receive, send):
        self.calls += 1
        await send({"type": "http.response.start", "status": self.status, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"page %d" % self.calls})


def asked(app, query=b"", path="/", headers=()):
    messages = []

    async def send(message):
        messages.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": list(headers)}
    loop.run(app(scope, None, send))
    return b"".join(message.get("body", b"") for message in messages)


def test_it_names_the_address_that_this_machine_has_when_it_is_made():
    class Head(Page):
        async def __call__(self, scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"<head></head>"})

    addresses, clock = ["192.168.1.5", "10.0.0.5", None], Clock()
    app = CompressedPage(Head(), lambda: addresses.pop(0), clock)
    for expected in (b'<meta name="specviz-lan" content="192.168.1.5">', b'content="10.0.0.5"', b"</script></head>"):
        assert expected in asked(app)
        clock.now += FRESH_SECONDS


def test_who_asks_the_same_a_moment_later_gets_the_same_page_and_few_are_kept():
    page, clock = Page(), Clock()
    app = CompressedPage(page, clock=clock)
    assert asked(app) == asked(app) == b"page 1"
    clock.now += FRESH_SECONDS
    assert asked(app) == b"page 2"
    app = CompressedPage(Page(), clock=Clock())
    for n in range(3 * CACHED_PAGES):
        asked(app, headers=[(b"host", b"%d" % n)])
    assert len(app.answers) <= CACHED_PAGES


def test_who_asks_under_another_name_gets_a_page_of_its_own():
    page = Page()
    app = CompressedPage(page, clock=Clock())
    requests = [{}, *({"headers": [(name, b"a")]} for name in (b"host", b"x-forwarded-host", b"x-forwarded-proto"))]
    assert len({asked(app, **how) for how in requests}) == len(requests)
    assert asked(app, headers=[(b"accept-encoding", b"gzip, br")]) == f"page {len(requests) + 1}".encode()


def test_nobody_has_it_made_anew_by_another_way_to_ask():
    app = CompressedPage(Page(), clock=Clock())
    requests = [{"query": b"seed=%d" % n} for n in range(40)]
    names = b"cookie", b"x-any", b"user-agent", b"authorization", b"accept-encoding"
    requests += [{"headers": [(name, b"a")]} for name in names]
    assert {asked(app, **how) for how in requests} == {b"page 1"}


def test_who_asks_while_it_is_made_waits_for_it():
    class Slow(Page):
        async def __call__(self, *requests):
            await asyncio.sleep(0)
            await super().__call__(*requests)

    page = Slow()
    app = CompressedPage(page, clock=Clock())

    async def many():
        messages = []

        async def send(message):
            messages.append(message.get("body", b""))

        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
        await asyncio.gather(*(app(scope, None, send) for _ in range(40)))
        return {*messages} - {b""}

    assert loop.run(many()) == {b"page 1"} and page.calls == 1


def test_what_failed_is_not_kept_and_what_streams_is_left_alone():
    page = Page()
    app = CompressedPage(page, clock=Clock())
    page.status = 500
    assert (asked(app), asked(app)) == (b"page 1", b"page 2")
    page.status = 200
    assert (asked(app, path="/gradio_api/x"), asked(app, path="/gradio_api/x")) == (b"page 3", b"page 4")


def test_what_failed_is_tried_again():
    tries = []

    @once
    def fails():
        tries.append(1)
        if len(tries) == 1:
            raise OSError
        return "done"

    try:
        fails()
    except OSError:
        assert fails() == fails() == "done"


@pytest.fixture(scope="module")
def live():
    # gradio numbers the components of a process: behind other pages their numbers have more digits, up to 2 kB of them
    Context.id = 0
    with served(run=load("opening")) as live:
        yield live


@pytest.fixture(scope="module")
def url(live):
    return live.url


@pytest.fixture(scope="module")
def html(url):
    return urlopen(url).read()


def test_the_page_travels_packed_once_to_whoever_unpacks_it_and_is_the_same(url, html):
    answer = urlopen(Request(url, headers={"Accept-Encoding": "gzip, deflate, br"}))
    body = answer.read()
    assert answer.headers["Content-Encoding"] == "gzip" and len(body) < 135_000
    assert len(gzip.decompress(body)) == pytest.approx(len(html), abs=200)  # but for what is drawn anew for each visit
    script = re.search(rb'src="\./(assets/[\w.-]+\.js)"', html)[1].decode()
    answer = urlopen(Request(url + script, headers={"Accept-Encoding": "gzip"}))
    assert answer.headers.get_all("Content-Encoding") == ["gzip"] and b"import" in gzip.decompress(answer.read())


def test_the_page_and_its_one_script_are_no_heavier_than_they_have_to_be_and_sent_once(html):
    assert len(html) < 548_000 and len(look.script().encode()) < 224_000
    config = json.JSONDecoder().raw_decode(html.decode().split("window.gradio_config = ", 1)[1])[0]
    assert config["head"].count(bundle("page.js")) == 1
    boxes = [component["props"] for component in config["components"]]
    assert all(len(props.get("js_on_load") or "") < 200 for props in boxes)
    assert not [one["elem_id"] for one in boxes if "words" in (one.get("props") or {}) and "race" in one["props"]["words"]]


@pytest.mark.parametrize("tab, most", [("learn", 82_000), ("lab", 62_000)])
def test_what_a_tab_brings_when_it_is_first_opened_travels_packed(live, tab, most):
    answer = live.ask(tab, "everything", headers={"Accept-Encoding": "gzip, br"})
    assert answer.headers["Content-Encoding"] == "gzip" and answer.num_bytes_downloaded < most
    assert "script" in json.loads(answer.json())
