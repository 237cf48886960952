"""Break it: the rules of speculative decoding and the mistakes that public code makes in them, each drawn from again and again.

All of it is calculated in the browser (assets/lab/mistakes/); the server gives recorded runs, whose positions are real p and q.
"""

from collections.abc import Callable

from ....picture.replay import json_text, replay_data
from ....rules import RULES
from ...classroom.rooms import Question
from ...classroom.words import POLL
from ...keep import recorded
from ...learn.chapter import Exercise
from ..panel import Panel, PanelContext

WORDS = {
    "run": "Draw 1,000 times",
    "on": "On to 1,000,000",
    "from": "p and q",
    "from_example": "Example: p = (0.4, 0.3, 0.2, 0.1)",
    "from_zero": "Example: p rules a token out",
    "from_language": "Three-token language: whole texts, K = 2",
    "from_typed": "Typed by you",
    "from_run": "A position of the run in Watch",
    **{f"from_{name}": f"A position of “{recorded.title(name)}”" for name in recorded.names()},
    "at": "Position",
    "place": "{n}. “{x}”, β {beta}",
    "place_bonus": "{n}. “{x}”, bonus",
    "place_unseen": "{n}. “{x}”",
    "rest": "all others",
    "hand_p": "p, the target",
    "hand_q": "q, the draft",
    "seed": "Seed",
    "seed_bounds": "“Seed” must be a whole number from {least} to {most}.",
    "rule": "Rule",
    "rule_rejection": "rejection: u < p/q, else the residual",
    "rule_match": "match: draw y from p, accept if y = x",
    "rule_block": "block verification",
    "rule_argmax": "argmax draft, its q one-hot",
    "rule_recursive": "tree: two children drawn, tested in turn",
    "rule_chosen": "tree: the two likeliest children, y drawn from p",
    "rule_unrewarded": "no bonus token: costs tokens, still exact",
    "rule_resample": "resample from p",
    "rule_softened": "softmax over the residual",
    "rule_mixed": "argmax draft, tested with softmax q",
    "rule_doubtful": "drop the doubtful token (q < 0.2)",
    "rule_most": "u ≤ p/q, with a u of 8 bits",
    "rule_stuck": "one u for all: the seed is reset",
    "rule_filtered": "a filter on one side: top-2 of q",
    "rule_early": "bonus from the wrong position",
    "rule_typical": "typical acceptance (ε 0.09, δ 0.3)",
    "rule_own": "a rule of your own",
    "own_question": "Does your rule still give exactly p? Decide first, then look below.",
    **POLL,
    "teach": "Teach",
    "class_hidden": "The distribution is hidden until you show the answer or end the question.",
    "own_preset": "Begin with",
    "preset_typed": "typed by you",
    "preset_rejection": "rejection, p/q",
    "preset_match": "match",
    "preset_threshold": "threshold, θ = 0.5",
    "preset_typical": "typical acceptance (ε 0.09, δ 0.3)",
    "preset_ensemble": "ensemble of p and q, w = 0.5",
    "preset_resample": "resample from p",
    "own_source": "Source: {source}.",
    **{f"source_{name}": RULES[name].source for name in ("rejection", "match", "threshold", "typical")},
    "source_ensemble": "transformers since 5.14, assistant_ensemble_weight; read in 5.23.0, November 2026",
    "source_resample": "a mistake of published code, which chapter 6 of Learn explains",
    "own_accept": "Accept x with chance",
    "own_replace": "Else draw a token with weight",
    "own_names": "p and q belong to the token that the formula is about. i is its place in the block of K tokens; at one position both are 1. "
    "H is the entropy of p. You can use + − * / ^, min, max and exp, and sum for a sum over all tokens. The signs < and > give 1 or 0.",
    "own_code": "accepted and replacement are the two formulas. The weights are divided by their sum.",
    "own_last": "The picture shows the last rule that worked.",
    "wrong_long": "“{field}” can have at most {most} characters.",
    "wrong_unknown": "“{field}”: “{sign}” at character {at} is not known. Known are p, q, i, K, H, min, max, exp and sum.",
    "wrong_value": "“{field}”: a number, a name or “(” is missing at character {at}.",
    "wrong_missing": "“{field}”: “{sign}” is missing at character {at}.",
    "wrong_unexpected": "“{field}”: “{sign}” cannot stand at character {at}.",
    "wrong_nested": "“{field}”: the sum at character {at} stands inside another sum.",
    "wrong_deep": "“{field}”: too many parts stand inside each other at character {at}.",
    "wrong_zero": "“{field}” divides by 0 at character {at}, for {x}.",
    "wrong_infinite": "“{field}” has no value at character {at}, for {x}.",
    "wrong_chance": "“{field}” gives {value} for {x}. A chance is from 0 to 1.",
    "wrong_negative": "“{field}” gives {value} for {x}. A weight is 0 or more.",
    "wrong_zeros": "“{field}” gives 0 for every token, so nothing can replace a rejected token.",
    "fetching": "Opening the run…",
    "run_none": "Watch shows no run with drafted tokens. Press Run there, or choose another p and q.",
    "run_empty": "This run has no drafted token, so there is no q. Choose another run.",
    "bonus": "This is a bonus token: nothing was drafted here, so there is no q. Choose another position.",
    "unseen": "The run does not hold p and q of this position. Choose another.",
    "certain": "Here p and q are 1 for one token, so every rule gives it. Choose another position.",
    "typed_sum": "p and q must each be numbers from 0 to 1 that add up to 1, such as 0.4 0.3 0.2 0.1.",
    "typed_length": "p has {p} numbers and q has {q}: give as many of one as of the other.",
    "typed_one": "A language of one token leaves no choice. Give at least 2 numbers.",
    "typed_most": "{n} numbers are too many to see: give at most 12.",
    "bars": "How often a token came, and must come",
    "came": "came",
    "key_p": "p: must come",
    "key_luck": "what luck allows, in 95 of 100 samples",
    "key_exact": "the rule's distribution, enumerated",
    "falling": "Distance from p (total variation)",
    "draws_axis": "draws",
    "root": "dashed: by luck alone, like 1/√n",
    "stops": "the rule's distribution: {off}",
    "code": "The rule, as it runs here. chance.pick(p) draws a token. chance.below(r) draws a new u and says whether u < r.",
    "wrong_line": "wrong",
    "costs_line": "costs tokens",
    "exact_right": "Over all cases, this rule gives exactly p (up to rounding). So the distance of the draws keeps falling.",
    "exact_unseen": "Over all cases, this rule gives p here. {why}",
    "exact_wrong": "Over all cases, this rule is {off} from p, and more draws do not help: {x} comes with {own} instead of {p}.",
    "agrees": "For this p and q it happens to agree: choose another.",
    "unseen_own": "It is not exact for all p and q.",
    "own_everywhere": "It also gives p for {n} other p and q, drawn at random. That is good evidence, but no proof.",
    "own_elsewhere": "With p = ({p}), q = ({q}), i = {i} and K = {K}, {x} comes with {own} instead of {due}.",
    "own_fails": "With p = ({p}), q = ({q}), i = {i} and K = {K} it gives no distribution.",
    "own_mend": "One replacement would make it exact: the weight p − q·a, where a is your chance to accept.",
    "own_hopeless": "No replacement can make it exact. {x} is drafted and accepted with {accepted}, and p gives it only {p}.",
    "unseen_early": "The mistake is in the token after a whole block: choose the three-token language.",
    "note_most": "u has 256 values here, as in bfloat16. This alone is up to 1/256 off. The mistake of ≤ shows where p excludes a token: with < it "
    "never comes.",
    "note_rest": "The run holds the largest chances of this position. All others are one outcome here, so β is {beta} (recorded: {recorded}).",
    "nothing": "Nothing is drawn yet.",
    "sample": "{n} draws are {off} from p.",
    "chi_none": "There is only one outcome, so no χ².",
    "chi_impossible": "“{x}” came {n} times, and p excludes it. One such draw is proof: no test is needed.",
    "chi_quiet": "A correct rule is at least this far off in {often} samples. That is normal (χ² = {chi}, {freedom} degree{s} of freedom).",
    "chi_doubt": "A correct rule is at least this far off in only {often} samples (χ² = {chi}, {freedom} degree{s} of freedom). Draw more before "
    "you judge.",
    "chi_loud": "A correct rule is at least this far off in {often} samples. That is not luck (χ² = {chi}, {freedom} degree{s} of freedom).",
    "never": "fewer than 1 of 1,000,000,000",
    "of_hundred": "{n} of 100",
    "one_of": "about 1 of {n}",
    "price": "{stays}A round gives {tokens} tokens on average.",
    "own_price": "The rule p/q gives {ratio} tokens per round. The best exact rule for one draft gives {best}. {which}",
    "best_place": "It accepts with chance Σ min(p, q) (Sun et al. 2023, arXiv 2310.15141).",
    "best_block": "It is block verification (Sun et al. 2024, arXiv 2403.10444).",
    "stays": "A drafted token is accepted with chance {stays}. ",
    "all": "All numbers",
    "outcome": "outcome",
    "column_p": "p",
    "column_exact": "this rule gives",
    "column_due": "expected, n·p",
}


