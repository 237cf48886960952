"""Rounds of the bundled pair on prompts of every register: `python -m scripts.rounds` records what two pictures are made from.

assets/learn/speed/by_k.json    chapter 9 of Learn: verdicts by position at each K, and where rounds start
assets/lab/load/recorded.json   the Lab's Load: the draft's own chances in rounds of eight texts, and how many tokens were accepted

Both are counts and probabilities, which no other program on the machine changes.
"""

import json
from itertools import pairwise
from pathlib import Path

from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.base import Drafter
from specviz.engine.draft.choose import drafter_for
from specviz.engine.models.pair import Pair, load_pair
from specviz.lab.measure import positions
from specviz.local import DRAFTERS, TARGET
from specviz.trace.events import Round, rounds_of

from .prompts import REGISTERS

KS, SEEDS, TOKENS, TEMPERATURE = range(1, 9), range(4), 96, 1.0
PROMPTS = [prompt for prompts in REGISTERS.values() for prompt in prompts]
K, PASSES, LONG = 8, 48, 320  # of Load: tokens a block, rounds of each text, and tokens of a run that has so many rounds
TEXTS = [REGISTERS[register][i] for register, some in
         {"stories": 2, "facts": 1, "dialogues": 2, "code": 1, "arithmetic": 1, "copying": 1}.items() for i in range(some)]  # fmt: skip
BY_K, LOAD = ASSETS / "learn" / "speed" / "by_k.json", ASSETS / "lab" / "load" / "recorded.json"


def small_pair() -> tuple[Pair, Drafter]:
    pair = load_pair(TARGET, None, machine.device())
    return pair, drafter_for(pair, DRAFTERS["small"], machine.device())


def whole_rounds(pair: Pair, drafter: Drafter, prompt: str, K: int, seed: int, tokens: int) -> list[Round]:
    """Rounds of one run that drafted K tokens: the last one may have room for fewer."""
    config = DecodeConfig(K=K, temperature=TEMPERATURE, max_new_tokens=tokens, ignore_eos=True, seed=seed)
    events = decode(pair.target, drafter, pair.text.encode(prompt), config, pair.text, observe=False)
    return [r for r in rounds_of(events) if len(r.drafted) == K]


def accepted_count(r: Round) -> int:
    return sum(drafted.verdict == "accepted" for drafted in r.drafted)


def count_rounds(runs: list[list[Round]]) -> dict:
    """`positions`: for each position of a block how many tokens were tested there, and accepted. `rejected`, `whole`: how many rounds
    start after a round with a rejection, or after one that was accepted whole, and how many of them accept their first token."""
    pairs = [pair for rounds in runs for pair in pairwise(rounds)]
    after = {
        name: [bool(accepted_count(now)) for before, now in pairs if (accepted_count(before) == len(before.drafted)) is whole]
        for name, whole in (("rejected", False), ("whole", True))
    }
    blocks = [r.drafted for rounds in runs for r in rounds]
    return {"positions": positions(blocks), **{name: (len(firsts), sum(firsts)) for name, firsts in after.items()}}


def by_k(pair: Pair, drafter: Drafter, seed: int, K: int) -> dict:
    return count_rounds([whole_rounds(pair, drafter, prompt, K, seed, TOKENS) for prompt in PROMPTS])


def blocks(pair: Pair, drafter: Drafter, prompt: str) -> dict:
    """`q`: by round the draft's chance of each token that it drew; `accepted`: by round how many of them the target accepted."""
    rounds = whole_rounds(pair, drafter, prompt, K, 0, LONG)[:PASSES]
    return {
        "q": [[round(drafted.q or 0.0, 3) for drafted in r.drafted] for r in rounds],
        "accepted": [accepted_count(r) for r in rounds],
    }


def write(path: Path, record: dict) -> None:
    path.write_text(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{path.relative_to(ASSETS)}: {path.stat().st_size} bytes")


def main() -> None:
    machine.set_threads()
    pair, drafter = small_pair()
    run = {"target": pair.target.info.name, "draft": drafter.info.name, "temperature": TEMPERATURE}
    texts = [{"prompt": prompt, **blocks(pair, drafter, prompt)} for prompt in TEXTS]
    write(LOAD, {**run, "K": K, "texts": texts})
    seeds = [[by_k(pair, drafter, seed, K) for K in KS] for seed in SEEDS]
    write(BY_K, {**run, "tokens": TOKENS, "prompts": len(PROMPTS), "seeds": seeds})


if __name__ == "__main__":
    main()
