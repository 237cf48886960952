"""What follows from a lane's ids and settings without any model: lengths, caches, passes, what was asked for, how it ended, text."""

from collections.abc import Sequence

from ...config import DecodeConfig
from ...trace.events import Cache, Event, Finished, Prefill, Round
from ...trace.header import Header, ModelInfo
from .cases import Case
from .drafts import Draft, copied
from .ledger import Ledger
from .numbers import UNSURE

LOST = "\ufffd"  # what a decoder writes for bytes that are no character


def asked(case: Case, config: DecodeConfig, limit: int | None) -> int | None:
    """How many tokens the drafter was asked for: K, or what the length leaves room for, since a round emits one more than it drafts.
    Under adaptive K the round's choice is in the place of K. None where the trace says none."""
    most = config.K
    if config.adaptive and config.K:
        if case.round.choice is None:
            return case.round.asked
        most = case.round.choice.K
    return None if limit is None else min(most, limit - len(case.text) - 1)


def held_by(info: ModelInfo, before: int, peak: int, after: int, again: bool = False) -> Cache:
    """What a model's cache holds around a block. `again`: its states cannot be cut, so what stays of a block is fed again unless all stays."""
    fed = after - before if again and after < peak else 0
    return Cache(before, peak, after, fed, info.window if info.window and after > info.window else None)


def rounds(
    ledger: Ledger, some: list[Case], header: Header, config: DecodeConfig, draft: Draft | None, limit: int | None
) -> None:
    """Caches, passes, how much was drafted and why not more."""
    # a model that takes one token a pass has a copy after each
    again = any(case.round.target_cache and case.round.target_cache.replayed for case in some) and header.target.state_layers > 0
    passes, held = 0, draft.prefill(len(some[0].text)) if draft and some else None
    for case in some:
        r, n, k, want = case.round, len(case.text), len(case.block), asked(case, config, limit)
        m = n + len(case.out)
        ledger.rounds += 1
        ledger.same("target cache", case.where, r.target_cache, held_by(header.target, n - 1, n + k, m - 1, again))
        if draft is None or held is None:
            ledger.same("draft cache", case.where, r.draft_cache, None)
        else:
            before = held
            peak, held = draft.cache(before, n, k, m, want)
            shown = held_by(
                header.draft or header.target, before, peak, held
            )  # of states there is a copy after each drafted token
            ledger.same("draft cache", case.where, r.draft_cache, shown)
        passes += draft.passes(k) if draft else 0
        ledger.same("passes", case.where, (r.target_forwards, r.draft_forwards), (r.index + 1, passes))
        _asked(ledger, case, config, draft, want)


def _asked(ledger: Ledger, case: Case, config: DecodeConfig, draft: Draft | None, want: int | None) -> None:
    r, k = case.round, len(case.block)
    if want is None:
        ledger.skip("how many tokens were asked for: the trace does not say")
        return
    if r.asked is not None:
        ledger.same("asked", case.where, r.asked, want)
    room = want
    if draft and draft.room is not None:
        room = max(0, min(want, draft.room - len(case.text) + 1))
    if draft and draft.kind == "lookup":
        ledger.same("draft drawn", case.where, case.block, copied(case.text, want))
        room = k
    if draft and draft.features and len(case.text) < 2:
        room = 0
    ends = [name for name in UNSURE if getattr(config, name)]
    if ends and 0 < k < room:  # whether it was low is asked where q is known
        room = k
    ledger.same("drafted", case.where, k, room)
    if r.asked is None:
        return
    stopped = 0 < k < want and r.fewer in ends
    if not stopped:
        most = r.choice.K if r.choice else config.K
        ledger.same("fewer", case.where, r.fewer, _why(k, want, most, config.K, draft, len(case.text)))


def _why(k: int, want: int, most: int, K: int, draft: Draft | None, n: int) -> str | None:
    """`want` was asked for, and `most` where there was room; the drafter's own cause comes first, then the length."""
    if k == want:
        return "length" if k < most else "adaptive" if k < K else None
    if draft and draft.kind == "lookup":
        return "lookup"
    if draft and draft.features and n < 2:
        return "start"
    short = draft is not None and draft.room is not None and k == max(0, draft.room - n + 1)
    return "context" if short else "confidence"


def prefill(ledger: Ledger, lane: str, first: Prefill, draft: Draft | None) -> None:
    n = len(first.prompt)
    ledger.same("target cache", f"{lane}, prefill", first.target_positions, n - 1)
    ledger.same("draft cache", f"{lane}, prefill", first.draft_positions, draft.prefill(n) if draft else None)


