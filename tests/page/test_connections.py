"""Sockets that strangers hold: so many of one address, and none that asks for nothing."""

import socket
import sys
import threading
import time

import pytest
import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from specviz.commands.app import PROXIES
from specviz.page.guard import connections

from .. import loop


async def app(scope, receive, send):
    if scope["path"] == "/large":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        return await send({"type": "http.response.body", "body": bytes(2**25)})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(connections, "CONNECTIONS_EACH", 3)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off", forwarded_allow_ips="192.0.2.1"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    connections.bound_connections(server)
    yield server.servers[0].sockets[0].getsockname()
    server.should_exit = True
    thread.join(10)
    assert not connections.Connection.open_by_address


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
    monkeypatch.setattr(connections, "READ_SECONDS", 0.2)
    with socket.create_connection(address) as silent:
        silent.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        until = time.monotonic() + 30
        while connections.Connection.open_by_address:
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
