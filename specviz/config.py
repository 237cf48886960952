"""The settings of a run: each is said once, on its field of `DecodeConfig`, with all that is said of it anywhere.

    DecodeConfig(K=4, temperature=0.8).K
    SETTINGS["K"].label

The page's controls, links, the endpoint, the command's options and the reader of traces are made from these fields. A value out of
bounds raises one `ConfigError` that names the field, the value and the bound. Past this point the engine trusts its settings.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from math import ceil, sqrt
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .automaton import MAX_SOURCE_CHARACTERS, Automaton, ExpressionError
from .rules import ALL, EXACT, RULES, SAVED, Rule
from .words import translated

_HERE = Path(__file__).resolve().parent
# models, recorded runs, and what the page is sent: in the package where it was installed, beside it in a checkout
ASSETS = _HERE / "assets" if (_HERE / "assets").is_dir() else _HERE.parent / "assets"
PLOTLY = ASSETS / "plot" / "vendor" / "plotly-basic.min.js"  # which a page fetches with its first plot

Drafting = Literal["sample", "argmax"]
Branching = Literal["off", "static", "dynamic"]
Verifier = str  # a key of RULES
STRINGS, CHARACTERS = 8, 200  # of a setting that holds strings
HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair: no character, and nothing that can be written
NODES, DEPTH = 64, 16  # of a tree, at most: tokens drafted in a round, and one after the other
_NO_EARLY_END = "off with a tree: its block does not end by confidence"
CONFLICTS: tuple[tuple[Callable[["DecodeConfig"], bool], dict[str, str]], ...] = (
    (
        lambda config: bool(config.grammar) and config.ignore_eos,
        {
            "grammar": "empty for a run past the end: a text ends where its grammar ends",
            "ignore_eos": "off with a grammar: a text ends where its grammar ends",
        },
    ),
    (
        lambda config: config.branches and config.K > DEPTH,
        {"K": f"at most {DEPTH}, the depth of a tree", "tree": f"off with K above {DEPTH}"},
    ),
    (
        lambda config: config.max_drafted > NODES,
        {"children": f"a tree of at most {NODES} tokens; at K = {{config.K}} this one has {{config.max_drafted}}"},
    ),
    (
        lambda config: config.branches and not rule_of(config).on_trees,
        {
            "tree": "off with the rule {config.verifier}, which verifies chains",
            "verifier": f"one of {', '.join(name for name, rule in RULES.items() if rule.on_trees)}, which verify trees",
        },
    ),
    (
        lambda config: config.branches and config.confidence > 0,
        {"tree": "off with a block that ends by confidence", "confidence": _NO_EARLY_END},
    ),
    (
        lambda config: config.branches and config.survival > 0,
        {"tree": "off with a block that ends by confidence", "survival": _NO_EARLY_END},
    ),
    (
        lambda config: config.branches and config.tree == "dynamic" and config.drafting == "sample" and not config.greedy,
        {"tree": "off or static: dynamic needs drafting by argmax, or temperature 0"},
    ),
)
"""Settings that cannot be together: whether they are, and what each that may give way must be then. A run is refused by the first."""
CONFLICTING = ("K", "tree", "children", "verifier", "confidence", "survival", "grammar", "ignore_eos", "drafting", "temperature")
"""The settings that CONFLICTS ask for."""


def options_beside(name: str, values: Mapping[str, Any]) -> tuple[list, str]:
    """Of the setting `name` beside the `values` of CONFLICTING: of its own value and of `samples` those that no conflict refuses, and
    what it must be, or nothing where none is refused. What is out of bounds by itself counts as the default."""
    setting, options, bound = SETTINGS[name], [], ""
    for value in dict.fromkeys((getattr(_unchecked(values), name), *setting.samples)):
        config = _unchecked({**values, name: value})
        bounds = [bounds[name] for holds, bounds in CONFLICTS if name in bounds and holds(config)]
        if bounds:
            bound = bound or bounds[0].format(config=config)
        else:
            options.append(value)
    return options, bound


def _unchecked(values: Mapping[str, Any]) -> "DecodeConfig":
    config = object.__new__(DecodeConfig)
    for name, setting in SETTINGS.items():
        value = values.get(name, setting.default)
        object.__setattr__(config, name, value if setting.allows(value) else setting.default)
    return config


class ConfigError(ValueError):
    """A setting is out of bounds. `field`, `value` and `bound` say which, what and what is allowed; `others` are, too."""

    others: tuple["ConfigError", ...] = ()

    def __init__(self, field: str, value: object, bound: str):
        self.field, self.value, self.bound = field, value, bound
        value_text = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "…"
        super().__init__(f"{field} is {value_text}; it must be {bound}")


class SettingInfo(NamedTuple):  # every command reads this, and a dataclass takes ten times as long to make
    """What a field of `DecodeConfig` is.

    `label`: on the page; `help`: a sentence for `--help` and the endpoint. `key`: its name in links and for the
    endpoint; `option`: its names on the command line. `low`, `high`, `step`: of a number; `or_zero`: 0 is allowed below `low`;
    `note`: what a special value means. `choices`: what the page calls each value. `pattern`: of a setting that is a text, what
    all of it matches, and `pattern_words`: that in words; `read`: reads it, or raises ExpressionError, which says what it must
    be. `beside`: the setting with which its control is shown: one that is on. `omit`: a trace leaves it out at its default, as
    those do that were written before it was. `ends`: of a setting that ends a run, what is said of a run that it ended; its `key`
    is then the reason. `saved`: values that only saved runs have."""

    name: str
    default: Any
    label: str
    help: str
    key: str
    option: tuple[str, ...]
    low: float = 0
    high: float = 0
    note: str = ""
    or_zero: bool = False
    step: float | None = None
    choices: Mapping[str, str] = {}
    pattern: str = ""
    pattern_words: str = ""
    read: Callable[[str], object] | None = None
    beside: str | None = None
    omit: bool = False
    ends: str = ""
    saved: tuple[str, ...] = ()

    @property
    def kind(self) -> type:
        """int, float, bool, str (one of `choices`, or a text), or tuple (strings)."""
        return type(self.default)

    @property
    def rule(self) -> str | None:
        """The rule that it belongs to: under any other it decides nothing."""
        return next((name for name, rule in RULES.items() if self.name in rule.settings), None)

    @property
    def bound(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            *most, last = map(repr, self.choices)
            return f"{', '.join(most)} or {last}"
        if self.pattern:
            return self.pattern_words
        if self.kind in (int, float):
            note = f" ({self.note})" if self.note else ""
            return f"{'a whole number' if self.kind is int else 'a number'} from {self.low} to {self.high}{note}"
        return "true or false" if self.kind is bool else f"at most {STRINGS} strings of 1 to {CHARACTERS} characters"

    @property
    def span(self) -> str:
        """The range of a number, as a sentence; nothing for any other setting."""
        low, high = (f"{end:g}" if isinstance(end, float) else str(end) for end in (self.low, self.high))
        return f"From {low} to {high}." if self.kind in (int, float) else ""

    @property
    def help_with_range(self) -> str:
        """`help`, with the range of a number."""
        note = f" ({self.note})." if self.note else "."
        return f"{self.help} {self.span.removesuffix('.')}{note}" if self.span else self.help

    @property
    def samples(self) -> tuple:
        """Some values that it may have: each choice, both ends of a number, two texts."""
        if self.kind in (int, float):
            return (self.low, self.high)
        return tuple(self.choices) or ((False, True) if self.kind is bool else tuple(filter(self.allows, ("", "1", "2"))))

    def allows(self, value: Any) -> bool:
        """Whether `value` is of its kind and within its bounds. What `read` says of it is not asked."""
        if self.kind in (int, float):
            number = isinstance(value, int if self.kind is int else int | float) and not isinstance(value, bool)
            return number and (self.low <= value <= self.high or (self.or_zero and value == 0))
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.pattern:
            return isinstance(value, str) and re.fullmatch(self.pattern, value) is not None
        if self.kind is tuple:
            strings = isinstance(value, tuple | list) and len(value) <= STRINGS
            return strings and all(isinstance(one, str) and 0 < len(one) <= CHARACTERS and not HALF.search(one) for one in value)
        return isinstance(value, bool)

    def validate(self, value: Any) -> Any:
        """`value`, of the setting's own type. Raises ConfigError."""
        if not self.allows(value):
            raise ConfigError(self.name, value, self.bound)
        if self.read and value:
            try:
                self.read(value)
            except ExpressionError as error:
                raise ConfigError(self.name, value, str(error)) from None
        return self.kind(value)


