"""A mixture of experts from a dense model of the family:

    python -m scripts.train_experts --text build/text

The neurons of each MLP become clusters by what they listen to (MoEfication, Zhang et al. 2022, arXiv 2110.01786 §3.2). An expert
holds its own cluster and a copy of the neurons that are most active over all text (the shared ones of DeepSeekMoE, arXiv 2401.06066
§3.2, kept inside so that Mixtral's form fits). A router of one row an expert begins as the clusters' centres. Then all of it learns.
Stopped at any moment, the same command goes on where it was.
"""

from pathlib import Path
from typing import Annotated

import torch
import torch.nn.functional as F
import typer
from transformers import LlamaForCausalLM, MixtralConfig, MixtralForCausalLM
from transformers.models.llama.modeling_llama import LlamaMLP

from .train_family import save_model
from .train_loop import Length, Rows, TextFolder, console, train
from .train_target import cross_entropy, half, held_out
from .train_text import load_as

EXPERTS, EXPERTS_PER_TOKEN = 16, 4
SHARED = 24  # neurons of a layer that every expert holds
WHOLE = 8  # an expert's neurons are a multiple: torch's grouped product asks for rows of whole 16 bytes
BALANCE = 0.02  # weight of the loss that spreads tokens over experts (Switch Transformer, Fedus et al. 2021 §2.2)


def clusters(rows: torch.Tensor, n: int, rounds: int = 20) -> tuple[torch.Tensor, torch.Tensor]:
    """`n` clusters of equal size over rows [n·m, width] of length 1: (indices [n, m], centres [n, width] of length 1).

    Balanced k-means: in each round the closest pairs of row and centre come first, until a cluster is full."""
    centres = rows[torch.randperm(len(rows))[:n]]
    for _ in range(rounds):
        members: list[list[int]] = [[] for _ in range(n)]
        free = set(range(len(rows)))
        for pair in (rows @ centres.T).flatten().argsort(descending=True).tolist():
            row, at = divmod(pair, n)
            if row in free and len(members[at]) < len(rows) // n:
                members[at].append(row)
                free.remove(row)
        indices = torch.tensor(members)
        centres = F.normalize(rows[indices].mean(1), dim=-1)
    return indices, centres


def with_layers(model: LlamaForCausalLM, layers: list[int]) -> LlamaForCausalLM:
    """The same model with these of its layers alone."""
    model.model.layers = torch.nn.ModuleList(model.model.layers[at] for at in layers)
    model.config.num_hidden_layers = len(layers)
    for at, layer in enumerate(model.model.layers):
        layer.self_attn.layer_idx = at  # its place in the cache
    return model


def activity(model: LlamaForCausalLM, ids: torch.Tensor) -> list[torch.Tensor]:
    """For each layer [neurons]: how much each neuron writes to the residual stream, mean length over the tokens of ids [B, N]."""
    lengths: list[torch.Tensor] = []

    def measure(mlp: LlamaMLP, inputs: tuple[torch.Tensor]) -> None:
        x = F.silu(mlp.gate_proj(inputs[0])) * mlp.up_proj(inputs[0])
        lengths.append(x.abs().mean((0, 1)) * mlp.down_proj.weight.norm(dim=0))

    hooks = [layer.mlp.register_forward_pre_hook(measure) for layer in model.model.layers]
    with torch.inference_mode():
        model(ids)
    for hook in hooks:
        hook.remove()
    return lengths


def to_mixture(model: LlamaForCausalLM, ids: torch.Tensor) -> MixtralForCausalLM:
    """The mixture that the dense model begins as; ids [B, N] tell which neurons are shared. At equal weights of the chosen experts it
    computes what the dense model does, without the least active neurons and those of the experts that are not chosen."""
    dense = model.config
    own = (dense.intermediate_size - SHARED) // EXPERTS // WHOLE * WHOLE
    config = MixtralConfig(
        **{k: v for k, v in dense.to_dict().items() if k not in {"architectures", "model_type", "intermediate_size"}},
        intermediate_size=SHARED + own,
        num_local_experts=EXPERTS,
        num_experts_per_tok=EXPERTS_PER_TOKEN,
        router_aux_loss_coef=BALANCE,
        sliding_window=None,
    )
    mixture = MixtralForCausalLM(config)
    mixture.load_state_dict({k: v for k, v in model.state_dict().items() if ".mlp." not in k}, strict=False)
    with torch.no_grad():
        for there, here, active in zip(model.model.layers, mixture.model.layers, activity(model, ids), strict=True):
            gate, up, down = (there.mlp.get_parameter(f"{name}_proj.weight") for name in ("gate", "up", "down"))
            order = active.argsort(descending=True)
            shared, rest = order[:SHARED], order[SHARED : SHARED + own * EXPERTS]
            members, centres = clusters(F.normalize(gate[rest], dim=-1), EXPERTS)
            here.mlp.gate.weight.copy_(centres)
            for e, of in enumerate(rest[members]):
                all_of_it = torch.cat([shared, of])
                here.mlp.experts.gate_up_proj[e] = torch.cat([gate[all_of_it], up[all_of_it]])
                here.mlp.experts.down_proj[e] = torch.cat([down[:, shared], EXPERTS_PER_TOKEN * down[:, of]], 1)
    return mixture


def main(
    text: TextFolder = Path("build/text"),
    work: Annotated[Path, typer.Option(help="Where the state of the training is kept.")] = Path("build/experts"),
    dense: Annotated[Path, typer.Option(help="The dense model that it begins as.")] = Path("assets/models/fable-large"),
    out: Annotated[Path, typer.Option(help="Where the finished folder goes.")] = Path("assets/models/fable-experts"),
    layers: Annotated[str, typer.Option(help="Those of its layers that stay.")] = "0,2,3,5",
    minutes: float = 60.0,
    rows: Rows = 8,
    length: Length = 256,
    lr: float = 0.002,
):
    """Split a dense model into experts, train them, and write a folder that transformers reads as Mixtral."""
    with console.status("tokenising"):
        texts = load_as(dense, text, work)
    torch.manual_seed(0)
    start = with_layers(
        LlamaForCausalLM.from_pretrained(dense, dtype=torch.float32).eval(), [int(at) for at in layers.split(",")]
    )
    model = to_mixture(start, texts.windows("tinystories", length, 16))

    def loss_of(chance, done):
        ids = texts.batch(rows, length + 1, chance, done)
        with half("cpu"):
            output = model(ids[:, :-1], output_router_logits=True)
        return {"loss": cross_entropy(output.logits, ids[:, 1:]), "balance": BALANCE * output.aux_loss}

    model.train()
    train("experts", model, loss_of, lambda: held_out(model, texts, "cpu", length), work, minutes, lr, every=10.0)
    save_model(model.eval(), work, out)
    console.print(f"wrote {out}")


if __name__ == "__main__":
    typer.run(main)
