"""How a drafted block is decided: by rules, each with its name, its two forms, its chance and what a trace of it must show.

    RULES["block"]().verify(block).accepted

Where the numbers lie when a rule decides is the engine's affair (engine/verify.py). p and q are arrays or tensors, and nothing here imports
numpy or torch before a rule decides: the page and the reader of traces know rules from here too.
"""

from ..words import LANGUAGE, translated
from .block import BlockVerification
from .match import Match
from .rejection import BlockInputs, Decision, Places, Rejection, Rule, Siblings, Threshold, TreeDecision, TreeInputs
from .typical import Typical

__all__ = ["ALL", "EXACT", "RULES", "SAVED", "BlockInputs", "Decision", "Rule", "TreeDecision", "TreeInputs"]

RULES: dict[str, type[Rule]] = {rule.name: rule for rule in (Rejection, Match, BlockVerification, Typical, Threshold)}
SAVED: dict[str, type[Rule]] = {rule.name: rule for rule in (Siblings, Places)}
"""Of saved runs alone."""
ALL = RULES | SAVED
SAID = ("title", "label", "sentence", "condition", "inexact", "on_trees", "words")
if LANGUAGE:  # what a rule says in it stands over its own words
    _english = {
        name: {part: getattr(rule, part) for part in SAID} | {"terms": [*map(list, rule.terms)]} for name, rule in ALL.items()
    }
    for _name, _words in translated("rules", _english).items():
        for _part, _said in _words.items():
            if _said != _english[_name][_part]:
                setattr(ALL[_name], _part, _said)
EXACT = tuple(name for name, rule in RULES.items() if rule.exact)
"""The output of these is distributed as the target alone writes it. The others keep more tokens, and write another distribution."""
