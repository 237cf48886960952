"""What a chapter of Learn is made of (chapters/), and how it is drawn from recorded runs: a few rounds, chosen by a rule, never by number.

A run may be recorded again from other models at any time; then scripts/excerpts.py asks the chapters anew. A chapter asks for what it has
to show ("a round that keeps a token and rejects one"), in the run that should have it first, then in the others.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ...config import ASSETS
from ...words import chapter_pictures, chapters, page
from ..classroom.rooms import Question

RUNS = ("creative", "rejected-first", "hot", "opening", "all-accepted", "predictable", "code", "poor-draft", "lookup")
CONTEXT = 7  # tokens of text shown before a round
BYTES = {"float32": 4, "float64": 8, "int8": 1}  # of a weight; 2 of any other type
COSTS = ASSETS / "costs"

Run = dict  # as a screen shows it (assets/player/picture.js)
Runs = dict[str, Run]  # by the names in RUNS


def costs(run: Run) -> dict:
    """α, c and v as measured in a run (assets/player/account.js), None for what the run does not hold; `predicted`: the speedup by these
    and by the tokens a round that it gave; `one_ms`: the vanilla lane's median pass."""
    account, numbers = run["account"], run["lanes"]["speculative"]["numbers"]
    return {
        "alpha": numbers["alpha"],
        "K": run["header"]["config"]["K"],
        "c": account.get("c"),
        "v": account.get("v"),
        "tokens_per_round": numbers["tokens_per_round"],
        "predicted": account.get("predicted"),
        "speedup": run["comparison"]["speedup"],
        "one_ms": median(r["times"]["verify"] for r in run["lanes"]["vanilla"]["rounds"]),
    }


def models(run: Run) -> dict:
    header = run["header"]

    def model(info: dict) -> dict:
        return {"name": info["name"], "bytes": info.get("size") or weight_bytes(info["parameters"], info["dtype"])}

    return {
        "target": model(header["target"]),
        "draft": model(header["draft"]),
        "device": header["machine"]["device"],
        "temperature": header["config"]["temperature"],
    }


def weight_bytes(parameters: int, dtype: str) -> int:
    return parameters * BYTES.get(dtype, 2)


def prompt_of(lane: dict) -> list[dict]:
    return [{"text": t["shown"], "role": "prompt"} for t in lane["prompt"]]


def verdicts(round_: dict) -> list[str]:
    return [d["verdict"] for d in round_["drafted"]]


def is_sampled(run: Run) -> bool:
    config = run["header"]["config"]
    return not config["greedy"] and config["verifier"] == "rejection" and config["drafting"] == "sample"


def is_accepted_whole(run: Run, round_: dict) -> bool:
    drafted = round_["drafted"]
    complete = all(d["verdict"] == "accepted" and d["position"] and q_entropy(d["position"]) is not None for d in drafted)
    return is_sampled(run) and len(drafted) >= 3 and complete


def q_entropy(position: dict) -> float | None:
    """How much a draft had to choose from there, in nats; None where it drew nothing."""
    return next((numbers["q"] for name, numbers in position["told"] if name == "entropies"), None)


def accepts_then_rejects(run: Run, round_: dict) -> bool:
    outcomes = verdicts(round_)
    return is_sampled(run) and round_["residual"] is not None and outcomes[0] == "accepted" and "unexamined" in outcomes


def scene(runs: Runs, fits: Callable[[Run, dict], bool], first: str, best: Callable[[dict], float] | None = None) -> dict | None:
    """The first round that fits, or the `best` of the run that has one: the round, the text before it, and its run's costs."""
    for name in dict.fromkeys((first, *runs)):
        run, lane = runs[name], runs[name]["lanes"]["speculative"]
        matches = [round_ for round_ in lane["rounds"] if round_["drafted"] and fits(run, round_)]
        if not matches:
            continue
        chosen = max(matches, key=best) if best else matches[0]
        shown = [s for round_ in lane["rounds"][: chosen["index"]] for s in round_["shown"]]
        text = prompt_of(lane) + [{"text": s["text"], "role": s["role"]} for s in shown if s["emitted"] is not None]
        return {**models(run), **costs(run), "run": name, "before": text[-CONTEXT:], "round": _without_choice(chosen)}
    return None


