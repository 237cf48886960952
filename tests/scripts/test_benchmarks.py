"""What a long measurement says meanwhile; one that needs a GPU; and visitors at once, of whom nobody sees another's run."""

import asyncio
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path

import httpx
import pytest

from scripts.gpu import shapes
from scripts.load import API, App, Tally, Visitor, crowd
from scripts.result import steps
from scripts.server import check_port
from specviz.page.keep.recorded import load, names
from specviz.page.learn.chapters.busy import busy
from specviz.trace.file import dumps

from ..fake_trace import fake_trace
from ..loop import run
from ..page.live import served


def test_each_step_says_which_of_how_many_it_is_and_when_the_time_is_over_the_unit_ends_and_no_further_one_begins(capsys):
    assert list(steps(["a", "b", "c"], clock=count(0, 50).__next__)) == ["a", "b", "c"]
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["1 of 3: a", "2 of 3: b, 3 min left", "3 of 3: c, 75 s left"]
    units = [(unit, K) for unit in "xyz" for K in range(3)]
    done = list(steps(units, seconds=45, may_end=lambda cell: not cell[1], clock=count(0, 10).__next__))
    assert done == units[:6]
    assert capsys.readouterr().err.splitlines()[-1] == "the time is over: 3 of 9 are left"


ROOT = Path(__file__).parents[2]


@pytest.mark.full
@pytest.mark.timeout(400)
def test_the_whole_benchmark_runs_on_a_cpu_with_tiny_shapes(tmp_path):
    ran = bench("--tiny", "--minutes", "0", "--out", str(tmp_path))
    assert ran.returncode == 0, ran.stderr[-2000:]
    figures = json.loads(ran.stdout.splitlines()[-1])
    wanted = "vanilla_vs_floor measured_vs_predicted_min vanilla_vs_generate speculative_vs_assisted host_gap observing_slowdown"
    assert {*wanted.split(), "gpu"} <= set(figures)
    assert figures["gpu"] is None and figures["host_gap"] is None and figures["tiny"] is True
    assert figures["synthetic_same_text"] is True and figures["identical_fp32"] == 2
    assert all(figures[key] > 0 for key in wanted.split()[:4])
    [results] = tmp_path.glob("tiny-*.json")
    assert set(json.loads(results.read_text())["sections"]) == {"identity", "bundled", "synthetic", "costs"}
    (tmp_path / "costs").mkdir()
    [curves] = tmp_path.glob("tiny.json")
    [chart] = busy(curves.rename(tmp_path / "costs/tiny.json").parent)  # and draws these
    assert chart["batches"] == [1, 2, 4] and shapes.SYNTHETIC in chart["target"]


@pytest.mark.full
def test_without_a_gpu_one_sentence_says_so_and_nothing_is_written():
    ran = bench("costs", CUDA_VISIBLE_DEVICES="")  # on a machine with a device it is hidden
    assert ran.returncode == 2 and ran.stdout == ""
    assert "no CUDA device" in ran.stderr and "--tiny" in ran.stderr


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("chromium") and not os.environ.get("CHROMIUM"), reason="the page is opened in Chromium")
def test_a_run_passes_no_more_than_it_did_from_the_click_to_the_pixel():
    figures = json.loads(script("path").stdout.splitlines()[-1])
    assert figures["files"] <= 46 and figures["functions"] <= 660 and figures["lines"] <= 16_200


def bench(*arguments, **environment):
    return script("bench_gpu", *arguments, **environment)


def script(name, *arguments, **environment):
    command = [sys.executable, "-m", f"scripts.{name}", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=390)


@pytest.fixture(scope="module")
def url():
    with served(run=load("opening")) as live:
        yield live.url


def play(url, act):
    async def visit():
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            return await act(http, App((await http.get("/")).text))

    return run(visit())


@pytest.mark.slow
def test_eight_visitors_come_and_go_without_an_error_and_none_sees_anothers_run(url):
    tally = Tally()

    async def act(http, app):
        await crowd(http, app, tally, visitors=8, seconds=2, file=dumps(fake_trace()), names=list(names())[:2])

    play(url, act)
    assert (tally.failed, tally.leaks) == (0, 0), tally.wrong
    assert len(tally.seconds["wait"]) >= 6 and len(tally.seconds["first_motion"]) >= 8


HALVES = (
    f"POST {API}/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n",
    f'POST {API}/queue/join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{{"data": [',
    f"GET {API}/queue/data?session_hash={{session}} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


async def reset_connections(port: int, counts: list[str]) -> None:
    """Half of a request, or one whose answer nobody reads, then a reset: again and again."""
    while True:
        for half in HALVES:
            with suppress(OSError):
                _, out = await asyncio.open_connection("127.0.0.1", port)
                out.write(half.replace("{session}", secrets.token_hex(6)).encode())
                await out.drain()
                await asyncio.sleep(0.02)
                out.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                out.transport.abort()
                counts.append(half)


def test_nobody_notices_that_others_are_cut_off_in_the_middle_of_a_request(url):
    tally, counts = Tally(), []

    async def act(http, app):
        resetting = asyncio.create_task(reset_connections(http.base_url.port, counts))
        await crowd(http, app, tally, visitors=2, seconds=1, file=dumps(fake_trace()), names=list(names())[:1])
        resetting.cancel()

    play(url, act)
    assert (tally.failed, tally.leaks) == (0, 0), tally.wrong
    assert len(counts) > len(HALVES)


def test_no_other_server_is_played_with(url):
    with pytest.raises(SystemExit, match="is in use"):
        check_port(httpx.URL(url).port)


def test_a_visitor_has_in_the_controls_what_a_recorded_run_set_there(url):
    async def act(http, app):
        visitor = Visitor(http, app, Tally())
        before = dict(visitor.values)
        await visitor.recorded("lookup")
        return {name: (before[id], visitor.values[id]) for name, id in app.ids.items() if name in ("drafter", "prompt")}

    figures = play(url, act)
    assert figures["drafter"][1] == "lookup" != figures["drafter"][0] and figures["prompt"][1] == load("lookup").header.prompt


def test_who_listens_for_a_session_that_is_not_there_is_told_and_the_log_says_nothing(url, caplog):
    async def act(http, app):
        return (await http.get("/gradio_api/queue/data", params={"session_hash": "nobody"})).text

    assert '"session_not_found":true' in play(url, act) and not caplog.records
