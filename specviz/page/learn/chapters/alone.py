"""Each token costs a pass over all weights, and a pass over several costs little more."""

from pathlib import Path

from ...exercise import Exercise
from ..chapter import STORY, Chapter, Estimate
from ..excerpts import BEFORE, COSTS, Runs, measured, models, prompt_of

SINGLES = 14  # vanilla tokens that are shown


def excerpt(runs: Runs) -> dict:
    """The first tokens of a vanilla lane; `recorded`: what passes over blocks took somewhere, for a page that cannot measure."""
    run = runs["opening"]
    lane = run["lanes"]["vanilla"]
    text = prompt_of(lane)
    spans = [{"text": s["text"], "role": "plain"} for r in lane["rounds"][:SINGLES] for s in r["shown"]]
    return {**models(run), "before": text[-BEFORE:], "tokens": spans, "recorded": passes()}


def passes(folder: Path = COSTS) -> dict | None:
    """What passes of the target over n tokens of one text took on the first machine that measured: `ms` by n. None if none did."""
    for said in measured(folder):
        target = said["curves"][0]
        ms = dict(zip(map(str, target["blocks"]), target["ms"][target["batches"].index(1)], strict=True))
        return {"device": said["device"], "target": target["model"], "context": target["context"], "ms": ms}
    return None


CHAPTER = Chapter(
    key="alone",
    place=10,
    short="Alone",
    title="One token at a time",
    text=(
        "A language model writes one token per pass, and each pass reads all its weights: {megabytes} MB for {target}, for two "
        "operations with each weight.",
        "A large model spends most of that time waiting for memory. A pass over several tokens reads the weights once for all of "
        "them: more arithmetic, little more time. That idle arithmetic is what speculative decoding uses.",
    ),
    question=Estimate(
        "A pass over 8 tokens does 8 times the arithmetic of a pass over one. How many times as long does it take here?",
        8,
        "The weights are read once for all eight. How much that saves depends on the model and the machine.",
    ),
    go="Watch the target work alone in both lanes: K = 0.",
    settings={"prompt": STORY, "drafter": "small", "K": "0", "temperature": "0", "length": "48"},
    notes=(
        "Collect the class's numbers before you measure. The gap between bar and outline is the room that speculative decoding "
        "lives in.",
        "On a large GPU t(16) is close to t(1). On a CPU with a small model the bars grow: v is above 1, and the gain is less.",
    ),
    sources=("leviathan", "alone"),
    exercise=Exercise(
        (
            "A model has 8 billion weights of 2 bytes each, and its memory gives 1,000 GB a second. How many tokens a second can it "
            "write at most, one by one?",
            "Why does a text of 100 tokens take about 100 passes?",
        ),
        (
            "A pass reads 16 GB and takes at least 16 ms: 62.5 tokens a second.",
            "The next token is part of what the pass after it reads: they cannot be computed side by side.",
        ),
        ("say what a pass spends its time on", "work out a bound for tokens a second from weights and memory"),
    ),
    plan=(5, "Collect guesses for chapter 1, measure, name the idle arithmetic."),
    excerpt=excerpt,
    words={
        "weights": "weights of {target}: {megabytes} MB",
        "read": "passes: {times}, read: {megabytes} MB",
        "alone_pass": "Pass {n}: all weights are read, one token comes out.",
        "blocks": "A pass over n tokens: t(n) / t(1)",
        "blocks_measured": "measured",
        "blocks_outline": "if each token cost a pass",
        "blocks_n": "n = {n}",
        "blocks_ask": "not measured yet",
        "measure": "Measure on this machine",
        "measure_again": "Measure again",
        "measured": "{target} on {device}, threads: {threads}, after {context} tokens: medians of passes that took turns.",
        "bound": "Over {n} tokens this machine does {operations} billion operations a second: at that pace arithmetic is {share} of a pass over "
        "one token, and the rest is reading its weights ({read} GB a second) and what any pass costs.",
        "recorded": "{target} on {device}, after {context} tokens: recorded, since this page does not measure.",
        "measure_failed": "Could not be measured: {error}",
    },
)
