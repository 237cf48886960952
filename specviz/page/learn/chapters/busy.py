"""What drafting gains where many texts are decoded at once, calculated from passes that were measured (`make costs`, `make bench-gpu`)."""

import json
from pathlib import Path

from ....acceptance import expected_speedup, expected_tokens
from ....config import ASSETS
from ....words import learn
from ..chapter import COSTS, STORY, Chapter, Exercise, Question, measured_passes

ALPHAS = (0.9, 0.8, 0.7, 0.6, 0.5)
EXPERTS = ASSETS / "shapes" / "experts.json"
# a mixture beside which the bundled one stands: nearly all of its weights are experts; parameters in 10⁹, active ones of a token
LARGE = {"name": "Mixtral 8x7B", "parameters": 46.7, "active": 12.9, "experts": 8, "chosen": 2}
BLOCK = 5  # the tokens a check that are spoken about; the table has the best K of every α


def tables() -> dict:
    return {"measured": busy(), "experts": experts(), "slow": learn.SLOW}


def busy(folder: Path = COSTS) -> list[dict]:
    """By machine that measured, in the order of the files' names. An empty folder gives an empty list."""
    return [_gains(machine) for machine in measured_passes(folder)]


def experts(file: Path = EXPERTS) -> dict | None:
    """What blocks of a mixture read (scripts/picture_data.py), with what they would read if tokens chose at random, and v by the bytes of a pass."""
    if not file.is_file():
        return None
    counts = json.loads(file.read_text("utf-8"))
    share, layers = counts["chosen"] / counts["experts"], len(counts["block"]["chosen"])

    def bytes_read(experts: float) -> float:
        return counts["bytes"]["rest"] + layers * experts * counts["bytes"]["expert"]

    blocks = [
        {
            **{key: block[key] for key in ("n", "union", "low", "high", "apart")},
            "formula": counts["experts"] * (1 - (1 - share) ** block["n"]),
            "v": bytes_read(block["union"]) / bytes_read(counts["chosen"]),
        }
        for block in counts["blocks"]
    ]
    summary = {key: counts[key] for key in ("model", "experts", "chosen", "texts", "tokens", "block")}
    return {**summary, "blocks": blocks, "large": LARGE}


def _gains(machine: dict) -> dict:
    """`rows`: by α, for every batch the best K and the speedup it gives; `v`: what a check of BLOCK tokens a text costs; `alone`: tokens a
    second of all texts together, undrafted. `spoken`: the row that is told, the best draft that the fullest machine makes slower; the
    poorest where it makes none of them slower."""
    singles = [row[0] for row in machine["target_ms"]]
    v = [[ms / row[0] for ms in row] for row in machine["target_ms"]]
    c = [step / single for step, single in zip(machine["draft_ms"], singles, strict=True)]
    rows = [{"alpha": alpha, "best": [best_block(alpha, *costs) for costs in zip(c, v, strict=True)]} for alpha in ALPHAS]
    return {
        **{name: machine[name] for name in ("device", "target", "draft", "context", "batches")},
        "rows": rows,
        "spoken": next((i for i, row in enumerate(rows) if row["best"][-1]["speedup"] < 1), len(rows) - 1),
        "block": BLOCK,
        "v": [costs[BLOCK - 1] for costs in v],
        "alone": [1000 * B / single for B, single in zip(machine["batches"], singles, strict=True)],
    }


def best_block(alpha: float, c: float, v: list[float]) -> dict:
    """The K ≥ 1 of the largest speedup: also where none is above 1."""
    speedup, K = max((expected_speedup(expected_tokens(alpha, K), K, c, v[K]), K) for K in range(1, len(v)))
    return {"K": K, "speedup": speedup}


