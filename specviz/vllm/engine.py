"""What the page asks of an engine (page/engine.py), where vLLM may decode too: what this machine runs itself, and one choice more.

WithVllm(LocalEngine(), python, title="vLLM: fable")
"""

import atexit
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..config import ConfigError
from ..engine.backends.base import ModelError
from ..engine.race import Progress
from ..request import RunRequest
from ..trace.header import Trace
from .process import Server, ServerError
from .race import drafts_of, prepare, process_options, race

MIN_STARTED_K = 8  # tokens that a process is started to draft a round, so that K may change without another start; more where more are asked for


class WithVllm:
    """`local` answers for all that it offers. vLLM's process is started when it is first asked, kept, and ends with this one.

    `python` of an environment that has vLLM; `title`: what the choice is called on the page. `drafts`: by the key under which the page has
    words for it, what may draft, the default first. `options`: of vLLM, by name."""

    def __init__(
        self,
        local,
        python: Path,
        title: str,
        target: str = "fable",
        drafts: dict[str, str] | None = None,
        method: str | None = None,
        options: dict[str, Any] | None = None,
    ):
        if not python.expanduser().is_file():
            raise ServerError(f"there is no file {python}: --vllm-python must be the python of an environment with vLLM")
        self.local, self.python, self.title, self.target, self.method = local, python, title, target, method
        self.drafts, self.options = drafts or drafts_of(target, None, None), options or {}
        self._server: Server | None = None
        atexit.register(self.close)

    def models(self) -> list[str]:
        return [*self.local.models(), self.title]

    def needs(self, models: str):
        return None if models == self.title else self.local.needs(models)

    def drafters(self, models: str | None = None) -> list[str]:
        return list(self.drafts) if models == self.title else self.local.drafters(models)

    def chats(self, models: str) -> bool:
        return models != self.title and self.local.chats(models)

    def block_times(self):
        return self.local.block_times()

    def warm(self) -> None:
        self.local.warm()

    def race(self, request: RunRequest) -> Iterator[Progress | Trace]:
        return self._race(request) if request.models == self.title else self.local.race(request)

    def close(self) -> None:
        if self._server:
            self._server.close()

    def _race(self, request: RunRequest) -> Iterator[Progress | Trace]:
        drafts, config = self.drafts, request.config
        drafter = request.drafter or next(iter(drafts))
        if drafter not in drafts:
            raise ModelError(f"{drafter!r} cannot draft in {self.title}: choose one of {', '.join(drafts)}")
        prepared = prepare(self.target, drafts[drafter], self.method)
        fixed = prepared.method == "suffix"  # which drafts what it was started with
        K = config.K if fixed else max(config.K, MIN_STARTED_K)
        wanted = process_options(prepared, K, config.drafting, self.options)
        yield from race(lambda: self._server_for(wanted), prepared, request.prompt, config, request.stop)

    def _server_for(self, wanted: dict) -> Server:
        """The process that runs, if it is the one that is asked for; else another in its place."""
        if self._server is None or self._server.request != wanted:
            self.close()
            self._server = Server(self.python, wanted)
        return self._server


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
