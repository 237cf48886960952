"""What a header says of models, machine and times, compared with the checkpoint and with what the lanes say; what was written, a second
time: the prompt's ids, what each token is called and adds, what ended the run; and what a run's grammar allows, by partial matches of
the package regex, token by token. The engine reads all tokens through an automaton of its own, of which nothing is used here.

A trace that has `exact` was written since all fields of docs/trace.md were: in an older one what is null is counted as not redone.
"""

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import regex
import torch

from ...config import DecodeConfig
from ...drafters import DRAFTERS, NO_PASS
from ...trace import tree
from ...trace.events import (
    LANES,
    Q8_ACTIVATIONS,
    Q8_UNFUSED,
    Event,
    Finished,
    Header,
    LaneTime,
    ModelInfo,
    Prefill,
    Trace,
    rounds_of,
)
from .checkpoint import BLOCK_DTYPES, AuditError, Checkpoint, count_numbers, eos_ids, gguf_files, in_whole_blocks, stored_types
from .drafts import kind_of
from .ledger import Case, Ledger

HALF_DTYPES = ("bfloat16", "float16")
ROUNDING_MS = 1e-6  # ms by which sums of the same times may part


def on_cpu(header: Header) -> bool:
    return header.machine.device.startswith("CPU")


def check_presence(ledger: Ledger, header: Header, what: str, value: object) -> bool:
    """Whether a field that older traces lack is there; in a trace that is not older it must be."""
    there = value is not None and value != ()
    if not there and header.exact is None:
        ledger.skip(f"{what}: an older trace does not say it")
    elif not there:
        ledger.check("header", what, value, False, "told by every trace that has `exact`")
    return there


def check_header(ledger: Ledger, trace: Trace, target: Checkpoint, draft: Checkpoint | None, folder: Path | None) -> None:
    """`draft`: of a drafter that is a model of its own; `folder`: of its weights, if it has any."""
    header = trace.header
    check_presence(ledger, header, "exact", header.exact)
    ledger.equal("header", "engine_version", header.engine_version, "")
    if check_presence(ledger, header, "eos", header.eos):
        ledger.equal("header", "eos", header.eos, eos_ids(target))
    check_presence(ledger, header, "chat", header.chat)
    rounds = [(lane, r) for lane in LANES for r in rounds_of(getattr(trace, lane))]
    for lane, r in rounds if header.exact is not None else ():  # an older trace may say it of none
        ledger.check("asked", f"{lane}, round {r.index + 1}", r.asked, r.asked is not None, "a number of tokens")
    _check_model(ledger, header, "target", header.target, target)
    if header.draft:
        check_presence(ledger, header, "drafter", header.drafter)
        _check_draft(ledger, header, header.draft, target, draft, folder)
    else:
        ledger.equal("header", "drafter", header.drafter, None)
    _check_clocks(ledger, trace)
    _check_repeats(ledger, trace)


def _check_model(ledger: Ledger, header: Header, where: str, stated: ModelInfo, checkpoint: Checkpoint) -> None:
    config = checkpoint.config.get_text_config()
    shape = stated.family, stated.layers, stated.width, stated.vocabulary
    ledger.equal("header", where, shape, (config.model_type, config.num_hidden_layers, config.hidden_size, checkpoint.vocabulary))
    counts = checkpoint.parameters, count_numbers(checkpoint.folder)  # a tied matrix may be stored twice
    ledger.check("header", f"{where}, parameters", stated.parameters, stated.parameters in counts, f"{counts[0]}")
    ledger.check("header", f"{where}, forward", stated.forward, stated.forward in ("own", "transformers"), "own or transformers")
    blocks = stated.dtype in BLOCK_DTYPES  # from 4 to 16 bits for each number
    right = counts[0] / 2 <= stated.size <= 2 * counts[0] if blocks else stated.size == 0
    ledger.check("header", f"{where}, size", stated.size, right, "bytes of blocks, else 0")
    known = ("", Q8_ACTIVATIONS, Q8_UNFUSED) if blocks else ("",)
    ledger.check("header", f"{where}, arithmetic", stated.arithmetic, stated.arithmetic in known, " or ".join(map(repr, known)))
    dtypes = {"float32", *stored_types(checkpoint.folder), *(BLOCK_DTYPES if gguf_files(checkpoint.folder) else ())}
    if on_cpu(header):
        ledger.check("header", f"{where}, dtype", stated.dtype, stated.dtype in dtypes, " or ".join(sorted(dtypes)))
    elif stated.dtype not in stored_types(checkpoint.folder):  # a GPU's may be asked for
        known = stated.dtype in ("float32", *HALF_DTYPES)
        ledger.check("header", f"{where}, dtype", stated.dtype, known, "a type that weights have")
        ledger.skip(f"whether {where} ran in {stated.dtype}: its files hold another type")
    if stated.forward == "transformers":
        ledger.check("header", f"{where}, why", stated.why, bool(stated.why), "why the pass is not our own")
    if check_presence(ledger, header, f"{where}, context", stated.context):
        most = getattr(config, "max_position_embeddings", None) if stated.forward == "own" else checkpoint.context
        ledger.equal("header", f"{where}, context", stated.context, most)
    cache_layers = (checkpoint.window, checkpoint.state_layers) if stated.forward == "transformers" else (None, 0)
    ledger.equal("header", f"{where}, layers", (stated.window, stated.state_layers), cache_layers)
    check_presence(ledger, header, f"{where}, weights", stated.weights)


