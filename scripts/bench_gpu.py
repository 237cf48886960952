"""How close the engine is to the memory limit of a GPU: `make bench-gpu`, all of it, or the sections that are named:

python -m scripts.bench_gpu identity bundled --out DIR
python -m scripts.bench_gpu --tiny --out DIR          # the same on a CPU with tiny shapes: shows that it runs, measures nothing

synthetic   a public shape that fits, with random weights and α by script (scripts/gpu/), beside transformers, and the memory floor
bundled     every drafter of the family, K by K, beside transformers plain and assisted
identity    greedy speculative against greedy vanilla in fp32, bf16 and fp16: where they part, and by how little
costs       t(B, n) → assets/costs/{gpu}.json

Each prints a table, adds what it measured to {gpu}-{date}.json as soon as it is known, and the last line is JSON: the figures of all
sections so far, and what was skipped since it does not fit on the card or into the time.
"""

import json
import statistics as st
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cache, partial, wraps
from itertools import product
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.backends.pytorch.fused import not_fused_reason
from specviz.engine.decode import decode
from specviz.engine.draft.choose import drafter_for
from specviz.engine.draft.model import SmallModel
from specviz.engine.models.pair import load_pair
from specviz.engine.race import divergence
from specviz.lab import costs as curves
from specviz.lab.measure import Run, measure
from specviz.local import DRAFTERS, TARGET

from .costs import slug
from .gpu import shapes
from .gpu.limits import copy_bandwidth, host_gap, read_bytes
from .gpu.scripted import FAMILY, NumberText, Scripted, proposals, written
from .peer import Peer, Timed, Whole, assist
from .prompts import HARD_TO_ENCODE, OPENINGS
from .result import print_figures
from .server import ROOT

RESULTS = ROOT / "docs/benchmarks"
CONTEXT, TOKENS, ALPHAS = 1024, 160, (0.7, 0.9)  # of the synthetic runs
ROOM = 1.5  # GB beside weights: caches, what products work in, the context of CUDA
KS = (4, 2, 8, 1, 6, 3, 5, 7)  # in this order, so that where time runs out every drafter has been timed with some
BESIDE = (4, 8)  # with transformers too, which takes ten times as long
DRAFT, LENGTHS = "fable-small", (3, 6, 10)  # of the lanes that are compared: who drafts, and ids of a prompt

console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)


@dataclass
class Bench:
    """What all sections are asked for, what fits into the time, and the file that they add to; `tiny`: to show that they run."""

    tiny: bool
    out: Path
    dtype: torch.dtype
    seconds: float | None = None  # for all of it; None is as long as it takes
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.device, self.about = machine.device(), machine.describe_machine()
        self.began, self.until, self.took = time.monotonic(), self.seconds, {}
        self.memory = torch.cuda.mem_get_info(self.device)[1] / 1e9 if self.device.type == "cuda" else None
        known = shapes.TINY.values() if self.tiny else shapes.PUBLIC
        self.shape = next((shape for shape in known if self.holds(shape.target, shape.draft)), None)
        self.name = "tiny" if self.tiny else slug(self.about.device)
        self.path = self.out / f"{self.name}-{date.today().isoformat()}.json"
        self.out.mkdir(parents=True, exist_ok=True)

    def holds(self, *configs) -> bool:
        """Whether models of these configs fit on this card together."""
        return self.memory is None or shapes.gigabytes(self.dtype, *configs) + ROOM <= self.memory

    @contextmanager
    def step(self, what: str, kind: str, seconds: float) -> Iterator[bool]:
        """Whether there is time for another step of a `kind` of steps: it takes `seconds`, or as long as the last of them took. What there
        is no time or no memory for is skipped, and told at the end."""
        began = time.monotonic()
        there_is_time = self.until is None or began - self.began + self.took.get(kind, seconds) <= self.until
        if not there_is_time:
            self.skipped.append(f"{what}: no time")
        try:
            yield there_is_time
            self.took[kind] = time.monotonic() - began if there_is_time else self.took.get(kind, seconds)
            return
        except torch.OutOfMemoryError:
            self.skipped.append(f"{what}: no memory")
        machine.release_memory()  # here nothing holds on to what did not fit

    def keep(self, section: str, key: str, rows) -> None:
        """Add to what was measured on this machine today, here or in the folder of kept results."""
        earlier = next((path for path in (self.path, RESULTS / self.path.name) if path.is_file()), None)
        sections = json.loads(earlier.read_text())["sections"] if earlier else {}
        sections.setdefault(section, {})[key] = rows
        about = {
            "target": self.shape.name if self.shape else None,
            "skipped": self.skipped,
            "gpu": self.about.device if self.device.type == "cuda" else None,
            "tiny": self.tiny,
            "dtype": str(self.dtype).removeprefix("torch."),
            "date": date.today().isoformat(),
            "torch": self.about.torch,
            "transformers": self.about.transformers,
        }
        self.path.write_text(json.dumps({**figures(sections), **about, "sections": sections}) + "\n")

    def last_line(self) -> None:
        results = json.loads(self.path.read_text()) if self.path.is_file() else {}
        results |= {"skipped": self.skipped, "seconds": round(time.monotonic() - self.began)}
        print_figures({key: value for key, value in results.items() if key != "sections"})


