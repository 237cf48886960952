"""What stands on a page whose own scripts were refused, where else nothing would: opened under a name that the server does not know, as by a
port that is forwarded, or in a frame that makes it a page of nobody.

Notice(app)     # around what answers the page
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..picture.plain import json_text
from . import words

SCRIPT = """<script>addEventListener("error", ({ target }) => {
  if (target.type !== "module" || document.getElementById("sv-notice")) return;
  const said = { hidden: %s, foreign: %s }, p = document.createElement("p");
  p.id = "sv-notice"; p.style = "max-width: 40em; margin: 2em auto; font: 1.1em/1.5 system-ui, sans-serif";
  p.textContent = (self.origin === "null" ? said.hidden : said.foreign).replaceAll("{host}", location.hostname).replaceAll("{origin}", location.origin);
  const put = () => document.body.prepend(p);
  document.body ? put() : addEventListener("DOMContentLoaded", put);
}, true);</script>"""


class Notice:
    """Puts it before all that the page loads: what is in gradio's own head comes by those scripts."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.script = (SCRIPT % (json_text(words.PAGE_HIDDEN), json_text(words.PAGE_FOREIGN))).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.body":
                message["body"] = message.get("body", b"").replace(b"<head>", b"<head>" + self.script, 1)
            else:
                del MutableHeaders(scope=message)["content-length"]
            await send(message)

        await self.app(scope, receive, sent)
