"""How many tokens a round gives, and what caches hold after it: positions, which are cut, or a state, which is not."""

from dataclasses import asdict
from statistics import median

from ..chapter import STORY, Chapter, Exercise, Question, Run, Runs, models, token_before, whole_rounds, without_distributions

ACCEPTED = 2  # drafted tokens of the round that is shown of a hybrid


def excerpt(runs: Runs) -> dict:
    """Every whole round of a run: its picture, the token before it, its roles in reading order, and what each cache holds of them after it."""
    run = runs["creative"]
    rounds = whole_rounds(run)
    whole = [[cache_states(r, s) for s in r["shown"]] for r in rounds]
    return {
        **models(run),
        "K": run["header"]["config"]["K"],
        "rounds": whole,
        "drawn": [without_distributions(r) for r in rounds],
        "before": [token_before(run, r) for r in rounds],
        "state": _state(runs["hybrid"]),
    }


def cache_states(round_: dict, span: dict) -> dict:
    """A span, and by cache whether the round left it there: `held`, rolled `back`, or `none` if it was not fed in this round."""
    fed = round_["target_cache"]["before"] + 1  # the last token of the text goes first

    def state(cache: dict | None) -> str:
        if cache is None or span["drafted"] is None or fed + span["drafted"] >= cache["peak"]:
            return "none"
        return "held" if fed + span["drafted"] < cache["after"] else "back"

    view = {"text": span["text"], "role": span["role"]}
    return {**view, "target": state(round_["target_cache"]), "draft": state(round_["draft_cache"])}


def _state(run: Run) -> dict | None:
    """Of a target with layers that keep a state: a round that keeps KEPT drafted tokens, a round that keeps all, and what the state cost.
    None where the run has no such rounds."""
    rounds = whole_rounds(run)
    scenes = [next((r for r in rounds if r["target_cache"].get("replayed", 0) == count), None) for count in (ACCEPTED + 1, 0)]
    if None in scenes:
        return None
    target = run["header"]["target"]
    return {
        **models(run),
        "layers": target["layers"],
        "states": target["state_layers"],
        "drawn": [without_distributions(r) for r in scenes],
        "before": [token_before(run, r) for r in scenes],
        "cost": None if run["comparison"]["disturbed"] else state_cost(run),
    }


def state_cost(run: Run) -> dict:
    """In target passes over one token, medians: a `copy`; by the tokens that were read `again` the copy and that; of all such rounds
    `rejected`. `speedup`: measured; `cut`: calculated from the same rounds without copies and without reading again, in both lanes."""
    vanilla, speculative = (run["lanes"][lane]["rounds"] for lane in ("vanilla", "speculative"))
    one = median(r["times"]["verify"] - r["times"]["replay"] for r in vanilla)
    by_count: dict[int, list[float]] = {}
    for r in speculative:
        by_count.setdefault(r["target_cache"].get("replayed", 0), []).append(r["times"]["replay"] / one)

    def ms(rounds: list[dict]) -> float:
        parts = ("draft", "verify", "decide", "rest")
        return sum(sum(r["times"][part] or 0 for part in parts) - r["times"]["replay"] for r in rounds) / sum(
            len(r["emitted"]) for r in rounds
        )

    return {
        "copy": median(r["times"]["replay"] / one for r in vanilla),
        "rejected": median(passes for n, some in by_count.items() if n for passes in some),
        "again": [{"n": n, "passes": median(by_count[n]), "rounds": len(by_count[n])} for n in sorted(by_count) if n],
        "speedup": run["comparison"]["speedup"],
        "cut": ms(vanilla) / ms(speculative),
    }


def tables() -> dict:
    return {"ask": asdict(STATE_QUESTION)}


STATE_QUESTION = Question(
    "This target has layers that keep a state. Two drafted tokens are accepted, the third is rejected. How many tokens does a state read again?",
    ("None: it is cut", "Three", "All five"),
    1,
    "The pass read the last token of the text and four drafted tokens. Three of these five stay in the text, so the state reads these three again.",
)

