"""Samples of a metrics page → a Record: counters since the start of a server, or gauges of its last interval.

    vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 96.0
    sglang:spec_accept_length{dp_rank="0",tp_rank="0",…} 2.4

Four counters have the same names in every engine (vLLM's), behind its own prefix: engines of one server are summed up, models are not.
Prometheus' exporters write _ for :, and Ray writes ray_ before. SGLang has gauges and no counts of tokens: a rank that decoded nothing
says 0, which is no mean, and ranks that hold the same requests (tensor, pipeline, expert) repeat each other. TensorRT-LLM counts by
position what was drafted, too, of requests that have ended: its first position is drafted in every step.
The samples come from a page (exposition.py), LLM.get_metrics(), Prometheus' own JSON, or AIPerf's record of a server's metrics.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from statistics import fmean

from .document import Unknown, count_list, count_of, nested, short
from .exposition import Sample
from .record import LONGEST, Acceptance, Engine, Idle, Moment, Notes, Of, RecordError, ServerRecord, dense_list

# prefix: the engine, its format, its gauge of requests that are decoded, other names of speculation that are known
PAGES: dict[str, tuple[Engine, str, str, str]] = {
    "vllm": ("vLLM", "vllm_page", "num_requests_running", "spec_decode_draft_acceptance_rate spec_decode_efficiency spec_decode_num_emitted_tokens"),
    "llamacpp": ("llama.cpp", "llamacpp_page", "requests_processing", ""),
    "trtllm": ("TensorRT-LLM", "tensorrt_page", "num_requests_running", "spec_decode_acceptance_length spec_decode_draft_overhead spec_decode_drafted_tokens spec_decode_accepted_tokens"),
    "lmdeploy": ("LMDeploy", "lmdeploy_page", "num_requests_running", "spec_decode_mean_accept_rate spec_decode_mean_accept_length spec_decode_per_position_accept_rate"),
    "sglang": ("SGLang", "sglang_page", "num_running_reqs", "spec_accept_length spec_accept_rate spec_num_steps spec_num_draft_tokens spec_verify_calls"),
}  # fmt: skip
OTHER: tuple[Engine, str, str, str] = ("another engine", "other_page", "num_requests_running", "")
COUNTERS = {
    "spec_decode_num_drafts": "num_spec_steps",
    "spec_decode_num_draft_tokens": "num_draft_tokens",
    "spec_decode_num_accepted_tokens": "num_accepted_draft_tokens",
    "spec_decode_num_accepted_tokens_per_pos": "accepted_per_position",
}
NAME = re.compile(r"((?:ray_)?(?:vllm|sglang|llamacpp|trtllm|lmdeploy|tgi))[:_](.+)")
ANY_ENGINE = re.compile(rf"(\w+)[:_]((?:{'|'.join(COUNTERS)})(?:_total)?)")  # of another engine, with the same names
DRAFT_NAMES = re.compile(r"spec_|draft|speculat")  # names of speculative decoding, whoever counts
COPIES = {"tp_rank", "pp_rank", "moe_ep_rank", "ep_rank", "pid"}  # ranks that hold the same requests
MAX_DRAFTED = 257  # num_draft_tokens that is tried for SGLang's rate: trees of servers are smaller


def read(samples: Iterable[Sample], of: Of = "server") -> ServerRecord | None:
    """None where nothing of speculative decoding is counted that is known. RecordError if it is of several models or engines."""
    engines: dict[str, list[Sample]] = {}
    theirs: dict[str, dict[str, set[str]]] = {}  # of each engine, how its names are written there
    for name, labels, value in samples:
        if match := NAME.fullmatch(name) or ANY_ENGINE.fullmatch(name):
            engine, rest = match[1].removeprefix("ray_"), match[2].removesuffix("_total")
            engines.setdefault(engine, []).append(Sample(rest, labels, value))
            theirs.setdefault(engine, {}).setdefault(rest, set()).add(name)
    records = {engine: record for engine, own in engines.items() if (record := _read(engine, own, theirs[engine], of))}
    if len(records) > 1:
        raise RecordError(f"it has the counts of {' and of '.join(sorted(records))}: a page must be from one engine")
    for engine, record in records.items():
        for name, names in theirs[engine].items():
            if name in COUNTERS and len({each.removesuffix("_total") for each in names}) > 1:
                raise RecordError(f"its counters stand there twice, as {' and as '.join(sorted(names))}: give one of them")
        return record
    return None


def _read(prefix: str, samples: list[Sample], theirs: dict[str, set[str]], of: Of) -> ServerRecord | None:
    engine, format, running, known = PAGES.get(prefix, OTHER)
    unread = Unknown()
    for name, _, value in samples:
        if name not in COUNTERS and name.startswith("spec_") and not name.endswith("_created") and name not in known.split():
            unread.add(min(theirs[name]), value)
    if engine == "SGLang":
        record = _gauges(samples)
        return record and replace(record, format=format, unread=unread.all())
    part = (ended_requests(samples) if engine == "TensorRT-LLM" else None) or counters(samples, f"{prefix}:")
    if part is None:
        return None
    at_once, notes = server_load(samples, running)
    if engine == "vLLM" and part.accepted_per_position:
        # it counts every position that a step may draft, also those of which none was kept: their number is K
        part = replace(part, num_spec_tokens=len(part.accepted_per_position))
    values = {name: value for name, _, value in samples}
    if engine == "llama.cpp" and (seconds := values.get("tokens_predicted_seconds")) and seconds > 0:
        tokens = values.get("tokens_predicted", 0.0)
        part = replace(part, tokens_per_second=tokens / seconds or None)
    if engine == "vLLM" and "spec_decode_num_emitted_tokens" in values:
        notes += (("v0", {}),)
    return ServerRecord(engine, of, (part,), at_once=at_once, unread=unread.all(), notes=notes, format=format)


def counters(samples: Iterable[Sample], prefix: str = "") -> Acceptance | None:
    """The four counters, summed up. None where none is there."""
    totals: dict[str, int] = {}
    positions: dict[int, int] = {}
    counter_samples = [each for each in samples if each.name in COUNTERS]
    _check_model(counter_samples)
    for name, labels, value in counter_samples:
        if not isfinite(value) or value != int(value):
            raise RecordError(f"{prefix}{name} must be a whole number, found {short(value)}")
        if name.endswith("per_pos"):
            at = _position(prefix + name, labels.get("position", ""))
            positions[at] = positions.get(at, 0) + int(value)
        else:
            totals[COUNTERS[name]] = totals.get(COUNTERS[name], 0) + int(value)
    if not totals and not positions:
        return None
    for ours, theirs in (("num_draft_tokens", "draft_tokens"), ("num_accepted_draft_tokens", "accepted_tokens")):
        if ours not in totals:
            raise RecordError(f"{prefix}spec_decode_num_{theirs} is missing; it must be a whole number")
    return Acceptance(
        totals["num_draft_tokens"], totals["num_accepted_draft_tokens"], totals.get("num_spec_steps"),
        accepted_per_position=dense_list(positions) if positions else None,
    )  # fmt: skip


def ended_requests(samples: Sequence[Sample]) -> Acceptance | None:
    """TensorRT-LLM's counters by position (tensorrt_llm/metrics/collector.py, 1.3), summed up. None where none is above 0."""
    drafted, accepted = dict[int, int](), dict[int, int]()
    by_name = {"spec_decode_drafted_tokens": drafted, "spec_decode_accepted_tokens": accepted}
    ours = [each for each in samples if each.name in by_name]
    _check_model(ours)
    for name, labels, value in ours:
        counts = by_name[name]
        if not isfinite(value) or value != int(value):
            raise RecordError(f"trtllm_{name} must be a whole number, found {short(value)}")
        at = _position(f"trtllm_{name}", labels.get("token_position", ""))
        counts[at] = counts.get(at, 0) + int(value)
    if not any(drafted.values()):
        return None
    K = max(drafted) + 1
    accepted_at = tuple(accepted.get(at, 0) for at in range(max(K, *accepted, 0)))
    return Acceptance(sum(drafted.values()), sum(accepted_at), drafted.get(0, 0), K, accepted_per_position=accepted_at)


