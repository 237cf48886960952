"""The site beside the app, from the same server: its files as routes, made when somebody first asks."""

import mimetypes

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from ..page.once import once
from .build import copies, offline, texts

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
