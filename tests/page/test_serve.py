"""Whether a port can be had, asked before anything is loaded."""

import socket

import pytest

from specviz.page.serve import in_use, serve


def test_a_port_is_in_use_for_as_long_as_somebody_listens():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert in_use("127.0.0.1", port)
    assert not in_use("127.0.0.1", port)


def test_where_an_address_can_be_shared_it_is_not_asked_for(monkeypatch):
    """Windows lets two servers have one port if they ask to reuse it: the second would start and never be reached."""
    asked = []
    monkeypatch.setattr("os.name", "nt")
    monkeypatch.setattr(socket.socket, "setsockopt", lambda _, level, option, value: asked.append(option))
    in_use("127.0.0.1", 0)
    assert socket.SO_REUSEADDR not in asked


def test_nothing_is_loaded_for_a_port_that_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert serve(lambda: pytest.fail("loaded the models first"), *taken.getsockname()) == 1
    assert "is in use" in capsys.readouterr().err
