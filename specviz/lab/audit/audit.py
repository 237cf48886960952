"""Redo a trace by transformers alone: an auditor that shares no code with the engine.

    ledger = audit(read("run.jsonl"))                       # python -m specviz audit run.jsonl
    ledger.wrong, ledger.summary()

What a lane says is taken apart in three: what follows from lengths (walk.py), what follows from the models (numbers.py), what
follows from chance (decisions.py). It imports the trace, its settings, and nothing of what wrote it.
"""

import gzip
import zlib
from dataclasses import replace
from pathlib import Path

from ...trace.events import Event, Finished, Prefill
from ...trace.file import FILE_LIMIT, TraceError, loads, read
from ...trace.grammar import broken
from ...trace.header import LANES, OURS, Header, Trace
from ...trace.strict import short
from . import walk
from .cases import Case, cases
from .checkpoint import AuditError, Checkpoint, checkpoint, same_weights
from .decisions import Decisions
from .drafts import Draft, draft_of
from .law import TIE
from .ledger import Ledger
from .numbers import Numbers

HALF = 100.0  # how many times as far a run in half precision may be from float32


def audit(trace: Trace, target: str | None = None, draft: str | None = None) -> Ledger:
    """`target`, `draft`: where their weights are, if what the trace calls them is no bundled name, folder or hub id. Raises AuditError
    for what is not there."""
    header, ledger = trace.header, Ledger()
    if header.engine != OURS:
        raise AuditError(f"only runs of {OURS} itself are redone, and this one was decoded by {short(header.engine)}")
    loaded = checkpoint(target or header.target.name)
    same_weights(ledger, header.target, loaded.folder)
    drafting = draft_of(header, draft, loaded) if header.draft else None
    if drafting and drafting.folder and header.draft:
        same_weights(ledger, header.draft, drafting.folder)
    for lane in LANES:
        for at, name, problem in broken(lane, getattr(trace, lane), header.config):
            ledger.holds("sums", f"{lane}, event {at + 1}", name, False, problem)
    ledger.same("vocabulary", "header", header.target.vocabulary, loaded.vocabulary)
    if drafting and header.drafter is None:
        ledger.skip("whether it drafted as is assumed: the trace does not name the kind of drafter")
    ledger.skip("times: they belong to the machine")
    if not header.machine.device.startswith("CPU") and not header.config.greedy:
        ledger.skip(f"uniforms from the seed, and with them the draws of drafts: drawn on {header.machine.device}")
    for lane in LANES:
        if events := getattr(trace, lane):
            _lane(ledger, header, lane, events, loaded, drafting if lane == "speculative" else None)
    _parting(ledger, trace, loaded)
    return ledger


def _parting(ledger: Ledger, trace: Trace, target: Checkpoint) -> None:
    """Where greedy lanes write different tokens: the first of them, and the logits of both, which only a near-tie explains."""
    said, lanes = trace.header.divergence, [list(cases(lane, getattr(trace, lane))) for lane in LANES]
    alone, ours = ([id for case in lane for id in case.out] for lane in lanes)
    at = next((i for i, (x, y) in enumerate(zip(alone, ours, strict=False)) if x != y), None)
    if not trace.header.config.greedy or at is None:
        ledger.same("parting", "header", said, None)
        return
    ledger.same("parting", "header", said and (said.at, said.vanilla.id, said.speculative.id), (at, alone[at], ours[at]))
    if said:
        [row] = target.after([[*lanes[0][0].text, *alone[:at]]], [1])
        for told in said.alone, said.block:
            for value, id in (told.vanilla, alone[at]), (told.speculative, ours[at]):
                ledger.near("parting", "header", value, float(row[-1, id]), TIE * _slack(trace.header))


def _slack(header: Header) -> float:
    """Where sums are made in half precision a probability is known to less: everywhere but on a CPU, which sums in float32 unless the
    trace says otherwise of its passes."""
    exact = header.target.dtype == "float32" or (header.machine.device.startswith("CPU") and not header.target.why)
    return 1.0 if exact else HALF


def opened(path: Path) -> Trace:
    """The trace at `path`, also of one that was packed by gzip. Raises TraceError."""
    try:
        with gzip.open(path, "rb") as file:
            return loads(file.read(FILE_LIMIT + 1))
    except gzip.BadGzipFile:
        return read(path)
    except (OSError, EOFError, zlib.error) as error:
        raise TraceError(None, "", f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _lane(ledger: Ledger, header: Header, lane: str, events: tuple[Event, ...], target: Checkpoint, draft: Draft | None) -> None:
    config = header.config if draft else replace(header.config, K=0)
    first, end, some = events[0], events[-1], list(cases(lane, events))
    assert isinstance(first, Prefill) and isinstance(end, Finished)
    context = header.target.context or getattr(target.config, "max_position_embeddings", None)
    limit = None if context is None else min(len(first.prompt) + config.max_new_tokens, context)
    tokenizer = target.tokenizer
    ledger.same("prompt", f"{lane}, prefill", [t.id for t in first.prompt], walk.prompt_ids(header, tokenizer))
    walk.prefill(ledger, lane, first, draft)
    walk.rounds(ledger, some, config, draft, limit)
    walk.ending(ledger, lane, events, config, None if header.eos is None else frozenset(header.eos), limit)
    walk.pieces(ledger, lane, events, tokenizer)
    drafted, emitted = (
        (d.token for case in some for d in case.round.drafted),
        (e.token for case in some for e in case.round.emitted),
    )
    walk.names(ledger, [*first.prompt, *drafted, *emitted], tokenizer)
    numbers = Numbers(ledger, config, _slack(header), draft is not None and draft.kind in ("bigram", "random"))
    decisions = Decisions(ledger, config, _slack(header), header.machine.device.startswith("CPU"))
    _rounds(some, target, draft, numbers, decisions, [walk.asked(case, config, limit) for case in some])


def _rounds(some: list[Case], target: Checkpoint, draft: Draft | None, numbers: Numbers, decisions: Decisions, asked) -> None:
    p_logits = target.after([[*case.text, *case.block] for case in some], [len(case.block) + 1 for case in some])
    drafted = [case for case in some if case.block]
    q_rows = iter(draft.logits(drafted)) if draft and draft.logits else None
    for case, p_rows, k in zip(some, p_logits, asked, strict=True):
        u = decisions.uniforms(case, k)
        rows = next(q_rows) if q_rows and case.block else None
        ps, qs = numbers.of(case, p_rows, rows)
        if rows is not None:
            numbers.confidence(case, rows)
        decisions.told(case, u)
        if draft and draft.kind != "lookup" and not numbers.argmax:  # a copy is not drawn
            decisions.block(case, qs, u)
        joint = decisions.verdicts(case, ps, qs)
        if case.tested:
            numbers.residual(case, ps[case.tested - 1], qs[case.tested - 1], joint)