def _check_model(samples: Iterable[Sample]) -> None:
    if len(models := {each.labels.get("model_name", "") for each in samples}) > 1:
        raise RecordError(f"it has the counts of {len(models)} models; it must have those of one")


def _position(name: str, text: str) -> int:
    """A position's label as its number, from 0. RecordError if it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text) < LONGEST):
        raise RecordError(f"position of {name} must be from 0 to {LONGEST - 1}, found {short(text)}")
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
    waiting, pace = (sum(v[0] for _, v in groups) if (groups := by_requests(decoding, name)) else None for name in ("num_queue_reqs", "gen_throughput"))  # fmt: skip
    return gauges(lengths, rates, running, waiting, pace, int(fmean(steps)) if steps else None, notes)


def gauges(
    lengths: Sequence[float], rates: Sequence[float], running: float | None, waiting: float | None, pace: float | None,
    K: int | None, notes: Notes = (),
) -> ServerRecord:  # fmt: skip
    """`lengths`: of each rank, 0 where it decoded nothing; `rates`: SGLang's accept rates of those that did. Idle where none did."""
    busy = [length for length in lengths if length]
    if not busy:
        raise Idle("SGLang's accept length is 0: nothing was decoded in the last interval. Save it while requests are running")
    if any(length < 1 for length in busy):
        raise RecordError(f"accept length must be 1 or more, found {min(busy)}: a step writes at least one token")
    if len(busy) < len(lengths):
        notes = (("idle", {"idle": len(lengths) - len(busy), "all": len(lengths)}), *notes)
    [share] = shares([fmean(busy)], [fmean(rates) if rates else None], K, digit=1e-6)
    moment = Moment(0.0, fmean(busy), share, running=running, waiting=waiting, tokens_per_second=pace)
    return ServerRecord("SGLang", "gauges", moments=(moment,), at_once=running or None, num_spec_tokens=K, notes=notes)


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
    return [None if length is None or rate is None else max(0.0, length - 1) / K for length, rate in zip(lengths, rates, strict=True)]  # fmt: skip


