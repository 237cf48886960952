"""What gradio keeps of a session: for a deep link, which this page has none of, it describes every component when a visitor comes and
again with each update, JSON schema and all. That took more of a server's time than drawing the runs of a class."""

from gradio.blocks import BlocksConfig

_whole = BlocksConfig.config_for_block


def _brief(_id, rendered_ids, block, renderable=None) -> dict:
    """A session asks without the components that are on the page; whoever makes the page names them."""
    return _whole(_id, rendered_ids, block, renderable) if rendered_ids or renderable else {}


def brief() -> None:
    """From now on a session's components are not described."""
    BlocksConfig.config_for_block = staticmethod(_brief)  # type: ignore[method-assign]
