"""Rooms in which phones guess what comes next, and answer a chapter's question: who is in, who guessed what, which round it is.
In memory only, and not for long.

rooms = Rooms()
room = rooms.begin(prompt, tokens)        # the teacher keeps room.key, phones are told room.code
seat = room.join("Mia")
room.guess(seat, room.round, tokens)
room.play(lambda text, guesses: ...)     # the guesses are verified, the text grows, the next round begins
"""

import secrets
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from math import inf
from threading import Lock

from ...trace.events import Token
from ...words import classroom as words
from ...words import page
from ..guard.shares import NOBODY, Tries, client_address

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that reads like another
CODE_LETTERS = 6  # letters: 31⁶ codes for at most ROOMS rooms, so that nobody comes in by guessing
ROOMS, SEATS = 32, 40
ROOMS_EACH = 8  # of one address: a school's teachers; its seats are not counted so, since a whole class comes from one
ROOM_SECONDS = 90 * 60.0  # seconds that a room is open, a lesson and what comes before and after
TEACHER_SECONDS = 10 * 60.0  # … after which it ends if its teacher's page sent nothing
PHONE_SECONDS = 8.0  # seconds without a sign after which a phone does not count as here; it asks every 1.5
SEAT_SECONDS = 120.0  # … after which its seat goes to who wants one, where all are taken
NAME_CHARACTERS = 24
KEPT = 100  # questions, and rounds, whose answers a teacher may save
PHONE_CHARACTERS = 600  # the last of the text, which phones show
POLL = words.POLL | words.ROOM | {"room_text": page.EXAMPLES[0]}
"""What is said of a question on the phones, of a chapter or of a rule (assets/poll/)."""


class RoomError(ValueError):
    """One sentence for whoever asked. `is_over`: the room is over, `seat`: only the seat is lost."""

    def __init__(self, sentence: str, is_over: bool = False, seat: bool = False):
        super().__init__(sentence)
        self.is_over, self.seat = is_over, seat


@dataclass(slots=True)
class Seat:
    """`last_sign`: when its phone last sent something, -inf after it said that it leaves. `id`: what the teacher's page calls it,
    who has no use for its key. `guess`: for this round; `before`: what became of the last one."""

    name: str
    last_sign: float
    id: int = 0
    guess: tuple[Token, ...] = ()
    before: Sequence[dict] = ()
    address: str = NOBODY


@dataclass(frozen=True, slots=True)
class Question:
    """Predict, then reveal. `right` counts from 0; None where the teacher's page measures or calculates the answer."""

    ask: str
    choices: Sequence[str]
    right: int | None
    why: str


@dataclass(slots=True)
class Poll:
    """A question that is put to the phones. `about`: what the teacher's page calls it; `votes`: a choice by seat; `right`: the choice that
    is right, and `why`, once both are shown."""

    about: str
    ask: str
    choices: Sequence[str]
    votes: dict[str, int] = field(default_factory=dict)
    right: int | None = None
    why: str = ""

    def summary(self) -> dict:
        counts = [sum(vote == i for vote in self.votes.values()) for i in range(len(self.choices))]
        return {"about": self.about, "choices": self.choices, "voted": len(self.votes), "counts": counts, "right": self.right}


