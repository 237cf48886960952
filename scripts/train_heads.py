"""Heads that draft for a model that is finished, trained on its own answers:

    python -m scripts.train_heads --target FOLDER --answers build/answers --out assets/models/smollm2

The same command trains heads for any Llama-shaped model that has answered (train_answers.py). It shows what is accepted of a held-out part,
and goes on where it was stopped. EAGLE and block heads draft the `--tokens` most frequent tokens of the answers, by the target's own rows
(EAGLE-3's d2t; FR-Spec, arXiv 2502.14856), multi-token heads all. The target's features of a batch are computed when it is learned from.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from safetensors.torch import load_file
from torch import nn
from transformers import LlamaForCausalLM

from .train_answers import Answer, read_answers
from .train_drafters import BlockHead, EagleHead, Heads, frequent, save_head
from .train_loop import CUDA_IF_ANY, console, train
from .train_target import half, states

HELD_OUT, MOST_HELD_OUT = 0.03, 1000  # of the answers
SHORTEST = 24  # tokens of an answer with its prompt that is learned from
SHARE = {"share": 0.5}  # of an EAGLE head's positions, those that its later steps learn at
HEADS = {"eagle": EagleHead, "block": BlockHead}


class Batches:
    """Answers of about one length at a time, with the target's probabilities of the ids that a head drafts."""

    def __init__(self, answers: list[Answer], model: LlamaForCausalLM, known: torch.Tensor, tokens: int):
        """`known` [n]: ids that the head drafts; `tokens`: of a batch."""
        self.answers = [one for one in answers if len(one.ids) >= SHORTEST]
        self.model, self.known, self.tokens, self.device = model, known, tokens, model.device
        self.lengths = np.array([len(one.ids) for one in self.answers])
        cut = min(round(len(self.answers) * HELD_OUT), MOST_HELD_OUT)
        shuffled = np.random.default_rng(0).permutation(len(self.answers))
        self.held_out, self.train = shuffled[:cut], shuffled[cut:]

    def order(self, which: np.ndarray, chance: np.random.Generator) -> Iterator[np.ndarray]:
        """Batches of some `tokens` each, in a random order, of answers that are about as long."""
        by_length = which[np.argsort(self.lengths[which] + chance.uniform(0, 8, len(which)))]
        batches, batch, longest = [], [], 0
        for one in by_length:
            longest = max(longest, self.lengths[one])
            batch.append(one)
            if longest * len(batch) >= self.tokens:
                batches.append(np.array(batch))
                batch, longest = [], 0
        yield from (batches[i] for i in chance.permutation(len(batches))) if batches else [np.array(batch)]

    def stream(self, chance: np.random.Generator, again: int) -> Iterator[tuple]:
        """What is read of the answers in a random order, turn after turn, each batch `again` times: a step costs less than its features."""
        while True:
            for which in self.order(self.train, chance):
                yield from [self.read(which)] * again

    @torch.no_grad()
    def read(self, which: np.ndarray):
        """ids [B, N]; the target's states by layer; p [B, N, n] of the ids that are known; which positions count [B, N]: those
        that wrote an answer. Behind an answer stand zeros, which nothing sees."""
        ids = torch.zeros(len(which), int(self.lengths[which].max()), dtype=torch.long)
        counts = torch.zeros(ids.shape, dtype=torch.bool)
        for row, one in enumerate(self.answers[i] for i in which):
            ids[row, : len(one.ids)] = torch.tensor(one.ids)
            counts[row, one.prompt - 1 : len(one.ids) - 1] = True
        ids, counts = ids.to(self.device), counts.to(self.device)
        p = torch.zeros(*ids.shape, len(self.known), device=self.device)
        with half(self.device):
            x = states(self.model, ids)
            ends = self.model.model.norm(x[-1][counts]).split(4096)
            p[counts] = torch.cat([self.model.lm_head(part).float().softmax(-1)[:, self.known] for part in ends])
        return ids, x, p, counts.float()


def losses_of(head: nn.Module, batches: Batches, again: int, **share: float) -> Callable:
    """What a training minimises (train_loop.py)."""
    stream = None

    def losses(chance: np.random.Generator, done: float) -> dict[str, torch.Tensor]:
        nonlocal stream
        stream = stream or batches.stream(chance, again)
        with half(batches.device):
            return head.losses(*next(stream), **share)

    return losses


