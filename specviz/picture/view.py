"""Trace → picture: the plain values that a screen shows, and nothing about how they look.

    json_text(picture(trace))        # what the page's one component is given

Every time is in milliseconds on the lane's own decode clock: 0 is the start of its first round, and only the timed part of a
round moves it (observation is left out). Phases are timed as wholes; what happens inside one is spread evenly over it. Text is
data from here to the page. Standard library only.
"""

import codecs
import json
from dataclasses import asdict
from math import isfinite

from ..config import bounds
from ..trace.events import Drafted, Emitted, Finished, Position, Prefill, Residual, Round, Token
from ..trace.header import Header, ModelInfo, Trace
from .account import account, called

LONGEST_TOKEN = 120  # characters of one token that a screen shows; what is longer is cut and says so
STOPPED = ("cancelled", "error")
KINDS = {"n-gram": "lookup", "bigram": "bigram", "random": "random", "multi-token heads": "heads", "EAGLE head": "eagle"}


def picture(trace: Trace) -> dict:
    """All that one screen shows of a run. A lane that never began is None."""
    lanes = {name: _lane(name, getattr(trace, name)) for name in ("vanilla", "speculative")}
    return {
        "header": _header(trace.header),
        "lanes": lanes,
        "comparison": _comparison(trace, lanes["vanilla"], lanes["speculative"]),
        "account": _account(trace),
    }


def json_text(value: dict) -> str:
    """One JSON string; `<` is escaped so that no reader on the way can take it for markup."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _account(trace: Trace) -> dict:
    """Where the speed came from (specviz/picture/account.py), in numbers that JSON has."""
    header, limit = trace.header, int(bounds("K")[1])
    rounds = [[e for e in lane if isinstance(e, Round)] for lane in (trace.vanilla, trace.speculative)]
    return _shortened(account(header, *rounds, header.config.K, limit))


def _shortened(value):
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in value.items()}
    return _short(value) if isinstance(value, float) else value


def _header(header: Header) -> dict:
    plain = asdict(header)
    plain["config"]["greedy"] = header.config.greedy
    if header.draft:
        plain["draft"] |= _drafter(header)
    return plain


def _drafter(header: Header) -> dict:
    """What kind of drafter ran, which chooses the words about it; the `most` it can draft a round, and whether it may draft `fewer`."""
    config, kind = header.config, _kind(header.draft, header.target)
    return {
        "kind": kind,
        "most": config.K,
        "fewer": config.adaptive or config.confidence > 0 or kind == "lookup",
    }


def _kind(draft: ModelInfo, target: ModelInfo) -> str:
    if draft.family in KINDS:
        return KINDS[draft.family]
    if draft == target:
        return "target"
    if draft.forward == "none":
        return "table"
    return "model" if draft.parameters else "layers"  # the target's own first ones


def _lane(name: str, events: tuple) -> dict | None:
    if not events:
        return None
    prefill = next((e for e in events if isinstance(e, Prefill)), None)
    rounds = [e for e in events if isinstance(e, Round)]
    finished = next((e for e in events if isinstance(e, Finished)), None)
    drawn, clock = [], 0.0
    for round_ in rounds:
        drawn.append(_round(round_, clock))
        clock += round_.times.timed
    return {
        "name": name,
        "prompt": _prompt(prefill.prompt) if prefill else [],
        "rounds": drawn,
        "duration": _time(clock),
        "stopped": {"reason": finished.reason, "detail": finished.detail} if finished else None,
        "numbers": _numbers(prefill, rounds, finished, clock),
    }


def _round(round_: Round, start: float) -> dict:
    times = round_.times
    drafted_at = start + times.draft
    verified_at = drafted_at + times.verify
    decided_at = verified_at + times.decide
    return {
        "index": round_.index,
        "start": _time(start),
        "drafted_at": _time(drafted_at),
        "verified_at": _time(verified_at),
        "decided_at": _time(decided_at),
        "end": _time(start + times.timed),
        "times": {key: _short(value) for key, value in asdict(times).items()},
        "drafted": [_drafted(d) for d in round_.drafted],
        "emitted": [_emitted(e) for e in round_.emitted],
        "residual": _residual(round_.residual),
        "target_cache": asdict(round_.target_cache),
        "draft_cache": asdict(round_.draft_cache) if round_.draft_cache else None,
        "target_forwards": round_.target_forwards,
        "draft_forwards": round_.draft_forwards,
        "shown": _shown(round_, start, drafted_at, verified_at, decided_at),
    }


def _shown(round_: Round, start: float, drafted_at: float, verified_at: float, decided_at: float) -> list[dict]:
    """The spans of one round in reading order: the draft block, struck or kept, then the token that follows it.

    `drafted` and `emitted` point into the round. A draft token appears `at` its share of the drafting time, waits for the
    target's pass, and gets its role when it is `decided`: one examined token after the other, inside the time of deciding;
    what was never examined falls with the last of them. What replaces or follows the block comes when all is decided.
    """
    spans = []
    ghosts = _inside(start, drafted_at, len(round_.drafted))
    examined = sum(d.verdict != "unexamined" for d in round_.drafted)
    verdicts = _inside(verified_at, decided_at, examined)
    for i, d in enumerate(round_.drafted):
        emitted = i if d.verdict == "accepted" else None
        text, kind = _face(d.token, round_.emitted[emitted].piece if emitted is not None else "")
        spans.append(
            {
                "role": d.verdict,
                "text": text,
                "kind": kind,
                "drafted": i,
                "emitted": emitted,
                "at": _time(ghosts[i]),
                "decided": _time(verdicts[min(i, examined - 1)] if examined else decided_at),
            }
        )
    for i, e in enumerate(round_.emitted):
        if e.role != "accepted":
            text, kind = _face(e.token, e.piece)
            at = _time(decided_at)
            spans.append({"role": e.role, "text": text, "kind": kind, "drafted": None, "emitted": i, "at": at, "decided": at})
    return spans


def _inside(begin: float, end: float, count: int) -> list[float]:
    """`count` moments spread evenly between two, neither of them one of the two."""
    return [begin + (end - begin) * (i + 1) / (count + 1) for i in range(count)]


def _face(token: Token, piece: str) -> tuple[str, str]:
    """What a token looks like in running text: what it adds, or its own name when it adds nothing yet."""
    if piece:
        return _clip(piece), "completes" if token.partial else "text"
    return _clip(token.text), "bytes" if token.partial else "text"


def _prompt(tokens: tuple[Token, ...]) -> list[dict]:
    """The prompt's tokens with their faces. No piece comes with them, so characters are put together here from named bytes."""
    decoder, shown = codecs.getincrementaldecoder("utf-8")("replace"), []
    for token in tokens:
        try:
            piece = decoder.decode(bytes.fromhex(token.text.strip("⟨⟩"))) if token.partial else ""
        except ValueError:
            piece = ""
        text, kind = _face(token, piece)
        shown.append({**_token(token), "shown": text, "kind": kind})
    return shown


