"""Which experts a pass over 1, 2, … tokens reads: `python -m scripts.experts` counts the choices of the bundled mixture's router over the
family's recorded texts, and writes assets/shapes/experts.json for chapter 11 of Learn.
"""

import json
from collections.abc import Iterator

import numpy as np
import torch
import typer
from transformers import AutoModelForCausalLM, MixtralForCausalLM

from specviz.config import ASSETS
from specviz.page.keep import recorded
from specviz.trace.events import Prefill, Round, written_ids

MIXTURE = "fable-experts"
RUN = "experts"  # the recorded run that one block is shown of
FILE = ASSETS / "shapes" / "experts.json"
MAX_BLOCK = 8  # tokens of a block
DRAWS = 2000  # of tokens from random places, for each length


def load() -> MixtralForCausalLM:
    return AutoModelForCausalLM.from_pretrained(ASSETS / "models" / MIXTURE, dtype=torch.float32).eval()


@torch.inference_mode()
def choices(model: MixtralForCausalLM, ids: list[int]) -> np.ndarray:
    """[layers, tokens, chosen]: the experts that the router chooses for each of `ids`, in the order of its weights."""
    gates: list[np.ndarray] = []
    hooks = [
        layer.mlp.gate.register_forward_hook(lambda _, __, out: gates.append(out[2].numpy())) for layer in model.model.layers
    ]
    model(torch.tensor([ids]), use_cache=False)
    for hook in hooks:
        hook.remove()
    return np.stack(gates)


def uses_of(experts_of_tokens: np.ndarray, experts: int) -> np.ndarray:
    """[layers, tokens, experts] bool of [layers, tokens, chosen]."""
    return (experts_of_tokens[..., None] == np.arange(experts)).any(-2)


def unions(uses: np.ndarray, n: int) -> np.ndarray:
    """[layers, tokens − n + 1]: how many experts any of n tokens in a row uses."""
    rows = np.lib.stride_tricks.sliding_window_view(uses, n, axis=1)
    return rows.any(-1).sum(-1)


def texts() -> Iterator[list[int]]:
    """Ids of the family's recorded texts, prompt and continuation, as the vanilla lane wrote them."""
    for name in recorded.names():
        trace = recorded.load(name)
        if trace.header.target.name in ("fable", MIXTURE):
            yield token_ids(trace.vanilla)


def token_ids(lane) -> list[int]:
    prompt = next(event.prompt for event in lane if isinstance(event, Prefill))
    return [token.id for token in prompt] + written_ids(lane)


def counts(model: MixtralForCausalLM) -> dict:
    """Per length of a block: experts that a layer reads, mean, quartiles and by layer; and for as many tokens of random places (`apart`)."""
    experts = model.config.num_local_experts
    uses = [uses_of(choices(model, ids), experts) for ids in texts()]
    all_of_them, chance = np.concatenate(uses, 1), np.random.default_rng(0)
    blocks = []
    for n in range(1, MAX_BLOCK + 1):
        sizes = np.concatenate([unions(each, n) for each in uses], 1)
        places = chance.integers(all_of_them.shape[1], size=(DRAWS, n))
        low, high = np.quantile(sizes, (0.25, 0.75))
        blocks.append(
            {
                "n": n,
                "union": round(float(sizes.mean()), 3),
                "low": float(low),
                "high": float(high),
                "layers": [round(float(mean), 2) for mean in sizes.mean(1)],
                "apart": round(float(all_of_them[:, places].any(2).sum(-1).mean()), 3),
            }
        )
    return {"texts": len(uses), "tokens": all_of_them.shape[1], "blocks": blocks}


def bytes_of(model: MixtralForCausalLM) -> dict[str, int]:
    """Of one expert of one layer, and of all that every pass reads, in the 16 bits that the weights are stored in."""
    weights = sum(weight[0].numel() for weight in model.model.layers[0].mlp.experts.parameters())
    whole = sum(weight.numel() for weight in model.parameters())  # the tied head counts once
    return {
        "expert": 2 * weights,
        "rest": 2 * (whole - weights * model.config.num_local_experts * model.config.num_hidden_layers),
    }


def block(model: MixtralForCausalLM) -> dict:
    """The first whole round of the recorded run: the tokens that its verifying pass took, and by layer the experts of each."""
    trace = recorded.load(RUN)
    prompt, *events = trace.speculative
    K, text = trace.header.config.K, list(prompt.prompt)
    for event in events:
        if isinstance(event, Round) and len(event.drafted) == K:
            tokens = [text[-1], *(drafted.token for drafted in event.drafted)]
            experts_of_tokens = choices(model, [token.id for token in (*text, *tokens[1:])])[:, -len(tokens) :]
            return {"round": event.index, "tokens": [token.text for token in tokens], "chosen": experts_of_tokens.tolist()}
        if isinstance(event, Round):
            text += [emitted.token for emitted in event.emitted]
    raise SystemExit(f"no round of {RUN} drafted {K} tokens")


def main():
    model = load()
    config = model.config
    shape = {"model": MIXTURE, "experts": config.num_local_experts, "chosen": config.num_experts_per_tok}
    figures = {**shape, "bytes": bytes_of(model), **counts(model), "block": block(model)}
    FILE.write_text(json.dumps(figures) + "\n", "utf-8")


if __name__ == "__main__":
    typer.run(main)
