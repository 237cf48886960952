"""Rules of saved runs alone: what their reader and their picture need. No run is decided by them any more."""

from dataclasses import dataclass
from typing import ClassVar

from .rejection import Rejection


@dataclass(frozen=True)
class Siblings(Rejection):
    """Each child of a token was tested with the same p and the draft's whole softmax."""

    name = "siblings"
    exact = False
    title = "siblings by one softmax"
    words: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q = {limit}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q = {limit}.",
        "next_sibling": "The next token at this place is tested against the same p.",
        "limit_is": "p/q",
        "set": "siblings by one softmax (not exact)",
    }
    tests_softmax = True


@dataclass(frozen=True)
class Places(Rejection):
    """The residual was taken by place in the two lists of possible tokens."""

    name = "places"
    exact = False
    title = "residual by place"
    words: ClassVar = {
        "kept": Siblings.words["kept"],
        "rejected": Siblings.words["rejected"],
        "limit_is": "p/q",
        "set": "residual by place (not exact)",
    }
