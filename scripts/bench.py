"""How fast the engine is, and what it loses, as ratios measured in one run: `make bench`, or python -m scripts.bench --help.

A unit is a prompt at a temperature. In it run, so that a drift of the machine meets everyone: our vanilla, our speculative at each K
(observing and not), transformers `generate()` plain and with `assistant_model` at the same K (constant schedule, no
confidence threshold, no filters), and where it is installed llama.cpp, alone and with its own speculation (llamacpp.py). Same models,
prompts, length, threads (all cores: leave the machine alone meanwhile). `--draft` takes every way to draft; of one that is no model
transformers' own prompt lookup is the peer. A target that is read from memory: `--target smollm2 --gguf FILE`, where llama.cpp
runs FILE too, as people have it; in blocks (SPECVIZ_GGUF) our own vanilla in bfloat16 runs beside. When `--minutes` are over no further
unit begins; the first of each temperature always runs.
Medians, with the quartiles beside them. A run that was disturbed is left out and made again. Ends in one line of JSON, which
names the units that were measured and those that were left.
"""

import math
import os
import random
import statistics as st
import sys
import time
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple
from unittest.mock import patch

import torch
import typer
from rich.console import Console
from rich.table import Table

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.choose import set_up
from specviz.engine.draft.model import SmallModel
from specviz.engine.models.load import load_model
from specviz.lab.costs import block_times
from specviz.lab.measure import Run, measure, tokens_a_round
from specviz.local import default_draft
from specviz.trace.disturbed import MAX_STALLED, MIN_SHARE
from specviz.trace.events import written_ids

from .gpu.limits import read_bandwidth
from .llamacpp import LlamaCpp, Speculation, Speculative, has_llama_cpp, has_speculation
from .peer import Peer, Whole
from .prompts import ASSISTANT, OPENINGS
from .result import Out, print_figures, steps

ATTEMPTS = 5  # of a run that is disturbed
SETTLE = 0.05  # seconds before each run
LONG, LONG_TURNS = (500, 2000), 3  # tokens of a prefill, and how often each is made
TEMPERATURES = (0.0, 1.0)
HEADS = "K|speedup (quartiles)|tokens/round|α|c|v|predicted|measured ÷ it|c, v alone|÷ that|÷ assisted|observing: timed|wall"
CELLS = (
    "{K}|{speedup}|{tokens_a_round:.2f}|{alpha:.3f}|{c:.3f}|{v:.3f}|{predicted:.2f}|{measured_vs_predicted:.3f}|"
    "{c_alone:.3f}, {v_alone:.3f}|{measured_vs_alone:.3f}|{vs_assisted}|{observing:.3f}|{observing_wall:.3f}"
)


def ratio(slow: list[float], fast: list[float]) -> tuple[float, float, float]:
    """Median and quartiles of slow/fast, pair by pair: both of a pair ran right after one another."""
    each = sorted(a / b for a, b in zip(slow, fast, strict=True))
    low, median, high = st.quantiles(each, n=4) if len(each) > 1 else each * 3
    return median, low, high


class LeftOut:
    """How often a run was made again since something else had the machine meanwhile, by what it was; and how often in vain. After
    `until`, by the monotonic clock, none is made again."""

    def __init__(self):
        self.until = math.inf
        self.again: Counter[str] = Counter()
        self.runs = self.disturbed = 0

    def __call__(self, what: str, run):
        """What `run()` gives, of a run that was not disturbed if ATTEMPTS have one."""
        self.runs += 1
        for left in reversed(range(ATTEMPTS)):
            sample = run()
            if not (sample.processor_share is not None and sample.processor_share < MIN_SHARE) and sample.stalled <= MAX_STALLED:
                return sample
            if not left or time.monotonic() > self.until:
                break
            self.again[what] += 1
        self.disturbed += 1
        return sample

    def __str__(self) -> str:
        most = ", ".join(f"{what}: {n}" for what, n in self.again.most_common(5))
        return (
            f"{self.again.total()} runs were disturbed and left out{f' (most: {most})' if most else ''}; "
            f"{self.disturbed} of {self.runs} stand disturbed"
        )


