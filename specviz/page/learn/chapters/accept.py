"""A coin decides each drafted token."""

from ..chapter import STORY, Chapter, Run, Runs, accepts_then_rejects, chapter_words, scene


def excerpt(runs: Runs) -> dict | None:
    """A round that a coin decides, and β at every position that was tested in its run: their mean is its α."""
    view = scene(runs, _coin_decides, "creative")
    if view is None:
        return None
    rounds = runs[view["run"]]["lanes"]["speculative"]["rounds"]
    tested = [d["position"] for r in rounds for d in r["drafted"] if d["verdict"] != "unexamined"]
    return {**view, "betas": [round(at["beta"], 3) for at in tested if at and at["beta"] is not None]}


def _coin_decides(run: Run, round_: dict) -> bool:
    """A rejection after a token that was kept, both in sight, where p/q left the coin something to decide."""
    if not accepts_then_rejects(run, round_):
        return False
    tested = [d for d in round_["drafted"] if d["verdict"] != "unexamined"]
    return all(d["position"] and d["u"] is not None for d in tested) and tested[-1]["ratio"] > 0.02


CHAPTER = Chapter(
    **chapter_words("accept"),
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96"},
    sources=("leviathan", "chen", "here"),
    excerpt=excerpt,
)