def _check_draft(
    ledger: Ledger, header: Header, stated: ModelInfo, target: Checkpoint, model: Checkpoint | None, folder: Path | None
) -> None:
    own, kind = header.target, kind_of(header)  # an older trace names none
    if model:
        _check_model(ledger, header, "draft", stated, model)
        return
    if kind in NO_PASS:
        count = count_numbers(folder, "count") if folder else 0
        name, family = kind if folder is None else stated.name, DRAFTERS[kind].family or ""
        expected = ModelInfo(name, family, 0, 0, own.vocabulary, count, "none", "none", weights=stated.weights)
    elif kind == "early-exit":
        name = f"first {stated.layers} of {own.layers} layers"
        expected = replace(own, name=name, layers=stated.layers, parameters=0, size=0)
    elif kind == "oracle":
        expected = own
    elif DRAFTERS[kind].colon == "folder" and folder:
        layers, parameters = heads_size(folder, kind, target)
        family = DRAFTERS[kind].family or ""
        expected = replace(own, name=stated.name, family=family, layers=layers, parameters=parameters, size=0)
        expected = replace(expected, weights=stated.weights, note=_head_note(stated.note, folder))
        if own.arithmetic and kind != "mtp" and in_whole_blocks(folder):
            expected = replace(expected, dtype="Q8_0", size=parameters * 34 // 32)
        elif own.arithmetic:
            expected = replace(expected, dtype=min(stored_types(folder)), arithmetic="")
    else:
        return
    if folder:
        check_presence(ledger, header, "draft, weights", stated.weights)
    for f in fields(ModelInfo):
        ledger.equal("header", f"draft, {f.name}", getattr(stated, f.name), getattr(expected, f.name))


def _head_note(note: str, folder: Path) -> str:
    """The note, if all that it names stands in the head's config; what is read there is the engine's to say."""
    before, _, names = note.partition(": ")
    config = json.loads((folder / "config.json").read_text("utf-8")) if note and (folder / "config.json").is_file() else {}
    keys = {*config, *config.get("eagle_config", {}), *config.get("transformer_layer_config", {})}
    return note if before == "its config names what is not read" and {*names.split(", ")} <= keys else ""


def heads_size(folder: Path, kind: str, target: Checkpoint) -> tuple[int, int]:
    """How many layers they have, and how many numbers: of multi-token heads in the target's own checkpoint without the rest of that."""
    if kind != "mtp":
        later = [i for i in range(1, 99) if count_numbers(folder, f"layers.{i}.input_layernorm.weight")]
        return 1 + len(later), count_numbers(folder)
    layers = target.config.num_hidden_layers
    deepseek = count_numbers(folder, "eh_proj.weight") > 0
    at = [f"model.layers.{layers + i}." if deepseek else f"model.mtp_layers.{i}." for i in range(99)]
    at = [prefix for prefix in at if count_numbers(folder, f"{prefix}{'eh_proj' if deepseek else 'input_proj'}.weight")]
    return len(at), sum(count_numbers(folder, prefix) for prefix in at) if folder == target.folder else count_numbers(folder)


def _check_clocks(ledger: Ledger, trace: Trace) -> None:
    """Times follow from nothing but each other."""
    cpu, own = on_cpu(trace.header), trace.header.target
    for lane in LANES:
        events = getattr(trace, lane)
        rounds, end = rounds_of(events), events[-1] if events else None
        if not isinstance(end, Finished) or not isinstance(events[0], Prefill):
            continue
        where, first = f"{lane}, end", events[0]
        ledger.near("clocks", where, end.prefill_ms or 0.0, (first.target_ms or 0.0) + (first.draft_ms or 0.0), ROUNDING_MS)
        for r in rounds:
            timed = sum(part or 0.0 for part in (r.times.draft, r.times.verify, r.times.decide, r.times.rest))
            part = r.times.replay <= timed + ROUNDING_MS
            ledger.check("clocks", f"{lane}, round {r.index + 1}, replay", r.times.replay, part, f"at most {timed:.6g} ms")
        for r in rounds if lane == "vanilla" or trace.header.draft is None else ():
            ledger.equal("clocks", f"{lane}, round {r.index + 1}", r.times.draft, 0.0)
        if own.forward == "own" and cpu:  # else a device or a spread target has its own reasons
            drafts = trace.header.draft if lane == "speculative" else None
            why = own.why or (drafts.why if drafts and drafts.forward == "own" else "")
            plain = f"passes are not compiled: {why}" if why else ""
            ledger.check("eager", where, end.eager, end.eager == plain, plain or "empty: passes are compiled")
        if cpu:
            ledger.equal("clocks", where, (end.device_ms, end.capture_ms), (None, 0.0))
        else:
            least = sum((r.times.draft or 0.0) + (r.times.verify or 0.0) for r in rounds)
            # the host knows a decision before the device passes the mark behind it, which on a busy device is late
            most = least + sum((r.times.decide or 0.0) + (r.times.rest or 0.0) for r in rounds)
            right = not rounds or (end.device_ms is not None and least - ROUNDING_MS <= end.device_ms <= most + ROUNDING_MS)
            ledger.check("clocks", where, end.device_ms, right, f"{least:.6g} to {most:.6g} ms of the device")


def _check_repeats(ledger: Ledger, trace: Trace) -> None:
    """The run whose events are here is the one of the middle speedup; of two in the middle the slower one."""
    repeats = trace.header.repeats
    if not repeats:
        return
    ends = [getattr(trace, lane)[-1] if getattr(trace, lane) else None for lane in LANES]
    times = tuple(LaneTime(end.decode_ms, end.processor_ms) for end in ends if isinstance(end, Finished))
    speedups = [each.vanilla.decode_ms / max(1e-9, each.speculative.decode_ms) for each in repeats]
    middle = sorted(speedups)[(len(repeats) - 1) // 2]
    right = any((r.vanilla, r.speculative) == times and s == middle for r, s in zip(repeats, speedups, strict=True))
    ledger.check("repeats", "header", len(repeats), right and len(repeats) > 1, "no run of the middle speedup is this one")


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
    rounds = rounds_of(events)
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
    for r in rounds_of(events):
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


MATCH_SECONDS = 2.0  # of one match: an expression comes from anybody, and this matcher goes back


class Masks:
    """Of one `expression` over the tokens of a target. `prompt_length`: ids that no grammar reads; `eos`: ids that end a text."""

    def __init__(self, expression: str, tokenizer, vocabulary: int, prompt_length: int, eos: frozenset[int]):
        self.expression, self.prompt_length, self.eos = regex.compile(expression, regex.ASCII), prompt_length, eos
        names = (token_name(tokenizer, id) for id in range(vocabulary))
        # what is special or no whole character adds nothing
        self.words = [name if kind == "plain" else "" for name, kind in names]
        self.firsts = {word[0] for word in self.words if word}
        self.mask_after = lru_cache(64)(self._mask_after)

    def _matches(self, text: str, partial: bool = True) -> bool:
        try:
            return self.expression.fullmatch(text, partial=partial, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            raise AuditError("the grammar takes too long to be matched a second time") from None

    def _mask_after(self, text: str) -> torch.Tensor | None:
        """Which tokens [V] may follow a text; None where none may."""
        firsts = {first for first in self.firsts if self._matches(text + first)}
        matches = [bool(word) and word[0] in firsts and self._matches(text + word) for word in self.words]
        ends = self._matches(text, partial=False)
        mask = torch.tensor([ends if id in self.eos else allowed for id, allowed in enumerate(matches)])
        return mask if bool(mask.any()) else None

    def by_node(self, case: Case) -> dict[int, torch.Tensor | None]:
        """By node, −1 for the text. Nothing follows a token that is void or ends the text."""
        text = "".join(self.words[id] for id in case.text[self.prompt_length :])
        texts, masks = {-1: text}, {-1: self.mask_after(text)}
        for node, (id, parent) in enumerate(zip(case.block, tree.parents(case.round.drafted), strict=True)):
            mask = masks[parent]
            texts[node] = texts[parent] + self.words[id]
            masks[node] = self.mask_after(texts[node]) if mask is not None and bool(mask[id]) and id not in self.eos else None
        return masks


def mask_logits(logits: dict, masks: dict[int, torch.Tensor | None]) -> dict:
    """The target's logits by node, as p is made from them."""
    return {node: row if masks[node] is None else row.masked_fill(~masks[node], -torch.inf) for node, row in logits.items()}


def check_masks(ledger: Ledger, case: Case, masks: dict[int, torch.Tensor | None]) -> None:
    """Which drafted tokens are void, and which of the emitted ones the grammar forced."""
    parents, path = tree.parents(case.round.drafted), tree.path(case.round.drafted)
    for i, (d, parent) in enumerate(zip(case.round.drafted, parents, strict=True)):
        mask = masks[parent]
        ledger.equal("void", case.token(i), d.void, mask is not None and not bool(mask[d.token.id]))
    places = [*(parents[node] for node in path), path[-1] if path else -1]
    for i, (e, place) in enumerate(zip(case.round.emitted, places, strict=False)):
        mask = masks[place]
        ledger.equal("forced", f"{case.where}, token {i + 1}", e.forced, mask is not None and int(mask.sum()) == 1)
