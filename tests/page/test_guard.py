"""What every answer tells the browser, what no request may bring, and how much of a server one address has."""

import asyncio
import gc
import json
import socket
import sys
import threading
import time
from math import inf

import pytest
import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from specviz.commands.app import PROXIES
from specviz.page import serve
from specviz.page.guard import front
from specviz.page.guard.front import BODY_BYTES, FILE, MOST_VALUES, POLICY, BodyQuota, Guard, hosts_of
from specviz.page.guard.shares import Quota, WorkQueue, place_of
from specviz.page.queue import GRACE_SECONDS, Presence
from specviz.trace.file import FILE_LIMIT

from .. import loop


async def plain(scope, receive, send):
    """An app that reads all that comes and says how much it was."""
    came, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        came, more = came + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-security-policy", b"default-src *")]})
    await send({"type": "http.response.body", "body": str(came).encode()})


async def request(guard, messages, path="/", method="GET", length=None, parts=(b"",), place=None, query=b"", **headers):
    """One request; what is answered joins `messages`. A part that is None never comes, and after the last one nothing does."""
    parts = list(parts)

    async def receive():
        if not parts or parts[0] is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        messages.append(message)

    own = [(b"content-length", str(length).encode())] if length is not None else []
    own += [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": own, "query_string": query}
    await guard(scope | ({"client": (place, 1)} if place else {}), receive, send)


def ask(*of, **how):
    """(status, headers, body) of one request; a status of None is no answer."""
    messages = []
    loop.run(request(of[0], messages, *of[1:], **how))
    if not messages:
        return None, {}, b""
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], headers, b"".join(message.get("body", b"") for message in messages[1:])


UPLOADS, UPLOADS_EACH = front.UPLOAD_BYTES // FILE_LIMIT, front.UPLOAD_BYTES_EACH // FILE_LIMIT  # of the largest


async def begin(guard, places, path="/gradio_api/upload", method="POST", **how):
    """Requests from these places, begun one after the other: their tasks, and what was answered."""
    messages = []
    tasks = [asyncio.create_task(request(guard, messages, path, method, FILE_LIMIT, place=place, **how)) for place in places]
    await asyncio.sleep(0.001 * len(tasks))
    return tasks, messages


def statuses(messages):
    return [message["status"] for message in messages if "status" in message]


@pytest.mark.parametrize(
    ("path", "policy"),
    [
        *((path, POLICY) for path in ("/", "/gradio_api/queue/data", "/assets/index.js")),
        ("/gradio_api/file=/tmp/x/specviz-handout.html", FILE),
    ],
)
def test_every_answer_carries_the_headers_and_one_policy_and_may_stand_in_a_frame(path, policy):
    _, headers, _ = ask(Guard(plain), path)
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert headers["content-security-policy"] == policy and "x-frame-options" not in headers


def test_a_page_reaches_nothing_but_its_own_address_and_a_file_that_is_handed_out_runs_nothing():
    assert "frame-ancestors" not in POLICY and "http" not in POLICY and "*" not in POLICY
    assert FILE.startswith("sandbox;") and "script" not in FILE


def test_a_browser_keeps_the_files_of_gradio_and_asks_for_all_else_again():
    async def lacks(scope, receive, send):
        await send({"type": "http.response.start", "status": 404, "headers": []})

    assert "immutable" in ask(Guard(plain), "/assets/Plot-ChJwqOIq.js")[1]["cache-control"]
    for path in ("/", "/theme.css", "/gradio_api/file=/assets/run.json"):
        assert "cache-control" not in ask(Guard(plain), path)[1]
    assert "cache-control" not in ask(Guard(lacks), "/assets/Plot-ChJwqOIq.js")[1]