def ending(ledger: Ledger, lane: str, events: Sequence[Event], config: DecodeConfig, eos, limit: int | None) -> None:
    """What ended the run, and that nothing should have ended it before."""
    end, some = events[-1], [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]
    assert isinstance(end, Finished)
    emitted = [e for r in events for e in getattr(r, "emitted", ())]
    where, n = f"{lane}, end", len(some) + len(emitted)
    if eos is None:
        ledger.skip("whether an end-of-sequence token ended the run: the trace does not say which ids end one")
    elif not config.ignore_eos:
        *before, last = [e.token.id for e in emitted] or [None]
        ledger.holds("ending", where, end.reason, not eos.intersection(before), "an end-of-sequence token stands before the end")
        ledger.holds("ending", where, end.reason, (end.reason == "eos") == (last in eos), "the last token says otherwise")
    rounds = [e for e in events if isinstance(e, Round)]
    passes = (rounds[-1].target_forwards, rounds[-1].draft_forwards) if rounds else (0, 0)
    ledger.same("passes", where, (end.target_forwards, end.draft_forwards), passes)
    written = end.text[: len(end.text) - len(emitted[-1].piece)] if emitted else ""
    ledger.holds("ending", where, end.reason, not any(s in written for s in config.stop), "a stop string stands before the end")
    if end.reason == "stop":
        ledger.holds("ending", where, end.detail, end.detail in config.stop and end.detail in end.text, "it is not in the text")
    if end.reason == "eos" and emitted:
        ledger.same("ending", where, end.detail, emitted[-1].token.text)
    if limit is None:
        return
    ledger.holds("ending", where, n, n <= limit, f"at most {limit} positions")
    reason, detail = "length", f"max_new_tokens of {config.max_new_tokens}"
    if limit < len(some) + config.max_new_tokens:
        reason, detail = "context", f"context of {limit}"
    if end.reason in ("length", "context"):
        ledger.same("ending", where, (end.reason, end.detail, n), (reason, detail, limit))
    elif end.reason in ("cancelled", "error"):  # whatever ends a run by itself did not
        ledger.holds("ending", where, end.reason, n < limit, f"{reason}: {n} positions are all")
        ledger.holds("ending", where, end.reason, not any(s in end.text for s in config.stop), "a stop string stands at the end")
        ledger.holds("ending", where, end.detail, end.reason == "error" or not end.detail, "nothing")


def pieces(ledger: Ledger, lane: str, events: Sequence[Event], tokenizer) -> None:
    """What each token adds to the text: what decoding up to it gives beyond decoding up to the one before."""
    ids = [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]

    def decoded(some: list[int]) -> str:
        return tokenizer.decode(some, skip_special_tokens=True, clean_up_tokenization_spaces=False)

    said, lost = decoded(ids), decoded(ids).endswith(LOST)
    for r in (event for event in events if isinstance(event, Round)):
        for i, e in enumerate(r.emitted):
            ids.append(e.token.id)
            now = decoded(ids)
            if lost or not now.startswith(said):
                ledger.skip("pieces around bytes that are not a character")
                said, lost = now, now.endswith(LOST)
                continue
            piece = "" if now.endswith(LOST) else now[len(said) :]
            ledger.same("piece", f"{lane}, round {r.index + 1}, token {i + 1}", e.piece, piece)
            said = said + piece


def names(ledger: Ledger, tokens: Sequence, tokenizer) -> None:
    """What each token is called alone: what it adds after a plain one; bytes that are no whole character by their numbers."""
    anchor = tokenizer.encode("a", add_special_tokens=False)[-1]
    before, special = tokenizer.decode([anchor]), set(tokenizer.added_tokens_decoder)
    for token in dict.fromkeys(tokens):
        raw = tokenizer.convert_ids_to_tokens(token.id)
        text = tokenizer.decode([anchor, token.id], clean_up_tokenization_spaces=False).removeprefix(before)
        if raw is None:
            ledger.same("name", f"token {token.id}", (token.text, token.partial), (f"⟨unused {token.id}⟩", False))
        elif token.id in special:
            ledger.same("name", f"token {token.id}", (token.text, token.partial), (raw, False))
        elif LOST in text and (data := _broken(raw)):
            ledger.same("name", f"token {token.id}", (token.text, token.partial), (f"⟨{data.hex(' ').upper()}⟩", True))
        else:
            ledger.same("name", f"token {token.id}", (token.text, token.partial), (text, False))


def _broken(raw: str) -> bytes | None:
    """The bytes of a token as vocabularies write them, <0xE2> or by GPT-2's alphabet, where they are no whole characters."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    alphabet = {letter: byte for byte, letter in bytes_to_unicode().items()}
    numbered = raw.startswith("<0x") and raw.endswith(">")
    data = bytes.fromhex(raw[3:-1]) if numbered else b"".join(bytes([alphabet[c]]) if c in alphabet else c.encode() for c in raw)
    try:
        data.decode()
    except UnicodeDecodeError:
        return data
    return None


def prompt_ids(header, tokenizer) -> list[int]:
    """Of the prompt: through the chat template, or as it is after exactly one beginning-of-sequence id where there is one."""
    if header.chat and not tokenizer.chat_template:
        return []
    if header.chat:
        said = [{"role": "user", "content": header.prompt}]
        text = tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        return tokenizer.encode(text, add_special_tokens=False)
    ids = tokenizer.encode(header.prompt, add_special_tokens=False)
    return ids if tokenizer.bos_token_id is None or ids[:1] == [tokenizer.bos_token_id] else [tokenizer.bos_token_id, *ids]
