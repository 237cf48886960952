"""Tables of docs/ that are made from tables in code: rules, drafters, settings, terms, and what other engines do (made_docs.py)."""

from collections.abc import Callable, Iterable
from typing import get_args

from specviz.config import SETTINGS, SettingInfo
from specviz.drafters import DRAFTERS, KINDS, DrafterInfo
from specviz.picture.replay import BROWSER, ENGINES, GROUPS, INEXACT
from specviz.rules import RULES, Rule
from specviz.trace.events import REASONS
from specviz.trace.records.formats import FORMATS
from specviz.trace.records.record import Engine


def rules_table() -> str:
    """What each rule that verifies chains does."""
    rows = ((_code(name), rule.sentence, rule.source, _exact(rule)) for name, rule in RULES.items())
    return _table(("`verifier`", "what it does", "source", "exact"), rows)


def walks_table() -> str:
    """What each rule that verifies trees does with the children of a token."""
    rows = ((_code(name), rule.on_trees, _exact(rule)) for name, rule in RULES.items() if rule.on_trees)
    return _table(("`verifier`", "what happens at one position", "exact on trees"), rows)


def verdicts_table() -> str:
    """When each rule accepts a drafted token x."""
    return _table(("`verifier`", "condition", "exact"), ((_code(n), rule.condition, _exact(rule)) for n, rule in RULES.items()))


def caches_table() -> str:
    """What each drafter's cache holds, and its passes."""
    passes = {"token": "k", "block": "1", "none": "0"}
    heads = ("drafter", "after the prefill of n", "at its fullest, if k > 0", "after the round", "forward passes")
    return _table(heads, _by_kind(lambda one: (*(one.cache or ("`null`",) * 3), passes[one.passes])))


def logits_table() -> str:
    """What each drafter draws its tokens by."""
    return _table(("drafter", "its logits"), _by_kind(lambda one: (one.logits,)))


def settings_list() -> str:
    """Every field of `DecodeConfig`."""
    return "\n".join(f"- {_code(name)}: {one.help_with_range}{_left_out(one)}" for name, one in SETTINGS.items())


def reasons_table() -> str:
    """What may end a run, in the words of a picture."""
    return _table(("`reason`", "what the page says"), ((_code(reason), BROWSER[f"ended_{reason}"]) for reason in REASONS))


def formats_table() -> str:
    """What each file of another engine is, by engine."""
    order = get_args(Engine)
    rows = sorted(FORMATS.values(), key=lambda one: order.index(one.engine))
    return _table(
        ("file", "what to save", "what it contains", "evidence"),
        ((one.name, one.save, one.contains, one.evidence) for one in rows),
    )


def engines_table() -> str:
    """How other engines draft and verify, and below it what else is to be known of each."""
    heads = ("engine", "known from", "default", "accepted with chance", "options", "not exact")
    rows = ((e.name, f"{e.known}; {e.source}", e.default, e.chance, e.options, e.inexact or "–") for e in ENGINES)
    return "\n".join([_table(heads, rows), "", *(f"- **{e.name}.** {e.more}" for e in ENGINES if e.more)])


def inexact_table() -> str:
    """How far rules that are not exact are from the target's distribution."""
    heads = ("rule", "who runs it", "argmax, mean", "argmax, worst", "drawn, mean", "drawn, worst")
    return _table(heads, ((one.name, one.who, *(f"{n:.2f}" for n in (*one.argmax, *one.sample))) for one in INEXACT))


def glossary_page() -> str:
    """docs/glossary.md."""
    parts = [
        "# Glossary",
        "The page shows these sentences where a term is underlined with dots. This file is made from `specviz/words/glossary.toml`.",
    ]
    parts += [
        f"## {group}\n\n{_table(('term', 'meaning'), ((term.name, term.says) for term in terms.values()))}"
        for group, terms in GROUPS.items()
    ]
    return "\n\n".join(parts) + "\n"


def _by_kind(says: Callable[[DrafterInfo], tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    """What is said of each kind that a trace names; kinds of which the same is said are one row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for kind in KINDS:
        rows.setdefault(says(next(one for one in DRAFTERS.values() if one.kind == kind)), []).append(kind)
    return ((", ".join(map(_code, kinds)), *row) for row, kinds in rows.items())


def _left_out(one: SettingInfo) -> str:
    return f" A trace leaves it out if it is {_code(one.default) if one.default else 'empty'}." if one.omit else ""


def _exact(rule: type[Rule]) -> str:
    return "yes" if rule.exact else f"**no** {rule.inexact}".strip()


def _code(name: str) -> str:
    return f"`{name}`"


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return (
        "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * len(heads), *rows))
        .replace("| --- ", "|---")
        .replace("|--- |", "|---|")
    )