@pytest.mark.parametrize("path, most", [("/gradio_api/upload", FILE_LIMIT + 2**16), ("/gradio_api/run/predict", BODY_BYTES)])
def test_a_body_that_is_too_long_is_refused_before_it_is_read(path, most):
    guard = Guard(plain)
    assert ask(guard, path, "POST", most, [b"x"])[0] == 200
    status, headers, body = ask(guard, path, "POST", most + 1)
    assert status == 413 and f"{most // 2**20} MiB".encode() in body and headers["x-content-type-options"] == "nosniff"


def test_a_body_without_a_length_is_read_up_to_the_bound_only():
    half = b"x" * (BODY_BYTES // 2)
    head, end = b'{"fn_index": 7, "data": "', b'"}'
    parts = [head, half[len(head) :], half[len(end) :], end]
    guard = Guard(plain, large={7})
    assert ask(guard, "/gradio_api/queue/join", "POST", None, parts)[2] == str(BODY_BYTES).encode()
    assert ask(guard, "/gradio_api/queue/join", "POST", None, [*parts, b" "])[0] == 413


def never(scope, receive, send):
    return asyncio.Event().wait()


def test_only_so_many_files_are_sent_at_once_and_of_one_address_fewer():
    async def run():
        guard = Guard(never)
        first, refused = await begin(guard, ["10.0.0.1"] * (UPLOADS_EACH + 1))
        assert statuses(refused) == [503]
        others, refused = await begin(guard, [f"10.0.0.{n}" for n in range(2, 2 + UPLOADS - UPLOADS_EACH)])
        assert statuses(refused) == []
        _, refused = await begin(guard, ["10.0.1.1"])
        assert statuses(refused) == [503]
        others[0].cancel()  # one is done: there is room again
        await asyncio.gather(others[0], return_exceptions=True)
        last, refused = await begin(guard, ["10.0.1.1"])
        assert statuses(refused) == []
        for task in (*first, *others, *last):
            task.cancel()

    loop.run(run())


def test_who_sends_slowly_gives_way_to_one_that_comes(monkeypatch):
    async def run():
        guard = Guard(plain)
        slow, given_way = await begin(guard, [f"10.0.0.{n}" for n in range(UPLOADS)], parts=())
        _, refused = await begin(guard, ["10.0.1.1"], parts=[b"x"])
        assert (statuses(refused), given_way) == ([503], [])  # nobody is slow yet
        monkeypatch.setattr(front, "LONG_SECONDS", -1.0)
        _, answered = await begin(guard, ["10.0.1.1"], parts=[b"x"])
        await slow[0]
        assert (statuses(answered), statuses(given_way)) == ([200], [503])
        for task in slow:
            task.cancel()

    loop.run(run())


def test_bodies_that_are_read_whole_have_a_bound_in_all_and_for_an_address():
    quota = BodyQuota(of=100, each=50)
    first, second = front.Body(never, 1), front.Body(never, 1)
    assert quota.begin(first, "a", 50) and not quota.begin(second, "a", 1) and quota.begin(second, "b", 50)
    assert not quota.begin(third := front.Body(never, 1), "c", 1)
    quota.end(first)
    assert quota.begin(third, "c", 50)
    guard = Guard(plain)
    guard.memory = BodyQuota(of=100, each=100)
    status, _, answer = ask(guard, "/gradio_api/queue/join", "POST", None, [b"x"])
    assert status == 503 and "Try again" in json.loads(answer)["detail"]  # gradio's page shows nothing else
    guard.memory = BodyQuota(of=BODY_BYTES, each=BODY_BYTES)
    assert [ask(guard, "/gradio_api/queue/join", "POST", None, [b"x"])[0] for _ in range(2)] == [200, 200]


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/gradio_api/queue/join"])
def test_a_body_that_stops_coming_ends_with_a_sentence(monkeypatch, path):
    monkeypatch.setattr(front, "STALL_SECONDS", 0.01)
    status, headers, answer = ask(Guard(plain), path, "POST", 2**20, [b"x", None])
    assert status == 408 and b"stopped on its way" in answer and headers["connection"] == "close"


def test_a_body_that_drips_ends_too(monkeypatch):
    class Clock:
        now = 0.0

        def __call__(self):
            self.now += 9.0  # always a byte before it would count as stalled
            return self.now

    async def drip():
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def run():
        dripping = front.Body(drip, BODY_BYTES, Clock())
        return await dripping.read_all(), dripping.fault

    assert loop.run(run()) == (None, "stalled")


def test_json_of_too_many_values_is_refused_before_it_is_parsed():
    many = b"[" + b"0," * MOST_VALUES + b"0]"
    status, _, answer = ask(Guard(plain), "/gradio_api/queue/join", "POST", len(many), [many])
    assert status == 413 and f"{MOST_VALUES:,}".encode() in answer
    text = b'{"fn_index": 7, "data": "' + b"a" * len(many) + b'"}'
    assert ask(Guard(plain, large={7}), "/gradio_api/queue/join", "POST", len(text), [text])[2] == str(len(text)).encode()


def test_on_loopback_only_its_own_names_are_answered_and_elsewhere_those_that_are_served_or_any():
    guard = Guard(plain, hosts=hosts_of("127.0.0.1"))
    for host in ("127.0.0.1:7860", "localhost:7860", "LOCALHOST", "[::1]:7860"):
        assert ask(guard, host=host)[0] == 200, host
    for host in ("evil.example", "evil.example:7860", "localhost.evil.example", "127.0.0.1@evil.example", "", "[", "[::1"):
        assert ask(guard, host=host)[0] == 403, host
    assert b"--hostname evil.example" in ask(guard, host="evil.example")[2]
    assert "“" not in ask(guard, host="[")[2].decode()
    assert set(hosts_of("specviz.example")) == {"specviz.example", "localhost", "127.0.0.1", "::1"}
    assert "lab.example" in hosts_of("127.0.0.1", ["Lab.Example"])
    assert hosts_of("0.0.0.0") == hosts_of("::") == () and "lab.example" in hosts_of("0.0.0.0", ["lab.example"])
    assert ask(Guard(plain), host="any.example", origin="http://other.example")[0] == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_of_another_origin_is_refused_and_uploads_nothing(method):
    guard = Guard(plain, hosts=hosts_of("127.0.0.1"))
    for origin in ("http://evil.example", "https://localhost.evil.example", "null", "http://["):
        assert ask(guard, "/gradio_api/upload", method, 1, [b"x"], host="127.0.0.1", origin=origin)[0] == 403, origin
    own, path = {"host": "127.0.0.1:7860"}, "/" if method == "GET" else "/gradio_api/upload"
    assert ask(guard, path, method, 1, [b"x"], **own, origin="http://localhost:7860")[0] == 200
    for origin in ("http://localhost:9999", "http://127.0.0.1", "http://localhost:99999"):  # another program of this machine
        assert ask(guard, path, method, 1, [b"x"], **own, origin=origin)[0] == 403, origin


def test_a_full_disk_is_one_sentence_and_no_traceback(monkeypatch):
    async def full(scope, receive, send):
        raise OSError(28, "No space left on device")

    status, _, answer = ask(Guard(full), "/gradio_api/upload", "POST", 1, [b"x"])
    assert status == 507 and b"disk of this server is full" in answer
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 2**20}))
    status, _, _ = ask(Guard(lambda *_: pytest.fail("wrote")), "/gradio_api/upload", "POST", 2**19, [b"x"])
    assert status == 507


