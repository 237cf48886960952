"""What drafting gains where many texts are decoded at once, calculated from measured passes (`make costs`, `make bench-gpu`)."""

import json
from pathlib import Path

from ....acceptance import expected_speedup, expected_tokens
from ....config import ASSETS
from ....words import learn
from ..chapter import COSTS, STORY, Chapter, chapter_words, measured_passes

ALPHAS = (0.9, 0.8, 0.7, 0.6, 0.5)
EXPERTS = ASSETS / "shapes" / "experts.json"
# a mixture beside which the bundled one stands: nearly all of its weights are experts; parameters in 10⁹, active ones of a token
LARGE = {"name": "Mixtral 8x7B", "parameters": 46.7, "active": 12.9, "experts": 8, "chosen": 2}
BLOCK = 5  # the tokens a check that are spoken about; the table has the best K of every α


def tables() -> dict:
    return {"measured": busy(), "experts": experts(), "slow": learn.SLOW}


def busy(folder: Path = COSTS) -> list[dict]:
    """By machine that measured, in the order of the files' names. An empty folder gives an empty list."""
    return [_gains(machine) for machine in measured_passes(folder)]


def experts(file: Path = EXPERTS) -> dict | None:
    """What blocks of a mixture read (scripts/picture_data.py), what they would if tokens chose at random, and v by bytes."""
    if not file.is_file():
        return None
    counts = json.loads(file.read_text("utf-8"))
    share, layers = counts["chosen"] / counts["experts"], len(counts["block"]["chosen"])

    def bytes_read(experts: float) -> float:
        return counts["bytes"]["rest"] + layers * experts * counts["bytes"]["expert"]

    blocks = [
        {
            **{key: block[key] for key in ("n", "union", "low", "high", "apart")},
            "formula": counts["experts"] * (1 - (1 - share) ** block["n"]),
            "v": bytes_read(block["union"]) / bytes_read(counts["chosen"]),
        }
        for block in counts["blocks"]
    ]
    summary = {key: counts[key] for key in ("model", "experts", "chosen", "texts", "tokens", "block")}
    return {**summary, "blocks": blocks, "large": LARGE}


def _gains(machine: dict) -> dict:
    """`rows`: by α, for every batch the best K and the speedup it gives; `v`: what a check of BLOCK tokens a text costs; `alone`:
    tokens a second of all texts together, undrafted. `spoken`: the row that is told, the best draft that the fullest machine
    makes slower; the poorest where it makes none of them slower."""
    singles = [row[0] for row in machine["target_ms"]]
    v = [[ms / row[0] for ms in row] for row in machine["target_ms"]]
    c = [step / single for step, single in zip(machine["draft_ms"], singles, strict=True)]
    rows = [{"alpha": alpha, "best": [best_block(alpha, *costs) for costs in zip(c, v, strict=True)]} for alpha in ALPHAS]
    return {
        **{name: machine[name] for name in ("device", "target", "draft", "context", "batches")},
        "rows": rows,
        "spoken": next((i for i, row in enumerate(rows) if row["best"][-1]["speedup"] < 1), len(rows) - 1),
        "block": BLOCK,
        "v": [costs[BLOCK - 1] for costs in v],
        "alone": [1000 * B / single for B, single in zip(machine["batches"], singles, strict=True)],
    }


def best_block(alpha: float, c: float, v: list[float]) -> dict:
    """The K ≥ 1 of the largest speedup: also where none is above 1."""
    speedup, K = max((expected_speedup(expected_tokens(alpha, K), K, c, v[K]), K) for K in range(1, len(v)))
    return {"K": K, "speedup": speedup}


CHAPTER = Chapter(
    **chapter_words("busy"),
    settings={"prompt": STORY, "drafter": "early-exit", "K": "4", "temperature": "0.8", "length": "96"},
    sources=("leviathan", "vllm", "li", "llama", "h100", "omlx", "mlx"),
    tables=tables,
)
