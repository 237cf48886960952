"""How engines draft and test, and what that keeps."""

import json

from ....config import ASSETS
from ....picture.sentences import ENGINES, INEXACT
from ..chapter import STORY, Chapter, Exercise, Question, Runs, is_sampled, models

GRAMMAR = ASSETS / "shapes" / "grammar.json"  # scripts/picture_data.py
PLACE_BARS = 4  # tokens of a position, beside the chances of every rule

RULES = ("rejection", "match", "argmax")  # drawn and tested by p/q, drawn and matched, the draft's largest


def tables() -> dict:
    return {
        "engines": [{name: value for name, value in claim._asdict().items() if name != "more"} for claim in ENGINES],
        "inexact": [one._asdict() for one in INEXACT],
        "masked": json.loads(GRAMMAR.read_text("utf-8")) if GRAMMAR.is_file() else None,
    }


def excerpt(runs: Runs) -> dict:
    """Of the first sampled run the positions at which rules differ most, and the mean of each rule over all that it tested."""
    run = next((run for run in runs.values() if is_sampled(run) and run["rules"]), None)
    if run is None:
        return {**models(runs["creative"]), "recorded": None}
    rounds = run["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    places = [_place(position) for position in tested if position and position["chances"]]
    means = {rule: run["rules"][rule] for rule in RULES}
    record = {"places": most_different(places), "means": means, "positions": run["rules"]["positions"]}
    return {**models(run), "recorded": record}


def _place(position: dict) -> dict:
    entries = [{key: e[key] for key in ("token", "p", "q")} for e in position["entries"]]
    first_p, first_q = (max(entries, key=lambda e: e[key]) for key in ("p", "q"))
    largest = sorted(entries, key=lambda e: -max(e["p"], e["q"]))[:PLACE_BARS]
    return {"entries": largest, "chances": position["chances"], "equal": first_p is first_q}


def most_different(places: list[dict]) -> list[dict]:
    """Where the argmax leads most, where sampling leads most, and where draft and target prefer different tokens."""
    lead = [place["chances"]["argmax"] - place["chances"]["rejection"] for place in places]
    unequal = [i for i, place in enumerate(places) if not place["equal"]]
    indices = [max(range(len(places)), key=lead.__getitem__), min(range(len(places)), key=lead.__getitem__)]
    indices += [max(unequal, key=lambda i: places[i]["chances"]["rejection"])] if unequal else []
    return [places[i] for i in dict.fromkeys(indices)]


CHAPTER = Chapter(
    key="engines",
    short="Engines",
    title="What engines run",
    text=(
        "In the papers x is drawn from q and accepted with chance min(1, p/q), on average Σ min(p, q). Most engines take the argmax of q: its "
        "chance is p(x). mlx-lm (0.32.2, November 2026) accepts x if a token drawn from p is the same: on average Σ p·q.",
        "These rules are exact by design. Some versions break them. Acceptance depends on the rule as much as on the draft.",
    ),
    question=Question(
        "p = (0.9, 0.05, 0.05) and q = (0.4, 0.3, 0.3). What is accepted more often?",
        ("x drawn from q, tested by p/q", "The argmax of q", "Both equally often"),
        1,
        "The argmax has chance 0.90, a token drawn from q Σ min(p, q) = 0.50. The target is sure, so it rejects most draws "
        "that are not its favourite. With p = (0.4, 0.6) and q = (0.7, 0.3) they have 0.40 and 0.70.",
    ),
    go="Watch drafting by argmax at temperature 1. Click a token to see its chance under each rule.",
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96", "drafting": "argmax"},
    notes=(
        "The acceptance rates of two engines compare their drafts only if both engines draft and test in the same way, at one temperature.",
        "Σ p·q is never above Σ min(p, q). So the rule match never accepts more, but it does not need q.",
        "Block verification tests the whole block at once. On average it accepts at least as many tokens as p/q. The paper measured "
        "5–8 % more speed. For a block of one token the two are the same.",
        "Typical acceptance with ε = 0.09 accepts every token whose p(x) is above a bound, and the bound is at most 0.09. So the draft's favourites come too "
        "often.",
        "Versions that are not exact, in November 2026: SGLang 0.5.23 takes the argmax at any temperature on a CPU and an XPU. On ROCm it does so unless "
        "rejection sampling is on, which is the default only for EAGLE with topk 1. vLLM 0.32 on a CPU reads memory that was never written.",
    ),
    sources=("leviathan", "medusa", "sun", "willard", "engines", "here"),
    exercise=Exercise(
        (
            "An engine accepts a drafted token always at temperature 0 and 40 % of the time at 1. The draft is the same. At temperature 1 "
            "p = (0.4, 0.3, 0.2, 0.1) and q = (0.7, 0.15, 0.1, 0.05). Is this a bug?",
            "p = (0.9, 0.05, 0.05) and q = (0.4, 0.3, 0.3). Calculate the chance of acceptance for three cases: x drawn and tested by p/q, x "
            "drawn and matched, x the argmax.",
            "Open the recorded run “Assistant: a fixed shape”. Choose a void token. What are p and u there? Why is the text still exact?",
        ),
        (
            "No. It drafts the argmax. At 0 this is the target's argmax too, so it is always accepted. At 1 it is accepted with chance "
            "p(x) = 0.40. Drawn from q and tested by p/q it would be 0.70, drawn and matched 0.35.",
            "Σ min(p, q) = 0.50, Σ p·q = 0.39, p(argmax q) = 0.90.",
            "p = 0, so no u accepts it. Both lanes draw from the masked p, and the rule is exact for any p.",
        ),
        (
            "say what an acceptance rate depends on beside the draft",
            "tell an exact rule from one that is not",
            "say what a grammar does to p and to drafts",
        ),
    ),
    excerpt=excerpt,
    tables=tables,
    words={
        "view_trio": "Three tokens",
        "view_places": "Positions",
        "view_engines": "Who runs what",
        "view_switch": "Turn it on",
        "view_inexact": "Not exact",
        "view_grammar": "Grammar",
        "grammar_run": "one question, {n} seeds each",
        "grammar_with": "with the grammar",
        "grammar_without": "without",
        "grammar_tokens": "tokens per round",
        "grammar_accepted": "accepted / tested",
        "grammar_void": "void / drafted",
        "grammar_forced": "forced / written",
        "grammar_how": "Counted: {target} with {draft} describes a person, K = {K}, temperature {T}. The grammar asks for JSON with five keys on one "
        "line. Without it the model writes what it likes.",
        "grammar_mask": "A server can force the form of an answer, such as JSON. At each position a grammar says which tokens may follow. All others get "
        "p = 0, and the rest of p is scaled to a sum of 1. Then the rule runs as before, so it stays exact.",
        "grammar_says": "The draft does not know the grammar. Here {void} of its tokens are void: the grammar forbids them, so they are rejected.",
        "grammar_free": "A token is forced where the grammar allows no other. specviz drafts and verifies it all the same. Without draft passes for "
        "forced tokens, a round would give {free} tokens instead of {now}. Without a draft {saved} of the passes could be saved.",
        "rules": "Chance that the drafted token is accepted",
        "rule_rejection": "drawn, p/q: Σ min(p, q)",
        "rule_match": "drawn, match: Σ p·q",
        "rule_argmax": "argmax: p(argmax q)",
        "rule_equal": "at temperature 0",
        "rule_always": "always",
        "rule_never": "never",
        "rule_most": "{chance}, most",
        "rule_best": "bold: the draft's argmax",
        "rule_block": "Block verification tests the whole block at once, so a single position has no chance of its own. On average it accepts at least as "
        "many tokens as the rule p/q. An example: p(a) = 1/3, q(a) = 2/3, K = 2. The block a b has the ratios 1/2 and 2. By the rule p/q its first "
        "token is rejected half of the time. Block verification multiplies both, 1/2 · 2 = 1, so it always accepts the block. On average it accepts 11/9 tokens instead of 10/9.",
        "trio_draft": "The draft is surer than the target. A token drawn from q is accepted with chance {rejection}. The argmax {x} is accepted with chance {argmax} "
        "only.",
        "trio_target": "The target is surer than the draft. The argmax is accepted with chance {argmax}, a token drawn from q with chance {rejection}.",
        "trio_apart": "Draft and target prefer different tokens. At temperature 0 the draft is never accepted. At 1 the argmax {x} is accepted with chance "
        "{argmax}, a drawn token with chance {rejection}.",
        "place_says": "The draft's argmax is {x}, with q = {q} and p = {p}. The argmax is accepted with chance {argmax}, a drawn token with chance {rejection} (by p/q).",
        "place_run": "This run tested {n} positions at temperature {T}: p/q {rejection}, match {match}, argmax {argmax}. Another rule would write another "
        "text, with other positions.",
        "engine": "engine",
        "engine_default": "by default",
        "engine_chance": "accepted with chance",
        "engine_options": "other settings",
        "engine_inexact": "not exact: {what}",
        "engines_known": "Defaults change with versions. The sources are each engine's own code and documentation.",
        "switch": "what turns drafting on",
        "switch_says": "One option turns drafting on. DRAFT stands for your draft model, and 4 for K. Open your engine's record, and “Which K pays here?” says which K pays.",
        "engines_says": "Before you compare two acceptance rates, ask: how does each engine draft, how does it test, at which temperature?",
        "inexact": "Distance of the text from the target's distribution (total variation)",
        "inexact_argmax": "argmax drafts, as these engines run",
        "inexact_drawn": "drafts drawn from q",
        "inexact_value": "argmax {argmax}, at worst {worst} · drawn {sample}",
        "inexact_none": "every exact rule",
        "inexact_how": "Averages over twelve made-up languages with a bad draft; typical with ε = 0.09 and δ = 0.3. Compared are texts of four tokens; every case is calculated. "
        "0: the same distribution; 1: nothing in common.",
        "inexact_others": "Not calculated here, and not exact either: vLLM's fly (0.33) and TensorRT-LLM's relaxed acceptance (1.3), both read in November 2026.",
        "inexact_says": "With these rules some tokens come out more often than p says, others less often. The text no longer follows the target's distribution.",
    },
)
