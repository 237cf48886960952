"""What drafting gains where many texts are decoded at once, worked out from passes that were measured (`make costs`, `make bench-gpu`)."""

from pathlib import Path

from ....acceptance import expected_speedup, expected_tokens
from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import COSTS, Runs, measured

ALPHAS = (0.9, 0.8, 0.7, 0.6, 0.5)
BLOCK = 5  # the tokens a check that are spoken about; the table has the best K of every α


def excerpt(runs: Runs) -> dict:
    return {"measured": busy()}


def busy(folder: Path = COSTS) -> list[dict]:
    """By machine that measured, in the order of the files' names. An empty folder gives an empty list."""
    return [_gains(said) for said in measured(folder)]


def _gains(said: dict) -> dict:
    """`rows`: by α, for every batch the best K and the speedup it gives; `v`: what a check of BLOCK tokens a text costs; `alone`: tokens a
    second of all texts together, undrafted. `spoken`: the row that is told, the best draft that the fullest machine makes slower; the
    poorest where it makes none of them slower."""
    target, draft = said["curves"][:2]
    one = target["blocks"].index(1)
    v = [dict(zip(target["blocks"], (ms / row[one] for ms in row), strict=True)) for row in target["ms"]]
    c = [step[draft["blocks"].index(1)] / row[one] for step, row in zip(draft["ms"], target["ms"], strict=True)]
    rows = [{"alpha": alpha, "best": [_best(alpha, *costs) for costs in zip(c, v, strict=True)]} for alpha in ALPHAS]
    return {
        "device": said["device"],
        "target": target["model"],
        "draft": draft["model"],
        "context": target["context"],
        "batches": target["batches"],
        "rows": rows,
        "spoken": next((i for i, row in enumerate(rows) if row["best"][-1]["speedup"] < 1), len(rows) - 1),
        "block": BLOCK,
        "v": [costs[BLOCK] for costs in v],
        "alone": [1000 * B / row[one] for B, row in zip(target["batches"], target["ms"], strict=True)],
    }


def _best(alpha: float, c: float, v: dict[int, float]) -> dict:
    """The K ≥ 1 of the largest speedup: also where none is above 1."""
    speedup, K = max((expected_speedup(expected_tokens(alpha, n - 1), n - 1, c, v[n]), n - 1) for n in v if n > 1)
    return {"K": K, "speedup": speedup}


CHAPTER = Chapter(
    key="busy",
    place=110,
    short="When not",
    title="When not to",
    text=(
        "Drafting spends arithmetic to save waiting. One text leaves arithmetic idle, so its tokens come sooner: latency. A full "
        "server has none idle: each rejected draft takes the place of somebody's token, which is throughput.",
        "Leave it off where α is below c, where v eats the gain, or where its memory would hold more texts. Expect less at high "
        "temperatures.",
    ),
    question=Question(
        "A server decodes hundreds of texts at once. Why does drafting gain less?",
        ("The draft guesses worse", "No arithmetic is idle", "The texts would change"),
        1,
        "α is what it was; the check is no longer nearly free. vLLM measured 1.5–2.8× at low load and 1.4–1.8× slower at high load. "
        "The better the draft, the longer it pays.",
    ),
    go="Watch a bigram table draft: compare its α with what a check costs.",
    settings={"prompt": STORY, "drafter": "bigram", "K": "4", "temperature": "0.8", "length": "96"},
    notes=(
        "The head of Li et al. 2025 still gave 1.38× throughput at batch 64. Measured here, on an H100 and 8 billion weights in bf16 after 1,024 tokens: α = .9 gives "
        "2.2× for one text and 1.6× for 64, and 64 do not fill that card.",
        "High temperature: T5-XXL fell from α = .75 at temperature 0 to .62 at 1 with the same draft (Leviathan 2022). Of our recorded runs "
        "the one at 1.5 is faster than the one at 1: its α is lower, its draws were lucky.",
        "Long texts: caches are read at every pass, so a check stays cheap, but a small model's step grows dear, since its cache "
        "shrinks less than its weights do.",
        "The second view is arithmetic, not a measurement: an upper bound without overhead or communication.",
    ),
    sources=("leviathan", "vllm", "li", "llama", "h100"),
    exercise=Exercise(
        (
            "In the second view: 1 text, then 512 texts of 512 positions. What changes, α, c or v?",
            "64 texts, α = .7: move the positions from 128 to 8,192. What becomes of the best K, and why?",
        ),
        (
            "α stays. A check of two tokens a text goes from v = 1 to 2, since computing takes longer than reading; c from .11 to .20.",
            "It falls from 3 to 2: the longer the caches, the dearer a draft step is beside a pass, while the check stays free.",
        ),
        ("name three reasons to leave drafting off", "tell the latency of a user from the throughput of a server"),
    ),
    excerpt=excerpt,
    words={
        "busy": "Large batches",
        "busy_on": "Batches: {device}",
        "busy_map": "Speedup by α and by batch (texts decoded at once), at the best K of each",
        "busy_texts": "batch",
        "busy_v": "v, {n} tokens",
        "busy_small": "batch: texts decoded at once · small: the best K · some hundredths are noise",
        "busy_alone": "tokens/s, alone",
        "busy_where": "from passes of {target} and {draft} measured on {device}, {context} positions a text",
        "busy_one": "One text: checking {n} tokens costs {v} one-token passes, since the weights are read once. At α = {alpha}: {speedup}×.",
        "busy_more": "{B} texts: their checks share the arithmetic, so v is {v}. At α = {alpha} the best K is {K}, {speedup}×.",
        "busy_still": "{B} texts: v is {v}. At α = {alpha} the best K is {K}, {speedup}×: less than for one text, but this machine is not full yet.",
        "busy_none": "{B} texts: v is {v}. At α = {alpha} no K pays: the machine has no idle arithmetic left for guesses.",
        "server": "A server, by arithmetic",
        "server_title": "{target} with {draft} on {devices} H100",
        "server_read": "to read weights and caches",
        "server_compute": "to compute; the longer of the two is the pass",
        "server_pass": "1 token a text",
        "server_check": "{n} a text",
        "server_drafting": "{K} draft steps",
        "server_texts": "texts",
        "server_context": "positions",
        "server_alpha": "α",
        "server_result": "best K {K}: {speedup}×, so {sooner} ms a token and text instead of {each}, {paced} tokens/s in all instead of {pace}",
        "server_room": "The memory holds {holds} such texts alone, {held} beside the draft.",
        "server_full": "Too many: the memory holds {holds} such texts alone, {held} beside the draft.",
        "server_note": "The shortest times that the data sheets allow, in bfloat16: no overhead, no communication, all accepted independently.",
        "server_one": "One text: a pass is all reading, so a check is free: v = {v}, c = {c}, {speedup}× at α = {alpha}.",
        "server_many": "{texts} texts of {context}: now computing takes longer than reading. A check costs v = {v}, and drafting gives {speedup}×.",
        "server_long": "{texts} texts of {context}: reading caches is the most of it, so a check is free again, but a draft step costs c = {c}: {speedup}×.",
        "server_memory": "And the draft takes room: of such texts {holds} fit alone, {held} beside it.",
    },
)
