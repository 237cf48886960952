"""A regular expression over characters as a deterministic automaton, whose states are made when they are first met.

    digits = Automaton("[0-9]+")
    digits.accepts(digits.read(digits.start, "42"))

Glushkov's construction (1961): a state is the set of places in the expression that may have read the last character, here the bits of a
number, so nothing backtracks and a step costs at most one look at each place. Standard library only.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

MAX_SOURCE_CHARACTERS, MAX_PLACES, MAX_REPEATS, MAX_NESTING, MAX_STATES = 400, 600, 200, 20, 10_000
END = 0x110000  # past the last character
Ranges = tuple[tuple[int, int], ...]  # of code points, sorted, without overlap, each up to its second number
SPECIAL = "|*+?(){}[].^$\\"
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class ExpressionError(ValueError):
    """A text is no expression that can be read, or one that is too large. The message says what it must be."""


class GrammarError(ValueError):
    """A run cannot go on under its grammar. The message is the sentence that says why."""


class _Part(NamedTuple):
    """A part of the expression: whether it may be empty, the places that may read its first character, and its last."""

    empty: bool
    first: int
    last: int


class Automaton:
    """Of `source`: characters, `.`, classes as [a-z] and [^"], escapes (\\d \\w \\s, of ASCII, and their complements), groups,
    and | * + ? {m} {m,} {m,n}.

    All of a text must match. A state from which no text can match is 0. Raises ExpressionError, which names the character or the bound."""

    start = 1

    def __init__(self, source: str):
        tree = _Parser(source).parse()
        self._sets: list[Ranges] = [()]  # by place; place 0 is the start and reads nothing
        self._follows = [0]
        whole = self._part(tree)
        self._follows[0] = whole.first
        self._last = whole.last | (self.start if whole.empty else 0)
        sets = set(self._sets)
        self.borders = sorted({border for ranges in sets for pair in ranges for border in pair})
        kinds = {ranges: [*self._kinds(ranges)] for ranges in sets}
        self._reads = [0] * (len(self.borders) + 1)
        for place, ranges in enumerate(self._sets):
            for kind in kinds[ranges]:
                self._reads[kind] |= 1 << place
        self._after: dict[int, int] = {}

    def kind(self, character: str) -> int:
        """Which of the intervals between `borders` a character lies in: all of one are read alike."""
        return bisect_right(self.borders, ord(character))

    def step(self, state: int, kind: int) -> int:
        """The state after a character of this kind."""
        after = self._after.get(state)
        if after is None:
            if len(self._after) == MAX_STATES:
                raise GrammarError(f"the grammar needs more than {MAX_STATES:,} states")
            after = self._after[state] = self._successors(state)
        return after & self._reads[kind]

    def read(self, state: int, text: str) -> int:
        for character in text:
            state = self.step(state, self.kind(character))
        return state

    def accepts(self, state: int) -> bool:
        """Whether the text may end here."""
        return state & self._last != 0

    def _successors(self, state: int) -> int:
        places = 0
        for place in _bits(state):
            places |= self._follows[place]
        return places

    def _kinds(self, ranges: Ranges) -> Iterator[int]:
        for low, high in ranges:
            yield from range(bisect_right(self.borders, low), bisect_right(self.borders, high - 1) + 1)

    # ------------------------------------------------------------ places

    def _part(self, node: tuple) -> _Part:
        kind, *rest = node
        if kind == "set":
            return self._place(*rest)
        if kind == "repeat":
            return self._repeat(*rest)
        first, *others = map(self._part, rest)
        for other in others:
            first = self._concatenation(first, other) if kind == "then" else _either(first, other)
        return first

    def _place(self, ranges: Ranges) -> _Part:
        if len(self._sets) > MAX_PLACES:
            raise ExpressionError(f"a regular expression with at most {MAX_PLACES} places for a character, repeats counted")
        bit = 1 << len(self._sets)
        self._sets.append(ranges)
        self._follows.append(0)
        return _Part(False, bit, bit)

    def _concatenation(self, before: _Part, next: _Part) -> _Part:
        for place in _bits(before.last):
            self._follows[place] |= next.first
        first = before.first | (next.first if before.empty else 0)
        return _Part(before.empty and next.empty, first, next.last | (before.last if next.empty else 0))

    def _repeat(self, node: tuple, least: int, most: int | None) -> _Part:
        """x{2,4} as xx(x(x)?)?, x{2,} as xx+, x* as (x+)?."""
        parts = [self._part(node) for _ in range(least)]
        if most is None:
            again = parts.pop() if parts else self._part(node)
            self._concatenation(again, again)
            parts.append(again if least else again._replace(empty=True))
        tail = None
        for _ in range((most or least) - least):
            part = self._part(node)
            tail = (self._concatenation(part, tail) if tail else part)._replace(empty=True)
        first, *others = [*parts, *([tail] if tail else [])]
        for other in others:
            first = self._concatenation(first, other)
        return first


def _bits(places: int) -> Iterator[int]:
    while places:
        low = places & -places
        yield low.bit_length() - 1
        places ^= low


def _either(part: _Part, other: _Part) -> _Part:
    return _Part(part.empty or other.empty, part.first | other.first, part.last | other.last)


class _Parser:
    """The expression as a tree: ("set", ranges), ("then", …), ("or", …), ("repeat", what, least, most or None)."""

    def __init__(self, source: str):
        if len(source) > MAX_SOURCE_CHARACTERS:
            raise ExpressionError(f"a regular expression of at most {MAX_SOURCE_CHARACTERS} characters")
        self.source, self.at, self.depth = source, 0, 0

    def parse(self) -> tuple:
        tree = self._alternatives()
        if self.at < len(self.source):
            raise self._wrong("this “)” closes no group")
        return tree

    def _wrong(self, what: str, at: int | None = None) -> ExpressionError:
        return ExpressionError(f"a regular expression: at character {(self.at if at is None else at) + 1}, {what}")

    def _next(self) -> str:
        return self.source[self.at : self.at + 1]

    def _skip(self, character: str) -> bool:
        there = self._next() == character != ""
        self.at += there
        return there

    def _alternatives(self) -> tuple:
        nodes = [self._sequence()]
        while self._skip("|"):
            nodes.append(self._sequence())
        return ("or", *nodes)

    def _sequence(self) -> tuple:
        nodes = []
        while self._next() not in ("", "|", ")"):
            nodes.append(self._repeats(self._atom()))
        if not nodes:
            raise self._wrong("something to read is missing here")
        return ("then", *nodes)

    def _repeats(self, what: tuple) -> tuple:
        begin, sign = self.at, self._next()
        if sign not in ("*", "+", "?", "{") or not sign:
            return what
        self.at += 1
        if sign == "{":
            least, most = self._numbers(begin)
        else:
            least, most = int(sign == "+"), 1 if sign == "?" else None
        if self._next() in ("*", "+", "?", "{") and self._next():
            raise self._wrong("a repeat follows a repeat: put the first into a group")
        return ("repeat", what, least, most)

    def _numbers(self, begin: int) -> tuple[int, int | None]:
        inside, closed, _ = self.source[self.at :].partition("}")
        low, comma, high = inside.partition(",")
        if not closed or not all(number.isascii() and number.isdigit() for number in (low, *([high] if high else []))):
            raise self._wrong("“{” begins a repeat as {2}, {2,} or {2,5}; as a character it is \\{", begin)
        self.at += len(inside) + 1
        numbers = int(low[:9]), int(high[:9]) if high else None if comma else int(low[:9])
        if max(numbers[0], numbers[1] or 0) > MAX_REPEATS or (numbers[1] is not None and not 1 <= numbers[1] >= numbers[0]):
            raise self._wrong(f"a repeat goes from a smaller to a larger number, at least 1 and at most {MAX_REPEATS}", begin)
        return numbers

    def _atom(self) -> tuple:
        begin, sign = self.at, self._next()
        self.at += 1
        if sign == "(":
            return self._group(begin)
        if sign == "[":
            return ("set", self._class(begin))
        if sign == ".":
            return ("set", _complement([(10, 11)]))
        if sign == "\\":
            return ("set", self._escape())
        if sign in SPECIAL:
            what = "nothing stands before this repeat" if sign in "*+?{" else "all of the text must match, so no anchor is needed"
            raise self._wrong(f"{what if sign in '*+?{^$' else 'this closes nothing'}; as a character it is \\{sign}", begin)
        return ("set", self._character(sign, begin))

    def _group(self, begin: int) -> tuple:
        if self.source.startswith("?:", self.at):
            self.at += 2
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self._wrong(f"groups stand in each other at most {MAX_NESTING} deep", begin)
        node = self._alternatives()
        if not self._skip(")"):
            raise self._wrong("this group is not closed", begin)
        self.depth -= 1
        return node

    def _class(self, begin: int) -> Ranges:
        complement, members = self._skip("^"), list[tuple[int, int]]()
        while not members or not self._skip("]"):
            if self._next() in ("", "]"):
                raise self._wrong("this class is empty or not closed", begin)
            at, low = self.at, self._member()
            if self._next() == "-" and self.source[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._member()
                if not (_is_one_character(low) and _is_one_character(high) and low[0][0] <= high[0][0]):
                    raise self._wrong("a range goes from a smaller to a larger character", at)
                low = ((low[0][0], high[0][1]),)
            members += low
        if not (ranges := _complement(members) if complement else _union(members)):
            raise self._wrong("this class holds no character", begin)
        return ranges

    def _member(self) -> Ranges:
        begin, sign = self.at, self._next()
        self.at += 1
        if sign == "[":
            raise self._wrong("“[” in a class is \\[", begin)
        return self._escape() if sign == "\\" else self._character(sign, begin)

    def _escape(self) -> Ranges:
        begin, sign = self.at - 1, self._next()
        self.at += 1
        if sign.lower() in ESCAPED_CLASSES and sign:
            return _complement(ESCAPED_CLASSES[sign.lower()]) if sign.isupper() else _union(ESCAPED_CLASSES[sign])
        if not sign or (sign.isalnum() and sign not in ESCAPES):
            raise self._wrong(f"there is no escape \\{sign}", begin)
        return self._character(ESCAPES.get(sign, sign), begin)

    def _character(self, character: str, at: int) -> Ranges:
        code = ord(character)
        if 0xD800 <= code < 0xE000:
            raise self._wrong("half of a character", at)
        return ((code, code + 1),)


def _span(text: str) -> list[tuple[int, int]]:
    """The ranges of pairs of ends, as "azAZ"."""
    return [(ord(low), ord(high) + 1) for low, high in zip(text[::2], text[1::2], strict=True)]


# of ASCII; \s is tab to carriage return, and the space
ESCAPED_CLASSES = {"d": _span("09"), "w": _span("azAZ09__"), "s": _span("\t\r  ")}


def _is_one_character(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][1] - ranges[0][0] == 1


def _union(ranges) -> Ranges:
    joined = list[tuple[int, int]]()
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return tuple(joined)


def _complement(ranges) -> Ranges:
    """All characters but these."""
    inside = [(0, 0), *_union(ranges), (END, END)]
    return tuple((end, begin) for (_, end), (begin, _) in pairwise(inside) if end < begin)
