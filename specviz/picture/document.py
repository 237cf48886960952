"""What every HTML file of ours begins with. A file says first what it may do, before anything in it can do it.

    document("A title", "default-src 'none'", style=css) + "<body>…</body>\\n</html>\\n"

Of HTML that gradio does not write: hand-outs, files to print, the page of a phone, the site.
"""

from html import escape

ICON = '<link rel="icon" href="data:,">\n'  # none: a browser asks for no favicon
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
{more}<title>{title}</title>
{style}</head>
"""


def document(title: str, policy: str, style: str = "", more: str = "") -> str:
    """The file up to its body. `title` is text; `policy` and `style` are ours, `more` is further lines of the head."""
    return HEAD.format(policy=policy, more=more, title=escape(title), style=f"<style>{style}</style>\n" if style else "")
