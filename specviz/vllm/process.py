"""vLLM in a process of its own: which settings it has, and how it is started, asked in JSON lines, ended.

    server = Server("/path/to/vllm-env/bin/python", asked)      # nothing runs yet
    for told in server.run({"prompt": [0, 462], …}): …           # a step a time, at last what is said when it is over
    server.close()

`asked` and what is told: specviz/vllm/child/serve.py. The process leads a group of its own, so that what it starts ends with it; and it
ends by itself where this one is gone, since nobody listens then. Settings that vLLM has not are refused, since it would ignore them.
"""

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..config import SETTINGS, ConfigError, DecodeConfig
from ..request import never
from ..rules import RULES

SUPPORTED_SETTINGS = ("K", "temperature", "top_k", "top_p", "max_new_tokens", "stop", "seed", "ignore_eos", "drafting")


def check_settings(config: DecodeConfig) -> None:
    """Raises ConfigError for a setting that vLLM has not. It verifies by rejection, so what belongs to another rule decides nothing."""
    same = config.exact and not RULES[config.verifier].exact  # as rejection: at temperature 0, or with its own setting at 1
    for name, setting in SETTINGS.items():
        if name in SUPPORTED_SETTINGS or setting.rule or (name == "verifier" and same):
            continue
        if getattr(config, name) != setting.default:
            raise ConfigError(name, getattr(config, name), f"{setting.default!r} with vLLM")


def options(lines: list[str]) -> dict[str, Any]:
    """`["max_model_len=512", "dtype=bfloat16"]` → values as JSON has them, else text. Raises ConfigError."""
    arguments: dict[str, Any] = {}
    for each in lines:
        name, equals, value = each.partition("=")
        if not equals or not name.isidentifier():
            raise ConfigError("option", each, "NAME=VALUE with the name of an engine argument of vLLM, such as max_model_len=512")
        try:
            arguments[name] = json.loads(value)
        except ValueError:
            arguments[name] = value
    return arguments


SERVE = Path(__file__).parent / "child" / "serve.py"
DEFAULTS = {  # said by nobody else; one thread decodes, as in the rest of specviz on a CPU, and the cache holds one text
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
}
OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")  # of this environment: the other one has its own
POLL_SECONDS = 0.1  # seconds between two looks at whether it is to stop


class ServerError(ValueError):
    """The process could not be started, or ended: one line for whoever asked."""


class Server:
    """One process, with one target and one way to draft. Not shared by threads: a run has the machine for itself anyway."""

    def __init__(self, python: str | Path, request: dict):
        self.python, self.request = Path(python).expanduser(), request
        self.about: dict = {}
        self.ranks_agree: bool | None = None  # whether all ranks told the same of the last run; None where there is one
        self._process: subprocess.Popen | None = None
        self._stdout_lines: queue.Queue[bytes | None] = queue.Queue()
        self._errors: IO[bytes] | None = None
        self._number = 0

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Of the process, which leads its group."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process and wait until its models are there. Raises ServerError."""
        if self.alive:
            return
        self.close()
        if not self.python.is_file():
            raise ServerError(f"there is no file {self.python}: --vllm-python must be the python of an environment with vLLM")
        environment = {**DEFAULTS, **{key: value for key, value in os.environ.items() if key not in OURS}}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (read where the process has ended, closed with it)
        self._stdout_lines = queue.Queue()
        try:
            self._process = subprocess.Popen(
                [str(self.python), str(SERVE), json.dumps(self.request)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"{self.python} cannot be started: {error.strerror}") from None
        threading.Thread(target=_read, args=(self._process.stdout, self._stdout_lines), daemon=True).start()
        for message in self._lines(never):
            if message and "ready" in message:
                self.about = message["ready"]
                return
            if message and "refused" in message:
                self.close()
                raise ServerError(message["refused"])
        raise self._exit_error()

    def run(self, request: dict, stop: Callable[[], bool] = never) -> Iterator[dict]:
        """Every step of one request as it is told, then what is said when it is over. Once `stop` says so, or whoever asks goes, it
        is ended there. Raises ServerError."""
        self._number += 1
        number, stopped, over = self._number, False, False
        self._send({"run": number, **request})
        try:
            for message in self._lines(stop):
                if message is None and not stopped:
                    self._send({"stop": number})
                    stopped = True
                elif message is not None and number in (message.get("step"), message.get("over")):
                    over = "over" in message
                    self.ranks_agree = message.get("alike", self.ranks_agree)
                    yield message
                elif message is not None and message.get("failed") == number:
                    over = True
                    raise ServerError(f"vLLM refused the prompt: {message['why']}")
                if over:
                    return
            over = True
            raise self._exit_error()
        finally:
            if not over and self.alive:
                self._send({"stop": number})

    def close(self) -> None:
        """End the process and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        _kill(process)
        for stream in process.stdin, process.stdout:
            with suppress(OSError):  # what was not sent is for nobody
                stream.close()
        if self._errors:
            self._errors.close()

    def _send(self, line: dict) -> None:
        try:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, AttributeError, ValueError):
            raise self._exit_error() from None

    def _lines(self, stop: Callable[[], bool]) -> Iterator[dict | None]:
        """Each line that is said; None whenever `stop` is true while none is. Ends where the process has."""
        has_exited = False
        while True:
            try:
                line = self._stdout_lines.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if has_exited:  # what it had started may hold the stream open
                    return
                has_exited, line = not self.alive, b""  # its last line may be on its way
            if line is None:
                return
            if line:
                yield json.loads(line)
            if stop():
                yield None

    def _exit_error(self) -> ServerError:
        """Why the process is no more, from its exit status and the last thing that it said."""
        code = self._process.wait(timeout=5) if self._process else None
        lines: list[str] = []
        if self._errors and not self._errors.closed:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4000))
            lines = [line.strip() for line in self._errors.read().decode(errors="replace").splitlines() if line.strip()]
        self.close()
        if code is not None and code < 0:
            return ServerError(f"vLLM's process was ended ({_signal(-code)}). Run the command again")
        return ServerError(f"vLLM's process ended with code {code}: {lines[-1][:300] if lines else 'it printed nothing'}")


def _read(stream, lines: queue.Queue) -> None:
    with suppress(ValueError):  # closed while it was read
        for line in stream:
            lines.put(line)
    lines.put(None)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _kill(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)  # it leads its group, also after it ended itself
        else:
            process.kill()
    process.wait()
