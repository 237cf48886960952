"""What programs may call, and what a stranger may not: each test of the second half is an attack that got through once."""

import gc
import json
import logging
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from specviz.config import SETTINGS
from specviz.page import gradio_patches
from specviz.page import queue as queue_module
from specviz.page.calls import arguments
from specviz.page.guard import front
from specviz.page.guard.front import AllowedRoutes
from specviz.page.guard.shares import once
from specviz.page.keep.recorded import names
from specviz.page.lab.panel import fields
from specviz.page.learn import tab as learn
from specviz.page.queue import HERE, WAITING_EACH
from specviz.page.serve import LossyStream
from specviz.trace.file import dumps, loads
from specviz.words import page as words

from ..browser.fake_engine import FakeEngine
from ..fake_trace import fake_trace
from ..products import every
from .live import API, Live, served, until


@pytest.fixture(scope="module")
def live():
    with served(version="1.2.3") as live:
        yield live


@pytest.fixture(scope="module")
def client(live):
    return Client(live.url, verbose=False)


def test_every_setting_may_be_named_the_first_ones_keep_their_places_and_only_the_prompt_is_needed(live, client):
    assert ", homemade. Empty: the first." in next(one.fn.__doc__ for one in live.page.fns.values() if one.api_name == "race")
    parameters = client.view_api(return_format="dict", print_info=False)["named_endpoints"]["/race"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == list(arguments([]))
    assert {setting.key for setting in SETTINGS.values()} | {"prompt", "drafter"} == set(arguments([]))
    call = client.predict("A fox", 4, 0.5, 40, 7, verifier="typical", epsilon=0.2, theta=0.9, stop="zz\nyy", api_name="/race")
    trace = loads(call.encode())
    config = trace.header.config
    assert trace.vanilla and trace.speculative
    assert (config.K, config.temperature, config.max_new_tokens, config.seed) == (4, 0.5, 40, 7)
    assert (config.verifier, config.epsilon, config.theta, config.stop) == ("typical", 0.2, 0.5, ("zz", "yy"))
    assert loads(client.predict("A fox", api_name="/race").encode()).header.prompt == "A fox"


@pytest.mark.parametrize(
    "prompt, settings, sentence",
    [
        (
            "A fox",
            {"K": 99, "length": 0},
            "K” is 99; it must be a whole number from 0 to 32. “Length in tokens” is 0; it must be",
        ),
        ("  ", {}, "The prompt is empty"),
        ("bad", {}, "takes at most 512"),
        ("A fox", {"verifier": "none"}, "“Verifier” is none"),
        (None, {}, "The prompt must be a text, found NoneType"),
        (5, {}, "The prompt must be a text, found int"),
        ([["A fox"]], {}, "The prompt must be a text, found list"),
        ({"path": "/etc/passwd"}, {}, "The prompt must be a text, found dict"),
        ("A fox", {"K": ""}, "“Drafted tokens, K” is empty; it must be"),
        ("A fox", {"stop": 5}, "“Stop strings, one per line” is 5; it must be at most 8 strings"),
        ("A fox", {"drafter": ["small"]}, "“How to draft” is .'small'.; it must be one of small"),
        ("A fox", {"drafter": {"a": 1}}, "“How to draft” is {'a': 1}; it must be one of small"),
        ("A fox", {"drafter": "x" * 10**5}, "“How to draft” is x{1,40}…?; it must be one of small"),
    ],
)
def test_what_cannot_be_is_one_sentence(client, prompt, settings, sentence):
    with pytest.raises(AppError, match=sentence.replace("(", r"\(")):
        client.predict(prompt, **settings, api_name="/race")


def test_calls_of_one_address_wait_up_to_its_bound_and_the_next_is_told_so_at_once(live, client):
    runs = [live.queue.join(f"page{n}", "127.0.0.1") for n in range(WAITING_EACH + 1)]
    try:
        with pytest.raises(AppError, match=f"{WAITING_EACH} runs of your network address wait"):
            client.predict("A fox", api_name="/race")
    finally:
        for run in reversed(runs):
            live.queue.remove(run)


def test_calls_wait_in_the_queue_of_the_visitors(live, client):
    first = live.queue.join("visitor", "198.51.100.1")
    job = client.submit("A fox", api_name="/race")
    until(lambda: live.queue.counts() == (1, 1))
    assert not job.done()
    live.queue.remove(first)
    assert loads(job.result(timeout=30).encode()).vanilla


def post(client, path, **body):
    return httpx.post(f"{client.src.rstrip('/')}/gradio_api/{path}", json=body, timeout=20)


def test_nobody_is_decoded_for_who_left(live, client):
    event = post(client, "call/v2/race", prompt="slow", length=4096).json()["event_id"]
    until(lambda: live.queue.counts() == (0, 1))
    HERE._last_times.clear()  # and nobody has come to listen, for long
    until(lambda: live.queue.counts() == (0, 0))
    assert not HERE.is_here(event)


def test_a_call_with_too_few_values_fails_and_quotes_nothing(client):
    event = post(client, "call/race", data=["A fox"]).json()["event_id"]
    answer = httpx.get(f"{client.src.rstrip('/')}/gradio_api/call/race/{event}", timeout=20).text
    assert answer.startswith("event: error") and "Wanted inputs" not in answer


@pytest.mark.parametrize("path", ["run/race", "api/race", "run/predict"])
def test_nobody_goes_past_the_queue(client, path):
    body = {"data": ["A fox"], "session_hash": "past"}
    if path == "run/predict":
        body["fn_index"] = next(i for i, one in client.endpoints.items() if one.api_name == "/race")
    assert post(client, path, **body).status_code == 404


def test_the_server_says_that_it_is_ready_and_how_many_wait(live, client):
    health = httpx.get(f"{client.src.rstrip('/')}/healthz").json()
    assert health == {"ready": True, "version": "1.2.3", "waiting": 0, "running": 0}
    with live.queue.join("a", "a"), live.queue.join("b", "b"):
        health = httpx.get(f"{client.src.rstrip('/')}/healthz").json()
    assert (health["waiting"], health["running"]) == (1, 1)


@pytest.fixture
def http(live):
    return live.http


def opening(live: Live, file: object, session: str = "stranger") -> dict:
    return live.body(live.app.on("open", "upload")[0], session, file, open=file)


@pytest.fixture
def log(capfd, monkeypatch):
    """What a server's log has said since this was called last: first at the beginning of a test, where pytest has put its own stream."""

    def said() -> str:
        if not isinstance(sys.stderr, LossyStream):
            monkeypatch.setattr(sys, "stderr", LossyStream(sys.stderr))  # as serve.py does
        return "".join(capfd.readouterr())

    return said


@pytest.fixture
def hosts(monkeypatch):
    names, look_up = [], socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: names.append(str(host)) or look_up("127.0.0.1", *rest))
    return names


