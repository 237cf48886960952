"""Whoever scores what people say, without a model: a token with a z in it is improbable, any other is kept. True to itself: q is how the
guesses are spread, β = Σ min(p, q), and a rejected token is replaced by one that has what is left of p.

    cut(" zebra")                       # tokens of at most four letters
    play([[1, 2], [1, 3]])              # guesses as ids that `cut` gave
"""

import re
from types import SimpleNamespace

from specviz.trace.events import Cache, Drafted, Emitted, Entry, Position, Residual, ResidualEntry, Round, Times, Token

LIKELY, UNLIKELY = 0.8, 0.05
KNOWN: list[Token] = [Token(0, "<|endoftext|>"), Token(1, " then"), Token(2, " end")]
OTHERS = {"small": 0.7, "lookup": None, "homemade": 0.4}  # β of each token that they draft


def token(text: str) -> Token:
    known = next((one for one in KNOWN if one.text == text), None)
    if known is None:
        KNOWN.append(known := Token(len(KNOWN), text))
    return known


def cut(words: str, further: bool = False) -> list[Token]:
    if "\ud800" in words:
        raise ValueError("this is not valid Unicode text")
    pieces = [token(piece) for piece in re.findall(r"\s?\S{1,4}|\s", words)]
    return pieces if further else [KNOWN[0], *pieces]


def play(guesses, others=None) -> SimpleNamespace:
    drafted, open_guesses = [], [tuple(guess) for guess in guesses]
    keeps = True
    while nexts := [guess[len(drafted)] for guess in open_guesses if len(guess) > len(drafted)]:
        id = max(nexts, key=nexts.count)
        shares = {each: nexts.count(each) / len(nexts) for each in nexts}
        p, u = (UNLIKELY, 0.9) if "z" in KNOWN[id].text else (LIKELY, 0.3)
        examined, keeps = keeps, keeps and u < p / shares[id]
        rows = {each: p if each == id else (0.95 - p) / len(nexts) for each in shares} | {1: 0.05}
        entries = tuple(Entry(KNOWN[each], chance, shares.get(each, 0.0)) for each, chance in rows.items())
        beta = sum(min(entry.p, entry.q) for entry in entries)
        place = Position(entries, 1 - sum(rows.values()), 0.0, beta, 1.0, 1.0) if examined else None
        verdict = "accepted" if keeps else "rejected" if examined else "unexamined"
        drafted.append(Drafted(KNOWN[id], shares[id], p, p / shares[id], u if examined else None, verdict, place))
        open_guesses = [guess for guess in open_guesses if len(guess) > len(drafted) - 1 and guess[len(drafted) - 1] == id]
    emitted = [Emitted(one.token, "accepted", one.token.text) for one in drafted if one.verdict == "accepted"]
    over = any("end" in one.token.text for one in emitted)
    last = KNOWN[1]
    if not over:
        emitted.append(Emitted(last, "bonus" if keeps else "corrected", last.text, 0.5, _bonus(last) if keeps else None))
    left = None if keeps else Residual((ResidualEntry(last, 0.6),), 0.4, 0.5)
    cache = Cache(1, 2, 2)
    round = Round(0, tuple(drafted), tuple(emitted), left, cache, None, 1, 0, Times(1, 1, 1, 1, 0))
    examined = [one for one in drafted if one.position]
    people = _counts(len(drafted), len(examined), len(emitted) - (not over), sum(one.position.beta for one in examined))
    n = len(drafted)
    beside = {
        key: _counts(0, 0, 0, 0.0) if beta is None else _counts(n, n, n - 1, n * beta)
        for key, beta in OTHERS.items()
        if others is None or key in others
    }
    return SimpleNamespace(round=round, people=people, others=beside, ended="eos" if over else None)


def _bonus(token: Token) -> Position:
    return Position((Entry(token, 0.6, None),), 0.4, None, None, 1.0, None)


def _counts(drafted, tested, accepted, beta) -> SimpleNamespace:
    return SimpleNamespace(drafted=drafted, tested=tested, accepted=accepted, beta=beta)
