"""The panel Load: many texts at once, by passes that were measured (assets/costs, or here) or by a card's published peaks. The arithmetic is
the page's own (assets/lab/serving.js), the same as specviz/lab/load.py."""

import json
from collections.abc import Iterator

from ....config import ASSETS
from ....picture.view import json_text
from ...exercise import Exercise
from ..asked import refuse_without
from ..panel import Asked, Panel, PanelContext, PanelStep

HARDWARE, COSTS = ASSETS / "lab" / "hardware.json", ASSETS / "costs"


def hardware() -> dict:
    """Cards, models and published measurements."""
    return json.loads(HARDWARE.read_text("utf-8"))


def measured() -> list[dict]:
    """By machine that measured: ms by texts, and by tokens of each."""
    found = []
    for path in sorted(COSTS.glob("*.json")):
        said = json.loads(path.read_text("utf-8"))
        target, draft = said["curves"][:2]
        one = draft["blocks"].index(1)
        found.append(
            {
                "device": said["device"],
                "target": target["model"],
                "draft": draft["model"],
                "context": target["context"],
                "batches": target["batches"],
                "target_ms": target["ms"],
                "draft_ms": [row[one] for row in draft["ms"]],
            }
        )
    return found


def serves(_: PanelContext) -> list:
    def hardware_and_passes(_):
        return json_text({"hardware": hardware(), "measured": measured()})

    hardware_and_passes.__name__ = "hardware"
    return [hardware_and_passes]


def runs(place: PanelContext, asked: Asked) -> Iterator[PanelStep]:
    """Measure passes over many texts here."""
    refuse_without(place.engine, "loads")
    for step in place.engine.loads(asked.stop):
        yield PanelStep(step.done, step.of, step.found())


WORDS = {
    "run": "Measure here",
    "opening": "Fetching what was measured…",
    "lost": "What was measured could not be fetched. Reload the page.",
    "source": "Passes",
    "measured": "measured:",
    "own": "measured here",
    "formula": "a card, by formula",
    "target": "Target",
    "draft": "Draft",
    "card": "Card",
    "devices": "How many",
    "texts": "Texts at once",
    "context": "Positions of each",
    "alpha": "α",
    "apart": "α of texts apart by ±",
    "best": "{texts} at once: K = {K} is best. A token of each takes {latency} ms instead of {alone} ({speedup} times as fast), the server writes "
    "{pace} tokens a second instead of {paced}, and {thrown} of what the target checks is thrown away.",
    "none": "{texts} at once: K = 0 is best. A token of each takes {alone} ms, the server writes {paced} tokens a second; with K = 1 it would be "
    "{one} times as fast.",
    "zero": "From {texts} texts on, of those looked at, no K pays.",
    "zero_never": "At each load looked at, up to {texts} texts, some K pays.",
    "zero_between": "With {none} at once no K pays, nor from {texts} texts on, of those looked at.",
    "zero_never_between": "With {none} at once no K pays; with {texts}, the most looked at, some does.",
    "zero_always": "No K pays at any load looked at: drafts and their check cost at least what they bring.",
    "unequal": "At K = {K}, if α lies evenly between {low} and {high}: the mean text waits {mean} ms a token, the slowest {slowest} ms, since a "
    "step costs all of them the same. Where all must keep as many as the one that keeps least (caches of one length), each waits {aligned} ms.",
    "unequal_one": "With one text nobody waits for anybody.",
    "where_measured": "{target} with {draft}, after {context} positions of each, measured on {device}: the length of texts is not changed.",
    "where_formula": "A formula, no measurement: {target} with {draft} on {devices} × {card} ({source}), weights and caches in 16 bits, the "
    "published peaks reached in full, nothing for overhead or for the devices to talk to each other.",
    "fits": "The memory holds {holds} such texts.",
    "full": "The memory holds {holds} such texts, not {texts}: this load cannot be had.",
    "by_load": "Speedup by load",
    "texts_axis": "texts at once",
    "speedup": "speedup",
    "zero_wins": "0 wins",
    "at_best": "K = {K}: {speedup}×",
    "trade": "What each gets against what all get",
    "server_pace": "tokens/s of all",
    "text_pace": "tokens/s of each text",
    "with_drafts": "best K",
    "without": "no drafts",
    "K": "K",
    "best_K": "best",
    "tokens": "tokens a step",
    "step": "ms a step",
    "latency": "ms a token",
    "pace": "tokens/s of all",
    "thrown": "thrown away",
    "csv": "texts|K|tokens a step|ms a step|ms a token|speedup|tokens per second of all|thrown away",
    "note": "A step drafts K tokens of every text and checks them in one pass: K · t_draft(B, 1) + t_target(B, K + 1). Tokens a step: "
    "(1 − α^(K+1))/(1 − α), which takes acceptances as independent. By formula a pass takes the longer of reading (weights once, every text's "
    "cache) and arithmetic (two operations a weight and token, four a token, position, layer and number of a query); of a mixture of experts "
    "those are read that any token takes, where each takes its own by chance: 1 − (1 − chosen/experts)^tokens of them.",
}

PANEL = Panel(
    key="load",
    place=40,
    short="Load",
    title="Load: many texts at once",
    answers="What does drafting gain where a server decodes many texts at once, and from which load on is K = 0 best?",
    exercise=Exercise(
        task=(
            "Choose a card and move the texts from 1 to 1024. Where does the best K become 0, and what does a pass wait for from there on?",
            "At that load make the texts longer. Why can drafting pay again?",
            "Take a mixture of experts as target and one text. Why is its best K smaller than that of a dense model, and why does it grow with "
            "some more texts?",
            "At eight texts move ± from 0 to .3. Who waits, and for whom?",
        ),
        key=(
            "Where arithmetic takes longer than reading: then a check of K + 1 tokens costs nearly K + 1 times as much, and what is thrown away "
            "is paid for.",
            "Every text's cache is read once a pass, however many tokens are checked: reading is the longer one again, and arithmetic idles.",
            "More tokens take more experts, so a check reads more; with many texts all experts are read anyway, and a check is free again.",
            "With ragged batches nobody waits but for the step; with caches of one length all keep as few as the unluckiest, so the more texts "
            "the less drafting gains.",
        ),
    ),
    words=WORDS,
    serves=serves,
    runs=runs,
    alone=True,
)
