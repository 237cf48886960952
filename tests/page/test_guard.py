"""What every answer tells the browser, and what no request may bring."""

import asyncio

import pytest

from specviz.page.guard import BODY, FILE, POLICY, UPLOADS, Guard
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


def ask(guard, path="/", method="GET", length=None, parts=(b"",)):
    """(status, headers, body) of one request; a status of None is no answer."""
    sent, parts = [], list(parts)

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", str(length).encode())] if length is not None else []
    loop.run(guard({"type": "http", "path": path, "method": method, "headers": headers}, receive, send))
    if not sent:
        return None, {}, b""
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], told, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("path", ["/", "/gradio_api/queue/data", "/assets/index.js"])
def test_every_answer_carries_the_headers_and_one_policy(path):
    _, told, _ = ask(Guard(plain), path)
    assert told["x-content-type-options"] == "nosniff" and told["referrer-policy"] == "same-origin"
    assert told["content-security-policy"] == POLICY


def test_the_page_may_stand_in_a_frame_and_reaches_nothing_but_its_own_address():
    assert "frame-ancestors" not in POLICY and "http" not in POLICY and "*" not in POLICY
    _, told, _ = ask(Guard(plain))
    assert "x-frame-options" not in told


def test_a_file_that_is_handed_out_runs_nothing():
    _, told, _ = ask(Guard(plain), "/gradio_api/file=/tmp/x/specviz-handout.html")
    assert told["content-security-policy"] == FILE and "script" not in FILE


@pytest.mark.parametrize("path, most", [("/gradio_api/upload", FILE_LIMIT + 2**16), ("/gradio_api/run/predict", BODY)])
def test_a_body_that_is_too_long_is_refused_before_it_is_read(path, most):
    guard = Guard(plain)
    assert ask(guard, path, "POST", most, [b"x"])[0] == 200
    status, told, said = ask(guard, path, "POST", most + 1)
    assert status == 413 and f"{most // 2**20} MiB".encode() in said and told["x-content-type-options"] == "nosniff"


def test_a_body_without_a_length_is_read_up_to_the_bound_only():
    half = bytes(BODY // 2)
    assert ask(Guard(plain), "/gradio_api/queue/join", "POST", None, [half, half])[2] == str(BODY).encode()
    assert ask(Guard(plain), "/gradio_api/queue/join", "POST", None, [half, half, b"x"])[0] is None


def test_only_so_many_files_are_sent_at_once():
    held, seen = [], []

    async def slow(scope, receive, send):
        held.append(asyncio.get_running_loop().create_future())
        await held[-1]

    async def send(message):
        if message["type"] == "http.response.start":
            seen.append(message["status"])

    async def run():
        guard = Guard(slow)
        scope = {"type": "http", "path": "/gradio_api/upload", "method": "POST", "headers": [(b"content-length", b"1")]}
        sending = [asyncio.create_task(guard(scope, None, send)) for _ in range(UPLOADS)]
        await asyncio.sleep(0)
        await guard(scope, None, send)
        assert seen == [503]
        held[0].set_result(None)  # one is done: there is room again
        await sending[0]
        sending.append(asyncio.create_task(guard(scope, None, send)))
        await asyncio.sleep(0)
        assert seen == [503] and len(held) == UPLOADS + 1
        for future in held[1:]:
            future.set_result(None)
        await asyncio.gather(*sending)

    loop.run(run())