UNUSED = """
    dev/reload proxy=http://a.example/x deep_link?session_hash=x user login_check token runs openapi.json queue/status
    file/etc/passwd custom_component/a/client/component/x%0Aforged stream/a/b/1/x.ts process_recording vibe-code
    run-history/buckets mcp/ mcp/sse profiling/summary stream/x/close
""".split()


@pytest.mark.parametrize("path", UNUSED)
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


@pytest.mark.parametrize("path", ["component_server", "component_server/"])
def test_a_component_asks_as_gradios_script_does(live, path):
    body = {"data": 1, "component_id": live.app.ids["lab"], "session_hash": "s", "fn_name": "everything"}
    assert "panels" in live.post(path, json=body).json()


@pytest.mark.parametrize(
    "address", ["http://a.example/x", "https://a.example/x", "HTTP://a.example", "ftp://a.example/x", "//a.example/x"]
)
def test_the_server_is_no_proxy(http, hosts, address):
    assert http.get(f"{API}/file={address}").status_code in (403, 404)
    assert http.head(f"{API}/file={address.replace(':', '%3A')}").status_code in (403, 404)
    assert not [name for name in hosts if "example" in name]


FILE = {"path": "http://a.example/big", "meta": {"_type": "gradio.FileData"}}


def hidden(body: dict, change) -> bytes:
    return change(json.dumps(body)).encode()


ROUTES = ["queue/join", "run/predict", "call/race", "call/v2/race", "component_server"]
FILES_ELSEWHERE = {
    "file": FILE,
    "deep": [[{"deep": [FILE]}]],
    "url": FILE | {"path": "/own", "url": "https://a.example/x"},
    "scheme": {"path": "file://a.example/x"},
}


