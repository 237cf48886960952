"""Public shapes with random weights: target × draft × α × K × context, acceptance by script."""

import itertools
import statistics as st
import time
from dataclasses import replace
from functools import partial, wraps
from typing import Annotated

import torch
import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.backends.pytorch.fused import not_fused_reason
from specviz.engine.decode import decode
from specviz.engine.draft.base import Drafter
from specviz.engine.models.llama import Llama
from specviz.lab.measure import measure

from ..peer import Whole, assist
from . import shapes
from .bench import CONTEXT, Bench
from .figures import console, run_figures, show
from .limits import copy_bandwidth, floor_ms, host_gap, read_bytes
from .scripted import FAMILY, NumberText, Script, Scripted


def synthetic(
    ctx: typer.Context,
    target: Annotated[list[str] | None, typer.Option(help="May be given again; all if not given.")] = None,
    draft: Annotated[list[str] | None, typer.Option(help="Likewise.")] = None,
    alpha: Annotated[list[float] | None, typer.Option()] = None,
    largest_k: Annotated[int, typer.Option("--largest-k")] = 8,
    context: Annotated[list[int] | None, typer.Option()] = None,
    tokens: Annotated[int, typer.Option(help="Of every run.")] = 160,
    peers: Annotated[bool, typer.Option(help="Run transformers too, at context 1024 and K = 2, 4, 8.")] = True,
):
    """Target × draft × α × K × context, one short greedy run each after one that records graphs."""
    bench: Bench = ctx.obj
    alphas, contexts, Ks = alpha or [0.7, 0.9], context or [CONTEXT, 128, 4096], range(1, largest_k + 1)
    peer_Ks = (4, 8)
    if bench.tiny:
        alphas, contexts, Ks, tokens, peer_Ks = alpha or [0.5, 0.9], [bench.context, 16], (1, 2), 24, (2,)
    bandwidth = copy_bandwidth(bench.device, 2**20 if bench.tiny else 2**31)
    console.print(f"copy within the device: {bandwidth / 1e12:.3f} TB/s, read and written")
    for name in target or bench.shapes:
        shape = bench.shapes[name]
        with bench.step(f"synthetic, {name}", "synthetic model", 15) as there_is_time:
            if there_is_time:
                model = shapes.build(name, shape.target, bench.device, bench.dtype)
                why = not_fused_reason(model.shape, model.device, model.dtype)
                console.print(
                    f"{name}: between the products of a layer {f'PyTorch, since {why}' if why else 'kernels of our own'}"
                )
                wanted = [one for one in draft or shape.drafts if one in shape.drafts]
                for size, each in itertools.product(contexts, wanted):
                    what = f"synthetic, {name}, {each}, {size}"
                    if not bench.holds(shape.target, shape.drafts[each]):
                        bench.skipped.append(f"{what}: does not fit")
                        continue
                    beside = peers and size == bench.context
                    draft_configs = () if shape.drafts[each] is None else (shape.drafts[each],)  # transformers has no EAGLE heads
                    theirs = beside and bench.holds(shape.target, shape.drafts[each], shape.target, *draft_configs)
                    if beside and not theirs:
                        bench.skipped.append(f"{what}, transformers beside it: does not fit")
                    with bench.step(what, f"synthetic {theirs}", 90 if theirs else 45) as time_for_it:
                        if time_for_it:
                            real = shapes.drafter(each, shape.drafts[each], model, shape.target)
                            at = Place(bench, name, each, model, real, size, tokens)
                            alone = at.vanilla(bandwidth, shape.target, theirs and each == wanted[0])
                            grid = itertools.product(alphas, Ks)
                            rows = [at.speculative(a, K, theirs and K in peer_Ks) for a, K in grid]
                            results = {"bandwidth": bandwidth, "own_kernels": not why, "vanilla": [alone], "rows": rows}
                            _show(bench, name, each, results)
                            key = f"{name}, {each}, {size}" + (f", α {alpha}" if alpha else "")
                            bench.keep("synthetic", key, results)  # at once: the next one may outlast its time
                            del at, real
                del model
        shapes.peer.cache_clear()
        machine.release_memory()


def _show(bench: Bench, target: str, draft: str, results: dict) -> None:
    title = f"{target}, {draft}: {FAMILY}; {bench.about.device}, {bench.dtype}"
    columns = "context alpha K speedup tokens_a_round c v predicted measured_vs_predicted ms_a_token vs_assisted host_gap"
    show(title, columns, results["rows"])
    if why := next((row["eager"] for row in results["rows"] if row["eager"]), ""):
        console.print(f"not at the speed of this device: {why}")
    show(f"{target} alone", "context ms_a_token floor_ms floor_of_measured vs_generate", results["vanilla"])


