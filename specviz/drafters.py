"""The ways to draft: what the command line, the page, a trace and a picture call each, and what it needs.

DRAFTERS["eagle"].label

What they do is in engine/draft/, a file each. Nothing is imported but the standard library.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple


class DrafterInfo(NamedTuple):
    """What is said of a way to draft. Its key in DRAFTERS is its name on the page, in links and for `/race`.

    `label`, `sentence`: for a visitor. `kind`: what a trace calls it, and `--draft` unless it is a model of its own. `family`: what stands in the
    place of a model's family in a trace, None for a model or a part of the target.
    `picture_name`: what a picture calls it. `words`: what a picture says of all that it calls so: how a block is drafted (`note`), what it is in
    plain words (`who`, `ahead`), and what it is made of (`models`); `{name}` marks what a run fills in.
    `passes`: how its cost grows with K: a pass a drafted token, a pass a block, or none.
    `weights`: it needs weights of its own, beside the target's. `colon`: what may follow `kind:` in `--draft`: the number of layers, a
    folder or hub id, or nothing. `bundled`: what `--draft` takes for the bundled family.
    `vllm`: what vLLM calls it.
    `logits`: what its tokens are drawn by, and `cache`: how many positions its own cache holds after the prefill of n tokens, at its fullest in a
    round of k drafted tokens, and after the round, whose text has m tokens; () for none. Both as in docs/trace.md.
    `limit`: it shows how good or bad a draft can be, and nobody would serve it."""

    label: str
    sentence: str
    kind: str
    picture_name: str
    passes: Literal["token", "block", "none"]
    weights: bool
    bundled: str
    family: str | None = None
    colon: Literal["layers", "folder"] | None = None
    words: Mapping[str, str] = {}
    vllm: tuple[str, ...] = ()
    limit: bool = False
    logits: str = ""
    cache: tuple[str, str, str] | tuple[()] = ()


OWN = "its own, cut or padded to the target's vocabulary; an id that it does not know is fed to it as 0"
MODEL_CACHE = ("n − 1; 0 if its context is shorter", "n + k − 1", "min(fullest, m − 1)")

# fmt: off
DRAFTERS: dict[str, DrafterInfo] = {  # the default first
    "small": DrafterInfo(
        "Small model",
        "A small model of its own guesses token by token (Leviathan et al. 2022, Chen et al. 2023).",
        kind="model", picture_name="model", passes="token", weights=True, bundled="fable-small",
        vllm=("draft_model",),
        logits=OWN, cache=MODEL_CACHE,
        words={
            "who": "small model",
            "ahead": "a small model",
            "note": "speculative: {draft} drafts {block}, {check}",
            "models": "target {target} ({target_m} M) · draft {draft} ({draft_m} M) · {dtype}",
        },
    ),
    "large": DrafterInfo(
        "Large model",
        "A second model, larger than the small one and smaller than the target. Its guesses are better and cost more (Leviathan et al. 2022, Chen et al. 2023).",
        kind="model", picture_name="model", passes="token", weights=True, bundled="fable-large",
    ),
    "lookup": DrafterInfo(
        "Prompt lookup",
        "No model: it copies what followed the same last tokens earlier in the text. Without a match it drafts nothing (Saxena 2023).",
        kind="lookup", picture_name="lookup", passes="none", weights=False, bundled="lookup", family="n-gram",
        vllm=("ngram",),
        logits="the text's last 4, 3, 2 or 1 tokens are searched earlier in the text. The longest match counts, and of equal ones the latest. What followed is copied. q is one-hot",
        words={
            "who": "copied words",
            "ahead": "a copy of earlier words",
            "note": "speculative: {block} copied from the text, {check}",
            "models": "target {target} ({target_m} M) · drafts copied from the text, no model · {dtype}",
        },
    ),
    "bigram": DrafterInfo(
        "Bigram table",
        "No model: counts of which token followed which in the training text (Leviathan et al. 2022, §4).",
        kind="bigram", picture_name="bigram", passes="none", weights=True, bundled="bigram", family="bigram", colon="folder",
        logits="ln(count + 10⁻⁴). Its file has `next` and `count`, both [V, n]: `count[t][j]` says how often token `next[t][j]` followed t. Any other token has count 0",
        words={
            "who": "table",
            "ahead": "a table of which word follows which",
            "note": "speculative: a bigram table drafts {block}, {check}",
            "models": "target {target} ({target_m} M) · bigram table {draft} ({entries} counts), no model · {dtype}",
        },
    ),
    "early-exit": DrafterInfo(
        "Early exit",
        "The target runs its first layers only, and guesses from them. No second model is needed: self-speculation (LayerSkip, Elhoushi et al. 2024).",
        kind="early-exit", picture_name="layers", passes="token", weights=False, bundled="early-exit:3", colon="layers",
        logits="the target's norm and head after its first layers; the cache is the target's",
        words={
            "who": "first layers",
            "ahead": "the large model's own first layers",
            "note": "speculative: the {draft} draft {block}, {check}",
            "models": "target {target} ({target_m} M), whose {draft} draft · {dtype}",
        },
    ),
    "mtp": DrafterInfo(
        "Multi-token heads",
        "Heads: small modules, added to the target. Each guesses one token and reads the guess before (DeepSeek-V3's report, §2.2: multi-token prediction, MTP).",
        kind="mtp", picture_name="heads", passes="token", weights=True, bundled="mtp", family="multi-token heads", colon="folder",
        logits="see below", cache=("n − 2", "n − 1", "min(fullest, n − 1)"),
        words={
            "who": "heads",
            "ahead": "heads with the large model's eyes",
            "note": "speculative: heads on the target draft {block}, {check}",
            "models": "target {target} ({target_m} M) · heads {draft} ({draft_m} M more) · {dtype}",
        },
    ),
    "eagle": DrafterInfo(
        "EAGLE head",
        "A head: one layer, added to the target. It reads what the target has just computed (its features), and guesses token by token (EAGLE, Li et al. 2024, 2025).",
        kind="eagle", picture_name="eagle", passes="token", weights=True, bundled="eagle", family="EAGLE head", colon="folder",
        vllm=("eagle", "eagle3"),
        logits="see below", cache=("n − 2", "n + k − 2", "min(fullest, n − 1)"),
        words={
            "who": "head",
            "ahead": "a head with the large model's eyes",
            "note": "speculative: a head on the target (EAGLE) drafts {block}, {check}",
            "models": "target {target} ({target_m} M) · EAGLE head {draft} ({draft_m} M more) · {dtype}",
        },
    ),
    "block": DrafterInfo(
        "Block head",
        "A head: one layer, added to the target. One pass over what the target has just computed guesses all K tokens (P-EAGLE, Hui et al. 2026). A small link shows each guess the one before it (DSpark, 2026).",
        kind="block", picture_name="block", passes="block", weights=True, bundled="block", family="block head", colon="folder",
        logits="see below", cache=("n − 2", "n + `asked` − 2", "min(fullest, n − 1)"),
        words={
            "who": "head",
            "ahead": "a head with the large model's eyes",
            "note": "speculative: a block head on the target drafts {block} in one pass, {check}",
            "models": "target {target} ({target_m} M) · block head {draft} ({draft_m} M more) · {dtype}",
        },
    ),
    "oracle": DrafterInfo(
        "Oracle",
        "The target drafts for itself. Under rejection every guess is accepted, but nothing is gained: a guess costs as much as a target token. Under match, or with argmax drafts above temperature 0, some are rejected.",
        kind="oracle", picture_name="target", passes="token", weights=False, bundled="oracle", limit=True,
        logits=OWN, cache=MODEL_CACHE,
        words={
            "who": "large model too",
            "ahead": "the large model itself",
            "note": "speculative: the target itself drafts {block}, {check}",
            "models": "target {target} ({target_m} M), which drafts too · {dtype}",
        },
    ),
    "random": DrafterInfo(
        "Random tokens",
        "Any token, each equally likely. Hardly any is accepted. With an exact rule the text still follows the target's distribution.",
        kind="random", picture_name="random", passes="none", weights=False, bundled="random", family="random", limit=True,
        logits="all equal. At temperature 0 or by `argmax` one token is 10⁻⁶ higher: the tokens are `torch.randint(V, (asked, 1))` of a generator seeded with n",
        words={
            "who": "chance",
            "ahead": "chance alone",
            "note": "speculative: {block} drawn at random, {check}",
            "models": "target {target} ({target_m} M) · drafts drawn at random, no model · {dtype}",
        },
    ),
}
# fmt: on

KINDS = tuple(dict.fromkeys(one.kind for one in DRAFTERS.values()))
"""What a trace may call the way that it was drafted."""

ONE_PASS = frozenset(one.kind for one in DRAFTERS.values() if one.passes == "block")
"""Kinds whose whole block is one step: what drafting costs does not grow with K."""

NO_PASS = frozenset(one.kind for one in DRAFTERS.values() if one.passes == "none")
"""Kinds that draft without a pass."""

DRAFT_NAMES = tuple(kind for kind in KINDS if kind != "model")
"""What `--draft` takes beside models; each is a key of DRAFTERS."""
