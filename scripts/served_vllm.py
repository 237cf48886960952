"""vLLM's own server on the bundled family, ten requests at a time: is what it tells read? In `make test-vllm`.

python -m scripts.served_vllm --python build/vllm/bin/python

A server of each K is loaded with greedy requests. Its log, two scrapes of its metrics page and a result of `vllm bench serve` are read, and
must agree on what was drafted. A row for each, then one line of JSON; exit code 1 if a reader disagrees with another or refuses. Greedy,
because vLLM 0.32 on a CPU draws from garbage above temperature 0 (specviz_mend.py).
"""

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import httpx
import typer

from specviz.engine.models.load import BUNDLED
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import RecordError, ServerRecord, difference
from specviz.words import page

from .server import ROOT

TARGET, DRAFT = BUNDLED / "fable", BUNDLED / "fable-small"
KS = (1, 2, 4)
BENCH = """
from argparse import ArgumentParser
from vllm.benchmarks.serve import add_cli_args, main

parser = ArgumentParser()
add_cli_args(parser)
main(parser.parse_args())
"""  # vllm bench serve, which asks for a package named vllm, and on a CPU there is none
AT_ONCE, TOKENS, WAIT = 10, 96, 300  # requests at a time, tokens of each, seconds that a server may take to start


@contextmanager
def served(python: Path, K: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """vLLM's OpenAI server of TARGET, K drafts a step: its address and its log. RuntimeError if it does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / f"{K}.log"
    options = "--served-model-name fable --dtype float32 --enforce-eager --no-enable-prefix-caching --max-model-len 512 --host 127.0.0.1"
    words = [python, "-m", "vllm.entrypoints.openai.api_server", "--model", TARGET, *options.split()]
    speculative = {"method": "draft_model", "model": str(DRAFT), "num_speculative_tokens": K}
    words += ["--port", port, "--max-num-seqs", AT_ONCE, "--speculative-config", json.dumps(speculative)]
    environment = os.environ | {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_USE_V2_MODEL_RUNNER": "0", "VLLM_LOG_STATS_INTERVAL": "2"}
    with log.open("w") as out:
        process = subprocess.Popen([*map(str, words)], stdout=out, stderr=out, env=environment, cwd=folder)
        try:
            url, until = f"http://127.0.0.1:{port}", time.monotonic() + WAIT
            while not answers(f"{url}/health"):
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"vLLM's server did not start: {' '.join(log.read_text('utf-8').split()[-60:])}")
                time.sleep(0.5)
            yield url, log
        finally:
            process.terminate()
            process.wait(60)


def answers(url: str) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(url).is_success
    return False


def complete(url: str, prompt: str) -> None:
    body = {"model": "fable", "prompt": prompt, "max_tokens": TOKENS, "temperature": 0, "ignore_eos": True}
    httpx.post(f"{url}/v1/completions", json=body, timeout=300).raise_for_status()


def load(url: str, requests: int) -> None:
    """So many requests, ten at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda i: complete(url, page.EXAMPLES[i % len(page.EXAMPLES)]), range(requests)))


def bench(python: Path, url: str, out: Path) -> Path:
    words = [python, "-c", BENCH, "--base-url", url, "--model", "fable", "--tokenizer", TARGET]
    words += ["--dataset-name", "random", "--random-input-len", "16", "--random-output-len", "32", "--num-prompts", "20"]
    words += ["--ignore-eos", "--temperature", "0", "--max-concurrency", AT_ONCE, "--save-result", "--result-filename", out]
    subprocess.run([*map(str, words)], check=True, capture_output=True, text=True, cwd=out.parent)
    return out


def token_counts(record: ServerRecord) -> tuple[int, int]:
    parts = record.parts or record.moments
    drafted = sum(getattr(part, "num_draft_tokens", None) or getattr(part, "drafted", 0) or 0 for part in parts)
    accepted = sum(getattr(part, "num_accepted_draft_tokens", None) or getattr(part, "accepted", 0) or 0 for part in parts)
    return drafted, accepted


def read_server(python: Path, K: int, folder: Path, requests: int) -> dict[str, tuple[int, int] | str]:
    """What each reader made of it: drafted and accepted, or why not."""
    with served(python, K, folder) as (url, log):
        load(url, AT_ONCE)
        before = httpx.get(f"{url}/metrics", timeout=30).content
        load(url, requests)
        after = httpx.get(f"{url}/metrics", timeout=30).content
        time.sleep(2.5)  # the log is written every so often
        result = bench(python, url, folder / f"{K}-bench.json")
    counts_of: dict = {"difference": token_counts(difference(loads(before, fresh=True), loads(after)))}
    for name, path in (("log", log), ("bench", result)):
        try:
            counts_of[name] = token_counts(read(path))
        except RecordError as error:
            counts_of[name] = str(error)
    return counts_of


def agrees(counts_of: dict) -> bool:
    """Every reader read; the log holds at least what was done between the scrapes."""
    if any(isinstance(counts, str) for counts in counts_of.values()):
        return False
    return counts_of["log"][0] >= counts_of["difference"][0] > 0 and counts_of["bench"][0] > 0


def main(
    python: Annotated[Path, typer.Option(help="Of an environment that has vLLM.")] = ROOT / "build/vllm/bin/python",
    requests: Annotated[int, typer.Option(help="Of each load.")] = 30,
):
    python = python.absolute()  # the servers run in another folder; resolved, it would leave its environment
    counts_by_K = {}
    with tempfile.TemporaryDirectory() as folder:
        for K in KS:
            counts_by_K[K] = read_server(python, K, Path(folder), requests)
            print(f"K = {K}: {counts_by_K[K]}", flush=True)
    agree = all(map(agrees, counts_by_K.values()))
    print(json.dumps({"drafted_accepted": counts_by_K, "readers_agree": agree}))
    raise typer.Exit(0 if agree else 1)


if __name__ == "__main__":
    typer.run(main)
