"""Writes the site: files that any web server can give out, made from the modules and records of the app.

build(Path("site"))         # specviz site --out site/
"""

import hashlib
import re
from pathlib import Path
from shutil import copyfile

from ..config import ASSETS, PLOTLY, ConfigError
from ..page.learn.lesson import excerpts
from ..page.learn.pack import pack, sheet
from ..picture.bundle import bundle
from ..picture.handout import page_parts
from ..picture.plain import json_text
from ..picture.words import HANDOUT_NOTE, HANDOUT_TITLE
from .data import lab_data, site_data
from .engine import MODELS
from .page import embed_page, index_page

MARK = ".specviz-site"  # in a folder that was made here and may be made again
COPIED_FOLDERS = ("engine", "models", "rules", "trace", "traces")
SKIPPED_SUFFIXES = (".md", ".ts")
README = """---
title: specviz
emoji: 🎯
colorFrom: blue
colorTo: yellow
sdk: static
app_file: index.html
license: mit
short_description: Speculative decoding, live in your own browser
tags: [speculative-decoding, visualization, education]
---
# specviz

The page of specviz as files: recorded runs, Learn, the Lab, and decoding in the visitor's own browser. No server decodes.
`specviz site` made these files.
"""
APP_LINK = "\nWith a server, public models and rooms for a class: [{app}]({app}).\n"
LAZY_PAGES = ("index.html", "embed.html", "pack.html", "sheet.html")
"""What a visit keeps under another name, or only once it was asked for: a single figure, and what is printed."""


def texts() -> dict[str, str]:
    """By name the files that a visitor's browser gets and that are made here."""
    learn, data, lab = excerpts(), site_data(), lab_data()
    return {
        "index.html": index_page(data, lab),
        "embed.html": embed_page(data, lab),
        "handout.json": json_text({"around": page_parts(), "title": HANDOUT_TITLE, "note": HANDOUT_NOTE}),
        "lab.json": json_text(lab),
        "learn.json": json_text(learn),
        "pack.html": pack(learn),
        "sheet.html": sheet(learn),
    }


def copies() -> dict[str, Path]:
    """By name the files that are given out as they are."""
    files = [path for folder in COPIED_FOLDERS for path in sorted((ASSETS / folder).rglob("*")) if path.is_file()]
    return {
        "plotly.js": PLOTLY,
        **{
            path.relative_to(ASSETS).as_posix(): path
            for path in files
            if path.suffix not in SKIPPED_SUFFIXES and (path.parents[1].name != "models" or path.parent.name in MODELS)
        },
    }


def build(out: Path, app: str = "") -> int:
    """Write the site into `out`, a folder that is new, empty, or an earlier site. `app`: the address of the app with a server, which the README
    links. Returns the bytes of all files. Raises ConfigError for any other folder, and for what is no address."""
    readme = space_readme(app)
    if out.exists() and not (out.is_dir() and ((out / MARK).is_file() or not any(out.iterdir()))):
        raise ConfigError("out", str(out), "a new or empty folder, or a site that was made before")
    contents, paths = texts(), copies()
    for name, text in {**contents, "sw.js": offline(contents, paths), "README.md": readme, ".nojekyll": "", MARK: ""}.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(text.encode())
    for name, path in paths.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        copyfile(path, out / name)
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def offline(contents: dict[str, str], paths: dict[str, Path]) -> str:
    """The service worker. At once it keeps the page and the recorded runs; what decodes is kept when it was first fetched."""
    digest = hashlib.sha256()
    for name, text in contents.items():
        digest.update(f"{name} {hashlib.sha256(text.encode()).hexdigest()}\n".encode())
    for name, path in paths.items():
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    first = ["", *(name for name in contents if name not in LAZY_PAGES), *(name for name in paths if name.startswith("traces/"))]
    all_files = [
        "",
        *(name for name in LAZY_PAGES if name in contents),
        *first[1:],
        *(name for name in paths if name not in first),
    ]
    return (
        f"{bundle('site/offline.js')}.site({json_text(first)}, {json_text(all_files)}, {json_text(digest.hexdigest()[:16])});\n"
    )


def space_readme(app: str) -> str:
    """What a static Space reads, with its front matter. `app`: the address of the app with a server, which it links; empty if there is none. Raises ConfigError."""
    if app and not re.fullmatch(r"https?://[\w.:/~%-]+", app):
        raise ConfigError("app", app, "an address that begins with https:// or http://")
    return README + APP_LINK.format(app=app) if app else README
