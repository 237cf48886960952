"""specviz app: serves the page on this machine."""

import atexit
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

import specviz

from ..config import ConfigError
from .options import DRAFT_HELP, Chat, DeviceMap
from .terminal import console

if TYPE_CHECKING:
    from ..page.engine import Engine

HOST, PORT = "0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1", 7860  # in a Space others are to reach it
PROXIES = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,::1/128,fc00::/7"
"""A Space's own: they are in its private networks. Of X-Forwarded-For the last entry is believed that none of these wrote."""
MAX_RUN_SECONDS = 60.0  # seconds that a run may decode on a page that others can reach


def app(
    host: Annotated[
        str, typer.Option(envvar="GRADIO_SERVER_NAME", help="Address to serve at. 0.0.0.0 lets other machines open the page.")
    ] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, envvar="GRADIO_SERVER_PORT")] = PORT,
    longest: Annotated[
        float | None,
        typer.Option(
            min=0, help="Seconds that a run may decode. 0 is no bound. The default is 0 for this machine alone, else 60."
        ),
    ] = None,
    hostname: Annotated[
        list[str] | None,
        typer.Option(help="A host name under which others open the page, as behind a proxy. May be given again."),
    ] = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Offer the race as a tool for language models (MCP). Needs gradio's mcp extra.")
    ] = False,
    device_map: DeviceMap = "",
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="Offer this target too: a folder, a GGUF file, or a hub id. Visitors choose it by its name. May be given again."
        ),
    ] = None,
    draft: Annotated[
        list[str] | None,
        typer.Option(help=f"What drafts for it. {DRAFT_HELP} May be given again. Of several targets, one for each."),
    ] = None,
    chat: Chat = False,
):
    """Serve the page: Watch, Learn and the Lab."""
    if os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true"):  # as `spaces` reads it
        if target or draft:
            raise ConfigError(
                "target", (target or draft or [""])[0], "left out on ZeroGPU: SPECVIZ_PAIR names a pair (docs/deploy.md)"
            )
        if device_map:
            raise ConfigError("device_map", device_map, "left out on ZeroGPU, which lends one card")
        from ..zero import ZeroEngine  # first of all: it replaces parts of torch

        engine: Callable[[], Engine] = ZeroEngine
    else:
        if draft and not target:
            raise ConfigError("draft", draft[0], "given together with --target")
        engine = partial(local_engine, device_map, target or (), draft or (), chat)
    from ..page.serve import serve

    bound = (0 if host in ("127.0.0.1", "::1", "localhost") else MAX_RUN_SECONDS) if longest is None else longest
    if "SPACE_ID" in os.environ:
        os.environ.setdefault("FORWARDED_ALLOW_IPS", PROXIES)  # they say who asks; else all visitors would be one address
    code = serve(engine, host, port, bound or None, mcp, hostname or (), specviz.__version__, _site_routes)
    if "triton" in sys.modules:
        atexit.register(silence_stderr)
    raise typer.Exit(code)


def _site_routes():
    """Where the site is beside the page, and what answers there: after all else was imported, which takes seconds."""
    from ..site.serve import AT, routes

    return AT, routes()


def silence_stderr() -> None:
    """All is closed: what triton's bindings say of themselves after Python's end is no news to whoever stopped the server."""
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)


def local_engine(device_map: str = "", targets: Sequence[str] = (), drafts: Sequence[str] = (), chat: bool = False):
    """The models of this machine, with what the first visitor asks for loaded. `device_map`: of public targets. `targets` with their
    `drafts` are offered beside them (local.owner_choices)."""
    from ..engine.compiled.compiler import compile_in_background, will_compile

    compiling = nullcontext()
    if first := will_compile():
        console.print("compiling for this processor, once: some seconds")
        compiling = compile_in_background()
    with compiling:  # which takes longer than to import torch, gradio and transformers
        from ..engine.models.load import model_path
        from ..engine.models.pair import load_tokenizer
        from ..local import TARGET, LocalEngine, owner_choices
        from ..page import build  # noqa: F401

        engine = LocalEngine(device_map, owner_choices(targets, drafts, chat))
        if first:  # a later start waits for nobody
            load_tokenizer(model_path(TARGET), TARGET)
            with suppress(Exception):  # what fails here fails in the trial of a small model, which says it
                from ..engine.compiled.precompile import compile_verdicts

                compile_verdicts()
    engine.warm()
    return engine
