"""The stylesheets of `assets/`, as text: what belongs to one panel stands in its folder, what panels share in `shared`.

sheets(*HANDOUT)        # all rules of these folders, in order
style(*HANDOUT)         # the same after the palette: what a style element holds
"""

import base64
import hashlib
import re
from functools import cache

from ..config import ASSETS
from . import palette

# folder: its sheets in order, since of two rules of equal weight the later one holds
SHEETS = {
    "shared": "measures base tokens",
    "page": "gradio frame tabs status controls timeline",
    "watch": "race headline lanes text player phases legend cache inspector bars matrix uscale whatif numbers projector",
    "keep": "shelf said drop history",
    "learn": (
        "measures chapter chapters question stage notes foot rows text pass "
        "alone guess draft verify accept residual rounds whole speed ways busy engines projector"
    ),
    "record": "record decision",
    "lab": "measures frame plot mistakes panels drawn people room",
    "phone": "phone",
    "handout": "handout timeline",
    "print": "pack",
}
PAGE = ("shared", "page", "watch", "keep", "record", "learn")
HANDOUT = ("shared", "watch", "handout")
RECORD = ("shared", "record", "handout")
LAB = ("lab",)  # when its tab is first opened
PHONE = ("shared", "phone")  # of a room that phones are in
PRINT = ("shared", "print")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def sheets(*folders: str) -> str:
    """Joined, without comments and the blanks before a line."""
    text = "\n".join(
        (ASSETS / folder / f"{name}.css").read_text("utf-8") for folder in folders for name in SHEETS[folder].split()
    )
    return "\n".join(line.strip() for line in COMMENT.sub("", text).splitlines() if line.strip())


@cache
def style(*folders: str) -> str:
    """The palette and the rules of these folders."""
    return f"\n{palette.css()}\n{sheets(*folders)}\n"


@cache
def allowed(text: str) -> str:
    """How the policy of a page names the one style or script that it holds: by its hash."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
