"""The scripts of `assets/`, as text: what draws a picture in a browser, with or without a server."""

from ..config import ASSETS


def script(*names: str) -> str:
    """The files under `assets/` joined in order: the body of one function in the page, so their names are shared by them alone."""
    return "\n".join((ASSETS / name).read_text("utf-8") for name in names)
