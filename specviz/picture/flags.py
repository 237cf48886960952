"""A K as the flag of the engine that is to draft it. Looked up in November 2026.

    flag_for("vLLM", [(1, 4), (8, 2), (64, 0)])     # requests at a time, K; 0 where drafting does not pay

`one`: the same K at every load, which every version knows. `off`: no drafts. `table`: K by load, where the engine has one; `entry`, `join`:
how its rows are written. Sources: the documentation of vLLM 0.32 (speculative_config), SGLang 0.5 (server arguments), llama.cpp
(llama-server --help, November 2026), TensorRT-LLM 1.3 (DecodingBaseConfig).
"""

from collections.abc import Sequence

FLAGS: dict[str, dict[str, str]] = {
    "vLLM": {
        "one": """--speculative-config '{…, "num_speculative_tokens": [K]}'""",
        "off": "leave out --speculative-config",
        "table": """--speculative-config '{…, "num_speculative_tokens": [most], "num_speculative_tokens_per_batch_size": [[rows]]}'""",
        "entry": "[[from], [to], [K]]",
        "join": ", ",
    },
    "SGLang": {
        "one": "--speculative-num-steps [K] --speculative-eagle-topk 1 --speculative-num-draft-tokens [K1]",
        "off": "leave out --speculative-algorithm",
    },
    "llama.cpp": {"one": "--spec-draft-n-max [K] (--draft-max [K] before 2026)", "off": "leave out -md and --spec-type"},
    "TensorRT-LLM": {
        "one": "speculative_config: {max_draft_len: [K]}",
        "off": "leave out speculative_config",
        "table": "speculative_config: {max_draft_len: [most], draft_len_schedule: {[rows]}}",
        "entry": "[to]: [K]",
        "join": ", ",
    },
}


def flags(engine: str) -> dict[str, str] | None:
    """None for an engine whose flag is not known here."""
    return FLAGS.get(engine)


def flag_for(engine: str, loads: Sequence[tuple[int | None, int]]) -> str | None:
    """`loads`: requests at a time, rising, and the K there; None where the number is not known. A K holds up to its number of requests."""
    known, Ks = flags(engine), {K for _, K in loads}
    if known is None or not Ks:
        return None
    if len(Ks) == 1:
        [K] = Ks
        return _filled(known["one"], K=K, K1=K + 1) if K else known["off"]
    ranges = [(load, K) for i, (load, K) in enumerate(loads) if i + 1 == len(loads) or loads[i + 1][1] != K]
    if "table" not in known:
        return "; ".join(f"up to {load} at a time: {flag_for(engine, [(load, K)])}" for load, K in ranges)
    rows, after = [], 1
    for load, K in ranges:
        rows.append(_filled(known["entry"], **{"from": after, "to": load, "K": K}))
        after = (load or 0) + 1
    return _filled(known["table"], most=max(Ks), rows=known["join"].join(rows))


def _filled(text: str, **values: object) -> str:
    for name, value in values.items():
        text = text.replace(f"[{name}]", str(value))
    return text
