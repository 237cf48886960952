"""From where a request comes, and how often such a place was wrong.

tries = Tries(); tries.count_wrong(who); tries.refuses(who)
"""

from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic

from starlette.types import Scope

NOBODY = ""
WRONG_TRIES, TRIES_SECONDS = (
    60,
    600.0,
)  # wrong codes of an address in so many seconds: a class that mistypes, not a search through 31⁶
KNOWN_ADDRESSES = 10_000  # addresses that are remembered for their tries

client_address: ContextVar[str] = ContextVar("client_address", default=NOBODY)
"""The address that asks for what is answered at the moment, as `place_of` gives it."""

free_place: ContextVar[Callable[[], None]] = ContextVar("free_place", default=lambda: None)
"""Gives the place back that what is answered at the moment has among what is computed: by an answer that waits for something else."""


def place_of(scope: Scope) -> str:
    """Who asks: an IPv4 address, or the network of an IPv6 address, of which one household has 2⁶⁴. A proxy that may say so has been
    replaced by whom it asks for (uvicorn's FORWARDED_ALLOW_IPS)."""
    client = scope.get("client")
    try:
        address = ip_address(client[0].partition("%")[0]) if client else None
    except ValueError:
        return NOBODY
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or ip_network((address, 64), strict=False)
    return str(address or NOBODY)


def visitor_address(request) -> str:
    """The same of a request as gradio hands it to an event."""
    return place_of({"client": (request.client.host, 0)} if request.client else {})


class Tries:
    """How often an address was wrong lately. Who was wrong too often is refused, right or wrong, but for one try in each WITHIN / TRIES
    seconds: those who share the address are not locked out for long."""

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[float, float]] = OrderedDict()  # how many, less those that are forgiven, and when

    def count_wrong(self, who: str) -> None:
        self._wrong[who] = self._seconds_left(who) + 1.0, self._clock()
        self._wrong.move_to_end(who)
        if len(self._wrong) > KNOWN_ADDRESSES:
            self._wrong.popitem(last=False)

    def refuses(self, who: str) -> bool:
        return self._seconds_left(who) > WRONG_TRIES - 1.0

    def _seconds_left(self, who: str) -> float:
        count, when = self._wrong.get(who, (0.0, 0.0))
        return max(0.0, count - (self._clock() - when) * WRONG_TRIES / TRIES_SECONDS)