CHAPTER = Chapter(
    key="rounds",
    short="Bonus",
    title="All accepted: the bonus",
    text=(
        "If all K are accepted, the pass holds one more p. A bonus token is drawn from it. If the first is rejected, the round gives "
        "one token: the correction. Such a round, K·c + v for one token, is slower than no draft.",
        "After a rejection both caches drop rejected tokens. The next round reads the correction. Some layers keep a state instead. It cannot "
        "be cut.",
    ),
    question=Question(
        "K = 1, and drafting costs almost nothing. Can drafting help?",
        ("No: one guess, one pass", "Yes: up to two tokens per pass", "Only at temperature 0"),
        1,
        "If the one guess is accepted, the same pass gives a bonus token too: two tokens for one pass.",
    ),
    go="Watch K = 1 and look for +.",
    settings={"prompt": STORY, "drafter": "small", "K": "1", "temperature": "0.8", "length": "96"},
    notes=(
        "Every square is a round of one recorded run. Ask where the average will be before the last round falls.",
        "If all are accepted, the draft's cache lacks its own last token: the draft drew it and never read it. The next round reads it first.",
        "In an attention cache rolling back is cheap: only its length changes. A recurrent or hybrid target must copy its state before "
        "the pass and read the kept tokens again, or keep a state for each position.",
        "A contributor to llama.cpp measured a hybrid in August 2026 (pull request 28120). It wrote 32 tokens per second without drafts. With a copy of the state in "
        "each round it wrote 6, with a state for each position 44. Until April 2026 mlx-lm left rejected tokens in such a state (pull request 1109). The text went "
        "wrong in silence.",
    ),
    sources=("leviathan", "chen", "hybrid", "here"),
    exercise=Exercise(
        (
            "K = 4 and the third drafted token is rejected. How many tokens does the round give? Which drafted tokens does the target's "
            "cache keep?",
            "All four are accepted. What does each model read first in the next round?",
            "K = 4 and a target with a state. The first drafted token is rejected. How many tokens does the state read again? In which round does "
            "it read none again?",
        ),
        (
            "Three: two drafted tokens and the correction. The cache keeps the first two. The next round reads the correction.",
            "The target reads the bonus. The draft reads its own fourth token, which it never read before, and the bonus.",
            "One: the last token of the text, which the pass read first. It reads none again where all four are accepted: then its state is right.",
        ),
        (
            "say how many tokens one round can give",
            "say what each cache holds after a rejection and after full acceptance",
            "say why a rejection costs more where a target keeps a state",
        ),
    ),
    excerpt=excerpt,
    tables=tables,
    runs=("hybrid",),
    words={
        "view_bonus": "Bonus tokens",
        "view_state": "A state",
        "state_pass": "{target} has {layers} layers, {states} with a state: one set of numbers that every token changes. It was copied before the pass. Now "
        "the pass has read all {read} tokens.",
        "state_again": "Two tokens are accepted. The attention cache drops the rejected positions. The state goes back to its copy and reads {n} tokens again, in "
        "a pass over them.",
        "state_whole": "Here all are accepted. The state has read only tokens that stay, so nothing is read again. The copy was made for nothing.",
        "state_cost": "Recorded: after a rejection a state costs about {rejected} passes, since the kept tokens take a pass of their own. Measured: {speedup}× as fast "
        "as without a draft. If states could be cut, the same rounds would give {cut}× (calculated).",
        "state_costs": "An attention cache is cut. A state is copied, and reads the kept tokens again. Costs in target passes over one token: {target} with "
        "{draft} on {device}, medians of {rounds} rounds with a rejection.",
        "state_cut": "cut",
        "state_cut_value": "no token again",
        "state_copy": "copy",
        "state_read": "{n} again",
        "state_passes": "{passes} passes",
        "rounds_axis": "tokens per round",
        "rounds_worst": "worst case",
        "rounds_best": "best: all, + bonus",
        "rounds_mean": "average {mean}",
        "rounds_now": "Round {i}: {n} tokens from one target pass. The target's cache keeps drafted tokens: {cached}. It drops: {dropped}.",
        "rounds_one": "Round {i}: one token, the correction. The target's cache drops all drafted tokens: {dropped}.",
        "rounds_whole": "Round {i}: {n} tokens, all drafted ones and the bonus. Nothing is rolled back. The draft wrote its last token, but did not read it.",
        "rounds_end": "{rounds} rounds, {tokens} tokens: {mean} tokens per target pass. Without a draft it is 1.",
    },
)
