"""A metrics page → a record: vLLM's counters since its start, or SGLang's gauges of its last interval.

    vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 96.0
    sglang:spec_accept_length{dp_rank="0",tp_rank="0",…} 2.4 1795302497000
    name_total{label="…"} 20.0 # {trace_id="…"} 1.0 1795302497.1

A page is Prometheus text or OpenMetrics (prometheus.io/docs/instrumenting/exposition_formats, the OpenMetrics specification 1.0): a time
or an exemplar may follow a value, and both are passed over. `LLM.get_metrics()` gives the same samples.

Engines of one server are summed up, models are not. SGLang's gateway writes _ for :. SGLang has gauges and no counts of tokens:
a rank that decoded nothing says 0, which is no mean, and ranks that hold the same requests (tensor, pipeline, expert) repeat each other.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from statistics import fmean
from typing import NamedTuple

from ..file import until_stopped
from .document import Unknown, count_list, count_of, short
from .record import LONGEST, Acceptance, Idle, Moment, Notes, RecordError, ServerRecord, dense_list

METRIC_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?')


class Sample(NamedTuple):
    name: str
    labels: dict[str, str]
    value: float


def is_exposition(text: str) -> bool:
    """Whether the first line that is neither blank nor a comment is a sample, or a comment of this format stands before it."""
    for line in text[:100_000].splitlines():
        line = line.strip()
        if line.startswith(("# HELP", "# TYPE", "# EOF", "# UNIT")):
            return True
        if line and not line.startswith("#"):
            name = METRIC_NAME.match(line)
            return name is not None and (line.startswith("{", name.end()) or _sample(line) is not None)
    return False


def samples(text: str) -> Iterator[Sample]:
    """One after the other. RecordError at a line that is none."""
    for number, line in enumerate(until_stopped(text.splitlines()), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        sample = _sample(line)
        if sample is None:
            raise RecordError(f"line {number} is not a sample of a metric: {short(line)}")
        yield sample


def _sample(line: str) -> Sample | None:
    name = METRIC_NAME.match(line)
    if name is None:
        return None
    at, labels = name.end(), {}
    if line.startswith("{", at):
        at += 1
        while label := LABEL.match(line, at):
            labels[label[1]], at = label[2], label.end()
        if not line.startswith("}", at):
            return None
        at += 1
    value = line[at:].partition(" # {")[0]
    values = value.split(maxsplit=2)
    try:
        numbers = [float(each) for each in values]  # the value, and a time
    except ValueError:
        return None
    return Sample(name[0], labels, numbers[0]) if len(numbers) in (1, 2) else None


GAUGES = {"spec_accept_length", "spec_accept_rate", "spec_num_steps", "spec_num_draft_tokens", "spec_verify_calls"}  # SGLang's
COUNTERS = {
    "spec_decode_num_drafts": "num_spec_steps",
    "spec_decode_num_draft_tokens": "num_draft_tokens",
    "spec_decode_num_accepted_tokens": "num_accepted_draft_tokens",
    "spec_decode_num_accepted_tokens_per_pos": "accepted_per_position",
}
NAME = re.compile(r"(vllm(?=:)|sglang)[:_](.+)")
DRAFT_NAMES = re.compile(r"spec_|draft|speculat|accept")  # names of speculative decoding, whoever counts
COPIES = {"tp_rank", "pp_rank", "moe_ep_rank", "ep_rank", "pid"}  # ranks that hold the same requests
MAX_DRAFTED = 257  # num_draft_tokens that is tried for SGLang's rate: trees of servers are smaller


def read(samples: Sequence[Sample]) -> ServerRecord | None:
    """None where nothing of speculative decoding is counted that is known. RecordError if it is of several models or engines."""
    engines: dict[str, list[Sample]] = {}
    for name, labels, value in samples:
        if match := NAME.fullmatch(name):
            engines.setdefault(match[1], []).append(Sample(match[2].removesuffix("_total"), labels, value))
    unread = {engine: Unknown() for engine in engines}
    for name, _, value in samples:
        engine, own = match.groups() if (match := NAME.fullmatch(name)) else ("", "")
        # when a counter began is no counter
        if own.startswith("spec_") and not own.endswith("_created") and own.removesuffix("_total") not in {*COUNTERS, *GAUGES}:
            unread[engine].add(name, value)
    records = [
        replace(record, unread=unread[engine].all())
        for engine, own in engines.items()
        if (record := _gauges(own) if engine == "sglang" else _counters(own))
    ]
    if len(records) > 1:
        raise RecordError(f"it has the counts of {' and of '.join(sorted(engines))}: a page must be from one engine")
    return records[0] if records else None


def _counters(samples: Sequence[Sample]) -> ServerRecord | None:
    """vLLM's four counters, summed up. None where none is there."""
    totals: dict[str, int] = {}
    positions: dict[int, int] = {}
    counter_samples = [each for each in samples if each.name in COUNTERS]
    if len(models := {each.labels.get("model_name", "") for each in counter_samples}) > 1:
        raise RecordError(f"it has the counts of {len(models)} models; it must have those of one")
    for name, labels, value in counter_samples:
        if not isfinite(value) or value != int(value):
            raise RecordError(f"vllm:{name} must be a whole number, found {short(value)}")
        if name.endswith("per_pos"):
            at = _position(name, labels.get("position", ""))
            positions[at] = positions.get(at, 0) + int(value)
        else:
            totals[COUNTERS[name]] = totals.get(COUNTERS[name], 0) + int(value)
    if not totals and not positions:
        return None
    for ours, theirs in (("num_draft_tokens", "draft_tokens"), ("num_accepted_draft_tokens", "accepted_tokens")):
        if ours not in totals:
            raise RecordError(f"vllm:spec_decode_num_{theirs} is missing; it must be a whole number")
    by_position = dense_list(positions) if positions else None
    part = Acceptance(
        totals["num_draft_tokens"],
        totals["num_accepted_draft_tokens"],
        totals.get("num_spec_steps"),
        len(by_position) if by_position else None,  # every position that a step may draft is counted, also of which none was kept
        accepted_per_position=by_position,
    )
    at_once, notes = server_load(samples, "num_requests_running")
    return ServerRecord("vLLM", "server", (part,), at_once=at_once, notes=notes, format="vllm_page")


