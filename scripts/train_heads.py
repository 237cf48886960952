"""Heads that draft for a model that is finished, trained on its own answers:

    python -m scripts.train_heads --target FOLDER --answers build/answers --out assets/models/smollm2

The same command trains heads for any Llama-shaped model whose answers train_answers.py has kept. It shows what is accepted of a held-out part, and
goes on where it was stopped. EAGLE and block heads draft the `--tokens` most frequent tokens of the answers, by the target's own rows (EAGLE-3's
d2t; FR-Spec, arXiv 2502.14856), multi-token heads all. Of answers that are tokens alone, a batch's features are computed when it is learned from.
"""

import copy
import json
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

from .train_answers import AnswerFile, BatchDecoder
from .train_drafters import MASK, BlockHead, EagleHead, Heads, save
from .train_loop import console, train
from .train_target import half

HELD_OUT, MOST_HELD_OUT = 0.03, 1000  # of the answers
SHARE = {"share": 0.5}  # of an EAGLE head's positions, those that its later steps learn at
HEADS = {"eagle": EagleHead, "block": BlockHead}


class Batches:
    """Answers of about one length at a time, with the target's probabilities of the ids that a head drafts."""

    def __init__(self, file: AnswerFile, model: LlamaForCausalLM, known: torch.Tensor, tokens: int):
        """`known` [n]: ids that the head drafts; `tokens`: of a batch. What is not in the file is computed on the device of the model."""
        self.norm, self.known = model.model.norm, known
        self.layers = *file.taps, model.config.num_hidden_layers
        self.width, self.ids, self.device = model.config.hidden_size, file.tokens(), model.device
        self.rows = model.lm_head.weight.detach()[known].bfloat16()
        if file.features:
            self.features = np.memmap(file.folder / "features.bin", np.int16, "r").reshape(-1, file.width)
            self.sums = np.fromfile(file.folder / "sums.bin", np.float32)
        self.target = None if file.features else BatchDecoder(copy.deepcopy(model).bfloat16())
        lengths = np.array([n for n, *_ in file.spans])
        self.starts, self.lengths, self.prompts = np.cumsum(lengths) - lengths, lengths, np.array([p for _, p, _ in file.spans])
        usable = np.flatnonzero(lengths >= 24)
        cut = min(round(len(usable) * HELD_OUT), MOST_HELD_OUT)
        shuffled = np.random.default_rng(0).permutation(usable)
        self.held_out, self.train, self.tokens = shuffled[:cut], shuffled[cut:], tokens

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
        """ids [B, N]; features by layer; p [B, N, n] of the ids that are known; which positions count [B, N]: those that wrote an answer."""
        lengths, prompts = self.lengths[which, None], self.prompts[which, None]
        at = np.arange(lengths.max())[None]
        # behind an answer stands the next one, which nothing sees
        rows = np.minimum(self.starts[which, None] + at, len(self.ids) - 1)
        counts = torch.from_numpy((at >= prompts - 1) & (at < lengths - 1)).to(self.device)
        ids = torch.from_numpy(self.ids[rows].astype(np.int64)).to(self.device)
        if self.target:
            features = self.target.forward(ids, 0, self.target.empty_cache(*ids.shape))
            p_counted = torch.cat([self.target.logits(part).softmax(-1)[:, self.known] for part in features[counts].split(4096)])
        else:
            features = torch.from_numpy(self.features[rows]).view(torch.bfloat16)
            logits = self.norm(features[counts][:, -self.width :].float()).bfloat16() @ self.rows.T
            p_counted = (logits.float() - torch.from_numpy(self.sums[rows])[counts][:, None]).exp_()
        p = torch.zeros(*ids.shape, len(self.known), device=self.device)
        p[counts] = p_counted
        return ids, dict(zip(self.layers, features.split(self.width, -1), strict=True)), p, counts.float()


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


def most_frequent(file: AnswerFile, vocabulary: int, n: int) -> torch.Tensor:
    """Ids [n] of the most frequent tokens of the answers, ascending, and what share of the answers' tokens they are (shown)."""
    ids, at, counts = file.tokens(), 0, np.zeros(vocabulary, np.int64)
    for length, prompt, _ in file.spans:
        counts += np.bincount(ids[at + prompt : at + length], minlength=vocabulary)
        at += length
    ids = np.sort(np.argsort(-counts, kind="stable")[:n])
    console.print(f"{len(ids)} of {vocabulary} tokens are {counts[ids].sum() / counts.sum():.1%} of the answers")
    return torch.from_numpy(ids)


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
    device: Annotated[str, typer.Option(help="cpu, or cuda.")] = "cpu",
):
    """Train heads, one after the other, and write them as folders."""
    model = LlamaForCausalLM.from_pretrained(target, dtype=torch.float32).eval().requires_grad_(False).to(device)
    file = AnswerFile(answers, model.config.num_hidden_layers, model.config.hidden_size, (answers / "features.bin").is_file())
    if not file.spans:
        raise SystemExit(f"{answers} holds no answers: write some with python -m scripts.train_answers")
    for name in heads.split(","):
        torch.manual_seed(0)
        vocabulary = model.config.vocab_size
        known = most_frequent(file, vocabulary, vocabulary if name == "mtp" else tokens).to(device)
        batches = Batches(file, model, known, rows)
        head = Heads(model) if name == "mtp" else HEADS[name](model, known, inner)
        begin = start or (out.with_name(f"{out.name}-eagle") if name == "block" else None)
        if begin and (begin / "model.safetensors").is_file():
            weights = load_file(begin / "model.safetensors")
            head.load_state_dict({k: v.float() for k, v in weights.items() if k != "d2t"}, strict=False)
        head.to(device)
        losses = losses_of(head, batches, again, **(SHARE if name == "eagle" else {}))
        figures = train(name, head, losses, partial(acceptance, head, batches, 4), work / name, minutes, lr, every=8.0)
        write(out.with_name(f"{out.name}-{name}"), head, model, figures)


def write(folder: Path, head: nn.Module, model: LlamaForCausalLM, figures: dict) -> None:
    """A head by the names of its kind's checkpoints."""
    if isinstance(head, Heads):
        about = {"num_nextn_predict_layers": len(head.modules_)}
    else:
        about = {"architectures": ["LlamaForCausalLMEagle3"], "intermediate_size": head.config.intermediate_size}
        about |= {"draft_vocab_size": len(head.known)}
    if isinstance(head, BlockHead):
        about |= {"ptd_token_id": MASK, "block_size": head.places}
    save(folder, head.tensors(), json.loads(model.config.to_json_string()) | {"dtype": "bfloat16"} | about)
    console.print(f"wrote {folder}: {figures}")


if __name__ == "__main__":
    typer.run(main)
