"""What a visit to the page is sent, in bytes: a bound on each part, a tenth above what it is."""

import gzip
import json
import re
from urllib.request import Request, urlopen

import pytest
from gradio.context import Context

from specviz.page import look
from specviz.page.keep.recorded import load
from specviz.picture.bundle import bundle

from .live import served


@pytest.fixture(scope="module")
def url():
    """Where the page is served, with a recorded run on it."""
    # gradio numbers the components of a process: behind other pages their numbers have more digits, up to 2 kB of them
    Context.id = 0
    with served(run=load("opening")) as live:
        yield live.url


@pytest.fixture(scope="module")
def html(url):
    return urlopen(url).read()


def test_the_page_travels_packed_to_whoever_unpacks_it_and_is_the_same(url, html):
    answer = urlopen(Request(url, headers={"Accept-Encoding": "gzip, deflate, br"}))
    body = answer.read()
    assert answer.headers["Content-Encoding"] == "gzip" and len(body) < 120_000
    assert len(gzip.decompress(body)) == pytest.approx(len(html), abs=200)  # but for what is drawn anew for each visit


def test_what_gradio_sends_packed_is_packed_once(url, html):
    script = re.search(rb'src="\./(assets/[\w.-]+\.js)"', html)[1].decode()
    answer = urlopen(Request(url + script, headers={"Accept-Encoding": "gzip"}))
    assert answer.headers.get_all("Content-Encoding") == ["gzip"] and b"import" in gzip.decompress(answer.read())


def test_the_page_is_no_heavier_than_it_has_to_be(html):
    assert len(html) < 500_000


def test_the_scripts_and_the_words_of_the_page_are_sent_once(html):
    config = json.JSONDecoder().raw_decode(html.decode().split("window.gradio_config = ", 1)[1])[0]
    assert config["head"].count(bundle("page.js")) == 1
    boxes = [component["props"] for component in config["components"]]
    assert all(len(props.get("js_on_load") or "") < 200 for props in boxes)
    assert not [
        props["elem_id"] for props in boxes if "words" in (props.get("props") or {}) and "race" in props["props"]["words"]
    ]


def test_the_one_script_is_small():
    assert len(look.script().encode()) < 176_000