def _labels(label: str, help: str, **more: Any) -> dict[str, Any]:
    return {"label": label, "help": help, **more}


def max_dynamic_nodes(nodes: int, breadth: int, depth: int) -> int:
    """Tokens of a dynamic tree of `depth` at most: `breadth` after the text, and after each of `breadth` a level."""
    return min(nodes, breadth * (1 + breadth * (depth - 1))) if depth else 0


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """How to decode. Frozen; building one checks it."""

    K: int = field(default=3, metadata=_labels(  # γ in Leviathan et al. 2022
        "Drafted tokens, K", "Tokens drafted in a round. 0 is vanilla decoding.",
        low=0, high=32, option=("--k", "-k"),
    ))  # fmt: skip
    temperature: float = field(default=1.0, metadata=_labels(  # at 0 p and q are one-hot and no uniform is drawn
        "Temperature", "A higher temperature draws improbable tokens more often.",
        low=0.05, high=5.0, or_zero=True, note="0 for greedy", step=0.1,
    ))  # fmt: skip
    top_k: int = field(default=0, metadata=_labels(  # both filters apply to target and draft alike
        "Top-k, 0 is off", "Keep only this many of the most probable tokens.",
        low=0, high=1_000_000, note="0 for off",
    ))  # fmt: skip
    top_p: float = field(default=1.0, metadata=_labels(
        "Top-p", "Keep only the most probable tokens, up to this sum of probabilities. 1 is off.", low=0.01, high=1.0, step=0.05,
    ))  # fmt: skip
    max_new_tokens: int = field(default=128, metadata=_labels(
        "Length in tokens", "Tokens to write at most.", key="length", low=1, high=4096, ends="length limit",
        option=("--max-new-tokens", "--tokens"),
    ))  # fmt: skip
    stop: tuple[str, ...] = field(default=(), metadata=_labels(  # the token that completes one is the last token kept
        "Stop strings, one per line", "Strings that end the run.", ends="stop string",
    ))  # fmt: skip
    seed: int = field(default=0, metadata=_labels(
        "Seed", "Seed of the random generator. The same seed gives the same tokens.", low=0, high=2**32 - 1,
    ))  # fmt: skip
    ignore_eos: bool = field(default=False, metadata=_labels(
        "Run on past the end of the story", "Do not end at the end-of-sequence token.",
    ))  # fmt: skip
    verifier: Verifier = field(default="rejection", metadata=_labels(
        "Verifier", f"{', '.join(EXACT)}; not exact: {', '.join(name for name in RULES if name not in EXACT)}.",
        choices={name: rule.label for name, rule in RULES.items()}, saved=tuple(SAVED),
    ))  # fmt: skip
    confidence: float = field(default=0.0, metadata=_labels(
        "Least confidence, 0 is off",
        "End a block after a token that the drafter gave less probability than this. That token stays in the block.",
        low=0.0, high=1.0, note="0 for off", step=0.05,
    ))  # fmt: skip
    adaptive: bool = field(default=False, metadata={"omit": True})  # of saved runs alone: K was chosen round by round
    drafting: Drafting = field(default="sample", metadata=_labels(
        "How a token is drafted", "sample: draw a token from the draft's softmax. argmax: take its most probable token.",
        choices={"sample": "sample: drawn from q", "argmax": "argmax: the draft's largest, so q is one-hot"},
    ))  # fmt: skip
    epsilon: float = field(default=0.09, metadata=_labels(  # ε and δ as in Medusa's code
        "ε of typical acceptance", "ε of the rule typical.", low=0.0, high=1.0, step=0.01,
    ))  # fmt: skip
    delta: float = field(default=0.3, metadata=_labels(
        "δ of typical acceptance", "δ of the rule typical.", low=0.0, high=1.0, step=0.01,
    ))  # fmt: skip
    theta: float = field(default=0.5, metadata=_labels(
        "θ of the accept threshold", "θ of the rule threshold. At 1 it is the rule rejection.", low=0.05, high=1.0, step=0.01,
    ))  # fmt: skip
    survival: float = field(default=0.0, metadata=_labels(  # the product of what the drafter gave each token of the block
        "Least chance of the whole block, 0 is off",
        "End a block once its chance to be accepted whole is less than this. The drafter estimates the chance.",
        low=0.0, high=1.0, note="0 for off", step=0.05, beside="confidence",
    ))  # fmt: skip
    tree: Branching = field(default="off", metadata=_labels(  # K is then its depth
        "Tree of guesses",
        "Draft a tree instead of a chain. K is its depth, at most 16. dynamic: the drafter chooses the likeliest tokens.",
        omit=True,
        choices={
            "off": "off: a chain",
            "static": "static: children by depth",
            "dynamic": "dynamic: the likeliest by the draft (EAGLE-2)",
        },
    ))  # fmt: skip
    children: str = field(default="3-2-1-1", metadata=_labels(  # the last one holds at every depth after it
        "Children by depth, such as 3-2-1-1",
        "Children of each token of a static tree, by depth. The last number also holds for deeper levels.",
        pattern=r"[1-9]\d?(-[1-9]\d?){0,15}", pattern_words="1 to 16 numbers from 1 to 99, such as 3-2-1-1", beside="tree", omit=True,
    ))  # fmt: skip
    nodes: int = field(default=16, metadata=_labels(  # N
        "Tokens in a dynamic tree, N", "Tokens that a dynamic tree keeps.", low=1, high=NODES, beside="tree", omit=True,
    ))  # fmt: skip
    grammar: str = field(default="", metadata=_labels(  # p is masked by it before the rule; q is not
        "Grammar, a regular expression", "All of the text that is written must match it. Empty is off.",
        pattern=rf"[\s\S]{{0,{MAX_SOURCE_CHARACTERS}}}",
        pattern_words=f"a regular expression of at most {MAX_SOURCE_CHARACTERS} characters", read=Automaton, omit=True,
    ))  # fmt: skip

    def __post_init__(self):
        errors = []
        for name, setting in SETTINGS.items():
            value = getattr(self, name)
            try:
                if not (setting.saved and value in setting.saved):
                    object.__setattr__(self, name, setting.validate(value))
            except ConfigError as error:
                errors.append(error)
        if errors:
            errors[0].others = tuple(errors[1:])
            raise errors[0]
        for holds, bounds in CONFLICTS:
            if holds(self):
                name, bound = next(iter(bounds.items()))
                raise ConfigError(name, getattr(self, name), bound.format(config=self))

    @property
    def branches(self) -> bool:
        """Whether blocks are trees."""
        return self.tree != "off" and self.K > 0

    @property
    def widths(self) -> tuple[int, ...]:
        """Children of each token of a static tree, by depth, K numbers: the last of `children` holds for all that follow."""
        widths = [int(n) for n in self.children.split("-")]
        return tuple(widths[min(depth, len(widths) - 1)] for depth in range(self.K))

    @property
    def breadth(self) -> int:
        """Tokens of a dynamic tree whose children are looked at, by level, and how many of each: the root of N."""
        return ceil(sqrt(self.nodes))

    @property
    def max_drafted(self) -> int:
        """Tokens drafted in a round at most."""
        return self.nodes_to(self.K)

    def nodes_to(self, depth: int) -> int:
        """Tokens drafted in a round at most, where no more than `depth` of them may follow each other."""
        if not self.branches:
            return depth
        if self.tree == "dynamic":
            return max_dynamic_nodes(self.nodes, self.breadth, depth)
        total, level = 0, 1
        for width in self.widths[:depth]:
            level *= width
            total += level
        return total

    @property
    def ends_early(self) -> bool:
        """Whether what was drafted may end a block."""
        return self.confidence > 0 or self.survival > 0

    @property
    def greedy(self) -> bool:
        return self.temperature == 0

    @property
    def exact(self) -> bool:
        """Whether the text is distributed as the target alone writes it. At temperature 0 every rule keeps what the target would write,
        and at K = 0 nothing is verified."""
        return self.greedy or self.K == 0 or rule_of(self).exact_as_set


def _info(f: Field) -> SettingInfo:
    own: dict[str, Any] = {"key": f.name, "option": (f"--{f.name.replace('_', '-')}",)}
    return SettingInfo(f.name, f.default, **own | dict(f.metadata))


def _translate(settings: dict[str, SettingInfo]) -> dict[str, SettingInfo]:
    """What is said of each, in the language of the page."""
    english = {name: {part: said for part in SAID if (said := getattr(one, part))} for name, one in settings.items()}
    return {name: settings[name]._replace(**said) for name, said in translated("settings", english).items()}


SAID = ("label", "help", "note", "choices", "pattern_words", "ends")
SETTINGS: dict[str, SettingInfo] = _translate({f.name: _info(f) for f in fields(DecodeConfig) if "label" in f.metadata})
"""What is said of each setting, by the name of its field."""


def rule_of(config: DecodeConfig) -> Rule:
    """The rule that `config` names, with its own settings."""
    rule = ALL[config.verifier]
    return rule(**{name: getattr(config, name) for name in rule.settings})
