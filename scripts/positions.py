"""Two positions of recorded text for chapter 10 of Learn: `python -m scripts.positions` writes assets/shapes/positions.json.

At each the draft guesses a chain and a tree of the same number of tokens, its likeliest ones, and one pass of the target says how likely each is
to be accepted. Of all positions that are looked at, the one where the tree gains most over the chain, and the one where the chain does.
"""

import json
from typing import Any

import numpy as np
import typer

from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.base import Block, DraftContext
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import Pair, load_pair
from specviz.engine.sampling import Sampler
from specviz.local import DRAFTERS, TARGET
from specviz.trace.events import written_ids

from .prompts import REGISTERS

N = 8
CHAIN = DecodeConfig(K=N, temperature=1.0, drafting="argmax")
TREE = DecodeConfig(K=N, temperature=1.0, drafting="argmax", tree="dynamic", nodes=N)
FIRST = 6  # tokens of a text before its first position


def guesses(pair: Pair, drafter: Any, tokens: list[int], config: DecodeConfig) -> list[dict]:
    """What the drafter guesses after `tokens`: each token with its parent, and its chance after that by draft (q) and target (p)."""
    target = pair.target.sequence(len(tokens) + 2 * N)
    target.append(tokens[:-1], keep=1)
    session = drafter.begin(DraftContext.of(config, pair.target.vocabulary, target.capacity, target, pair.target.device))
    session.prefill(tokens[:-1])
    draft = session.branch if config.branches else session.propose
    block: Block = draft(tokens, N, np.zeros(N))
    ids = list(block.ids)
    parents = block.parents or [i - 1 for i in range(len(ids))]
    p = Sampler()(target.append([tokens[-1], *ids], parents=[-1, *(parent + 1 for parent in parents)]))
    assert block.q is not None  # above temperature 0
    return [
        {
            "text": pair.text.token(id).text,
            "parent": parent,
            "q": round(float(block.q[i, id]), 4),
            "p": round(float(p[parent + 1, id]), 4),
        }
        for i, (id, parent) in enumerate(zip(ids, parents, strict=True))
    ]


def tokens_of(guesses: list[dict]) -> float:
    """Of a round with all of them, on average: each counts as often as the path to it is accepted, and one token always comes."""
    chances = list[float]()
    for guess in guesses:
        chances.append(guess["p"] * (chances[guess["parent"]] if guess["parent"] >= 0 else 1.0))
    return 1 + sum(chances)


def positions(pair: Pair, drafter: Any, texts: list[list[int]], length: int) -> list[dict]:
    """All whose guesses a screen can show, `length` tokens of each text."""
    places = []
    for ids in texts:
        events = decode(
            pair.target, None, ids, DecodeConfig(K=0, max_new_tokens=length, ignore_eos=True), pair.text, observe=False
        )
        whole = [*ids, *written_ids(events)]
        for end in range(len(ids) + FIRST, len(whole)):
            before = [pair.text.token(id).text for id in whole[end - FIRST : end]]
            shapes = {name: guesses(pair, drafter, whole[:end], config) for name, config in (("chain", CHAIN), ("tree", TREE))}
            if all(guess["text"].strip() for shape in shapes.values() for guess in shape):
                places.append({"before": "".join(before), "last": before[-1], **shapes})
    return places


def gain(position: dict) -> float:
    """Tokens that the tree gives more than the chain."""
    return tokens_of(position["tree"]) - tokens_of(position["chain"])


def main(prompts: int = 8, length: int = 32) -> None:
    machine.set_threads(alone=True)
    pair = load_pair(TARGET, None, machine.device())
    drafter = drafter_for(pair, DRAFTERS["small"], machine.device())
    texts = [pair.text.encode(prompt) for prompt in REGISTERS["stories"][:prompts]]
    every = positions(pair, drafter, texts, length)
    file = {"draft": drafter.info.name, "of": len(every), "positions": [max(every, key=gain), min(every, key=gain)]}
    path = ASSETS / "shapes" / "positions.json"
    path.write_text(json.dumps(file, ensure_ascii=False) + "\n", "utf-8")
    for position in file["positions"]:
        print(position["before"], *(f"{name} {tokens_of(position[name]):.2f}" for name in ("chain", "tree")))


if __name__ == "__main__":
    typer.run(main)
