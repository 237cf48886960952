"""What a record of another engine means: sentences of words.RECORD by key, each with its numbers as they are written. Plain values.

    means(shown["totals"], shown["positions"], shown["at_once"])      # [["tokens", {"tokens": "2.75"}], …]

Each follows from the counts alone. Let s be the share of the steps that accept position n. One token more per step brings s tokens. A
step brings at most as many tokens as it takes target passes, or drafting does not pay at all. So position n pays only if drafting and
checking it takes less than s of a target pass (specviz/acceptance.py has the formula).
"""

from collections.abc import Sequence

MANY = 8  # requests at a time, from which on arithmetic is probably not idle: chapter 11 of Learn


def means(totals: dict, positions: Sequence[dict], at_once: float | None) -> list[list]:
    sentences: list[list] = []
    if totals["tokens_per_step"] is not None:
        sentences.append(["tokens", {"tokens": _two(totals["tokens_per_step"])}])
    if totals["drafted_per_step"] is not None and totals["accepted_of_drafted"] is not None:
        lost = totals["drafted_per_step"] * (1 - totals["accepted_of_drafted"])
        sentences.append(["lost", {"drafted": _two(totals["drafted_per_step"]), "lost": _two(lost)}])
    shares = [at["of_blocks"] for at in positions]
    if shares and None not in shares:
        ends = [before - share for before, share in zip([1.0, *shares], shares, strict=False)]
        worst = ends.index(max(ends))
        sentences.append(["first" if worst == 0 else "later", {"n": str(worst + 1), "share": _percent(ends[worst])}])
        sentences.append(["last", {"n": str(len(shares)), "share": _percent(shares[-1])}])
    if at_once is not None and at_once >= MANY:
        sentences.append(["load", {"requests": f"{at_once:.0f}"}])
    return sentences


def _two(value: float) -> str:
    return f"{value:.2f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
