"""How many tokens a round gives, and what caches hold after it: positions, which are cut, or a state, which is not."""

from statistics import median

from ....words import chapter_pictures
from ..chapter import STORY, Chapter, Run, Runs, chapter_words, models, token_before, whole_rounds, without_distributions

ACCEPTED = 2  # drafted tokens of the round that is shown of a hybrid


def excerpt(runs: Runs) -> dict:
    """Every whole round of a run: its picture, the token before it, its roles in reading order, what each cache then holds."""
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
    """Of a target with layers that keep a state: a round that keeps ACCEPTED drafted tokens, one that keeps all, and what the
    state cost. None where the run has no such rounds."""
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
    """In target passes over one token, medians: a `copy`; by the tokens that were read `again` the copy and that; of all such
    rounds `rejected`. `speedup`: measured; `cut`: calculated from the same rounds without copy and reading again, both lanes."""
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
    return {"ask": chapter_pictures.STATE_QUESTION}


CHAPTER = Chapter(
    **chapter_words("rounds"),
    settings={"prompt": STORY, "drafter": "small", "K": "1", "temperature": "0.8", "length": "96"},
    sources=("leviathan", "chen", "hybrid", "here"),
    excerpt=excerpt,
    tables=tables,
    runs=("hybrid",),
)
