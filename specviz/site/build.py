"""Writes the site: files that any web server can give out, made from the modules and records of the app.

build(Path("site"))         # specviz site --out site/
"""

from pathlib import Path
from shutil import copytree, ignore_patterns

from ..config import ASSETS, ConfigError
from ..page.keep import recorded
from ..page.learn.lesson import excerpts
from ..page.learn.pack import pack
from ..picture.bundle import bundle
from ..picture.sheets import LAB, SITE, sheets, style
from ..picture.view import json_text
from .given import given, panels
from .page import page

MARK = ".specviz-site"  # in a folder that was made here and may be made again


def texts() -> dict[str, str]:
    """By name the files that are made; what is only copied is not among them."""
    learn = excerpts(recorded.load)
    return {
        "index.html": page(given()),
        "site.js": f"{bundle('site/open.js')}.open();\n",
        "site.css": style(*SITE),
        "lab.js": f'Object.defineProperty(window, "specvizLab", {{ value: {bundle("lab/tab.js")} }});\n',
        "lab.css": sheets(*LAB),
        "lab.json": json_text(panels()),
        "learn.json": json_text(learn),
        "pack.html": pack(learn),
    }


def build(out: Path) -> int:
    """Write the site into `out`, a folder that is new, empty, or an earlier site. Returns its bytes. Raises ConfigError for any other."""
    if out.exists() and not (out.is_dir() and ((out / MARK).is_file() or not any(out.iterdir()))):
        raise ConfigError("out", str(out), "a new or empty folder, or a site that was made before")
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).write_bytes(b"")
    for name, text in texts().items():
        path = out / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    for folder in ("engine", "models", "traces"):
        copytree(ASSETS / folder, out / folder, dirs_exist_ok=True, ignore=ignore_patterns("*.md", "*.d.ts"))
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
