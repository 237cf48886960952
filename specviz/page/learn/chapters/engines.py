"""How engines draft and test, and what that keeps."""

from ....picture.chances import RULES
from ...exercise import Exercise
from ..chapter import STORY, Chapter, Question
from ..excerpts import Runs, models, sampled

PLACE_BARS = 4  # tokens of a position, beside the chances of every rule

# Which engine drafts and tests how unless told otherwise, what it can be told, and how that is known.
ENGINES = (
    {
        "name": "The papers",
        "known": "Leviathan 2022, Chen 2023",
        "keeps": "draw x from q, test it by p/q",
        "chance": "Σ min(p, q)",
        "options": "–",
    },
    {
        "name": "vLLM",
        "known": "0.32.0, 2026-11-21",
        "keeps": "take the argmax of q; it stays with chance p(x)",
        "chance": "p(argmax q)",
        "options": "draw from q, test by p/q or as a block (on a CPU “block” is ignored)",
    },
    {
        "name": "SGLang",
        "known": "November 2026",
        "keeps": "take the argmax of q; it stays with chance p(x)",
        "chance": "p(argmax q)",
        "options": "draw from q, test by p/q; accept thresholds below 1, not exact",
    },
    {
        "name": "llama.cpp",
        "known": "November 2026",
        "keeps": "take the argmax of q; it stays with chance p(x)",
        "chance": "p(argmax q)",
        "options": "–",
    },
    {
        "name": "mlx-lm",
        "known": "November 2026",
        "keeps": "draw x from q and y from p, keep x = y",
        "chance": "Σ p·q",
        "options": "–",
    },
    {
        "name": "Medusa",
        "known": "Cai et al. 2024",
        "keeps": "typical acceptance: keep x if p(x) is above a bound; not exact",
        "chance": "0 or 1, given x",
        "options": "–",
    },
)

# How far the rules that are not exact are from the target's law, measured by tests/engine/test_exactness.py: as docs/rules.md says.
INEXACT = (
    {"name": "typical, ε = .09, δ = .3", "mean": 0.48, "worst": 0.83},
    {"name": "threshold, θ = .9", "mean": 0.04, "worst": 0.12},
    {"name": "threshold, θ = .5", "mean": 0.28, "worst": 0.59},
)

TABLES = {"engines": ENGINES, "inexact": INEXACT}


