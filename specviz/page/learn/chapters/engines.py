"""How engines draft and test, and what that keeps."""

import json

from ....config import ASSETS
from ....picture.replay import ENGINES, INEXACT
from ..chapter import STORY, Chapter, Runs, chapter_words, is_sampled, models

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
    **chapter_words("engines"),
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96", "drafting": "argmax"},
    sources=("leviathan", "medusa", "sun", "willard", "engines", "here"),
    excerpt=excerpt,
    tables=tables,
)
