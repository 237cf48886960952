"""What tests of the page's components take from Python: words, stylesheets, a lesson, and values of races as a page is sent them.

    echo '{"runs": {"short": {"K": 4}, "block": {"recorded": "block"}}}' | python -m tests.page_fixtures

A test in node asks once, on standard input, and gets JSON (tests/assets/fixtures.js). A run is one of the fake engine: its prompt, its
drafter, and settings by their keys (without them 48 tokens, and what the page has); or `recorded`, the name of a recorded one; or
`tree`, the children of a fake tree; or `edge`, one of EDGES.
"""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from specviz.config import DecodeConfig
from specviz.page.keep.recorded import load
from specviz.page.watch.run import read_settings
from specviz.picture.replay import json_text, replay_data, vocabulary
from specviz.picture.sheets import PAGE, sheets, style
from specviz.request import RunRequest
from specviz.trace.events import Round, Trace
from specviz.trace.file import read

from .browser.fake_engine import FakeEngine
from .fake_trace import fake_trace, reticent, tree_trace


def value(trace: Trace) -> str:
    return json_text(replay_data(trace))


@cache
def value_of(prompt: str, config: DecodeConfig, drafter: str) -> str:
    *_, trace = FakeEngine().race(RunRequest(prompt, config, drafter))
    return value(trace)


def of_rounds(trace: Trace, change) -> Trace:
    return replace(trace, speculative=tuple(change(e) if isinstance(e, Round) else e for e in trace.speculative))


def rounded_apart() -> Trace:
    """p and q of accepted tokens differ by rounding alone, as where the target drafts for itself in passes of other lengths."""
    near = lambda d: replace(d, q=d.p * (1 + 3e-7), ratio=1 / (1 + 3e-7)) if d.verdict == "accepted" else d  # noqa: E731
    return of_rounds(fake_trace("Oracle story", drafter="oracle"), lambda e: replace(e, drafted=tuple(map(near, e.drafted))))


def one_unread() -> Trace:
    """As the engine's own drafts do: after full acceptance the draft holds one position less than the target."""

    def lacking(e: Round) -> Round:
        peak = e.target_cache.peak - 1
        return replace(e, draft_cache=replace(e.draft_cache, peak=peak, after=min(peak, e.target_cache.after)))

    return of_rounds(fake_trace("Once upon a time", K=3, max_new_tokens=31), lacking)


def round_behind() -> Trace:
    """As EAGLE and block heads are after a round: they keep nothing of it."""
    return of_rounds(
        fake_trace("Eagle story", drafter="eagle", K=3),
        lambda e: replace(e, draft_cache=replace(e.draft_cache, after=e.target_cache.before)) if e.draft_cache else e,
    )


SAVED_RUNS = Path(__file__).parent / "trace" / "saved"  # by rules that decide none any more
EDGES = {
    "rounded apart": rounded_apart,
    "one unread": one_unread,
    "round behind": round_behind,
    "adaptive": lambda: fake_trace("Saved story", K=3, temperature=1.0, drafting="argmax", adaptive=True),
    "siblings": lambda: read(SAVED_RUNS / "siblings.jsonl"),
    "stopped in prefill": lambda: replace(whole := fake_trace(cancelled=0), vanilla=whole.vanilla[:1]),
    "reticent": lambda: reticent(fake_trace("Served story", seed=2)),
}


def run_value(edge: str = "", recorded: str = "", tree: str = "", prompt="Once upon a time", drafter="small", **settings) -> str:
    if edge:
        return value(EDGES[edge]())
    if recorded:
        return value(load(recorded))
    if tree:
        return value(tree_trace(tree, **settings))
    return value_of(prompt, read_settings({"length": 48} | settings), drafter)


def main(asked: dict) -> dict:
    return {
        "known": vocabulary(),
        "style": style(*PAGE) + sheets("learn"),
        "runs": {name: run_value(**one) for name, one in asked.get("runs", {}).items()},
        "lesson": lesson() if asked.get("lesson") else None,
    }


def lesson() -> dict:
    """What the tab Learn is given, drawn from the recorded runs."""
    from specviz.page.learn.lesson import excerpts, for_browser

    return {"words": for_browser(), "excerpts": excerpts()}


if __name__ == "__main__":
    json.dump(main(json.load(sys.stdin)), sys.stdout)