def acceptance(head, batches: Batches, steps: int, most: int = 24) -> dict[str, float]:
    """On held-out answers, of each step of a roll-out over true tokens: how often the largest of q is the largest of p, and Σ min(p, q)."""
    accepted, positions = torch.zeros(2, steps, device=batches.device), torch.zeros(steps, device=batches.device)
    chance = np.random.default_rng(1)
    with torch.inference_mode(), half(batches.device):
        for batch, which in enumerate(batches.order(batches.held_out, chance)):
            if batch == most:
                break
            ids, x, p, counts = batches.read(which)
            for s, (rows, logits) in enumerate(head.guesses(ids, x, steps)):
                q, truth, mask = logits.float().softmax(-1), p[:, rows + 1 + s], counts[:, rows + 1 + s]
                sure = truth.max(-1).values > 1 - truth.sum(-1)  # else the largest may be a token that is not known
                same = (q.argmax(-1) == truth.argmax(-1)) & sure
                accepted[0, s] += (same * mask).sum()
                accepted[1, s] += (torch.minimum(q, truth).sum(-1) * mask).sum()
                positions[s] += mask.sum()
    shares = accepted / positions
    return {f"{name}{s + 1}": float(shares[row, s]) for row, name in enumerate(("greedy", "sampled")) for s in range(steps)}


def main(
    target: Annotated[Path, typer.Option(help="Folder of the Llama-shaped model that answered.")],
    answers: Annotated[Path, typer.Option(help="What train_answers kept.")] = Path("build/answers"),
    out: Annotated[Path, typer.Option(help="Where heads go: OUT-eagle, OUT-block, OUT-mtp.")] = Path("build/heads/target"),
    work: Annotated[Path, typer.Option(help="Where the state of the training is kept.")] = Path("build/heads"),
    heads: Annotated[str, typer.Option(help="Which of eagle, block and mtp.")] = "eagle",
    start: Annotated[Path | None, typer.Option(help="Head to begin with; a block head begins as OUT-eagle without it.")] = None,
    minutes: float = 60.0,
    tokens: Annotated[int, typer.Option(help="How many tokens a head can draft.")] = 8192,
    inner: Annotated[int, typer.Option(help="Width of the heads' feed-forward part.")] = 1024,
    rows: Annotated[int, typer.Option(help="Tokens in a batch.")] = 2560,
    again: Annotated[int, typer.Option(help="Steps on each batch, of other positions.")] = 1,
    lr: float = 0.004,
    device: str = CUDA_IF_ANY,
):
    """Train heads, one after the other, and write them as folders."""
    model = LlamaForCausalLM.from_pretrained(target, dtype=torch.float32).eval().requires_grad_(False).to(device)
    texts, vocabulary = read_answers(answers), model.config.vocab_size
    if not texts:
        raise SystemExit(f"{answers} holds no answers: write some with python -m scripts.train_answers")
    counts = np.bincount([id for one in texts for id in one.ids[one.prompt :]], minlength=vocabulary)
    for name in heads.split(","):
        torch.manual_seed(0)
        known = frequent(counts, vocabulary if name == "mtp" else tokens)
        console.print(f"{len(known)} of {vocabulary} tokens are {counts[known].sum() / counts.sum():.1%} of the answers")
        batches = Batches(texts, model, known.to(device), rows)
        head = Heads(model) if name == "mtp" else HEADS[name](model, batches.known, inner)
        begin = start or (out.with_name(f"{out.name}-eagle") if name == "block" else None)
        if begin and (begin / "model.safetensors").is_file():
            weights = load_file(begin / "model.safetensors")
            head.load_state_dict({k: v.float() for k, v in weights.items() if k != "d2t"}, strict=False)
        head.to(device)
        losses, folder = (
            losses_of(head, batches, again, **(SHARE if name == "eagle" else {})),
            out.with_name(f"{out.name}-{name}"),
        )
        figures = train(name, head, losses, partial(acceptance, head, batches, 4), work / name, minutes, lr, every=8.0)
        save_head(folder, head)
        console.print(f"wrote {folder}: {figures}")


if __name__ == "__main__":
    typer.run(main)
