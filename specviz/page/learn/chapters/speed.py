"""The speedup by α, K, c and v, and what the formula takes for granted."""

import json
from collections.abc import Iterable

from ....acceptance import expected_speedup
from ....config import ASSETS
from ..chapter import STORY, Chapter, Runs, chapter_words, costs, models, verdicts, whole_rounds

BY_K = ASSETS / "learn" / "by_k.json"  # recorded by scripts/picture_data.py


def excerpt(runs: Runs) -> dict:
    """The point on the map; `stayed`: of the whole rounds, the share in which the first i drafts stayed, for i from 1 to K.
    Tokens per round and the speedup that they predict are of the same rounds; `given`: of all, as the measured speedup is."""
    run = runs["creative"]
    whole = whole_rounds(run)
    accepted = [verdicts(r).count("accepted") for r in whole]
    run_costs = costs(run)
    K, c, v = run_costs["K"], run_costs["c"], run_costs["v"]
    survival = [sum(n >= i for n in accepted) / len(accepted) for i in range(1, K + 1)] if accepted else []
    tokens = 1 + sum(survival)
    own = {"tokens_per_round": tokens, "predicted": expected_speedup(tokens, K, c, v)} if survival and c is not None and v else {}
    return {**models(run), **run_costs, **own, "stayed": survival, "whole": len(whole), "given": run_costs["tokens_per_round"]}


def tables() -> dict:
    """`by_k`: by K, over all recorded seeds: `rounds`; `accepted`: the accepted share of the tokens tested at each position;
    `after`: the share of rounds that start after a rejection; `rejected`, `whole`: the share of first tokens that are accepted
    there, and after a whole block."""
    record = json.loads(BY_K.read_text("utf-8"))
    rows = [_row([seed[i] for seed in record["seeds"]]) for i in range(len(record["seeds"][0]))]
    runs = {name: record[name] for name in ("target", "draft", "temperature", "prompts")}
    return {"by_k": {**runs, "seeds": len(record["seeds"]), "rows": rows}}


def _row(seeds: list[dict]) -> dict:
    def add(rows: Iterable[list[int]]) -> list[int]:
        return [sum(counts) for counts in zip(*rows, strict=True)]

    positions = [add(same) for same in zip(*(one["positions"] for one in seeds), strict=True)]
    (rejected, first), (whole, other) = (add(one[key] for one in seeds) for key in ("rejected", "whole"))
    return {
        "K": len(positions),
        "rounds": positions[0][0],
        "accepted": [accepted / tested for tested, accepted in positions],
        "after": rejected / (rejected + whole),
        "rejected": first / rejected,
        "whole": other / whole,
    }


CHAPTER = Chapter(
    **chapter_words("speed"),
    settings={"prompt": STORY, "drafter": "large", "K": "3", "temperature": "0.8", "length": "96"},
    sources=("leviathan", "specbench", "heads_by_k", "here"),
    excerpt=excerpt,
    tables=tables,
)
