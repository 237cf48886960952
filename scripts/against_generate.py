"""Whether the assistant's greedy answers are those of transformers' generate(), token for token, and by how little the first differ.

    python -m scripts.against_generate --out docs/benchmarks/DATE-smollm2-generate.json

transformers reads the same file, rounds the matrices as our pass keeps them, and adds in float32. `gap` is how far the logits of the two
tokens are from each other there, where the texts part.
"""

from typing import Annotated

import torch
import typer
from rich.progress import track

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.models import assistant
from specviz.lab.audit.checkpoint import Checkpoint, checkpoint
from specviz.lab.audit.gguf import folder_of_gguf
from specviz.local import drafts_for, set_up
from specviz.trace.events import written_ids

from .prompts import ASSISTANT
from .result import Out, print_figures

LANES = {"vanilla": 0, "eagle, K 4": 4}


def main(
    tokens: Annotated[int, typer.Option(help="Length of every answer at most.")] = 64,
    each: Annotated[int, typer.Option(help="Questions of each kind.")] = 15,
    out: Out = None,
):
    file = assistant.place()
    if file is None:
        raise SystemExit("The assistant is not here: specviz fetch")
    setup = set_up(assistant.KEY, drafts_for(assistant.KEY)["eagle"])
    same, parted = dict.fromkeys(LANES, 0), []
    questions = [(kind, question) for kind, texts in ASSISTANT.items() for question in texts[:each]]
    with folder_of_gguf(file) as folder:
        theirs = checkpoint(assistant.KEY, str(folder))
        for kind, question in track(questions, transient=True):
            prompt = setup.text.encode(question)
            expected = generated(theirs, prompt, tokens)
            for lane, K in LANES.items():
                config = DecodeConfig(K=K, temperature=0.0, max_new_tokens=tokens)
                text = written_ids(decode(setup.target, setup.drafter if K else None, prompt, config, setup.text, observe=False))
                same[lane] += text == expected
                if text != expected:
                    parted.append({"kind": kind, "question": question, "lane": lane, **parting(theirs, prompt, text, expected)})
    figures = {"target": assistant.NAME, "tokens": tokens, "questions": len(questions), "same": same, "parted": parted}
    print_figures(figures, out)


@torch.inference_mode()
def generated(model: Checkpoint, prompt: list[int], tokens: int) -> list[int]:
    ids = torch.tensor([prompt])
    whole = model.model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=tokens)
    return whole[0, len(prompt) :].tolist()


def parting(model: Checkpoint, prompt: list[int], ours: list[int], theirs: list[int]) -> dict[str, float | int]:
    """Where two answers part, and how far apart transformers finds the logits of the two tokens there."""
    at = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), min(len(ours), len(theirs)))
    if at == min(len(ours), len(theirs)):
        return {"at": at, "lengths": [len(ours), len(theirs)]}
    [logits] = model.logits_after([[*prompt, *ours[:at]]], [1])
    return {"at": at, "gap": float(logits[0, theirs[at]] - logits[0, ours[at]])}


if __name__ == "__main__":
    typer.run(main)
