"""AIPerf: `profile_export.jsonl` of `aiperf profile --export-level records`, a request a line, `spec_decode_acceptance` in each.

The names are the ones that records here have, so nothing is renamed. Read from its documentation and models of version 0.13.
"""

from .document import inside, maybe, rate, short, whole, wholes
from .record import Acceptance, Engine, RecordError, dense
from .unread import beside

KNOWN = {
    "engine", "mean_acceptance_length", "draft_acceptance_rate", "acceptance_histogram", "num_accepted_draft_tokens",
    "num_draft_tokens", "num_spec_steps", "num_spec_tokens", "per_step_accepted", "per_step_drafted",
}  # fmt: skip
ENGINES: dict[str, Engine] = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM", "tensorrt_llm": "TensorRT-LLM"}


def found(document: dict) -> dict | None:
    return inside(document, "spec_decode_acceptance")


def engine(document: dict) -> Engine:
    """Who served, by AIPerf's name for it."""
    name = (found(document) or {}).get("engine")
    return ENGINES.get(name, "another engine") if isinstance(name, str) else "another engine"


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    return Acceptance(
        num_draft_tokens=whole(part, "num_draft_tokens"),
        num_accepted_draft_tokens=whole(part, "num_accepted_draft_tokens"),
        num_spec_steps=whole(part, "num_spec_steps"),
        num_spec_tokens=maybe(part, "num_spec_tokens"),
        acceptance_histogram=histogram(part.get("acceptance_histogram")),
        per_step_accepted=wholes(part, "per_step_accepted"),
        per_step_drafted=wholes(part, "per_step_drafted"),
        completion_tokens=maybe(part, "completion_tokens"),
        tokens_per_second=rate(inside(document, "metrics", "output_token_throughput_per_user"), "value"),
        prompt_tokens=_tokens(inside(document, "metrics", "input_sequence_length")),
    )


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN, found(document))


def _tokens(metric: dict | None) -> int | None:
    value = rate(metric, "value")
    return int(value) if value is not None and value == int(value) else None


def histogram(sparse: object) -> tuple[int, ...]:
    """JSON has texts for keys: {"0": 34, "2": 19}."""
    if not isinstance(sparse, dict) or not all(
        key.isascii() and key.isdigit() and len(key) < 6 and type(count) is int for key, count in sparse.items()
    ):
        raise RecordError(f"acceptance_histogram must give steps for each number of accepted tokens, found {short(sparse)}")
    return dense({int(key): count for key, count in sparse.items()})