def _token(token: Token) -> dict:
    return {"id": token.id, "text": _clip(token.text), "partial": token.partial}


def _drafted(d: Drafted) -> dict:
    numbers = {"q": _short(d.q), "p": _short(d.p), "ratio": _short(d.ratio), "u": _short(d.u)}
    return {"token": _token(d.token), **numbers, "verdict": d.verdict, "position": _position(d.position)}


def _emitted(e: Emitted) -> dict:
    return {"token": _token(e.token), "role": e.role, "u": _short(e.u), "position": _position(e.position)}


def _position(position: Position | None) -> dict | None:
    if position is None:
        return None
    return {
        "entries": [{"token": _token(e.token), "p": _short(e.p), "q": _short(e.q)} for e in position.entries],
        "p_rest": _short(position.p_rest),
        "q_rest": _short(position.q_rest),
        "beta": _short(position.beta),
        "p_entropy": _short(position.p_entropy),
        "q_entropy": _short(position.q_entropy),
    }


def _residual(residual: Residual | None) -> dict | None:
    if residual is None:
        return None
    entries = [{"token": _token(e.token), "p": _short(e.probability)} for e in residual.entries]
    return {"entries": entries, "rest": _short(residual.rest), "mass": _short(residual.mass)}


def _numbers(prefill: Prefill | None, rounds: list[Round], finished: Finished | None, decode_ms: float) -> dict:
    """Counted again from the rounds, so that a lane stopped half-way has the same numbers as a whole one."""
    tokens = sum(len(r.emitted) for r in rounds)
    drafted = [d for r in rounds for d in r.drafted]
    accepted = sum(d.verdict == "accepted" for d in drafted)
    tested = sum(d.verdict != "unexamined" for d in drafted)
    betas = [d.position.beta for d in drafted if d.verdict != "unexamined" and d.position and d.position.beta is not None]
    target_forwards = rounds[-1].target_forwards if rounds else 0
    prefill_ms = prefill.target_ms + prefill.draft_ms if prefill else 0.0
    full = finished is not None and finished.reason in ("length", "context")  # its last token leaves no room to draft
    return {
        "tokens": tokens,
        "rounds": len(rounds),
        "decode_ms": _short(decode_ms),
        "prefill_ms": _short(prefill_ms),
        "observe_ms": _short(sum(r.times.observe for r in rounds)),
        "capture_ms": _short(finished.capture_ms if finished else 0.0),
        "eager": finished.eager if finished else "",
        "tokens_per_second": _ratio(1000 * tokens, decode_ms),
        "tokens_per_second_end_to_end": _ratio(1000 * tokens, decode_ms + prefill_ms) if tokens else None,
        "target_forwards": target_forwards,
        "draft_forwards": rounds[-1].draft_forwards if rounds else 0,
        "tokens_per_forward": _ratio(tokens, target_forwards),
        "tokens_per_round": _ratio(tokens, len(rounds)),
        "drafted": len(drafted),
        "drafted_per_round": _ratio(len(drafted), len(rounds)),
        "undrafted": sum(not r.drafted for r in (rounds[:-1] if full else rounds)),
        "tested": tested,
        "accepted": accepted,
        "accepted_of_drafted": _ratio(accepted, len(drafted)),
        "accepted_of_tested": _ratio(accepted, tested),
        "alpha": _ratio(sum(betas), len(betas)),
        "alpha_positions": len(betas),
        "split": {part: _short(sum(getattr(r.times, part) for r in rounds)) for part in ("draft", "verify", "decide", "rest")},
    }


