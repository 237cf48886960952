"""The real vLLM against our own engine and against itself, on the bundled family: `make test-vllm`, which makes its environment.

python -m scripts.check_vllm --python build/vllm/bin/python

Greedy text equals our own vanilla text token for token, by every way to draft; every decision at a temperature is redone from what stands
in the saved trace; two tensor-parallel processes tell the same of every round and write the same text; and a process whose asker is
killed in mid-run leaves nothing behind. A table for people, then one line of JSON; exit code 1 if anything is wrong.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.models.pair import load_pair
from specviz.engine.race import Progress
from specviz.trace.events import Drafted, Trace, rounds_of, written_ids
from specviz.trace.file import dumps, loads
from specviz.vllm.process import Server
from specviz.vllm.race import prepare, process_options, race
from specviz.words import page

from .server import ROOT

PROMPTS = (page.EXAMPLES[0], page.EXAMPLES[4], page.EXAMPLES[-1])
DRAFTS = ("fable-small", "eagle", "lookup")
GREEDY = DecodeConfig(K=4, temperature=0, max_new_tokens=48, ignore_eos=True)
SAMPLED = DecodeConfig(K=4, temperature=0.8, top_p=0.95, max_new_tokens=96, ignore_eos=True)
DECISIONS = 500  # to be redone at least, of all ways to draft together
NEAR = 1e-5  # of p/q and u: nearer than this single precision decides either way
SHARED = DecodeConfig(K=3, temperature=0.8, max_new_tokens=24, ignore_eos=True)  # by two processes


def run_trace(server: Server, prepared, prompt: str, config: DecodeConfig) -> Trace:
    """A run, as it comes back from a file."""
    *_, trace = race(server, prepared, prompt, config)
    return loads(dumps(trace))


def verdict_checks(trace: Trace) -> Iterator[bool]:
    """Whether each decision of a trace follows from what stands beside it: verdicts from u, p and q; a correction from the residual;
    a bonus or plain token from p."""
    for r in rounds_of(trace.speculative):
        for d in r.drafted:
            if d.verdict != "unexamined":
                yield verdict_follows(d)
        last = r.emitted[-1]
        if last.role == "corrected":
            at = next(d for d in r.drafted if d.verdict == "rejected").position
            left, mass = {e.token.id: max(e.p - e.q, 0) for e in at.entries}, r.residual.mass
            residual = {e.token.id: e.probability for e in r.residual.entries}
            same = all(abs(residual[id] - left[id] / mass) < 1e-3 for id in residual.keys() & left.keys())
            yield same and residual.get(last.token.id, 0) > 0 and abs(mass - (1 - at.beta)) < 1e-4
        elif last.role != "accepted":
            yield {e.token.id: e.p for e in last.position.entries}.get(last.token.id, 0) > 0


def verdict_follows(d: Drafted) -> bool:
    if abs(d.u * d.q - d.p) < NEAR:
        return True
    return (d.u * d.q < d.p) == (d.verdict == "accepted")


def target_ids(prompts) -> list[list[int]]:
    """What our own target writes alone, greedily."""
    pair = load_pair("fable", None, machine.device())
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=GREEDY.max_new_tokens, ignore_eos=True)
    return [written_ids(decode(pair.target, None, pair.text.encode(prompt), config, pair.text)) for prompt in prompts]


def group(leader: int) -> list[int]:
    processes = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = each.read_text().rpartition(") ")
        except OSError:  # it ended meanwhile
            continue
        state, _, its_group, *_ = rest.split()
        if int(its_group) == leader and state != "Z":
            processes.append(int(each.parent.name))
    return processes


def is_gone(leader: int, seconds: float = 20) -> bool:
    """Whether nothing is left of a group within so long."""
    until = time.monotonic() + seconds
    while group(leader) and time.monotonic() < until:
        time.sleep(0.1)
    return not group(leader)


def kill_asker(python: Path) -> bool:
    """Whoever asked is killed in mid-run: whether nothing is left of what it had started."""
    asker = subprocess.Popen(
        [sys.executable, "-m", "scripts.check_vllm", "--python", str(python), "--asker"], stdout=subprocess.PIPE, cwd=ROOT
    )
    leader = int(asker.stdout.readline())
    asker.stdout.readline()  # a step was told: it is in the midst of a run
    there = bool(group(leader))
    asker.kill()
    asker.wait()
    return there and is_gone(leader)


def asker(python: Path) -> None:
    prepared = prepare("fable", "lookup")
    server = Server(python, process_options(prepared, 4))
    server.start()
    print(server.pid, flush=True)
    for step in race(server, prepared, PROMPTS[0], SAMPLED):
        if isinstance(step, Progress):
            print(step.tokens, flush=True)
            time.sleep(0.2)


def main(
    python: Annotated[Path, typer.Option(help="Of an environment that has vLLM.")] = ROOT / "build/vllm/bin/python",
    only_ask: Annotated[bool, typer.Option("--asker", hidden=True)] = False,
):
    machine.set_threads()
    if only_ask:
        return asker(python)
    texts, same, decisions = target_ids(PROMPTS), [], []
    for draft in DRAFTS:
        prepared = prepare("fable", draft)
        server = Server(python, process_options(prepared, GREEDY.K))
        for prompt, text in zip(PROMPTS, texts, strict=True):
            trace = run_trace(server, prepared, prompt, GREEDY)
            same += [written_ids(lane) == text for lane in (trace.vanilla, trace.speculative)]
        verdict_follows: list[bool] = []
        for seed in range(100):
            trace = run_trace(server, prepared, PROMPTS[seed % len(PROMPTS)], replace(SAMPLED, seed=seed))
            verdict_follows += verdict_checks(trace)
            if len(verdict_follows) >= DECISIONS / len(DRAFTS):
                break
        decisions += verdict_follows
        print(
            f"{draft:12} greedy text is ours: {all(same[-6:])}, "
            f"{len(verdict_follows)} decisions redone, {verdict_follows.count(False)} wrong",
            flush=True,
        )
        server.close()
    orphans = kill_asker(python)
    print(f"its asker killed in mid-run: {'nothing is left' if orphans else 'SOMETHING IS LEFT'}", flush=True)
    prepared = prepare("fable", "eagle")
    server = Server(
        python, process_options(prepared, SHARED.K, options={"tensor_parallel_size": 2, "distributed_executor_backend": "mp"})
    )
    two = [run_trace(server, prepared, prompt, SHARED) for prompt in PROMPTS[:1]]
    alike = server.ranks_agree is True and "tensor parallel 2" in two[0].header.machine.device
    shared = written_ids(run_trace(server, prepared, PROMPTS[0], GREEDY).speculative) == texts[0]
    server.close()
    print(f"two processes tell the same: {alike}; their greedy text is ours: {shared}", flush=True)
    figures = {
        "decisions_redone": len(decisions),
        "wrong": decisions.count(False),
        "greedy_same": all(same),
        "two_processes_alike": alike,
        "two_processes_greedy_same": shared,
        "killed_leaves_nothing": orphans,
    }
    print(json.dumps(figures))
    fine = figures["wrong"] == 0 and figures["decisions_redone"] >= DECISIONS
    if not (fine and all(value for name, value in figures.items() if name != "wrong")):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
