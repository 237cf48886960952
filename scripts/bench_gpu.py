"""How close the engine is to the memory limit of a GPU: `make bench-gpu`, all of it; a section alone, with its own options:

python -m scripts.bench_gpu --out DIR synthetic --target Llama-3-8B --draft Llama-3.2-1B
python -m scripts.bench_gpu --tiny --out DIR          # the same on a CPU with tiny shapes: shows that it runs, measures nothing

bundled     every drafter of the family, K by K, beside transformers plain and assisted
synthetic   public shapes with random weights, α by script (specviz/lab/scripted.py), beside transformers, and the memory floor
identity    greedy speculative against greedy vanilla in fp32, bf16 and fp16: where they part, and by how little
costs       t(B, n) → assets/costs/{gpu}.json
traces      recorded runs → assets/traces/gpu-*.jsonl.gz

Each prints a table, adds what it measured to {gpu}-{date}.json and ends in one line of JSON: the figures of all sections so far.
"""

import gc
import gzip
import itertools
import json
import statistics as st
import sys
import time
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial, wraps
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.divergence import divergence
from specviz.engine.draft.base import Drafter
from specviz.engine.draft.choose import Setup, drafter_for
from specviz.engine.models.base import one_line
from specviz.engine.models.fused import why_plain
from specviz.engine.models.llama import Llama
from specviz.engine.models.pair import load_pair
from specviz.engine.race import race
from specviz.lab import costs as curves
from specviz.lab import shapes
from specviz.lab.floor import copy_bandwidth, floor_ms, read_bytes
from specviz.lab.gap import host_gap
from specviz.lab.measure import Run, measure
from specviz.lab.scripted import FAMILY, Numbers, Script, Scripted
from specviz.local import DRAFTERS, TARGET
from specviz.trace.file import dumps
from specviz.trace.header import Trace

from .bench import PROMPTS, Peer, Whole
from .costs import slug

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs/benchmarks"
MAIN, CONTEXT, MOST = "Llama-3-8B", 1024, 8  # what the figures are of: this target, after so many tokens, K up to this
console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__, rich_markup_mode=None)


@dataclass
class Bench:
    """What was asked of all sections. `plan`: the measured sizes, or tiny ones."""

    tiny: bool
    out: Path
    dtype: torch.dtype

    def __post_init__(self):
        self.device, self.about = machine.device(), machine.describe()
        self.shapes = shapes.TINY if self.tiny else shapes.PUBLIC
        self.main = next(iter(self.shapes))
        self.context = 48 if self.tiny else CONTEXT
        self.name = f"{'tiny' if self.tiny else slug(self.about.device)}-{date.today().isoformat()}"
        self.out.mkdir(parents=True, exist_ok=True)
        self.path = self.out / f"{self.name}.json"

    @property
    def gpu(self) -> str | None:
        return self.about.device if self.device.type == "cuda" else None

    def place(self, kind: str) -> Path:
        """Where assets go: their folder, or with everything else where `--out` says."""
        return ROOT / "assets" / kind if self.out == KEPT else self.out

    def keep(self, section: str, key: str, rows) -> None:
        """Add to what was measured on this machine today, here or in the folder of kept results."""
        found = next((p for p in (self.path, KEPT / self.path.name) if p.is_file()), None)
        said = json.loads(found.read_text()) if found else {}
        sections = said.get("sections", {})
        sections.setdefault(section, {})[key] = rows
        said = {
            **figures(sections, self.main, self.context),
            "gpu": self.gpu,
            "tiny": self.tiny,
            "dtype": str(self.dtype).removeprefix("torch."),
            "date": date.today().isoformat(),
            "torch": self.about.torch,
            "transformers": self.about.transformers,
            "sections": sections,
        }
        self.path.write_text(json.dumps(said) + "\n")

    def last_line(self) -> None:
        said = json.loads(self.path.read_text()) if self.path.is_file() else {}
        print(json.dumps({key: _short(value) for key, value in said.items() if key != "sections"}))


