"""Break it: the rules of speculative decoding and the mistakes that public code makes in them, each drawn from again and again."""

from .panel import Exercise, Panel

WORDS = {
    "run": "Draw 1,000 times",
    "from": "p and q",
    "from_example": "Example: p = (.4, .3, .2, .1)",
    "from_zero": "p rules a token out",
    "from_language": "Three-token language, whole texts",
    "rule": "Rule",
    "rule_rejection": "rejection: u < p/q, else the residual",
    "rule_match": "match: draw y from p, keep if y = x",
    "rule_block": "block verification",
    "rule_argmax": "argmax draft, its q one-hot",
    "rule_unrewarded": "no bonus token",
    "rule_resample": "resample from p",
    "rule_softened": "softmax over the residual",
    "rule_mixed": "argmax draft, tested with softmax q",
    "rule_doubtful": "drop the doubtful token",
    "rule_most": "u ≤ p/q",
    "rule_stuck": "one u for all",
    "rule_filtered": "a filter on one side",
    "rule_early": "bonus from the wrong position",
    "rule_typical": "typical acceptance",
    "bars": "What came against p",
    "told": "{n} draws. The law of this rule, enumerated, is {off} from p.",
}

PANEL = Panel(
    "mistakes",
    "Break it",
    "Break it",
    "Which law comes out when a rule is right, and which when one line of it is wrong?",
    Exercise(
        ("Choose “resample from p”. How often does the first token come instead of .40?",),
        (".52: min(.4, .7) + (1 − .70)·.4. No number of draws brings it back to .40.",),
    ),
    WORDS,
)