def _position(name: str, text: str) -> int:
    """A position's label as its number, from 0. RecordError if it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text) < LONGEST):
        raise RecordError(f"position of vllm:{name} must be from 0 to {LONGEST - 1}, found {short(text)}")
    return int(text)


# ---- gauges ----


def by_requests(samples: Iterable[Sample], name: str) -> list[tuple[dict[str, str], list[float]]]:
    """A gauge's values, put together where only ranks that hold the same requests differ."""
    groups: dict[tuple, tuple[dict[str, str], list[float]]] = {}
    for sample in samples:
        if sample.name == name and isfinite(sample.value) and 0 <= sample.value < 1e12:
            key = tuple(sorted((label, value) for label, value in sample.labels.items() if label not in COPIES))
            groups.setdefault(key, (sample.labels, []))[1].append(sample.value)
    return list(groups.values())


def server_load(samples: Iterable[Sample], name: str) -> tuple[float | None, Notes]:
    """Requests that the whole server decodes at a time. None, with the reason, where copies of a rank tell different numbers."""
    groups = by_requests(samples, name)
    if any(len(set(values)) > 1 for _, values in groups):
        return None, (
            ("load", {"why": "ranks without a dp_rank tell different numbers, so they may be copies or parts of one load"}),
        )
    return sum(values[0] for _, values in groups) or None, ()


