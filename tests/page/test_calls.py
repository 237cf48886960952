"""The endpoint for programs, by the client that gradio has for it."""

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from specviz.config import SETTINGS
from specviz.page.calls import arguments
from specviz.page.guard.presence import HERE
from specviz.page.queue import WAITING_EACH
from specviz.trace.file import loads

from .live import served, until


@pytest.fixture(scope="module")
def live():
    with served(version="1.2.3") as live:
        yield live


@pytest.fixture(scope="module")
def client(live):
    return Client(live.url, verbose=False)


def test_every_setting_may_be_named_and_the_first_ones_keep_their_places(live, client):
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


def test_only_the_prompt_is_needed(client):
    assert loads(client.predict("A fox", api_name="/race").encode()).header.prompt == "A fox"


@pytest.mark.parametrize(
    "prompt, settings, sentence",
    [
        ("A fox", {"K": 99}, "“Drafted tokens, K” is 99; it must be a whole number from 0 to 32"),
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