def figures(sections: dict, main: str, context: int) -> dict:
    """The table of goals, from what was measured; null where it was not. Of several the worst; of what observing costs the median."""
    runs = [row for draft in _of(sections, "synthetic", main) for row in draft["rows"]]
    bases = [draft["vanilla"] for draft in _of(sections, "synthetic", main)]
    at = [row for row in runs if row["context"] == context]
    base = [row for rows in bases for row in rows if row["context"] == context]
    bundled = list(sections.get("bundled", {}).values())

    def worst(values, of=min):
        some = [v for v in values if v is not None]
        return of(some) if some else None

    return {
        "vanilla_vs_floor": worst(row["floor_of_measured"] for row in base),
        "measured_vs_predicted_min": worst(row["measured_vs_predicted"] for row in at if row["K"] <= MOST),
        "vanilla_vs_generate": worst(row["vs_generate"] for row in base),
        "speculative_vs_assisted": worst(row["vs_assisted"] for row in at),
        "host_gap": worst((row["host_gap"] for row in at), max),
        "observing_slowdown": worst((row["observing"] for row in [*at, *(r for some in bundled for r in some)]), st.median),
        "bundled_best_speedup": worst((row["speedup"] for some in bundled for row in some), max),
        "synthetic_same_text": all(row["same_text"] for row in runs) if runs else None,
        "identical_fp32": worst(some["float32"]["same"] for some in _all(sections, "identity")),
    }


def _of(sections: dict, name: str, target: str) -> list:
    return [value for key, value in sections.get(name, {}).items() if key.startswith(target + ",")]


def _all(sections: dict, name: str) -> list:
    return list(sections.get(name, {}).values())


def _short(value):
    return round(value, 4) if isinstance(value, float) else value


@app.callback(invoke_without_command=True)
def every(
    ctx: typer.Context,
    tiny: Annotated[bool, typer.Option("--tiny", help="Tiny shapes, few runs: on a CPU, to see that it runs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for what is measured; docs/benchmarks if not given.")] = None,
    dtype: Annotated[str, typer.Option(help="bfloat16, float16 or float32.")] = "",
):
    """All sections one after the other, or the one that is named."""
    if not tiny and machine.device().type != "cuda":
        print(
            "There is no CUDA device here, so nothing was measured: run this on a machine with one, or with --tiny to see that it runs.",
            file=sys.stderr,
        )
        raise typer.Exit(2)
    if tiny and out is None:
        print("--tiny measures nothing worth keeping: give a folder of its own with --out.", file=sys.stderr)
        raise typer.Exit(2)
    machine.set_threads(alone=not tiny)
    kind = getattr(torch, dtype or ("float32" if machine.device().type == "cpu" else "bfloat16"))
    ctx.obj = Bench(tiny, out or KEPT, kind)
    ctx.call_on_close(ctx.obj.last_line)
    if ctx.invoked_subcommand is None:
        for section in (identity, bundled, synthetic, costs, traces):
            ctx.invoke(section, ctx)


# The bundled family ------------------------------------------------------------------------------------------------


