"""What gradio says of itself. What it keeps of a session: for a deep link, which this page has none of, it describes every component when a visitor comes and
again with each update, JSON schema and all. That took more of a server's time than drawing the runs of a class."""

import logging
import sys
from types import SimpleNamespace

from gradio import queueing, routes
from gradio.blocks import BlocksConfig

from .lossy import in_a_line

log = logging.getLogger("specviz")

_whole = BlocksConfig.config_for_block


def _brief(_id, rendered_ids, block, renderable=None) -> dict:
    """A session asks without the components that are on the page; whoever makes the page names them."""
    return _whole(_id, rendered_ids, block, renderable) if rendered_ids or renderable else {}


def _print_exc() -> None:
    if error := sys.exc_info()[1]:
        log.error("an event failed: %s", in_a_line(error))


def brief() -> None:
    """From now on a session's components are not described, and an event that fails is a line of the log: a traceback quotes what a
    stranger sent."""
    queueing.traceback = routes.traceback = SimpleNamespace(print_exc=_print_exc)  # type: ignore[assignment]
    BlocksConfig.config_for_block = staticmethod(_brief)  # type: ignore[method-assign]
