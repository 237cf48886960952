"""Greedy speculative against greedy vanilla in fp32, bf16 and fp16: where they part, and by how little."""

from dataclasses import asdict, replace
from typing import Annotated

import torch
import typer

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.divergence import divergence
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import load_pair
from specviz.local import TARGET

from .bench import Bench
from .tables import console, show


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
    results, parted = {}, []
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        with bench.step(f"identity in {name}", "identity", 20) as there_is_time:
            if not there_is_time:
                continue
            pair = load_pair(TARGET, DRAFT, bench.device, dtype)
            drafter, some = drafter_for(pair, DRAFT, bench.device, dtype), []
            for i, text in enumerate(TEXTS[:prompts]):
                ids = pair.text.encode(text.replace("\\n", "\n").replace("\\t", "\t"))[: LENGTHS[i % 3]]
                config = DecodeConfig(K=1 + i % 6, temperature=0, max_new_tokens=tokens)
                alone, ours = (
                    list(decode(pair.target, drafter, ids, c, pair.text, observe=False)) for c in (replace(config, K=0), config)
                )
                if here := divergence(pair.target, ids, alone, ours):
                    some.append({"prompt": text, "K": config.K, **asdict(here)})
                    a, b = here.alone, here.block
                    gaps = {"gap_alone": a.vanilla - a.speculative, "gap_block": b.vanilla - b.speculative}
                    words = {"vanilla": here.vanilla.text, "speculative": here.speculative.text}
                    parted.append({"dtype": name, "prompt": text[:30], "at": here.at, **words, **gaps})
            results[name] = {"prompts": prompts, "same": prompts - len(some), "parted": some}
            bench.keep("identity", f"{TARGET}, {DRAFT}", results)
    show("Where greedy lanes part", "dtype prompt at vanilla speculative gap_alone gap_block", parted)
    console.print(", ".join(f"{name}: {f['same']} of {f['prompts']} the same" for name, f in results.items()))
