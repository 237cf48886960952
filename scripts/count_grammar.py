"""What a grammar does to drafts: the assistant answers one question with the shape of the recorded run, and without; and what it would bring to
draft what the grammar forces without the draft. Counts, so a busy machine changes nothing.

python -m scripts.count_grammar          # writes assets/shapes/grammar.json, for chapter 12 of Learn
"""

from dataclasses import replace
from typing import Annotated

import typer
from rich.progress import track

from specviz.config import ASSETS, DecodeConfig
from specviz.engine.arrays import Array
from specviz.engine.decode import decode
from specviz.engine.draft.base import Block, DraftContext, Drafter, DraftSession
from specviz.engine.draft.choose import Setup
from specviz.engine.grammar import Grammar
from specviz.engine.sampling import one_hot
from specviz.trace.events import Finished, Round

from .result import print_figures
from .traces import ANSWERS, setup

FILE = ASSETS / "shapes/grammar.json"


def main(seeds: Annotated[int, typer.Option(help="Runs with the grammar, and as many without.")] = 20):
    recording = ANSWERS["answer-json"]
    pair, config = setup(recording.target, recording.drafters[0]), recording.config
    figures = {
        "target": pair.target.info.name,
        "draft": pair.drafter.info.name,
        "prompt": recording.prompts[0],
        "K": config.K,
        "temperature": config.temperature,
        "seeds": seeds,
        "with": counts(pair, recording.prompts[0], config, seeds),
        "without": counts(pair, recording.prompts[0], replace(config, grammar=""), seeds),
        "forced_first": counts(_forced_first(pair, recording.prompts[0], config), recording.prompts[0], config, seeds),
    }
    print_figures(figures, FILE)


def counts(pair: Setup, prompt: str, config: DecodeConfig, seeds: int) -> dict[str, int]:
    """Sums over the runs of all seeds."""
    total = dict.fromkeys(("rounds", "tokens", "drafted", "tested", "accepted", "void", "forced"), 0)
    for seed in track(range(seeds), transient=True):
        for event in decode(
            pair.target, pair.drafter, pair.text.encode(prompt), replace(config, seed=seed), pair.text, observe=False
        ):
            if isinstance(event, Round):
                total["void"] += sum(d.void for d in event.drafted)
                total["forced"] += sum(e.forced for e in event.emitted)
            if isinstance(event, Finished):
                for name in ("rounds", "tokens", "drafted", "tested", "accepted"):
                    total[name] += getattr(event, name)
    return total


class ForcedFirst:
    """A drafter that proposes what the grammar forces next, with q = 1 and no pass; where nothing is forced, what `drafter` proposes."""

    def __init__(self, drafter: Drafter, grammar: Grammar, prompt: int):
        self.drafter, self.grammar, self.prompt, self.info = drafter, grammar, prompt, drafter.info

    def begin(self, context: DraftContext) -> "ForcedFirstSession":
        return ForcedFirstSession(self, self.drafter.begin(context))


class ForcedFirstSession:
    def __init__(self, of: ForcedFirst, session: DraftSession):
        self.of, self.session = of, session

    def __getattr__(self, name: str):
        return getattr(self.session, name)

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        grammar = self.of.grammar
        automaton, texts = grammar.automaton, grammar.words.texts
        state, ids = automaton.read(automaton.start, "".join(texts[id] for id in tokens[self.of.prompt :])), list[int]()
        while len(ids) < k and (mask := grammar.mask(state)) is not None and mask.sum() == 1 and not mask[grammar.ends].any():
            ids.append(int(mask.argmax()))
            state = automaton.read(state, texts[ids[-1]])
        if not ids:
            return self.session.propose(tokens, k, u)
        return Block(ids, None if u is None else one_hot(ids, len(texts)), "length")


def _forced_first(pair: Setup, prompt: str, config: DecodeConfig) -> Setup:
    grammar = Grammar(config.grammar, pair.text, pair.target.vocabulary)
    return replace(pair, drafter=ForcedFirst(pair.drafter, grammar, len(pair.text.encode(prompt))))


if __name__ == "__main__":
    typer.run(main)
