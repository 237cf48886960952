"""Every HTML file of ours. A file says first what it may do, before anything in it can do it.

    document("A title", "default-src 'none'", "<main>…</main>", style=css)

Of HTML that gradio does not write: hand-outs, files to print, the page of a phone, the site.
"""

from html import escape

ICON = '<link rel="icon" href="data:,">\n'  # none: a browser asks for no favicon
FILE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
{more}<title>{title}</title>
{style}</head>
<body{attributes}>
{body}
</body>
</html>
"""


def document(title: str, policy: str, body: str, style: str, more: str = "", attributes: str = "") -> str:
    """`title` is text; all else is ours: `more` is further lines of the head, `attributes` are those of the body."""
    return FILE.format(
        policy=policy, more=more, title=escape(title), style=f"<style>{style}</style>\n", attributes=attributes, body=body
    )
