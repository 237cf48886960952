"""A file that holds nothing of use → one sentence: what it is, what of speculative decoding is missing, what to save instead; or
which eight files are read, and which five numbers are enough of any other engine.

Nothing is said that the file does not show: a counter that stands there is never called missing, and no drafter is asked for where one is.
"""

from collections.abc import Collection

from .counts import POSITIONS, REQUIRED
from .pages import DRAFT_NAMES, NAME
from .record import OtherEngine, RecordError

SAVE = {  # engine: where it tells of drafts, to be put after what is missing
    "vLLM": "Start it with --speculative-config and without --disable-log-stats, or save its metrics page: curl http://localhost:8000/metrics > metrics.txt",
    "SGLang": "Start it with --speculative-algorithm; with --enable-metrics also save its metrics page: curl http://localhost:30000/metrics > metrics.txt",
    "llama.cpp": "Start llama-server with -md draft.gguf, and save its log, where each request has a line “draft acceptance”",
}  # fmt: skip
EIGHT = (
    "vLLM's metrics page, log, responses and result of bench serve, SGLang's log and metrics page, llama.cpp's responses and log"
)
OTHER = f"specviz reads {EIGHT}. Of any other file read off five numbers: {', '.join(REQUIRED)}, {POSITIONS.replace('_', ' ')}"
LOGS = (  # engine, what stands in any log of it, what its lines on drafts begin with
    ("vLLM", ("vllm", "[loggers.py:", "[metrics.py:"), "SpecDecoding metrics", "line “SpecDecoding metrics”"),
    ("SGLang", ("sglang", "Prefill batch", "Decode batch"), "accept len:", "“accept len”"),
    ("llama.cpp", ("slot print_timing", "llama_model_loader", "llama-server", "srv  update_slots"), "draft acceptance", "“draft acceptance”"),
)  # fmt: skip
FOREIGN_LOGS = ("Avg thr (in/out):", "[TensorRT-LLM]", "[TRT-LLM]", "Serving Benchmark Result", "spec_decode_num_")
"""What stands in files that may look like one of LOGS: of LMDeploy, TensorRT-LLM, in a benchmark's report, in tables."""
PAGES = {
    "vllm": ("vLLM", "that counts no draft", "start vllm serve with --speculative-config, send requests, save the page again"),
    "sglang": ("SGLang", "without spec_accept_length", "start it with --speculative-algorithm and --enable-metrics, and save the page while requests are running"),
}  # fmt: skip
DOCUMENTS = (  # names that are all there, what it is, what it has not, what to save
    (("output_throughput", "mean_ttft_ms"), "a benchmark's result", "counts of drafts", "its server drafts nothing, or vllm is older than the counts. Save curl URL/metrics before and after the benchmark, and give both files"),
    (("timings",), "a response of llama.cpp", "draft_n", "nothing was drafted for it, or the server has no draft: start llama-server with -md draft.gguf"),
    (("format", "prompt", "config"), "a run saved by specviz", "", "specviz audit redoes it, and the page opens it"),
    (("choices",), "a response", "counts of drafts", "start vllm serve with --per-request-spec-decode-metrics detailed"),
)  # fmt: skip


def of_log(text: str) -> RecordError:
    """`text`: the beginning of a file that no reader knows."""
    if any(mark in text for mark in FOREIGN_LOGS):
        return OtherEngine(OTHER)
    joined = text.replace("\r", "").replace("\n", "")
    for engine, marks, line_start, line in LOGS:
        if line_start in joined:
            return RecordError(
                f"this is a log of {engine}, and its lines with “{line_start}” are broken or cut, as a terminal breaks long "
                "lines: save the log itself, with > server.log 2>&1 behind the command"
            )
        if any(mark in text for mark in marks):
            return RecordError(
                f"this is a log of {engine} without {'a ' if line.startswith('line') else ''}{line}. {SAVE[engine]}"
            )
    return OtherEngine(OTHER)


def of_page(names: Collection[str]) -> RecordError:
    """`names`: of a metrics page's samples."""
    ours = {match[1] for name in names if (match := NAME.fullmatch(name))}
    draft_names = sorted(name for name in names if DRAFT_NAMES.search(name))
    for prefix, (engine, missing, save) in PAGES.items():
        if prefix in ours:
            there = f"with {_some(draft_names)}, which specviz cannot read" if draft_names else missing
            return RecordError(f"this is a metrics page of {engine} {there}: {save}")
    return OtherEngine(OTHER)


def of_document(document: dict) -> RecordError:
    """`document`: the first one of a JSON file."""
    for names, what, missing, save in DOCUMENTS:
        if all(name in document for name in names) and (not missing or not _counts_drafts(document)):
            return RecordError(f"this is {what}{f' without {missing}' if missing else ''}: {save}")
    return OtherEngine(OTHER)


def _counts_drafts(document: dict, depth: int = 3) -> bool:
    """Whether another engine's counts stand in a document: names of speculative decoding, unless they say nothing (null or 0)."""
    for name, value in document.items():
        if DRAFT_NAMES.search(name) and value not in (None, 0, [], {}):
            return True
        inner = value[0] if isinstance(value, list) and value else value
        if depth and isinstance(inner, dict) and _counts_drafts(inner, depth - 1):
            return True
    return False


def _some(names: Collection[str]) -> str:
    first = [name if len(name) <= 50 else f"{name[:49]}…" for name in list(names)[:2]]
    return " and ".join(first) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
