"""Starting the app from a shell."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def start(*arguments, command=("app.py",)):
    return subprocess.run([sys.executable, *command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("command", [("app.py",), ("-m", "specviz", "app")], ids=" ".join)
def test_a_port_in_use_is_said_in_one_line_with_the_way_out(command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = start("--port", str(port), command=command)
    assert done.returncode == 1
    way_out = f'--port {port + 1} (make run ARGS="--port {port + 1}"), or set GRADIO_SERVER_PORT.'
    assert done.stderr.strip() == f"Port {port} is in use. Choose another: {way_out}"


def test_a_port_that_cannot_be_is_refused_without_a_traceback():
    done = start("--port", "99999")
    assert done.returncode == 2 and "Traceback" not in done.stderr and "65535" in done.stderr
