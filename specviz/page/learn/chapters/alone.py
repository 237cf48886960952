"""Each token costs a pass over all weights, and a pass over several costs little more."""

from pathlib import Path

from ..chapter import CONTEXT, COSTS, STORY, Chapter, Estimate, Exercise, Runs, measured_passes, models, prompt_of, short_device

SINGLES = 14  # vanilla tokens that are shown


def excerpt(runs: Runs) -> dict:
    """The first tokens of a vanilla lane."""
    run = runs["opening"]
    lane = run["lanes"]["vanilla"]
    text = prompt_of(lane)
    spans = [{"text": s["text"], "role": "plain"} for r in lane["rounds"][:SINGLES] for s in r["shown"]]
    return {**models(run), "before": text[-CONTEXT:], "tokens": spans}


def tables() -> dict:
    """`recorded`: what passes over blocks took somewhere, for a page that cannot measure."""
    return {"recorded": passes()}


def passes(folder: Path = COSTS) -> list[dict]:
    """What passes of a target over n tokens of one text took, by machine that measured: `ms` by n."""
    return [
        {
            "device": short_device(one["device"]),
            "target": one["target"].partition(",")[0],
            "context": one["context"],
            "ms": {str(n): ms for n, ms in enumerate(one["target_ms"][one["batches"].index(1)], 1)},
        }
        for one in measured_passes(folder)
    ]


CHAPTER = Chapter(
    key="alone",
    short="Alone",
    title="One token at a time",
    text=(
        "A language model writes one token per pass. Each pass reads all weights of a dense model: {megabytes} MB for {target}. Each weight "
        "costs two operations.",
        "A large model mostly waits for memory: its arithmetic is idle. A pass over several tokens reads the weights once, so it takes "
        "little longer. Speculative decoding uses this arithmetic. Batching uses it too, and quantisation reads fewer bytes. With either, drafting gains less.",
    ),
    question=Estimate(
        "A pass over 8 tokens does 8 times the arithmetic of a pass over one. How many times as long does this pass take?",
        8,
        "The weights are read once for all eight tokens. How much time this saves depends on the model and the machine.",
    ),
    go="Watch both lanes without a draft: K = 0.",
    settings={"prompt": STORY, "drafter": "small", "K": "0", "temperature": "0", "length": "48"},
    notes=(
        "Collect the class's guesses before you measure. The gap between bar and outline is the most that speculative decoding can save: drafts take time, and some are rejected.",
        "On a large GPU a pass over 16 tokens takes about as long as a pass over one. On a CPU with a small model it takes longer, so the "
        "gain is smaller.",
    ),
    sources=("leviathan", "alone", "h100"),
    exercise=Exercise(
        (
            "A model has 8 billion weights of 2 bytes each. The memory gives 1,000 GB per second. How many tokens per second can the model "
            "write at most, one by one?",
            "Why does a text of 100 tokens take about 100 passes?",
        ),
        (
            "A pass reads 16 GB and takes at least 16 ms: 62.5 tokens per second.",
            "Each pass reads the token that the pass before it wrote. So passes cannot run at the same time.",
        ),
        ("say what a pass spends its time on", "calculate a bound for tokens per second from weights and memory"),
    ),
    plan=(
        7,
        "Phones join by the code: one minute. Collect guesses, then measure. Say what the idle arithmetic is and that a draft will use it.",
    ),
    excerpt=excerpt,
    tables=tables,
    words={
        "weights": "weights of {target}: {megabytes} MB",
        "read": "passes: {times}, read: {megabytes} MB",
        "alone_pass": "Pass {n}: all weights are read, one token comes out.",
        "blocks": "How long a pass over n tokens takes; a pass over one token takes 1",
        "blocks_measured": "measured",
        "blocks_outline": "if each token needed its own pass",
        "blocks_n": "n = {n}",
        "blocks_ask": "not measured yet",
        "blocks_say": "say a number first",
        "measure": "Measure on this machine",
        "measure_again": "Measure again",
        "measured": "{target} on {device}, threads: {threads}, after {context} tokens.",
        "bound": "Over {n} tokens this machine does {operations} billion operations per second. So the arithmetic of one token takes {share} of "
        "its pass. A pass reads {read} GB per second. In the time of one byte this machine does {each} operations.",
        "bound_card": "An H100 could do 295 in that time (989 trillion per second, 3.35 TB/s). "
        "One token needs one operation per byte of bfloat16 weights.",
        "elsewhere": "n = {n}, recorded: {target} on {device}",
        "recorded": "{target} on {device}, after {context} tokens. Recorded: this page does not measure.",
        "measure_failed": "{error}",
    },
)
