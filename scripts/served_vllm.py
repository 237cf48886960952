"""vLLM's own server on the bundled family, ten requests at a time: is what it tells read, and does the decision hold? In `make test-vllm`.

python -m scripts.served_vllm --python build/vllm/bin/python

A server without drafts and one for each K are loaded with the same greedy requests. Of each with drafts, its log, two scrapes of its
metrics page and a result of `vllm bench serve` are read. They must agree on what was drafted. From the
largest K's record the speedup at every K is predicted; c and v are what a step took there. A table, then one line of JSON; exit code 1 if
a reader disagrees with another or refuses. Greedy, because vLLM 0.32 on a CPU draws from garbage above temperature 0 (specviz_mend.py).
"""

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated
from urllib.request import Request, urlopen

import typer

from specviz.engine.models.load import BUNDLED
from specviz.page.words import EXAMPLES
from specviz.picture.decision import costs_from, decide
from specviz.picture.record import record_picture
from specviz.trace.records.difference import difference
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import RecordError, ServerRecord

ROOT = Path(__file__).parent.parent
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
def served(python: Path, model: Path, K: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """vLLM's OpenAI server of `model`, K drafts a step: its address and its log. RuntimeError if it does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / f"{model.name}-{K}.log"
    options = "--served-model-name fable --dtype float32 --enforce-eager --no-enable-prefix-caching --max-model-len 512 --host 127.0.0.1"
    words = [python, "-m", "vllm.entrypoints.openai.api_server", "--model", model, *options.split()]
    words += ["--port", port, "--max-num-seqs", AT_ONCE]
    if K:
        speculative = {"method": "draft_model", "model": str(DRAFT), "num_speculative_tokens": K}
        words += ["--speculative-config", json.dumps(speculative)]
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
    try:
        with urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def page(url: str) -> bytes:
    with urlopen(f"{url}/metrics", timeout=30) as answer:
        return answer.read()


def answer_tokens(url: str, prompt: str) -> int:
    body = {"model": "fable", "prompt": prompt, "max_tokens": TOKENS, "temperature": 0, "ignore_eos": True}
    request = Request(f"{url}/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=300) as answer:
        return json.load(answer)["usage"]["completion_tokens"]


def load(url: str, requests: int) -> float:
    """Tokens a second of so many requests, ten at a time."""
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tokens = sum(pool.map(lambda i: answer_tokens(url, EXAMPLES[i % len(EXAMPLES)]), range(requests)))
    return tokens / (time.monotonic() - began)


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


def mean(record: ServerRecord) -> float:
    """Tokens a step."""
    part = record.parts[0]
    return 1 + part.num_accepted_draft_tokens / part.num_spec_steps


def watch_server(python: Path, K: int, folder: Path, requests: int, repeats: int) -> tuple[float, ServerRecord | None, dict]:
    """Tokens/s, what two scrapes say was done in between, and what each reader made of it: drafted and accepted, or why not."""
    with served(python, TARGET, K, folder) as (url, log):
        load(url, AT_ONCE)
        if not K:
            return median(load(url, requests) for _ in range(repeats)), None, {}
        before = page(url)
        speed = median(load(url, requests) for _ in range(repeats))
        after = page(url)
        time.sleep(2.5)  # the log is written every so often
        result = bench(python, url, folder / f"{K}-bench.json")
    for name, text in (("before", before), ("after", after)):
        (folder / f"{K}-{name}.txt").write_bytes(text)
    delta = difference(loads(before, fresh=True), loads(after))
    counts_of: dict = {"difference": token_counts(delta)}
    for name, path in (("log", log), ("bench", result)):
        try:
            counts_of[name] = token_counts(read(path))
        except RecordError as error:
            counts_of[name] = str(error)
    return speed, delta, counts_of


def main(
    python: Annotated[Path, typer.Option(help="Of an environment that has vLLM.")] = ROOT / "build/vllm/bin/python",
    requests: Annotated[int, typer.Option(help="Of each load.")] = 30,
    repeats: Annotated[int, typer.Option(help="Loads of each server; the median counts.")] = 3,
    keep: Annotated[Path | None, typer.Option(help="Folder for what the servers told; else it is thrown away.")] = None,
):
    python = python.absolute()  # the servers run in another folder; resolved, it would leave its environment
    with tempfile.TemporaryDirectory() as scratch:
        folder = (keep or Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        runs = {K: watch_server(python, K, folder, requests, repeats) for K in (0, *KS)}
        with served(python, DRAFT, 0, folder) as (url, _):
            load(url, AT_ONCE)
            draft = median(load(url, requests) for _ in range(repeats))
    alone, K = runs[0][0], KS[-1]
    evidence = record_picture(runs[K][1])["evidence"]
    c = alone / draft  # a step of the draft, in steps of the target, at this load
    # what is left of a step with so many drafts
    v = {each: mean(delta) * alone / speed - each * c for each, (speed, delta, _) in runs.items() if delta}
    predicted = decide(evidence, costs_from(K, c, v[K]))
    rows = {}
    for each in KS:
        low, middle, high = predicted["by_K"][each]
        rows[each] = {"measured": runs[each][0] / alone, "predicted": middle, "interval": [low, high]}
        print(
            f"K = {each}: measured {runs[each][0] / alone:.2f}×, predicted {middle:.2f}× ({low:.2f}–{high:.2f}); {runs[each][2]}"
        )
    agree = all(agrees(runs[each][2]) for each in KS)
    best = max((0, *KS), key=lambda each: runs[each][0])
    figures = {
        "tokens_per_second": {each: round(runs[each][0], 1) for each in (0, *KS)},
        "c": round(c, 3),
        "v": {each: round(value, 3) for each, value in v.items()},
        "speedup": rows,
        "verdict": predicted["verdict"],
        "best_predicted": predicted["best"],
        "best_measured": best,
        "readers_agree": agree,
    }
    print(json.dumps(figures))
    raise typer.Exit(0 if agree else 1)


def agrees(counts_of: dict) -> bool:
    """Every reader read; the log holds at least what was done between the scrapes."""
    if any(isinstance(counts, str) for counts in counts_of.values()):
        return False
    return counts_of["log"][0] >= counts_of["difference"][0] and counts_of["bench"][0] > 0


if __name__ == "__main__":
    typer.run(main)
