"""Fields of speculative decoding that no reader knows, kept with the first value that each had."""

from .document import short

MOST = 24  # names: more than a screen should list


class Unread:
    def __init__(self):
        self._values: dict[str, str] = {}
        self._left_out = 0

    def add(self, name: str, value: object) -> None:
        name = name if len(name) <= 80 else f"{name[:79]}…"
        if name in self._values:
            return
        if len(self._values) == MOST:
            self._left_out += 1
            return
        self._values[name] = value[:80] if isinstance(value, str) else short(value)

    def add_all(self, fields: dict[str, object]) -> None:
        for name, value in fields.items():
            self.add(name, value)

    def all(self) -> tuple[tuple[str, str], ...]:
        more = (("…", f"at least {self._left_out} more"),) if self._left_out else ()
        return (*self._values.items(), *more)