def show(r) -> str:
    return f"{r[0]:.2f} [dim]({r[1]:.2f}–{r[2]:.2f})[/]"


class Unit(NamedTuple):
    """What is measured beside each other, `turn` after `turn`: a prompt, by its number from 1, at a temperature."""

    turn: int
    prompt: int
    temperature: float

    def __str__(self) -> str:
        return f"prompt {self.prompt} at temperature {self.temperature:g}, turn {self.turn}"


class Cell(NamedTuple):
    """A unit's part at one K; 0 is vanilla."""

    unit: Unit
    K: int

    def __str__(self) -> str:
        return f"{self.unit}, K = {self.K}"


def main(
    target: Annotated[str, typer.Option()] = "fable",
    draft: Annotated[str, typer.Option(help="The target's own best if not given.")] = "",
    tokens: Annotated[int, typer.Option(help="Length of every run.")] = 96,
    repeats: Annotated[int, typer.Option(help="Runs of each kind on each prompt.")] = 2,
    prompts: Annotated[
        int, typer.Option(help="How many of the eight, or of the questions of an assistant, a kind after the other.")
    ] = len(OPENINGS),
    gguf: Annotated[Path | None, typer.Option(help="The target as a GGUF file, for llama.cpp.", exists=True)] = None,
    largest_k: Annotated[int, typer.Option("--largest-k")] = 8,
    minutes: Annotated[float, typer.Option(help="For the units; 0 is as long as they take.", min=0)] = 15.0,
    out: Out = None,
):
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 170)
    machine.set_threads(alone=True)
    about = machine.describe_machine()
    draft = draft or default_draft(target)
    pair = set_up(target, draft, machine.device())
    # how many threads help is measured here, before threads of others are there
    helping = getattr(getattr(pair.target.sequence(tokens), "stack", None), "threads", about.threads)
    drafter = pair.drafter
    model = drafter.model if isinstance(drafter, SmallModel) else None
    peer, peer16 = Peer(target, draft if model else None), Peer(target, None, torch.bfloat16)
    files = {"llama.cpp": None} | ({"file": gguf} if gguf else {}) if has_llama_cpp() else {}
    others = {name: LlamaCpp(target, about.threads, file) for name, file in files.items()}
    unpacked = _in_bfloat16(target) if pair.target.info.arithmetic else None
    theirs = Speculative(target, draft, about.threads) if has_speculation() and model else None
    left_out = LeftOut()
    Ks = range(1, largest_k + 1)
    same = True
    runs: dict[tuple, list[Run | Whole | Speculation]] = defaultdict(list)
    openings = [one for some in zip(*ASSISTANT.values(), strict=True) for one in some] if pair.text.chat else OPENINGS
    texts = [pair.text.encode(p) for p in openings[:prompts]]
    base = DecodeConfig(K=0, max_new_tokens=tokens, ignore_eos=True)
    units = [Unit(turn, n, T) for turn in range(1, repeats + 1) for n in range(1, len(texts) + 1) for T in TEMPERATURES]
    first = units[: len(TEMPERATURES)]
    measured: list[Unit] = []

    def vanilla_ids(ids: list[int], config: DecodeConfig) -> list[int]:
        return written_ids(decode(pair.target, None, ids, config, pair.text, observe=False))

    def run_cell(ids: list[int], T: float, K: int, seed: int, warm_up: bool = False) -> None:
        nonlocal same
        config = replace(base, K=K, temperature=T, seed=seed, max_new_tokens=16 if warm_up else tokens)
        for kind in ("off", "on", "peer"):
            if kind == "peer":
                run = partial(peer, ids)
            else:
                run = partial(measure, pair.target, drafter, ids, text=pair.text, observe=kind == "on")
            # whoever ran before left its own weights in the caches, and threads that look on for a while
            time.sleep(SETTLE)
            run(config=replace(config, max_new_tokens=8))
            if not warm_up:
                runs[kind, T, K].append(left_out(f"{kind}, T = {T:g}, K = {K}", partial(run, config=config)))
        if warm_up or T:
            return
        if not K:
            runs["bfloat16", T, K].append(peer16(ids, config))
            if unpacked:
                measure(unpacked, None, ids, replace(config, max_new_tokens=8), pair.text, observe=False)
                runs["ours in bfloat16", T, K].append(measure(unpacked, None, ids, config, pair.text, observe=False))
            for name, llama in others.items():
                sample, ids_written = llama(ids, config.max_new_tokens)
                runs[name, T, K].append(sample)
                same &= name == "file" or ids_written == vanilla_ids(ids, config)
        elif theirs:
            speculation, ids_written = theirs(ids, K, config.max_new_tokens)
            runs["llama.cpp speculates", T, K].append(speculation)
            same &= ids_written[:tokens] == vanilla_ids(ids, replace(config, K=0))[: len(ids_written)]

    print("warming up", file=sys.stderr, flush=True)
    for K in (0, *Ks):
        for T in TEMPERATURES:
            run_cell(texts[0], T, K, 0, warm_up=True)
    left_out.until = time.monotonic() + (60 * minutes or math.inf)
    cells = [Cell(unit, K) for unit in units for K in (0, *Ks)]
    for unit, K in steps(cells, 60 * minutes or None, lambda cell: not cell.K and cell.unit not in first):
        run_cell(texts[unit.prompt - 1], unit.temperature, K, unit.turn - 1)
        measured += [unit] if max(Ks) == K else []

    def per_token(kind: str, T: float = 0.0) -> list[float]:
        """ms of whole calls without drafts, a token."""
        return [s.wall / s.tokens for s in runs[kind, T, 0]]

    print("passes alone", file=sys.stderr, flush=True)
    passes = block_times(pair.target, (1, *(K + 1 for K in Ks)), context=100, repeats=60).ms
    one, step = passes[1], block_times(model, (1,), context=100, repeats=60).ms[1] if model else math.nan
    alone = {K: (step / one, passes[K + 1] / one) for K in Ks}
    rows = {(T, K): figures(runs, T, K, alone[K]) for T in TEMPERATURES for K in Ks}

    console.print(
        f"\n{target} with {draft} on {about.device}, {about.threads} threads, torch {about.torch}, "
        f"transformers {about.transformers}; {len(measured)} of {len(units)} units, {tokens} tokens"
    )
    plain = Table("T", "ours ms/token", "generate() ms/token", "ours ÷ generate()", title="Vanilla (whole call, prefill in)")
    vanilla = {}
    for T in TEMPERATURES:
        mine, peers = (per_token(kind, T) for kind in ("off", "peer"))
        vanilla[T] = ratio(peers, mine)
        plain.add_row(f"{T:g}", f"{st.median(mine):.2f}", f"{st.median(peers):.2f}", show(vanilla[T]))
    console.print(plain)
    read = pair.target.info.size or 2 * pair.target.info.parameters  # weights in bf16, as they are stored, or in blocks
    bandwidth = read_bandwidth(read)
    console.print(
        f"A pass over one token takes {one:.2f} ms and reads {read / 1e6:.1f} MB; this machine reads {bandwidth / 1e9:.0f} GB/s"
    )
    beside = ("bfloat16", *(["ours in bfloat16"] if unpacked else []), *others)
    against = {name: ratio(per_token(name), per_token("off")) for name in beside}
    if others:
        console.print(
            f"llama.cpp {st.median(per_token('llama.cpp')):.2f} ms/token, ÷ ours {show(against['llama.cpp'])}, "
            f"the same tokens: {'yes' if same else 'no'}"
        )
    own = {}
    for K in Ks if theirs else ():
        speculations, ours = runs["llama.cpp speculates", 0.0, K], runs["off", 0.0, K]
        own[K] = ratio([s.ms_a_token for s in speculations], [s.ms_a_token for s in ours])
        counts = ", ".join(f"{sum(s.accepted for s in some)} of {sum(s.drafted for s in some)}" for some in (speculations, ours))
        console.print(f"llama.cpp's own speculation, K = {K}: ÷ ours {show(own[K])}; accepted there and here {counts}")
    console.print(str(left_out))
    for T in TEMPERATURES:
        table = Table(title=f"Speculative, temperature {T:g} (α by {'accepted ÷ tested' if T == 0 else 'mean β'})")
        for head in HEADS.split("|"):
            table.add_column(head, justify="right")
        for K in Ks:
            f = rows[T, K]
            shown = {"K": K, "speedup": show(f["speedup"]), "vs_assisted": show(f["vs_assisted"])}
            table.add_row(*CELLS.format_map(f | shown).split("|"))
        console.print(table)
    console.print(
        "predicted = tokens/round ÷ (drafted/round·c + v), c and v from the runs themselves; «alone»: forwards timed by themselves"
    )

    vanilla_ms = st.median(s.decode / s.rounds for s in runs["off", 0.0, 0])
    late = time.monotonic() > left_out.until
    if not late:
        print("prefills", file=sys.stderr, flush=True)
    peers = {"float32": peer, "bfloat16": peer16} | {name: other for name, other in others.items() if name == "file"}
    long = {} if late else prefills(pair.target, peers)
    for (name, n), r in long.items():
        console.print(f"Prefill of {n} tokens: {'llama.cpp' if name == 'file' else f'transformers in {name}'} ÷ ours {show(r)}")
    best = max(Ks, key=lambda K: rows[0.0, K]["speedup"][0])
    pairs = [both for T in TEMPERATURES for K in (0, *Ks) for both in zip(runs["on", T, K], runs["off", T, K], strict=True)]
    summary = {
        "vanilla_vs_generate": min(r[0] for r in vanilla.values()),
        "speculative_vs_assisted": min(f["vs_assisted"][0] for f in rows.values()),
        "speculative_vs_vanilla": rows[0.0, best]["speedup"][0],
        "best_K": best,
        "speculative_vs_vanilla_sampled": max(rows[1.0, K]["speedup"][0] for K in Ks),
        "measured_vs_predicted": min(f["measured_vs_predicted"] for f in rows.values()),
        "measured_vs_predicted_alone": min(f["measured_vs_alone"] for f in rows.values()),
        "observing_slowdown": st.median(on.decode / off.decode for on, off in pairs) - 1,
        "observing_slowdown_wall": st.median(on.wall / off.wall for on, off in pairs) - 1,
        "vanilla_vs_llamacpp": against["llama.cpp"][0] if others else None,
        "llamacpp_same_tokens": same if others else None,
        "speculative_vs_llamacpp_speculative": min(r[0] for r in own.values()) if own else None,
        "target": pair.target.info.name,
        "draft": pair.drafter.info.name if pair.drafter else None,
        "dtype": pair.target.info.dtype,
        "prompts": len({unit.prompt for unit in measured}),
        "units": [str(unit) for unit in measured],
        "units_left": [*map(str, units[len(measured) :]), *(["prefills"] if late else [])],
        "tokens": tokens,
        "runs": left_out.runs,
        "left_out": left_out.again.total(),
        "disturbed": left_out.disturbed,
        "vanilla_vs_memory": 1e3 * read / bandwidth / vanilla_ms,
        "prefill_vs_torch": min((r[0] for (name, _), r in long.items() if name == "float32"), default=math.nan),
        "prefill_vs_torch_bfloat16": min((r[0] for (name, _), r in long.items() if name == "bfloat16"), default=math.nan),
        "vanilla_vs_generate_bfloat16": against["bfloat16"][0],
        "vanilla_vs_llamacpp_file": against["file"][0] if "file" in against else None,
        "prefill_vs_llamacpp_file": min((r[0] for (name, _), r in long.items() if name == "file"), default=None),
        "vanilla_vs_bfloat16": against["ours in bfloat16"][0] if unpacked else None,
        "v5": passes[5] / one if 5 in passes else None,
        "t_target_ms": one,
        "device": about.device,
        "threads": about.threads,
        "threads_of_a_pass": helping,
        "torch": about.torch,
        "transformers": about.transformers,
    }
    print_figures(summary, out)


