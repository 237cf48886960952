"""What a body of JSON may hold: text, and files that were sent before. A file that is an address would be fetched, by this server, for anybody.

sentence = refusal(body)     # why it is refused, or nothing
fetch_nothing()              # and what gradio fetches by is gone
"""

import json
import re

from gradio import Error, processing_utils

from .. import words
from .routes import ADDRESS, API

SUSPECT = re.compile(rb'"(path|url)"|\\u(00|[dD])')  # a key may be written by escapes; half a character only by them
ADDRESSES = re.compile(ADDRESS)


def refusal(body: bytes) -> str:
    """Why nobody may be handed this body, whatever it is for, or nothing."""
    try:
        body.decode()
        if b"\0" in body:  # as in UTF-16, which a parser would take too
            return words.BODY_TEXT
        return _refusal(body) if SUSPECT.search(body) else ""
    except UnicodeError:
        return words.BODY_TEXT


def _refusal(body: bytes) -> str:
    addresses = False

    def check_pairs(pairs: list) -> dict:
        nonlocal addresses
        addresses = addresses or any(_is_address(*pair) for pair in pairs)  # a name that is there twice, too
        return dict(pairs)

    try:
        json.dumps(json.loads(body, object_pairs_hook=check_pairs), ensure_ascii=False).encode()
    except UnicodeError:
        raise
    except (ValueError, RecursionError):
        return words.BODY_TEXT
    return words.FILE_ADDRESS if addresses else ""


def _is_address(name: str, value: object) -> bool:
    """`url` says where a browser finds a file of this server; nothing here reads it."""
    if name not in ("path", "url") or not isinstance(value, str) or not ADDRESSES.match(value.strip()):
        return False
    return name == "path" or f"{API}/file=" not in value


async def _refuse(*_, **__):
    raise Error(words.FILE_ADDRESS, print_exception=False)


def fetch_nothing() -> None:
    """From now on gradio asks no other server for anything that a visitor names: neither for the bytes nor for the address of a host."""
    processing_utils.sh.get = processing_utils.sh.async_validate_url = _refuse  # type: ignore[assignment]
