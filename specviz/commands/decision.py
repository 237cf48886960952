"""What drafting costs, from what was asked for on the command line, and the K that pays with it."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer

from ..config import ConfigError
from ..lab.load import Devices, Hardware, Passes, by_formula, measured_passes
from ..picture.decision import Costs, costs_from, decide, flag_for, widest
from ..picture.words import DECISION
from ..trace.grammar import WHOLE
from ..trace.records.document import JSON_LIMIT, documents
from ..trace.records.record import RecordError, ServerRecord
from .terminal import show, table

LOADS = (1, 4, 16, 64, 256)
MS = (1e-6, 1e9)  # of a pass: a nanosecond to eleven days
TARGET, DRAFT, CONTEXT = "llama-3.1-8b", "llama-3.2-1b", 2048


@dataclass(frozen=True)
class CostOptions:
    """`c` and `v`, or a file of make costs, or a card with two models. `at_once`: requests at a time; else those of what was chosen.
    ConfigError for what would change nothing."""

    c: float | None = None
    v: float | None = None
    costs: Path | None = None
    card: str | None = None
    target: str | None = None
    draft: str | None = None
    context: int | None = None
    at_once: tuple[int, ...] = ()

    def __post_init__(self):
        ways = [self.c is not None or self.v is not None, self.costs is not None, self.card is not None]
        if sum(ways) > 1:
            raise ConfigError("costs", "two of them", "--c with --v, or --costs, or --card")
        if (self.c is None) != (self.v is None):
            name, other = ("c", "v") if self.v is None else ("v", "c")
            raise ConfigError(name, getattr(self, name), f"given together with --{other}")
        for name in ("target", "draft", "context"):
            if (value := getattr(self, name)) is not None and self.card is None:
                raise ConfigError(name, value, "given together with --card")
        if self.at_once and not self.has_costs:
            raise ConfigError("at", list(self.at_once), "given together with --card, or --costs, or --c and --v")
        if self.c is not None and len(self.at_once) > 1:
            bound = "one number with --c and --v, which hold for one load. For several loads use --card or --costs"
            raise ConfigError("at", list(self.at_once), bound)

    @property
    def has_costs(self) -> bool:
        return any(value is not None for value in (self.c, self.costs, self.card))


def decision(record: ServerRecord, evidence: dict, options: CostOptions) -> dict:
    """`evidence`: the record's evidence. JSON's own types: rows by requests at a time, the flag, what is assumed, what to measure next."""
    if evidence["missing"]:
        return {"missing": evidence["missing"], "said": DECISION[f"missing_{evidence['missing']}"]}
    rows, assumed = _rows(record, evidence, options)
    results = [{"at_once": load, **decide(evidence, costs)} for load, costs in rows]
    known = [(row["at_once"] or None, row["best"]) for row in results]
    open_ = [i for i, row in enumerate(results) if row["verdict"] == "open"]
    sentences = [*(DECISION[f"assumed_{key}"] for key in evidence["assumed"]), *assumed]
    values = {"measured": evidence["measured"], "limit": len(evidence["middle"]), "block": evidence["measured"] + 1}
    return {
        "missing": None,
        "K": evidence["measured"],
        "rows": results,
        "flag": flag_for(record.engine, known),
        "assumed": [sentence.format(**values) for sentence in sentences],
        "next": DECISION[f"next_{widest(evidence, rows[open_[0]][1])}"] if open_ else None,
    }


def _rows(record: ServerRecord, evidence: dict, options: CostOptions) -> tuple[list[tuple[float | None, list[Costs]]], list[str]]:
    if options.c is not None and options.v is not None:
        here = options.at_once[0] if options.at_once else record.at_once
        rows = [(here, costs_from(evidence["measured"], options.c, options.v))]
        return rows, [DECISION["assumed_line"], DECISION["assumed_load"]]
    if options.costs:
        file = _file(options.costs)
        loads = options.at_once or tuple(file["curves"][0]["batches"])
        return [(load, [_costs(measured_passes(file, load))]) for load in loads], [DECISION["assumed_medians"]]
    hardware = Hardware()
    models = hardware.model(options.target or TARGET), hardware.model(options.draft or DRAFT)
    card, reach = hardware.card(options.card or ""), hardware.file["reach"]
    launch = next(engine["launch"] for engine in hardware.file["engines"] if engine["key"] == "compiled")
    ends = [(fmean(reach), fmean(reach), fmean(launch)), *product(reach, reach, launch)]  # of target and draft, and of both
    by_load, context = [], CONTEXT if options.context is None else options.context
    for load in options.at_once or LOADS:
        costs = []
        for of_target, of_draft, us in ends:
            passes = [
                by_formula(*models, Devices(card, reach=share, launch=us), load, context) for share in (of_target, of_draft)
            ]
            costs.append(_costs(Passes(passes[0].target, passes[1].draft)))
        by_load.append((load, costs))
    return by_load, [
        DECISION["assumed_card"].replace("{low}", f"{100 * reach[0]:.0f}").replace("{high}", f"{100 * reach[1]:.0f}")
    ]


def _costs(passes: Passes) -> Costs:
    single = passes.target[0]
    return Costs(passes.draft / single, tuple(each / single for each in passes.target))


def _file(path: Path) -> dict:
    """A file that `make costs` wrote. ConfigError unless it is one."""
    try:
        text = path.read_text("utf-8")[: JSON_LIMIT + 1]
        [content] = documents(text)
        target, draft = content["curves"][:2]
        blocks, batches = target["blocks"], target["batches"]
        drafts = 1 in draft["blocks"] and set(batches) <= set(draft["batches"])
        if not (blocks == list(range(1, len(blocks) + 1)) and len(blocks) > 1 and batches and drafts):
            raise ValueError
        for curve in target, draft:
            _check_curve(curve)
    except (OSError, RecordError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise ConfigError("costs", str(path), "a file that make costs wrote") from None
    return content


def _check_curve(curve: dict) -> None:
    """ValueError or TypeError unless it has a number of ms for each number of texts and of tokens."""
    rows = curve["ms"]
    shaped = len(rows) == len(curve["batches"]) and all(len(row) == len(curve["blocks"]) for row in rows)
    counts = all(type(n) is int and 0 < n <= WHOLE for n in (*curve["batches"], *curve["blocks"]))
    if not (shaped and counts and all(type(ms) in (int, float) and MS[0] <= ms <= MS[1] for row in rows for ms in row)):
        raise ValueError


CardTarget = Annotated[
    str | None, typer.Option(help=f"With --card: the target, one of the models that the Lab lists. By default {TARGET}.")
]
CardDraft = Annotated[
    str | None, typer.Option(help=f"With --card: the draft, one of the models that the Lab lists. By default {DRAFT}.")
]


def show_decision(result: dict, engine: str) -> None:
    if result["missing"]:
        show(result["said"], soft_wrap=True)
        return
    heads = [DECISION[f"head_{name}"] for name in ("texts", "best", "speedup", "now", "verdict")]
    heads[3] = heads[3].format(K=result["K"])
    rows_table = table(*heads, left=(heads[4],), title=DECISION["title"], caption=DECISION["interval_is"])
    for row in result["rows"]:
        low, middle, high = row["speedup"]
        now = row["now"]
        Ks = f"{row['best']} ({row['Ks'][0]}–{row['Ks'][1]})"
        where = DECISION["here"] if row["at_once"] is None else f"{row['at_once']:g}"
        rows_table.add_row(where,
            Ks, f"{middle:.2f} ({low:.2f}–{high:.2f})", f"{now[1]:.2f} ({now[0]:.2f}–{now[2]:.2f})",
                      DECISION[f"verdict_{row['verdict']}"])  # fmt: skip
    show(rows_table)
    flag = f"{DECISION['flag']} {result['flag']}" if result["flag"] else DECISION["flag_none"]
    show(flag.replace("{engine}", engine), soft_wrap=True)
    show(DECISION["assumed"].format(what="; ".join(result["assumed"])), soft_wrap=True)
    if result["next"]:
        show(DECISION["next"].format(what=result["next"]), soft_wrap=True)
