"""A file of an engine that holds nothing of speculative decoding → one sentence: what it is, and what to save instead, with the command."""

PAGE = "save its metrics page: curl {url}/metrics > metrics.txt"
RESPONSES = "--per-request-spec-decode-metrics detailed"
KNOWN = "vLLM, AIPerf, SGLang, llama.cpp, TensorRT-LLM or LM Studio"
VLLM, SGLANG, LLAMA = (PAGE.format(url=f"http://localhost:{port}") for port in (8000, 30000, 8080))
TENSORRT = "Start it with a speculative_config and return_perf_metrics: true in its YAML, and save its route /perf_metrics"

# what stands in the file: what it is, and what to do
LOGS = (
    (("vllm", "[loggers.py:", "SpecDecoding"), f"a log of vLLM without a line “SpecDecoding metrics”. Start it with --speculative-config and without --disable-log-stats, or {VLLM}"),
    (("sglang", "Prefill batch", "Decode batch"), f"a log of SGLang without “accept len”. Start it with --speculative-algorithm; with --enable-metrics also {SGLANG}"),
    (("slot print_timing", "llama_model_loader", "llama-server", "srv  update_slots"), f"a log of llama.cpp without “draft acceptance”. Start llama-server with -md draft.gguf; with --metrics also {LLAMA}"),
    (("[TensorRT-LLM]", "[TRT-LLM]", "tensorrt_llm"), f"a log of TensorRT-LLM, which counts no drafts. {TENSORRT}"),
)  # fmt: skip
PAGES = (
    ("vllm:", "a metrics page of vLLM that counts no draft: start vllm serve with --speculative-config, send requests, save the page again"),
    ("sglang:", "a metrics page of SGLang without spec_accept_length: start it with --speculative-algorithm and --enable-metrics, and save the page while requests are running"),
    ("llamacpp:", "a metrics page of llama.cpp that counts no draft: start llama-server with -md draft.gguf, or save its log, where each request has a line “draft acceptance”"),
    ("trtllm_", f"a metrics page of TensorRT-LLM that counts no draft. {TENSORRT}"),
)  # fmt: skip


def of_log(text: str) -> str:
    """`text`: the beginning of a file that no reader knows."""
    for marks, said in LOGS:
        if any(mark in text for mark in marks):
            return f"this is {said}"
    return f"nothing in it is known as a log, a metrics page or responses of {KNOWN} ({_where()})"


def of_page(names: set[str]) -> str:
    """`names`: of a metrics page's samples."""
    for prefix, said in PAGES:
        if any(name.startswith(prefix) for name in names):
            return f"this is {said}"
    return "no counter of speculative decoding is in it: is the server run with a drafter, and is this its own page?"


def of_document(document: dict) -> str:
    """`document`: the first one of a JSON file."""
    if "output_throughput" in document and "mean_ttft_ms" in document:
        if "accept_length" in document or str(document.get("backend")).startswith("sglang"):
            return (
                "this is a result of sglang.bench_serving without accept_length: start SGLang with --speculative-algorithm, and run "
                "the benchmark again"
            )
        return (
            "this is a benchmark's result without counts of drafts: its server drafts nothing, or vllm is older than the counts. "
            "Save curl URL/metrics before and after the benchmark, and give both files"
        )
    if "timings" in document:
        return "this is a response of llama.cpp without draft_n: start llama-server with -md draft.gguf"
    if "metadata" in document and "metrics" in document:
        return "this is AIPerf's without spec_decode_acceptance: start vllm serve with " + RESPONSES
    if {"request_perf_metrics", "perf_metrics"} & document.keys():
        return f"this is TensorRT-LLM's record of a request that drafted nothing. {TENSORRT}"
    if "iterLatencyMS" in document:
        return "this is TensorRT-LLM's iteration stats without specDecodingStats: start it with a speculative_config in its YAML"
    if isinstance(stats := document.get("stats"), dict) and "tokens_per_second" in stats:
        return (
            "this is a response of LM Studio without counts of drafts: choose a draft model for the model in LM Studio, or name one "
            'in the request as "draft_model"'
        )
    if "choices" in document:
        return (
            f"this is a response without counts of drafts: start vllm serve with {RESPONSES}, or ask SGLang with "
            '"return_meta_info": true'
        )
    if "meta_info" in document:
        return "this is a response of SGLang without spec_verify_ct: start it with --speculative-algorithm"
    return f"nothing in it tells of speculative decoding as {KNOWN} does ({_where()})"


def _where() -> str:
    return "what to save: docs/records.md"