def test_one_household_is_one_address():
    places = [place_of({"client": (client, 1)}) for client in ("2001:db8::1", "2001:db8::ffff", "::ffff:10.0.0.1", "10.0.0.1")]
    assert places[0] == places[1] != places[2] == places[3] and place_of({}) == place_of({"client": ("testclient", 1)}) == ""


def test_who_listens_is_here_and_for_a_moment_after():
    now = [0.0]
    here = Presence(lambda: now[0])
    stream = {"path": "/gradio_api/queue/data", "query_string": b"session_hash=abc"}
    assert not here.is_here("abc")
    with here.listens(stream), here.listens({"path": "/gradio_api/call/race/event1"}), here.listens({"path": "/"}):
        now[0] = 100.0
        assert here.is_here("abc") and here.is_here(None, "event1") and not here.is_here("other", None)
    assert here.is_here("abc")
    now[0] += GRACE_SECONDS
    assert not here.is_here("abc")


def test_streams_of_one_address_are_bounded_and_leave_room_for_another(monkeypatch):
    monkeypatch.setattr("specviz.page.guard.front.STREAMS_EACH", 3)

    async def run():
        guard, tasks, refused = Guard(never), [], []
        heartbeats = [("10.0.0.1", f"heartbeat/{n}") for n in range(3)] + [("10.0.0.2", "heartbeat/x")]
        for place, path in (*heartbeats, ("10.0.0.1", "queue/data")):
            more, messages = await begin(guard, [place], f"/gradio_api/{path}", "GET", query=b"session_hash=x")
            tasks += more
            refused += statuses(messages)
        assert refused == [503]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert guard.streams.taken() == 0

    loop.run(run())


