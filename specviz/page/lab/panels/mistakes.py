"""Break it: the rules of speculative decoding and the mistakes that public code makes in them, each drawn from again and again.

All of it is calculated in the browser (assets/lab/mistakes/); the server gives recorded runs, whose positions are real p and q.
"""

from collections.abc import Callable

from ....picture.replay import json_text, replay_data
from ....rules import RULES
from ....words import lab
from ...classroom.rooms import POLL, Question
from ...keep import recorded
from ..panel import Panel, PanelContext, panel_words

MOST = 120  # characters of a formula, as assets/lab/mistakes/own.js


def _serves(context: PanelContext) -> list[Callable]:
    def recorded_run(name):
        """A recorded run as one screen shows it; nothing for any other name."""
        known = isinstance(name, str) and name in recorded.names()
        return json_text(replay_data(context.load(name))) if known else ""

    return [recorded_run]


def rule_question(about: str) -> Question:
    """Whether a rule is exact. `about`: its two formulas, a line each; the page calculates the answer. Raises ValueError for other text."""
    formulas = about.split("\n")
    if len(formulas) != 2 or not all(formula.isprintable() and 0 < len(formula.strip()) <= MOST for formula in formulas):
        raise ValueError(lab.NO_RULE.format(most=MOST))
    return Question(lab.RULE_ASK.format(accept=formulas[0], replace=formulas[1]), tuple(lab.RULE_CHOICES), None, lab.RULE_WHY)


PANEL = Panel(
    **panel_words(
        "mistakes",
        **POLL,
        **{f"source_{name}": RULES[name].source for name in ("rejection", "match", "threshold", "typical")},
        **{f"from_{name}": lab.FROM_RECORDED.format(title=recorded.title(name)) for name in recorded.names()},
    ),
    serves=_serves,
    asks=rule_question,
    alone=True,
)
