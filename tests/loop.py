"""Runs a coroutine where a browser may have a loop of its own: Playwright's stands in the main thread for as long as its tests go on."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor


def run(work: Coroutine):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