# What phones are asked about a rule of one's own.
MOST = 120  # characters of a formula, as assets/lab/mistakes/expression.js
ASK = (
    "The draft draws x with chance q. A rule accepts x with chance “{accept}”. Else it draws a token with weight “{replace}”. "
    "Is the rule exact: does the text follow p, whatever p and q are?"
)
CHOICES = ("Exact", "Biased")
WHY = "The screen shows what the rule gives, beside p."
NO_RULE = "A rule is two formulas in one line each, with at most {most} characters."


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
        raise ValueError(NO_RULE.format(most=MOST))
    return Question(ASK.format(accept=formulas[0], replace=formulas[1]), CHOICES, None, WHY)


PANEL = Panel(
    "mistakes",
    "Break it",
    "Break it",
    "Does a correct rule keep the target's distribution, and what comes out when one line of it is wrong?",
    Exercise(
        (
            "Example, “resample from p”: calculate how often a comes instead of 0.40, then look.",
            "Example, “one u for all”: more drafted tokens are accepted than by the right rule. Why is that no gain?",
            "Take the right rule, choose a seed of your own, draw 1,000 and look at χ². Repeat with new seeds, twenty in the class. In how many "
            "samples is χ² doubtful?",
            "Three-token language: which mistake shows in whole texts and not in the first token? Why?",
            "Example, “a rule of your own”: accept x with chance p. Which weight makes the rule exact? What does it cost?",
            "The same with “threshold, θ = 0.5”: why can no replacement make it exact?",
        ),
        (
            "min(0.4, 0.7) + (1 − 0.70)·0.4 = 0.52. The enumeration gives the same, and the curve stops at 0.12.",
            "u stays at 0.4963, so every x with p/q above it is accepted. Here these are all tokens, so the text follows q. Acceptance does not show "
            "whether a rule is right.",
            "By luck about one of twenty new samples is below 1 in 20. Draws that are added to one sample are not new samples, and the same "
            "seed gives everyone the same curve. The enumeration needs no luck.",
            "The bonus from the wrong position. The first token of a round is right. The token after a whole block is not.",
            "p·(1 − q): what is left of p after p·q was accepted. It accepts with chance Σ p·q = 0.35. The rule p/q accepts with 0.70.",
            "a is drafted with chance 0.70. p/q/θ is above 1, so a is always accepted. It comes with 0.70 or more, and p gives it 0.40. A "
            "replacement can only add.",
        ),
    ),
    WORDS,
    serves=_serves,
    asks=rule_question,
    alone=True,
)
