"""Records the runs that come with the app into assets/traces/, from the real engine: `make traces`, on a quiet machine.

python -m scripts.traces                 # all of them
python -m scripts.traces opening hot     # these
python -m scripts.traces assistant       # those of the assistant, once specviz fetch has brought it

Each name promises something. Seeds and prompts are tried until a run keeps the promise; if none does, one sentence says so
and the file that was there stays. vllm.jsonl.gz is a file of `specviz record-vllm`.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.engine.decode import decode
from specviz.engine.draft.choose import Setup, set_up
from specviz.engine.models import assistant
from specviz.engine.race import race
from specviz.local import HYBRID, MIXTURE, TARGET, drafts_for
from specviz.trace.disturbed import signs
from specviz.trace.events import Event, Round, Trace, rounds_of
from specviz.trace.tree import path
from specviz.words import page

from .prompts import REGISTERS
from .result import archive

FOLDER = Path(__file__).parent.parent / "assets/traces"
# seeds tried; runs that a best one is chosen from, by their tokens; times that a run is timed until nothing disturbs it
SEEDS, BEST_OF, TIMINGS = 100, 12, 4
STORY = page.EXAMPLES[0]
STORIES = (STORY, *REGISTERS["stories"])


# What a name can promise: of the events of the speculative lane, without the clock.
def all_accepted(r: Round) -> bool:
    return bool(r.drafted) and all(d.verdict == "accepted" for d in r.drafted)


def first_is_rejected(lane) -> bool:
    first = rounds_of(lane)[0]
    return bool(first.drafted) and first.drafted[0].verdict == "rejected" and len(first.drafted) > 1


def mostly_whole(lane) -> bool:
    """The first two rounds, and three of five of all."""
    every = rounds_of(lane)
    return all_accepted(every[0]) and all_accepted(every[1]) and sum(map(all_accepted, every)) >= 0.6 * len(every)


def acceptance(low: float, high: float) -> Callable[[Sequence[Event]], bool]:
    return lambda lane: low <= lane[-1].accepted / max(1, lane[-1].tested) <= high


def every_kind(lane) -> bool:
    """Rejections, corrections and bonus tokens to see, one of each in the first rounds."""
    early = rounds_of(lane)[:5]
    roles = [e.role for r in rounds_of(lane) for e in r.emitted]
    return (
        roles.count("corrected") >= 4
        and roles.count("bonus") >= 4
        and {"corrected", "bonus"} <= {e.role for r in early for e in r.emitted}
        and any(d.verdict == "unexamined" for r in early for d in r.drafted)
    )


def siblings_save(lane) -> bool:
    """In a third of the rounds a token stayed that was not the first guess at its place: a chain would have ended there."""
    every = rounds_of(lane)
    return sum(any(r.drafted[i].rank for i in path(r.drafted)) for r in every) >= len(every) / 3


def wasteful(lane) -> bool:
    """Thirty guesses and more for each that stays."""
    every = rounds_of(lane)
    return sum(len(r.drafted) for r in every) >= 30 * lane[-1].accepted


def in_one_pass(lane) -> bool:
    """A draft pass a round at most, and blocks of which much stays to see beside those that fail at once."""
    accepted = [len(path(r.drafted)) for r in rounds_of(lane)]
    return lane[-1].draft_forwards <= len(accepted) and max(accepted) >= 5 and 0 in accepted


def copies(lane) -> bool:
    """Rounds without a draft, and blocks of several tokens that are kept whole."""
    every = rounds_of(lane)
    return sum(all_accepted(r) and len(r.drafted) > 1 for r in every) >= 4 and any(not r.drafted for r in every)


def replays(lane) -> bool:
    """Rejections after none, one and two accepted tokens, which a state reads again, and blocks that are accepted whole."""
    every = rounds_of(lane)
    return {1, 2, 3} <= {r.target_cache.replayed for r in every} and any(map(all_accepted, every))


def masked(lane) -> bool:
    """The text ends with its grammar; drafts that are void, also of those that were not examined, and tokens that are forced."""
    void = [d for r in rounds_of(lane) for d in r.drafted if d.void]
    forced = sum(e.forced for r in rounds_of(lane) for e in r.emitted)
    return lane[-1].reason == "eos" and {"rejected", "unexamined"} <= {d.verdict for d in void} and forced >= 4


def reads_well(lane) -> bool:
    """Plain sentences, ended by a full stop, none of it said twice."""
    text = lane[-1].text
    words = re.findall(r"\w+", text.lower())
    threes = list(zip(words, words[1:], words[2:], strict=False))
    return (
        re.fullmatch(r"[\w\s.,!?'\"’“”-]+[.!?][\"”]?\s*", text) is not None
        and text.count("\n\n") <= 1
        and len(set(threes)) >= 0.95 * len(threes)
    )


def has_length(least: int) -> Callable[[Sequence[Event]], bool]:
    return lambda lane: lane[-1].tokens >= least and "�" not in lane[-1].text


@dataclass(frozen=True)
class Recording:
    """`drafters` and `prompts` are tried in order, of drafters those that `target` has. `best`: of several runs that fit, the one
    with the most tokens a pass. `counts`: it shows what counts alone show, so it is kept if the machine was busy every time:
    pages then withhold its times."""

    drafters: tuple[str, ...]
    prompts: tuple[str, ...]
    config: DecodeConfig
    promises: tuple[Callable[[Sequence[Event]], bool], ...] = ()
    best: bool = False
    counts: bool = False
    target: str = TARGET


def _config(K: int, temperature: float, max_new_tokens: int = 64, **more) -> DecodeConfig:
    return DecodeConfig(K=K, temperature=temperature, max_new_tokens=max_new_tokens, **more)


def _answer(
    key: str, K: int, temperature: float, *promises, drafters=("eagle", "block", "mtp", "early-exit"), **more
) -> Recording:
    """A run of the assistant, of its example `key` or another prompt."""
    prompt = page.QUESTIONS.get(key, key)
    return Recording(drafters, (prompt,), _config(K, temperature, 96, **more), promises, counts=True, target=assistant.KEY)


RECORDINGS = {
    "opening": Recording(("small",), (STORY,), _config(3, 0.8), (every_kind, reads_well, acceptance(0.6, 0.9)), best=True),
    "predictable": Recording(("small",), STORIES, _config(4, 0.0), (acceptance(0.65, 1), every_kind)),
    "creative": Recording(("small",), (STORY,), _config(4, 1.0), (every_kind,)),
    "hot": Recording(("small",), (STORY,), _config(4, 1.5), (acceptance(0, 0.75), every_kind)),
    "code": Recording(("small",), REGISTERS["code"], _config(4, 0.0), (acceptance(0.5, 1),)),
    "all-accepted": Recording(("small", "large", "mtp"), (*STORIES, *REGISTERS["copying"]), _config(3, 0.5), (mostly_whole,)),
    "rejected-first": Recording(("small",), (STORY,), _config(4, 1.0), (first_is_rejected, every_kind)),
    "poor-draft": Recording(("bigram",), (STORY,), _config(4, 1.0), (acceptance(0.05, 0.45),)),
    "lookup": Recording(("lookup",), (page.EXAMPLES[-1], *REGISTERS["copying"]), _config(4, 0.0), (copies,)),
    "tree": Recording(("small",), STORIES, _config(5, 0.0, tree="dynamic"), (siblings_save, reads_well), counts=True),
    "wide-tree": Recording(("bigram",), STORIES, _config(3, 0.0, tree="static", children="4-3-3"), (wasteful,), counts=True),
    "hybrid": Recording(("small",), STORIES, _config(4, 0.0), (replays,), counts=True, target=HYBRID),
    "block": Recording(("block",), (STORY,), _config(6, 0.7), (in_one_pass, reads_well), best=True, counts=True),
    "experts": Recording(("small",), STORIES, _config(4, 0.0), (acceptance(0.6, 1), every_kind), counts=True, target=MIXTURE),
}
PERSON = "Describe a person as one JSON object with the keys name, age, city, job and hobbies."
SHAPE = (
    r'\{"name": "[A-Z][a-z]{2,11}", "age": [1-9][0-9], "city": "[A-Z][a-z]{2,11}( [A-Z][a-z]{2,11})?", "job": "[a-z ]{3,20}", '
    r'"hobbies": \["[a-z ]{3,20}"(, "[a-z ]{3,20}"){2}\]\}'
)
SUM = "A baker makes 48 rolls and puts 6 of them into each bag. How many bags does the baker fill? Explain each step."
ANSWERS = {  # of the assistant; with temperature where the entropy of p is to be seen
    "answer-capital": _answer("A capital", 3, 0.0, reads_well),
    "question": _answer("A root", 3, 0.6, every_kind),
    "answer-code": _answer("A function", 3, 0.0),
    "answer-sums": _answer(SUM, 3, 0.0),
    "rewriting": _answer("Rewriting", 6, 0.0, acceptance(0.5, 1), drafters=("lookup",)),
    "answer-tree": replace(
        _answer("A story", 5, 0.0, siblings_save, drafters=("eagle",), tree="dynamic"), prompts=(*page.QUESTIONS.values(), SUM)
    ),
    "answer-hot": _answer("A list", 3, 1.2, every_kind, acceptance(0, 0.75)),
    "answer-json": _answer(PERSON, 3, 0.6, masked, acceptance(0.3, 1), grammar=SHAPE),
}


@cache
def setup(target: str, drafter: str) -> Setup:
    return set_up(target, drafts_for(target)[drafter], machine.device())


def tries(recording: Recording) -> Iterator[tuple[str, str, DecodeConfig]]:
    seeds = range(1 if recording.config.greedy else SEEDS)
    for drafter in (name for name in recording.drafters if name in drafts_for(recording.target)):
        for prompt in recording.prompts:
            for seed in seeds:
                yield drafter, prompt, replace(recording.config, seed=seed)


def fitting(recording: Recording) -> Iterator[tuple[str, str, DecodeConfig, float]]:
    """What keeps its promises when the speculative lane runs alone, untimed; with its tokens a pass."""
    promises = has_length(48), *recording.promises
    for drafter, prompt, config in tries(recording):
        with_it = setup(recording.target, drafter)
        lane = tuple(decode(with_it.target, with_it.drafter, with_it.text.encode(prompt), config, with_it.text, observe=False))
        if all(promise(lane) for promise in promises):
            yield drafter, prompt, config, lane[-1].tokens / lane[-1].target_forwards


def record(recording: Recording) -> Trace | None:
    """A run with its vanilla lane, timed, or None if no try fits."""
    runs = fitting(recording)
    if recording.best:
        runs = sorted((f for f, _ in zip(runs, range(BEST_OF), strict=False)), key=lambda f: -f[-1])
    for drafter, prompt, config, _ in runs:
        for _ in range(TIMINGS):
            trace = list(race(setup(recording.target, drafter), prompt, config))[-1]
            if not all(promise(trace.speculative) for promise in recording.promises) or not has_length(48)(trace.vanilla):
                break
            if recording.best and not all(lane[-1].text.startswith(" ") for lane in (trace.vanilla, trace.speculative)):
                break  # an unlikely token that goes on with the prompt's last word is right, and looks like a mistake
            if not signs(trace):
                return trace
        else:
            if recording.counts:
                return trace
    return None


def describe(name: str, trace: Trace, path: Path) -> str:
    config, end = trace.header.config, trace.speculative[-1]
    return (
        f"{name:15} {trace.header.draft.name:12} seed {config.seed:2}  {end.tokens} tokens, {end.rounds} rounds, "
        f"accepted {end.accepted} of {end.tested} tested, {path.stat().st_size / 1e3:.0f} kB\n"
        f"    {trace.header.prompt[-40:]!r} → {end.text[:110]!r}"
    )


def main(names: Annotated[list[str] | None, typer.Argument(help="Those to record; all if none is named.")] = None):
    known, missing = RECORDINGS | ANSWERS, []
    wanted = [one for name in names or [] for one in (ANSWERS if name == "assistant" else [name])]
    if unknown := sorted({*wanted} - {*known}):
        raise typer.BadParameter(f"no recording is called {', '.join(unknown)}; there are {', '.join(known)}")
    machine.set_threads()
    for name in wanted or known:
        if name in ANSWERS and assistant.place() is None:
            print(f"{name}: {assistant.NAME} is not on this machine: specviz fetch brings it, once", file=sys.stderr)
            missing += [name] if wanted else []
        elif trace := record(known[name]):
            print(describe(name, trace, archive(FOLDER, name, trace)), flush=True)
        else:
            missing.append(name)
            print(f"{name}: no prompt and no seed that was tried gives such a run; the file stays as it was", file=sys.stderr)
    raise typer.Exit(1 if missing else 0)


if __name__ == "__main__":
    typer.run(main)