CHAPTER = Chapter(
    key="busy",
    short="When not",
    title="When not to",
    text=(
        "With one text arithmetic is idle. Drafts use it, and latency falls. On a full server none is. A "
        "rejected draft uses time that another request needed: throughput (tokens per second) falls.",
        "Then don't draft. K = 0 is best where memory is short, v is large, or a small model's α is below c. Weights of fewer bits may gain more "
        "than a draft, and with them it gains less. "
        "A block reads more experts of a mixture: it gains less.",
    ),
    question=Question(
        "A server decodes hundreds of texts at once. Why does drafting gain less?",
        ("The draft guesses worse", "No arithmetic is idle", "The texts would change"),
        1,
        "α is the same, but verifying is no longer almost free. vLLM measured 1.5–2.8× at low load and 1.4–1.8× slower at high load (2024). "
        "A better draft pays at higher load.",
    ),
    go="Watch the target's first layers draft: compare their α with c, and with the cost of verifying.",
    settings={"prompt": STORY, "drafter": "early-exit", "K": "4", "temperature": "0.8", "length": "96"},
    notes=(
        "Is the fastest way without a draft? It may be. With SPECVIZ_GGUF=blocks a CPU multiplies the 4 bits of the assistant's file as they are. "
        "There drafting gains less, since a block costs more to check.",
        "The head of Li et al. 2025 still gave 1.38× throughput at batch 64.",
        "Measured here, on an H100 with 8 billion weights in bf16 after 1,024 tokens: α = 0.9 gives 2.2× for one text and 1.6× for 64. "
        "64 texts do not fill that card.",
        "High temperature lowers α. Our recorded run at 1.5 is faster than the one at 1 all the same: its draws were lucky.",
        "Long texts: caches are read in every pass, so verifying stays cheap. But a small model's step becomes expensive, since its cache "
        "shrinks less than its weights.",
        "GLM-5.2 accepted 80 to 92 % of its own head's guesses, yet a first version for oMLX was slower (issue 2077, July 2026). In oMLX 0.5.0 (pull "
        "request 2113) it wrote 24 % more tokens per second of prose, and 31 % more of code. A user of mlx-lm measured 35 % fewer with Qwen3.5-397B-A17B (issue 1132, April 2026). There the draft had half the weights that the target reads for a token.",
        "“Calculated: a server” leaves out overhead and communication. Tokens per second are upper bounds. The speedup is not: communication and "
        "overhead change both sides.",
    ),
    sources=("leviathan", "vllm", "li", "llama", "h100", "omlx", "mlx"),
    exercise=Exercise(
        (
            "Choose “Calculated: a server”. Take 1 text, then 512 texts of 512 positions. What changes: α, c or v?",
            "Take 64 texts and α = 0.7. Move the positions from 128 to 8,192. What happens to the best K, and why?",
            "Choose “Experts”. Two tokens use 4 of 16 experts each. Calculate how many they use together if they choose at random. Why is the measured "
            "number smaller?",
        ),
        (
            "α is the same. Verifying two tokens per text goes from v = 1 to 2, since computing takes longer than reading. c goes from 0.11 "
            "to 0.20.",
            "It falls from 3 to 2. With longer caches a draft step costs more of a pass, while verifying stays free.",
            "16 · (1 − 0.75²) = 7. Some experts are used more often than others, and neighbours in a text choose similar ones.",
        ),
        (
            "name three reasons not to draft",
            "say why verifying costs more for a mixture of experts",
            "tell the latency of a user from the throughput of a server",
        ),
    ),
    plan=(5, "A full server: the batches, then the sliders. Ask for three reasons not to draft."),
    tables=tables,
    words={
        "busy": "Measured passes",
        "busy_on": "Measured: {device}",
        "busy_map": "Speedup by α and by batch (texts decoded at once), at the best K of each",
        "busy_texts": "batch",
        "busy_v": "v, {n} tokens",
        "busy_dont": "don't",
        "busy_small": "batch: texts decoded at once · small: the best K. “Don't”: K = 0 is best, and small is what another K would give at most. "
        "Differences of 0.1 may be noise.",
        "busy_alone": "tokens/s, alone",
        "busy_where": "Measured: passes of {target} and {draft} on {device}, with {context} positions per text. They give c and v. Calculated: every speedup, "
        "from c and v by the formula.",
        "busy_one": "One text: verifying {n} tokens costs {v} one-token passes, since the weights are read once. At α = {alpha}: {speedup}×.",
        "busy_more": "{B} texts share the machine's arithmetic, so v is {v}. At α = {alpha} the best K is {K}, {speedup}×.",
        "busy_still": "{B} texts: v is {v}. At α = {alpha} the best K is {K}, {speedup}×. That is less than for one text, but this machine is not "
        "full yet.",
        "busy_none": "{B} texts: v is {v}. At α = {alpha} don't draft: verifying a block costs more than its guesses bring.",
        "slow_view": "Why slow?",
        "slow_says": "Type the four numbers of your server. The likeliest cause comes first, and each cause says what to measure next.",
        "experts_view": "Experts",
        "experts_ask": "In each layer a token uses {chosen} of {experts} experts. One pass verifies the {n} tokens of this block. How many experts "
        "does it read? Guess first.",
        "experts_two": "Two tokens use {read} of {experts} experts per layer on average. A pass reads an expert once for all tokens that use it.",
        "experts_block": "The {n} tokens of this block use {read} of {experts} experts per layer. The number in a cell is the token that uses the expert "
        "first.",
        "experts_mean": "Over all recorded texts, {n} tokens in a row use {union} experts on average. Tokens that choose at random would use {formula}.",
        "experts_v": "By bytes, verifying 2 tokens costs v = {two} here, and {n} tokens v = {v}. A dense model: v = 1. In {large} almost all weights are "
        "experts. By formula 2 tokens cost v = {large_two}, and {n} tokens v = {large_v}.",
        "experts_slower": "GLM-5.2 uses 8 of 256 experts. A first version for oMLX took 2.2 times as long to verify two tokens as one, so drafting was slower "
        "(July 2026). With oMLX 0.5.0 it was 24 % faster on prose and 31 % on code (July 2026).",
        "experts_tokens": "tokens in the block",
        "experts_layer": "layer {n}",
        "experts_read": "{n} of {experts}",
        "experts_first": "used by token 1",
        "experts_more": "used by later tokens only",
        "experts_chart": "Experts that a layer reads",
        "experts_up": "experts",
        "experts_row": "tokens in a row",
        "experts_apart": "tokens from random places",
        "experts_formula": "experts chosen at random (formula)",
        "experts_where": "Counted: the choices of the router of {model} in {layers} layers, over {tokens} tokens of {texts} recorded texts. The shaded band "
        "holds the middle half of all blocks.",
        "server": "Calculated: a server",
        "server_title": "{target} with {draft} on {devices} H100",
        "server_read": "to read weights and caches",
        "server_compute": "to compute; the longer of the two is the pass",
        "server_pass": "1 token per text",
        "server_check": "{n} tokens per text",
        "server_drafting": "{K} draft steps",
        "server_texts": "texts",
        "server_context": "positions",
        "server_alpha": "α",
        "server_result": "Best K: {K}, {speedup}×. A token of one text takes {sooner} ms instead of {each}. All texts together get {paced} tokens/s instead "
        "of {pace}.",
        "server_none": "Don't draft: K = 0 is best. K = {K} would be {speedup} times as fast. All texts together get {pace} tokens/s without drafts.",
        "server_room": "The memory holds {alone} such texts without the draft, {drafting} with it.",
        "server_full": "Don't draft: the memory holds {alone} such texts without the draft, {drafting} with it. These are {texts}.",
        "server_note": "Calculated: nothing here is measured. These are the shortest times that the data sheets allow, in bfloat16: no overhead, no communication, "
        "independent acceptances.",
        "server_assumed": "α = {alpha} is assumed. Leviathan 2022 measured 0.53 to 0.82 for T5-XXL (11 billion weights) and drafts of 77 to 800 million.",
        "server_own": "α of the run in Watch: {alpha}",
        "server_one": "One text: a pass only reads, so verifying is free: v = {v}, c = {c}, {speedup}× at α = {alpha}.",
        "server_many": "{texts} texts of {context} positions: now computing takes longer than reading. Verifying costs v = {v}, and drafting gives "
        "{speedup}×. So don't.",
        "server_long": "{texts} texts of {context} positions: a pass mostly reads caches, so verifying is free again. But a draft step costs c = {c}: "
        "{speedup}×.",
        "server_memory": "The draft also needs memory: {weights} GB of weights, and {cache} GB of KV cache per text of {context} positions. {alone} such texts fit without it, {drafting} with it.",
    },
)
