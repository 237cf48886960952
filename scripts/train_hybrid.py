"""A hybrid of a finished model: python -m scripts.train_hybrid --text build/text

    fable-hybrid    LFM2's layers (Liquid AI 2025, arXiv 2511.23404 §2): short convolutions, and attention at every second

Embeddings, norms, MLPs and the attention that stays are the dense model's own. Each other attention becomes a fresh convolution. All
learns what a larger model says (distillation, as the drafts do). Stopped at any moment, the same command goes on where it was.
"""

import json
from pathlib import Path
from typing import Annotated

import torch
import typer
from transformers import Lfm2Config, Lfm2ForCausalLM, LlamaForCausalLM

from .train_drafters import agree
from .train_family import save_model
from .train_loop import CUDA_IF_ANY, Length, Rows, TextFolder, train
from .train_target import half, held_out
from .train_text import load_as

NAMES = {
    "input_layernorm": "operator_norm", "post_attention_layernorm": "ffn_norm", "model.norm": "model.embedding_norm",
    "mlp.gate_proj": "feed_forward.w1", "mlp.up_proj": "feed_forward.w3", "mlp.down_proj": "feed_forward.w2", "o_proj": "out_proj",
}  # fmt: skip


def main(
    text: TextFolder = Path("build/text"),
    work: Annotated[Path, typer.Option(help="Where the state of the training is kept.")] = Path("build/hybrid"),
    models: Annotated[Path, typer.Option(help="Where the dense model lies and the hybrid goes.")] = Path("assets/models"),
    dense: Annotated[str, typer.Option(help="The model that it starts from.")] = "fable-small",
    larger: Annotated[str, typer.Option(help="The model that it learns from.")] = "fable-large",
    minutes: float = 40.0,
    rows: Rows = 8,
    length: Length = 256,
    lr: float = 0.004,
    device: str = CUDA_IF_ANY,
):
    """Train the hybrid and write it as a folder."""
    texts = load_as(models / dense, text, work)
    start, teacher = (LlamaForCausalLM.from_pretrained(models / name, dtype=torch.float32).to(device) for name in (dense, larger))
    hybrid = hybrid_of(start).to(device)

    def loss_of(chance, done):
        ids = texts.batch(rows, length, chance, done).to(device)
        with half(device):
            with torch.inference_mode():
                p = teacher(ids).logits.float().softmax(-1)
            return {"loss": agree(hybrid(ids).logits, p.clone())}

    hybrid.train()
    figures = train("hybrid", hybrid, loss_of, lambda: held_out(hybrid, texts, device, length), work, minutes, lr)
    for name, model in ((dense, start), (larger, teacher)):
        figures |= {f"{name} {part}": round(loss, 3) for part, loss in held_out(model, texts, device, length).items()}
    (work / "figures.json").write_text(json.dumps(figures, indent=2))
    save_model(hybrid, work, models / "fable-hybrid")


def hybrid_of(dense: LlamaForCausalLM, every: int = 2) -> Lfm2ForCausalLM:
    """`dense` with attention in its layers `every`, 2 · `every`, … and short convolutions in the others."""
    c = dense.config
    kinds = ["conv" if (i + 1) % every else "full_attention" for i in range(c.num_hidden_layers)]
    config = Lfm2Config(
        vocab_size=c.vocab_size, hidden_size=c.hidden_size, intermediate_size=c.intermediate_size, block_auto_adjust_ff_dim=False,
        num_hidden_layers=c.num_hidden_layers, num_attention_heads=c.num_attention_heads, num_key_value_heads=c.num_key_value_heads,
        max_position_embeddings=c.max_position_embeddings, norm_eps=c.rms_norm_eps, rope_parameters=c.rope_parameters,
        layer_types=kinds, bos_token_id=c.bos_token_id, eos_token_id=c.eos_token_id, pad_token_id=c.pad_token_id,
    )  # fmt: skip
    torch.manual_seed(0)
    hybrid = Lfm2ForCausalLM(config)
    for name, value in dense.state_dict().items():
        for old, new in NAMES.items():
            name = name.replace(old, new)
        if name in (own := hybrid.state_dict()):
            own[name].copy_(value)
    for layer in hybrid.model.layers:
        if layer.is_attention_layer:  # LFM2 normalises queries and keys, so each norm begins at the size that they had
            for part in "qk":
                rows = getattr(layer.self_attn, f"{part}_proj").weight.detach() * layer.operator_norm.weight.detach()
                getattr(layer.self_attn, f"{part}_layernorm").weight.data.fill_(float(rows.square().sum(1).mean().sqrt()))
    return hybrid


if __name__ == "__main__":
    typer.run(main)
