"""What replaces a rejected token keeps the target's distribution."""

from ..chapter import STORY, Chapter, Runs, chapter_words, is_sampled, token_before, without_distributions

BARS = 6  # tokens of a distribution that a screen has room for


def excerpt(runs: Runs) -> list[dict]:
    """Three recorded positions of sampled runs, each of a rejected token, with its round: where draft and target differ most,
    where they nearly agree, and one between."""
    tested = [
        {**parts(d["position"]), "round": without_distributions(r), "before": token_before(run, r)}
        for run in runs.values()
        if is_sampled(run)
        for r in run["lanes"]["speculative"]["rounds"]
        for d in r["drafted"]
        if d["verdict"] == "rejected" and d["position"] and d["position"]["beta"] is not None and _readable(d["position"])
    ]
    if not tested:
        return []
    tested.sort(key=lambda law: law["beta"])
    apart = [law for law in tested if law["beta"] >= 0.2] or tested
    laws = [apart[0], *(min(tested, key=lambda law: abs(law["beta"] - beta)) for beta in (0.6, 0.9))]
    return [law for i, law in enumerate(laws) if law not in laws[:i]]


def _readable(position: dict) -> bool:
    """What is drawn holds most of both distributions: the rest is one bar, and should not be the longest."""
    return position["p_rest"] < 0.25 and position["q_rest"] < 0.25


def parts(position: dict) -> dict:
    """A position by its largest tokens and one entry for all others, each with p, q, min(p, q) and max(p − q, 0).

    For the rest the shared part is what β leaves: the overlap is known over the whole vocabulary, token by token."""
    ranked = sorted(position["entries"], key=lambda e: -max(e["p"], e["q"]))
    entries = [{"token": e["token"], "p": e["p"], "q": e["q"], "shared": min(e["p"], e["q"])} for e in ranked[:BARS]]
    p_rest, q_rest = (max(0.0, 1 - sum(e[key] for e in entries)) for key in ("p", "q"))
    left = position["beta"] - sum(e["shared"] for e in entries)
    entries.append({"token": None, "p": p_rest, "q": q_rest, "shared": min(max(0.0, left), p_rest, q_rest)})
    for e in entries:
        e["excess"] = max(0.0, e["p"] - e["shared"])
    return {"entries": entries, "beta": sum(e["shared"] for e in entries)}


CHAPTER = Chapter(
    **chapter_words("residual"),
    settings={"prompt": STORY, "drafter": "small", "K": "3", "temperature": "1", "length": "96"},
    sources=("leviathan", "chen", "here"),
    excerpt=excerpt,
)
