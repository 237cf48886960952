"""The panel Your pair: what a target and a draft promise on a card, by stated assumptions. Worked out in the page
(assets/lab/pair/arithmetic.js), the same as specviz/lab/pair.py."""

from ...exercise import Exercise
from ..panel import Panel
from .load import serves

WORDS = {
    "opening": "Fetching cards and models…",
    "lost": "Cards and models could not be fetched. Reload the page.",
    "target": "Target",
    "draft": "Draft",
    "other": "other …",
    "parameters": "Target: 10⁹ parameters",
    "layers": "Target: layers",
    "draft_parameters": "Draft: 10⁹ parameters",
    "draft_layers": "Draft: layers",
    "width": "Bytes a weight, target",
    "draft_width": "Bytes a weight, draft",
    "card": "Card",
    "devices": "How many",
    "engine": "Engine",
    "context": "Positions",
    "texts": "Texts at once",
    "alpha": "α, or chances by position",
    "apart": "α known to ±",
    "bad": "“{field}” is {value}; it must be {bound}.",
    "bound_alpha": "one or more numbers from 0 to 1, with blanks between",
    "bound_number": "a number from {least} to {most}",
    "from_run": "α is that of the run in Watch, by position: {source}. Of your pair it may be another.",
    "full": "The memory of {devices} × {card} holds {holds} such texts beside both models, not {texts}: there this promise cannot be kept.",
    "promise": "Best K = {K}: {speedup} times as fast, between {low} and {high}.",
    "promise_none": "K = 0 is best: drafts and their check cost at least what they bring. K = 1 would be {one} times as fast.",
    "limit_read": "One token of the target takes {target} ms, which is reading; a draft token {draft} ms: c = {c}. A check of {n} tokens costs v = {v}.",
    "limit_compute": "One token of the target takes {target} ms, which is arithmetic; a draft token {draft} ms: c = {c}. A check of {n} tokens costs "
    "v = {v}.",
    "limit_launch": "One token of the target takes {target} ms, which is launching its layers; a draft token {draft} ms: c = {c}. A check of {n} "
    "tokens costs v = {v}.",
    "by_K": "Speedup by K",
    "K_axis": "K",
    "speedup": "speedup",
    "assumed": "Assumed",
    "assumed_reach": "{low} to {high} % of the published peaks are reached, the same share by both models ({source})",
    "assumed_launch": "a layer takes {low} to {high} µs at least: {engine}",
    "assumed_cache": "caches in 16 bits; other models than those of the table are taken as dense, with 8 heads of 128 for keys and as many queries "
    "as their width gives",
    "assumed_independent": "acceptances are independent given the position; α holds for this draft, text and temperature",
    "assumed_rest": "choosing, bookkeeping and devices that talk to each other take nothing",
    "checks": "What it makes of published measurements",
    "check": "published",
    "found": "worked out",
    "between": "between",
    "off": "off by",
    "inside": "inside",
    "outside": "outside",
    "alpha_needed": "takes α = {alpha}",
    "ms": "ms a token",
    "csv": "K|low|speedup|high",
    "note": "A pass takes the longest of reading, arithmetic and launching its layers. The interval is the lowest and the highest of all ends of "
    "what is assumed, at the best K of their middle. Published: Chen et al. 2023 (arXiv 2302.01318), gpt-fast's README, Spec-Bench (K between "
    "3 and 7, which it does not fix). Four-bit weights are slower than they are small: they are unpacked.",
}

PANEL = Panel(
    key="pair",
    place=50,
    short="Your pair",
    title="Your pair, before you run it",
    answers="What do c, v and the best K promise for two models on a card, and how far off is such a promise?",
    exercise=Exercise(
        task=(
            "Take Llama 3.1 70B with 8B, then with 1B, at the same α. Which is faster, and by how much may α of the 1B be lower until they are "
            "even?",
            "Change the engine from compiled to eager PyTorch. What is it now that a pass waits for, and what becomes of c?",
            "Which of the published measurements lie outside of what is worked out, and what would explain it?",
        ),
        key=(
            "The 1B: its c is less than a sixth. Read the speedup of the 8B, and lower α until the 1B has the same.",
            "Launching: then c is the ratio of layers, not of parameters, and a shallow draft is worth more than a small one.",
            "Four-bit weights (they are unpacked, which takes arithmetic), and the slower speedup on the A100 (Python decides there, and a faster "
            "card makes that a larger part).",
        ),
    ),
    words=WORDS,
    serves=serves,
    alone=True,
)
