"""What gradio says of itself. Of an event that failed: a sentence. What it keeps of a session: for a deep link, which this page has none of, it describes every component when a visitor comes and
again with each update, JSON schema and all. That took more of a server's time than drawing the runs of a class."""

import logging
import sys
from types import SimpleNamespace

from fastapi.exceptions import RequestValidationError
from gradio import Error, queueing, routes, utils
from gradio.blocks import BlocksConfig
from starlette.requests import Request
from starlette.responses import JSONResponse

from . import words
from .log_stream import error_line

log = logging.getLogger("specviz")

ERROR_CHARACTERS = 1000  # characters of an error that is told
_full_config, _full_payload = BlocksConfig.config_for_block, utils.error_payload


def _session_config(_id, rendered_ids, block, renderable=None) -> dict:
    """A session asks without the components that are on the page; whoever makes the page names them."""
    return _full_config(_id, rendered_ids, block, renderable) if rendered_ids or renderable else {}


def _print_exc() -> None:
    if error := sys.exc_info()[1]:
        log.error("an event failed: %s", error_line(error))


def _error_payload(error: BaseException | None, show_error: bool) -> dict:
    """gradio tells its own errors only, and of any other nothing at all. Its components quote all of a value that they refuse."""
    short = isinstance(error, Error) and len(error.message) <= ERROR_CHARACTERS
    return _full_payload(error if short else Error(words.EVENT_FAILED), show_error)


async def refuse_call(request: Request, error: Exception) -> JSONResponse:
    """What a body that is no call is answered: gradio would send all of it back, which takes seconds where it has many values."""
    return JSONResponse({"detail": words.CALL_WRONG}, 400)


EXCEPTION_HANDLERS = {RequestValidationError: refuse_call}
"""For the app: who answers which error."""


def shorten_gradio_messages() -> None:
    """From now on a session's components are not described, and an event that fails is a line of the log and a sentence for whoever asked:
    a traceback quotes what a stranger sent."""
    queueing.error_payload = utils.error_payload = _error_payload  # type: ignore[assignment]
    queueing.traceback = routes.traceback = SimpleNamespace(print_exc=_print_exc)  # type: ignore[assignment]
    BlocksConfig.config_for_block = staticmethod(_session_config)  # type: ignore[method-assign]