def test_an_answer_that_is_read_slowly_holds_up_no_other_of_its_address():
    async def run():
        guard, read = Guard(plain), asyncio.Event()
        answered = []

        async def slow(message):
            answered.append(message)
            await read.wait()

        scope = {"type": "http", "path": "/", "method": "GET", "headers": [], "client": ("10.0.0.1", 1)}

        async def receive():
            return {"type": "http.request", "body": b""}

        tasks = [asyncio.create_task(guard(scope, receive, slow)) for _ in range(10)]
        for _ in range(10):
            await asyncio.sleep(0)
        assert len(answered) == 10
        read.set()
        await asyncio.gather(*tasks)

    loop.run(run())


class Thing:
    pass


def test_open_streams_have_a_bound_and_bytes_count_for_as_long_as_what_has_them_lives():
    quota, first, second = Quota(of=100, each=60), Thing(), Thing()
    assert quota.reserve(first, "a", 60) and not quota.reserve(second, "a", 1)
    assert quota.reserve(second, "b", 40) and not quota.reserve(Thing(), "c", 1)
    assert quota.taken() == 100
    del first
    gc.collect()
    assert quota.taken() == 40 and quota.reserve(Thing(), "a", 60)
    share = Quota(of=3, each=2)
    assert [share.begin(who) for who in "aaabb"] == [True, True, False, True, False]


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_one_address_waits_for_its_own_answers_and_another_for_none_of_them():
    async def run():
        work, done = WorkQueue(of=8, each=2, line=3), {}

        async def ask(name):
            done[name] = await work.begin(name[0])

        tasks = [asyncio.create_task(ask(f"a{n}")) for n in range(6)]
        await settle()
        assert done.keys() == {"a0", "a1", "a5"} and done["a5"] is None  # its line is full
        tasks.append(asyncio.create_task(ask("b0")))
        await settle()
        assert done["b0"]
        done["a0"].leave()
        done["a0"].leave()
        await settle()
        assert "a2" in done and "a3" not in done
        for name in ("a1", "a2", "b0"):
            done[name].leave()
        await settle()
        done["a3"].leave(), done["a4"].leave()
        assert not work._asking and not work._own
        await asyncio.gather(*tasks)

    loop.run(run())


def test_of_many_addresses_each_has_its_turn():
    async def run():
        work, order = WorkQueue(of=1, each=1), []

        async def ask(name):
            done = await work.begin(name[0])
            order.append(name)
            await asyncio.sleep(0)
            done.leave()

        await asyncio.gather(*(ask(name) for name in ("a0", "a1", "a2", "a3", "b0", "c0")))
        assert order.index("b0") < order.index("a3") and order.index("c0") < order.index("a3") and len(order) == 6
        assert not work._asking and not work._own

    loop.run(run())


