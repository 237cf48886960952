"""How many tokens a pass gives with the assistant, by drafter and kind of question: counts, so a busy machine changes nothing.

python -m scripts.count_assistant --out docs/benchmarks/DATE-smollm2-counts.json
"""

from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.base import DraftContext
from specviz.engine.draft.choose import Setup
from specviz.engine.models import assistant
from specviz.local import drafts_for, set_up
from specviz.trace.events import Round

from .prompts import ASSISTANT
from .result import Out, print_figures

BASE = DecodeConfig(K=4, temperature=0.0)
SETTINGS = {  # drafter, and how it is run
    "eagle, K 2": ("eagle", replace(BASE, K=2)),
    "eagle, K 4": ("eagle", BASE),
    "eagle, K 5, tree of 16": ("eagle", replace(BASE, tree="dynamic", K=5)),
    "eagle, K 4, temperature 0.8": ("eagle", replace(BASE, temperature=0.8, seed=1)),
    "lookup, K 4": ("lookup", BASE),
}


def main(
    tokens: Annotated[int, typer.Option(help="Length of every answer at most.")] = 64,
    each: Annotated[int, typer.Option(help="Questions of each kind.")] = 15,
    out: Out = None,
):
    console, figures = Console(highlight=False), {}
    for name, (drafter, config) in SETTINGS.items():
        if drafter not in drafts_for(assistant.KEY):
            continue
        setup = set_up(assistant.KEY, drafts_for(assistant.KEY)[drafter])
        kinds = {
            kind: counts(setup, questions[:each], replace(config, max_new_tokens=tokens)) for kind, questions in ASSISTANT.items()
        }
        figures[name] = {kind: shares(*numbers) for kind, numbers in with_total(kinds).items()}
        if config == BASE:
            guesses = {kind: first_guesses(setup, questions[:each], tokens) for kind, questions in ASSISTANT.items()}
            for kind, (right, positions) in with_total(guesses).items():
                figures[name][kind]["alpha_every_position"] = right / positions
        console.print(f"{name}: {figures[name]}")
    print_figures({"target": assistant.NAME, "tokens": tokens, "questions": 4 * each, **figures}, out)


def with_total(kinds: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {**kinds, "all": tuple(map(sum, zip(*kinds.values(), strict=True)))}


def counts(setup: Setup, questions, config: DecodeConfig) -> tuple[int, int, int, int]:
    """Tokens, passes, rounds that drafted, and those whose first drafted token (of a tree: one of the first) was accepted."""
    tokens = passes = drafted = first = 0
    for question in track(questions, transient=True):
        for event in decode(setup.target, setup.drafter, setup.text.encode(question), config, setup.text, observe=False):
            if isinstance(event, Round):
                tokens, passes = tokens + len(event.emitted), passes + 1
                drafted, first = drafted + bool(event.drafted), first + (len(event.emitted) > 1)
    return tokens, passes, drafted, first


def first_guesses(setup: Setup, questions, most: int) -> tuple[int, int]:
    """How often one drafted token is the target's argmax, and at how many positions it was asked: at every one of the greedy answers. A
    round's first token is less often right, since rounds begin where a guess failed."""
    right, positions, target, drafter = 0, 0, setup.target, setup.drafter
    assert drafter
    for question in track(questions, transient=True):
        ids = setup.text.encode(question)
        capacity = len(ids) + most + 1
        sequence = target.sequence(capacity)
        session = drafter.begin(DraftContext.of(BASE, target.vocabulary, capacity, sequence, target.device))
        sequence.append(ids[:-1], keep=1)
        session.prefill(ids[:-1])
        for _ in range(most):
            guess = session.propose(ids, 1, None).ids
            ids = [*ids, int(sequence.append(ids[-1:])[0].argmax())]
            session.observe(ids)
            right, positions = right + (list(guess) == ids[-1:]), positions + 1
            if ids[-1] in setup.text.eos:
                break
    return right, positions


def shares(tokens: int, passes: int, drafted: int, first: int) -> dict[str, float]:
    return {"tokens_per_pass": tokens / passes, "alpha_first": first / max(1, drafted), "passes": passes}


if __name__ == "__main__":
    typer.run(main)
