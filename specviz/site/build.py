"""Writes the site: files that any web server can give out, made from the modules and records of the app. Beside the app the same server
gives them out, made when somebody first asks.

build(Path("site"))         # specviz site --out site/

Its one page has the boxes that the components are mounted on, and the policy under which all of it runs. It allows exactly the script and
the sheet that stand in it, those of the Lab, and Plotly's script, by their hashes; no other address is ever asked.
"""

import hashlib
import mimetypes
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from ..config import ASSETS, PLOTLY, ConfigError
from ..page.guard.shares import once
from ..page.keep.files import SAVES
from ..page.learn.lesson import excerpts
from ..page.learn.pack import pack, sheet
from ..picture.replay import ICON, RACE, document, empty_handout, json_text
from ..picture.sheets import SITE, bundle, csp_hash, style
from ..words import page as app
from ..words import picture
from ..words import site as words
from .data import MODELS, lab_data, site_data

POLICY = (
    "default-src 'none'; script-src {scripts} 'wasm-unsafe-eval'; style-src {styles}; connect-src 'self'; worker-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'"
)

HEAD = """<meta name="description" content="{tagline}">
{icon}{more}"""

EMBED = f"""<main class="sv-embed">
<p id="status" role="status"></p>
<noscript><p>{words.NO_SCRIPT}</p></noscript>
{RACE}
<section id="learn-tab" hidden><div id="learn"><section class="lrn"></section></div></section>
<section id="lab-tab" hidden><div id="lab"><section class="lab"></section></div></section>
"""
PRELOAD = '<link rel="preload" href="traces/{opening}.jsonl.gz" as="fetch" crossorigin>\n'
TABS = (("watch", app.WATCH), ("learn-tab", app.LEARN), ("lab-tab", app.LAB))


def index_page(data: dict, lab: dict) -> str:
    """The site's first page. `data`: what the script takes, `lab`: what comes with the Lab (data.py)."""
    buttons = "".join(
        f'<button role="tab" id="{name}-button" type="button" aria-controls="{name}" aria-selected="{str(not n).lower()}">{word}</button>'
        for n, (name, word) in enumerate(TABS)
    )
    recorded = "".join(f'<option value="{escape(one["name"])}">{escape(one["title"])}</option>' for one in data["recorded"])
    saves = "\n".join(_file(name, word) for name, (word, *_) in SAVES.items())
    body = f"""<main class="sv-site">
<header id="masthead"><h1>{picture.TITLE}</h1><p>{picture.SUBTITLE}</p></header>
<noscript><p>{words.NO_SCRIPT}</p></noscript>
<div id="tabs">
<div class="tab-wrapper" role="tablist" aria-label="{words.TABS}">{buttons}</div>
<section id="watch" role="tabpanel" aria-labelledby="watch-button">
<button id="begin" type="button" class="sv-lead sv-link">{app.BEGIN}</button>
<div class="sv-menu-place"><button id="examples" type="button" class="sv-opens">{app.EXAMPLES_MENU}</button>
<div id="examples-menu" class="sv-menu"><div id="chips" class="sv-chips"></div>
<select class="sv-input" id="recorded" aria-label="{app.RECORDED_LIST}">
<option value="">{app.RECORDED_NONE}</option>{recorded}</select></div></div>
<div class="sv-ask"><div class="form"></div>
<div class="sv-buttons"><button id="run" type="button">{app.RUN}</button><button
id="stop" type="button" disabled>{app.STOP}</button></div></div>
<p id="run-note" class="sv-note"></p>
{_assistant(data)}
<details id="more" class="sv-more"><summary>{app.MORE}</summary></details>
<div class="sv-shelf"><div class="sv-menu-place"><button id="share" type="button" class="sv-opens">{app.SHARE}</button>
<div id="share-menu" class="sv-menu">
<button id="open" type="button" class="sv-file">{app.OPEN}</button>
{saves}
<button id="copy-link" type="button" class="sv-file">{app.COPY_LINK}</button>
<button id="embed" type="button" class="sv-file" disabled>{words.SITE_WORDS["embed"]}</button></div></div></div>
<div id="drop"></div>
<div id="said"><div class="sv-said" role="status" aria-live="polite"></div></div>
<div id="status"><div class="sv-status" role="status" aria-live="polite"></div></div>
{RACE}
<div class="sv-pictures">{_file("save-picture", app.SAVE_PICTURE)}</div>
<div id="history"><section class="sv-history"></section></div>
</section>
<section id="learn-tab" role="tabpanel" aria-labelledby="learn-tab-button" hidden>
<div id="learn"><section class="lrn"></section></div></section>
<section id="lab-tab" role="tabpanel" aria-labelledby="lab-tab-button" hidden><div id="lab"><section class="lab"></section></div></section>
</div>
"""
    return _document(body, data, lab, PRELOAD.format(opening=escape(data["opening"]["name"])))


