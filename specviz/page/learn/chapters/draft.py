"""A draft writes K tokens and keeps their q."""

from ..chapter import STORY, Chapter, Run, Runs, chapter_words, is_accepted_whole, models, q_entropy, scene

ANSWER = "question"  # of the assistant, above temperature 0: at 0 no p has an entropy


def excerpt(runs: Runs) -> dict | None:
    view = scene({name: run for name, run in runs.items() if name != ANSWER}, is_accepted_whole, "opening", best=_spread)
    return view and {**view, "answer": _answer(runs[ANSWER])}


def _answer(run: Run) -> dict:
    """A run's rounds with what its tokens are shaded by: entropies and verdicts."""

    def entropies(position: dict | None) -> dict | None:
        return position and {name: position[name] for name in ("p_entropy", "q_entropy")}

    rounds = [
        {
            "drafted": [{"verdict": d["verdict"], "position": entropies(d["position"])} for d in round_["drafted"]],
            "emitted": [{"position": entropies(e["position"])} for e in round_["emitted"]],
            "shown": [{name: s[name] for name in ("text", "role", "drafted", "emitted")} for s in round_["shown"]],
        }
        for round_ in run["lanes"]["speculative"]["rounds"]
    ]
    return {**models(run), "asked": run["header"]["prompt"], "rounds": rounds}


def _spread(round_: dict) -> float:
    """How much a draft had to choose from: the entropy of its most certain position."""
    return min(q_entropy(d["position"]) or 0.0 for d in round_["drafted"])


CHAPTER = Chapter(
    **chapter_words("draft"),
    settings={"prompt": STORY, "drafter": "small", "K": "8", "temperature": "0.8", "length": "96"},
    sources=("leviathan", "here"),
    excerpt=excerpt,
    runs=(ANSWER,),
)
