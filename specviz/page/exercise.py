"""What a class does with a chapter of Learn or a panel of the Lab."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exercise:
    """`task` and `key` in the same order; `able`: what everybody can do then. Numbers in keys can be worked out; those of a machine are left
    to the class."""

    task: tuple[str, ...]
    key: tuple[str, ...]
    able: tuple[str, ...] = ()
