"""What pictures are drawn from besides recorded runs: python -m scripts.picture_data [rounds|trees|positions|grammar|experts|lab ...]

rounds      assets/learn/by_k.json          chapter 9 of Learn: verdicts by position at each K, and where rounds start
trees       assets/shapes/fable-small.json  chapter 10: how often each place of a tree is accepted where its siblings are tested
positions   assets/shapes/positions.json    chapter 10: what a chain and a tree of as many tokens guess at two positions of recorded text
grammar     assets/shapes/grammar.json      chapter 12: what a grammar does to the assistant's drafts, and drafting by it what it forces
experts     assets/shapes/experts.json      chapter 11: which experts of the bundled mixture a pass over 1, 2, … tokens reads
lab         assets/lab/{luck,sweep}/recorded.json    what Luck and Sweep open with: the one that is timed, so on a quiet machine

All but the last are counts and probabilities, which no other program on the machine changes.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.progress import track
from transformers import AutoModelForCausalLM, MixtralForCausalLM

from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.base import Block, DraftContext, Drafter, DraftSession
from specviz.engine.draft.choose import Setup, set_up
from specviz.engine.sampling import Array, Sampler, one_hot
from specviz.engine.verify import Grammar
from specviz.lab import luck, sweep
from specviz.lab.measure import positions as by_position
from specviz.local import DRAFTERS, TARGET, LocalEngine
from specviz.page.keep import recorded
from specviz.trace.events import Finished, Round, rounds_of, written_ids
from specviz.trace.tree import children
from specviz.words import page

from .prompts import REGISTERS
from .traces import ANSWERS, setup

SHAPES = ASSETS / "shapes"
STORIES = REGISTERS["stories"]


def small_pair() -> Setup:
    """The bundled target, and the small model that drafts for it."""
    machine.set_threads(alone=True)
    return set_up(TARGET, DRAFTERS["small"], machine.device())


def names_of(pair: Setup) -> dict[str, str]:
    return {"target": pair.target.info.name, "draft": pair.drafter.info.name}


def write(path: Path, record: dict) -> None:
    path.write_text(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{path.relative_to(ASSETS)}: {path.stat().st_size} bytes")


# Rounds ------------------------------------------------------------------------------------------------------------------

KS, SEEDS, TOKENS, TEMPERATURE = range(1, 9), range(4), 96, 1.0
PROMPTS = [prompt for prompts in REGISTERS.values() for prompt in prompts]
BY_K = ASSETS / "learn" / "by_k.json"


def whole_rounds(pair: Setup, prompt: str, K: int, seed: int) -> list[Round]:
    """Rounds of one run that drafted K tokens: the last one may have room for fewer."""
    config = DecodeConfig(K=K, temperature=TEMPERATURE, max_new_tokens=TOKENS, ignore_eos=True, seed=seed)
    events = decode(pair.target, pair.drafter, pair.text.encode(prompt), config, pair.text, observe=False)
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
    return {"positions": by_position(blocks), **{name: (len(firsts), sum(firsts)) for name, firsts in after.items()}}


def by_k(pair: Setup, seed: int, K: int) -> dict:
    return count_rounds([whole_rounds(pair, prompt, K, seed) for prompt in PROMPTS])


def rounds() -> None:
    pair = small_pair()
    seeds = [[by_k(pair, seed, K) for K in KS] for seed in SEEDS]
    write(BY_K, {**names_of(pair), "temperature": TEMPERATURE, "tokens": TOKENS, "prompts": len(PROMPTS), "seeds": seeds})


# Trees -------------------------------------------------------------------------------------------------------------------

TREE = DecodeConfig(K=8, temperature=1.0, tree="static", children="3-2-1", max_new_tokens=64, ignore_eos=True)
TREE_SEEDS = range(3)
Share = list[list[float]]
"""share[d][r]: the chance that the child of rank r, from 0, at depth d + 1 is kept where its parent is. At most one sibling is."""


def trees() -> None:
    pair = small_pair()
    every = list[Round]()
    for ids in map(pair.text.encode, STORIES):
        for seed in TREE_SEEDS:
            every += rounds_of(decode(pair.target, pair.drafter, ids, replace(TREE, seed=seed), pair.text, observe=False))
    share, counts_of = by_rank(every)
    run = {**names_of(pair), "temperature": TREE.temperature}
    shares = [[round(part, 4) for part in ranks] for ranks in share]
    tested = [counts[0] for counts in counts_of]
    write(SHAPES / "fable-small.json", {**run, "runs": len(STORIES) * len(TREE_SEEDS), "share": shares, "tested": tested})


def by_rank(rounds: Sequence[Round]) -> tuple[Share, list[list[int]]]:
    """The chances that these rounds showed, and how often each place was open: its parent was kept, and its siblings were tested."""
    tested, accepted = list[list[int]](), list[list[int]]()
    for r in rounds:
        below, at, depth = children(r.drafted), -1, 0
        while here := below[at + 1]:
            verdicts = [r.drafted[i].verdict for i in here]
            if set(verdicts) == {"unexamined"}:
                break
            for counts in (tested, accepted):
                counts += [[]] * (depth + 1 - len(counts))
                counts[depth] = counts[depth] + [0] * (len(here) - len(counts[depth]))
            for rank in range(len(here)):
                tested[depth][rank] += 1
            if "accepted" not in verdicts:
                break
            rank = verdicts.index("accepted")
            accepted[depth][rank] += 1
            at, depth = here[rank], depth + 1
    return [[k / n for k, n in zip(kept_at, all_, strict=True)] for kept_at, all_ in zip(accepted, tested, strict=True)], tested


# Positions ---------------------------------------------------------------------------------------------------------------

N = 8
CHAIN = DecodeConfig(K=N, temperature=1.0, drafting="argmax")
SAME_SIZE = {"chain": CHAIN, "tree": replace(CHAIN, tree="dynamic", nodes=N)}
BEGINNING = DecodeConfig(K=0, max_new_tokens=32, ignore_eos=True)
FIRST = 6  # tokens of a text before its first position


def guesses(pair: Setup, tokens: list[int], config: DecodeConfig) -> list[dict]:
    """What the drafter guesses after `tokens`: each token with its parent, and its chance after that by draft (q) and target (p)."""
    target = pair.target.sequence(len(tokens) + 2 * N)
    target.append(tokens[:-1], keep=1)
    session: Any = pair.drafter.begin(
        DraftContext.of(config, pair.target.vocabulary, target.capacity, target, pair.target.device)
    )
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


def all_positions(pair: Setup) -> list[dict]:
    """All whose guesses a screen can show, of the beginning of each story."""
    places = []
    for ids in map(pair.text.encode, STORIES):
        whole = [*ids, *written_ids(decode(pair.target, None, ids, BEGINNING, pair.text, observe=False))]
        for end in range(len(ids) + FIRST, len(whole)):
            before = [pair.text.token(id).text for id in whole[end - FIRST : end]]
            shapes = {name: guesses(pair, whole[:end], config) for name, config in SAME_SIZE.items()}
            if all(guess["text"].strip() for shape in shapes.values() for guess in shape):
                places.append({"before": "".join(before), "last": before[-1], **shapes})
    return places


def gain(position: dict) -> float:
    """Tokens that the tree gives more than the chain."""
    return tokens_of(position["tree"]) - tokens_of(position["chain"])


def positions() -> None:
    """Of all positions that are looked at, the one where the tree gains most over the chain, and the one where the chain does."""
    every = all_positions(pair := small_pair())
    extremes = [max(every, key=gain), min(every, key=gain)]
    write(SHAPES / "positions.json", {"draft": names_of(pair)["draft"], "of": len(every), "positions": extremes})


# A grammar ---------------------------------------------------------------------------------------------------------------

GRAMMAR_SEEDS = range(20)


def grammar() -> None:
    recording = ANSWERS["answer-json"]
    pair, config, prompt = setup(recording.target, recording.drafters[0]), recording.config, recording.prompts[0]
    rules = Grammar(config.grammar, pair.text, pair.target.vocabulary)
    forced_first = replace(pair, drafter=ForcedFirst(pair.drafter, rules, len(pair.text.encode(prompt))))
    run = {**names_of(pair), "prompt": prompt, "K": config.K, "temperature": config.temperature}
    counts = {
        "with": grammar_counts(pair, prompt, config),
        "without": grammar_counts(pair, prompt, replace(config, grammar="")),
        "forced_first": grammar_counts(forced_first, prompt, config),
    }
    write(SHAPES / "grammar.json", {**run, "seeds": len(GRAMMAR_SEEDS), **counts})


def grammar_counts(pair: Setup, prompt: str, config: DecodeConfig) -> dict[str, int]:
    """Sums over the runs of all seeds."""
    total = dict.fromkeys(("rounds", "tokens", "drafted", "tested", "accepted", "void", "forced"), 0)
    for seed in track(GRAMMAR_SEEDS, transient=True):
        seeded = replace(config, seed=seed)
        for event in decode(pair.target, pair.drafter, pair.text.encode(prompt), seeded, pair.text, observe=False):
            if isinstance(event, Round):
                total["void"] += sum(d.void for d in event.drafted)
                total["forced"] += sum(e.forced for e in event.emitted)
            if isinstance(event, Finished):
                for name in ("rounds", "tokens", "drafted", "tested", "accepted"):
                    total[name] += getattr(event, name)
    return total


class ForcedFirst(Drafter):
    """A drafter that proposes what the grammar forces next, with q = 1 and no pass; where nothing is forced, what `drafter` proposes."""

    def __init__(self, drafter: Drafter, grammar: Grammar, prompt: int):
        self.drafter, self.grammar, self.prompt, self.info = drafter, grammar, prompt, drafter.info
        self.capabilities = drafter.capabilities

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


# Experts -----------------------------------------------------------------------------------------------------------------

MIXTURE = "fable-experts"
RUN = "experts"  # the recorded run that one block is shown of
EXPERTS = ASSETS / "shapes" / "experts.json"
MAX_BLOCK = 8  # tokens of a block
DRAWS = 2000  # of tokens from random places, for each length


def load_mixture() -> MixtralForCausalLM:
    return AutoModelForCausalLM.from_pretrained(ASSETS / "models" / MIXTURE, dtype=torch.float32).eval()


@torch.inference_mode()
def choices(model: MixtralForCausalLM, ids: list[int]) -> np.ndarray:
    """[layers, tokens, chosen]: the experts that the router chooses for each of `ids`, in the order of its weights."""
    gates: list[np.ndarray] = []
    hooks = [
        layer.mlp.gate.register_forward_hook(lambda _, __, out: gates.append(out[2].numpy())) for layer in model.model.layers
    ]
    model(torch.tensor([ids]), use_cache=False)
    for hook in hooks:
        hook.remove()
    return np.stack(gates)


def uses_of(experts_of_tokens: np.ndarray, experts: int) -> np.ndarray:
    """[layers, tokens, experts] bool of [layers, tokens, chosen]."""
    return (experts_of_tokens[..., None] == np.arange(experts)).any(-2)


def unions(uses: np.ndarray, n: int) -> np.ndarray:
    """[layers, tokens − n + 1]: how many experts any of n tokens in a row uses."""
    rows = np.lib.stride_tricks.sliding_window_view(uses, n, axis=1)
    return rows.any(-1).sum(-1)


def texts() -> Iterator[list[int]]:
    """Ids of the family's recorded texts, prompt and continuation, as the vanilla lane wrote them."""
    for name in recorded.names():
        trace = recorded.load(name)
        if trace.header.target.name in ("fable", MIXTURE):
            yield [*(token.id for token in trace.vanilla[0].prompt), *written_ids(trace.vanilla)]


