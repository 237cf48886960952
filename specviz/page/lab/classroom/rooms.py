"""Rooms in which phones guess what comes next: who is in, who guessed what, which round it is. In memory only, and not for long.

rooms = Rooms()
room = rooms.begin(prompt, tokens)        # the teacher keeps room.key, phones are told room.code
seat = room.join("Mia")
room.guess(seat, room.round, tokens)
room.play(lambda text, guesses: ...)     # the guesses are verified, the text grows, the next round begins
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from ....trace.events import Token
from . import words

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that reads like another
CODE = 6  # letters: 31⁶ codes for at most ROOMS rooms, so that nobody comes in by guessing
ROOMS, SEATS = 32, 40
LIFE = 60 * 60.0  # seconds that a room is open; it also ends if its teacher was not heard from for ALONE
ALONE = 10 * 60.0
HERE = 8.0  # seconds without a sign after which a phone does not count as here; it asks every 1.5
AWAY = 60.0  # … after which its seat goes to who wants one, where all are taken
NAME = 24  # characters
WRITTEN = 600  # … of the text that phones are told, its last


class RoomError(ValueError):
    """One sentence for whoever asked. `gone`: the room is over, `seat`: only the seat is."""

    def __init__(self, said: str, gone: bool = False, seat: bool = False):
        super().__init__(said)
        self.gone, self.seat = gone, seat


@dataclass(slots=True)
class Seat:
    """`seen`: when its phone was last heard from, None after it said that it leaves. `guess`: for this round."""

    name: str
    seen: float | None
    guess: tuple[Token, ...] = ()


class Room:
    """Safe to ask from any thread."""

    def __init__(self, code: str, prompt: str, text: Sequence[Token], clock: Callable[[], float]):
        self.code, self.key = code, secrets.token_urlsafe(16)
        self.text, self._written = list(text), prompt
        self.round = 1
        self.ended: str | None = None  # why the text is over
        self.played: list[dict] = []  # what each round came to, with its number
        self._clock, self._lock = clock, Lock()
        self._seats: dict[str, Seat] = {}
        self._playing = False
        self.until, self.heard = clock() + LIFE, clock()

    @property
    def last(self) -> dict | None:
        """What the round before came to, as phones are told."""
        return self.played[-1] if self.played else None

    @property
    def over(self) -> bool:
        now = self._clock()
        return now >= self.until or now - self.heard >= ALONE

    def join(self, name: str = "", seat: str = "") -> str:
        """Take a seat, or go back to one's own. Raises RoomError where all are taken, and for a name that is too long."""
        name = readable(name)
        with self._lock:
            now = self._clock()
            if seat in self._seats:
                self._seats[seat].seen = now
                return seat
            if len(self._seats) >= SEATS:
                silent = {key: one for key, one in self._seats.items() if one.seen is None or now - one.seen >= AWAY}
                if not silent:
                    raise RoomError(words.FULL.format(seats=SEATS))
                del self._seats[min(silent, key=lambda key: silent[key].seen or 0.0)]
            key = secrets.token_urlsafe(12)
            self._seats[key] = Seat(name, now)
            return key

    def leave(self, seat: str) -> None:
        """The phone is closed: what it guessed stays, its seat is free for another."""
        with self._lock:
            if seat in self._seats:
                self._seats[seat].seen = None

    def guess(self, seat: str, round: int, guess: Sequence[Token]) -> None:
        """Guess, or guess anew. Raises RoomError for no guess at all, and for one that is meant for another round."""
        if not guess:
            raise RoomError(words.NOTHING_GUESSED)
        with self._lock:
            here = self._seat(seat)
            if self.ended:
                raise RoomError(words.TEXT_OVER)
            if self._playing or round != self.round:
                raise RoomError(words.TOO_LATE)
            here.guess = tuple(guess)

    def look(self, seat: str) -> dict:
        """What a phone shows."""
        with self._lock:
            own = self._seat(seat)
            told = {"text": self._written[-WRITTEN:], "guess": own.guess, "last": self.last, "playing": self._playing}
            return {**self._counts(), **told, "ended": self.ended, "left": self.until - self._clock()}

    def watch(self, shown: int = 0) -> dict:
        """What the teacher's screen shows while phones guess, and the rounds after those `shown` there already: after a reload, all."""
        with self._lock:
            self.heard = now = self._clock()
            names = [{"name": one.name, "guessed": bool(one.guess)} for one in self._seats.values() if self._here(one)]
            return {**self._counts(), "names": names, "left": self.until - now, "played": self.played[shown:]}

    def play(self, play: Callable[[list[Token], list[tuple[Token, ...]]], tuple[dict, list[Token], str | None]]) -> dict:
        """Close the guesses and hand them with the text to `play`, which gives what the round came to, the tokens that it added
        and why the text is over now, if it is. Raises RoomError where nobody guessed or the round is at work already; whatever
        `play` raises leaves the guesses as they were."""
        with self._lock:
            self.heard = self._clock()
            guesses = [one.guess for one in self._seats.values() if one.guess]
            if self._playing:
                raise RoomError(words.AT_WORK)
            if self.ended:
                raise RoomError(words.TEXT_OVER)
            if not guesses:
                raise RoomError(words.NOBODY_GUESSED)
            self._playing = True
        try:
            came_to, added, ended = play(list(self.text), guesses)
            came_to = {**came_to, "round": self.round}
            with self._lock:
                self.text += added
                self._written += "".join(token.text for token in added)
                self.played.append(came_to)
                self.ended = ended
                self.round += 1
                for one in self._seats.values():
                    one.guess = ()
            return came_to
        finally:
            self._playing = False

    def _seat(self, seat: str) -> Seat:
        if seat not in self._seats:
            raise RoomError(words.SEAT_GONE, seat=True)
        self._seats[seat].seen = self._clock()
        return self._seats[seat]

    def _here(self, seat: Seat) -> bool:
        return seat.seen is not None and self._clock() - seat.seen < HERE

    def _counts(self) -> dict:
        seats = self._seats.values()
        return {"round": self.round, "here": sum(map(self._here, seats)), "guessed": sum(bool(one.guess) for one in seats)}