def _in_bfloat16(target: str):
    """The target with its file's blocks decoded."""
    with patch.dict(os.environ, SPECVIZ_GGUF="bfloat16"):
        return load_model(target, machine.device())


@torch.inference_mode()
def prefills(model, peers: dict[str, Peer | LlamaCpp]) -> dict[tuple[str, int], tuple[float, float, float]]:
    """By peer and length, where the model has room: a prefill of the peer ÷ ours, both of a pair one after the other."""
    chance, ratios = random.Random(0), {}
    for n in (n for n in LONG if n < model.context):
        ids = [chance.randrange(model.vocabulary) for _ in range(n)]
        times = defaultdict(list)
        for turn in range(LONG_TURNS + 1):
            start = time.perf_counter()
            model.sequence(n + 1).append(ids, keep=1)
            ours = (time.perf_counter() - start) * 1e3
            for name, peer in peers.items():
                theirs = peer.prefill(ids)
                if turn:
                    times[name].append((theirs, ours))
        ratios |= {(name, n): ratio(*zip(*pairs, strict=True)) for name, pairs in times.items()}
    return ratios


def figures(runs, T, K, alone: tuple[float, float]) -> dict:
    """What one row of the table says: speculative at K against vanilla and against transformers, at temperature T. `alone`: c and v of
    forwards that were timed by themselves."""
    vanilla, mine, observed, peer = runs["off", T, 0], runs["off", T, K], runs["on", T, K], runs["peer", T, K]
    t_target = sum(s.verify for s in vanilla) / sum(s.rounds for s in vanilla)
    rounds, drafted = sum(s.rounds for s in mine), sum(s.drafted for s in mine)
    a_round, drafts_a_round = tokens_a_round(mine), drafted / rounds
    c_alone, v_alone = alone
    # a pass of a draft that is a model, or what a token costs of another
    drafts = drafted if math.isnan(c_alone) else sum(s.forwards for s in mine)
    c = sum(s.draft for s in mine) / max(1, drafts) / t_target
    v = sum(s.verify for s in mine) / rounds / t_target
    betas = [b for s in observed for b in s.betas]
    if T:  # a drafter may have found nothing to draft
        alpha = st.mean(betas) if betas else math.nan
    else:
        alpha = sum(s.accepted for s in mine) / max(1, sum(s.tested for s in mine))
    measured = (sum(s.decode for s in vanilla) / sum(s.tokens for s in vanilla)) / (
        sum(s.decode for s in mine) / sum(s.tokens for s in mine)
    )
    predicted = a_round / (drafts_a_round * c + v)
    return {
        "speedup": ratio([s.ms_a_token for s in vanilla], [s.ms_a_token for s in mine]),
        "tokens_a_round": a_round,
        "alpha": alpha,
        "c": c,
        "v": v,
        "predicted": predicted,
        "measured_vs_predicted": measured / predicted,
        "c_alone": c_alone,
        "v_alone": v_alone,
        "measured_vs_alone": measured / (a_round / (drafts_a_round * c_alone + v_alone)),
        "vs_assisted": ratio([s.wall / s.tokens for s in peer], [s.wall / s.tokens for s in mine]),
        "observing": st.median(a.decode / b.decode for a, b in zip(observed, mine, strict=True)),
        "observing_wall": st.median(a.wall / b.wall for a, b in zip(observed, mine, strict=True)),
    }


if __name__ == "__main__":
    typer.run(main)
