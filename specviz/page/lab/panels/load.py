"""The panel Load: many texts at once, by passes that were measured (assets/costs, or here). The arithmetic is the page's own
(assets/shared/serving.js). Below: which positions a pass should check, in recorded rounds of eight texts (scripts/picture_data.py)."""

from collections.abc import Iterator

from ....picture.plain import json_text
from ...component import answer
from ...exercise import Exercise
from ...learn.excerpts import measured_passes
from ..form import require_method
from ..panel import Panel, PanelContext, PanelRequest, PanelStep, recorded_result


def serves(_: PanelContext) -> list:
    return [answer("measured", lambda: json_text(measured_passes())), recorded_result("load")]


def runs(context: PanelContext, request: PanelRequest) -> Iterator[PanelStep]:
    require_method(context.engine, "loads")
    for step in context.engine.loads(request.stop):
        yield PanelStep(step.done, step.of, step.as_json())


WORDS = {
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
    "apart": "Spread of α, ±",
    "best": "{texts} texts at once: K = {K} is best. A token of one text takes {latency} ms instead of {alone}, {speedup} times as fast. The server "
    "writes {pace} tokens per second instead of {paced}. It throws {thrown} of the verified tokens away.",
    "none": "{texts} texts at once: do not draft, K = 0 is best. A token of one text takes {alone} ms, and the server writes {paced} tokens per second. With K = "
    "1 it would be {one} times as fast.",
    "zero": "From {texts} texts on (of the loads shown) no K pays.",
    "zero_never": "At every load shown, up to {texts} texts, some K pays.",
    "zero_between": "Of the loads shown, no K pays with {none} texts, and no K pays from {texts} texts on.",
    "zero_never_between": "With {none} texts no K pays. With {texts}, the most shown, some K pays.",
    "zero_always": "No K pays at any load shown. Drafting and verifying take at least as long as the tokens that they save.",
    "unequal": "K = {K}, with α spread evenly from {low} to {high}: the average text waits {mean} ms per token, the slowest {slowest} ms. Some "
    "engines keep all caches equally long. There all accept only as many tokens as the worst text, and each waits {aligned} ms.",
    "unequal_one": "With one text nobody waits for another.",
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
    "budget_title": "A budget of checked positions",
    "budget_asks": "The draft has written {K} tokens for each of {texts} texts. One pass may check only N of these {all} positions. Which texts should "
    "get them? Hand them out, then verify.",
    "budget": "Positions to check, N",
    "share": "Hand out",
    "share_evenly": "Evenly",
    "share_chances": "By the draft's chances",
    "share_hand": "By hand",
    "budget_cells": "A cell is a drafted token. It is filled by the product of the draft's chances up to it, on a logarithmic scale from 0.001 to 1. A "
    "bold frame: the token is checked. ✓ and ✗: what the target said.",
    "less": "One position fewer for “{name}”",
    "more": "One position more for “{name}”",
    "block": "“{name}”: {n} of {K} positions are checked. Products of the draft's chances: {chances}.",
    "block_accepted": "The target accepted {accepted} of the block, {n} of them checked.",
    "spent": "Pass {pass} of {passes}: {n} of {N} positions are handed out.",
    "over": "By hand, {n} positions are handed out. The budget is {N}. Take some back, or choose a larger budget.",
    "verify": "Verify",
    "next": "Next pass",
    "brought": "It brings {now} tokens. All {all} positions would bring {most}.",
    "average": "{passes} passes, on average",
    "budget_tokens": "tokens per pass",
    "budget_ms": "ms per pass",
    "budget_unmeasured": "Passes over eight texts were not measured here, so there are no times.",
    "undrafted": "Without drafts the {texts} texts get {pace} tokens/s.",
    "stops": "{way}: N = {N} is fastest, {pace} tokens/s. From N = {from} on drafting is slower than no drafts.",
    "always": "{way}: N = {N} is fastest, {pace} tokens/s. Drafting still pays with all positions.",
    "never": "{way}: no N pays.",
    "by_budget": "Tokens/s of all by the budget",
    "budget_recorded": "Recorded: {target} with {draft} at temperature {temperature}, {passes} rounds of {texts} texts. A recorded round drafted {K} "
    "tokens. If n of them are checked, it gives min(accepted, n) + 1 tokens. The next pass takes the next recorded round, though a real text would "
    "stand at another place then.",
    "budget_times": "Times: of the passes chosen above. We assume that unequal blocks cost as much as equal ones with as many tokens. A pass needs as many "
    "draft steps as its longest checked block has tokens. By the draft's chances it needs one more, to know that no later token is likelier.",
    "budget_engine": "vLLM 0.32.0 ranks the positions of all requests in this way, by its own estimates of acceptance. The option is "
    "“enable_adaptive_verification” (its documentation, read in November 2026).",
    "note": "A round drafts K tokens for each text and checks them in one pass. It takes K draft passes and one target pass over K + 1 tokens of each "
    "text. Tokens per round: (1 − α^(K+1))/(1 − α), which assumes independent acceptances.",
}

PANEL = Panel(
    key="load",
    place=40,
    short="Load",
    title="Load: many texts at once",
    answers="What does drafting gain on a server that decodes many texts at once, and when is K = 0 best?",
    exercise=Exercise(
        task=(
            "Choose the measured CPU and α = 0.3. Move the texts from 1 to 64. How does the best K change? Where does the speedup of K = 1 fall below 1?",
            "Choose the measured H100 with the same α. Up to how many texts does K = 1 pay now, and why?",
            "At eight texts move ± from 0 to 0.3. Who waits, and for whom?",
            "Take the measured CPU and the budget below. At N = 16, which hand-out brings more tokens, and which is faster? Why are these two different?",
        ),
        key=(
            "It falls from 1 to 0 with four texts. Verifying two tokens of each costs v(2) = 1.37 there, and a draft step c = 0.08. K = 1 stops paying "
            "once c + v(2) is at least 1 + α.",
            "Up to 32. This card is not full yet: v(2) is 1.05 for 32 texts. A draft step costs more than on the CPU: c is above 0.2.",
            "With ragged batches texts wait only for the round. With caches of one length all accept only as many as the worst text.",
            "“By the draft's chances” brings more tokens at every N. “Evenly” is faster all the same: it needs two draft steps. The ranking follows likely "
            "blocks further, and each step of the draft takes time. A draft that writes its whole block in one step does not pay this.",
        ),
    ),
    words=WORDS,
    serves=serves,
    runs=runs,
    formerly="pair",
    alone=True,
)
