"""The endpoint for programs, by the client that gradio has for it."""

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from specviz.config import SETTINGS
from specviz.page.build import build, launch_settings
from specviz.page.calls import arguments
from specviz.page.turns import Turns
from specviz.trace.file import loads

from ..browser.fake_engine import FakeEngine

TURNS = Turns()


@pytest.fixture(scope="module")
def client():
    page = build(FakeEngine(), turns=TURNS)
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings())
    yield Client(url, verbose=False)
    page.close(verbose=False)


def test_a_prompt_and_settings_give_the_trace(client):
    trace = loads(client.predict("Once upon a time", K=4, length=40, seed=7, verifier="block", api_name="/race").encode())
    config = trace.header.config
    assert (trace.header.prompt, config.K, config.max_new_tokens, config.seed) == ("Once upon a time", 4, 40, 7)
    assert config.verifier == "block" and trace.vanilla and trace.speculative


def test_every_setting_may_be_named_and_the_first_ones_keep_their_places(client):
    taken = client.view_api(return_format="dict", print_info=False)["named_endpoints"]["/race"]["parameters"]
    assert [one["parameter_name"] for one in taken] == list(arguments())
    assert {setting.key for setting in SETTINGS.values()} | {"prompt", "drafter"} == set(arguments())
    call = client.predict("A fox", 4, 0.5, 40, 7, verifier="typical", epsilon=0.2, theta=0.9, stop="zz\nyy", api_name="/race")
    config = loads(call.encode()).header.config
    assert (config.K, config.temperature, config.max_new_tokens, config.seed) == (4, 0.5, 40, 7)
    assert (config.verifier, config.epsilon, config.theta, config.stop) == ("typical", 0.2, 0.5, ("zz", "yy"))


def test_only_the_prompt_is_needed(client):
    assert loads(client.predict("A fox", api_name="/race").encode()).header.prompt == "A fox"


@pytest.mark.parametrize(
    "prompt, settings, sentence",
    [
        ("A fox", {"K": 99}, "“Drafted a round, K” is 99; it must be a whole number from 0 to 32"),
        ("  ", {}, "The prompt is empty"),
        ("bad", {}, "takes at most 512"),
        ("A fox", {"verifier": "none"}, "“Verifier” is none"),
    ],
)
def test_what_cannot_be_is_one_sentence(client, prompt, settings, sentence):
    with pytest.raises(AppError, match=sentence.replace("(", r"\(")):
        client.predict(prompt, **settings, api_name="/race")


def test_a_call_waits_for_no_more_tokens_than_there_is_room_for(client):
    tickets = [TURNS.join(4090) for _ in range(8)]
    try:
        with pytest.raises(AppError, match="while 8 others wait"):
            client.predict("A fox", api_name="/race")
    finally:
        for ticket in tickets:
            TURNS.leave(ticket)