def expert_counts(model: MixtralForCausalLM) -> dict:
    """Per length of a block: experts that a layer reads, mean, quartiles, by layer; and for as many tokens of random places (`apart`)."""
    experts = model.config.num_local_experts
    uses = [uses_of(choices(model, ids), experts) for ids in texts()]
    all_of_them, chance = np.concatenate(uses, 1), np.random.default_rng(0)
    blocks = []
    for n in range(1, MAX_BLOCK + 1):
        sizes = np.concatenate([unions(each, n) for each in uses], 1)
        places = chance.integers(all_of_them.shape[1], size=(DRAWS, n))
        low, high = np.quantile(sizes, (0.25, 0.75))
        blocks.append(
            {
                "n": n,
                "union": round(float(sizes.mean()), 3),
                "low": float(low),
                "high": float(high),
                "layers": [round(float(mean), 2) for mean in sizes.mean(1)],
                "apart": round(float(all_of_them[:, places].any(2).sum(-1).mean()), 3),
            }
        )
    return {"texts": len(uses), "tokens": all_of_them.shape[1], "blocks": blocks}


def bytes_of(model: MixtralForCausalLM) -> dict[str, int]:
    """Of one expert of one layer, and of all that every pass reads, in the 16 bits that the weights are stored in."""
    config, weights = model.config, sum(weight[0].numel() for weight in model.model.layers[0].mlp.experts.parameters())
    whole = sum(weight.numel() for weight in model.parameters())  # the tied head counts once
    return {"expert": 2 * weights, "rest": 2 * (whole - weights * config.num_local_experts * config.num_hidden_layers)}