@app.command()
def bundled(
    ctx: typer.Context,
    drafter: Annotated[list[str] | None, typer.Option(help="May be given again; all if not given.")] = None,
    largest_k: Annotated[int, typer.Option("--largest-k")] = 8,
    prompts: Annotated[int, typer.Option(help="How many of the eight.")] = 4,
    tokens: int = 96,
):
    """Every drafter of the family by K, greedy; medians of pairs that ran one right after the other."""
    bench: Bench = ctx.obj
    if bench.tiny:
        largest_k, prompts, tokens, drafter = 2, 1, 10, drafter or ["small", "eagle", "lookup"]
    pair = load_pair(TARGET, None, bench.device)
    config = DecodeConfig(K=0, temperature=0, max_new_tokens=tokens, ignore_eos=True)
    texts = [pair.text.encode(p) for p in PROMPTS[:prompts]]
    table = _table(f"{TARGET} on {bench.about.device}", ["drafter", "K", "speedup", "tokens/round", "accepted", "c", "v", "predicted", "measured÷it", "÷generate()", "÷assisted", "observing"])  # fmt: skip
    for key in drafter or DRAFTERS:
        ours, peer, rows = drafter_for(pair, DRAFTERS[key], bench.device), _bundled_peer(DRAFTERS[key]), []
        for K in range(1, largest_k + 1):
            how = replace(config, K=K)
            run = partial(measure, pair.target, ours, text=pair.text)
            for warm in (config, how):  # records graphs; first calls choose kernels
                run(texts[0], config=warm)
                if peer:
                    peer(texts[0], replace(warm, max_new_tokens=8))
            alone, mine, seen = ([run(ids, config=c, observe=o) for ids in texts] for c, o in ((config, False), (how, False), (how, True)))  # fmt: skip
            generate, assisted = ([peer(ids, c) for ids in texts] if peer else [] for c in (config, how))
            rows.append({"drafter": key, "K": K, **compared(alone, mine), **beside(alone, mine, generate, assisted), "observing": sum(r.decode for r in seen) / sum(r.decode for r in mine)})  # fmt: skip
            table.add_row(key, *_cells(rows[-1], "K speedup tokens_a_round accepted c v predicted measured_vs_predicted vs_generate vs_assisted observing"))  # fmt: skip
        bench.keep("bundled", key, rows)
    console.print(table)


def _bundled_peer(draft: str) -> Peer | None:
    """transformers on the same pair, where the draft is a model."""
    return Peer(TARGET, draft) if draft.startswith(TARGET) else None


def compared(alone: list[Run], mine: list[Run]) -> dict:
    """Speculative runs beside vanilla ones: c and v from the runs themselves, what they predict, what was measured."""
    t_target = sum(r.verify for r in alone) / sum(r.rounds for r in alone)
    rounds, forwards = sum(r.rounds for r in mine), sum(r.forwards for r in mine)
    a_round = sum(r.tokens for r in mine) / rounds
    draft, verify = sum(r.draft for r in mine) / rounds, sum(r.verify for r in mine) / rounds
    predicted = a_round / ((draft + verify) / t_target)  # drafted a round · c is all of a round's drafting
    measured = st.median(a.pace / b.pace for a, b in zip(alone, mine, strict=True))
    return {
        "speedup": measured,
        "tokens_a_round": a_round,
        "accepted": sum(r.accepted for r in mine) / max(1, sum(r.tested for r in mine)),
        "c": draft * rounds / forwards / t_target if forwards else 0.0,
        "v": verify / t_target,
        "predicted": predicted,
        "measured_vs_predicted": measured / predicted,
        "ms_a_token": st.median(r.pace for r in mine),
        "eager": next((r.eager for r in [*alone, *mine] if r.eager), ""),
    }


def beside(alone: list[Run], mine: list[Run], generate: list[Whole], assisted: list[Whole]) -> dict:
    """Whole calls, prefill in, a token each: transformers ÷ ours."""

    def ratio(theirs, ours):
        pairs = zip(theirs, ours, strict=True)
        return st.median((a.wall / a.tokens) / (b.wall / b.tokens) for a, b in pairs) if theirs else None

    return {"vs_generate": ratio(generate, alone), "vs_assisted": ratio(assisted, mine)}


# Public shapes, random weights, scripted acceptance ----------------------------------------------------------------


