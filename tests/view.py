"""`view` for tests, which are skipped where node is not: import it where it is needed."""

import shutil

import pytest

from scripts.view import call, plain, view
from specviz.picture.replay import engine_facts
from specviz.trace.events import Trace

if not shutil.which("node"):
    pytest.skip("what a screen shows of a run is asked of its script in node, which is not here", allow_module_level=True)

__all__ = ["call", "csv_text", "plain", "view"]


def csv_text(trace: Trace) -> str:
    return call("player/rounds.js", "csvText", plain(trace), engine_facts()["rules"])
