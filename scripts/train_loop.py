"""One training loop for everything of the family: a budget in minutes, a progress bar, a held-out loss, and resuming.

The state (weights, optimiser, generator, minutes spent) is written every minute to the work folder as safetensors and JSON;
starting again with the same arguments goes on from there.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from safetensors.torch import load_file, save_file
from torch import nn

SAVE_EVERY = 60.0  # seconds
PAUSE = 20.0  # seconds: a step that took longer was interrupted (a stopped process, a laptop asleep), and counts as this
console = Console(highlight=False)

TextFolder = Annotated[Path, typer.Option(help="Folder of .txt and .txt.xz files, a set each.")]
Rows = Annotated[int, typer.Option(help="Windows in a batch.")]
Length = Annotated[int, typer.Option(help="Tokens in a window.")]
CUDA_IF_ANY = "cuda" if torch.cuda.is_available() else "cpu"


class Optimiser:
    """Muon (orthogonalised momentum; Jordan et al. 2024) for the matrices inside layers, AdamW for embeddings, norms and the rest.

    Muon needs about two thirds of AdamW's tokens for the same loss here, for 6 % more time a step."""

    def __init__(self, module: nn.Module, lr: float):
        parameters = [(n, p) for n, p in module.named_parameters() if p.requires_grad]
        matrices = [p for n, p in parameters if p.ndim == 2 and len(p) > 1 and "embed" not in n and "lm_head" not in n]
        others = [p for n, p in parameters if not any(p is m for m in matrices)]
        self.parts = []
        if matrices:
            self.parts.append(torch.optim.Muon(matrices, lr=lr, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"))
        if others:
            self.parts.append(torch.optim.AdamW(others, lr=lr, betas=(0.9, 0.95), weight_decay=0.01))
        self.lr = lr

    def step(self, scale: float) -> None:
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = self.lr * scale
            part.step()
            part.zero_grad(set_to_none=True)

    def tensors(self) -> dict[str, torch.Tensor]:
        """The state as named tensors: what safetensors can hold."""
        return {
            f"{i}.{j}.{name}": value.detach().cpu().contiguous().clone()
            for i, part in enumerate(self.parts)
            for j, state in part.state_dict()["state"].items()
            for name, value in state.items()
        }

    def load(self, tensors: dict[str, torch.Tensor]) -> None:
        for i, part in enumerate(self.parts):
            state: dict[int, dict] = {}
            for key, value in tensors.items():
                at, j, name = key.split(".")
                if int(at) == i:
                    state.setdefault(int(j), {})[name] = value
            part.load_state_dict({"state": state, "param_groups": part.state_dict()["param_groups"]})


def scale(done: float) -> float:
    """Learning rate at a share of the budget: up over 2 %, level, down to 2 % over the last half."""
    return min(done / 0.02, 1.0, 0.02 + 0.98 * (1 - done) / 0.5) if done < 1 else 0.02


def train(
    name: str,
    module: nn.Module,
    loss_of: Callable[[np.random.Generator, float], dict[str, torch.Tensor]],
    held_out: Callable[[], dict[str, float]],
    folder: Path,
    minutes: float,
    lr: float,
    seed: int = 0,
    every: float = 0.0,
) -> dict:
    """Train `module` for `minutes`. `loss_of` (generator, share done) → losses, their sum is minimised; it draws its own batch.
    `every` so many minutes the held-out figures are shown; 0: at the end only.

    Returns the card's figures: minutes, steps, held-out losses."""
    folder.mkdir(parents=True, exist_ok=True)
    optimiser, chance = Optimiser(module, lr), np.random.default_rng(seed)
    spent, steps = _resume(module, optimiser, chance, folder)
    saved = last = looked = time.monotonic()
    smooth: dict[str, float] = {}
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[now]}")
    with Progress(*columns, console=console) as bars:
        bar = bars.add_task(name, total=minutes * 60, completed=spent, now="")
        while (done := spent / (minutes * 60)) < 1:
            torch.manual_seed(seed * 1_000_003 + steps)
            losses = loss_of(chance, done)
            sum(losses.values()).backward()
            nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            optimiser.step(scale(done))
            steps, now = steps + 1, time.monotonic()
            spent, last = spent + min(now - last, PAUSE), now
            for key, value in losses.items():
                smooth[key] = 0.95 * smooth.get(key, value.item()) + 0.05 * value.item()
            text = "  ".join(f"{key} {value:.3f}" for key, value in smooth.items())
            bars.update(bar, completed=spent, now=f"step {steps}  {text}")
            if now - saved > SAVE_EVERY:
                saved = now
                _save(module, optimiser, chance, folder, spent, steps)
                console.print(f"{name} {done:.0%} step {steps} {text}")
            if every and now - looked > every * 60:
                console.print({k: round(v, 3) for k, v in held_out().items()})
                looked = last = time.monotonic()  # which is not counted as training
    _save(module, optimiser, chance, folder, spent, steps)
    figures = {"minutes": round(spent / 60, 1), "steps": steps, **{k: round(v, 3) for k, v in held_out().items()}}
    console.print(f"{name}: {figures}")
    (folder / "figures.json").write_text(json.dumps(figures))
    return figures


def _save(module, optimiser, chance, folder, spent, steps) -> None:
    """Beside and then in place: a kill at any moment leaves a whole state."""
    trained = {n: p.detach().cpu().contiguous().clone() for n, p in module.named_parameters() if p.requires_grad}
    state = {f"w.{k}": v for k, v in trained.items()} | {f"o.{k}": v for k, v in optimiser.tensors().items()}
    about = {"spent": spent, "steps": steps, "chance": chance.bit_generator.state}
    save_file(state, folder / "state.new", metadata={"about": json.dumps(about)})
    (folder / "state.new").replace(folder / "state.safetensors")


def _resume(module, optimiser, chance, folder) -> tuple[float, int]:
    from safetensors import safe_open

    path = folder / "state.safetensors"
    if not path.is_file():
        return 0.0, 0
    with safe_open(path, "pt") as file:
        about = json.loads(file.metadata()["about"])
    state = load_file(path)
    parameters = dict(module.named_parameters())
    weights = {k[2:]: v for k, v in state.items() if k.startswith("w.")}
    if any(name not in parameters or parameters[name].shape != w.shape for name, w in weights.items()):
        raise SystemExit(f"{folder} holds a run of another shape: remove it, or name another --work")
    with torch.no_grad():
        for name, value in weights.items():
            parameters[name].copy_(value)
    optimiser.load({k[2:]: v for k, v in state.items() if k.startswith("o.")})
    chance.bit_generator.state = about["chance"]
    console.print(f"going on after {about['spent'] / 60:.1f} minutes, {about['steps']} steps")
    return about["spent"], about["steps"]
