"""A run as one HTML file that works from a mail attachment: the same player, no server, no network, nothing from outside.

    Path("run.html").write_text(handout(picture(trace)), "utf-8")

The page allows exactly the script and the style that stand in it, by their hashes; the run is data in a script element that is
never executed, and reaches the page through `textContent` like everywhere else.
"""

from html import escape

from . import palette, words
from .bundle import bundle
from .packed import packed
from .sheets import HANDOUT, allowed, style
from .view import json_text

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main class="sv-handout">
<header><h1>{heading}</h1><p>{tagline}</p><p class="sv-handout-note">{note}</p></header>
<noscript><p>{noscript}</p></noscript>
<div id="race"><div class="has_children"><section class="sv-race"></section><div id="timeline"></div><div class="sv-detail"></div></div></div>
</main>
<script type="application/json" id="sv-data">{data}</script>
<script>{code}</script>
</body>
</html>
"""


def handout(picture: dict) -> str:
    css, code = style(*HANDOUT), _code()
    props = {"words": words.BROWSER, "roles": palette.for_browser(), "handout": words.HANDOUT}
    data = json_text({**props, "picture": packed(picture)})
    policy = f"default-src 'none'; script-src '{allowed(code)}'; style-src '{allowed(css)}'; base-uri 'none'; form-action 'none'"
    return PAGE.format(
        policy=policy,
        style=css,
        code=code,
        data=data,
        title=escape(words.HANDOUT_TITLE.format(prompt=words.short(" ".join(picture["header"]["prompt"].split()), 60))),
        heading=escape(words.TITLE),
        tagline=escape(words.TAGLINE),
        note=escape(_note(picture["header"])),
        noscript=escape(words.HANDOUT_NO_SCRIPT),
    )


def _note(header: dict) -> str:
    config = header["config"]
    note = words.HANDOUT_NOTE.format(when=header["created"])
    return note if config["exact"] else f"{note} {words.NOT_EXACT.format(rule=words.RULES[config['verifier']])}"


def _code() -> str:
    return f"\n{bundle('handout/open.js')}.open();\n"
