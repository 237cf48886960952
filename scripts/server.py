"""The app on a port of this machine's own address, in a process of its own, and what that process holds."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent


def check_port(port: int) -> None:
    """Raises SystemExit where another server listens: it would be asked in the place of ours."""
    if is_served(port):
        raise SystemExit(f"Port {port} is in use. Stop what listens there.")


@contextmanager
def served(*command: str, port: int, stderr=None, **environment: str) -> Iterator[subprocess.Popen]:
    """The process of the app, or of `command`, once it listens; it is ended afterwards. Raises SystemExit if it does not start."""
    check_port(port)
    server = subprocess.Popen(
        [sys.executable, *(command or ("app.py", "--port", str(port)))],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )
    try:
        while not is_served(port):
            if server.poll() is not None:
                raise SystemExit("The server did not start.")
            time.sleep(0.2)
        yield server
    finally:
        server.terminate()
        server.wait(30)


def is_served(port: int) -> bool:
    with socket.socket() as knocking:
        return knocking.connect_ex(("127.0.0.1", port)) == 0


def memory_mb(process: int) -> float | None:
    """MB that it holds; None where nobody says."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return None