class Place:
    """One target with one drafter after a prompt of one length: what the target writes there, and vanilla's runs."""

    def __init__(self, bench: Bench, target: str, draft: str, model: Llama, real: Drafter, context: int, tokens: int):
        self.bench, self.target, self.draft, self.model, self.real = bench, target, draft, model, real
        self.context, self.tokens, self.recorded = context, tokens, set()
        self.prompt = [(7 * i) % model.vocabulary for i in range(context)]
        self.script = Script.of(model, self.prompt, tokens)  # records vanilla's graph too
        self.config = DecodeConfig(K=0, temperature=0, max_new_tokens=tokens, ignore_eos=True)
        self.alone = [measure(model, None, self.prompt, self.config, NumberText()) for _ in range(3)]

    def vanilla(self, bandwidth: float, config, theirs: bool) -> dict:
        positions = self.context + self.tokens // 2
        bytes = read_bytes(config, self.model.info.parameters, self.bench.dtype.itemsize, positions)
        floor, pace = floor_ms(bytes, bandwidth), st.median(r.ms_a_token for r in self.alone)
        whole = self._peer(0, None, None) if theirs else None
        ours = st.median(r.wall / r.tokens for r in self.alone)
        return {
            "context": self.context,
            "ms_a_token": pace,
            "floor_ms": floor,
            "floor_of_measured": floor / pace,
            "vs_generate": whole and whole.wall / whole.tokens / ours,
        }

    def speculative(self, alpha: float, K: int, theirs: bool) -> dict:
        drafter = Scripted(self.real, self.script, alpha, seed=K)
        how = replace(self.config, K=K)
        run = partial(measure, self.model, drafter, self.prompt, text=NumberText())
        if K not in self.recorded:
            run(config=how)
            self.recorded.add(K)
        mine = run(config=how)
        whole = self._peer(K, drafter.proposals, how) if theirs else None
        events = partial(decode, self.model, drafter, self.prompt, how, NumberText(), observe=False)
        return {
            "draft": self.draft,
            "family": FAMILY,
            "alpha": alpha,
            "K": K,
            "context": self.context,
            **run_figures([sorted(self.alone, key=lambda r: r.ms_a_token)[len(self.alone) // 2]], [mine]),
            "same_text": list(mine.ids) == self.script.ids[self.context :],  # else the script no longer fits it
            "vs_assisted": whole and (whole.wall / whole.tokens) / (mine.wall / mine.tokens),
            "host_gap": host_gap(events, self.bench.device) if theirs else None,
        }

    def _peer(self, K: int, proposals: torch.Tensor | None, config: DecodeConfig | None) -> Whole | None:
        """transformers on the same weights; its draft at full cost, its logits overwritten by the same script."""
        if K and self.bench.shapes[self.target].drafts[self.draft] is None:
            return None  # it has no EAGLE heads
        bench = self.bench
        target = shapes.peer(self.target, bench.device, bench.dtype, tiny=bench.tiny)
        how = {}
        if K:
            draft = shapes.peer(self.target, bench.device, bench.dtype, self.draft, bench.tiny)
            how = assist(scripted_peer(draft, proposals), K)
        return self._generate(target, how)

    def _generate(self, target, how: dict) -> Whole:
        prompt = torch.tensor([self.prompt], device=target.device)
        ask = {
            "do_sample": False,
            "max_new_tokens": self.tokens,
            "pad_token_id": 0,
            "attention_mask": torch.ones_like(prompt),
        } | how
        target.generate(prompt, **(ask | {"max_new_tokens": min(self.tokens, 16)}))
        walls = []
        for _ in range(2):
            start = time.perf_counter()
            out = target.generate(prompt, **ask)
            out[0, -1].item()
            walls.append((time.perf_counter() - start) * 1e3)
        return Whole(min(walls), out.shape[1] - len(self.prompt))


def scripted_peer(model, proposals: torch.Tensor):
    """transformers' draft: a pass as it is, then the logits of its last row overwritten by the script, on the device."""
    real = getattr(model, "unscripted", model.forward)

    @wraps(real)
    def forward(*args, **kwargs):
        out = real(*args, **kwargs)
        at = out.past_key_values.get_seq_length()
        out.logits[0, -1].index_fill_(0, proposals[at : at + 1], 1e4)
        return out

    model.unscripted, model.forward = real, forward
    return model