def _assistant(data: dict) -> str:
    """What fetches the assistant, where the site has one."""
    if not data["assistant"]:
        return ""
    bound = f'{words.ASSISTANT_BOUND} <a class="sv-link" href="?chapter=11" target="_blank">{words.ASSISTANT_CHAPTER}</a>'
    return f'<p class="sv-note"><button id="assistant" type="button" class="sv-link"></button> <span hidden>{bound}</span></p>'


def _file(name: str, word: str) -> str:
    """A button that gives a file of the run that is shown."""
    return f'<button id="{name}" type="button" class="sv-file" disabled>{escape(word)}</button>'


def embed_page(data: dict, lab: dict) -> str:
    """The page that shows one figure alone."""
    return _document(EMBED, data, lab, attributes=" data-embed")


def _document(body: str, data: dict, lab: dict, first: str = "", attributes: str = "") -> str:
    css, code = style(*SITE), f"\n{bundle('site/open.js')}.open();\n"
    scripts = (code, lab["sent"]["script"], PLOTLY.read_text("utf-8"))
    styles = (css, lab["sent"]["style"], "")  # Plotly puts its rules into an element that comes empty
    policy = POLICY.format(scripts=_hashes(*scripts), styles=_hashes(*styles))
    body += f"""</main>
<script type="application/json" id="sv-data">{json_text(data)}</script>
<script>{code}</script>"""
    return document(
        picture.TITLE, policy, body, css, HEAD.format(tagline=escape(picture.TAGLINE), icon=ICON, more=first), attributes
    )


def _hashes(*texts: str) -> str:
    return " ".join(f"'{csp_hash(text)}'" for text in texts)


MARK = ".specviz-site"  # in a folder that was made here and may be made again
COPIED_FOLDERS = ("engine", "models", "rules", "trace", "traces")
SKIPPED_SUFFIXES = (".md", ".ts")
HEADERS = {"cross-origin-embedder-policy": "require-corp", "cross-origin-opener-policy": "same-origin"}
"""By which the assistant decodes on two threads. No other site is asked for anything, so nothing is lost by them."""
_HEADER_LINES = "\n".join(f"  {name}: {value}" for name, value in HEADERS.items())
README = f"""---
title: specviz
emoji: 🎯
colorFrom: blue
colorTo: yellow
sdk: static
app_file: index.html
license: mit
short_description: Speculative decoding, live in your own browser
tags: [speculative-decoding, visualization, education]
custom_headers:
{_HEADER_LINES}
---
# specviz

The page of specviz as files: recorded runs, Learn, the Lab, and decoding in the visitor's own browser. No server decodes.
`specviz site` made these files.
"""
APP_LINK = "\nWith a server, public models and rooms for a class: [{app}]({app}).\n"
FOLDER, INDEX = "assistant", "assistant/index.json"
BLOCKS = "specviz-blocks"  # how the modules' names begin that only the assistant needs
LAZY_PAGES = ("index.html", "embed.html", "pack.html", "sheet.html", INDEX)
"""What a visit keeps under another name, or only once it was asked for: a single figure, what is printed, the assistant's index."""


