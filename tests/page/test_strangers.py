"""What a stranger may not do to a page that is served: each test is an attack that got through once."""

import json
import socket

import pytest
from gradio import Error, processing_utils, route_utils

from . import live
from .live import API, Live


@pytest.fixture(scope="module")
def page():
    with live.served() as page:
        yield page


@pytest.fixture
def http(page):
    return page.http


def opening(page: Live, file: object, session: str = "stranger") -> dict:
    """What a browser sends when a file is opened."""
    return page.body(page.app.on("open", "upload")[1], session, file, open=file)


@pytest.fixture
def asked(monkeypatch):
    """The names of machines that this process looks up."""
    names, look_up = [], socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: names.append(str(host)) or look_up("127.0.0.1", *rest))
    return names


@pytest.mark.parametrize(
    "path",
    [
        *("dev/reload", "proxy=http://a.example/x", "deep_link?session_hash=x", "user", "login_check", "token", "runs"),
        *(
            "openapi.json",
            "queue/status",
            "custom_component/a/client/component/x%0Aforged",
            "file/etc/passwd",
            "stream/a/b/1/x.ts",
        ),
        *("process_recording", "vibe-code", "run-history/buckets", "mcp/", "mcp/sse", "profiling/summary", "stream/x/close"),
    ],
)
def test_a_route_of_gradio_that_no_page_needs_is_not_there(http, path):
    for method in ("GET", "POST", "HEAD", "PUT"):
        answer = http.request(method, f"{API}/{path}")
        assert answer.status_code == 404 and answer.text in ("", "This server has no such page."), (method, answer.text)


@pytest.mark.parametrize(
    "path", ["/monitoring", "/monitoring/summary", "/login", "/logout", "/docs", "/openapi.json", "/svelte/x"]
)
def test_nor_is_one_beside_them(http, path):
    assert {http.get(path).status_code, http.post(path).status_code} == {404}


def test_what_the_page_its_phones_and_programs_ask_for_is_there(http):
    for path in ("/", "/config", "/healthz", "/theme.css", "/room/abcdef", f"{API}/info", f"{API}/app_id", "/manifest.json"):
        assert http.get(path).status_code == 200, path
    assert http.post("/room/abcdef/look", json={}).json()["error"]


@pytest.mark.parametrize(
    "address", ["http://a.example/x", "https://a.example/x", "HTTP://a.example", "ftp://a.example/x", "//a.example/x"]
)
def test_the_server_is_no_proxy(http, asked, address):
    assert http.get(f"{API}/file={address}").status_code in (403, 404)
    assert http.head(f"{API}/file={address.replace(':', '%3A')}").status_code in (403, 404)
    assert not [name for name in asked if "example" in name]


FILE = {"path": "http://a.example/big", "meta": {"_type": "gradio.FileData"}}


def hidden(body: dict, change) -> bytes:
    return change(json.dumps(body)).encode()


@pytest.mark.parametrize("path", ["queue/join", "run/predict", "call/race", "call/v2/race", "component_server"])
@pytest.mark.parametrize(
    "sent",
    [
        FILE,
        [[{"deep": [FILE]}]],
        FILE | {"path": "/own", "url": "https://a.example/x"},
        {"path": "file://a.example/x"},
    ],
    ids=["file", "deep", "url", "scheme"],
)
def test_a_file_is_never_an_address(page, asked, path, sent):
    answer = page.post(path, json=opening(page, sent) | {"prompt": sent})
    assert answer.status_code == 400 and "fetches nothing" in answer.text
    assert not [name for name in asked if "example" in name]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"path"', '"p\\u0061th"'),
        lambda text: text.replace("http:", "\\u0068ttp:"),
        lambda text: text.replace('"path": "http://a.example/big"', '"path": "http://a.example/big", "path": "/own"'),
    ],
    ids=["name", "value", "twice"],
)
def test_nor_is_it_one_by_another_spelling(page, change):
    body = hidden(opening(page, FILE), change)
    answer = page.post("queue/join", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "fetches nothing" in answer.text


@pytest.mark.parametrize("codec", ["utf-16", "utf-32-le"])
def test_nor_by_another_code(page, codec):
    body = json.dumps(opening(page, FILE)).encode(codec)
    answer = page.post("queue/join", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "no JSON in UTF-8" in answer.text


def test_nor_in_a_form_of_a_components_function(http):
    sent = {"data": "x", "component_id": "1", "session_hash": "x", "fn_name": "place"}
    assert http.post(f"{API}/component_server", data=sent, files={"a": b"a"}).status_code == 415


@pytest.mark.anyio
async def test_what_gradio_fetches_by_fetches_nothing(asked):
    for fetch in (processing_utils.async_ssrf_protected_get, route_utils.safehttpx.async_validate_url):
        with pytest.raises(Error, match="fetches nothing"):
            await fetch("http://a.example/x")
    assert asked == []


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.parametrize("sent", ['"\\ud800"', '{"a": "\\uDfff b"}', '["\\\\\\ud800"]'])
def test_half_a_character_is_refused_before_anybody_writes_it(http, sent):
    body = b'{"prompt": ' + sent.encode() + b"}"
    answer = http.post(f"{API}/call/v2/race", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "no JSON in UTF-8" in answer.text


def test_whole_characters_however_they_are_written_are_not(http):
    event = http.post(
        f"{API}/call/v2/race",
        content=b'{"prompt": "\\ud83d\\ude00 \\\\ud800 \\u0007"}',
        headers={"Content-Type": "application/json"},
    )
    assert event.status_code == 200


def test_a_file_that_was_sent_is_opened(page):
    path = page.post("upload", files={"files": ("run.jsonl", b"{}")}).json()[0]
    file = {"path": path, "url": f"{page.url}gradio_api/file={path}", "meta": {"_type": "gradio.FileData"}}
    assert page.post("queue/join", json=opening(page, file)).status_code == 200
    with page.listens() as stream:
        assert "was not opened" in stream.until("refused")