def test_who_leaves_the_line_leaves_no_gap_in_it():
    async def run():
        work = WorkQueue(of=1, each=1)
        first = await work.begin("a")
        waiting, next_ = (asyncio.create_task(work.begin("a")) for _ in range(2))
        await settle()
        waiting.cancel()
        await settle()
        first.leave()
        (await next_).leave()
        assert not work._asking and not work._own

    loop.run(run())


def test_an_answer_that_waits_for_something_else_gives_its_place_to_another_and_counts_all_the_same():
    async def run():
        work, done = WorkQueue(of=1, each=1, line=1), {}

        async def ask(name):
            done[name] = await work.begin(name[0])

        tasks = [asyncio.create_task(ask(f"a{n}")) for n in range(2)]
        await settle()
        assert done.keys() == {"a0"}
        done["a0"].free()
        await settle()
        assert done.keys() == {"a0", "a1"}
        await ask("a2")
        assert done["a2"] is None  # two of this address are asked for already
        for name in ("a0", "a1"):
            done[name].leave()
        assert not work._asking and not work._own
        await asyncio.gather(*tasks)

    loop.run(run())


async def answers(scope, receive, send):
    if scope["path"] == "/large":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        return await send({"type": "http.response.body", "body": bytes(2**25)})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setattr(serve, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(serve, "OPEN_CONNECTIONS", Quota(inf, 3))
    server = uvicorn.Server(uvicorn.Config(answers, port=0, log_level="warning", lifespan="off", forwarded_allow_ips="192.0.2.1"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    serve.bound_connections(server)
    yield server.servers[0].sockets[0].getsockname()
    server.should_exit = True
    thread.join(10)
    assert not serve.OPEN_CONNECTIONS.taken()


def ended(sock):
    sock.settimeout(10)
    try:
        while sock.recv(1000):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_who_asks_for_nothing_is_not_waited_for(address, head):
    with socket.create_connection(address) as silent:
        silent.sendall(head)
        assert ended(silent)


def test_who_was_answered_and_begins_to_ask_again_is_not_waited_for_either(address):
    with socket.create_connection(address) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert slow.recv(10).startswith(b"HTTP/1.1 2")
        slow.sendall(b"GET / HTTP/1.1\r\n")
        assert ended(slow)


def test_an_address_has_a_share_of_the_connections_and_another_one_is_answered(address):
    sockets = [socket.create_connection(address) for _ in range(3)]
    with socket.create_connection(address) as one_too_many:
        assert ended(one_too_many)
    if sys.platform == "linux":  # where all of 127/8 is this machine
        other = socket.create_connection(address, source_address=("127.0.0.2", 0))
        other.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert other.recv(1000).startswith(b"HTTP/1.1 200")
        other.close()
    for one in sockets:
        one.close()


def test_one_connection_may_ask_again_and_again(address):
    with socket.create_connection(address) as patient:
        for _ in range(3):
            patient.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            came = b""
            while not came.endswith(b"ok"):
                came += patient.recv(1000)


def test_an_answer_that_nobody_reads_is_let_go(address, monkeypatch):
    monkeypatch.setattr(serve, "READ_SECONDS", 0.2)
    with socket.create_connection(address) as silent:
        silent.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        until = time.monotonic() + 30
        while serve.OPEN_CONNECTIONS.taken():
            assert time.monotonic() < until
            time.sleep(0.01)


@pytest.mark.parametrize(
    "header", ["203.0.113.9", "6.6.6.6, 203.0.113.9", "127.0.0.1, 203.0.113.9, 10.4.5.6", "x\u00e4, 203.0.113.9"]
)
def test_in_a_space_only_what_its_own_proxies_wrote_says_who_asks(header):
    hosts = []

    async def inner(scope, receive, send):
        hosts.append(scope["client"][0])

    guarded = ProxyHeadersMiddleware(inner, PROXIES)
    scope = {"type": "http", "client": ("10.0.0.1", 1), "headers": [(b"x-forwarded-for", header.encode("latin-1"))]}
    loop.run(guarded(scope, None, None))
    assert hosts == ["203.0.113.9"]