def texts(assistant: dict[str, Any] | None = None) -> dict[str, str]:
    """By name the files that a visitor's browser gets and that are made here."""
    learn, data, lab = excerpts(), site_data(), lab_data()
    data["assistant"] = {name: assistant[name] for name in ("name", "bytes")} if assistant else None
    return ({INDEX: json_text(assistant)} if assistant else {}) | {
        "index.html": index_page(data, lab),
        "embed.html": embed_page(data, lab),
        "handout.json": json_text(empty_handout()),
        "lab.json": json_text(lab),
        "learn.json": json_text(learn),
        "pack.html": pack(learn),
        "sheet.html": sheet(learn),
    }


def copies(assistant: bool = False) -> dict[str, Path]:
    """By name the files that are given out as they are."""
    files = [path for folder in COPIED_FOLDERS for path in sorted((ASSETS / folder).rglob("*")) if path.is_file()]
    return {
        "plotly.js": PLOTLY,
        **{
            path.relative_to(ASSETS).as_posix(): path
            for path in files
            if path.suffix not in SKIPPED_SUFFIXES and (path.parents[1].name != "models" or path.parent.name in MODELS)
            if assistant or not path.name.startswith(BLOCKS)
        },
    }


def build(out: Path, app: str = "", assistant: Callable[[Path], dict[str, Any]] | None = None) -> int:
    """Write the site into `out`, a folder that is new, empty, or an earlier site. `app`: the address of the app with a server,
    which the README links; `assistant`: what writes one into a folder and gives its index (engine/browser.py). Returns the bytes of all
    files. Raises ConfigError for any other folder, and for what is no address."""
    readme = space_readme(app)
    if out.exists() and not (out.is_dir() and ((out / MARK).is_file() or not any(out.iterdir()))):
        raise ConfigError("out", str(out), "a new or empty folder, or a site that was made before")
    for name in (FOLDER, "engine"):  # an earlier site may have had an assistant
        rmtree(out / name, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).touch()
    index = assistant(out / FOLDER) if assistant else None
    contents, paths = texts(index), copies(assistant=bool(index))
    paths |= {f"{FOLDER}/{path.name}": path for path in sorted((out / FOLDER).glob("*"))}
    for name, text in {**contents, "sw.js": offline(contents, paths), "README.md": readme, ".nojekyll": "", MARK: ""}.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(text.encode())
    for name, path in paths.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        if path != out / name:
            copyfile(path, out / name)
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def offline(contents: dict[str, str], paths: dict[str, Path]) -> str:
    """The service worker. At once it keeps the page and the recorded runs; what decodes is kept when it was first fetched, a model for as
    long as the site has it."""
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in contents.items()}
    hashes |= {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in paths.items()}
    version = hashlib.sha256("".join(f"{name} {value}\n" for name, value in hashes.items()).encode()).hexdigest()[:16]
    first = ["", *(name for name in contents if name not in LAZY_PAGES), *(name for name in paths if name.startswith("traces/"))]
    lazy, later = (name for name in LAZY_PAGES if name in contents), (name for name in paths if name not in first)
    models = {name: value for name, value in hashes.items() if name.startswith(("models/", f"{FOLDER}/")) and name != INDEX}
    arguments = first, ["", *lazy, *first[1:], *later], version, models
    return f"{bundle('site/offline.js')}.site({', '.join(map(json_text, arguments))});\n"


def space_readme(app: str) -> str:
    """What a static Space reads, with its front matter. `app`: as of `build`. Raises ConfigError."""
    if app and not re.fullmatch(r"https?://[\w.:/~%-]+", app):
        raise ConfigError("app", app, "an address that begins with https:// or http://")
    return README + APP_LINK.format(app=app) if app else README


AT = "site/"


def routes() -> list[Route]:
    """GET /site/…: nothing of it decodes here, and nothing waits for a turn."""

    @once
    def files() -> tuple[dict, dict]:
        contents, paths = texts(), copies()
        return contents | {"sw.js": offline(contents, paths)}, paths

    async def answer(request: Request) -> Response:
        contents, paths = await run_in_threadpool(files)
        name = request.path_params["path"] or "index.html"
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        if name in contents:
            return Response(contents[name], media_type=kind)
        if name in paths:
            return FileResponse(paths[name], media_type="application/gzip" if name.endswith(".gz") else kind)
        return PlainTextResponse("", 404)

    return [Route(f"/{AT}{{path:path}}", answer)]