def expert_block(model: MixtralForCausalLM) -> dict:
    """The first whole round of the recorded run: the tokens that its verifying pass took, and by layer the experts of each."""
    trace = recorded.load(RUN)
    prompt, *events = trace.speculative
    K, text = trace.header.config.K, list(prompt.prompt)
    for event in events:
        if isinstance(event, Round) and len(event.drafted) == K:
            tokens = [text[-1], *(drafted.token for drafted in event.drafted)]
            experts_of_tokens = choices(model, [token.id for token in (*text, *tokens[1:])])[:, -len(tokens) :]
            return {"round": event.index, "tokens": [token.text for token in tokens], "chosen": experts_of_tokens.tolist()}
        if isinstance(event, Round):
            text += [emitted.token for emitted in event.emitted]
    raise SystemExit(f"no round of {RUN} drafted {K} tokens")


def experts() -> None:
    model = load_mixture()
    shape = {"model": MIXTURE, "experts": model.config.num_local_experts, "chosen": model.config.num_experts_per_tok}
    write(EXPERTS, {**shape, "bytes": bytes_of(model), **expert_counts(model), "block": expert_block(model)})


# The Lab -----------------------------------------------------------------------------------------------------------------

MAX_DISTURBED = 0.1  # of the runs: a file that was there stays where more were