def _without_choice(round_: dict) -> dict:
    return {key: value for key, value in round_.items() if key != "choice"}


def without_distributions(round_: dict) -> dict:
    """Without distributions, which the picture of a round does not need."""
    without = {key: [{**token, "position": None} for token in round_[key]] for key in ("drafted", "emitted")}
    return {**_without_choice(round_), **without, "residual": None}


def token_before(run: Run, round_: dict) -> str:
    """The last token of the text that a round goes on from."""
    lane, i = run["lanes"]["speculative"], round_["index"]
    return lane["rounds"][i - 1]["emitted"][-1]["token"]["text"] if i else lane["prompt"][-1]["shown"]


def whole_rounds(run: Run) -> list[dict]:
    """Rounds that drafted K and that no end of the text cut short."""
    K = run["header"]["config"]["K"]
    ends = ("corrected", "bonus")
    return [r for r in run["lanes"]["speculative"]["rounds"] if len(r["drafted"]) == K and r["shown"][-1]["role"] in ends]


def short_device(name: str) -> str:
    """A device's name without its maker's signs and its memory."""
    return re.sub(r"^CPU, |\(R\)| Processor$| \d+ ?GB.*", "", name)


def measured_passes(folder: Path = COSTS) -> list[dict]:
    """What passes over many texts took, by machine, in the order of the files' names: ms by batch, `target_ms` then by tokens of
    each text from 1 on, `draft_ms` of one token. An empty folder gives an empty list. Raises ValueError for a file that leaves a
    size of block out."""
    machines = []
    for path in sorted(folder.glob("*.json")):
        file = json.loads(path.read_text("utf-8"))
        target, draft = file["curves"][:2]
        if target["blocks"] != [*range(1, len(target["blocks"]) + 1)]:
            raise ValueError(f"{path.name}: v is read by position, so blocks have to be timed of every size from 1 on")
        names = {"device": file["device"], "target": target["model"], "draft": draft["model"]}
        where = {"context": target["context"], "batches": target["batches"]}
        machines.append({**names, **where, "target_ms": target["ms"], "draft_ms": [row[0] for row in draft["ms"]]})
    return machines


# The chapter -----------------------------------------------------------------------------------------------------------

STORY = page.EXAMPLES[0]
COPY = page.EXAMPLES[-1]  # the prompt of the recorded run “lookup”


@dataclass(frozen=True, slots=True)
class Exercise:
    """`task` and `key` in the same order; `able`: what everybody can do then. Numbers in keys can be worked out; those of a
    machine are left to the class."""

    task: Sequence[str]
    key: Sequence[str]
    able: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """Say a number, then measure it: the cost of a pass over `tokens` in passes over one. `why`: what is said beside both numbers."""

    ask: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One idea, one screen. Its picture is assets/learn/chapters/KEY.js.

    `settings`: what "Try it in Watch" sets there, by the names of specviz/page/settings.py. `more`: formulas, for who asks for
    more. `minutes`: of the lesson, 0 for homework; `plan`: what is done in them with it and the chapters after it that have none.
    `excerpt`: what the picture shows of runs, in JSON's own types; None where no run shows it. `tables`: what it is drawn from
    beside that. `runs`: recorded runs of another pair that it needs too. `words`: what the picture writes."""

    key: str
    short: str
    title: str
    text: Sequence[str]
    question: Question | Estimate
    go: str
    notes: Sequence[str]
    exercise: Exercise
    words: dict[str, str]
    settings: dict[str, str]
    sources: tuple[str, ...]
    more: Sequence[str] = ()
    minutes: int = 0
    plan: str = ""
    excerpt: Callable[[Runs], dict | list | None] = lambda _: {}
    tables: Callable[[], dict] | None = None
    runs: tuple[str, ...] = ()


def chapter_words(key: str) -> dict:
    """What words/chapters.toml and words/chapter_pictures.toml say of a chapter, as fields of a Chapter."""
    said = chapters.TEXTS[key]
    question = (Estimate if "tokens" in said["question"] else Question)(**said["question"])
    exercise = Exercise(**said["exercise"])
    return {**said, "key": key, "question": question, "exercise": exercise, "words": chapter_pictures.PICTURES[key]}
