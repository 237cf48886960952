"""A file that holds nothing of use → one sentence: what it is, what of speculative decoding is there, what is missing, what to save instead.

Nothing is said that the file does not show: a counter that stands there is never called missing, and no drafter is asked for where one is.
"""

from collections.abc import Collection

from .pages import DRAFT_NAMES, NAME
from .record import RecordError

SAVE = {  # engine: where it tells of drafts, to be put after what is missing
    "vLLM": "Start it with --speculative-config and without --disable-log-stats, or save its metrics page: curl http://localhost:8000/metrics > metrics.txt",
    "SGLang": "Start it with --speculative-algorithm; with --enable-metrics also save its metrics page: curl http://localhost:30000/metrics > metrics.txt",
    "llama.cpp": "Start llama-server with -md draft.gguf; with --metrics also save its metrics page: curl http://localhost:8080/metrics > metrics.txt",
    "TensorRT-LLM": "Start it with a speculative_config and return_perf_metrics: true in its YAML, and save its route /perf_metrics",
}  # fmt: skip
ENGINES = "vLLM, AIPerf, SGLang, llama.cpp, TensorRT-LLM, LMDeploy or LM Studio"
HINT = "what to save: docs/records.md"
LOGS = (  # engine, what stands in any log of it, what its lines on drafts begin with
    ("vLLM", ("vllm", "[loggers.py:", "[metrics.py:", "metrics.py:4"), "SpecDecoding metrics", "line “SpecDecoding metrics”"),
    ("SGLang", ("sglang", "Prefill batch", "Decode batch"), "accept len:", "“accept len”"),
    ("llama.cpp", ("slot print_timing", "llama_model_loader", "llama-server", "srv  update_slots"), "draft acceptance", "“draft acceptance”"),
    ("TensorRT-LLM", ("[TensorRT-LLM]", "[TRT-LLM]", "tensorrt_llm"), "", ""),
)  # fmt: skip
PAGES = {
    "vllm": ("vLLM", "that counts no draft", "start vllm serve with --speculative-config, send requests, save the page again"),
    "sglang": ("SGLang", "without spec_accept_length", "start it with --speculative-algorithm and --enable-metrics, and save the page while requests are running"),
    "llamacpp": ("llama.cpp", "that counts no draft", "start llama-server with -md draft.gguf, or save its log, where each request has a line “draft acceptance”"),
    "trtllm": ("TensorRT-LLM", "that counts no draft", SAVE["TensorRT-LLM"]),
    "tgi": ("TGI", "that counts no drafted tokens", "its tokens per pass are 1 + tgi_request_skipped_tokens_sum / tgi_request_skipped_tokens_count"),
    "lmdeploy": ("LMDeploy", "that counts no draft", "start lmdeploy serve with a --speculative-algorithm, send requests, save the page again"),
}  # fmt: skip
DETAILED = "start vllm serve with --per-request-spec-decode-metrics detailed"
DOCUMENTS = (  # names that are all there, what it is, what it has not, what to save
    (("output_throughput", "accept_length"), "a result of sglang.bench_serving", "a number for accept_length", "start SGLang with --speculative-algorithm, and run the benchmark again"),
    (("output_throughput", "mean_ttft_ms"), "a benchmark's result", "counts of drafts", "its server drafts nothing, or vllm is older than the counts. Save curl URL/metrics before and after the benchmark, and give both files"),
    (("Successful_requests",), "a benchmark's printed report", "counts of drafts", "its server drafts nothing, or the benchmark is older than the counts. Save curl URL/metrics before and after it"),
    (("timings",), "a response of llama.cpp", "draft_n", "nothing was drafted for it, or the server has no draft: start llama-server with -md draft.gguf"),
    (("aiperf_version", "metrics"), "AIPerf's record of a server's metrics", "counters of drafts", "start the server with a drafter, and run AIPerf again"),
    (("metadata", "metrics"), "AIPerf's", "spec_decode_acceptance", DETAILED),
    (("request_perf_metrics",), "TensorRT-LLM's record of a request that drafted nothing,", "speculative_decoding", SAVE["TensorRT-LLM"]),
    (("perf_metrics",), "TensorRT-LLM's record of a request that drafted nothing,", "speculative_decoding", SAVE["TensorRT-LLM"]),
    (("iterLatencyMS",), "TensorRT-LLM's iteration stats", "specDecodingStats", "start it with a speculative_config in its YAML"),
    (("stats",), "a response of LM Studio", "counts of drafts", 'choose a draft model for the model in LM Studio, or name one in the request as "draft_model"'),
    (("internal_states",), "SGLang's /get_server_info", "avg_spec_accept_length", "start it with --speculative-algorithm, and save it while requests are running"),
    (("loads",), "SGLang's /v1/loads", "the part “speculative”", "start it with --speculative-algorithm, and ask for /v1/loads?include=spec"),
    (("data", "status"), "what Prometheus answered,", "a counter of drafts", "ask it for vllm:spec_decode_num_draft_tokens_total and its like, for the counter itself and not for a rate"),
    (("choices",), "a response", "counts of drafts", DETAILED + ', or ask SGLang with "return_meta_info": true'),
    (("meta_info",), "a response of SGLang", "spec_verify_ct", "start it with --speculative-algorithm"),
    (("format", "prompt", "config"), "a run saved by specviz", "", "specviz audit redoes it, and the page opens it"),
)  # fmt: skip