class Room:
    """Safe to ask from any thread."""

    def __init__(self, code: str, prompt: str, text: Sequence[Token], clock: Callable[[], float]):
        self.code, self.key, self.address = code, secrets.token_urlsafe(16), client_address.get()
        self.text, self._plain_text = list(text), prompt
        self.round = 1
        self.ended: str | None = None  # why the text is over
        self.results: list[dict] = []  # what each round came to, with its number
        self._clock, self._lock = clock, Lock()
        self._seats: dict[str, Seat] = {}
        self._seat_count = 0  # how many seats were ever taken
        self._poll: Poll | None = None
        self._asked: deque[Poll] = deque(maxlen=KEPT)
        # of a round its text and what was guessed how often
        self._guessed: deque[tuple[int, str, Counter[str]]] = deque(maxlen=KEPT)
        self._playing = False
        self.until, self.teacher_sign = clock() + ROOM_SECONDS, clock()

    @property
    def over(self) -> bool:
        now = self._clock()
        return now >= self.until or now - self.teacher_sign >= TEACHER_SECONDS

    @property
    def seconds_left(self) -> float:
        return self.until - self._clock()

    def join(self, name: str = "", seat: str = "") -> str:
        """Take a seat, or go back to one's own. Raises RoomError where all are taken, and for a name that is too long."""
        name = clean_name(name)
        with self._lock:
            now = self._clock()
            if seat in self._seats:
                self._seats[seat].last_sign = now
                return seat
            if len(self._seats) >= SEATS:
                self._free_one()
            key = secrets.token_urlsafe(12)
            self._seat_count += 1
            self._seats[key] = Seat(self._unique_name(name), now, self._seat_count, address=client_address.get())
            return key

    def _unique_name(self, name: str) -> str:
        """The name, with a number where somebody else has it."""
        names = {one.name for one in self._seats.values()}
        return next(name for name in chain([name], (f"{name} ({n})" for n in count(2))) if not name or name not in names)

    def remove(self, id: object) -> None:
        """The teacher takes a name off the list: its seat is gone, and so is all that it answered."""
        with self._lock:
            for key in [key for key, one in self._seats.items() if one.id == id]:
                self._forget(key)

    def _free_one(self) -> None:
        """The seat that has been silent longest is free again. Raises RoomError if that is not long."""
        key = min(self._seats, key=lambda key: self._seats[key].last_sign)
        if self._clock() - self._seats[key].last_sign < SEAT_SECONDS:
            raise RoomError(words.FULL.format(seats=SEATS))
        self._forget(key)

    def _forget(self, key: str) -> None:
        """Free a seat, without what it answered: however often somebody leaves and comes back, there are no more votes than seats."""
        del self._seats[key]
        if self._poll:
            self._poll.votes.pop(key, None)

    def knows(self, who: str, key: str) -> bool:
        """Whether the key is a seat's or the teacher's, it was opened at this address, or somebody from there is in."""
        with self._lock:
            places = {self.address, *(seat.address for seat in self._seats.values())}
            return who in places or key in self._seats or self.is_teacher(key)

    def is_teacher(self, key: object) -> bool:
        return isinstance(key, str) and secrets.compare_digest(key.encode(), self.key.encode())

    def leave(self, seat: str) -> None:
        """The phone is closed: what it guessed stays, its seat is free for another."""
        with self._lock:
            if seat in self._seats:
                self._seats[seat].last_sign = -inf

    def guess(self, seat: str, round: int, guess: Sequence[Token]) -> None:
        """Guess, or guess anew. Raises RoomError for a guess that is meant for another round."""
        with self._lock:
            here = self._seat(seat)
            if self.ended:
                raise RoomError(words.TEXT_OVER)
            if self._playing or round != self.round:
                raise RoomError(words.TOO_LATE)
            here.guess = tuple(guess)

    def phone_view(self, seat: str) -> dict:
        with self._lock:
            own = self._seat(seat)
            last = self.results[-1] if self.results else None
            view = {"text": self._plain_text[-PHONE_CHARACTERS:], "guess": own.guess, "last": last, "playing": self._playing}
            view |= {"name": own.name, "before": own.before, "poll": self._poll_for(seat)}
            return {**self._counts(), **view, "ended": self.ended, "left": self.seconds_left}

    def teacher_view(self, from_round: int = 0) -> dict:
        """What the teacher's screen shows while phones guess, and the rounds from `from_round` on, counted from 0: after a reload, all."""
        with self._lock:
            self.teacher_sign = self._clock()
            here = [one for key, one in self._seats.items() if self._takes_part(key, one)]
            names = [{"id": one.id, "name": one.name, "guessed": bool(one.guess)} for one in here]
            view = {"names": names, "left": self.seconds_left, "played": self.results[from_round:]}
            return {**self._counts(), **view, "poll": self._poll.summary() if self._poll else None}

    def ask(self, poll: Poll | None) -> None:
        """Put a question to the phones, in the place of another one; None takes it away."""
        with self._lock:
            self.teacher_sign, self._poll = self._clock(), poll
            if poll:
                self._asked.append(poll)

    def vote(self, seat: str, about: object, choice: object) -> None:
        """Choose, or choose anew. Raises RoomError for what is no choice of the question, and once its answer is shown."""
        with self._lock:
            self._seat(seat)
            poll = self._poll
            if poll is None or poll.about != about or poll.right is not None:
                raise RoomError(words.VOTE_CLOSED)
            if type(choice) is not int or not 0 <= choice < len(poll.choices):
                raise RoomError(words.NO_CHOICE)
            poll.votes[seat] = choice

    def reveal(self, right: int, why: str) -> None:
        """No more votes: phones are told the answer. Nothing happens where no such choice was put."""
        with self._lock:
            if self._poll and 0 <= right < len(self._poll.choices):
                self._poll.right, self._poll.why = right, why

    def answers(self) -> list[tuple]:
        """What was voted and guessed, without names: for each answer of a question and each guess of a round how many phones gave
        it, and of a question whose answer was shown whether it is right."""
        with self._lock:
            votes = [
                ("question", poll.ask, choice, n, None if poll.right is None else i == poll.right)
                for poll in self._asked
                for i, (choice, n) in enumerate(zip(poll.choices, poll.summary()["counts"], strict=True))
            ]
            guesses = [
                (f"round {round}", text, guess, n, None)
                for round, text, counts in self._guessed
                for guess, n in counts.most_common()
            ]
            return votes + guesses

    def begin(self, prompt: str, text: Sequence[Token]) -> None:
        """Another text for those who are in: round 1 again."""
        with self._lock:
            if self._playing:
                raise RoomError(words.AT_WORK)
            self.text, self._plain_text, self.round, self.ended, self.results = list(text), prompt, 1, None, []
            for one in self._seats.values():
                one.guess = one.before = ()

    async def play(self, decide: Callable[[list[Token], list[tuple[Token, ...]]], Awaitable[tuple]]) -> dict:
        """Close the guesses and hand them with the text to `decide`, which gives what the round came to, the tokens that it added,
        why the text is over now, if it is, and what became of a guess. Raises RoomError where nobody guessed or the round is at
        work already; whatever `decide` raises leaves the guesses as they were."""
        with self._lock:
            self.teacher_sign = self._clock()
            guesses = [one.guess for one in self._seats.values() if one.guess]
            if self._playing:
                raise RoomError(words.AT_WORK)
            if self.ended:
                raise RoomError(words.TEXT_OVER)
            if not guesses:
                raise RoomError(words.NOBODY_GUESSED)
            self._playing = True
        try:
            result, new_tokens, ended, guess_result = await decide(list(self.text), guesses)
            result = {**result, "round": self.round}
            with self._lock:
                guessed = Counter("".join(token.text for token in guess) for guess in guesses)
                self._guessed.append((self.round, self._plain_text[-PHONE_CHARACTERS:], guessed))
                self.text += new_tokens
                self._plain_text += "".join(token.text for token in new_tokens)
                self.results.append(result)
                self.ended = ended
                self.round += 1
                for one in self._seats.values():
                    one.before, one.guess = guess_result(one.guess), ()
            return result
        finally:
            self._playing = False

    def _seat(self, seat: str) -> Seat:
        if seat not in self._seats:
            raise RoomError(words.SEAT_GONE, seat=True)
        self._seats[seat].last_sign = self._clock()
        return self._seats[seat]

    def _poll_for(self, seat: str) -> dict | None:
        """The question, the seat's own vote and, with the answer, those of all."""
        poll = self._poll
        if poll is None:
            return None
        view = {"about": poll.about, "ask": poll.ask, "choices": poll.choices, "own": poll.votes.get(seat)}
        return view if poll.right is None else {**view, **poll.summary(), "why": poll.why}

    def _takes_part(self, key: str, seat: Seat) -> bool:
        """Somebody who is here, or who guessed or voted before the phone's screen went dark: never more guesses than people."""
        here = self._clock() - seat.last_sign < PHONE_SECONDS
        return here or bool(seat.guess) or (self._poll is not None and key in self._poll.votes)

    def _counts(self) -> dict:
        here = sum(self._takes_part(key, seat) for key, seat in self._seats.items())
        return {"round": self.round, "here": here, "guessed": sum(bool(one.guess) for one in self._seats.values())}


