"""What was written, a second time: the prompt's ids, what each token is called and adds, and what ended the run."""

from collections.abc import Sequence
from typing import Literal

from ...config import DecodeConfig
from ...trace.events import Event, Finished, Prefill, Round
from .ledger import Ledger

REPLACEMENT = "\ufffd"  # what a decoder writes for bytes that are no character


def check_ending(ledger: Ledger, lane: str, events: Sequence[Event], config: DecodeConfig, eos, limit: int | None) -> None:
    """What ended the run, and that nothing should have ended it before."""
    end, prompt = events[-1], [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]
    assert isinstance(end, Finished)
    emitted = [e for r in events for e in getattr(r, "emitted", ())]
    where, n = f"{lane}, end", len(prompt) + len(emitted)
    if eos is None:
        ledger.skip("whether an end-of-sequence token ended the run: the trace does not say which ids end one")
    elif not config.ignore_eos:
        *before, last = [e.token.id for e in emitted] or [None]
        ledger.check("ending", where, end.reason, not eos.intersection(before), "an end-of-sequence token stands before the end")
        ledger.check("ending", where, end.reason, (end.reason == "eos") == (last in eos), "the last token says otherwise")
    rounds = [e for e in events if isinstance(e, Round)]
    passes = (rounds[-1].target_forwards, rounds[-1].draft_forwards) if rounds else (0, 0)
    ledger.equal("passes", where, (end.target_forwards, end.draft_forwards), passes)
    earlier = end.text[: len(end.text) - len(emitted[-1].piece)] if emitted else ""
    ledger.check("ending", where, end.reason, not any(s in earlier for s in config.stop), "a stop string stands before the end")
    if end.reason == "stop":
        ledger.check("ending", where, end.detail, end.detail in config.stop and end.detail in end.text, "it is not in the text")
    if end.reason == "eos" and emitted:
        ledger.equal("ending", where, end.detail, emitted[-1].token.text)
    if limit is None:
        return
    ledger.check("ending", where, n, n <= limit, f"at most {limit} positions")
    reason, detail = "length", f"max_new_tokens of {config.max_new_tokens}"
    if limit < len(prompt) + config.max_new_tokens:
        reason, detail = "context", f"context of {limit}"
    if end.reason in ("length", "context"):
        ledger.equal("ending", where, (end.reason, end.detail, n), (reason, detail, limit))
    elif end.reason in ("cancelled", "error"):  # whatever ends a run by itself did not
        ledger.check("ending", where, end.reason, n < limit, f"{reason}: {n} positions are all")
        ledger.check("ending", where, end.reason, not any(s in end.text for s in config.stop), "a stop string stands at the end")
        ledger.check("ending", where, end.detail, end.reason == "error" or not end.detail, "nothing")


def check_pieces(ledger: Ledger, lane: str, events: Sequence[Event], tokenizer) -> None:
    """What each token adds to the text: what decoding up to it gives beyond decoding up to the one before."""
    ids = [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]

    def decoded(tokens: list[int]) -> str:
        return tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)

    before, lost = decoded(ids), decoded(ids).endswith(REPLACEMENT)
    for r in (event for event in events if isinstance(event, Round)):
        for i, e in enumerate(r.emitted):
            ids.append(e.token.id)
            now = decoded(ids)
            if lost or not now.startswith(before):
                ledger.skip("pieces around bytes that are not a character")
                before, lost = now, now.endswith(REPLACEMENT)
                continue
            piece = "" if now.endswith(REPLACEMENT) else now[len(before) :]
            ledger.equal("piece", f"{lane}, round {r.index + 1}, token {i + 1}", e.piece, piece)
            before = before + piece


def check_names(ledger: Ledger, tokens: Sequence, tokenizer) -> None:
    for token in dict.fromkeys(tokens):
        name, kind = token_name(tokenizer, token.id)
        ledger.equal("name", f"token {token.id}", (token.text, token.partial), (name, kind == "partial"))


def token_name(tokenizer, id: int) -> tuple[str, Literal["plain", "special", "partial"]]:
    """A token's name: what it adds after a plain one; bytes that are no whole character by their numbers."""
    raw = tokenizer.convert_ids_to_tokens(id)
    if raw is None or id in tokenizer.added_tokens_decoder:
        return raw or f"⟨unused {id}⟩", "special"
    anchor = tokenizer.encode("a", add_special_tokens=False)[-1]
    text = tokenizer.decode([anchor, id], clean_up_tokenization_spaces=False).removeprefix(tokenizer.decode([anchor]))
    data = _partial_bytes(raw) if REPLACEMENT in text else None
    return (f"⟨{data.hex(' ').upper()}⟩", "partial") if data else (text, "plain")


def _partial_bytes(raw: str) -> bytes | None:
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
        messages = [{"role": "user", "content": header.prompt}]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return tokenizer.encode(text, add_special_tokens=False)
    ids = tokenizer.encode(header.prompt, add_special_tokens=False)
    return ids if tokenizer.bos_token_id is None or ids[:1] == [tokenizer.bos_token_id] else [tokenizer.bos_token_id, *ids]