@app.command()
def synthetic(
    ctx: typer.Context,
    target: Annotated[list[str] | None, typer.Option(help="May be given again; all if not given.")] = None,
    draft: Annotated[list[str] | None, typer.Option(help="Likewise.")] = None,
    alpha: Annotated[list[float] | None, typer.Option()] = None,
    largest_k: Annotated[int, typer.Option("--largest-k")] = 12,
    context: Annotated[list[int] | None, typer.Option()] = None,
    tokens: Annotated[int, typer.Option(help="Of every run.")] = 160,
    peers: Annotated[bool, typer.Option(help="Run transformers too, at context 1024 and K = 2, 4, 8.")] = True,
    static: Annotated[bool, typer.Option(help="Its static cache too, which it compiles for: a minute or more.")] = True,
):
    """Target × draft × α × K × context, one short greedy run each after one that records graphs."""
    bench: Bench = ctx.obj
    alphas, contexts, Ks = alpha or [0.5, 0.6, 0.7, 0.8, 0.9], context or [CONTEXT, 128, 4096], range(1, largest_k + 1)
    peer_Ks = (2, 4, 8)
    if bench.tiny:
        alphas, contexts, Ks, tokens, peer_Ks = alpha or [0.5, 0.9], [bench.context, 16], (1, 2), 24, (2,)
    bandwidth = copy_bandwidth(bench.device, 2**20 if bench.tiny else 2**31)
    console.print(f"copy within the device: {bandwidth / 1e12:.3f} TB/s, read and written")
    for name in target or bench.shapes:
        shape = bench.shapes[name]
        model = shapes.build(name, shape.target, bench.device, bench.dtype)
        why = why_plain(model.shape, model.device, model.dtype)
        console.print(f"{name}: between the products of a layer {f'PyTorch, since {why}' if why else 'kernels of our own'}")
        wanted_drafts = [one for one in draft or shape.drafts if one in shape.drafts]
        for wanted in wanted_drafts:
            real = shapes.drafter(wanted, shape.drafts[wanted], model, shape.target)
            for size in contexts:
                at = Place(bench, name, wanted, model, real, size, tokens, static)
                theirs = peers and size == bench.context
                alone = at.vanilla(bandwidth, shape.target, theirs and wanted == wanted_drafts[0])
                rows = [at.speculative(a, K, theirs and K in peer_Ks) for a, K in itertools.product(alphas, Ks)]
                found = {"bandwidth": bandwidth, "own_kernels": not why, "vanilla": [alone], "rows": rows}
                _show(bench, name, wanted, found)
                key = f"{name}, {wanted}, {size}" + (f", α {alpha}" if alpha else "")
                bench.keep("synthetic", key, found)  # at once: the next one may outlast its time
                del at
            del real
        del model
        shapes.peer.cache_clear()
        gc.collect()
        if bench.device.type == "cuda":
            torch.cuda.empty_cache()