def lab() -> None:
    engine, prompt = LocalEngine(), page.EXAMPLES[0]
    config = DecodeConfig(K=4, temperature=0.8, max_new_tokens=luck.LENGTH, ignore_eos=True)
    keep("luck", prompt, engine.luck(prompt, [("small", config)], luck.SEEDS))
    config = replace(config, K=min(sweep.KS), max_new_tokens=sweep.LENGTH)
    keep("sweep", prompt, engine.sweep(prompt, list(sweep.DRAFTERS), sweep.KS, config, turns=sweep.TURNS))


def keep(panel: str, prompt: str, steps) -> None:
    """Write what the experiment found, or say why not."""
    *_, last = steps
    result = rounded(last.as_json())
    runs = result.get("dots") or result["cells"]
    disturbed = sum(run["disturbed"] + run["by_processor"] for run in runs) / sum(run.get("runs", 1) for run in runs)
    if disturbed > MAX_DISTURBED:
        print(f"{panel}: {disturbed:.0%} of the runs were disturbed, so the file stays as it was")
        return
    known = machine.describe_machine()
    about = {"prompt": prompt, "target": TARGET, "device": known.device, "threads": known.threads}
    write(ASSETS / "lab" / panel / "recorded.json", {**about, "date": date.today().isoformat(), "found": result})


def rounded(result):
    """Numbers with six digits: more are noise, and fewer are rounded twice where two are shown."""
    if isinstance(result, float):
        return float(f"{result:.6g}")
    if isinstance(result, dict):
        return {name: rounded(value) for name, value in result.items()}
    return [rounded(value) for value in result] if isinstance(result, list | tuple) else result


PARTS = {"rounds": rounds, "trees": trees, "positions": positions, "grammar": grammar, "experts": experts, "lab": lab}


def main(parts: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(PARTS)}; all if none is named.")] = None):
    for part in parts or PARTS:
        if part not in PARTS:
            raise typer.BadParameter(f"{part} is none of {', '.join(PARTS)}")
        PARTS[part]()


if __name__ == "__main__":
    typer.run(main)