def figures(sections: dict) -> dict:
    """The table of goals (docs/benchmarks/README.md), from what was measured; null where it was not. Of several the worst; of what
    observing costs the median."""
    synthetic = list(sections.get("synthetic", {}).values())
    at = [row for one in synthetic for row in one["rows"]]
    bundled = [row for rows in sections.get("bundled", {}).values() for row in rows]

    def worst(rows: list[dict], key: str, of=min):
        values = [row[key] for row in rows if row[key] is not None]
        return of(values) if values else None

    alone = [one["vanilla"] for one in synthetic]
    return {
        "vanilla_vs_floor": worst(alone, "floor_of_measured"),
        "measured_vs_predicted_min": worst(at, "measured_vs_predicted"),
        "vanilla_vs_generate": worst(alone, "vs_generate"),
        "speculative_vs_assisted": worst(at, "vs_assisted"),
        "host_gap": worst(at, "host_gap", max),
        "observing_slowdown": worst(bundled, "observing", st.median),
        "bundled_best_speedup": worst(bundled, "speedup", max),
        "synthetic_same_text": all(row["same_text"] for row in at) if at else None,
        "identical_fp32": worst([each["float32"] for each in sections.get("identity", {}).values()], "same"),
    }


def run_figures(alone: list[Run], mine: list[Run]) -> dict:
    """Speculative runs beside vanilla ones: c and v from the runs themselves, what they predict, what was measured."""
    t_target = sum(r.verify for r in alone) / sum(r.rounds for r in alone)
    rounds, forwards = sum(r.rounds for r in mine), sum(r.forwards for r in mine)
    a_round = sum(r.tokens for r in mine) / rounds
    draft, verify = sum(r.draft for r in mine) / rounds, sum(r.verify for r in mine) / rounds
    predicted = a_round / ((draft + verify) / t_target)  # drafted a round · c is all of a round's drafting
    measured = st.median(a.ms_a_token / b.ms_a_token for a, b in zip(alone, mine, strict=True))
    return {
        "speedup": measured,
        "tokens_a_round": a_round,
        "accepted": sum(r.accepted for r in mine) / max(1, sum(r.tested for r in mine)),
        "c": draft * rounds / forwards / t_target if forwards else 0.0,
        "v": verify / t_target,
        "predicted": predicted,
        "measured_vs_predicted": measured / predicted,
        "ms_a_token": st.median(r.ms_a_token for r in mine),
        "eager": next((r.eager for r in [*alone, *mine] if r.eager), ""),
    }


def whole_ratio(theirs: list, ours: list) -> float | None:
    """Whole calls, prefill in, a token each: the median of theirs ÷ ours; None without theirs."""
    pairs = zip(theirs, ours, strict=True)
    return st.median((a.wall / a.tokens) / (b.wall / b.tokens) for a, b in pairs) if theirs else None


def show(title: str, columns: str, rows: Iterable[dict]) -> None:
    def cell(value) -> str:
        return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)

    table = Table(*(name.replace("_", " ") for name in columns.split()), title=title, box=SIMPLE)
    for row in rows:
        table.add_row(*(cell(row[name]) for name in columns.split()))
    console.print(table)