# ---- samples that stand in JSON ----


def metrics_list(documents: list[dict]) -> list[Sample] | None:
    """What `LLM.get_metrics()` gave, as samples; None if it is something else."""
    if not all({"name", "type"} <= each.keys() and {"value", "values", "count"} & each.keys() for each in documents):
        return None
    samples = []
    for each in documents:
        name, labels = each["name"], each.get("labels")
        if not isinstance(name, str) or not name.startswith(("vllm:spec_decode_", "vllm:num_requests_running")):
            continue
        labels = _labels(labels, name)
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


def query_samples(document: dict) -> list[Sample] | tuple[list[Sample], list[Sample]] | None:
    """What Prometheus answered to a query: the samples of an instant, or the first and the last ones of a range."""
    answer = nested(document, "data") or {}
    if answer.get("resultType") not in ("vector", "matrix") or not (isinstance(answer.get("result"), list) and answer["result"]):
        return None
    first, last = list[Sample](), list[Sample]()
    for series in answer["result"]:
        fields = series if isinstance(series, dict) else {}
        metric, pairs = fields.get("metric"), fields.get("values", [fields.get("value")])
        if not isinstance(metric, dict) or not isinstance(pairs, list) or not pairs:
            raise RecordError(f"a series of Prometheus must have a metric and values, found {short(series)}")
        name = metric.get("__name__")
        labels = _labels({key: value for key, value in metric.items() if key != "__name__"}, "a series")
        if not isinstance(name, str):
            raise RecordError("its series have no name: ask Prometheus for the counter itself, not for a rate of it")
        for samples, pair in ((first, pairs[0]), (last, pairs[-1])):
            try:
                samples.append(Sample(name, labels, float(pair[1])))
            except (TypeError, ValueError, IndexError, KeyError):
                raise RecordError(f"a value of {short(name)} must be a time and a number, found {short(pair)}") from None
    return (first, last) if answer["resultType"] == "matrix" else last


def aiperf_samples(document: dict) -> list[Sample] | None:
    """AIPerf's `server_metrics_export.json`: what each counter rose by in the run, and the mean of each gauge."""
    metrics = nested(document, "metrics")
    if metrics is None or "aiperf_version" not in document or not all(isinstance(each, dict) and "series" in each for each in metrics.values()):  # fmt: skip
        return None
    samples = []
    for name, metric in metrics.items():
        for series in metric["series"] if isinstance(metric["series"], list) else ():
            stats = nested(series, "stats") or {}
            value: object = next((stats[key] for key in ("total", "avg") if key in stats), None)
            if isinstance(value, int | float) and not isinstance(value, bool):
                labels = {"endpoint": str(series.get("endpoint_url"))} | _labels(series.get("labels") or {}, name)
                samples.append(Sample(name, labels, float(value)))
    return samples


def _labels(labels: object, name: object) -> dict[str, str]:
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise RecordError(f"the labels of {short(name)} must have names and texts")
    return labels
