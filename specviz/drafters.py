"""The ways to draft: what the command line, the page, a trace and a picture call each, and what it needs.

DRAFTERS["eagle"].label

What they do is in engine/draft/. What is said of them is in words/drafters.toml.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from .words import drafters

WORDS = drafters.DRAFTERS


class DrafterInfo(NamedTuple):
    """What is said of a way to draft. Its key in DRAFTERS is its name on the page, in links and for `/race`.

    `label`, `sentence`: for a visitor. `kind`: what a trace calls it, and `--draft` unless it is a model of its own. `family`:
    what stands in the place of a model's family in a trace, None for a model or a part of the target.
    `picture_name`: what a picture calls it. `words`: what a picture says of all that it calls so: how a block is drafted
    (`note`), what it is in plain words (`who`, `ahead`), and what it is made of (`models`); `{name}` marks what a run fills in.
    `passes`: how its cost grows with K: a pass a drafted token, a pass a block, or none.
    `weights`: it needs weights of its own, beside the target's. `colon`: what may follow `kind:` in `--draft`: the number of layers, a
    folder or hub id, or nothing. `bundled`: what `--draft` takes for the bundled family.
    `vllm`: what vLLM calls it.
    `logits`: what its tokens are drawn by, and `cache`: how many positions its own cache holds after the prefill of n tokens, at
    its fullest in a round of k drafted tokens, and after the round, whose text has m tokens; () for none. Both as in docs/trace.md.
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
        **WORDS["small"],
        kind="model", picture_name="model", passes="token", weights=True, bundled="fable-small",
        vllm=("draft_model",),
        logits=OWN, cache=MODEL_CACHE,
    ),
    "large": DrafterInfo(
        **WORDS["large"],
        kind="model", picture_name="model", passes="token", weights=True, bundled="fable-large",
    ),
    "lookup": DrafterInfo(
        **WORDS["lookup"],
        kind="lookup", picture_name="lookup", passes="none", weights=False, bundled="lookup", family="n-gram",
        vllm=("ngram",),
        logits="the text's last 4, 3, 2 or 1 tokens are searched earlier in the text. The longest match counts, "
        "and of equal ones the latest. What followed is copied. q is one-hot",
    ),
    "bigram": DrafterInfo(
        **WORDS["bigram"],
        kind="bigram", picture_name="bigram", passes="none", weights=True, bundled="bigram", family="bigram", colon="folder",
        logits="ln(count + 10⁻⁴). Its file has `next` and `count`, both [V, n]: `count[t][j]` says how often "
        "token `next[t][j]` followed t. Any other token has count 0",
    ),
    "early-exit": DrafterInfo(
        **WORDS["early-exit"],
        kind="early-exit", picture_name="layers", passes="token", weights=False, bundled="early-exit:3", colon="layers",
        logits="the target's norm and head after its first layers; the cache is the target's",
    ),
    "mtp": DrafterInfo(
        **WORDS["mtp"],
        kind="mtp", picture_name="heads", passes="token", weights=True, bundled="mtp", family="multi-token heads", colon="folder",
        logits="see below", cache=("n − 2", "n − 1", "min(fullest, n − 1)"),
    ),
    "eagle": DrafterInfo(
        **WORDS["eagle"],
        kind="eagle", picture_name="eagle", passes="token", weights=True, bundled="eagle", family="EAGLE head", colon="folder",
        vllm=("eagle", "eagle3"),
        logits="see below", cache=("n − 2", "n + k − 2", "min(fullest, n − 1)"),
    ),
    "block": DrafterInfo(
        **WORDS["block"],
        kind="block", picture_name="block", passes="block", weights=True, bundled="block", family="block head", colon="folder",
        logits="see below", cache=("n − 2", "n + `asked` − 2", "min(fullest, n − 1)"),
    ),
    "oracle": DrafterInfo(
        **WORDS["oracle"],
        kind="oracle", picture_name="target", passes="token", weights=False, bundled="oracle", limit=True,
        logits=OWN, cache=MODEL_CACHE,
    ),
    "random": DrafterInfo(
        **WORDS["random"],
        kind="random", picture_name="random", passes="none", weights=False, bundled="random", family="random", limit=True,
        logits="all equal. At temperature 0 or by `argmax` one token is 10⁻⁶ higher: the tokens are "
        "`torch.randint(V, (asked, 1))` of a generator seeded with n",
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
