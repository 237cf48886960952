"""What was counted and timed in a lane, and the two lanes side by side. Plain values, standard library only."""

from ..trace.disturbed import Sign, signs
from ..trace.events import Finished, Prefill, Round, decoding
from ..trace.header import Header, Trace
from .account import called
from .interval import ENOUGH, Interval, interval, pace
from .plain import ratio, short
from .positions import by_position
from .tokens import named

STOPPED = ("cancelled", "error")


def counted(prefill: Prefill | None, rounds: list[Round], finished: Finished | None, decode_ms: float) -> dict:
    """Counted again from the rounds, so that a lane stopped half-way has the same numbers as a whole one."""
    tokens = sum(len(r.emitted) for r in rounds)
    passes = decoding(rounds)  # what another engine's prefill wrote took no decoding
    decoded = sum(len(r.emitted) for r in passes)
    drafted = [d for r in rounds for d in r.drafted]
    accepted = sum(d.verdict == "accepted" for d in drafted)
    tested = sum(d.verdict != "unexamined" for d in drafted)
    first = [d for d in drafted if d.verdict != "unexamined" and not d.rank]  # a sibling is tested against what is left of p
    betas = [d.position.beta for d in first if d.position and d.position.beta is not None]
    target_forwards = rounds[-1].target_forwards if rounds else 0
    prefill_ms = _sum([prefill.target_ms, prefill.draft_ms]) if prefill else 0.0
    full = finished is not None and finished.reason in ("length", "context")  # its last token leaves no room to draft
    return {
        "tokens": tokens,
        "rounds": len(rounds),
        "decode_ms": short(decode_ms),
        "prefill_ms": short(prefill_ms),
        "observe_ms": short(sum(r.times.observe for r in rounds)),
        "capture_ms": short(finished.capture_ms if finished else 0.0),
        "eager": finished.eager if finished else "",
        "tokens_per_second": ratio(1000 * decoded, decode_ms),
        "tokens_per_second_end_to_end": ratio(1000 * tokens, decode_ms + prefill_ms)
        if tokens and prefill_ms is not None
        else None,
        "target_forwards": target_forwards,
        "draft_forwards": rounds[-1].draft_forwards if rounds else 0,
        "tokens_per_forward": ratio(decoded, target_forwards),
        "tokens_per_round": ratio(decoded, len(passes)),
        "drafted": len(drafted),
        "drafted_per_round": ratio(len(drafted), len(passes)),
        "undrafted": sum(not r.drafted for r in (passes[:-1] if full else passes)),
        "draft_full": sum(r.fewer == "context" for r in rounds),
        "tested": tested,
        "accepted": accepted,
        "accepted_of_drafted": ratio(accepted, len(drafted)),
        "accepted_of_tested": ratio(accepted, tested),
        "alpha": ratio(sum(betas), len(betas)),
        "alpha_positions": len(betas),
        "by_position": by_position(rounds),
        "split": {part: short(_sum([getattr(r.times, part) for r in passes])) for part in ("draft", "verify", "decide", "rest")},
    }


def _sum(parts: list[float | None]) -> float | None:
    """Of what was told; None where nothing was, and nothing is 0 where nothing was done."""
    told = [part for part in parts if part is not None]
    return sum(told) if told or not parts else None


def compared(trace: Trace, vanilla: dict | None, speculative: dict | None) -> dict | None:
    """The two lanes side by side: ratios of tokens per second, and where their texts part. None unless both began."""
    if vanilla is None or speculative is None:
        return None
    a, b = vanilla["numbers"], speculative["numbers"]
    tokens = [[e.token for r in lane if isinstance(r, Round) for e in r.emitted] for lane in (trace.vanilla, trace.speculative)]
    ids = [[token.id for token in lane] for lane in tokens]
    common = next((i for i, (x, y) in enumerate(zip(*ids, strict=False)) if x != y), min(map(len, ids)))
    parts = common < min(map(len, ids))
    whole = all(lane["stopped"] and lane["stopped"]["reason"] not in STOPPED for lane in (vanilla, speculative))
    speedup = ratio(b["tokens_per_second"], a["tokens_per_second"])
    sure, disturbed = interval(trace, speedup) if speedup else None, signs(trace)
    return {
        "speedup": speedup,
        "low": short(sure.low) if sure else None,
        "high": short(sure.high) if sure else None,
        "runs": sure.runs if sure else 0,
        "often": bool(sure and sure.runs >= ENOUGH),
        "rates": [short(b["tokens_per_second"] * end) for end in pace(trace, "speculative")[:2]] if sure else None,
        "kind": _called(trace.header, sure, disturbed),
        "disturbed": [{**sign._asdict(), "value": short(sign.value)} for sign in disturbed],
        "speedup_end_to_end": ratio(b["tokens_per_second_end_to_end"], a["tokens_per_second_end_to_end"]),
        "whole": whole,
        "same": ids[0] == ids[1],
        "common": common,
        "parts": parts,
        "parted": [named(lane[common]) for lane in tokens] if parts else None,
        "greedy": trace.header.config.greedy,
        "logits": _logits(trace.header),
    }


def _called(header: Header, sure: Interval | None, disturbed: tuple[Sign, ...]) -> str | None:
    """What the speedup may be called; at K = 0 both lanes do the same, and no difference is a gain or a loss."""
    if sure is None:
        return None
    return "disturbed" if disturbed else called(sure.low, sure.high) if header.config.K else "alike"


def _logits(header: Header) -> dict | None:
    """Where greedy lanes part: the logits of both tokens, by a pass over one token and by the block's."""
    found = header.divergence
    if found is None:
        return None
    by = {"alone": found.alone, "block": found.block}
    return {f"{way}_{lane}": short(getattr(logits, lane)) for way, logits in by.items() for lane in ("vanilla", "speculative")}
