"""What each rule would have kept: at one position, and averaged over those that a run tested. Plain values, standard library only.

The formulas: specviz/acceptance.py, `chances`; the words: words.RULES. Averages are over the texts that this run went through: under
another rule it would have written another one, and tested other positions.
"""

from ..config import DecodeConfig
from ..trace.events import Position, Round
from .plain import ratio, short

RULES = ("rejection", "match", "argmax")  # drawn and tested by p/q, drawn and matched, the draft's largest


def ran(config: DecodeConfig) -> str:
    """Which rule decided: one of RULES; or `greedy` or another verifier, for which no chance at one position is known.

    Where the argmax is drafted, rejection, match and block verification keep x with one and the same chance, p(x)."""
    if config.greedy:
        return "greedy"
    return "argmax" if config.drafting == "argmax" and config.exact else config.verifier


def at(position: Position | None) -> dict | None:
    """The chance to keep a draft token here, by rule; None where nothing was drafted, or an older trace does not say."""
    if position is None or position.product is None or position.beta is None:
        return None
    rejection = position.own.beta if position.own else position.beta
    return {"rejection": short(rejection), "match": short(position.product), "argmax": short(position.best)}


def averaged(config: DecodeConfig, rounds: list[Round]) -> dict | None:
    """The mean of each rule over the `positions` that were tested, the rule that `ran`, what it kept (`accepted` ÷ tested), and the
    rule with the largest mean (`most`); None where no position says. At temperature 0 all rules are one and there is no `most`."""
    tested = [d for r in rounds for d in r.drafted if d.verdict != "unexamined"]
    known = [found for d in tested if (found := at(d.position))]
    if not known:
        return None
    means = {rule: sum(found[rule] for found in known) / len(known) for rule in RULES}
    return {
        **{rule: short(mean) for rule, mean in means.items()},
        "positions": len(known),
        "ran": ran(config),
        "exact": config.exact,
        "accepted": ratio(sum(d.verdict == "accepted" for d in tested), len(tested)),
        "most": None if config.greedy else max(RULES, key=means.__getitem__),
    }
