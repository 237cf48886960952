"""When not to draft: what drafting gains where many texts are decoded at once, worked out from passes that were measured
(assets/costs/*.json, by `make costs` and `make bench-gpu`).

Of B texts a draft step costs c = t_draft(B, 1)/t_target(B, 1) and a check of K drafts v = t_target(B, K + 1)/t_target(B, 1): the formula
of one text, with the times of B.
"""

import json
from pathlib import Path

from ...acceptance import expected_speedup, expected_tokens
from ...config import ASSETS

FOLDER = ASSETS / "costs"
ALPHAS = (0.9, 0.8, 0.7, 0.6, 0.5)
BLOCK = 5  # the tokens a check that are spoken about; the table has the best K of every α


def busy(folder: Path = FOLDER) -> list[dict]:
    """By machine that measured, in the order of the files' names. An empty folder gives an empty list."""
    return [_gains(said) for said in _measured(folder)]


def passes(folder: Path = FOLDER) -> dict | None:
    """What passes of the target over n tokens of one text took on the first machine that measured: `ms` by n. None if none did."""
    for said in _measured(folder):
        target = said["curves"][0]
        ms = dict(zip(map(str, target["blocks"]), target["ms"][target["batches"].index(1)], strict=True))
        return {"device": said["device"], "target": target["model"], "context": target["context"], "ms": ms}
    return None


def _measured(folder: Path) -> list[dict]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def _gains(said: dict) -> dict:
    """`rows`: by α, for every batch the best K and the speedup it gives; `v`: what a check of BLOCK tokens a text costs; `alone`: tokens a
    second of all texts together, undrafted. `spoken`: the row that is told, the best draft that the fullest machine makes slower; the
    poorest where it makes none of them slower."""
    target, draft = said["curves"][:2]
    one = target["blocks"].index(1)
    v = [dict(zip(target["blocks"], (ms / row[one] for ms in row), strict=True)) for row in target["ms"]]
    c = [step[draft["blocks"].index(1)] / row[one] for step, row in zip(draft["ms"], target["ms"], strict=True)]
    rows = [{"alpha": alpha, "best": [_best(alpha, *costs) for costs in zip(c, v, strict=True)]} for alpha in ALPHAS]
    return {
        "device": said["device"],
        "target": target["model"],
        "draft": draft["model"],
        "context": target["context"],
        "batches": target["batches"],
        "rows": rows,
        "spoken": next((i for i, row in enumerate(rows) if row["best"][-1]["speedup"] < 1), len(rows) - 1),
        "block": BLOCK,
        "v": [costs[BLOCK] for costs in v],
        "alone": [1000 * B / row[one] for B, row in zip(target["batches"], target["ms"], strict=True)],
    }


def _best(alpha: float, c: float, v: dict[int, float]) -> dict:
    """The K ≥ 1 of the largest speedup: also where none is above 1."""
    speedup, K = max((expected_speedup(expected_tokens(alpha, n - 1), n - 1, c, v[n]), n - 1) for n in v if n > 1)
    return {"K": K, "speedup": speedup}