def _gauges(samples: Sequence[Sample]) -> ServerRecord | None:
    """SGLang's. None where the page has none. Idle where all say 0: then nothing was decoded."""
    ours = [each for each in samples if each.labels.get("engine_type") != "draft"]
    acceptance = [each for each in ours if each.name in ("spec_accept_length", "spec_accept_rate")]
    if not acceptance:
        return None
    if len(models := {each.labels.get("model_name", "") for each in acceptance}) > 1:
        raise RecordError(f"it has the numbers of {len(models)} models; it must have those of one")
    lengths = [value for _, values in by_requests(ours, "spec_accept_length") for value in values]
    rates = [value for _, values in by_requests(ours, "spec_accept_rate") for value in values if value]
    steps = [value for _, values in by_requests(ours, "spec_num_steps") for value in values if value]
    decoding = [each for each in ours if each.labels.get("engine_type") != "prefill"]
    running, notes = server_load(decoding, "num_running_reqs")
    busy = [length for length in lengths if length]
    if not busy:
        raise Idle("SGLang's accept length is 0: nothing was decoded in the last interval. Save it while requests are running")
    if any(length < 1 for length in busy):
        raise RecordError(f"accept length must be 1 or more, found {min(busy)}: a step writes at least one token")
    if len(busy) < len(lengths):
        notes = (("idle", {"idle": len(lengths) - len(busy), "all": len(lengths)}), *notes)
    K = int(fmean(steps)) if steps else None
    [share] = shares([fmean(busy)], [fmean(rates) if rates else None], K, digit=1e-6)
    moment = Moment(fmean(busy), share, running=running)
    return ServerRecord(
        "SGLang", "gauges", moments=(moment,), at_once=running or None, num_spec_tokens=K, notes=notes, format="sglang_page"
    )


def shares(
    lengths: Sequence[float | None], rates: Sequence[float | None], K: int | None, digit: float = 0.01
) -> list[float | None]:
    """SGLang's `accept rate`, which is one of two things → accepted ÷ drafted of each report. Versions of 2025 print `accept len` ÷
    num_draft_tokens, the extra token in both: 1.95 ÷ 4 = .49, where accepted ÷ drafted is .95 ÷ 3 = .32. A file does not say which, but
    the numbers do: rates that a whole number of draft tokens explains follow from the lengths where K is known, and are None where it
    is not. `digit`: of what the numbers were rounded to."""
    pairs = [(length, rate) for length, rate in zip(lengths, rates, strict=True) if length and rate]
    half = digit / 2 * 1.01
    doubtful = [n for n in range(2, MAX_DRAFTED) if all((a - half) / n - half <= b <= (a + half) / n + half for a, b in pairs)]
    if not pairs or not doubtful:
        return list(rates)
    if K is None or not (K + 1 in doubtful or all(abs((length - 1) / K - rate) < digit for length, rate in pairs)):
        return [None] * len(rates)  # unknown: of a tree, K is not the number of tokens that are drafted
    return [
        None if length is None or rate is None else max(0.0, length - 1) / K for length, rate in zip(lengths, rates, strict=True)
    ]


def metrics_list(documents: list[dict]) -> list[Sample] | None:
    """What `LLM.get_metrics()` gave, as samples; None if it is something else."""
    if not all({"name", "type"} <= each.keys() and {"value", "values", "count"} & each.keys() for each in documents):
        return None
    samples = []
    for each in documents:
        name, labels = each["name"], each.get("labels")
        if not isinstance(name, str) or not name.startswith(("vllm:spec_decode_", "vllm:num_requests_running")):
            continue
        if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
            raise RecordError(f"the labels of {short(name)} must have names and texts")
        if "values" in each:
            values = (count_list(each, "values") or ())[: LONGEST + 1]  # the one too many is refused
            samples += [Sample(name, {**labels, "position": str(i)}, value) for i, value in enumerate(values)]
        elif "value" not in each:  # a histogram: none is known here, and it is named by how many it counted
            samples.append(Sample(f"{name}_count", labels, count_of(each, "count")))
        else:  # a counter is whole; a gauge may be any number
            value = each["value"]
            floating = each["type"] == "Gauge" and isinstance(value, float)
            samples.append(Sample(name, labels, value if floating else count_of(each, "value")))
    return samples