class Rooms:
    """All rooms of this process, by their codes. `choose` picks a letter of a code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, choose: Callable[[str], str] = secrets.choice):
        self._clock, self._choose, self._lock = clock, choose, Lock()
        self._rooms: dict[str, Room] = {}

    def begin(self, prompt: str, text: Sequence[Token]) -> Room:
        """`text`: the tokens of `prompt`. Raises RoomError where as many are open as there may be."""
        with self._lock:
            self._sweep()
            if len(self._rooms) >= ROOMS:
                raise RoomError(words.TOO_MANY.format(rooms=ROOMS))
            while (code := "".join(self._choose(LETTERS) for _ in range(CODE))) in self._rooms:
                pass
            room = self._rooms[code] = Room(code, prompt, text, self._clock)
            return room

    def find(self, code: object) -> Room:
        """Raises RoomError for a room that is over or never was: which of the two, nobody is told."""
        with self._lock:
            self._sweep()
            room = self._rooms.get(code.lower()) if isinstance(code, str) else None
        if room is None:
            raise RoomError(words.GONE, gone=True)
        return room

    def own(self, code: object, key: object) -> Room:
        """For the teacher who opened it."""
        room = self.find(code)
        if not isinstance(key, str) or not secrets.compare_digest(key.encode(), room.key.encode()):
            raise RoomError(words.GONE, gone=True)
        return room

    def close(self, room: Room) -> None:
        with self._lock:
            self._rooms.pop(room.code, None)

    def _sweep(self) -> None:
        self._rooms = {code: room for code, room in self._rooms.items() if not room.over}


def readable(name: object) -> str:
    """A name as it was typed, in one line and without what cannot be seen. Raises RoomError for one that is too long."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split()) if isinstance(name, str) else ""
    if len(text) > NAME:
        raise RoomError(words.NAME_TOO_LONG.format(characters=NAME))
    return text


OPEN = Rooms()
"""Of this process: the page and what phones ask are two to gradio, and share these."""