def synthetic(bench: Bench) -> None:
    """One public shape: vanilla beside the floor, then α × K, each K once after a run that records graphs."""
    with bench.step("synthetic, its models", "models", 40) as there_is_time:
        if not bench.shape or not there_is_time:
            return
        _synthetic(bench, bench.shape)


def _synthetic(bench: Bench, shape: shapes.ModelShape) -> None:
    context, tokens, Ks, beside = (48, 24, (1, 2), (2,)) if bench.tiny else (CONTEXT, TOKENS, range(1, 9), BESIDE)
    models = ((shape.name, shape.target), (shape.draft_name, shape.draft))
    target, draft = (shapes.build(*each, bench.device, bench.dtype, seed) for seed, each in enumerate(models))
    why = not_fused_reason(target.shape, target.device, target.dtype)
    bandwidth = copy_bandwidth(bench.device, 2**20 if bench.tiny else 2**31)
    console.print(f"copy within the device: {bandwidth / 1e12:.3f} TB/s, read and written; kernels of our own: {why or 'yes'}")
    theirs = None
    if bench.holds(*(shape.target, shape.draft) * 2):
        theirs = [shapes.peer(config, bench.device, bench.dtype, seed) for seed, (_, config) in enumerate(models)]
    else:
        bench.skipped.append("synthetic, transformers beside it: does not fit")
    prompt = [(7 * i) % target.vocabulary for i in range(context)]
    ids = written(target, prompt, tokens)  # records vanilla's graph too
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    runs = [measure(target, None, prompt, config, NumberText()) for _ in range(3)]
    alone = sorted(runs, key=lambda run: run.ms_a_token)[1]
    bytes = read_bytes(shape.target, target.info.parameters, bench.dtype.itemsize, context + tokens // 2)
    floor = 1e3 * bytes / bandwidth
    vanilla = {
        "context": context,
        "ms_a_token": alone.ms_a_token,
        "floor_ms": floor,
        "floor_of_measured": floor / alone.ms_a_token,
        "vs_generate": whole_ratio([generate(theirs[0], prompt, tokens)], [alone]) if theirs else None,
    }
    rows = []
    for alpha, K in product(ALPHAS, Ks):
        peers = theirs if K in beside else None
        with bench.step(f"synthetic, α = {alpha}, K = {K}", f"synthetic {bool(peers)}", 20 if peers else 5) as there_is_time:
            if not there_is_time:
                continue
            script, how = proposals(ids, target.vocabulary, alpha, bench.device, seed=K), replace(config, K=K)
            drafter = Scripted(SmallModel(draft), script)
            if alpha == ALPHAS[0]:
                measure(target, drafter, prompt, how, NumberText())
            mine, assisted, gap = measure(target, drafter, prompt, how, NumberText()), [], None
            if peers:
                assisted = [generate(peers[0], prompt, tokens, **assist(scripted_peer(peers[1], script), K))]
                gap = host_gap(partial(decode, target, drafter, prompt, how, NumberText(), observe=False), bench.device)
            same = list(mine.ids) == ids[context:]  # else the script no longer fits it
            about = {"draft": shape.draft_name, "family": FAMILY, "alpha": alpha, "K": K, "context": context}
            more = {"same_text": same, "vs_assisted": whole_ratio(assisted, [mine] * len(assisted)), "host_gap": gap}
            rows.append({**about, **run_figures([alone], [mine]), **more})
            bench.keep(
                "synthetic", shape.name, {"bandwidth": bandwidth, "own_kernels": not why, "vanilla": vanilla, "rows": rows}
            )
    show(f"{shape.name} alone", "context ms_a_token floor_ms floor_of_measured vs_generate", [vanilla])
    columns = "alpha K speedup tokens_a_round c v predicted measured_vs_predicted ms_a_token vs_assisted host_gap"
    show(f"{shape.name}, {shape.draft_name}: {FAMILY}; {bench.about.device}, {bench.dtype}", columns, rows)
    if why := next((row["eager"] for row in rows if row["eager"]), ""):
        console.print(f"not at the speed of this device: {why}")


def generate(model, prompt: list[int], tokens: int, **how) -> Whole:
    """The faster of two greedy calls of transformers, after a short one."""
    ids, calls = torch.tensor([prompt], device=model.device), []
    ask = {"do_sample": False, "pad_token_id": 0, "attention_mask": torch.ones_like(ids)} | how
    for length in (min(tokens, 16), tokens, tokens):
        with Timed() as clock:
            out = model.generate(ids, max_new_tokens=length, **ask)
            out[0, -1].item()
        calls.append(clock.whole(out.shape[1] - len(prompt)))
    return min(calls[1:], key=lambda call: call.wall)


def scripted_peer(model, script: torch.Tensor):
    """transformers' draft: a pass as it is, then the logits of its last row overwritten by the script, on the device."""
    real = getattr(model, "unscripted", model.forward)

    @wraps(real)
    def forward(*args, **kwargs):
        out = real(*args, **kwargs)
        at = out.past_key_values.get_seq_length()
        out.logits[0, -1].index_fill_(0, script[at : at + 1], 1e4)
        return out

    model.unscripted, model.forward = real, forward
    return model


def bundled(bench: Bench) -> None:
    """Every drafter of the family by K, greedy; medians of pairs that ran one right after the other."""
    Ks, prompts, tokens, keys = KS, 4, 96, list(DRAFTERS)
    if bench.tiny:
        Ks, prompts, tokens, keys = (2, 1), 1, 10, ["small", "eagle", "lookup"]
    pair, rows = load_pair(TARGET, None, bench.device), {}
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    texts = [pair.text.encode(prompt) for prompt in OPENINGS[:prompts]]
    drafters = {key: drafter_for(pair, DRAFTERS[key], bench.device) for key in keys}
    for K, key in product(Ks, keys):
        is_beside = DRAFTERS[key].startswith(TARGET) and (K in BESIDE or bench.tiny)
        with bench.step(f"bundled, {key}, K = {K}", f"bundled {is_beside}", 10 if is_beside else 5) as there_is_time:
            if there_is_time:
                run = partial(measure, pair.target, drafters[key], text=pair.text)
                row = bundled_row(run, pair_of_peers(DRAFTERS[key]) if is_beside else None, texts, config, K)
                rows[key] = sorted([*rows.get(key, []), {"drafter": key, **row}], key=lambda row: row["K"])
                bench.keep("bundled", key, rows[key])
    columns = "drafter K speedup tokens_a_round accepted c v predicted measured_vs_predicted vs_generate vs_assisted observing"
    show(f"{TARGET} on {bench.about.device}", columns, (row for key in keys for row in rows.get(key, [])))


@cache
def pair_of_peers(draft: str) -> Peer:
    return Peer(TARGET, draft)


def bundled_row(run: Callable[..., Run], peer: Peer | None, texts: list[list[int]], config: DecodeConfig, K: int) -> dict:
    """`run(ids, config=…, observe=…)`."""
    how = replace(config, K=K)
    for warm in (config, how):  # records graphs; first calls choose kernels
        run(texts[0], config=warm)
        if peer:
            peer(texts[0], replace(warm, max_new_tokens=8))
    alone, mine = ([run(ids, config=each) for ids in texts] for each in (config, how))
    generated, assisted = ([peer(ids, each) for ids in texts] if peer else [] for each in (config, how))
    # what observing costs: by turns, at a temperature, where there are distributions, and of the wall: decoding leaves out the look
    looks = {"config": replace(how, temperature=1.0)}
    for observe in (True, False):
        run(texts[0], observe=observe, **looks)  # records graphs
    pairs = [(run(ids, observe=True, **looks), run(ids, observe=False, **looks)) for ids in texts]
    ratios = {"vs_generate": whole_ratio(generated, alone), "vs_assisted": whole_ratio(assisted, mine)}
    return {"K": K, **run_figures(alone, mine), **ratios, "observing": whole_ratio(*zip(*pairs, strict=True))}


def identity(bench: Bench) -> None:
    """Greedy speculative beside greedy vanilla on the bundled pair, by precision."""
    prompts, tokens = (2, 8) if bench.tiny else (len(HARD_TO_ENCODE), 40)
    results, parted = {}, []
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        with bench.step(f"identity in {name}", "identity", 20) as there_is_time:
            if not there_is_time:
                continue
            pair = load_pair(TARGET, DRAFT, bench.device, dtype)
            drafter, some = drafter_for(pair, DRAFT, bench.device, dtype), []
            for i, text in enumerate(HARD_TO_ENCODE[:prompts]):
                ids = pair.text.encode(text)[: LENGTHS[i % 3]]
                config = DecodeConfig(K=1 + i % 6, temperature=0, max_new_tokens=tokens)
                both = (replace(config, K=0), config)
                alone, ours = (list(decode(pair.target, drafter, ids, each, pair.text, observe=False)) for each in both)
                if here := divergence(pair.target, ids, alone, ours):
                    some.append({"prompt": text, "K": config.K, **asdict(here)})
                    gaps = {f"gap_{one}": p.vanilla - p.speculative for one, p in (("alone", here.alone), ("block", here.block))}
                    words = {"vanilla": here.vanilla.text, "speculative": here.speculative.text}
                    parted.append({"dtype": name, "prompt": text[:30], "at": here.at, **words, **gaps})
            results[name] = {"prompts": prompts, "same": prompts - len(some), "parted": some}
            bench.keep("identity", f"{TARGET}, {DRAFT}", results)
    show("Where greedy lanes part", "dtype prompt at vanilla speculative gap_alone gap_block", parted)
    console.print(", ".join(f"{name}: {each['same']} of {each['prompts']} the same" for name, each in results.items()))


def costs(bench: Bench) -> None:
    """t(B, n) of the public shape and its draft, for batches of 1 to 64 and blocks of 1 to 16."""
    how = {"context": 24, "batches": (1, 2, 4), "blocks": (1, 2, 3, 4, 5), "repeats": 2} if bench.tiny else {"context": CONTEXT}
    models = ((bench.shape.name, bench.shape.target), (bench.shape.draft_name, bench.shape.draft)) if bench.shape else ()
    measured = []
    for name, config in models:
        with bench.step(f"costs of {name}", "costs", 20) as there_is_time:
            if there_is_time:
                measured.append(curve := curves.cost_curve(shapes.build(name, config, bench.device, bench.dtype), **how))
                blocks = [*map(str, curve["blocks"])]
                rows = (
                    {"B": B, **dict(zip(blocks, ms, strict=True))} for B, ms in zip(curve["batches"], curve["ms"], strict=True)
                )
                show(
                    f"{curve['model']}: ms by batch (down) and block (across), {curve['context']} positions",
                    " ".join(["B", *blocks]),
                    rows,
                )
    if len(measured) == 2:  # a target without its draft is no comparison
        folder = ROOT / "assets/costs" if bench.out == RESULTS else bench.out
        console.print(f"saved {curves.save_curves(measured, folder, bench.name)}")
        bench.keep("costs", ", ".join(name for name, _ in models), [curve["ms"] for curve in measured])


# in this order, each until that part of the time
SECTIONS = {synthetic: 0.55, bundled: 0.8, identity: 0.9, costs: 1.0}
NAMES = ", ".join(section.__name__ for section in SECTIONS)


def main(
    sections: Annotated[list[str] | None, typer.Argument(help=f"Of {NAMES}; all if none is named.")] = None,
    tiny: Annotated[bool, typer.Option("--tiny", help="Tiny shapes, few runs: on a CPU, to see that it runs.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for what is measured.")] = RESULTS,
    minutes: Annotated[float, typer.Option(help="For all of it; 0 is as long as it takes.")] = 9.5,
):
    """Measure and print; the last line is JSON."""
    where = machine.device()
    if not tiny and where.type != "cuda":
        raise typer.BadParameter(
            "There is no CUDA device here: run this on a machine with one, or with --tiny to see that it runs."
        )
    if tiny and out == RESULTS:
        raise typer.BadParameter("--tiny measures nothing worth keeping: give a folder of its own with --out.")
    if unknown := {*(sections or ())} - {section.__name__ for section in SECTIONS}:
        raise typer.BadParameter(f"{', '.join(unknown)} is no section: there are {NAMES}")
    machine.set_threads(alone=not tiny)
    dtype = "float32" if where.type == "cpu" else machine.half_precision("bfloat16", where)
    bench = Bench(tiny, out, getattr(torch, dtype), 60 * minutes or None)
    for section, part in SECTIONS.items():
        if not sections or section.__name__ in sections:
            bench.until = bench.seconds and (bench.seconds if sections else part * bench.seconds)
            section(bench)
    bench.last_line()


if __name__ == "__main__":
    typer.run(main)