class Place:
    """One target with one drafter after a prompt of one length: what the target writes there, and vanilla's runs."""

    def __init__(
        self, bench: Bench, target: str, draft: str, model: Llama, real: Drafter, context: int, tokens: int, static: bool
    ):
        self.bench, self.target, self.draft, self.model, self.real = bench, target, draft, model, real
        self.context, self.tokens, self.static, self.recorded = context, tokens, static, set()
        self.prompt = [(7 * i) % model.vocabulary for i in range(context)]
        self.script = Script.of(model, self.prompt, tokens)  # records vanilla's graph too
        self.config = DecodeConfig(K=0, temperature=0, max_new_tokens=tokens, ignore_eos=True)
        self.alone = [measure(model, None, self.prompt, self.config, Numbers()) for _ in range(3)]

    def vanilla(self, bandwidth: float, config, theirs: bool) -> dict:
        held = self.context + self.tokens // 2
        bytes = read_bytes(config, self.model.info.parameters, self.bench.dtype.itemsize, held)
        floor, pace = floor_ms(bytes, bandwidth), st.median(r.pace for r in self.alone)
        whole = self._peer(0, None, None) if theirs else None
        still, why = self._static() if theirs and self.static else (None, "not asked")
        ours = st.median(r.wall / r.tokens for r in self.alone)
        return {
            "context": self.context,
            "ms_a_token": pace,
            "floor_ms": floor,
            "floor_of_measured": floor / pace,
            "vs_generate": whole and whole.wall / whole.tokens / ours,
            "vs_generate_static": still and still.wall / still.tokens / ours,
            "static_cache": why,
        }

    def speculative(self, alpha: float, K: int, theirs: bool) -> dict:
        drafter = Scripted(self.real, self.script, alpha, seed=K)
        how = replace(self.config, K=K)
        run = partial(measure, self.model, drafter, self.prompt, text=Numbers())
        if K not in self.recorded:
            run(config=how)
            self.recorded.add(K)
        mine = run(config=how)
        whole = self._peer(K, drafter.said, how) if theirs else None
        seen = run(config=how, observe=True) if theirs else None
        events = partial(decode, self.model, drafter, self.prompt, how, Numbers(), observe=False)
        return {
            "draft": self.draft,
            "family": FAMILY,
            "alpha": alpha,
            "K": K,
            "context": self.context,
            **compared([self._vanilla()], [mine]),
            "same_text": list(mine.ids) == self.script.ids[self.context :],  # else the script no longer fits it
            "vs_assisted": whole and (whole.wall / whole.tokens) / (mine.wall / mine.tokens),
            "observing": seen and seen.decode / mine.decode,
            "host_gap": host_gap(events, self.bench.device) if theirs else None,
        }

    def _vanilla(self) -> Run:
        return sorted(self.alone, key=lambda r: r.pace)[len(self.alone) // 2]

    def _peer(self, K: int, said: torch.Tensor | None, config: DecodeConfig | None) -> Whole | None:
        """transformers on the same weights; its draft at full cost, its logits overwritten by the same script."""
        if K and self.bench.shapes[self.target].drafts[self.draft] is None:
            return None  # it has no EAGLE heads
        bench = self.bench
        target = shapes.peer(self.target, bench.device, bench.dtype, tiny=bench.tiny)
        how = {}
        if K:
            draft = shapes.peer(self.target, bench.device, bench.dtype, self.draft, bench.tiny)
            plan = draft.generation_config
            plan.num_assistant_tokens, plan.num_assistant_tokens_schedule, plan.assistant_confidence_threshold = (
                K,
                "constant",
                0.0,
            )
            how = {"assistant_model": scripted_peer(draft, said)}
        return self._generate(target, how)

    def _static(self) -> tuple[Whole | None, str]:
        """transformers with its static cache, or why it does not run here."""
        target = shapes.peer(self.target, self.bench.device, self.bench.dtype, tiny=self.bench.tiny)
        try:
            return self._generate(target, {"cache_implementation": "static"}), ""
        except Exception as error:  # it compiles, which needs a compiler
            return None, one_line(error)

    def _generate(self, target, how: dict) -> Whole:
        prompt = torch.tensor([self.prompt], device=target.device)
        ask = {
            "do_sample": False,
            "max_new_tokens": self.tokens,
            "pad_token_id": 0,
            "attention_mask": torch.ones_like(prompt),
        } | how
        # a static cache is as long as the call asks, and compiled for that
        warm = self.tokens if "cache_implementation" in how else min(self.tokens, 16)
        target.generate(prompt, **(ask | {"max_new_tokens": warm}))
        walls = []
        for _ in range(2):
            start = time.perf_counter()
            out = target.generate(prompt, **ask)
            out[0, -1].item()
            walls.append((time.perf_counter() - start) * 1e3)
        return Whole(min(walls), out.shape[1] - len(self.prompt))


def scripted_peer(model, said: torch.Tensor):
    """transformers' draft: a pass as it is, then the logits of its last row overwritten by the script, on the device."""
    real = getattr(model, "unscripted", model.forward)

    @wraps(real)
    def forward(*args, **kwargs):
        out = real(*args, **kwargs)
        at = out.past_key_values.get_seq_length()
        out.logits[0, -1].index_fill_(0, said[at : at + 1], 1e4)
        return out

    model.unscripted, model.forward = real, forward
    return model


def _show(bench: Bench, target: str, draft: str, found: dict) -> None:
    table = _table(f"{target}, {draft}: {FAMILY}; {bench.about.device}, {bench.dtype}", ["context", "α", "K", "speedup", "tokens/round", "c", "v", "predicted", "measured÷it", "ms/token", "÷assisted", "host·gap", "observing"])  # fmt: skip
    for row in found["rows"]:
        table.add_row(*_cells(row, "context alpha K speedup tokens_a_round c v predicted measured_vs_predicted ms_a_token vs_assisted host_gap observing"))  # fmt: skip
    console.print(table)
    if why := next((row["eager"] for row in found["rows"] if row["eager"]), ""):
        console.print(f"not at the speed of this device: {why}")
    table = _table(f"{target} alone", ["context", "ms/token", "floor·ms", "floor÷measured", "÷generate()", "÷its·static·cache"])
    for row in found["vanilla"]:
        table.add_row(*_cells(row, "context ms_a_token floor_ms floor_of_measured vs_generate vs_generate_static"))
    console.print(table)


# Greedy identity ---------------------------------------------------------------------------------------------------


@app.command()
def identity(
    ctx: typer.Context,
    prompts: Annotated[int, typer.Option(help="Of the forty of tests/engine/test_identity.py.")] = 40,
    tokens: int = 40,
):
    """Greedy speculative beside greedy vanilla on the bundled pair, by precision."""
    from tests.engine.test_identity import DRAFT, LENGTHS, TEXTS

    bench: Bench = ctx.obj
    if bench.tiny:
        prompts, tokens = 2, 8
    found, parted = {}, _table("Where greedy lanes part", ["dtype", "prompt", "at", "vanilla", "speculative", "alone", "block", "gap·alone", "gap·block"])  # fmt: skip
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        pair = load_pair(TARGET, DRAFT, bench.device, dtype)
        drafter, name = drafter_for(pair, DRAFT, bench.device, dtype), str(dtype).removeprefix("torch.")
        some = []
        for i, text in enumerate(TEXTS[:prompts]):
            ids = pair.text.encode(text.replace("\\n", "\n").replace("\\t", "\t"))[: LENGTHS[i % 3]]
            config = DecodeConfig(K=1 + i % 6, temperature=0, max_new_tokens=tokens)
            alone, ours = (
                list(decode(pair.target, drafter, ids, c, pair.text, observe=False)) for c in (replace(config, K=0), config)
            )
            if here := divergence(pair.target, ids, alone, ours):
                some.append({"prompt": text, "K": config.K, **asdict(here)})
                a, b = here.alone, here.block
                parted.add_row(name, text[:30], str(here.at), here.vanilla.text, here.speculative.text, f"{a.vanilla:.4f} {a.speculative:.4f}", f"{b.vanilla:.4f} {b.speculative:.4f}", f"{a.vanilla - a.speculative:+.4f}", f"{b.vanilla - b.speculative:+.4f}")  # fmt: skip
        found[name] = {"prompts": prompts, "same": prompts - len(some), "parted": some}
    console.print(parted)
    console.print(", ".join(f"{name}: {f['same']} of {f['prompts']} the same" for name, f in found.items()))
    bench.keep("identity", f"{TARGET}, {DRAFT}", found)


# Cost curves -------------------------------------------------------------------------------------------------------


@app.command()
def costs(
    ctx: typer.Context,
    model: Annotated[list[str] | None, typer.Option(help="Targets and drafts; Llama-3-8B and its 1B if not given.")] = None,
    context: int = CONTEXT,
    folder: Annotated[Path | None, typer.Option(help="assets/costs if not given, or --out.")] = None,
):
    """t(B, n) for batches of 1 to 64 and blocks of 1 to 16."""
    bench: Bench = ctx.obj
    configs = {name: s.target for name, s in bench.shapes.items()} | {n: c for s in bench.shapes.values() for n, c in s.drafts.items() if c}  # fmt: skip
    wanted = model or [bench.main, next(iter(bench.shapes[bench.main].drafts))]
    how = {"context": 24, "batches": (1, 2, 4), "blocks": (1, 2, 5), "repeats": 2} if bench.tiny else {"context": context}
    found = []
    for name in wanted:
        one = shapes.build(name, configs[name], bench.device, bench.dtype)
        found.append(curve := curves.curve(one, **how))
        table = _table(f"{curve['model']}: ms by batch (down) and block (across), {curve['context']} positions", ["B", *map(str, curve["blocks"])])  # fmt: skip
        for size, row in zip(curve["batches"], curve["ms"], strict=True):
            table.add_row(str(size), *(f"{ms:.2f}" for ms in row))
        console.print(table)
        del one
    place = folder or bench.place("costs")
    console.print(f"saved {curves.save(found, place, bench.name.removesuffix(date.today().isoformat()).strip('-'))}")
    bench.keep("costs", ", ".join(wanted), [curve["ms"] for curve in found])


# Traces ------------------------------------------------------------------------------------------------------------


@app.command()
def traces(
    ctx: typer.Context,
    alpha: float = 0.8,
    k: Annotated[int, typer.Option("--k", "-k")] = 4,
    tokens: int = 64,
    folder: Annotated[Path | None, typer.Option(help="assets/traces if not given, or --out.")] = None,
):
    """The bundled pair greedy and at temperature 1, and the largest synthetic pair, with the hardware in the header."""
    bench: Bench = ctx.obj
    place = folder or bench.place("traces")
    pair = load_pair(TARGET, None, bench.device)
    family = Setup(pair.target, drafter_for(pair, DRAFTERS["small"], bench.device), pair.text)
    config = DecodeConfig(K=k, max_new_tokens=16 if bench.tiny else tokens)
    for name, T in (("gpu-predictable", 0.0), ("gpu-creative", 1.0)):
        _save(place, name, list(race(family, PROMPTS[0], replace(config, temperature=T)))[-1])
    largest = max(bench.shapes, key=lambda name: _parameters(bench.shapes[name].target))
    shape = bench.shapes[largest]
    model = shapes.build(largest, shape.target, bench.device, bench.dtype)
    draft = next(iter(shape.drafts))
    prompt = list(range(100, 116))
    scripted = Scripted(shapes.drafter(draft, shape.drafts[draft], model, shape.target), Script.of(model, prompt, config.max_new_tokens), alpha)  # fmt: skip
    greedy = replace(config, temperature=0.0, ignore_eos=True)
    _save(place, "gpu-synthetic", list(race(Setup(model, scripted, Numbers()), " ".join(map(str, prompt)), greedy))[-1])
    bench.keep("traces", "files", ["gpu-predictable", "gpu-creative", "gpu-synthetic"])


def _parameters(config) -> int:
    """About how many, to tell the largest."""
    layer = (
        3 * config.hidden_size * config.intermediate_size + 2 * config.hidden_size * config.head_dim * config.num_attention_heads
    )
    return config.num_hidden_layers * layer + 2 * config.vocab_size * config.hidden_size


def _save(folder: Path, name: str, trace: Trace) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(dumps(trace), mtime=0))
    vanilla, ours = trace.vanilla[-1], trace.speculative[-1]
    speedup = (vanilla.decode_ms / vanilla.tokens) / (ours.decode_ms / ours.tokens)
    why = f"; not from graphs: {ours.eager}" if ours.eager else ""
    console.print(
        f"saved {path}: {trace.header.machine.device}, {ours.tokens} tokens, {ours.rounds} rounds, {speedup:.2f} ×{why}"
    )


def _table(title: str, heads: list[str]) -> Table:
    table = Table(title=title, box=SIMPLE)
    for head in heads:
        table.add_column(head.replace("·", " "), justify="right")
    return table


def _cells(row: dict, keys: str) -> list[str]:
    def cell(value):
        return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)

    return [cell(row[key]) for key in keys.split()]


if __name__ == "__main__":
    app()
