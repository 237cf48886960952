"""Thirty who ask in one moment have it computed once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

from specviz.page.once import once


def test_who_asks_while_it_is_computed_waits_for_it():
    began, go, all_here = [], Event(), Barrier(31)

    @once
    def drawn(name):
        began.append(name)
        go.wait(60)
        return object()

    def ask():
        all_here.wait(60)
        return drawn("a")

    with ThreadPoolExecutor(30) as pool:
        asked = [pool.submit(ask) for _ in range(30)]
        all_here.wait(60)
        while not began:
            pass
        go.set()
        assert len({id(one.result(60)) for one in asked}) == 1 and began == ["a"]
    assert drawn("b") is not drawn("a")


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
