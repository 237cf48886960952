"""What a header says of models, machine and times, compared with the checkpoint and with what the lanes say.

A trace that has `exact` was written since all fields of docs/trace.md were: in an older one what is null is counted as not redone.
"""

import json
from dataclasses import fields, replace
from pathlib import Path

from ...drafters import DRAFTERS, NO_PASS
from ...trace.events import Finished, Prefill, Round
from ...trace.header import LANES, Header, LaneTime, ModelInfo, Trace
from .checkpoint import Checkpoint, count_numbers, eos_ids, gguf_files, stored_types
from .drafts import kind_of
from .gguf import BLOCK_DTYPES
from .ledger import Ledger

HALF_DTYPES = ("bfloat16", "float16")
ROUNDING_MS = 1e-6  # ms by which sums of the same times may part


def on_cpu(header: Header) -> bool:
    return header.machine.device.startswith("CPU")


def check_presence(ledger: Ledger, header: Header, what: str, value: object) -> bool:
    """Whether a field that older traces lack is there; in a trace that is not older it must be."""
    if value is None or value == ():
        if header.exact is None:
            ledger.skip(f"{what}: an older trace does not say it")
        else:
            ledger.check("header", what, value, False, "told by every trace that has `exact`")
    return not (value is None or value == ())


def check_header(ledger: Ledger, trace: Trace, target: Checkpoint, draft: Checkpoint | None, folder: Path | None) -> None:
    """`draft`: of a drafter that is a model of its own; `folder`: of its weights, if it has any."""
    header = trace.header
    check_presence(ledger, header, "exact", header.exact)
    ledger.equal("header", "engine_version", header.engine_version, "")
    if check_presence(ledger, header, "eos", header.eos):
        ledger.equal("header", "eos", header.eos, eos_ids(target))
    check_presence(ledger, header, "chat", header.chat)
    rounds = [(lane, event) for lane in LANES for event in getattr(trace, lane) if isinstance(event, Round)]
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
        name = kind if folder is None else stated.name
        expected = ModelInfo(
            name, DRAFTERS[kind].family or "", 0, 0, own.vocabulary, count, "none", "none", weights=stated.weights
        )
    elif kind == "early-exit":
        name = f"first {stated.layers} of {own.layers} layers"
        expected = replace(own, name=name, layers=stated.layers, parameters=0, size=0)
    elif kind == "oracle":
        expected = own
    elif DRAFTERS[kind].colon == "folder" and folder:
        layers, parameters = heads_size(folder, kind, target)
        family = DRAFTERS[kind].family or ""
        expected = replace(
            own, name=stated.name, family=family, layers=layers, parameters=parameters, size=0, weights=stated.weights,
            note=_head_note(stated.note, folder),
        )  # fmt: skip
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
        rounds, end = [e for e in events if isinstance(e, Round)], events[-1] if events else None
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
    ledger.equal("repeats", "header", trace.header.config.adaptive, False)
