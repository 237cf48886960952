"""Every format that is read, as a table: where its counts stand, what each is called there and here, and how sure we are of that.

    FORMATS["vllm_requests"].evidence           # "run here: 0.32"
    counts(document, format)                    # Acceptance, or Moment where a mean stands alone, or RecordError

The names on the left are ours (record.py), each with one meaning whoever counted it. Of several names on the right the first that is there
is read: versions differ, newest first. `a/b` is b inside a; a name that begins with / stands at the document's root, not beside the
counts. Ratios are not read where there are counts: they follow from these, and engines divide by different things.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..grammar import WHOLE
from .document import count_list, count_of, nested, number_of, short
from .record import Acceptance, Engine, Moment, Of, RecordError, dense_list

# what stands behind a format: a run of ours, or what others wrote
RUN, SAMPLE, PAPER = "run here", "public sample", "documentation"
RATES = ("tokens_per_second", "tokens_per_step", "accepted_of_drafted", "running", "waiting", "ms_per_token", "running_cap")


@dataclass(frozen=True)
class Format:
    """`name`: what such a file is called in a sentence. `evidence`: a run here, a public sample, or documentation, and of what version.
    `places`: (path, names that must be there) of the part with the counts. `fields`: ours → theirs. `known`: theirs that are not read.
    `draft_pattern`: which other names of the part are of speculative decoding, so that they are shown as unknown. `save`, `contains`: what to save
    to get such a file, and what is in it, for docs/records.md."""

    engine: Engine
    name: str
    evidence: str
    of: Of = "requests"
    places: tuple[tuple[str, str], ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    known: str = ""
    draft_pattern: str = ""
    save: str = field(kw_only=True)
    contains: str = field(kw_only=True)

    @cached_property
    def paths(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        return tuple((tuple(filter(None, path.split("/"))), tuple(names.split())) for path, names in self.places)

    @cached_property
    def names(self) -> tuple[tuple[str, tuple[tuple[bool, tuple[str, ...]], ...]], ...]:
        """Our name, and of each of theirs whether it stands at the root, and its path."""
        return tuple(
            (ours, tuple((name.startswith("/"), tuple(name.strip("/").split("/"))) for name in theirs.split()))
            for ours, theirs in self.fields.items()
        )

    @cached_property
    def all_known(self) -> frozenset[str]:
        beside = {path[0] for _, theirs in self.names for root, path in theirs if not root}
        return frozenset(beside | set(self.known.split()) | {name for _, names in self.paths for name in names})

    def part(self, document: dict) -> dict | None:
        """The part of a document that holds the counts; None if it is of another format."""
        for path, names in self.paths:
            part: Any = document
            for name in path:
                part = (
                    part.get(name)
                    if isinstance(part, dict)
                    else part[0]
                    if name == "0" and isinstance(part, list) and part
                    else None
                )
            if isinstance(part, dict) and all(part.get(name) is not None for name in names):
                return part
        return None

    def unread(self, part: dict) -> dict[str, object]:
        """Names of speculative decoding that are unknown, with their values."""
        return {name: value for name, value in part.items() if name not in self.all_known and re.search(self.draft_pattern, name)}


AIPERF_ENGINES: dict[str, Engine] = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM", "tensorrt_llm": "TensorRT-LLM"}
TOTAL = "total_{0}/avg"
SAME_NAMES = {name: name for name in ("num_draft_tokens", "num_accepted_draft_tokens", "num_spec_steps", "num_spec_tokens", "per_step_accepted", "per_step_drafted")}  # fmt: skip
USAGE = {"completion_tokens": "/usage/completion_tokens", "prompt_tokens": "/usage/prompt_tokens"}
SGLANG_NAMES = {
    "num_draft_tokens": "spec_num_proposed_drafts spec_proposed_drafts spec_draft_token_num",
    "num_accepted_draft_tokens": "spec_num_correct_drafts spec_accepted_drafts spec_accept_token_num",
    "num_spec_steps": "spec_verify_ct",
    "acceptance_histogram": "spec_correct_drafts_histogram spec_accept_histogram",
    "tokens_per_step": "spec_accept_length",
    "completion_tokens": "completion_tokens /usage/completion_tokens",
    "prompt_tokens": "prompt_tokens /usage/prompt_tokens",
}
SGLANG_GAUGES = {
    "tokens_per_step": "speculative/accept_length avg_spec_accept_length",
    "rate": "speculative/accept_rate",
    "running": "num_running_reqs",
    "waiting": "num_waiting_reqs",
    "tokens_per_second": "gen_throughput last_gen_throughput",
}

# Those of one JSON document a request or a run, in the order in which they are tried.
DOCUMENTS: dict[str, Format] = {
    "aiperf_requests": Format(
        "another engine", "a record of AIPerf", f"{PAPER}: AIPerf 0.13, its models", places=(("spec_decode_acceptance", ""),),
        fields={**SAME_NAMES, "acceptance_histogram": "acceptance_histogram", "completion_tokens": "completion_tokens", "tokens_per_second": "/metrics/output_token_throughput_per_user/value", "prompt_tokens": "/metrics/input_sequence_length/value"},
        known="engine mean_acceptance_length draft_acceptance_rate",
        save="`profile_export.jsonl` of `aiperf profile --export-level records`",
        contains="a histogram for each request, tokens per second; steps if the engine gives them",
    ),
    "aiperf_totals": Format(
        "another engine", "totals of AIPerf", f"{PAPER}: AIPerf 0.13, its models", "bench",
        (("", "total_draft_tokens"), ("", "pooled_spec_decode_acceptance_histogram")),
        {"num_draft_tokens": TOTAL.format("draft_tokens"), "num_accepted_draft_tokens": TOTAL.format("accepted_draft_tokens"), "num_spec_steps": TOTAL.format("spec_decode_steps"), "acceptance_histogram": "pooled_spec_decode_acceptance_histogram", "tokens_per_second": "/output_token_throughput_per_user/avg"},
        "spec_decode_acceptance_length spec_decode_token_weighted_acceptance_length spec_decode_draft_acceptance_rate spec_decode_overall_draft_acceptance_rate spec_decode_accepted_per_verified spec_decode_steps spec_decode_accepted_draft_tokens spec_decode_draft_tokens output_token_throughput_per_user",
        "draft|spec_",
        save="`profile_export_aiperf.json`",
        contains="totals and the pooled histogram",
    ),
    "vllm_bench": Format(
        "vLLM", "a result of vllm bench serve", f"{RUN}: 0.32", "bench", (("", "spec_decode_draft_tokens output_throughput"),),
        {"num_draft_tokens": "spec_decode_draft_tokens", "num_accepted_draft_tokens": "spec_decode_accepted_tokens", "num_spec_steps": "spec_decode_num_drafts", "position_shares": "spec_decode_per_position_acceptance_rates", "completion_tokens": "total_output_tokens", "ms_per_token": "mean_tpot_ms", "running": "max_concurrency"},
        "spec_decode_acceptance_rate spec_decode_acceptance_length", "^spec_decode_",
        save="the file of `--save-result`",
        contains="totals of the run and acceptance by position, the load, tokens per second",
    ),
    "vllm_requests": Format(
        "vLLM", "a response of vLLM", f"{RUN}: 0.32",
        places=(("metrics/speculative_decoding", "num_draft_tokens"), ("speculative_decoding", "num_draft_tokens"), ("", "histogram num_draft_tokens")),
        fields={**SAME_NAMES, "acceptance_histogram": "acceptance_histogram histogram", **USAGE, "tokens_per_second": "/metrics/tokens_per_second /tokens_per_second"},
        known="mean_acceptance_length draft_acceptance_rate",
        save="responses, one per line or as a stream (`curl -N`), from a server with `--per-request-spec-decode-metrics detailed`. In a script: each `CompletionOutput.spec_decode_metrics` as JSON",
        contains="every step: tokens drafted and accepted. With `summary` only a histogram",
    ),
    "sglang_bench": Format(
        "SGLang", "a result of sglang.bench_serving", f"{PAPER}: 0.5, its source", "bench", (("", "accept_length output_throughput"),),
        {"tokens_per_step": "accept_length", "running": "concurrency", "tokens_per_second": "output_throughput"}, draft_pattern="spec|draft|accept",
        save="the file of `--output-file`",
        contains="the mean length of each run",
    ),
    "sglang_requests": Format(
        "SGLang", "a response of SGLang", f"{PAPER}: 0.5, its source",
        places=tuple((path, "spec_verify_ct") for path in ("meta_info", "choices/0/meta_info", "sglext/spec_tokens_details", "")),
        fields=SGLANG_NAMES, known="spec_accept_rate", draft_pattern="^spec_",
        save="responses with `meta_info`, one per line or as a stream",
        contains="steps and a histogram for each request",
    ),
    "mlx_vlm": Format(
        "mlx-vlm", "a response of mlx-vlm", f"{PAPER}: its pull requests 1788 and 2324", places=(("timings", "draft_rounds draft_n"),),
        fields={"num_draft_tokens": "draft_n", "num_accepted_draft_tokens": "draft_n_accepted", "num_spec_steps": "draft_rounds", "completion_tokens": "predicted_n", "prompt_tokens": "prompt_n", "tokens_per_second": "predicted_per_second"},
        known="draft_kind", draft_pattern="^(draft|spec)",
        save="responses with `timings` that have `draft_rounds`",
        contains="steps, tokens drafted and accepted",
    ),
    "llamacpp_requests": Format(
        "llama.cpp", "a response of llama.cpp", f"{RUN}: November 2026", places=(("timings", "draft_n"),),
        fields={"num_draft_tokens": "draft_n", "num_accepted_draft_tokens": "draft_n_accepted", "completion_tokens": "predicted_n", "tokens_per_second": "predicted_per_second", "prompt_tokens": "prompt_n", "cached_tokens": "cache_n"},
        draft_pattern="^(draft|spec)",
        save="responses with `timings`, one per line or as a stream",
        contains="tokens drafted and accepted, tokens per second; no steps",
    ),
    "tensorrt_requests": Format(
        "TensorRT-LLM", "a record of TensorRT-LLM", f"{PAPER}: 1.3, its source; its pull request 19311",
        places=tuple((path, "total_draft_tokens") for path in ("request_perf_metrics/speculative_decoding", "perf_metrics/speculative_decoding", "speculative_decoding", "choices/0/speculative_decoding")),
        fields={"num_draft_tokens": "total_draft_tokens", "num_accepted_draft_tokens": "total_accepted_draft_tokens", **{name: name for name in ("num_spec_steps", "num_spec_tokens", "acceptance_histogram")}}, known="acceptance_rate",
        save="the JSON of `/perf_metrics`, or `request_perf_metrics`; responses with `speculative_decoding`, one per line or as a stream",
        contains="tokens drafted and accepted; in responses also a histogram",
    ),
    "tensorrt_responses": Format(
        "TensorRT-LLM", "a response of TensorRT-LLM", f"{SAMPLE}: 1.x", places=(("choices/0", "avg_decoded_tokens_per_iter"),),
        fields={"tokens_per_step": "avg_decoded_tokens_per_iter", **USAGE}, draft_pattern="draft|spec_",
        save="responses with `avg_decoded_tokens_per_iter`",
        contains="the mean length over all passes",
    ),
    "lmstudio": Format(
        "LM Studio", "a response of LM Studio", f"{PAPER}: its REST API", places=(("stats", "total_draft_tokens_count"), ("usage", "total_draft_tokens_count")),
        fields={"num_draft_tokens": "total_draft_tokens_count", "num_accepted_draft_tokens": "accepted_draft_tokens_count", "rejected": "rejected_draft_tokens_count", "ignored": "ignored_draft_tokens_count", **USAGE, "tokens_per_second": "/stats/tokens_per_second"},
        known="tokens_per_second time_to_first_token time_to_first_token_seconds generation_time stop_reason input_tokens total_output_tokens reasoning_output_tokens model_load_time_seconds prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details",
        save="responses with `stats`, one per line",
        contains="tokens drafted and accepted, tokens per second; no steps",
    ),
    "macmlx": Format(
        "macMLX", "a response of macMLX", f"{SAMPLE}: its pull request 68", places=(("usage/speculative_decoding", "proposed_tokens accepted_tokens"),),
        fields={"num_draft_tokens": "proposed_tokens", "num_accepted_draft_tokens": "accepted_tokens", **USAGE}, known="acceptance_rate",
        save="responses with `usage.speculative_decoding`",
        contains="tokens drafted and accepted",
    ),
    "openai": Format(
        "OpenAI", "a response with a predicted output", f"{PAPER}: OpenAI's API", places=(("usage/completion_tokens_details", "accepted_prediction_tokens rejected_prediction_tokens"),),
        fields={"num_accepted_draft_tokens": "accepted_prediction_tokens", "rejected": "rejected_prediction_tokens", **USAGE},
        known="reasoning_tokens audio_tokens", draft_pattern="prediction|draft",
        save="responses to a request with a predicted output",
        contains="tokens predicted and accepted",
    ),
    # what a report printed as text, whose labels are its names (report.py)
    "vllm_script": Format(
        "vLLM", "the report of vLLM's example script", f"{SAMPLE}: 0.1x", "bench", (("", "num_drafts num_draft_tokens num_accepted_tokens"),),
        {"num_draft_tokens": "num_draft_tokens", "num_accepted_draft_tokens": "num_accepted_tokens", "num_spec_steps": "num_drafts", "position_shares": "positions", "completion_tokens": "total_num_output_tokens"},
        "mean_acceptance_length", "draft|accept",
        save="what `spec_decode.py` prints",
        contains="totals and acceptance by position",
    ),
    "vllm_bench_report": Format(
        "vLLM", "the report of vllm bench serve", f"{PAPER}: 0.32, its source", "bench", (("", "Drafts Draft_tokens Accepted_tokens"),),
        {"num_draft_tokens": "Draft_tokens", "num_accepted_draft_tokens": "Accepted_tokens", "num_spec_steps": "Drafts", "position_shares": "positions", "completion_tokens": "Total_generated_tokens", "ms_per_token": "Mean_TPOT_(ms)", "running": "Maximum_request_concurrency"},
        "Acceptance_rate_(%) Acceptance_length", "(?i)draft|accept",
        save="its report as text",
        contains="totals of the run and acceptance by position, the load, tokens per second",
    ),
    "sglang_bench_report": Format(
        "SGLang", "the report of sglang.bench_serving", f"{SAMPLE}: 0.5", "bench", (("", "Accept_length"),),
        {"tokens_per_step": "Accept_length", "running": "Concurrency", "tokens_per_second": "Output_token_throughput_(tok/s)"}, draft_pattern="(?i)draft|accept",
        save="its report as text",
        contains="the mean length of each run",
    ),
    "llamacpp_example": Format(
        "llama.cpp", "the report of llama-speculative", f"{SAMPLE}: 2024 to 2026", "bench", (("", "n_drafted n_accept"),),
        {"num_draft_tokens": "n_drafted", "num_accepted_draft_tokens": "n_accept", "num_spec_tokens": "n_draft", "completion_tokens": "n_predict"}, "accept", "draft|accept",
        save="what `llama-speculative` prints",
        contains="tokens drafted and accepted",
    ),
}  # fmt: skip

# Those that a reader of their own puts together: pages.py, logs.py, iterations.py, watched.py.
FORMATS: dict[str, Format] = {
    **DOCUMENTS,
    "vllm_log": Format(
        "vLLM", "a log of vLLM", f"{RUN}: 0.32; {SAMPLE}: 0.26", "log",
        save="what `vllm serve` prints, also among other lines",
        contains="acceptance by position, load and pace, every ten seconds",
    ),
    "vllm_v0_log": Format(
        "vLLM", "a log of vLLM V0", f"{SAMPLE}: 0.7", "log",
        save="the lines “Speculative metrics”",
        contains="tokens drafted, accepted (each by its own test) and written",
    ),
    "sglang_log": Format(
        "SGLang", "a log of SGLang", f"{SAMPLE}: 0.5", "log",
        save="what `sglang.launch_server` prints, from its first line",
        contains="mean length, load and pace over time; no counts",
    ),
    "sglang_finish": Format(
        "SGLang", "a log of SGLang's requests", f"{SAMPLE}: 0.5", "requests",
        save="the lines “Finish” of `--log-requests`",
        contains="the mean length or the counts of each request",
    ),
    "llamacpp_log": Format(
        "llama.cpp", "a log of llama.cpp", f"{RUN}: November 2026; {SAMPLE}: May and June 2026",
        save="what `llama-server` prints",
        contains="each request: tokens, prompt, tokens per second, steps; since June 2026 also positions",
    ),
    "vllm_page": Format(
        "vLLM", "a metrics page of vLLM", f"{RUN}: 0.32", "server",
        save="`curl …/metrics`, or `LLM.get_metrics()` as JSON",
        contains="totals and acceptance by position, since the server started",
    ),
    "sglang_page": Format(
        "SGLang", "a metrics page of SGLang", f"{SAMPLE}: 0.5, names and labels", "gauges",
        save="`curl …/metrics` of a server with `--enable-metrics`, while requests run",
        contains="mean length and K of the last interval; no counts",
    ),
    "llamacpp_page": Format(
        "llama.cpp", "a metrics page of llama.cpp", f"{RUN}: November 2026", "server",
        save="`curl …/metrics` of `llama-server --metrics`",
        contains="totals; in later versions also by position",
    ),
    "tensorrt_page": Format(
        "TensorRT-LLM", "a metrics page of TensorRT-LLM", f"{PAPER}: 1.3, its source", "server",
        save="its Prometheus page, `trtllm_spec_decode_…`; with `return_perf_metrics: true` by position",
        contains="totals; by position, of requests that have ended, also steps and acceptance by position",
    ),
    "lmdeploy_page": Format(
        "LMDeploy", "a metrics page of LMDeploy", f"{PAPER}: its source and tests", "server",
        save="its metrics page, `lmdeploy:spec_decode_…`",
        contains="totals and acceptance by position",
    ),
    "lmdeploy_log": Format(
        "LMDeploy", "a log of LMDeploy", f"{PAPER}: 0.16, its source", "log",
        save="what `lmdeploy serve api_server` prints with a `--speculative-algorithm`",
        contains="acceptance by position, load and pace, every ten seconds",
    ),
    "other_page": Format(
        "another engine", "a metrics page with vLLM's counters", f"{PAPER}: vLLM's names", "server",
        save="a metrics page with vLLM's counters behind another prefix",
        contains="totals and acceptance by position",
    ),
    "tensorrt_iterations": Format(
        "TensorRT-LLM", "iteration stats of TensorRT-LLM", f"{PAPER}: 1.3, its source", "log",
        save="its iteration stats, from `/metrics` of `trtllm-serve` or `get_stats()`",
        contains="steps, tokens drafted and accepted, and the load over time",
    ),
    "sglang_server": Format(
        "SGLang", "SGLang's /get_server_info or /v1/loads", f"{SAMPLE}: 0.5", "gauges",
        (("internal_states/0", "avg_spec_accept_length"), ("loads/0", "speculative")), SGLANG_GAUGES,
        save="`/get_server_info` or `/v1/loads?include=spec`",
        contains="mean length, K, load",
    ),
    "watched": Format(
        "another engine", "what specviz server saved", f"{RUN}: this version", "difference",
        save="what `specviz server` saved",
        contains="counts or gauges over time",
    ),
}  # fmt: skip


def values(document: dict, format: Format, part: dict | None = None) -> dict[str, Any]:
    """Our names → what the document says, each of its type and within its bounds. What is not told is absent. RecordError names the field."""
    part = part if part is not None else format.part(document) or {}
    by_name = {}
    for ours, theirs in format.names:
        for root, path in theirs:
            holder: dict | None = document if root else part
            if len(path) > 1:
                holder = nested(holder, *path[:-1])
            if holder is not None and holder.get(path[-1]) is not None and (value := _value(ours, holder, path)) is not None:
                by_name[ours] = value
                break
    return by_name


def _value(ours: str, holder: dict, path: tuple[str, ...]) -> Any:
    name = path[-1]
    if ours in RATES or ours == "rate":
        return number_of(holder, name)
    if ours == "position_shares":
        return _shares(name, holder[name])
    if ours == "acceptance_histogram" and isinstance(holder[name], dict):
        return _sparse(holder[name])
    if ours in ("acceptance_histogram", "per_step_accepted", "per_step_drafted"):
        return count_list(holder, name)
    if name in ("avg", "value"):  # AIPerf's totals are floats; a mean length of prompts is not the prompt's
        number = number_of(holder, name) or 0.0
        if number == int(number):
            return int(number)
        if ours == "prompt_tokens":
            return None
        raise RecordError(f"{path[0]} must be a whole number under {name}, found {short(holder[name])}")
    return count_of(holder, name)


def _shares(name: str, shares: object) -> tuple[float, ...] | None:
    if not isinstance(shares, list) or not all(type(each) in (int, float) and 0 <= each <= 1 for each in shares):
        raise RecordError(f"{name} must be numbers from 0 to 1, found {short(shares)}")
    return tuple(shares) or None


def _sparse(histogram: dict) -> tuple[int, ...]:
    """JSON has texts for keys: {"0": 34, "2": 19}."""
    if not all(key.isascii() and key.isdigit() and len(key) < 6 and type(count) is int for key, count in histogram.items()):
        raise RecordError(f"acceptance_histogram must give steps for each number of accepted tokens, found {short(histogram)}")
    return dense_list({int(key): count for key, count in histogram.items()})


def counts(document: dict, format: Format, part: dict | None = None) -> Acceptance | Moment:
    """What one document counted; a Moment where it gives a mean and no counts. RecordError if it cannot be."""
    fields = values(document, format, part)
    if (
        "num_draft_tokens" not in fields
        and "tokens_per_step" not in fields
        and format.engine == "SGLang"
        and fields.get("num_spec_steps")
    ):
        # the first token is the prefill's: a step wrote one of the others
        fields["tokens_per_step"] = max(0, fields.get("completion_tokens", 0) - 1) / fields["num_spec_steps"] or None
    if fields.get("num_spec_steps") == 0 and "num_draft_tokens" not in fields:
        return Acceptance(0, 0, 0, completion_tokens=fields.get("completion_tokens"))
    if "tokens_per_step" in fields and "num_draft_tokens" not in fields:
        return Moment(
            tokens_per_step=fields["tokens_per_step"], steps=fields.get("num_spec_steps"), running=fields.get("running"),
            tokens_per_second=fields.get("tokens_per_second"),
        )  # fmt: skip
    return acceptance(fields, dict(format.fields))


def acceptance(fields: dict[str, Any], theirs: dict[str, str]) -> Acceptance:
    """`fields`: as `values` gives it; `theirs`: what its names are called in the file."""
    histogram, steps = fields.get("acceptance_histogram"), fields.get("num_spec_steps")
    accepted, drafted = fields.get("num_accepted_draft_tokens"), fields.get("num_draft_tokens")
    others = fields.get("rejected", 0) + fields.get("ignored", 0)
    if accepted is None and histogram is not None:
        accepted = sum(i * n for i, n in enumerate(histogram))
    if drafted is None and accepted is not None and "rejected" in fields:
        drafted = accepted + others
    for name, value in (("num_draft_tokens", drafted), ("num_accepted_draft_tokens", accepted)):
        if value is None:
            raise RecordError(
                f"{theirs.get(name, name).split()[0].strip('/')} is missing; it must be a whole number from 0 to {WHOLE}"
            )
    assert accepted is not None and drafted is not None
    if others and accepted + others > drafted:  # without others `Acceptance` says it
        raise RecordError(
            f"{accepted} accepted, {fields.get('rejected', 0)} rejected and {fields.get('ignored', 0)} ignored tokens do not add up to {drafted} drafted ones"
        )  # fmt: skip
    shares, gap, prompt = fields.get("position_shares"), fields.get("ms_per_token"), fields.get("prompt_tokens")
    return Acceptance(
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        num_spec_steps=sum(histogram) if steps is None and histogram is not None else steps,
        num_spec_tokens=fields.get("num_spec_tokens") or (len(shares) if shares else None),
        acceptance_histogram=histogram,
        accepted_per_position=tuple(round(each * steps) for each in shares) if shares and steps else None,
        per_step_accepted=fields.get("per_step_accepted"),
        per_step_drafted=fields.get("per_step_drafted"),
        completion_tokens=fields.get("completion_tokens"),
        tokens_per_second=1e3 / gap if gap else fields.get("tokens_per_second"),
        prompt_tokens=None if prompt is None else prompt + fields.get("cached_tokens", 0),
    )
