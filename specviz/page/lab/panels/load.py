"""The panel Load: many texts at once, by passes that were measured (assets/costs, or here). The arithmetic is the page's own
(assets/shared/serving.js)."""

from collections.abc import Iterator

from ....picture.replay import json_text
from ...component import answer
from ...learn.chapter import Exercise, measured_passes
from ..panel import Panel, PanelContext, PanelRequest, PanelStep


def serves(_: PanelContext) -> list:
    return [answer("measured", lambda: json_text(measured_passes()))]


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    for step in context.method("loads")(request.stop):
        yield PanelStep(step.done, step.of, step.as_json())


WORDS = {
    "formerly": "The Lab has no panel “Your pair”. Load shows measured passes, and chapter 11 of Learn calculates a 70B with an 8B.",
    "run": "Measure here",
    "opening": "Fetching the measurements…",
    "lost": "The measurements could not be fetched. Reload the page.",
    "source": "Passes",
    "measured": "measured:",
    "own": "measured here",
    "unmeasured": "Nothing was measured here yet. Press “Measure here”.",
    "unmeasured_here": "Nothing was measured here. This page cannot measure. Start the app, and press “Measure here” in its Lab.",
    "texts": "Texts at once",
    "alpha": "α",
    "best": "{texts} texts at once: K = {K} is best. A token of one text takes {latency} ms instead of {alone}, {speedup} times as fast. The server "
    "writes {pace} tokens per second instead of {paced}. It throws {thrown} of the verified tokens away.",
    "none": "{texts} texts at once: do not draft, K = 0 is best. A token of one text takes {alone} ms, and the server writes {paced} tokens per second. With K = "
    "1 it would be {one} times as fast.",
    "zero": "From {texts} texts on (of the loads shown) no K pays.",
    "zero_never": "At every load shown, up to {texts} texts, some K pays.",
    "zero_between": "Of the loads shown, no K pays with {none} texts, and no K pays from {texts} texts on.",
    "zero_never_between": "With {none} texts no K pays. With {texts}, the most shown, some K pays.",
    "zero_always": "No K pays at any load shown. Drafting and verifying take at least as long as the tokens that they save.",
    "where_measured": "{target} with {draft}, after {context} positions each, measured on {device}.",
    "by_load": "Speedup by load",
    "texts_axis": "texts at once",
    "speedup": "speedup",
    "zero_wins": "K = 0 is best",
    "at_best": "K = {K}: {speedup}×",
    "trade": "Pace of each text against pace of all",
    "text_pace": "tokens/s of each text",
    "with_drafts": "best K",
    "without": "no drafts",
    "K": "K",
    "best_K": "best",
    "tokens": "tokens per round",
    "step": "ms per round",
    "latency": "ms per token",
    "pace": "tokens/s of all",
    "thrown": "thrown away",
    "csv": "texts|K|tokens per round|ms per round|ms per token|speedup|tokens per second of all|thrown away",
    "note": "A round drafts K tokens for each text and checks them in one pass. It takes K draft passes and one target pass over K + 1 tokens of each "
    "text. Tokens per round: (1 − α^(K+1))/(1 − α), which assumes independent acceptances.",
}

PANEL = Panel(
    key="load",
    short="Load",
    title="Load: many texts at once",
    answers="What does drafting gain on a server that decodes many texts at once, and when is K = 0 best?",
    exercise=Exercise(
        task=(
            "Choose the measured CPU and α = 0.3. Move the texts from 1 to 64. How does the best K change? Where does the speedup of K = 1 fall below 1?",
            "Choose the measured H100 with the same α. Up to how many texts does K = 1 pay now, and why?",
            "Press “Measure here” and keep α. From how many texts on does no K pay on your machine?",
        ),
        key=(
            "It falls from 1 to 0 with four texts. Verifying two tokens of each costs v(2) = 1.37 there, and a draft step c = 0.08. K = 1 stops paying "
            "once c + v(2) is at least 1 + α.",
            "Up to 32. This card is not full yet: v(2) is 1.05 for 32 texts. A draft step costs more than on the CPU: c is above 0.2.",
            "Where c + v(2) reaches 1 + α. The table has both as ms per round at K = 1, divided by those at K = 0.",
        ),
    ),
    words=WORDS,
    serves=serves,
    runs=runs,
    formerly="pair",
    alone=True,
)
