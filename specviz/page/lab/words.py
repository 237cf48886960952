"""What the frame of the Lab writes around every panel: assets/lab/*.js."""

from ...config import SETTINGS
from ...drafters import DRAFTERS as KNOWN
from .. import words

DRAFTERS = {f"drafter_{key}": one.label for key, one in KNOWN.items()}
RULES = {f"verifier_{key}": name.partition(":")[0] for name, key in words.VERIFIERS}
RULES |= {f"drafting_{key}": name.partition(":")[0] for name, key in words.DRAFTINGS}

TREES = {name: SETTINGS[name].label for name in ("tree", "children", "nodes")}
TREES |= {f"tree_{key}": word for key, word in SETTINGS["tree"].choices.items()}
TREES |= {"shape_static": ", tree {children}", "shape_dynamic": ", tree of {nodes}"}

OPENING = "Opening the Lab…"
LOST = "The Lab could not be opened. Reload the page, or see the log of the server."
CELL_SET = "The cell of the sweep is set: press Run."

PAGE = {
    "panels": "Panels of the Lab",
    "projector": "Projector",
    "leave_projector": "Leave projector",
    "keys": "← → panel · R run · P projector",
    "settings": "Settings",
    "run": "Run",
    "stop": "Stop",
    "waiting": "Starting…",
    "waiting_after": "Waiting for its turn: {before} before yours…",
    "waiting_left": "Waiting for its turn: {before} before yours, about {left}…",
    "running": "{percent} done",
    "running_left": "{percent} done, about {left} left",
    "stopping": "Stopping…",
    "stopped": "Stopped: this is what there is so far.",
    "seconds": "{n} s",
    "minutes": "{n} min",
    "csv": "CSV",
    "png": "PNG",
    "copy": "Copy link",
    "copied": "The link is in the clipboard.",
    "link": "The link:",
    "exercise": "Exercise",
    "key": "Answers",
    "nothing_to_save": "There is nothing to save yet.",
}
