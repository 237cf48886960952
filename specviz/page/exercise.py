"""What chapters of Learn and panels of the Lab share: what a class does with one, a question that it answers, and where they are. Each is a file
of a folder, and the lists of them are made from these files.

CHAPTERS = module_values(__name__, "CHAPTER")        # in the __init__.py of the folder
"""

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True, slots=True)
class Exercise:
    """`task` and `key` in the same order; `able`: what everybody can do then. Numbers in keys can be worked out; those of a machine are left
    to the class."""

    task: tuple[str, ...]
    key: tuple[str, ...]
    able: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Predict, then reveal. `right` counts from 0; None where the teacher's page measures or calculates the answer."""

    ask: str
    choices: tuple[str, ...]
    right: int | None
    why: str


def module_values(package: str, name: str) -> tuple:
    """What each module of `package` calls `name`, by its `place`."""
    modules = [import_module(f"{package}.{info.name}") for info in iter_modules(import_module(package).__path__)]
    return tuple(sorted((getattr(module, name) for module in modules), key=lambda value: value.place))