def refusal(what: str, missing: str, save: str, there: str = "") -> RecordError:
    """`there`: what of speculative decoding the file has all the same."""
    return RecordError(
        f"this is {what}{f' with {there}, but' if there else ''}{f' without {missing}' if missing else ''}: {save}"
    )


def of_log(text: str) -> RecordError:
    """`text`: the beginning of a file that no reader knows."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if "," in first and (name := next((cell.strip(' "') for cell in first.split(",") if NAME.fullmatch(cell.strip(' "'))), "")):
        return refusal(
            "a table (CSV)", "", "a table does not say what its columns are. Save the metrics page, or what Prometheus answers: curl URL/api/v1/query?query=" + name[:60],
            there=f"the column {name[:60]}",
        )  # fmt: skip
    joined = text.replace("\r", "").replace("\n", "")
    for engine, marks, line_start, line in LOGS:
        if any(mark in text for mark in marks) or (line_start and line_start in joined):
            if line_start and line_start in joined:
                return RecordError(
                    f"this is a log of {engine}, and its lines with “{line_start}” are broken or cut, as a terminal breaks long lines: "
                    "save the log itself, with > server.log 2>&1 behind the command"
                )
            missing = f" without {'a ' if line.startswith('line') else ''}{line}" if line else ", which counts no drafts"
            return RecordError(f"this is a log of {engine}{missing}. {SAVE[engine]}")
    return RecordError(f"it is not a log, a metrics page or responses that specviz knows of {ENGINES} ({HINT})")


def of_page(names: Collection[str]) -> RecordError:
    """`names`: of a metrics page's samples."""
    ours = {match[1].removeprefix("ray_") for name in names if (match := NAME.fullmatch(name))}
    draft_names = sorted(name for name in names if DRAFT_NAMES.search(name))
    for prefix, (engine, missing, save) in PAGES.items():
        if prefix in ours:
            there = f"with {_some(draft_names)}, which specviz cannot read" if draft_names else missing
            return RecordError(f"this is a metrics page of {engine} {there}: {save}")
    if draft_names:
        return RecordError(f"it has {_some(draft_names)}, which specviz cannot read: it knows the counters of {ENGINES} ({HINT})")
    return RecordError(
        "no counter of speculative decoding is in it: does the server run with a drafter, and is this its own page?"
    )


def of_document(document: dict) -> RecordError:
    """`document`: the first one of a JSON file."""
    for names, what, missing, save in DOCUMENTS:
        if all(name in document for name in names):
            if names[0] == "output_throughput" and str(document.get("backend")).startswith("sglang"):
                _, what, missing, save = DOCUMENTS[0]
            if names == ("stats",) and not isinstance(document["stats"], dict):
                continue
            if names == ("choices",) and "prompt_token_ids" not in document and _draft_names(document):
                return RecordError(f"this is a response with {_some(_draft_names(document))}, which specviz cannot read ({HINT})")
            return refusal(what, missing, save)
    if draft_names := _draft_names(document):
        return RecordError(f"it has {_some(draft_names)}, which specviz cannot read: it knows what {ENGINES} write ({HINT})")
    return RecordError(f"it holds nothing about speculative decoding as {ENGINES} write it ({HINT})")


def _draft_names(document: dict, depth: int = 3) -> list[str]:
    """Names of speculative decoding in a document, without those that say nothing (null or 0)."""
    names = []
    for name, value in document.items():
        if DRAFT_NAMES.search(name) and value not in (None, 0, [], {}):
            names.append(name)
        elif isinstance(inner := value[0] if isinstance(value, list) and value else value, dict) and depth:
            names += _draft_names(inner, depth - 1)
    return names


def _some(names: Collection[str]) -> str:
    first = [name if len(name) <= 50 else f"{name[:49]}…" for name in list(names)[:2]]
    return " and ".join(first) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
