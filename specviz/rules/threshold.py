"""Rejection with a threshold below 1: servers offer it to keep more tokens."""

from dataclasses import dataclass
from typing import ClassVar

from .rejection import Rejection


@dataclass(frozen=True)
class Threshold(Rejection):
    name = "threshold"
    exact = False
    title = "accept threshold"
    label = "threshold, not exact: accept x if u < p(x) / q(x) / θ"
    sentence = "Accept x if u < p(x)/q(x)/θ. The chance is Σ min(p/θ, q). At θ = 1 this is rejection."
    condition = "u·θ·q(x) < p(x)"
    source = "SGLang, speculative_accept_threshold_acc"
    inexact = "for θ < 1"
    terms = (
        (
            "accept threshold",
            "Accept x if u < p(x)/q(x)/θ. For θ below 1 it is not exact.",
            "accept threshold",
            "accept thresholds",
        ),
        ("θ", "The accept threshold. A smaller θ accepts more tokens and is further from the target."),
    )
    words: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q ÷ θ = {limit}: p/q is {ratio}, θ is {theta}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q ÷ θ = {limit}: p/q is {ratio}, θ is {theta}.",
        "limit_is": "p/q ÷ θ",
        "set": "accept threshold θ {theta} (not exact)",
    }
    on_trees = "As `rejection`, with u < p/q/θ."
    settings = ("theta",)
    theta: float = 0.5  # type: ignore[misc]  # its own setting here

    @property
    def exact_as_set(self) -> bool:
        return self.theta == 1
