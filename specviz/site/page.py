"""The site's one page: the boxes that the components are mounted on, and the policy under which all of it runs.

It allows exactly the script and the sheet that stand in it, and those of the Lab, by their hashes; no other address is ever asked.
"""

from html import escape

from ..page import words as app
from ..page.keep.files import KINDS
from ..picture.bundle import bundle
from ..picture.document import ICON, document
from ..picture.handout import RACE
from ..picture.plain import json_text
from ..picture.sheets import SITE, allowed, style
from ..picture.words import SUBTITLE, TAGLINE, TITLE
from . import words

POLICY = (
    "default-src 'none'; script-src {scripts} 'wasm-unsafe-eval'; style-src {styles}; connect-src 'self'; worker-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'"
)

HEAD = """<meta name="description" content="{tagline}">
{icon}{more}"""

PAGE = """<body>
<main class="sv-site">
<header id="masthead"><h1>{title}</h1><p>{subtitle}</p></header>
<noscript><p>{no_script}</p></noscript>
<div id="tabs">
<div class="tab-wrapper" role="tablist" aria-label="{tabs}">{buttons}</div>
<section id="watch" role="tabpanel" aria-labelledby="watch-button">
<button id="begin" type="button" class="sv-lead">{begin}</button>
<div class="sv-menu-place"><button id="examples" type="button" class="sv-opens">{examples}</button>
<div id="examples-menu" class="sv-menu"><div id="chips" class="sv-chips"></div>
<select class="sv-input" id="recorded" aria-label="{recorded_list}"><option value="">{choose}</option>{recorded}</select></div></div>
<div class="sv-ask"><div class="form"></div>
<div class="sv-buttons"><button id="run" type="button">{run}</button><button id="stop" type="button" disabled>{stop}</button></div></div>
<p id="run-note" class="sv-note"></p>
<details id="more" class="sv-more"><summary>{more}</summary></details>
<div class="sv-shelf"><div class="sv-menu-place"><button id="share" type="button" class="sv-opens">{share}</button>
<div id="share-menu" class="sv-menu">
<button id="open" type="button" class="sv-file">{open}</button>
{saves}
<button id="copy-link" type="button" class="sv-file">{copy_link}</button>
<button id="embed" type="button" class="sv-file" disabled>{embed}</button></div></div></div>
<div id="drop"></div>
<div id="said"><div class="sv-said" role="status" aria-live="polite"></div></div>
<div id="status"><div class="sv-status" role="status" aria-live="polite"></div></div>
<div id="record"></div>
{race}
<div class="sv-pictures">{pictures}</div>
<div id="history"><section class="sv-history"></section></div>
</section>
<section id="learn-tab" role="tabpanel" aria-labelledby="learn-tab-button" hidden><div id="learn"><section class="lrn"></section></div></section>
<section id="lab-tab" role="tabpanel" aria-labelledby="lab-tab-button" hidden><div id="lab"><section class="lab"></section></div></section>
</div>
</main>
<script type="application/json" id="sv-data">{data}</script>
<script>{code}</script>
</body>
</html>
"""
EMBED = """<body data-embed>
<main class="sv-embed">
<p id="status" role="status"></p>
<noscript><p>{no_script}</p></noscript>
{race}
<section id="learn-tab" hidden><div id="learn"><section class="lrn"></section></div></section>
<section id="lab-tab" hidden><div id="lab"><section class="lab"></section></div></section>
</main>
<script type="application/json" id="sv-data">{data}</script>
<script>{code}</script>
</body>
</html>
"""
PRELOAD = '<link rel="preload" href="traces/{opening}.jsonl.gz" as="fetch" crossorigin>\n'
TABS = (("watch", app.WATCH), ("learn-tab", app.LEARN), ("lab-tab", app.LAB))


def page(given: dict, lab: dict) -> str:
    """The site's first page. `given`: what the script is given, `lab`: what comes with the Lab (given.py)."""
    said = {
        "title": TITLE,
        "subtitle": SUBTITLE,
        "no_script": words.NO_SCRIPT,
        "tabs": words.TABS,
        "begin": app.BEGIN,
        "run": app.RUN,
        "stop": app.STOP,
        "more": app.MORE,
        "examples": app.EXAMPLES_MENU,
        "share": app.SHARE,
        "recorded_list": app.RECORDED_LIST,
        "choose": app.RECORDED_NONE,
        "open": app.OPEN,
        "copy_link": app.COPY_LINK,
        "embed": words.SAID["embed"],
    }
    buttons = "".join(
        f'<button role="tab" id="{name}-button" type="button" aria-controls="{name}" aria-selected="{str(not n).lower()}">{word}</button>'
        for n, (name, word) in enumerate(TABS)
    )
    recorded = "".join(f'<option value="{escape(one["name"])}">{escape(one["title"])}</option>' for one in given["recorded"])
    kinds = {name: word for name, (word, _) in KINDS.items()} | {"rounds": app.SAVE_ROUNDS}
    saves = "\n".join(_file(name, word) for name, word in kinds.items())
    pictures = "".join(_file(f"picture-{kind}", word) for kind, word in app.PICTURES.items())
    plain = {name: escape(word) for name, word in said.items()}
    first = PRELOAD.format(opening=escape(given["opening"]["name"]))
    return _whole(PAGE, given, lab, first, buttons=buttons, recorded=recorded, saves=saves, pictures=pictures, **plain)


def _file(name: str, word: str) -> str:
    """A button that gives a file of the run that is shown."""
    return f'<button id="{name}" type="button" class="sv-file" disabled>{escape(word)}</button>'


def embedded(given: dict, lab: dict) -> str:
    """The page that shows one figure alone."""
    return _whole(EMBED, given, lab, no_script=escape(words.NO_SCRIPT))


def _whole(body: str, given: dict, lab: dict, first: str = "", **plain: str) -> str:
    css, code = style(*SITE), f"\n{bundle('site/open.js')}.open();\n"
    scripts, styles = ((code, lab["sent"]["script"]), (css, lab["sent"]["style"]))
    policy = POLICY.format(scripts=_named(*scripts), styles=_named(*styles))
    head = document(TITLE, policy, css, HEAD.format(tagline=escape(TAGLINE), icon=ICON, more=first))
    return head + body.format(code=code, data=json_text(given), race=RACE, **plain)


def _named(*texts: str) -> str:
    return " ".join(f"'{allowed(text)}'" for text in texts)
