"""The panel Your pair: what a target and a draft promise on a card, by stated assumptions. Calculated in the page
(assets/lab/pair/arithmetic.js)."""

from ...exercise import Exercise
from ..panel import Panel
from .load import EXPERTS, serves

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
    "width": "Bytes per weight, target",
    "draft_width": "Bytes per weight, draft",
    "card": "Card",
    "devices": "How many cards",
    "engine": "Engine",
    "context": "Positions",
    "texts": "Texts at once",
    "alpha": "α, or chances by position",
    "apart": "α known to ±",
    "bad": "“{field}” is {value}; it must be {bound}.",
    "bound_alpha": "one or more numbers from 0 to 1, with blanks between",
    "bound_number": "a number from {least} to {most}",
    "promise_run": "With the α of {source}: best K = {K}, {speedup} times as fast, between {low} and {high}.",
    "from_run": "This α is from the run in Watch, by position. Your pair probably has another α. Type the α of your pair.",
    "full": "Do not draft here: the memory of {devices} × {card} holds {holds} such texts with both models, not {texts}. What follows would need "
    "more memory.",
    "promise": "Best K = {K}: {speedup} times as fast, between {low} and {high}.",
    "promise_none": "Do not draft: K = 0 is best, because drafting and verifying take at least as long as the tokens that they save. K = 1 would be {one} times as fast.",
    "experts": EXPERTS,
    "limit_read": "One token of the target takes {target} ms, mostly reading. A draft token takes {draft} ms: c = {c}. Verifying {n} tokens costs "
    "v = {v}.",
    "limit_compute": "One token of the target takes {target} ms, mostly arithmetic. A draft token takes {draft} ms: c = {c}. Verifying {n} tokens "
    "costs v = {v}.",
    "limit_launch": "One token of the target takes {target} ms, mostly launching its layers. A draft token takes {draft} ms: c = {c}. Verifying {n} "
    "tokens costs v = {v}.",
    "memory": "Memory: the draft's {parameters} billion weights × {width} bytes are {weights} GB. Its KV cache takes {cache} GB per text of {context} positions. "
    "The target takes {target_weights} GB and {target_cache} GB.",
    "by_K": "Speedup by K",
    "K_axis": "K",
    "speedup": "speedup",
    "assumed": "Assumed",
    "assumed_reach": "{low} to {high} % of the published peaks are reached, the same share by both models ({source})",
    "assumed_launch": "a layer takes {low} to {high} µs at least: {engine}",
    "assumed_cache": "caches have 16 bits; a model whose size you type in is dense, with 8 key heads of 128, and query heads for its width",
    "assumed_independent": "acceptances are independent given the position; α is valid for this draft, text and temperature",
    "assumed_rest": "choosing, bookkeeping, communication and rolling back take no time (a hybrid's state cannot be cut: after each rejection the target "
    "reads the kept tokens again)",
    "checks": "Published measurements, calculated in the same way",
    "check": "published",
    "found": "calculated",
    "between": "between",
    "off": "off by",
    "inside": "inside",
    "outside": "outside",
    "alpha_needed": "needs α = {alpha}",
    "ms": "ms per token",
    "csv": "K|low|speedup|high",
    "note": "A pass takes the longest of reading, arithmetic and launching its layers. Each assumption is a range. The interval runs from the "
    "smallest to the largest result over these ranges, at the K that is best for the middle of them. Published: Chen et al. 2023 "
    "(arXiv 2302.01318), gpt-fast's README, Spec-Bench (K between 3 and 7, not stated). Four-bit weights are slower than their size "
    "suggests, because they are unpacked first.",
}

PANEL = Panel(
    key="pair",
    place=50,
    short="Your pair",
    title="Your pair, before you run it",
    answers="What do c, v and the best K promise for two models on a card, and how wrong can such a promise be?",
    exercise=Exercise(
        task=(
            "Take Llama 3.1 70B with 8B, then with 1B, at the same α. Which is faster? How much smaller may the α of the 1B be until both are equal?",
            "Change the engine from compiled to eager PyTorch. What does a pass wait for now, and how does c change?",
            "Take Mixtral 8x7B with Llama 2 7B at α = 0.9. Why does a draft that is right nine times out of ten not help?",
            "Which of the published measurements lie outside the calculated range, and what would explain it?",
        ),
        key=(
            "The 1B: its c is less than a sixth of the c of the 8B. Read the speedup of the 8B, then lower α until the 1B has the same.",
            "Launching. Then c is the ratio of layers, not of parameters, and a shallow draft is worth more than a small one.",
            "Verifying two tokens reads 1.66 times the weights of one token, and a draft token costs half a pass. So K = 1 brings 1.9 tokens for 2.2 passes.",
            "Four-bit weights: they are unpacked, which takes arithmetic. And the lower speedup on the A100: Python decides there, and on a faster "
            "card that is a larger part.",
        ),
    ),
    words=WORDS,
    serves=serves,
    alone=True,
)
