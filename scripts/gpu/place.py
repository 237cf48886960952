"""One synthetic target with one drafter after a prompt of one length: our runs there, and transformers' on the same weights."""

import statistics as st
import time
from dataclasses import replace
from functools import partial, wraps

import torch

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.base import Drafter
from specviz.engine.models.llama import Llama
from specviz.lab.measure import measure

from ..peer import Whole, assist
from . import shapes
from .bench import Bench
from .figures import run_figures
from .floor import floor_ms, read_bytes
from .gap import host_gap
from .scripted import FAMILY, NumberText, Script, Scripted


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
