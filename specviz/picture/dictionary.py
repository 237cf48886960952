"""A dictionary of counters: one run in the words of each engine (the table of docs/records.md).

    engine_phrases(steps=87, drafted=259, accepted=167, K=3)      # [{"engine": "vLLM", "says": "Mean acceptance length: 2.92, …"}, …]

Accepted never has the extra token that ends a step (corrected or bonus); the mean length has it, in every engine. llama.cpp's
`#gen drafts` counts all drafts that its server made: they are steps where each one was checked. Looked up in November
2026: vLLM 0.32, SGLang 0.5, llama.cpp after its pull request 24536, TensorRT-LLM 1.3, AIPerf 0.13, LM Studio's REST API.
"""


def engine_phrases(steps: int | None, drafted: int, accepted: int, K: int | None) -> list[dict]:
    """Of each engine what it would print of this run. What needs a number that is not known is left out."""
    if not drafted:
        return []
    share = accepted / drafted
    length = 1 + accepted / steps if steps else None
    mean = f"{length:.2f}" if length else None
    older = f", in 2025 {length / (K + 1):.2f} = accept len ÷ {K + 1}" if length and K else ""
    says = {
        "vLLM": _comma_list(
            mean and f"Mean acceptance length: {mean}",
            f"Accepted: {accepted} tokens",
            f"Drafted: {drafted} tokens",
            f"Avg Draft acceptance rate: {100 * share:.1f}%",
        ),
        "SGLang": _comma_list(mean and f"accept len: {mean}", f"accept rate: {share:.2f} as of 2026{older}"),
        "llama.cpp": _comma_list(
            f"draft acceptance = {share:.5f} ({accepted:5} accepted / {drafted:5} generated)",
            mean and f"mean acceptance length = {mean}",
        ),
        "TensorRT-LLM": _comma_list(
            f"total_draft_tokens: {drafted}",
            f"total_accepted_draft_tokens: {accepted}",
            f"acceptance_rate: {share:.3f}",
            mean and f"acceptanceLength: {mean}",
        ),
        "AIPerf": _comma_list(
            steps and f"num_spec_steps: {steps}",
            mean and f"mean_acceptance_length: {mean}",
            f"draft_acceptance_rate: {share:.3f}",
        ),
        "LM Studio": f"total_draft_tokens_count: {drafted}, accepted_draft_tokens_count: {accepted}",
    }
    return [{"engine": engine, "says": sentence} for engine, sentence in says.items()]


def _comma_list(*parts: object) -> str:
    return ", ".join(str(part) for part in parts if part)
