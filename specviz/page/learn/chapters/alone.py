"""Each token costs a pass over all weights, and a pass over several costs little more."""

from pathlib import Path

from ..chapter import CONTEXT, COSTS, STORY, Chapter, Runs, chapter_words, measured_passes, models, prompt_of, short_device

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
    **chapter_words("alone"),
    settings={"prompt": STORY, "drafter": "small", "K": "0", "temperature": "0", "length": "48"},
    sources=("leviathan", "alone", "h100"),
    excerpt=excerpt,
    tables=tables,
)