class Rooms:
    """All rooms of this process, by their codes. `lan`: the address at which the network reaches this machine now."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, Lock()
        self.lan: Callable[[], str | None] = lambda: None
        self._rooms: dict[str, Room] = {}
        self._tries = Tries(clock=clock)

    def begin(self, prompt: str, text: Sequence[Token]) -> Room:
        """`text`: the tokens of `prompt`. Raises RoomError where as many are open as there may be."""
        with self._lock:
            self._sweep()
            if len(self._rooms) >= ROOMS:
                raise RoomError(words.TOO_MANY.format(rooms=ROOMS))
            who = client_address.get()
            if sum(room.address == who != NOBODY for room in self._rooms.values()) >= ROOMS_EACH:
                raise RoomError(words.TOO_MANY_HERE.format(rooms=ROOMS_EACH))
            while (code := "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))) in self._rooms:
                pass
            room = self._rooms[code] = Room(code, prompt, text, self._clock)
            return room

    def find(self, code: object, seat: str = "") -> Room:
        """Raises RoomError for a room that is over or never was: which of the two, nobody is told. Addresses that tried many wrong codes
        find none, but for the room that knows them: one who tries codes keeps no school out of its own room."""
        who = client_address.get()
        with self._lock:
            self._sweep()
            room = self._rooms.get(code.lower()) if isinstance(code, str) else None
            if who != NOBODY and self._tries.refuses(who) and not (room and room.knows(who, seat)):
                raise RoomError(words.TRIED)
            if room is None:
                self._tries.count_wrong(who)
                raise RoomError(words.ROOM_OVER, is_over=True)
        return room

    def for_teacher(self, code: object, key: object) -> Room:
        room = self.find(code, key if isinstance(key, str) else "")
        if not room.is_teacher(key):
            raise RoomError(words.ROOM_OVER, is_over=True)
        return room

    def close(self, room: Room) -> None:
        with self._lock:
            self._rooms.pop(room.code, None)

    def _sweep(self) -> None:
        self._rooms = {code: room for code, room in self._rooms.items() if not room.over}


def clean_name(name: object) -> str:
    """A name as it was typed, in one line and without what cannot be seen. Raises RoomError for one that is too long."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split()) if isinstance(name, str) else ""
    if len(text) > NAME_CHARACTERS:
        raise RoomError(words.NAME_TOO_LONG.format(characters=NAME_CHARACTERS))
    return text


OPEN = Rooms()
"""Of this process: the page and what phones ask are two to gradio, and share these."""
