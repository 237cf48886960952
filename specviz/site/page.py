"""The site's one page: the boxes that the components are mounted on, and the policy under which all of it runs.

It allows exactly the script and the sheet that stand in it, those of the Lab, and Plotly's script, by their hashes; no other address is ever
asked.
"""

from html import escape

from ..config import PLOTLY
from ..page import words as app
from ..page.keep.files import KINDS
from ..picture.bundle import bundle
from ..picture.document import ICON, document
from ..picture.handout import RACE
from ..picture.plain import json_text
from ..picture.sheets import SITE, csp_hash, style
from ..picture.words import SUBTITLE, TAGLINE, TITLE
from . import words

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
    kinds = {name: word for name, (word, _) in KINDS.items()} | {"rounds": app.SAVE_ROUNDS}
    saves = "\n".join(_file(name, word) for name, word in kinds.items())
    body = f"""<main class="sv-site">
<header id="masthead"><h1>{TITLE}</h1><p>{SUBTITLE}</p></header>
<noscript><p>{words.NO_SCRIPT}</p></noscript>
<div id="tabs">
<div class="tab-wrapper" role="tablist" aria-label="{words.TABS}">{buttons}</div>
<section id="watch" role="tabpanel" aria-labelledby="watch-button">
<button id="begin" type="button" class="sv-lead sv-link">{app.BEGIN}</button>
<div class="sv-menu-place"><button id="examples" type="button" class="sv-opens">{app.EXAMPLES_MENU}</button>
<div id="examples-menu" class="sv-menu"><div id="chips" class="sv-chips"></div>
<select class="sv-input" id="recorded" aria-label="{app.RECORDED_LIST}"><option value="">{app.RECORDED_NONE}</option>{recorded}</select></div></div>
<div class="sv-ask"><div class="form"></div>
<div class="sv-buttons"><button id="run" type="button">{app.RUN}</button><button id="stop" type="button" disabled>{app.STOP}</button></div></div>
<p id="run-note" class="sv-note"></p>
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
<section id="learn-tab" role="tabpanel" aria-labelledby="learn-tab-button" hidden><div id="learn"><section class="lrn"></section></div></section>
<section id="lab-tab" role="tabpanel" aria-labelledby="lab-tab-button" hidden><div id="lab"><section class="lab"></section></div></section>
</div>
"""
    return _document(body, data, lab, PRELOAD.format(opening=escape(data["opening"]["name"])))


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
    return document(TITLE, policy, body, css, HEAD.format(tagline=escape(TAGLINE), icon=ICON, more=first), attributes)


def _hashes(*texts: str) -> str:
    return " ".join(f"'{csp_hash(text)}'" for text in texts)