@every(together=1, path=ROUTES, kind=FILES_ELSEWHERE)
def test_a_file_is_never_an_address(live, hosts, path, kind):
    value = FILES_ELSEWHERE[kind]
    answer = live.post(path, json=opening(live, value) | {"prompt": value})
    assert answer.status_code == 400 and "fetches nothing" in answer.text
    assert not [name for name in hosts if "example" in name]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"path"', '"p\\u0061th"'),
        lambda text: text.replace("http:", "\\u0068ttp:"),
        lambda text: text.replace('"path": "http://a.example/big"', '"path": "http://a.example/big", "path": "/own"'),
    ],
    ids=["name", "value", "twice"],
)
def test_nor_is_it_one_by_another_spelling(live, change):
    body = hidden(opening(live, FILE), change)
    answer = live.post("queue/join", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "fetches nothing" in answer.text


@pytest.mark.parametrize("codec", ["utf-16", "utf-32-le"])
def test_nor_by_another_code(live, codec):
    body = json.dumps(opening(live, FILE)).encode(codec)
    answer = live.post("queue/join", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "not JSON in UTF-8" in answer.text


def test_nor_in_a_form_of_a_components_function(http):
    form = {"data": "x", "component_id": "1", "session_hash": "x", "fn_name": "place"}
    assert http.post(f"{API}/component_server", data=form, files={"a": b"a"}).status_code == 415


@pytest.mark.parametrize("text", ['"\\ud800"', '{"a": "\\uDfff b"}', '["\\\\\\ud800"]'])
def test_half_a_character_is_refused_before_anybody_writes_it(http, text):
    body = b'{"prompt": ' + text.encode() + b"}"
    answer = http.post(f"{API}/call/v2/race", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "not JSON in UTF-8" in answer.text


def test_whole_characters_however_they_are_written_are_not(http):
    body, how = b'{"prompt": "\\ud83d\\ude00 \\\\ud800 \\u0007"}', {"Content-Type": "application/json"}
    event = http.post(f"{API}/call/v2/race", content=body, headers=how)
    assert event.status_code == 200


def send_file(live: Live, data: bytes, session: str) -> None:
    path = live.post("upload", files={"files": ("run.jsonl", data)}).json()[0]
    file = {"path": path, "url": f"{live.url}gradio_api/file={path}", "meta": {"_type": "gradio.FileData"}}
    assert live.post("queue/join", json=opening(live, file, session)).status_code == 200


RUN = fake_trace("Once", max_new_tokens=12)
REQUEST = {"histogram": [1, 2], "num_draft_tokens": 4, "num_accepted_draft_tokens": 2, "num_spec_steps": 3}
FILES = {  # what is in a file, and what its visitor is told
    words.FILE_OPENED: dumps(RUN),
    words.RECORD_OPENED.format(engine="vLLM"): json.dumps(REQUEST).encode(),
    "The file was not opened": b"x" * 2_000_000,
}


@pytest.mark.parametrize("says", FILES, ids=["run", "record", "neither"])
def test_a_run_a_record_and_anything_else_are_answered(live, says):
    send_file(live, FILES[says], "opens")
    with live.listens("opens") as stream:
        assert stream.until(says)


def test_of_runs_that_nobody_collects_nothing_is_kept(live, monkeypatch):
    for module in gradio_patches, queue_module:
        monkeypatch.setattr(module, "GRACE_SECONDS", 0.0)  # nobody has come to listen, for long
    for n in range(3):
        send_file(live, dumps(replace(RUN, header=replace(RUN.header, prompt="<" * 390_000))), f"leaves{n}")
    queue = live.page._queue
    until(lambda: not any(queue.active_jobs) and not any(each.queue for each in queue.event_queue_per_concurrency_id.values()))
    monkeypatch.undo()
    send_file(live, dumps(RUN), "stays")
    with live.listens("stays") as stream:
        assert stream.until(words.FILE_OPENED)
    left = {name: one for name, one in queue.pending_messages_per_session.items() if name.startswith("leaves")}
    waiting = [m for messages in left.values() for m in messages._queue]
    assert not [message for message in waiting if getattr(message, "output", None)]


def test_a_session_keeps_no_more_than_a_control_holds_and_what_a_panel_sends_is_texts_of_a_length(live):
    large = "x" * 1_000_000
    live.fire(live.app.on("history", "again")[0], "large", {"source": "run", "data": large})
    live.fire(live.app.on("recorded", "input")[0], "large", prompt=large, recorded=names()[0])
    live.fire(live.app.on("lab-luck", "run")[0], "large", {"settings": {"prompt": large, large: large, "deep": [[large]]}})
    assert len(repr(live.page.app.state_holder["large"].state_data)) < 100_000
    settings = {"prompt": "x" * 10**6, "n" * 10**6: 1, "deep": [["x" * 10**6]], **{f"n{i}": "1" for i in range(1000)}}
    texts = fields({"settings": settings})
    assert len(json.dumps(texts)) < 50_000 and "deep" not in texts and texts["n0"] == "1"


def test_passes_are_timed_in_a_turn(live, monkeypatch):
    running = []
    monkeypatch.setattr(FakeEngine, "block_times", lambda self: running.append(live.queue.counts()[1]))
    first = live.queue.join("another", "198.51.100.1")
    live.fire(live.app.on("learn", "measure")[0], "measures")
    with live.listens("measures") as stream:
        until(lambda: live.queue.counts() == (1, 1))
        live.queue.remove(first)
        stream.until("process_completed")
    assert running == [1] and live.queue.counts() == (0, 0)


def test_thirty_who_open_learn_at_once_have_it_computed_once(monkeypatch):
    calls, whole = [], learn.excerpts
    monkeypatch.setattr(learn, "excerpts", lambda: calls.append(1) or whole())
    monkeypatch.setattr(learn, "run_excerpts", once(learn.run_excerpts.__wrapped__))
    with served() as live, ThreadPoolExecutor(30) as pool:
        answers = [*pool.map(lambda n: live.ask("learn", "recorded_rounds", session=f"s{n}").text, range(30))]
        assert all(live.ask("learn", name).text for name in ("teachers_pack", "students_sheet"))
        assert len(calls) == 1 and len(set(answers)) == 1 and len(answers[0]) > 10_000


@pytest.mark.parametrize("path", ["component_server", "run/predict", "cancel", "reset"])
def test_a_route_that_the_page_needs_is_there_with_a_stroke_at_its_end_too(path):
    """So gradio's own client asks for it."""
    for end in "", "/":
        scope = {"type": "http", "method": "POST", "path": f"{API}/{path}{end}", "root_path": ""}
        assert AllowedRoutes().allows(scope)


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("call/v2/race", {}, "other values than it takes"),
        ("call/v2/race", {"data": None}, "other values than it takes"),
        ("call/v2/nothing", {"prompt": "A fox"}, "names no function"),
        ("call/nothing%0Aforged line", {"data": []}, "names no function"),
        ("queue/join", {"data": [], "fn_index": 99999999, "session_hash": "x"}, "names no function"),
        ("queue/join", {"data": [], "fn_index": -5, "session_hash": "x"}, "names no function"),
        ("queue/join", {"data": None, "session_hash": "x"}, ""),
        ("queue/join", {"data": [FILE | {"path": "/x\nforged line"}], "fn_index": -1, "session_hash": "s"}, ""),
        ("component_server", {"data": 1, "component_id": "x\nforged line", "session_hash": "s", "fn_name": "everything"}, ""),
        ("component_server", {"data": 1, "component_id": [1], "session_hash": "s", "fn_name": "everything"}, ""),
        ("component_server", {"data": 1, "component_id": 10**9, "session_hash": ["s"], "fn_name": "\nforged line"}, ""),
        ("run/predict", {"data": ["\nforged line"], "fn_index": 10**9, "session_hash": "s"}, ""),
        ("cancel", {"session_hash": "s", "fn_index": 1, "event_id": "\nforged line"}, ""),
    ],
)
def test_a_bad_request_is_one_sentence_with_no_traceback_and_no_line_of_its_own(live, log, path, body, sentence):
    log()
    answer = live.post(path, json={"fn_index": live.app.on("open", "upload")[0]["id"]} | body if path == "queue/join" else body)
    assert answer.status_code < 500 and sentence in answer.text
    said = log()
    assert "Traceback" not in said and not any(line.startswith("forged") for line in said.splitlines())


def test_two_streams_of_one_session_that_hang_up_leave_no_traceback(live, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("uvicorn"), "propagate", True)
    with live.queue.join("other", "198.51.100.1"):
        live.fire(live.app.on("run", "click")[0], "twice")
        with live.listens("twice") as stream:
            stream.until("waiting")
            with live.listens("twice"):
                pass
        until(lambda: "twice" not in HERE._streams)
        assert live.http.get("/healthz").status_code == 200
    assert not caplog.records


def test_a_file_that_is_not_ones_own_is_one_sentence_and_no_traceback(live, log):
    log()
    file = {"path": "/etc/passwd\nforged line", "meta": {"_type": "gradio.FileData"}}
    live.post("queue/join", json=opening(live, file, "thief"))
    with live.listens("thief") as stream:
        message = stream.until("process_completed")
        assert '"success":false' in message
    said = log()
    assert "Traceback" not in said and not any(line.startswith("forged") for line in said.splitlines())


def test_a_long_body_is_taken_for_what_a_browser_hands_back_and_for_nothing_else(live):
    long = "x" * 300_000
    again = live.app.on("history", "again")[0]
    for event in live.app.events:
        status = live.fire(event, "long", {"data": long}).status_code
        assert (status == 400) == (event["id"] != again["id"]), event
    for path in ("component_server", "call/race", "call/v2/race", "run/predict"):
        assert "more than 256 KiB" in live.post(path, json={"data": [long], "session_hash": "long"}).text


NO_CALLS = {
    "text": "x" * 10**5,
    "names": {f"k{n}": n for n in range(15_000)},
    "data": {"data": "x" * 10**5},
    "list": [],
    "null": None,
}


@every(together=1, path=ROUTES[:4], kind=NO_CALLS)
def test_what_is_no_call_is_one_sentence_that_quotes_nothing_of_it(live, path, kind):
    answer = live.post(path, json=NO_CALLS[kind])
    assert answer.status_code == 400 and words.CALL_WRONG in answer.text and len(answer.content) < 200


def test_who_listens_for_nothing_is_told_so_in_the_same_sentence(http):
    assert words.CALL_WRONG in http.get(f"{API}/queue/data").text


@pytest.mark.parametrize("path", [f"/{folder}/{'a' * 5000}" for folder in ("assets", "static", "gradio_api/file=/tmp", "room")])
def test_a_name_that_no_file_can_have_is_no_traceback(http, capfd, path):
    capfd.readouterr()
    assert http.get(path).status_code in (200, 403, 404) and "Traceback" not in "".join(capfd.readouterr())


def test_what_is_asked_with_the_page_makes_it_no_other(http):
    pages = [http.get(f"/?visit={n}", headers={"X-Any": str(n)}) for n in range(5)]
    assert len({page.text for page in pages}) == 1 and "sv-notice" in pages[0].text


LONG = "s" * 65


@pytest.mark.parametrize("name", ["session_hash", "event_id", "fn_name"])
@pytest.mark.parametrize("path", ["run/predict", "queue/join", "component_server", "cancel", "reset", "call/race"])
def test_nothing_is_kept_by_a_name_longer_than_a_browser_makes(live, path, name):
    body = {"data": [], "fn_index": 1, "session_hash": "s", "fn_name": "x", "component_id": 1}
    for value in (LONG, "s" * 10**5, [LONG], {"a": LONG}, 7):
        answer = live.post(path, json=body | {name: value})
        assert answer.status_code == 400 and "more than 64 characters" in answer.text
    escaped = json.dumps(body | {name: LONG}).replace("_", "\\u005f")
    assert live.post(path, content=escaped.encode()).status_code == 400
    assert not any(len(one) > 64 for one in live.page.app.state_holder.session_data)


@pytest.mark.parametrize(
    "path", [f"queue/data?session_hash={LONG}", f"heartbeat/{LONG}", f"call/race/{LONG}", f"call/v2/race/{LONG}"]
)
def test_nor_does_anybody_listen_by_one(http, path):
    answer = http.get(f"{API}/{path}")
    assert answer.status_code == 400 and "more than 64 characters" in answer.text


def test_of_an_upload_nothing_is_kept_but_the_file(live):
    for n in range(20):
        sent = live.post(f"upload?upload_id={n}{'x' * 1000}", files={"files": ("x", b"x")})
        assert sent.status_code == 200
    assert live.http.get(f"{API}/upload_progress", params={"upload_id": "0"}).status_code == 404
    statuses = gc.get_objects()
    assert not [one for one in statuses if type(one).__name__ == "FileUploadProgress" and one._statuses]


def test_what_a_stranger_calls_this_server_is_told_to_nobody_else(live):
    for header in ("X-Forwarded-Host", "Host"):
        assert live.http.get(f"{API}/info", headers={header: "evil.example"}).status_code == 200
    assert "evil.example" not in live.http.get(f"{API}/info").text
    assert "evil.example" not in live.http.get(f"{API}/info?page=").text


HEAVY = {
    "integers": lambda n: "[" + ",".join(["7" * 4299] * n) + "]",
    "files": lambda n: json.dumps({"data": [{"path": "x"}] * n}),
    "escaped files": lambda n: "[" + ",".join(['{"\\u0070ath": "x"}'] * n) + "]",
}


@pytest.mark.parametrize("kind", HEAVY)
def test_a_body_that_takes_a_parser_long_is_refused_before_it_is_parsed(live, monkeypatch, kind):
    monkeypatch.setattr(front.json, "loads", lambda *_, **__: pytest.fail("parsed"))
    assert live.post("run/predict", content=HEAVY[kind](3000).encode()).status_code == 400


def test_a_large_body_is_read_beside_the_loop_that_answers_everybody(live, monkeypatch):
    threads = []
    monkeypatch.setattr(front, "body_refusal", lambda body, _: threads.append(threading.current_thread().name) or "no")
    for size in (10, 100_000):
        live.post("run/predict", json={"data": "x" * size})
    assert "AnyIO" not in threads[0] and "AnyIO" in threads[1]
