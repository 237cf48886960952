"""Several processes that torchrun started beside each other: which of them speaks, and which commands they may share."""

import os


def is_follower() -> bool:
    """Whether torchrun started this process beside another one, which speaks and writes."""
    return "TORCHELASTIC_RUN_ID" in os.environ and os.environ["RANK"] != "0"


def check_processes(arguments: list[str]) -> None:
    """Refuse torchrun where its processes would all do the same, side by side. Raises ValueError."""
    shared = arguments[0] == "trace" and any(word.partition("=")[0] == "--tensor-parallel" for word in arguments)
    if "TORCHELASTIC_RUN_ID" in os.environ and (count := os.environ["WORLD_SIZE"]) != "1" and not shared:
        what = f"specviz trace --tensor-parallel {count} makes them share a target, and all else is started without torchrun"
        raise ValueError(f"torchrun started {count} processes that would each do the same: {what}")
