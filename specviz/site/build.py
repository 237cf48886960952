"""Writes the site: files that any web server can give out, made from the modules and records of the app.

build(Path("site"))         # specviz site --out site/
"""

import hashlib
from pathlib import Path
from shutil import copyfile

from ..config import ASSETS, ConfigError
from ..page.learn.lesson import excerpts
from ..page.learn.pack import pack
from ..page.learn.sheet import sheet
from ..page.learn.study_sheets import study_sheets
from ..picture.bundle import bundle
from ..picture.handout import left_open
from ..picture.plain import json_text
from ..picture.words import HANDOUT_NOTE, HANDOUT_TITLE
from .given import given, panels
from .page import embedded, page
from .space import card

MARK = ".specviz-site"  # in a folder that was made here and may be made again
COPIED = ("engine", "models", "rules", "trace", "traces")
NOT_SENT = (".md", ".ts")
NOT_DECODED = {"fable-hybrid", "fable-experts"}  # models that the browser's engine does not run
ASKED_FOR = ("index.html", "embed.html", "pack.html", "sheet.html", "study.html")
"""What a visit keeps under another name, or only once it was asked for: a single figure, and what is printed."""


def texts() -> dict[str, str]:
    """By name the files that a visitor's browser gets and that are made here."""
    learn, told, lab = excerpts(), given(), panels()
    return {
        "index.html": page(told, lab),
        "embed.html": embedded(told, lab),
        "handout.json": json_text({"around": left_open(), "title": HANDOUT_TITLE, "note": HANDOUT_NOTE}),
        "lab.json": json_text(lab),
        "learn.json": json_text(learn),
        "pack.html": pack(learn),
        "sheet.html": sheet(learn),
        "study.html": study_sheets(),
    }


def copies() -> dict[str, Path]:
    """By name the files that are given out as they are."""
    files = [path for folder in COPIED for path in sorted((ASSETS / folder).rglob("*")) if path.is_file()]
    return {
        path.relative_to(ASSETS).as_posix(): path
        for path in files
        if path.suffix not in NOT_SENT and NOT_DECODED.isdisjoint(path.parts)
    }


def build(out: Path, app: str = "") -> int:
    """Write the site into `out`, a folder that is new, empty, or an earlier site. `app`: the address of the app with a server, which the README
    links. Returns the bytes of all files. Raises ConfigError for any other folder, and for what is no address."""
    readme = card(app)
    if out.exists() and not (out.is_dir() and ((out / MARK).is_file() or not any(out.iterdir()))):
        raise ConfigError("out", str(out), "a new or empty folder, or a site that was made before")
    made, copied = texts(), copies()
    for name, text in {**made, "sw.js": offline(made, copied), "README.md": readme, ".nojekyll": "", MARK: ""}.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(text.encode())
    for name, path in copied.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        copyfile(path, out / name)
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def offline(made: dict[str, str], copied: dict[str, Path]) -> str:
    """The service worker. At once it keeps the page and the recorded runs; what decodes is kept when it was first fetched."""
    digest = hashlib.sha256()
    for name, text in made.items():
        digest.update(f"{name} {hashlib.sha256(text.encode()).hexdigest()}\n".encode())
    for name, path in copied.items():
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    first = ["", *(name for name in made if name not in ASKED_FOR), *(name for name in copied if name.startswith("traces/"))]
    all_files = ["", *(name for name in ASKED_FOR if name in made), *first[1:], *(name for name in copied if name not in first)]
    return (
        f"{bundle('site/offline.js')}.site({json_text(first)}, {json_text(all_files)}, {json_text(digest.hexdigest()[:16])});\n"
    )
