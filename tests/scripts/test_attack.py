"""Strangers against a real server: what they are told, and that nobody waits for them."""

import json
import subprocess
import sys

import pytest

from scripts.server import ROOT


@pytest.mark.full
@pytest.mark.timeout(300)
def test_what_strangers_send_is_refused_and_others_are_answered_meanwhile():
    command = [sys.executable, "-m", "scripts.attack", "--only", "nothing,foreign,memory", "--idle", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["nothing"] | {"slowest_s": 0} == {"slowest_s": 0, "400": 60}
    assert (figures["foreign"]["origin"], figures["foreign"]["host"]) == (403, 403)
    assert figures["memory"]["grew_mb"] is None or figures["memory"]["grew_mb"] < 400
    assert figures["sigterm"] == {"code": 0, "lines_said": 0, "files_left": 0}