def excerpt(runs: Runs) -> dict:
    """Of the first sampled run the positions at which rules differ most, and the mean of each rule over all that it tested."""
    run = next((run for run in runs.values() if sampled(run) and run["rules"]), None)
    if run is None:
        return {**models(runs["creative"]), "recorded": None, **TABLES}
    rounds = run["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    places = [_place(position) for position in tested if position and position["chances"]]
    means = {rule: run["rules"][rule] for rule in RULES}
    recorded = {"places": _apart(places), "means": means, "positions": run["rules"]["positions"]}
    return {**models(run), "recorded": recorded, **TABLES}


def _place(position: dict) -> dict:
    entries = [{key: e[key] for key in ("token", "p", "q")} for e in position["entries"]]
    first_p, first_q = (max(entries, key=lambda e: e[key]) for key in ("p", "q"))
    shown = sorted(entries, key=lambda e: -max(e["p"], e["q"]))[:PLACE_BARS]
    return {"entries": shown, "chances": position["chances"], "equal": first_p is first_q}


def _apart(places: list[dict]) -> list[dict]:
    """Where the argmax leads most, where sampling leads most, and where draft and target prefer different tokens."""
    lead = [place["chances"]["argmax"] - place["chances"]["rejection"] for place in places]
    parted = [i for i, place in enumerate(places) if not place["equal"]]
    found = [max(range(len(places)), key=lead.__getitem__), min(range(len(places)), key=lead.__getitem__)]
    found += [max(parted, key=lambda i: places[i]["chances"]["rejection"])] if parted else []
    return [places[i] for i in dict.fromkeys(found)]


CHAPTER = Chapter(
    key="engines",
    place=120,
    short="Engines",
    title="What engines run",
    text=(
        "The papers draw x from q and keep it with chance p/q: in all Σ min(p, q). vLLM, SGLang and llama.cpp draft the argmax, unless "
        "told otherwise; it stays with chance p(x). mlx-lm draws x from q and y from p, and keeps x where both are one: Σ p·q.",
        "All of them are exact. How much stays depends on the rule as much as on the draft.",
    ),
    question=Question(
        "p = (.9, .05, .05) and q = (.4, .3, .3). What keeps more?",
        ("Drawing x from q, testing it by p/q", "Drafting the argmax of q", "Both keep the same"),
        1,
        ".90 against Σ min(p, q) = .50: where the target is sure, what is drawn beside its favourite is lost. With p = (.4, .3, .2, .1) "
        "and q = (.7, .15, .1, .05) it is the other way round, .40 against .70.",
    ),
    go="Watch drafting by argmax at temperature 1: click a token to see what each rule would keep there.",
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96", "drafting": "argmax"},
    notes=(
        "Acceptance rates of two engines compare drafts only if both draft and test alike, at one temperature.",
        "Σ p·q is never above Σ min(p, q), token by token: match gives up drafts for not needing q.",
        "Block verification tests a block as one. In the mean it keeps no fewer tokens than p/q token by token; the paper measured "
        "5–8 % more speed. For a block of one token the two are the same.",
        "Typical acceptance with ε = .09 keeps whatever has a p(x) above a bound of .09 at most, as often as it is drafted: the draft's "
        "favourites come out too often.",
    ),
    sources=("leviathan", "medusa", "sun", "engines", "here"),
    exercise=Exercise(
        (
            "An engine keeps a draft token always at temperature 0 and 40 % of the time at 1. It is one and the same draft, with "
            "p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05) at temperature 1. Is that a bug?",
            "p = (.9, .05, .05) and q = (.4, .3, .3). Work out the chance to stay when x is drawn and tested by p/q, drawn and matched, and "
            "taken as argmax.",
        ),
        (
            "No. It drafts the argmax: at 0 that is the target's argmax too, so it always stays; at 1 it stays with chance p(x) = .40. "
            "Drawn from q and tested by p/q, .70 of the drafts would stay, drawn and matched .35.",
            "Σ min(p, q) = .50, Σ p·q = .39, p(argmax q) = .90.",
        ),
        ("say what an acceptance rate depends on beside the draft", "tell a rule that is exact from one that is not"),
    ),
    plan=(3, "Three tokens by hand: which rule keeps most where."),
    excerpt=excerpt,
    words={
        "view_trio": "Three tokens",
        "view_places": "Recorded positions",
        "view_engines": "Who runs what",
        "view_inexact": "Not exact",
        "rules": "Chance that the draft token stays",
        "rule_rejection": "drawn, p/q: Σ min(p, q)",
        "rule_match": "drawn, match: Σ p·q",
        "rule_argmax": "argmax: p(argmax q)",
        "rule_equal": "at temperature 0",
        "rule_always": "always",
        "rule_never": "never",
        "rule_most": "{chance}, most",
        "rule_best": "bold: the draft's argmax",
        "rule_block": "Block verification has no chance at one position: it tests a block as one, and in the mean keeps no fewer tokens than p/q.",
        "trio_draft": "The draft is surer than the target. Drawn from q, {rejection} of its tokens stay; its argmax {x} stays with {argmax} only.",
        "trio_target": "The target is surer than the draft: the argmax stays with {argmax}, what is drawn from q with {rejection}.",
        "trio_apart": "They prefer different tokens: at temperature 0 the draft never stays, at 1 its argmax {x} does with {argmax}, a drawn token with {rejection}.",
        "place_says": "The draft's argmax is {x}, with q = {q} and p = {p}: by argmax {argmax} stays, drawn and tested by p/q {rejection}.",
        "place_run": "Over the {n} positions that this run tested at temperature {T}: p/q {rejection}, match {match}, argmax {argmax}. By another rule the "
        "text, and so the positions, would be others.",
        "engine": "engine",
        "engine_default": "unless told otherwise",
        "engine_chance": "stays with",
        "engine_options": "can be told to",
        "engines_known": "Defaults change from version to version: under the name stands which one was looked at, or when.",
        "engines_says": "Before two acceptance rates are compared: how does each engine draft, how does it test, at which temperature?",
        "inexact": "Distance of the text's law from the target's (total variation)",
        "inexact_mean": "mean",
        "inexact_worst": "worst",
        "inexact_none": "every exact rule",
        "inexact_how": "Of four tokens: one round of K = 3, then the target alone. Twelve made-up chains of three tokens whose draft disagrees a lot, "
        "every case worked out, nothing drawn (docs/rules.md). 0: the same law; 1: nothing in common.",
        "inexact_others": "SGLang has such thresholds, Medusa runs typical acceptance. TensorRT-LLM's relaxed acceptance is not exact either; it was not "
        "measured here.",
        "inexact_says": "By these rules some tokens come out more often than p says, others less: the text is no longer distributed as the target's.",
    },
)