def _comparison(trace: Trace, vanilla: dict | None, speculative: dict | None) -> dict | None:
    """The two lanes side by side: ratios of tokens per second, and where their texts part. None unless both began."""
    if vanilla is None or speculative is None:
        return None
    a, b = vanilla["numbers"], speculative["numbers"]
    tokens = [[e.token for r in lane if isinstance(r, Round) for e in r.emitted] for lane in (trace.vanilla, trace.speculative)]
    ids = [[token.id for token in lane] for lane in tokens]
    common = next((i for i, (x, y) in enumerate(zip(*ids, strict=False)) if x != y), min(map(len, ids)))
    parts = common < min(map(len, ids))
    whole = all(lane["stopped"] and lane["stopped"]["reason"] not in STOPPED for lane in (vanilla, speculative))
    speedup = _ratio(b["tokens_per_second"], a["tokens_per_second"])
    return {
        "speedup": speedup,
        "kind": _called(trace.header, speedup),
        "speedup_end_to_end": _ratio(b["tokens_per_second_end_to_end"], a["tokens_per_second_end_to_end"]),
        "whole": whole,
        "same": ids[0] == ids[1],
        "common": common,
        "parts": parts,
        "parted": [_token(lane[common]) for lane in tokens] if parts else None,
        "greedy": trace.header.config.greedy,
        "logits": _logits(trace.header),
    }


def _called(header: Header, speedup: float | None) -> str | None:
    """What the speedup may be called; at K = 0 both lanes do the same, and no difference is a gain or a loss."""
    return None if speedup is None else called(speedup) if header.config.K else "alike"


def _logits(header: Header) -> dict | None:
    """Where greedy lanes part: the logits of both tokens, by a pass over one token and by the block's."""
    found = header.divergence
    if found is None:
        return None
    by = {"alone": found.alone, "block": found.block}
    return {f"{way}_{lane}": _short(getattr(logits, lane)) for way, logits in by.items() for lane in ("vanilla", "speculative")}


def _ratio(part: float | None, whole: float | None) -> float | None:
    return _short(part / whole) if part is not None and whole else None


def _short(value: float | None) -> float | None:
    """Six significant digits are more than a screen shows and halve what is sent; JSON has no infinity."""
    return float(f"{value:.6g}") if value is not None and isfinite(value) else None


def _time(ms: float) -> float:
    """A moment on a lane's clock, to a tenth of a microsecond at any length of run: moments may not change their order."""
    return round(ms, 4) if isfinite(ms) else 0.0


def _clip(text: str) -> str:
    if len(text) <= LONGEST_TOKEN:
        return text
    return f"{text[: LONGEST_TOKEN - 1]}… ({len(text):,} characters)"
