"""Redo a trace by transformers alone: an auditor that shares no code with the engine.

    ledger = audit(read("run.jsonl"))                       # python -m specviz audit run.jsonl
    ledger.wrong, ledger.summary()

docs/trace.md is this in words. What a header says is compared with the checkpoint. What a lane says follows from its ids (both facts.py),
from lengths (drafts.py), and from the models and chance (rounds.py). It imports the trace, its settings, and nothing of what wrote it.
"""

from collections.abc import Callable
from dataclasses import replace

from ...trace.disturbed import divergence_note
from ...trace.events import LANES, OURS, Event, Finished, Header, ModelInfo, Prefill, Round, Trace, rounds_of
from ...trace.file import short
from ...trace.grammar import violations
from .checkpoint import AuditError, Checkpoint, check_weights, checkpoint
from .drafts import Draft, Lengths, draft_of
from .facts import HALF_DTYPES, Masks, check_ending, check_header, check_names, check_pieces, on_cpu, prompt_ids
from .filters import TIE, uniforms
from .ledger import Ledger, cases
from .rounds import REDONE, Rounds

HALF_SLACK = 500.0  # how many times as far: sums in bfloat16 on an H100 changed a probability by a tenth of itself at most


def audit(
    trace: Trace, target: str | None = None, draft: str | None = None, progress: Callable[[str], object] = lambda where: None
) -> Ledger:
    """`target`, `draft`: where their weights are, a folder or a hub id, if what the trace calls them is no bundled name;
    `progress` is told what is redone next. Raises AuditError for what is not there."""
    header, ledger = trace.header, Ledger(progress=progress)
    if header.engine != OURS:
        why = f". {note}" if (note := divergence_note(trace)) else ""
        raise AuditError(f"only runs of {OURS} can be redone; this one was decoded by {short(header.engine)}{why}")
    config = header.config
    if config.verifier not in REDONE and config.K and not config.greedy:
        raise AuditError(f"the rule “{config.verifier}” of this run is not redone: it is none of {', '.join(REDONE)}")
    if config.adaptive and config.K:
        raise AuditError("adaptive K, by which this run chose K round by round, is not redone: no run has it any more")
    loaded, rounds = checkpoint(header.target.name, target), [r for lane in LANES for r in rounds_of(getattr(trace, lane))]
    check_weights(ledger, header.target, loaded.folder)
    if not _check_ids(ledger, trace, rounds, loaded.vocabulary):
        return ledger
    drafting = draft_of(header, draft, loaded) if header.draft else None
    if drafting and header.draft:
        check_weights(ledger, header.draft, drafting.folder or loaded.folder)
    check_header(ledger, trace, loaded, drafting.model if drafting else None, drafting.folder if drafting else None)
    for lane in LANES:
        for at, name, problem in violations(lane, getattr(trace, lane), header.config):
            ledger.check("sums", f"{lane}, event {at + 1}", name, False, problem)
    observed = any(each.position for r in rounds for each in (*r.drafted, *r.emitted))
    for lane in LANES:
        if events := getattr(trace, lane):
            ledger.progress(lane)
            _check_lane(ledger, header, lane, events, loaded, drafting if lane == "speculative" else None, observed)
    _check_parting(ledger, trace, loaded)
    return ledger


def _check_ids(ledger: Ledger, trace: Trace, rounds: list[Round], vocabulary: int) -> bool:
    """Whether there is something to redo: ids that the target has, and a drafter where something was drafted."""
    ledger.equal("header", "draft", trace.header.draft is None, trace.header.config.K == 0)
    ids = [token.id for lane in LANES for e in getattr(trace, lane) if isinstance(e, Prefill) for token in e.prompt]
    ids += [each.token.id for r in rounds for each in (*r.drafted, *r.emitted, *(r.residual.entries if r.residual else ()))]
    positions = [each.position for r in rounds for each in (*r.drafted, *r.emitted) if each.position]
    softmaxes = [position.softmax for position in positions if position.softmax]
    ids += [entry.token.id for each in (*positions, *softmaxes) for entry in each.entries]
    most = max(ids, default=0)
    ledger.check("vocabulary", "header", most, most < vocabulary, f"ids below {vocabulary}")
    return not ledger.wrong


def _check_parting(ledger: Ledger, trace: Trace, target: Checkpoint) -> None:
    """Where greedy lanes write different tokens: the first of them, and the logits of both, which only a near-tie explains."""
    stated, lanes = trace.header.divergence, [list(cases(lane, getattr(trace, lane))) for lane in LANES]
    tokens = [[e.token for case in lane for e in case.round.emitted] for lane in lanes]
    alone, ours = ([token.id for token in lane] for lane in tokens)
    at = next((i for i, (x, y) in enumerate(zip(alone, ours, strict=False)) if x != y), None)
    if not trace.header.config.greedy or at is None:
        ledger.equal("parting", "header", stated, None)
        return
    place = stated and (stated.at, stated.vanilla, stated.speculative)
    ledger.equal("parting", "header", place, (at, tokens[0][at], tokens[1][at]))
    if stated:
        [row] = target.logits_after([[*lanes[0][0].text, *alone[:at]]], [1])
        for logits in stated.alone, stated.block:
            for value, id in (logits.vanilla, alone[at]), (logits.speculative, ours[at]):
                ledger.near("parting", "header", value, float(row[-1, id]), TIE * slack(trace.header, trace.header.target))


def slack(header: Header, model: ModelInfo) -> float:
    """Where sums are made in half precision a logit is known to less: everywhere but on a CPU, which sums in float32."""
    return HALF_SLACK if model.dtype in HALF_DTYPES and not on_cpu(header) else 1.0


def _check_lane(
    ledger: Ledger, header: Header, lane: str, events: tuple[Event, ...], target: Checkpoint, draft: Draft | None, observed: bool
) -> None:
    config, newest_format = header.config if draft else replace(header.config, K=0), header.exact is not None
    first, end, rounds = events[0], events[-1], list(cases(lane, events))
    assert isinstance(first, Prefill) and isinstance(end, Finished)
    context = header.target.context or getattr(target.config, "max_position_embeddings", None)
    limit = None if context is None else min(len(first.prompt) + config.max_new_tokens, context)
    ledger.equal("prompt", f"{lane}, prefill", [t.id for t in first.prompt], prompt_ids(header, target.tokenizer))
    check_ending(ledger, lane, events, config, None if header.eos is None else frozenset(header.eos), limit)
    check_pieces(ledger, lane, events, target.tokenizer)
    tokens = (each.token for case in rounds for each in (*case.round.drafted, *case.round.emitted))
    check_names(ledger, [*first.prompt, *tokens], target.tokenizer)
    slacks = slack(header, header.target), slack(header, header.draft or header.target)
    draw = None if config.greedy else uniforms(config.seed, on_cpu(header))
    # a model that takes one token a pass has a copy after each
    caches = [case.round.target_cache for case in rounds]
    replays = header.target.state_layers > 0 and any(cache and cache.replayed for cache in caches)
    lengths = Lengths(ledger, header, config, draft, limit, context, replays)
    lengths.check_prefill(lane, first)
    eos, begin = frozenset(header.eos or ()), len(first.prompt)
    masks = Masks(config.grammar, target.tokenizer, target.vocabulary, begin, eos) if config.grammar else None
    Rounds(ledger, config, target, draft, slacks, draw, observed, newest_format, masks).redo(rounds, lengths)
