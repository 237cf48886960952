"""What a body of JSON may hold: text, and files that were sent before. A file that is an address would be fetched, by this server, for anybody.
What is long may come for the functions that take it, which hold it no longer than they work; all others wait with it in gradio's queue.

sentence = await refusal(body, large)     # why it is refused, or nothing; `large`: the numbers of the functions that take long bodies
"""

import json
import re
from collections.abc import Container
from itertools import islice

from starlette.concurrency import run_in_threadpool

from .. import words
from .body import SMALL_BODY
from .routes import ADDRESS, API, NAME_CHARACTERS

SUSPECT = re.compile(rb'"(path|url)"|\\u(00|[dD])')  # a key may be written by escapes; half a character only by them
MOST_SUSPECTS = 1000  # more than a page sends
ADDRESSES = re.compile(ADDRESS)
DIGITS, MOST_DIGITS = re.compile(rb"[0-9]{200}"), 64  # of a number that takes a parser long, and how many of them are taken
LARGE_BODY = 2**18  # bytes
NAMES = ("session_hash", "event_id", "fn_name")
NAMED = re.compile(rf'"({"|".join(NAMES)})"'.encode())


async def refusal(body: bytes, large: Container[int] = ()) -> str:
    """Why nobody may be handed this body, or nothing. A large one is read beside the loop that answers everybody."""
    return body_refusal(body, large) if len(body) <= SMALL_BODY else await run_in_threadpool(body_refusal, body, large)


def body_refusal(body: bytes, large: Container[int]) -> str:
    try:
        body.decode()
        if b"\0" in body:  # as in UTF-16, which a parser would take too
            return words.BODY_TEXT
        if _more_than(DIGITS, body, MOST_DIGITS):
            return words.NUMBERS_LIMIT
        if _more_than(SUSPECT, body, MOST_SUSPECTS):
            return words.FILES_LIMIT.format(most=f"{MOST_SUSPECTS:,}")
        if len(body) > LARGE_BODY or SUSPECT.search(body) or NAMED.search(body):
            return _parsed_refusal(body, large)
        return ""
    except UnicodeError:
        return words.BODY_TEXT


def _more_than(what: re.Pattern, body: bytes, most: int) -> bool:
    return next(islice(what.finditer(body), most, None), None) is not None


def _parsed_refusal(body: bytes, large: Container[int]) -> str:
    addresses = False

    def check_pairs(pairs: list) -> dict:
        nonlocal addresses
        addresses = addresses or any(_is_address(*pair) for pair in pairs)  # a name that is there twice, too
        return dict(pairs)

    try:
        value = json.loads(body, object_pairs_hook=check_pairs)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise
    except (ValueError, RecursionError):
        return words.BODY_TEXT
    if addresses:
        return words.FILE_ADDRESS
    if len(body) > LARGE_BODY and not (isinstance(value, dict) and value.get("fn_index") in large):
        return words.BODY_KIB_LIMIT.format(most=LARGE_BODY // 2**10)
    names = [value.get(name) for name in NAMES] if isinstance(value, dict) else []
    return words.NAME_LIMIT.format(most=NAME_CHARACTERS) if any(map(_is_no_name, names)) else ""


def _is_no_name(value: object) -> bool:
    return value is not None and not (isinstance(value, str) and len(value) <= NAME_CHARACTERS)


def _is_address(name: str, value: object) -> bool:
    """`url` says where a browser finds a file of this server; nothing here reads it."""
    if name not in ("path", "url") or not isinstance(value, str) or not ADDRESSES.match(value.strip()):
        return False
    return name == "path" or f"{API}/file=" not in value
