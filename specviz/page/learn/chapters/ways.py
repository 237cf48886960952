"""What drafters read, and what a step costs."""

import json

from ....config import ASSETS
from ....drafters import DRAFTERS
from ....words import chapter_pictures
from ..chapter import COPY, Chapter, Runs, chapter_words, costs, measured_passes, short_device

SHAPES = ASSETS / "shapes" / "fable-small.json"
POSITIONS = ASSETS / "shapes" / "positions.json"


def excerpt(runs: Runs) -> dict:
    return {"c": {name: costs(runs[name])["c"] for name in ("poor-draft", "lookup")}}


def tables() -> dict:
    return {"ways": [_texts(*way) for way in chapter_pictures.WAYS.items()], "shapes": shapes()}


def _texts(key: str, way: dict[str, str]) -> dict[str, str]:
    drafter = DRAFTERS[key]
    return {"name": drafter.label, "says": f"{drafter.label}: {drafter.sentence}", **way}


def shapes() -> dict | None:
    """What each place of a tree was worth and what was guessed at two positions (scripts/picture_data.py), and what passes cost
    on the machines that were measured."""
    if not (SHAPES.is_file() and POSITIONS.is_file()):
        return None
    gains = json.loads(SHAPES.read_text("utf-8"))
    machines = []
    for machine in measured_passes():
        alone, name = machine["target_ms"][0], f"{machine['target']} on {short_device(machine['device'])}"
        machines.append({"device": name, "c": machine["draft_ms"][0] / alone[0], "v": [ms / alone[0] for ms in alone]})
    at = json.loads(POSITIONS.read_text("utf-8"))
    return {"share": gains["share"], "draft": gains["draft"], "machines": machines, "of": at["of"], "positions": at["positions"]}


CHAPTER = Chapter(
    **chapter_words("ways"),
    settings={"prompt": COPY, "drafter": "lookup", "K": "6", "temperature": "0", "length": "64"},
    sources=("leviathan", "layerskip", "medusa", "deepseek", "li", "lookup", "peagle"),
    excerpt=excerpt,
    tables=tables,
)
