"""Bodies that are on their way: so much of what they need in all, and so much for one address.

sending = Sending(of=8, each=4)
if sending.begin(body, who): ...; sending.end(body)
"""

from .body import Body

LONG = 20.0  # seconds after which a body that is still on its way makes room for one that comes


class UploadQuota:
    """Where all is taken, the body that has been on its way longest ends, if that is long: whoever sends slowly keeps nobody out."""

    def __init__(self, of: int, each: int):
        self.of, self.each = of, each
        self._taken: dict[Body, tuple[str, int]] = {}  # the oldest first

    def begin(self, body: Body, who: str, many: int = 1) -> bool:
        """Whether there was room for `many` more from `who`; it is theirs until the end."""
        if many + sum(took for place, took in self._taken.values() if place == who) > self.each:
            return False
        while many + sum(took for _, took in self._taken.values()) > self.of:
            slow = next((one for one in self._taken if not one.whole and one.seconds > LONG), None)
            if slow is None:
                return False
            slow.give_way()
            self.end(slow)
        self._taken[body] = who, many
        return True

    def end(self, body: Body) -> None:
        self._taken.pop(body, None)
