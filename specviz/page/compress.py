"""The page's HTML on its way: gradio compresses what has a file's ending, and the page, the largest of all, has none."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send


class CompressedPage:
    """Sends the page itself by gzip to whoever takes that. All else is left to gradio: what streams must not wait to be packed."""

    def __init__(self, app: ASGIApp):
        self.plain, self.compressed = app, GZipMiddleware(app, compresslevel=6)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.compressed if scope["type"] == "http" and scope["path"] == "/" else self.plain
        await app(scope, receive, send)
